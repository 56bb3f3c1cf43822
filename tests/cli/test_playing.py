"""`hive run`: games, outcomes, exit codes, and what a wrong input gets."""

from __future__ import annotations

import signal
import sys
from contextlib import suppress
from pathlib import Path

import pytest

import scenarios
from hive.cli.progress import watching
from hive.kit.keep.runfolder import free_folder
from tests.cli.conftest import BROKEN_CODES, SMALL, Hive

KEYS = ["scenario", "plan", "games", "outcomes", "score", "ticks", "seconds", "results"]
ENDS = {"win", "lose", "timeout", "plan_finished", "invalid_plan", "no_plan"}


def test_the_first_outcome_comes_first_then_the_table_then_the_total(hive: Hive) -> None:
    ran = hive("run", *SMALL, "--seeds", 2)
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert lines[0] == "seed 0: timeout" and lines[1] == ""
    assert lines[2].split() == ["seed", "outcome", "ticks", "score", "player", "enemy"]
    assert [line.split()[:3] for line in lines[3:5]] == [["0", "timeout", "60"], ["1", "timeout", "60"]]
    assert lines[5].startswith("2 games: 2 timeout; score (share of enemies eliminated): mean ")


def test_standard_error_shows_life_and_says_that_ids_are_rescaled(hive: Hive) -> None:
    ran = hive("run", *SMALL, "--seeds", 2)
    lines = ran.err.splitlines()
    assert lines[0] == "plan bounds rescaled from 1000 to 20 player units and from 1000 to 20 enemy units"
    assert lines[1] == "compiling 2 games of 40 units ..." and "playing ..." in lines


def test_json_is_one_object_with_the_documented_keys(hive: Hive) -> None:
    ran = hive("run", *SMALL, "--seeds", 2, "--json")
    found = ran.json
    assert ran.code == 0 and list(found) == [*KEYS, "units", "worlds", "versions"], "it can be filed alone"
    assert found["units"] == {"player": 20, "enemy": 20} and found["worlds"] == ["coordinate-v1"]
    assert {"hive-swarm", "jax", "commit"} <= found["versions"].keys()
    assert (found["scenario"], found["plan"], found["games"]) == ("coordinate", "coordinate", 2)
    assert set(found["outcomes"]) == ENDS and found["outcomes"]["timeout"] == 2
    assert [game["seed"] for game in found["results"]] == [0, 1]
    assert found["ticks"] == {"mean": 60, "min": 60, "max": 60}
    assert "seed 0: timeout" in ran.err.splitlines()


@pytest.mark.long
def test_a_seed_gives_the_game_that_it_gives_among_others(hive: Hive) -> None:
    among = hive("run", *SMALL, "--seeds", 2, "--json").json["results"][1]
    assert hive("run", *SMALL, "--seed", 1, "--json").json["results"] == [among]


def test_rules_reach_the_game(hive: Hive) -> None:
    ran = hive("run", "coordinate", "--units", 20, "--set", "limit=7", "--set", "jitter=0", "--seeds", 2, "--json")
    assert ran.json["ticks"]["max"] == 7


@pytest.mark.parametrize("json", [(), ("--json",)])
def test_a_plan_with_errors_gets_all_of_them(hive: Hive, broken: Path, json: tuple[str, ...]) -> None:
    """And exit code 2; with `--json` the same object as ever, every game an `invalid_plan`."""
    ran = hive("run", "coordinate", "--plan", broken, "--seeds", 4, "--out", "kept", *json)
    assert ran.code == 2
    assert {code for code in BROKEN_CODES if f"error[{code}]" in ran.err} == BROKEN_CODES
    assert ran.err.endswith("\n\nnot played: 5 errors in the plan\n")
    assert not (broken.parent / "kept").exists()
    if not json:
        assert ran.out == ""
        return
    assert list(ran.json) == KEYS and ran.json["games"] == 4
    assert {end: count for end, count in ran.json["outcomes"].items() if count} == {"invalid_plan": 4}
    assert ran.json["score"] == {"is": "share of enemies eliminated", "mean": None, "min": None, "max": None}
    assert ran.json["ticks"] == {"mean": None, "min": None, "max": None}
    assert [game["ticks"] for game in ran.json["results"]] == [None] * 4


