"""`hive improve`: what it prints and saves, how an interrupted search resumes, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import dsl
from hive.experiments.search.evolve import FIRST_SEED, Search
from hive.worlds.battle.recording import BattleRecording
from hive.worlds.battle.scenario import load_scenario
from tests.cli.conftest import Hive
from tests.hive.skirmish import skirmish

FLEES = """\
Step 0:
prerequisites: []
objective: elimination all
units: all
- target position: (2, 38)
- behavior: stand
"""
WORDS = ("improve", "flees.plan", "--scenario", "skirmish.toml", "--games", 150, "--test-seeds", 3)
FILES = {
    "config.json", "plan.plan", "before.plan", "generations.jsonl", "generations.csv", "tests.json", "tests.csv",
    "curve.png", "family.md",
    "scenario.toml", "enemy.plan", "recording.npz", "picture.png", "digests.json",
}  # fmt: skip


@pytest.fixture(autouse=True)
def _files(tmp_path: Path) -> None:
    """A small battle, and a plan that flees from it."""
    skirmish(tmp_path)
    (tmp_path / "flees.plan").write_text(FLEES)


def same(one: Path, other: Path) -> None:
    """What two searches found is equal byte for byte."""
    for name in ("plan.plan", "generations.jsonl", "tests.json", "family.md"):
        assert (one / name).read_bytes() == (other / name).read_bytes(), name


@pytest.mark.long
def test_a_search_prints_and_saves_what_it_found_and_a_killed_one_resumes(
    hive: Hive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = hive(*WORDS, "--out", "whole", "--json")
    assert ran.code == 0, ran.err
    whole, found = tmp_path / "whole", ran.json
    assert {path.name for path in whole.iterdir()} == FILES
    assert (found["scenario"], found["plan"], found["units"]) == ("skirmish", "flees", 14)
    assert found["improved"] + "\n" == (whole / "plan.plan").read_text()
    (test,) = found["tests"]
    assert test["units"] == 14 and test["before"]["games"] == test["after"]["games"] == 3
    assert test["after"]["score"]["mean"] > test["before"]["score"]["mean"], "the plan is better"
    assert [game["seed"] for game in test["after"]["results"]] == [0, 1, 2]
    generations = [json.loads(line) for line in (whole / "generations.jsonl").read_text().splitlines()]
    assert generations[-1]["games"] == found["games"] <= 150 and generations[0]["first_seed"] >= FIRST_SEED
    ended = [(game["outcome"], game["ticks"]) for game in test["after"]["results"]]
    recorded = BattleRecording.load(whole / "recording.npz")
    assert (recorded.course.outcome, recorded.tick[-1]) in ended, "a game of the tests is recorded"
    load_scenario(whole / "scenario.toml")

    advance = Search.advance

    def stop(search: Search, *rest: object) -> object:
        if len(search.generations) == 1:
            raise KeyboardInterrupt
        return advance(search, *rest)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(Search, "advance", stop)
        assert hive(*WORDS, "--out", "again").code == 130
    assert not (tmp_path / "again").exists() and (tmp_path / "again.progress").exists()
    other = hive(*WORDS, "--out", "again", "--seed", 1)
    assert other.code == 2 and "belongs to another search: `search` differ" in other.err
    ran = hive(*WORDS, "--out", "again")
    assert "resuming after 1 generation from" in ran.err
    same(whole, tmp_path / "again")
    assert not (tmp_path / "again.progress").exists()
    assert ran.out.startswith("BEGIN PLAN\n") and "won before" in ran.out and "searched: " in ran.out
    dsl.parse_plan(ran.out, "output", load_scenario("skirmish.toml").context(0))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("coordinate_bad", "--games", 0), "0 is out of range"),
        (("coordinate_bad", "--games", 3), "give it 4 games or more"),
        (("flees.plan",), "which scenario is flees.plan for?"),
        (("coordinate_enemy",), "which scenario is coordinate_enemy for?"),
        (("wildfire/scout_fire_small",), "is a wildfire level: `hive improve` takes a plan of a battle"),
        (("flees.plan", "--scenario", "wildfire/scout_fire_small"), "this command is for battles"),
        (("coordinate_bad", "--scenario", "skirmish.toml"), "the team has units 0 to 13"),
        (("nothing.plan", "--scenario", "skirmish.toml"), "the plan cannot be read"),
        (("coordinate_bad", "--test-units", "40,many"), "`many` is not a whole number"),
    ],
)
def test_bad_input_is_refused_before_anything_is_played(
    hive: Hive, tmp_path: Path, words: tuple[object, ...], message: str
) -> None:
    ran = hive("improve", *words, "--out", "kept")
    assert ran.code == 2 and message in ran.err, ran.err
    assert not list(tmp_path.glob("kept*")), "nothing is left behind"
