"""`hive abilities`: plans of a folder in their tests, what is printed, and what is kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image

import scenarios
from hive.cli.measuring import abilities
from tests.cli.conftest import BROKEN, Hive

SMALL = ("--units", 20, "--set", "limit=60", "--seeds", 2)  # shares its program with the tests of `hive run`
KEYS = ["seeds", "units", "rules", "abilities", "seconds"]
ABILITY_KEYS = ["ability", "title", "scenario", "games", "outcomes", "plans"]
PLAN_KEYS = ["plan", "file", "wins", "games", "outcomes", "score", "ticks", "results", "diagnostics"]
NAMES = ["config.json", "abilities.json", "abilities.csv", "table.md", "outcomes.png", "scores.png", "digests.json"]


@pytest.fixture
def plans(tmp_path: Path) -> Path:
    """One good plan, one with errors, one reply without a plan, and a file that is for no ability."""
    folder = tmp_path / "plans"
    (folder / "coordinate").mkdir(parents=True)
    (folder / "coordinate" / "good.plan").write_text(scenarios.plan("coordinate"))
    (folder / "coordinate_broken.plan").write_text(BROKEN)
    (folder / "terrain_silent.plan").write_text("I would rather ask you something first.")
    (folder / "example.plan").write_text(scenarios.plan("coordinate"))
    return folder


@pytest.mark.slow
def test_json_is_one_object_with_all_games(hive: Hive, plans: Path) -> None:
    """A plan with errors and a file without a plan are counted, and stop nothing."""
    ran = hive("abilities", "--plans", "plans", *SMALL, "--json")
    assert ran.code == 0 and list(ran.json) == KEYS
    assert (ran.json["seeds"], ran.json["units"], ran.json["rules"]) == (2, 20, {"limit": 60})
    coordinate, terrain = ran.json["abilities"]
    assert list(coordinate) == list(terrain) == ABILITY_KEYS
    assert (coordinate["ability"], coordinate["scenario"]) == ("coordinate", "coordinate")
    assert (terrain["ability"], terrain["scenario"]) == ("exploit_terrain", "markers_terrain")
    assert [(plan["plan"], plan["wins"], plan["games"]) for plan in coordinate["plans"]] == [
        ("broken", 0, 2), ("good", 0, 2),
    ]  # fmt: skip
    assert {end: count for end, count in coordinate["outcomes"].items() if count} == {"invalid_plan": 2, "timeout": 2}
    assert {end: count for end, count in terrain["outcomes"].items() if count} == {"no_plan": 2}
    broken, good = coordinate["plans"]
    assert list(broken) == list(good) == PLAN_KEYS
    assert len(broken["diagnostics"]) == 5 and good["diagnostics"] == []
    assert good["score"]["is"] == "share of enemies eliminated" and good["score"]["mean"] == 0
    assert broken["score"]["mean"] is None and broken["ticks"]["mean"] is None
    assert [game["ticks"] for game in broken["results"]] == [None, None]
    assert terrain["plans"][0]["score"]["is"] == "metres from the objective, lower is better"
    assert set(ran.json["seconds"]) == {"coordinate", "markers_terrain"}


@pytest.mark.slow
def test_the_games_are_those_of_hive_run(hive: Hive, plans: Path) -> None:
    found = hive("abilities", "--plans", "plans", *SMALL, "--json").json["abilities"][0]["plans"][1]["results"]
    ran = hive("run", "coordinate", *SMALL, "--out", "alone", "--json")  # kept: a program of `hive run`
    alone = ran.json["results"]  # which also say why games ended
    assert found == [{key: game[key] for key in found[0]} for game in alone]


@pytest.mark.slow
def test_standard_error_says_what_happens(hive: Hive, plans: Path) -> None:
    ran = hive("abilities", "--plans", "plans", *SMALL)
    lines = ran.err.splitlines()
    assert f"left out {Path('plans/example.plan')}: it is not a player's plan for an ability" in lines
    assert "coordinate: 2 plans, 2 seeds" in lines and "playing 2 games of 40 units ..." in lines
    assert "plan bounds rescaled from 1000 to 20 player units and from 1000 to 20 enemy units" in lines
    assert f"not played: {Path('plans/coordinate_broken.plan')} contains an invalid plan" in lines
    assert f"not played: {Path('plans/terrain_silent.plan')} contains no plan" in lines
    assert ran.err.count("error[plan-") == 6, "each with its diagnostics"


@pytest.mark.slow
def test_three_tables_are_printed(hive: Hive, plans: Path) -> None:
    """The paper's Table I, how the games ended, and one line a plan."""
    ran = hive("abilities", "--plans", "plans", *SMALL)
    heads = [part.splitlines()[0].split("|")[1].strip() for part in ran.out.split("\n\n")]
    assert ran.code == 0 and heads == ["wins", "games that ended with", "ability"]
    assert "| exploit_terrain | markers_terrain | silent |     2 |    0 |" in ran.out


def test_a_folder_is_kept_and_plays_again(
    hive: Hive, plans: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = hive("abilities", "--plans", "plans", *SMALL, "--out", "kept", "--json")
    kept = tmp_path / "kept"
    assert ran.code == 0 and ran.err.splitlines()[-1] == f"wrote kept: {', '.join(NAMES)}, and the plans"
    assert {path.name for path in kept.iterdir()} == {*NAMES, "plans"}
    assert json.loads((kept / "abilities.json").read_text()) == ran.json
    config = json.loads((kept / "config.json").read_text())
    assert config["command"].startswith("hive abilities --plans plans --units 20") and "jax" in config["versions"]
    table = (kept / "table.md").read_text()
    assert "| ability         | scenario        | plan   | games | wins |" in table and "| Total " in table
    for name in ("outcomes.png", "scores.png"):
        with Image.open(kept / name) as picture:
            assert picture.width > 600
    monkeypatch.chdir(kept)
    again = hive(*config["again"].partition(": hive ")[2].split(), "--json").json

    def games(found: dict[str, list[dict[str, object]]]) -> list[object]:
        return [(a["ability"], p["plan"], p["results"]) for a in found["abilities"] for p in a["plans"]]

    assert games(again) == games(ran.json)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--plans", "nowhere"], "there is no folder nowhere"),
        (["--plans", "."], "holds no plan for any ability\n  = help: abilities are coordinate, exploit_weakness, "),
        (["--seeds", "0"], "argument --seeds: 0 is out of range"),
        (["--set", "limt=5"], "there is no rule `limt`"),
        (["--units", "1"], "--> coordinate (overrides): units"),
        (["--out", "plans"], "exists already"),
        (["--plan", "plans"], "did you mean `--plans`?"),
    ],
)
def test_bad_input_is_one_message_and_nothing_is_played(
    hive: Hive, plans: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], message: str
) -> None:
    monkeypatch.setattr(abilities, "_play", lambda *_: pytest.fail("played before everything was known to be right"))
    ran = hive("abilities", *words)
    assert (ran.code, ran.out) == (2, "") and message in ran.err
