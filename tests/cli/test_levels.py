"""`hive run wildfire/LEVEL`: games of a level, what is printed and kept of them, and what a wrong input gets."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
from PIL import Image

import dsl
from dsl import UserError
from hive.cli import main
from hive.cli.games.all_levels import competency_of
from hive.kit.team_world import TeamWorld
from hive.players import varied
from hive.worlds.wildfire import running
from hive.worlds.wildfire.commanders.nothing import Nothing
from hive.worlds.wildfire.games import Played
from hive.worlds.wildfire.host import Levels
from hive.worlds.wildfire.levels import Level, levels
from hive.worlds.wildfire.recording import FireRecording
from hive.worlds.wildfire.reports import Commander
from hive.worlds.wildfire.world import Fireground
from tests.cli.conftest import Hive

LEVEL = "wildfire/suppress_contain"
SHORT = (LEVEL, "--plan", "stand.plan", "--set", "limit=11", "--seeds", 2)
STAND = "BEGIN PLAN\nStep 0:\nprerequisites: []\nobjective: extinguish\nunits: all\n" \
        "- target position: (1, 1)\n- behavior: stand\nEND PLAN\n"  # fmt: skip
BAD = STAND.replace("(1, 1)", "(60, 1)").replace("stand", "attack_and_move")


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run folder of two short games."""
    folder = tmp_path_factory.mktemp("level")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        Path("stand.plan").write_text(STAND)
        assert main([*map(str, ("run", *SHORT, "--out", "kept", "--json"))]) == 0
    return folder / "kept"


@pytest.mark.slow
def test_a_run_folder_holds_what_is_promised(kept: Path) -> None:
    files = {str(path.relative_to(kept)) for path in kept.rglob("*") if path.is_file()}
    plans = {"plan.plan", "plans/0/0.plan", "plans/1/0.plan"}
    pictures = {"picture.png", "front.png", "recording.npz"}
    assert files == {"config.json", "digests.json", "outcome.json", "outcome.csv", "metrics.jsonl", *plans, *pictures}
    assert {(kept / name).read_text() for name in plans} == {STAND}
    config = json.loads((kept / "config.json").read_text())
    assert config["seeds"] == {"suppress_contain": [0, 1]} and "jax" in config["versions"]
    lines = [json.loads(line) for line in (kept / "metrics.jsonl").read_text().splitlines()]
    assert [(line["seed"], line["tick"]) for line in lines] == [(seed, tick) for seed in (0, 1) for tick in range(12)]
    outcome = json.loads((kept / "outcome.json").read_text())
    assert [line["score"] for line in lines if line["tick"] == 11] == outcome["scores"]
    recording = FireRecording.load(kept / "recording.npz")
    assert recording.score.tolist() == [line["score"] for line in lines if line["seed"] == 0]
    with Image.open(kept / "picture.png") as picture:
        assert picture.width > 600


