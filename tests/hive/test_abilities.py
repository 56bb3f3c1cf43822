"""The benchmark: which files are plans for what, and what counts where nothing is played."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import scenarios
from dsl import UserError
from hive.engine.batch.playing import sweep
from hive.engine.batch.result import ENDS, unplayed
from hive.engine.reading import read_plan
from hive.experiments.plots.abilities import save_outcomes, save_scores
from hive.experiments.plots.ability_tables import outcomes_table, plans_table, wins_table
from hive.worlds.battle.abilities import (
    ABILITIES,
    AbilityPlan,
    AbilityTrial,
    Scores,
    collect,
    published_wins,
    run,
    shipped,
)
from hive.worlds.battle.scenario import load_scenario
from hive.worlds.battle.world import Battle, load
from tests.hive.skirmish import LARGE_PLAN, SMALL_PLAN, same_games, skirmish


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Battle:
    return skirmish(tmp_path_factory.mktemp("skirmish"))


@pytest.mark.long
def test_each_entry_gets_the_games_of_its_plan(world: Battle) -> None:
    """Those of plans that cannot be played left out between them."""
    texts = {"a": SMALL_PLAN, "b": "no plan", "c": LARGE_PLAN}
    begun: list[int] = []
    trials = run(
        world,
        [AbilityPlan(ABILITIES[0], name, f"{name}.plan", text) for name, text in texts.items()],
        [3, 8, 4],
        begun.append,
    )
    plans = [read_plan(text, world) for text in (SMALL_PLAN, LARGE_PLAN)]
    for trial, result in zip((trials[0], trials[2]), sweep(world, plans, [3, 8, 4]).results, strict=True):
        same_games(trial.result, result)
    assert trials[1].result.outcomes["no_plan"] == 3 and begun == [6]


def test_what_cannot_be_played_is_counted_and_stops_nothing(world: Battle) -> None:
    """docs/rules/battles.md 4.1: a plan that does not parse or check is invalid, a text without one is no plan."""
    texts = [
        SMALL_PLAN.replace("close", "cloze"),
        "Surely! But first, a question.",
        SMALL_PLAN.replace("all\n", "[99]\n"),
    ]
    entries = [AbilityPlan(ABILITIES[0], str(n), f"{n}.plan", text) for n, text in enumerate(texts)]
    found = run(world, entries, [0, 1, 2], lambda *_: pytest.fail("there is nothing to play"))
    assert [set(trial.result.outcome) for trial in found] == [{"invalid_plan"}, {"no_plan"}, {"invalid_plan"}]
    assert all(len(trial.result.outcome) == 3 and not trial.played and not trial.wins for trial in found)
    assert [trial.findings[0].code for trial in found] == ["plan-behaviour", "plan-empty", "plan-unit-range"]
    assert all(trial.json()["score"]["mean"] is None for trial in found)


def test_every_ability_has_a_scenario_with_its_score_and_a_shipped_plan() -> None:
    """A share for three, metres for the two that share a world.

    Rules: docs/rules/battles.md 4.4 and docs/rules/scenarios.md 2.1.
    """
    kinds = {ability.name: load_scenario(ability.scenario).player.objective.kind for ability in ABILITIES}
    assert {name for name, kind in kinds.items() if kind == "position"} == {"follow_markers", "exploit_terrain"}
    assert len(kinds) == 5 and {ability.scenario for ability in ABILITIES} == set(scenarios.names()) - {
        "burning_wood",
        "duel",
    }
    assert [(e.ability.name, e.plan, e.text) for e in shipped()] == [
        (ability.name, "shipped", scenarios.plan(ability.name)) for ability in ABILITIES
    ]


def test_plans_are_found_in_subfolders_and_by_their_names(tmp_path: Path) -> None:
    names = [
        "coordinate/a.plan", "coordinate/coordinate_b.plan", "coordinate/terrain_wise.plan", "coordinate_c.plan",
        "markers_4o_mini.plan", "exploit_terrain.plan", "terrain/d.plan", "strategic_points_o1.plan",
    ]  # fmt: skip
    others = [
        "coordinate_enemy.plan", "markers_terrain_enemy.plan", "example.plan", "cordinate/e.plan",
        "coordinate_x/f.plan", "coordinates.plan",
    ]  # fmt: skip
    for name in names + others + ["coordinate/notes.txt", "coordinate/deeper/g.plan"]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    found, left = collect(tmp_path)
    assert [(entry.ability.name, entry.plan) for entry in found] == [
        ("coordinate", "a"), ("coordinate", "b"), ("coordinate", "c"), ("coordinate", "terrain_wise"),
        ("follow_markers", "4o_mini"), ("exploit_terrain", "d"), ("exploit_terrain", "plan"),
        ("strategize_points", "o1"),
    ]  # fmt: skip
    assert all(str(tmp_path / entry.text) == entry.file for entry in found)
    assert left == sorted(str(tmp_path / name) for name in others)


def test_the_published_plans_take_their_tests(shared: Path) -> None:
    """All but the prompt's example, under the names of those who wrote them."""
    found, left = collect(shared / "spec" / "plans")
    assert [(entry.ability.name, entry.plan) for entry in found] == [
        ("coordinate", "sonnet"), ("exploit_weakness", "sonnet"), ("follow_markers", "4o_mini"),
        ("exploit_terrain", "4o"), ("strategize_points", "o1_mini"),
    ]  # fmt: skip
    assert [Path(path).name for path in left] == ["example.plan"]


