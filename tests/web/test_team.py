"""A game of a team on the page: a person answers over the live connection, tabs watch, and the run is kept."""

from __future__ import annotations

import json
import time
import urllib.request
from contextlib import ExitStack
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from websockets.sync.client import connect

from hive.cli import main
from hive.kit.keep.recording import Recording
from hive.web.scenes import SceneStream
from hive.worlds.kept import scene_page
from hive.worlds.rescue.recording import RescueRecording
from tests.rescue.episodes import spoken_run
from tests.tiers import tiers
from tests.web.talking import Words, live
from tests.web.team_server import serving_team

RESCUE = "rescue/map_1/agents-1"
SEATS = {"kitchen/boiled_egg": ("Alice", "speaker"), "household/cwah_0": ("Bob", "team:coela")}
SEATS |= {"wildfire/cut_trees_sparse_small": ("AGENT_2", "speaker")}


class TeamTab:
    """A tab without a browser that keeps what it is told; use it in a `with`."""

    def __init__(self, address: str) -> None:
        self._open = ExitStack()
        self._socket = self._open.enter_context(connect(live(address), max_size=None))
        self.told: list[Words] = []
        self.hello = self.until(lambda words: words["is"] == "hello")
        self.rows, self.frames = list(self.hello["rows"]), {frame["t"]: frame for frame in self.hello["frames"]}

    def __enter__(self) -> TeamTab:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def send(self, do: str, **fields: Any) -> None:
        self._socket.send(json.dumps({"do": do, **fields}))

    def until(self, right: Any, seconds: float = 120) -> Words:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            words: Words = json.loads(self._socket.recv(timeout=seconds))
            self.told.append(words)
            if words["is"] == "frames":
                self.rows += words["rows"]
                self.frames |= {frame["t"]: frame for frame in words["frames"]}
            if right(words):
                return words
        raise AssertionError(f"not told; last: {self.told[-3:]}")

    def play(self) -> list[Words]:
        """Answer all questions with their first offers; return the questions."""
        asked = []
        question = self.hello["question"]
        while True:
            if question:
                asked.append(question)
                fields = {each["name"]: each["offers"][0]["text"] for each in question["form"] if each["needed"]}
                self.send("answer", number=question["number"], fields=fields)
            words = self.until(lambda words: words["is"] in ("question", "results", "refused"))
            if words["is"] == "results":
                return asked
            assert words["is"] == "question", words
            question = words["question"]


def test_a_person_plays_a_rescue_over_the_live_connection(tmp_path: Path) -> None:
    with serving_team(RESCUE, tmp_path, "Alpha") as address, TeamTab(address) as tab:
        assert tab.hello["seat"] == "Alpha" and tab.hello["role"] == "commander"
        tab.send("speed", ticks_per_second=1000)
        asked = tab.play()
        assert {question["agent"] for question in asked} == {"Alpha"}
        assert {question["purpose"] for question in asked} == {"act", "message"}
        status = next(words for words in reversed(tab.told) if words["is"] == "frames")["status"]
        assert status["over"] and len(tab.frames) == status["tick"] + 1
        with TeamTab(address) as late:
            assert late.hello["role"] == "viewer" and late.hello["results"]["table"]
            assert (
                late.hello["frames"] == [tab.frames[t] for t in sorted(tab.frames)] and late.hello["rows"] == tab.rows
            )
            late.send("answer", id=1, number=1, fields={})
            assert "only watches" in late.until(lambda words: words["is"] == "refused")["why"]
        page = urllib.request.urlopen(address.replace("/?", "/replay.html?")).read()
        assert b"HIVE replay" in page


def test_what_cannot_be_done_is_refused_with_a_reason(tmp_path: Path) -> None:
    with serving_team(RESCUE, tmp_path, "Alpha") as address, TeamTab(address) as tab:
        question = tab.hello["question"] or tab.until(lambda words: words.get("question"))["question"]
        for do, fields, why in (
            ("answer", {"number": question["number"] + 7, "fields": {}}, "no longer asked"),
            ("answer", {"number": question["number"], "fields": {}}, "`call` is empty"),
            ("plan", {"text": "Step 0:"}, "worlds that plans command"),
            ("look", {"tick": 0}, "worlds that plans command"),
        ):
            tab.send(do, id=do, **fields)
            assert why in tab.until(lambda words: words["is"] == "refused")["why"]


def test_players_are_watched_with_a_pause_and_single_steps(tmp_path: Path) -> None:
    with serving_team(RESCUE, tmp_path) as address, TeamTab(address) as tab:
        assert not tab.hello["status"]["running"] and len(tab.frames) == 1 and tab.hello["question"] is None
        tab.send("speed", ticks_per_second=1000)
        tab.send("step", ticks=2)
        tab.until(lambda words: words["is"] == "frames" and words["status"]["tick"] == 2)
        tab.send("answer", id=1, number=1, fields={})
        assert "nobody has a seat" in tab.until(lambda words: words["is"] == "refused")["why"]
        assert max(tab.frames) == 2
        tab.send("run")
        assert "helped" in tab.until(lambda words: words["is"] == "results")["table"]


@pytest.mark.parametrize("name", tiers(SEATS))
def test_every_kind_of_world_with_agents_has_a_seat_on_the_page(name: str, tmp_path: Path) -> None:
    seat, player = SEATS[name]
    with serving_team(name, tmp_path, seat, player) as address, TeamTab(address) as tab:
        tab.send("speed", ticks_per_second=1000)
        asked = tab.play()
        assert asked and {question["agent"] for question in asked} == {seat}
        status = next(words for words in reversed(tab.told) if words["is"] == "frames")["status"]
        assert status["over"] and len(tab.frames) == status["tick"] + 1


def test_frames_that_are_sent_as_they_come_are_those_of_the_replay() -> None:
    """A page that looked on from the beginning draws what the page of the finished recording draws."""
    whole = spoken_run()
    stream = SceneStream()
    for frames in range(1, whole.frames + 1):
        stream.take(_cut(whole, frames))
    page, rows = scene_page(whole), stream.hello["rows"]
    for t, frame in enumerate(stream.hello["frames"]):
        wanted = json.loads(json.dumps([page.panels(t)]))[0]
        assert [rows[row] for row in frame["panels"]] == wanted
        assert len(frame["items"]) == len(page.scene.frame(t, still=False))
    assert stream.hello["lines"] == json.loads(json.dumps(page.meta(whole)["lines"]))


def _cut(recording: RescueRecording, frames: int) -> Recording:
    """The first frames of a recording."""
    arrays = {each.name: getattr(recording, each.name) for each in fields(recording)}
    cut = {k: v[:frames] for k, v in arrays.items() if isinstance(v, np.ndarray) and len(v) == recording.frames}
    lines = tuple(line for line in recording.lines if line.tick < frames)
    found: Recording = replace(recording, lines=lines, **cut)
    return found


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["coordinate", "--seat", "Bob"], "agents, whose seats may be taken, play the other worlds"),
        (["coordinate", "--seat", "Bob", "--units", "20"], "`--seat` cannot be used here: coordinate is a battle"),
        ([RESCUE, "--seat", "Zulu"], "its seats are `Alpha` and `Bravo`"),
        ([RESCUE, "--player", "optimum"], "did you mean `optimal`?"),
        ([RESCUE, "--units", "4"], "is a rescue"),
        ([RESCUE, "--session", "x.jsonl"], "`--session` cannot be used here"),
    ],
)
def test_the_command_says_what_a_world_cannot(
    words: list[str], why: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["serve", *words]) == 2
    assert why in capsys.readouterr().err
    assert not list(tmp_path.glob("runs/*"))
