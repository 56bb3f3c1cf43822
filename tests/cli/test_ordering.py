"""`hive ask` and `hive chat`: from a prompt to a played plan, with everything that was said kept."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pytest

from hive.cli import main
from hive.worlds.battle.recording import BattleRecording
from tests.cli.conftest import SMALL, Hive
from tests.llm import talks
from tests.llm.talks import BROKEN, PROMPT, QUESTION, session

ATTACK = "attack at once"  # its plan has the sizes of the two that follow, so that one program plays all three
HOLD, RETREAT = talks.HOLD.replace("(75, 50)", "(75, 60)"), talks.RETREAT.replace("(30, 10)", "(20, 10)")


@pytest.fixture(scope="module")
def talk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recording: a plan, and an order at tick 10."""
    path = tmp_path_factory.mktemp("talk") / "talk.jsonl"
    one = session([HOLD, RETREAT], path)
    one.prompt(PROMPT)
    one.play(10)
    one.prompt("fall back")
    return path


@pytest.mark.slow
def test_a_prompt_becomes_a_played_plan_without_a_model(hive: Hive, tmp_path: Path) -> None:
    """Every command works on a fresh machine without a key, and says who answered; that may be said, too."""
    ran = hive("ask", *SMALL, ATTACK, "--commander", "words", "--out", "out", "--json")
    assert ran.code == 0 and "no model is named" in ran.err
    assert ran.json["outcome"] == "plan" and ran.json["results"][0]["games"] == 1
    out = tmp_path / "out"
    names = {path.name for path in out.iterdir()}
    assert {"picture.png", "plan.plan", "dialogue.md", "dialogue.json", "exchanges.jsonl", "usage.json"} <= names
    text = (out / "dialogue.md").read_text()
    assert text.startswith("# system\n") and f"# user\n\n{ATTACK}" in text and "# assistant\n" in text


@pytest.mark.slow
def test_an_order_in_the_game_and_the_run_that_repeats_it(hive: Hive, talk: Path, tmp_path: Path) -> None:
    """The folder's own command gives the same game, although its plans came from a dialogue."""
    words = ("ask", *SMALL, PROMPT, "--order", "10=fall back", "--replay", talk, "--out", "out", "--json")
    ran = hive(*words)
    assert ran.code == 0, ran.err
    assert [plan["tick"] for plan in ran.json["plans"]] == [0, 10]
    again = json.loads((tmp_path / "out" / "config.json").read_text())["again"].partition("hive ")[2].split()
    with pytest.MonkeyPatch.context() as change:
        change.chdir(tmp_path / "out")
        assert main([*again, "--out", "../again"]) == 0
    first, second = (BattleRecording.load(tmp_path / name / "recording.npz") for name in ("out", "again"))
    np.testing.assert_array_equal(first.position, second.position)
    assert len(np.unique(first.position[11] - first.position[10])) > 1, "the units move"


@pytest.mark.slow
def test_what_was_kept_replays_without_a_model(hive: Hive, talk: Path, tmp_path: Path) -> None:
    hive("ask", *SMALL, PROMPT, "--replay", talk, "--out", "out")
    ran = hive("ask", *SMALL, PROMPT, "--replay", "out/exchanges.jsonl", "--out", "second", "--json")
    assert ran.code == 0 and ran.json["model"] == "script"
    ran = hive("ask", *SMALL, "something else", "--replay", "out/exchanges.jsonl")
    assert ran.code == 2 and "holds no reply" in ran.err and "help" in ran.err


