"""The benchmark: which files are plans for what, batches of plans, and what counts where nothing is played."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import jax
import numpy as np
import pytest
from PIL import Image

import hive
import scenarios
from dsl import UserError
from hive import batch
from hive.abilities import ABILITIES, Entry, Scores, Trial, batches_of, collect, run, shipped
from hive.assembly import World, load, read_plan
from hive.batch import ENDS, Result, join, play, play_many, unplayed
from hive.plan.arrays import pad_plan, stack
from hive.scenario import load_scenario
from hive.types import Plan
from hive.view.ability_plots import save_outcomes, save_scores
from hive.view.ability_tables import outcomes_table, plans_table, wins_table

SKIRMISH = """\
version = 1
title = "Skirmish"
summary = "two lines that meet at once"
[map]
size = 40
shapes = [{ terrain = "water", box = [18, 0, 22, 12] }]
[rules]
limit = 60
[player]
units = [
  { type = "spearmen", count = 8, box = [0.1, 0.3, 0.2, 0.4] },
  { type = "archer", count = 6, box = [0.1, 0.3, 0.2, 0.4] },
]
[enemy]
plan = "enemy.plan"
units = [{ type = "spearmen", count = 12, box = [0.5, 0.3, 0.2, 0.4] }]
"""
SMALL_PLAN = """\
Step 0:
prerequisites: []
objective: elimination all
units: all
- target position: (20, 20)
- behavior: attack_in_close_range
"""
LARGE_PLAN = """\
Step 0:
prerequisites: []
objective: position
units: [0:4]
- target position: (12, 30)
- behavior: follow_map
units: [4:8]
- target position: (12, 10)
- behavior: follow_map
units: [8:14]
- target position: (5, 20)
- behavior: stand

Step 1:
prerequisites: [0]
objective: elimination [0:6]
units: [0:8]
- target position: (20, 20)
- behavior: attack_and_move
units: [8:14]
- target position: (16, 22)
- behavior: attack_in_long_range spearmen

