"""Recordings of rescues: what is saved is read back, and damaged ones are refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dsl import UserError
from hive.kit.errors import DataError
from hive.kit.keep.dialogue import Line, LineKind
from hive.worlds.rescue.files import instance_texts, read_instance
from hive.worlds.rescue.recording import RescueRecording, gather, gather_start
from hive.worlds.rescue.shipped import names, shipped
from tests.rescue.episodes import spoken_run

ARRAYS = ("tick", "position", "supplies", "needs", "active", "doing", "refused")


def test_a_saved_run_is_read_back(tmp_path: Path) -> None:
    run = spoken_run()
    run.save(tmp_path / "recording.npz")
    again = RescueRecording.load(tmp_path / "recording.npz")
    for name in ("title", "limit", "outcome", "instance", "deeds", "lines"):
        assert getattr(again, name) == getattr(run, name)
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(again, name), getattr(run, name))


def test_a_run_tells_what_was_thought_done_and_said_turn_by_turn() -> None:
    run = spoken_run()
    first = [(line.agent, line.kind, line.text) for line in run.lines if line.tick == 1]
    assert first[:3] == [
        (0, LineKind.THOUGHT, "I try <b>it</b>."),
        (0, LineKind.PROBLEM, "give_food(): refused: the agent has no unit of that resource left"),
        (0, LineKind.SAY, "I tried give_food(). I go to victim1 in room3."),
    ]
    assert [kind for agent, kind, _ in first if agent == 1] == [LineKind.THOUGHT, LineKind.ACT, LineKind.SAY]
    assert run.refused[1].tolist() == [True, False] and run.deeds[run.doing[1, 0]] == "give_food()"
    assert run.outcome == "all victims helped" and run.helped(-1) == 2 and run.helped(0) == 0


@pytest.mark.parametrize("name", names())
def test_an_instance_survives_as_the_text_of_its_files(name: str) -> None:
    instance = shipped(name)
    texts = instance_texts(instance)
    assert read_instance(name, {part: (part, text) for part, text in texts.items()}) == instance


def test_an_odd_description_survives_too() -> None:
    odd = replace(shipped("map_7/agents-1"), about='a "b"\\c\x7f\té 😀')
    texts = instance_texts(odd)
    assert read_instance(odd.name, {part: (part, text) for part, text in texts.items()}) == odd


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"position": np.full((8, 2), 6)}, "position must lie in 0 to 5"),
        ({"position": np.zeros((8, 3), int)}, "position has shape"),
        ({"supplies": np.full((8, 2, 3), 10)}, "supplies must lie in 0 to 9"),
        ({"tick": np.zeros(8, int)}, "ticks that rise"),
        ({"doing": np.full((8, 2), 99)}, "doing must lie"),
        ({"lines": (Line(1, 2, LineKind.SAY, ""),)}, "a line belongs to agent 0 to 1"),
    ],
)
def test_a_recording_that_does_not_fit_is_refused(changes: dict[str, object], why: str) -> None:
    with pytest.raises(DataError, match=why):
        replace(spoken_run(), **changes)


def test_damage_is_reported_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "recording.npz"
    arrays = spoken_run().encode()
    for name, bad in (("needs", arrays["needs"][:3]), ("words", np.frombuffer(b"{}", np.uint8)), ("tick", None)):
        kept = {**arrays, name: bad}
        np.savez(path, **{key: value for key, value in kept.items() if value is not None})
        with pytest.raises(UserError, match=r"cannot read the recording .*recording\.npz"):
            RescueRecording.load(path)


def test_a_start_is_a_recording_of_one_frame() -> None:
    start = gather_start(shipped("map_5/agents"))
    assert start.frames == 1 and start.helped(0) == 0 and start.frame_at(9) == 0
    with pytest.raises(ValueError, match="states"):
        gather(start.instance, 60, [], [], "")