@pytest.mark.parametrize("text", ["", "I would rather not write one.\n", "BEGIN PLAN\nEND PLAN\n"])
def test_a_reply_without_a_plan_is_no_plan(hive: Hive, tmp_path: Path, text: str) -> None:
    (tmp_path / "reply.txt").write_text(text)
    ran = hive("run", "coordinate", "--plan", "reply.txt", "--seeds", 3, "--json")
    assert ran.code == 2
    assert {end: count for end, count in ran.json["outcomes"].items() if count} == {"no_plan": 3}
    assert "not played: there is no plan" in ran.err


def test_lenient_lets_the_later_group_have_a_unit(hive: Hive, tmp_path: Path) -> None:
    (tmp_path / "twice.plan").write_text(scenarios.plan("coordinate").replace("units: [100:200]", "units: [0:200]"))
    words = ("run", *SMALL, "--plan", "twice.plan", "--seeds", 2, "--json")
    assert hive(*words).json["outcomes"]["invalid_plan"] == 2
    ran = hive(*words, "--lenient")
    assert ran.code == 0 and "warning[plan-unit-overlap]" in ran.err


SCENARIO = """\
version = 1
title = "Two"
summary = "one against one"
[map]
size = 20
[rules]
limit = 5
[player]
units = [{ type = "archer", count = 1, box = [0.0, 0.0, 0.2, 0.2] }]
[enemy]
units = [{ type = "archer", count = 1, box = [0.8, 0.8, 0.2, 0.2] }]
"""


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["cordinate"], "there is no scenario `cordinate`\n --> cordinate\n  = help: did you mean `coordinate`?"),
        (["missing.toml"], "missing.toml\n"),
        (["two.toml"], "the scenario two has no plan of its own: name one with --plan"),
        (["key.toml"], "--> key.toml:5:1: map.sise\n  5 | sise = 20\n    | ^^^^\n"),
        (["range.toml"], "--> range.toml:9:37: player.units[0].count\n  9 | units = [{ type ="),
        (
            ["skirmish_5v5"],
            "`skirmish_5v5` is a task for learners, and no battle\n  = help: `hive train skirmish_5v5` trains a policy",
        ),
        (["coordinate", "--plan", "missing.plan"], "the plan cannot be read: no such file or directory"),
        (["coordinate", "--seeds", "-3"], "argument --seeds: -3 is out of range, allowed is a whole number from 1 to"),
        (["coordinate", "--seeds", "0"], "argument --seeds: 0 is out of range"),
        (["coordinate", "--seed", "-1"], "argument --seed: -1 is out of range"),
        (["coordinate", "--seed", "1", "--seeds", "2"], "argument --seeds: not allowed with argument --seed"),
        (["coordinate", "--units", "0"], "argument --units: 0 is out of range"),
        (["coordinate", "--set", "limt=5"], "there is no rule `limt`\n  = help: did you mean `limit`?"),
        (["coordinate", "--set", "limit=0"], "0 is out of range\n --> coordinate (overrides): limit"),
        (["coordinate", "--set", "limit=x"], "argument --set: `limit=x` is not of the form RULE=NUMBER"),
        (["coordinate", "--set", "limit=5", "--set", "limit=6"], "the rule `limit` is set twice"),
        (["coordinate", "--out", "two.toml/run"], "cannot create the run folder two.toml/run"),
        (["coordinate", "--out", "two.toml", "--overwrite"], "a file of that name exists"),
        (["coordinate", "--out", "full"], "exists already"),
        (["coordinate", "--out", "full", "--overwrite"], "it is not empty and not a run folder"),
    ],
)
def test_bad_input_is_one_clear_message_and_nothing_is_written(
    hive: Hive, tmp_path: Path, words: list[str], message: str
) -> None:
    """Before anything is compiled or played."""
    (tmp_path / "two.toml").write_text(SCENARIO)
    (tmp_path / "key.toml").write_text(SCENARIO.replace("size", "sise"))
    (tmp_path / "range.toml").write_text(SCENARIO.replace("count = 1,", "count = 0,"))
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine")
    before = sorted(tmp_path.rglob("*"))
    ran = hive("run", *words)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("error") and message in ran.err and "Traceback" not in ran.err
    assert "compiling" not in ran.err
    assert sorted(tmp_path.rglob("*")) == before