Step 2:
prerequisites: [0]
objective: elimination all
units: all
- target position: (26, 20)
- behavior: attack_in_long_range
"""


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    folder = tmp_path_factory.mktemp("skirmish")
    (folder / "skirmish.toml").write_text(SKIRMISH)
    (folder / "enemy.plan").write_text(SMALL_PLAN)
    return load(folder / "skirmish.toml")


@pytest.fixture(scope="module")
def plans(world: World) -> list[Plan]:
    return [read_plan(SMALL_PLAN, world), read_plan(LARGE_PLAN, world)]


def same(one: Result, other: Result) -> None:
    """Everything but the time it took."""
    assert (one.outcome, one.plan) == (other.outcome, other.plan)
    for name in ("seed", "ticks", "score", "survivors", "achieved"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), strict=True)
    for mine, yours in zip(one.metrics, other.metrics, strict=True):
        jax.tree.map(np.testing.assert_array_equal, mine, yours)


def test_plans_played_together_play_as_they_do_alone(world: World, plans: list[Plan]) -> None:
    """And so does a plan padded to the capacities of another: padding is inert."""
    assert plans[0].tree.shape < plans[1].tree.shape and plans[0].member.shape[0] < plans[1].member.shape[0]
    together = play_many(world, plans, [3, 8], names=["small", "large"])
    for plan, result in zip(plans, together, strict=True):
        same(result, play(world, plan, [3, 8], name=result.plan))
    assert together[0].score.tolist() != together[1].score.tolist() and together[0].score.max() > 0


def test_a_stack_holds_each_target_once_and_every_order(plans: list[Plan]) -> None:
    """Each unit is in the same groups, each with its tree, types, target, pool and step."""
    both = stack(plans)
    known = [tuple(place) for place in np.asarray(both.place).tolist()]
    told = [tuple(place) for plan in plans for place in np.asarray(plan.place).tolist()]
    assert set(known) == set(told) and len(set(known)) == 6

    def orders(plan: Plan, place: np.ndarray) -> list[tuple[int, ...]]:
        unit, found = np.asarray(plan.member), []
        for row, who in zip(*np.nonzero(unit >= 0), strict=True):
            group = unit[row, who]
            numbers = (int(getattr(plan, name)[group]) for name in ("step", "tree", "types", "pool"))
            found.append((int(who), *numbers, *map(int, place[plan.target[group]])))
        return sorted(found)

    for number, plan in enumerate(plans):
        own = jax.tree.map(lambda leaf, n=number: leaf[n], both.replace(place=both.target))
        assert orders(own, np.asarray(both.place)) == orders(plan, np.asarray(plan.place))
        assert int(own.exists.sum()) == int(plan.exists.sum())


def test_padding_to_the_same_capacities_changes_nothing(plans: list[Plan]) -> None:
    for plan in plans:
        again = pad_plan(plan, plan.exists.shape[0], plan.tree.shape[0], plan.member.shape[0], plan.place.shape[0])
        jax.tree.map(np.testing.assert_array_equal, again, plan)


def test_nothing_to_play_is_refused(world: World, plans: list[Plan]) -> None:
    with pytest.raises(ValueError, match="at least one plan and one seed"):
        play_many(world, [], [0])
    with pytest.raises(ValueError, match="at least one plan and one seed"):
        play_many(world, plans, [])


@pytest.mark.parametrize(
    ("plans", "seeds", "units"), [(1, 10, 2000), (3, 10, 60_000), (5, 7, 400_000), (2, 3, 10**7), (40, 100, 1500)]
)
def test_batches_hold_every_game_once_and_are_no_larger_than_stated(plans: int, seeds: int, units: int) -> None:
    seen = []
    for some, which in batches_of(plans, seeds, units):
        games = [(plan, seed) for plan in range(plans)[some] for seed in range(seeds)[which]]
        assert games and (len(games) == 1 or len(games) * units <= batch.MOST_AT_ONCE)
        seen += games
    assert sorted(seen) == [(plan, seed) for plan in range(plans) for seed in range(seeds)]


def test_batches_make_no_difference(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is told, and the games; each batch here is one game, of the same shape as the next."""
    entries = [Entry(ABILITIES[0], "a", "a.plan", SMALL_PLAN), Entry(ABILITIES[0], "b", "b.plan", SMALL_PLAN)]
    told: list[tuple[int, ...]] = []
    monkeypatch.setattr(batch, "MOST_AT_ONCE", 30)
    parts = run(world, entries, [3, 8], lambda *numbers: told.append(numbers))
    assert told == [(number, 4, 1) for number in (1, 2, 3, 4)]
    whole = play(world, read_plan(SMALL_PLAN, world), [3, 8])
    for trial in parts:
        same(replace(trial.result, plan=""), whole)


def test_what_cannot_be_played_is_counted_and_stops_nothing(world: World) -> None:
    """Sheet 7: a plan that does not parse or check is invalid, a text without one is no plan."""
    texts = [
        SMALL_PLAN.replace("close", "cloze"),
        "Surely! But first, a question.",
        SMALL_PLAN.replace("all\n", "[99]\n"),
    ]
    entries = [Entry(ABILITIES[0], str(n), f"{n}.plan", text) for n, text in enumerate(texts)]
    found = run(world, entries, [0, 1, 2], lambda *_: pytest.fail("there is nothing to play"))
    assert [set(trial.result.outcome) for trial in found] == [{"invalid_plan"}, {"no_plan"}, {"invalid_plan"}]
    assert all(len(trial.result.outcome) == 3 and not trial.played and not trial.wins for trial in found)
    assert [trial.findings[0].code for trial in found] == ["plan-behaviour", "plan-empty", "plan-unit-range"]
    assert all(trial.json()["score"]["mean"] is None for trial in found)


