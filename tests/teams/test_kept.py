"""An episode as results: cumulative rows, what was not counted, and a transcript to read."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from hive.kit.keep.dialogue import LineKind
from hive.kit.keep.runfolder import EXCHANGES
from hive.kit.reporting import Unwatched
from hive.kit.transcript import EpisodeStep, EpisodeTranscript, ModelCall, per_step, transcript
from hive.players.teams.conversation import episode_of, lines_of
from hive.players.teams.frameworks import FRAMEWORKS
from hive.players.teams.journal import Journal
from hive.players.teams.kept import keep_counted, play_kept
from hive.players.teams.prompting import Prompts
from hive.players.teams.rules import TeamRules
from tests.teams.speaking import Speaker
from tests.teams.toy import Toy, ToyEpisodes

LOOK = ModelCall(agent="AGENT_1", purpose="perceive", text="I see\na fire.", sent=10, received=2, seconds=0.5)
PLAN = ModelCall(agent="AGENT_1", purpose="plan", text="<action>wait</action>", sent=20, received=3, seconds=1.25)
UNKNOWN = ModelCall(agent="AGENT_1", purpose="translate", text="<type>0</type>", sent=None, received=None, seconds=0.0)
FIRST = EpisodeStep(
    number=1,
    score=2,
    calls=(LOOK, PLAN),
    messages=(("AGENT_1", "all", "I wait."),),
    actions=(("AGENT_1", "do nothing"),),
    log=("step 1, AGENT_2: no tag",),
)


def episode(*steps: EpisodeStep) -> EpisodeTranscript:
    return EpisodeTranscript(seed=7, agents=2, start=1, steps=steps)


def test_rows_have_the_score_and_the_sums_after_each_step() -> None:
    """docs/rules/teams.md 4.2: a row for the start, and one after every step, the last one too."""
    rows = episode(FIRST, EpisodeStep(number=2, score=5, calls=(LOOK,))).rows()
    assert [(row["step"], row["score"], row["calls"]) for row in rows] == [(0, 1, 0), (1, 2, 2), (2, 5, 3)]
    assert [row["input_tokens"] for row in rows] == [0, 30, 40]
    assert [row["output_tokens"] for row in rows] == [0, 5, 7] and rows[2]["seconds"] == 2.25


def test_tokens_that_a_server_did_not_count_are_none_and_not_nought() -> None:
    found = episode(FIRST, EpisodeStep(number=2, score=5, calls=(UNKNOWN,)))
    assert [row["input_tokens"] for row in found.rows()] == [0, 30, None]
    assert per_step([found]) == {"calls": 1.5, "input_tokens": None, "output_tokens": None}
    assert per_step([episode(FIRST), episode(FIRST)])["input_tokens"] == 30


def test_a_transcript_tells_what_was_seen_said_done_and_went_wrong() -> None:
    free = ModelCall(agent="AGENT_2", purpose="plan", text="I wait\n<b>", sent=1, received=1, seconds=0.0)
    found = episode(FIRST, EpisodeStep(number=2, score=2, calls=(free,)))
    lines = transcript(found, "Title", "Fell a tree.", "a model answers").splitlines()
    for line in (
        "# Title", "A model answers.", "**Task.** Fell a tree.", "> AGENT_1 sees: I see a fire.", "**AGENT_1, plan**",
        "- action: wait", "- AGENT_1 to all: I wait.", "- AGENT_1 begins: do nothing",
        "- Problem: step 1, AGENT_2: no tag", "Score 2 after 2 calls.", "    I wait", "    <b>",
    ):  # fmt: skip
        assert line in lines
    assert lines.count("Sent and begun:") == 1


def test_a_recording_of_a_team_has_its_conversation_in_the_order_of_time() -> None:
    """The page shows it next to the map; perceptions, actions and messages inside a reply are not repeated."""
    said = "<reasoning>The fire\nis near.</reasoning><action>wait</action><AGENT_2-message>Go.</AGENT_2-message>"
    two = "<reasoning>Fine.</reasoning><decision>ACCEPT</decision>"
    calls = [LOOK, replace(PLAN, text=said), replace(PLAN, agent="AGENT_2", text=two), UNKNOWN]
    found = episode(replace(FIRST, calls=tuple(calls)), EpisodeStep(number=2, score=5, log=("out of money",)))
    lines = lines_of(found, ["AGENT_1", "AGENT_2"])
    assert [(line.tick, line.agent, line.kind, line.text) for line in lines] == [
        (0, 0, LineKind.THOUGHT, "The fire is near."),
        (0, 1, LineKind.THOUGHT, "reasoning: Fine.\ndecision: ACCEPT"),
        (0, 0, LineKind.SAY, "to all: I wait."),
        (0, 0, LineKind.ACT, "do nothing"),
        (0, 1, LineKind.PROBLEM, "no tag"),
        (1, 0, LineKind.PROBLEM, "out of money"),
    ]
    plans = episode(EpisodeStep(number=1, score=0, calls=(replace(PLAN, agent="COMMANDER"),), notes=("It begins.",)))
    (line,) = lines_of(plans, ["COMMANDER"], plans=True)
    assert (line.kind, line.text) == (LineKind.ASKED, "It begins."), "the plans are in the recording already"


def test_a_journal_gives_the_score_after_each_step() -> None:
    """A line of a journal has the score before its step."""
    call = {"agent": "AGENT_1", "purpose": "plan", "text": "x", "prompt": 4, "reply": 1, "seconds": 0.0}
    row = {"asked": [call], "mail": [{"sender": "A", "to": "B", "text": "hi"}], "acts": [], "log": []}
    rows = [{"step": 1, "score": 0, **row}, {"step": 2, "score": 3, **row}, {"step": 3, "score": 7, "end": True}]
    found = episode_of(9, 1, rows)
    assert found.start == 0 and [step.score for step in found.steps] == [3, 7]
    assert found.tokens("sent") == 8 and found.steps[0].messages == (("A", "B", "hi"),)


def test_a_recording_keeps_exactly_the_exchanges_that_count(tmp_path: Path) -> None:
    """A step that was interrupted was asked again; with its first replies a replay would tell another story."""

    def line(key: str, text: str) -> str:
        return json.dumps({"key": key, "reply": {"text": text}})

    path = tmp_path / "exchanges.jsonl"
    path.write_text("\n".join([line("a", "lost"), line("a", "kept"), line("b", "same"), line("b", "same")]) + "\n")
    keep_counted(path, [{"asked": [{"digest": "a", "text": "kept"}, {"digest": "b", "text": "same"}]}, {"end": True}])
    assert path.read_text().splitlines() == [line("a", "kept"), line("b", "same")]


def test_exchanges_are_kept_in_the_order_of_episodes_and_calls(tmp_path: Path) -> None:
    """Answers of side-by-side calls arrive in any order, and two runs of one command give one recording."""

    def steps(first: int) -> list[dict[str, Any]]:
        rows = [[first, first + 1], [first + 2]]
        return [{"asked": [{"digest": f"k{n}", "text": "t"} for n in row]} for row in rows]

    path, kept = tmp_path / "exchanges.jsonl", []
    for order in ([5, 2, 0, 4, 1, 3], [3, 1, 4, 0, 2, 5]):
        path.write_text("".join(json.dumps({"key": f"k{n}", "reply": {"text": "t"}}) + "\n" for n in order))
        keep_counted(path, [*steps(0), {"end": True}, *steps(3), {"end": True}])
        kept.append(path.read_text())
    assert kept[0] == kept[1]
    assert [json.loads(line)["key"] for line in kept[0].splitlines()] == [f"k{n}" for n in range(6)]


def test_episodes_that_are_played_one_after_another_share_one_recording(tmp_path: Path) -> None:
    """The second call of a run must not remove the exchanges of the first: `--set carry=1` of households."""
    for name, toy in (("first", Toy(2)), ("second", Toy(2, seed=1))):
        play_kept(
            ToyEpisodes([toy]),
            FRAMEWORKS["coela"],
            Speaker(),
            TeamRules(steps=2),
            Prompts(),
            [name],
            tmp_path,
            2,
            Unwatched(),
        )
    asked = [
        call["digest"]
        for name in ("first", "second")
        for row in Journal(tmp_path / f"{name}.journal.jsonl").rows
        for call in row.get("asked", ())
    ]
    lines = (tmp_path / EXCHANGES).read_text().splitlines()
    assert [json.loads(line)["key"] for line in lines] == asked and len(set(asked)) == len(asked) > 10