@pytest.mark.long
def test_the_kept_command_gives_the_same_games(hive: Hive, kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run is decided by its seeds and what config.json holds; keeping it changes nothing."""
    again = json.loads((kept / "config.json").read_text())["again"]
    assert again.startswith("in this folder: hive run wildfire/suppress_contain --seeds 2 --plan plan.plan ")
    monkeypatch.chdir(kept)
    found = hive(*again.partition("hive ")[2].split(), "--json").json
    before = json.loads((kept / "outcome.json").read_text())
    assert found.pop("seconds") > 0 and before.pop("seconds") > 0
    assert found == before
    assert found["outcomes"] == ["timeout"] * 2 and found["ticks"] == [11, 11]
    assert found["scores"] == [-lost["trees"] - 10 * lost["buildings"] for lost in found["losses"]]
    assert found["mean"] == np.mean(found["scores"]) < 0
    assert found["deviation"] == pytest.approx(np.std(found["scores"], ddof=1))


@pytest.mark.slow
def test_the_first_game_is_replayed(hive: Hive, kept: Path) -> None:
    ran = hive("replay", kept, "--page", "page.html")
    assert ran.code == 0 and Path("page.html").stat().st_size > 10_000
    assert "--every is for battles" in hive("replay", kept, "--every", 2).err


Seen = list[tuple[Fireground, Commander]]


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> Iterator[Seen]:
    """Games that are not played: what would have been, and by whom."""
    found: Seen = []

    def play(world: Fireground, commander: Commander, **_: object) -> Played:
        found.append((world, commander))
        score = -len(found) if world.site.level.best == 0 else len(found)
        losses = dict.fromkeys(("trees", "buildings", "civilians", "firefighters", "bulldozers"), 0)
        return Played(
            world=world, score=score, scores=np.array([score]), losses=losses, outcome="timeout", ticks=0,
            plans=((0, STAND),),
        )  # fmt: skip

    monkeypatch.setattr(running, "play_level", play)
    yield found


def test_the_published_seeds_are_played_and_compared_with_the_published_teams(hive: Hive, seen: Seen) -> None:
    ran = hive("run", "wildfire/scout_fire_large", "--seeds", "published", "--commander", "nothing")
    assert ran.code == 0 and all(isinstance(commander, Nothing) for _, commander in seen)
    assert tuple(world.site.seed for world, _ in seen) == levels()["scout_fire_large"].seeds
    assert re.search(r"^Do Nothing  3\.00 +1\.58  5 seeds, the published ones$", ran.out, re.MULTILINE)
    assert re.search(r"^CAMON +0\.00 +0\.00  published$", ran.out, re.MULTILINE)
    assert "published" not in hive("run", "wildfire/scout_fire_large", "--set", "limit=9").out, "other rules"


def test_all_levels_are_an_object_a_line_that_competency_reads(hive: Hive, seen: Seen, tmp_path: Path) -> None:
    ran = hive("run", "wildfire/all", "--commander", "nothing", "--json")
    found = [json.loads(line) for line in ran.out.splitlines()]
    assert [each["level"] for each in found] == list(levels())
    assert {each["method"] for each in found} == {"Do Nothing"}
    assert [each["seeds"] for each in found] == [[level.seeds[0]] for level in levels().values()]
    best = {"scores": [0], "mean": 0}  # the stub's scores are beyond what some levels can reach
    (tmp_path / "all.jsonl").write_text("\n".join(json.dumps(each | best) for each in found))
    (nothing,) = hive("competency", "all.jsonl", "--json").json["methods"]
    assert len(nothing["levels"]) == 17


def test_numbers_of_a_level_are_set(hive: Hive, seen: Seen) -> None:
    words = ("--set", "firefighters=9", "--set", "size=40", "--set", "chance=2.5", "--set", "burnt_kills=0")
    found = hive("run", LEVEL, *words, "--seed", 5, "--commander", "nothing", "--method", "My own", "--json").json
    ((world, _),) = seen
    assert (world.site.level.firefighters, world.site.level.size, world.site.seed) == (9, 40, 5)
    assert world.chance == 2.5 and world.burnt_kills is False
    assert found["method"] == "My own" and found["changes"]["chance"] == 2.5 and found["deviation"] is None


def test_a_commander_does_not_get_the_seeds(hive: Hive, seen: Seen, monkeypatch: pytest.MonkeyPatch) -> None:
    """From a seed it could generate the map."""
    told: list[Level] = []
    monkeypatch.setattr(running, "commander_for", lambda level, name: told.append(level) or Nothing())
    assert hive("run", LEVEL, "--commander", "nothing").code == 0
    assert told and all(level.seeds == () and level.id in LEVEL for level in told)


def test_the_rules_of_the_published_runs_are_played_and_kept(hive: Hive, seen: Seen, tmp_path: Path) -> None:
    ran = hive("run", LEVEL, "--rules", "published", "--seed", 5, "--commander", "nothing", "--json", "--out", "kept")
    ((world, _),) = seen
    assert world.site.level.rules == ran.json["rules"] == "published"
    again = json.loads((tmp_path / "kept" / "config.json").read_text())["again"]
    assert "--rules published" in again


@pytest.mark.slow
def test_several_levels_are_kept_in_folders_of_their_names(
    hive: Hive, seen: Seen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    two = {name: levels()[name] for name in ("cut_trees_lines_small", "rescue_known_small")}
    monkeypatch.setattr(running, "levels", lambda: two)
    assert hive("run", "wildfire/all", "--commander", "nothing", "--out", "kept").code == 0
    files = {str(path.relative_to(tmp_path / "kept")) for path in (tmp_path / "kept").rglob("*") if path.is_file()}
    assert {"config.json", "outcome.jsonl", *(f"{name}/picture.png" for name in two)} <= files
    assert f"rescue_known_small/plans/{two['rescue_known_small'].seeds[0]}/0.plan" in files


def test_games_of_a_bad_plan_have_no_ticks(hive: Hive, seen: Seen, tmp_path: Path) -> None:
    (tmp_path / "bad.plan").write_text(BAD)
    ran = hive("run", LEVEL, "--plan", "bad.plan", "--seed", 3, "--json")
    assert (ran.code, seen) == (2, [])
    assert (ran.json["outcomes"], ran.json["ticks"]) == (["invalid_plan"], [None])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["wildfire/supress_contain"],
            "no wildfire level `supress_contain`\n  = help: did you mean `suppress_contain`?",
        ),
        (["suppress_contain"], "did you mean `wildfire/suppress_contain`?"),
        ([LEVEL, "--seed", "100000000"], "a wildfire map's seed is 0 to 99,999,996, not 100,000,000"),
        ([LEVEL, "--seeds", "publshed"], "argument --seeds: `publshed` is not a whole number"),
        ([LEVEL, "--set", "size=5"], "`size` of a wildfire level is a whole number from 20 to 4,096, not 5"),
        ([LEVEL, "--set", "sise=5"], "there is no level number `sise`\n  = help: did you mean `size`?"),
        ([LEVEL, "--set", "limit=inf"], "argument --set: `limit=inf` is not of the form"),
        ([LEVEL, "--set", "burnt_kills=2"], "`burnt_kills` is 0 or 1, not 2"),
        ([LEVEL, "--units", "9", "--lenient"], "`--units` and `--lenient` cannot be used here"),
        ([LEVEL, "--swap", "5=x"], "`--swap` cannot be used here: a commander writes the plans"),
        (
            [LEVEL, "--plan", "stand.plan", "--swap", "5=stand.plan"],
            "the plan for tick 5 is the one that the crew follows already",
        ),
        ([LEVEL, "--commander", "scrpted"], "there is no commander `scrpted`\n  = help: did you mean `scripted`?"),
        ([LEVEL, "--commander", "nothing", "--plan", "x"], "leave out --plan or --commander"),
        (["wildfire/all", "--plan", "x"], "a plan is written for one level"),
        ([LEVEL, "--plan", "bad.plan", "--out", "kept"], "error[plan-coordinate]: x is 60, but the map ends at 59"),
        ([LEVEL, "--plan", "bad.plan"], "\n\nnot played: 2 errors in the plan\n"),
        ([LEVEL, "--method", " "], "argument --method: its value is empty"),
        (["coordinate", "--commander", "nothing"], "`--commander` cannot be used here: coordinate is a battle"),
        (["coordinate", "--rules", "published"], "`--rules` cannot be used here: coordinate is a battle"),
        (
            [LEVEL, "--rules", "publshed"],
            "there are no rules `publshed` of a wildfire level\n  = help: did you mean",
        ),
        (["coordinate", "--seeds", "published"], "only wildfire levels have published seeds"),
    ],
)
def test_bad_input_is_one_clear_message_and_nothing_is_played(
    hive: Hive, seen: Seen, tmp_path: Path, words: list[str], message: str
) -> None:
    (tmp_path / "bad.plan").write_text(BAD)
    (tmp_path / "stand.plan").write_text(STAND)
    ran = hive("run", *words)
    assert (ran.code, ran.out, seen) == (2, "", [])
    assert ran.err.startswith("error") and message in ran.err
    assert {path.name for path in tmp_path.iterdir()} == {"bad.plan", "stand.plan"}


def test_later_plans_are_followed_from_their_ticks(hive: Hive, seen: Seen, tmp_path: Path) -> None:
    """In a level too; `--swap` ticks are moments at which the commander is asked."""
    (tmp_path / "stand.plan").write_text(STAND)
    (tmp_path / "other.plan").write_text(STAND.replace("(1, 1)", "(2, 2)"))
    ran = hive("run", LEVEL, "--plan", "stand.plan", "--swap", "10=other.plan", "--swap", "12=stand.plan", "--json")
    assert ran.json["method"] == "stand, then other at 10, then stand at 12"
    ((_, commander),) = seen
    texts = [commander.plan(Mock(tick=tick)) for tick in (0, 9, 10, 11, 12)]
    assert ["(2, 2)" in text for text in texts] == [False, False, True, True, False] and commander.every == 1


def test_a_wrong_plan_of_a_commander_is_our_fault(hive: Hive, monkeypatch: pytest.MonkeyPatch) -> None:
    """A traceback and exit code 1: there is nothing that the user could mend."""

    def play(world: Fireground, commander: Commander, **_: object) -> Played:
        raise dsl.DslError(dsl.check_plan(BAD, "<plan>", world.context()).diagnostics)

    monkeypatch.setattr(running, "play_level", play)
    with pytest.raises(RuntimeError, match="Do Nothing wrote a plan with errors, on seed 733"):
        hive("run", LEVEL, "--commander", "nothing")


@pytest.mark.parametrize("command", [("sweep",), ("explain", "--unit", "0", "--tick", "1")])
def test_commands_for_battles_say_so(hive: Hive, command: tuple[str, ...]) -> None:
    ran = hive(*command, LEVEL)
    assert ran.code == 2 and f"error: {LEVEL} is a wildfire level, and this command is for battles" in ran.err


def test_a_plan_is_checked_against_a_level(hive: Hive, tmp_path: Path) -> None:
    (tmp_path / "bad.plan").write_text(BAD)
    (tmp_path / "stand.plan").write_text(STAND)
    report = hive("check", "bad.plan", "--scenario", LEVEL, "--json")
    assert report.code == 2
    assert [found["code"] for found in report.json["diagnostics"]] == ["plan-coordinate", "plan-behaviour"]
    assert "checked for a crew of 6" in hive("check", "stand.plan", "--scenario", LEVEL).out
    assert "is a wildfire level" in hive("check", "stand.plan", "--scenario", LEVEL, "--side", "enemy").err


def test_a_level_is_described_as_its_crew_sees_it(hive: Hive) -> None:
    """On the map of the first published seed, where nothing else is said."""
    words = hive("describe", "wildfire/cut_trees_lines_small", "--json").json
    assert (words["scenario"], words["seed"], words["tick"]) == ("wildfire/cut_trees_lines_small", 9259, 0)
    assert "Fell every tree on these lines of 5 cells" in words["system"]
    rows = words["state"].partition("all else is unseen.\n")[2].splitlines()
    assert len(rows) == 11 and all(row.count(",") == 11 for row in rows), "5 cells to each side of a firefighter"


@pytest.mark.long
def test_all_levels_by_players_end_in_one_table_of_competency(
    hive: Hive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Do Nothing joins them, a run that broke off resumes, and `hive competency` reads the folder."""
    two = ["wildfire/scout_fire_small", "wildfire/cut_trees_sparse_small"]  # short games of few agents
    monkeypatch.setattr(Levels, "members", lambda self, name: two)
    words = ("run", "wildfire/all", "--player", "team:camon", "--seeds", "1", "--out", "kept")
    play, played = varied.play_team_run, []

    def broken(world: TeamWorld, *rest: Any, **more: Any) -> Any:
        played.append(world.identity()["levels"][0])
        if len(played) == 2:
            raise UserError("broken off")
        return play(world, *rest, **more)

    monkeypatch.setattr(varied, "play_team_run", broken)
    assert "broken off" in hive(*words).err and (tmp_path / "kept.progress").exists()
    ran = hive(*words)
    assert ran.code == 0 and played == [*two, *two], ran.err
    assert "note: `team:nothing` plays too" in ran.err
    assert re.search(r"^mean score ± deviation +games +camon +nothing$", ran.out, re.MULTILINE)
    assert re.search(r"^OP Objective Prioritization +- +0 of +1 +- +0 of +1$", ran.out, re.MULTILINE)
    kept = tmp_path / "kept"
    files = {"competency.txt", "competency.json", "behaviours.csv", "levels.csv", "levels.png", "behaviours.png"}
    assert files <= {path.name for path in kept.iterdir()} and (kept / "wildfire-scout_fire_small/result.json").exists()
    config = json.loads((kept / "config.json").read_text())
    assert config["seeds"] == {name: [0] for name in two}
    found = hive("competency", "kept/scores.jsonl", "--json").json
    assert found == json.loads((kept / "competency.json").read_text())
    assert [each["method"] for each in found["methods"]] == ["CAMON, scripted speaker", "Do Nothing"]


def test_changed_levels_have_no_competency_and_one_setting_is_not_varied_over_all(hive: Hive) -> None:
    class Changed:
        def scores(self) -> list[dict[str, Any]]:
            return [{"changes": {"limit": 3}}]

    run: Any = Changed()
    assert "There is no competency" in competency_of(run)["competency.txt"]  # type: ignore[operator]
    ran = hive("run", "wildfire/all", "--player", "team", "--vary", "limit=2,3")
    assert ran.code == 2 and "--vary cannot be used with wildfire/all" in ran.err