def test_every_ability_has_a_scenario_with_its_score_and_a_shipped_plan() -> None:
    """Sheet 7, 8.1: a share for three, metres for the two that share a world."""
    kinds = {ability.name: load_scenario(ability.scenario).player.objective.kind for ability in ABILITIES}
    assert {name for name, kind in kinds.items() if kind == "position"} == {"follow_markers", "exploit_terrain"}
    assert len(kinds) == 5 and {ability.scenario for ability in ABILITIES} == set(scenarios.names())
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
    """Made up: two sets of plans, one of which lacks an ability, loses everybody once, and has an invalid plan."""

    def trial(number: int, plan: str, ends: list[str], score: list[float], ticks: int = 200) -> Trial:
        ability = ABILITIES[number]
        result = unplayed(load(ability.scenario), plan, range(len(ends)), ends[0])
        if score:
            result = replace(result, outcome=tuple(ends), score=np.array(score), ticks=np.full(len(ends), ticks))
        return Trial(Entry(ability, plan, f"{plan}.plan", ""), result)

    trials = [
        trial(0, "sonnet", ["win", "win", "lose"], [1.0, 1.0, 0.4]),
        trial(0, "haiku", ["invalid_plan"] * 3, []),
        trial(1, "sonnet", ["win", "timeout", "plan_finished"], [1.0, 0.9, 0.2]),
        trial(2, "sonnet", ["win", "timeout", "lose"], [2.5, 40.5, np.inf]),
        trial(2, "haiku", ["lose"] * 3, [np.inf] * 3),
    ]
    return Scores(tuple(trials), {"coordinate": 1.0})


def test_the_first_table_has_the_form_of_table_i(scores: Scores) -> None:
    """Sheet 10: a row for each ability, a column for each set of plans, a total."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in wins_table(scores).splitlines()]
    assert rows[0] == ["wins", "sonnet", "haiku"]
    assert rows[2:] == [
        ["Coordinate", "2 of 3", "0 of 3"],
        ["Exploit weakness", "1 of 3", ""],
        ["Follow markers", "1 of 3", "0 of 3"],
        ["Total", "4 of 9", "0 of 6"],
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
    assert rows[5][5] == "21.5 m away, nobody left in 1" and rows[6][5] == "nobody left in 3"
    assert len({len(line) for line in plans_table(scores).splitlines()}) == 1, "columns stand in line"


def test_pictures_are_drawn(scores: Scores, tmp_path: Path) -> None:
    """Whatever cannot be placed on an axis, an infinite distance or no game at all, does not stop them."""
    for save, name in ((save_outcomes, "outcomes.png"), (save_scores, "scores.png")):
        for trials in (scores.trials[1:2], scores.trials[-1:], scores.trials):
            save(Scores(trials, {}), tmp_path / name)
            with Image.open(tmp_path / name) as picture:
                assert picture.width > 300
                assert len(picture.convert("RGB").getcolors(1 << 20)) > 50


def test_results_join_in_order() -> None:
    world = load("coordinate", units=10)
    parts = [unplayed(world, "p", [0, 1], "no_plan"), unplayed(world, "p", [2], "invalid_plan")]
    joined = join(parts)
    assert joined.seed.tolist() == [0, 1, 2] and joined.outcome == ("no_plan", "no_plan", "invalid_plan")
    assert joined.survivors.shape == (3, 2, 6)


def test_seeds_and_plans_that_do_not_fit_are_refused() -> None:
    small, large = hive.load("coordinate", units=20, limit=5), hive.load("coordinate", units=24, limit=5)
    plan = hive.read_plan("coordinate", small)
    for seeds in ([], [-1], [2**32], [1.5]):
        with pytest.raises(ValueError, match="seed"):
            hive.play(small, plan, seeds)
    with pytest.raises(ValueError, match="another number of units"):
        hive.play(large, plan, [0])


def test_more_games_than_fit_are_played_in_several_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """And come to the same as in one."""
    small = hive.load("coordinate", units=20, limit=30)
    plan = hive.read_plan("coordinate", small)
    whole = hive.play(small, plan, range(3))
    monkeypatch.setattr(batch, "MOST_AT_ONCE", 2 * small.params.count)
    parts = hive.play(small, plan, range(3))
    np.testing.assert_array_equal(parts.ticks, whole.ticks)
    np.testing.assert_array_equal(parts.score, whole.score)
    assert parts.outcome == whole.outcome and len(parts.metrics) == 3