def test_a_bar_stands_on_a_terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """What is a result goes to standard output all the same."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    with watching() as watch:
        watch.stage("playing", 100, "tick")
        watch.update(50, "1 of 2 games running")
        watch.say("seed 0: win")
        watch.update(100)
    caught = capsys.readouterr()
    assert caught.out == "seed 0: win\n"
    assert "playing" in caught.err and "1 of 2 games running" in caught.err


def test_a_log_gets_a_line_now_and_then(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("hive.cli.progress.time.monotonic", lambda: now[0])
    with watching() as watch:
        watch.stage("playing", 1000, "tick")
        for tick in range(0, 1000, 100):
            now[0] += 1
            watch.update(tick, "9 of 10 games running")
    lines = capsys.readouterr().err.splitlines()
    assert lines == [
        "playing ...",
        "  tick 400 of 1,000, 9 of 10 games running, 5 s",
        "  tick 900 of 1,000, 9 of 10 games running, 10 s",
    ]


def test_a_folder_without_a_name_is_the_next_free_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    first = free_folder("a-b-0")
    assert first == Path("runs/a-b-0")
    first.mkdir(parents=True)
    assert free_folder("a-b-0") == Path("runs/a-b-0-2")
    assert free_folder("a-b-0", overwrite=True) == first


@pytest.mark.parametrize("terminal", [False, True])
def test_an_interrupt_that_got_lost_comes_back(monkeypatch: pytest.MonkeyPatch, terminal: bool) -> None:
    """Python ignores what is raised in some of JAX's callbacks; the next word of progress raises it again."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt), watching() as watch:
        watch.stage("playing", 100, "tick")
        with suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        watch.update(50)
    assert signal.getsignal(signal.SIGINT) is before


def test_an_empty_name_is_no_plan_of_the_scenario(hive: Hive) -> None:
    """A script whose variable is unset must not play another plan."""
    assert hive("run", *SMALL, "--plan", "").code == 2


def test_a_misspelt_plan_gets_the_nearest_name(hive: Hive) -> None:
    ran = hive("run", *SMALL, "--plan", "coordinat")
    assert ran.code == 2 and "did you mean `coordinate`?" in ran.err


@pytest.mark.parametrize("name", ["my.plan", "folder/late.plan", "coordinate_bad"])
def test_a_plan_in_place_of_the_scenario_is_told_where_it_belongs(hive: Hive, name: str) -> None:
    """The rule: the message says that it is a plan and names `--plan`."""
    ran = hive("run", name)
    assert ran.code == 2 and f"`{name}` is a plan" in ran.err and f"--plan {name}" in ran.err


def test_a_folder_that_exists_is_refused_with_the_option_that_replaces_it(hive: Hive, tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "config.json").write_text("{}")
    ran = hive("run", *SMALL, "--out", "kept")
    assert ran.code == 2 and "--overwrite" in ran.err


def test_a_missing_folder_of_plans_is_called_missing(hive: Hive) -> None:
    ran = hive("sweep", "coordinate", "--plans", "mine/")
    assert ran.code == 2 and "there is no such folder" in ran.err