def test_folders_without_a_clear_plan_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="there is no folder"):
        collect(tmp_path / "nowhere")
    (tmp_path / "mine.plan").write_text("")
    with pytest.raises(UserError, match=r"holds no plan for any ability(.|\n)*coordinate/mine.plan"):
        collect(tmp_path)
    for name in ("coordinate_a.plan", "coordinate/a.plan"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    with pytest.raises(UserError, match="two plans of coordinate are called `a`"):
        collect(tmp_path)


def test_a_file_that_is_no_text_is_still_an_entry(tmp_path: Path) -> None:
    """It will be an invalid plan, and stops nothing."""
    (tmp_path / "coordinate.plan").write_bytes(b"Step 0:\xff\xfe")
    assert collect(tmp_path)[0][0].text.startswith("Step 0:")


@pytest.fixture(scope="module")
def scores() -> Scores:
    """Made up: two sets of plans, one of which lacks an ability, loses all units once, and has an invalid plan."""

    def trial(number: int, plan: str, ends: list[str], score: list[float], ticks: int = 200) -> AbilityTrial:
        ability = ABILITIES[number]
        result = unplayed(load(ability.scenario), plan, range(len(ends)), ends[0])
        if score:
            result = replace(result, outcome=tuple(ends), score=np.array(score), ticks=np.full(len(ends), ticks))
        return AbilityTrial(AbilityPlan(ability, plan, f"{plan}.plan", ""), result)

    trials = [
        trial(0, "sonnet", ["win", "win", "lose"], [1.0, 1.0, 0.4]),
        trial(0, "haiku", ["invalid_plan"] * 3, []),
        trial(1, "sonnet", ["win", "timeout", "plan_finished"], [1.0, 0.9, 0.2]),
        trial(2, "sonnet", ["win", "timeout", "lose"], [2.5, 40.5, np.inf]),
        trial(2, "haiku", ["lose"] * 3, [np.inf] * 3),
    ]
    return Scores(tuple(trials), {"coordinate": 1.0})


def test_the_first_table_has_the_form_of_table_i(scores: Scores) -> None:
    """docs/rules/scenarios.md 2.2: a row for each ability, a column for each set of plans, a total."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in wins_table(scores).splitlines()]
    assert rows[0] == ["wins", "sonnet", "haiku"]
    assert rows[2:] == [
        ["Coordinate", "2 of 3", "0 of 3"],
        ["Exploit weakness", "1 of 3", ""],
        ["Follow markers", "1 of 3", "0 of 3"],
        ["Total", "4 of 9", "0 of 6"],
    ]


def test_published_wins_stand_beside_ours(scores: Scores) -> None:
    """docs/rules/scenarios.md 2.2: the totals of Table I, and of the abilities that a table has."""
    published = published_wins()
    assert [sum(wins.values()) for wins in published.values()] == [12, 3, 9, 19, 9, 0]
    assert all(set(wins) == {ability.name for ability in ABILITIES} for wins in published.values())
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in wins_table(scores, published).splitlines()
    ]
    assert rows[0][3] == "4o (published)" and [row[3] for row in rows[2:]] == [
        "0 of 10",
        "0 of 10",
        "9 of 10",
        "9 of 30",
    ]


def test_outcomes_are_counted_by_ability(scores: Scores) -> None:
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in outcomes_table(scores).splitlines()]
    assert rows[0][1:] == [end.replace("_", " ") for end in ENDS]
    assert rows[2] == ["Coordinate", "2", "1", "0", "0", "3", "0"]
    assert scores.outcomes(ABILITIES[1]) == dict.fromkeys(ENDS, 0) | {"win": 1, "timeout": 1, "plan_finished": 1}


def test_one_line_a_plan_names_ability_scenario_plan_and_score(scores: Scores) -> None:
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in plans_table(scores).splitlines()]
    assert rows[0] == ["ability", "scenario", "plan", "games", "wins", "mean score", "mean ticks"]
    assert rows[2] == ["coordinate", "coordinate", "sonnet", "3", "2", "80.0% eliminated", "200"]
    assert rows[3] == ["coordinate", "coordinate", "haiku", "3", "0", "not played", ""]
    assert rows[5][5] == "21.5 m away, no unit left in 1" and rows[6][5] == "no unit left in 3"
    assert len({len(line) for line in plans_table(scores).splitlines()}) == 1, "columns stand in line"


def test_pictures_are_drawn(scores: Scores, tmp_path: Path) -> None:
    """Whatever cannot be placed on an axis, an infinite distance or no game at all, does not stop them."""
    for save, name in ((save_outcomes, "outcomes.png"), (save_scores, "scores.png")):
        for trials in (scores.trials[1:2], scores.trials[-1:], scores.trials):
            save(Scores(trials, {}), tmp_path / name)
            with Image.open(tmp_path / name) as picture:
                assert picture.width > 300
                assert len(picture.convert("RGB").getcolors(1 << 20)) > 50