def test_a_reply_without_a_plan_is_kept_and_can_be_answered(
    hive: Hive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = tmp_path / "talk.jsonl"
    one = session([QUESTION, HOLD], record)
    one.prompt(PROMPT)
    one.prompt("Yes.")
    ran = hive("ask", *SMALL, PROMPT, "--replay", record, "--out", "out")
    assert ran.code == 2 and QUESTION in ran.out and "hive chat --resume" in ran.err
    monkeypatch.setattr("sys.stdin", io.StringIO("Yes.\n/play 5\n/plan\n/quit\n"))
    ran = hive("chat", "--resume", "out/dialogue.json", "--replay", record)
    assert ran.code == 0 and "resumed" in ran.err
    assert "tick 5 of 60: running" in ran.out and "followed from tick 0" in ran.out


def test_a_plan_with_errors_is_shown_and_not_played(hive: Hive, tmp_path: Path) -> None:
    record = tmp_path / "talk.jsonl"
    session([BROKEN], record, repairs=0).prompt(PROMPT)
    ran = hive("ask", *SMALL, PROMPT, "--replay", record, "--repairs", 0, "--json")
    assert ran.code == 2 and ran.json["outcome"] == "invalid_plan"
    assert "error[plan-coordinate]" in ran.err and "not played" in ran.err


def test_a_request_that_fails_in_the_game_loses_nothing(hive: Hive, talk: Path, tmp_path: Path) -> None:
    """The replies so far are kept, and the command may be given again with them."""
    words = ("ask", *SMALL, PROMPT, "--order", "10=something else", "--replay", talk, "--out", "out")
    ran = hive(*words)
    assert ran.code == 2 and "what was answered so far is kept in out" in ran.err
    assert json.loads((tmp_path / "out" / "dialogue.json").read_text())["plans"][0]["tick"] == 0


@pytest.mark.slow
def test_an_order_without_a_plan_leaves_the_present_one(hive: Hive, tmp_path: Path) -> None:
    record = tmp_path / "talk.jsonl"
    one = session([HOLD, QUESTION], record)
    one.prompt(PROMPT)
    one.play(10)
    one.prompt("fall back")
    ran = hive("ask", *SMALL, PROMPT, "--order", "10=fall back", "--replay", record, "--out", "out", "--json")
    assert ran.code == 0 and ran.json["outcome"] == "no_plan" and len(ran.json["plans"]) == 1
    assert "the present plan is followed further" in ran.err and ran.json["results"][0]["games"] == 1


@pytest.mark.long
def test_an_order_after_the_end_is_named_and_the_game_is_kept(hive: Hive, tmp_path: Path) -> None:
    """A game that ends at the very tick of an order is no error: its result is shown and kept."""
    ran = hive("ask", *SMALL, PROMPT, "--order", "60=too late", "--out", "out", "--json")
    assert ran.code == 0 and ran.json["results"][0]["games"] == 1
    assert "the game ended after 60 ticks" in ran.err and "60: too late" in ran.err


@pytest.mark.slow
def test_a_failure_keeps_the_replies_and_the_folder_that_would_be_replaced(
    hive: Hive, talk: Path, tmp_path: Path
) -> None:
    """What was paid for is kept, beside a run that --overwrite may replace only with a complete one."""
    hive("ask", *SMALL, ATTACK, "--out", "out")
    before = (tmp_path / "out" / "dialogue.md").read_text()
    words = ("--order", "10=never recorded", "--replay", talk, "--out", "out", "--overwrite")
    ran = hive("ask", *SMALL, PROMPT, *words)
    assert ran.code == 2 and "kept in out-failed" in ran.err
    assert (tmp_path / "out-failed" / "dialogue.json").is_file()
    assert (tmp_path / "out" / "dialogue.md").read_text() == before


def test_a_resumed_dialogue_keeps_its_world(hive: Hive, monkeypatch: pytest.MonkeyPatch) -> None:
    """Options of the world are refused with --resume, not ignored; plans written for other sizes stay readable."""
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{PROMPT}\nyes\n/plan\n/save saved.json\n"))
    ran = hive("chat", *SMALL, "--written-for", "1000,1000")
    assert ran.code == 0 and "without --written-for" in ran.out and "units: [0:100]" in ran.out
    monkeypatch.setattr("sys.stdin", io.StringIO("/plan\n"))
    ran = hive("chat", "--resume", "saved.json")
    assert ran.code == 0 and "units: [0:100]" in ran.out
    for option in (("--units", "50"), ("--seed", "0"), ("--marker", "A=1,2")):
        ran = hive("chat", "--resume", "saved.json", *option)
        assert ran.code == 2 and f"{option[0]} cannot be used with --resume" in ran.err


def test_an_interrupt_of_a_chat_in_a_terminal_loses_nothing(hive: Hive, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    lines = iter([PROMPT, KeyboardInterrupt(), "/plan"])

    def read(_: str) -> str:
        line = next(lines, EOFError())
        if isinstance(line, BaseException):
            raise line
        return line

    monkeypatch.setattr(sys, "stdin", Terminal())
    monkeypatch.setattr("builtins.input", read)
    ran = hive("chat", *SMALL)
    assert ran.code == 0 and "interrupted; the dialogue" in ran.err and "followed from tick 0" in ran.out


@pytest.mark.slow
def test_a_chat_plays_marks_undoes_and_saves(
    hive: Hive, talk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [PROMPT, "/play 10", "fall back", "/play", "/state", "/keep out", "/save my.json", "/again", "/undo"]
    (tmp_path / "notes.txt").write_text("mine")
    wrong = [
        "/save notes.txt",
        "/plai",
        "/marker a 3",
        "/marker B 900,1",
        "/marker Q -",
        "/play x",
        "/play \u00b2",
        "/save",
        "/plan",
    ]
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join([*lines, *wrong, "/marker A 10,20", "/help"])))
    ran = hive("chat", *SMALL, "--replay", talk)
    assert ran.code == 0
    assert (tmp_path / "out" / "plan-10.plan").is_file() and (tmp_path / "out" / "picture.png").is_file()
    assert json.loads((tmp_path / "my.json").read_text())["plans"][1]["tick"] == 10
    assert "did you mean `/play`?" in ran.err and "no marker" in ran.err and "no number of ticks" in ran.err
    assert "notes.txt is no dialogue" in ran.err and (tmp_path / "notes.txt").read_text() == "mine"
    assert "no marker Q was put" in ran.err and "`\u00b2` is no number" in ran.err
    assert "there is no plan yet" in ran.err and "marker A at (10, 20)" in ran.err


def test_a_wildfire_without_a_model_is_refused_and_leaves_nothing(hive: Hive, tmp_path: Path) -> None:
    words = ("ask", "wildfire/cut_trees_sparse_small", "hold the north")
    ran = hive(*words, "--commander", "words")
    assert ran.code == 2 and "`--commander` cannot be used here" in ran.err and "it is for battles" in ran.err
    ran = hive(*words)
    assert ran.code == 2 and "no rules that read orders in plain words for a wildfire" in ran.err
    assert "--model" in ran.err and "hive run wildfire/cut_trees_sparse_small" in ran.err
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("ask", *SMALL, " "), "the prompt is empty"),
        (("ask", *SMALL, "x", "--order", "soon=y"), "--order"),
        (("ask", *SMALL, "x", "--order", "0=y"), "tick 1 or later"),
        (("ask", *SMALL, "x", "--order", "5=y", "--order", "5=z"), "two orders"),
        (("ask", *SMALL, "x", "--marker", "E=1,2", "--marker", "E=3,4"), "the marker E is set 2 times"),
        (("ask", *SMALL, "x", "--base-url", "http://127.0.0.1:1/v1"), "--model"),
        (("ask", *SMALL, "x", "--replay", "none.jsonl"), "no recording"),
        (("ask", *SMALL, "- hold the line", "--replay", "none.jsonl"), "no recording"),
        (("ask", *SMALL, "-x"), "unrecognized arguments: -x"),
        (("ask", *SMALL, "x", "--plans", "none"), "no folder"),
        (("ask", "cordinate", "x"), "did you mean"),
        (("ask", *SMALL, "ho\udcffld"), "the prompt is not UTF-8"),
        (("ask", *SMALL, "x", "--seed", "1", "--seeds", "2"), "not allowed with"),
        (("chat",), "--resume"),
        (("chat", "--resume", "none.json"), "cannot read"),
    ],
)
def test_wrong_words_get_a_message_and_code_2(hive: Hive, words: tuple[str, ...], says: str) -> None:
    ran = hive(*words)
    assert ran.code == 2 and says in ran.err and "Traceback" not in ran.err
