"""Every shipped file loads and checks clean, and the published trees are the published ones (docs/rules/trees.md 6)."""

from __future__ import annotations

from pathlib import Path

import pytest

import scenarios
from dsl import Elimination, PlanContext, PlanSyntax, format_plan, format_tree, parse_plan, parse_tree
from dsl.vocabulary import CREW_BEHAVIOURS
from hive.engine.plan.rescale import rescale_plan
from hive.worlds.battle.scenario import Scenario, Side, load_scenario

PUBLISHED = {
    "attack_in_long_range": "F(S(C(in_reach foe me_from_them high any) :: A(move away_from closest foe any)) "
    ":: A(attack random any) :: A(follow_map toward))",
    "attack_in_close_range": "F(A(attack random any) :: A(move toward closest foe any) :: A(follow_map toward))",
    "attack_and_move": "F(A(attack random any) :: A(follow_map toward low) :: A(move toward closest foe any))",
    "follow_map": "A(follow_map toward)",
    "stand": "A(stand)",
    "guard_in_long_range": "F(S(C(is_in_forest) :: A(follow_map toward)) :: S(C(in_reach foe me_from_them high any) "
    ":: A(move away_from closest foe any)) :: A(attack closest any))",
    "guard_in_close_range": "F(S(C(is_in_forest) :: A(follow_map toward)) :: A(attack closest any) "
    ":: A(move toward closest foe any))",
}

ABILITIES = {  # ability, which names its plan, to scenario
    "coordinate": "coordinate",
    "exploit_weakness": "exploit_weakness",
    "follow_markers": "markers_terrain",
    "exploit_terrain": "markers_terrain",
    "strategize_points": "strategize_points",
    "burning_wood": "burning_wood",  # no ability of HIVE's: ours
    "duel": "duel",  # ours
}
PUBLISHED_PLANS = {
    "coordinate_sonnet": "coordinate",
    "exploit_weakness_sonnet": "exploit_weakness",
    "markers_4o_mini": "markers_terrain",
    "terrain_4o": "markers_terrain",
    "strategic_points_o1_mini": "strategize_points",
}


def sides(scenario: Scenario) -> tuple[tuple[Side, Side], tuple[Side, Side]]:
    """Each side with its foe."""
    return (scenario.player, scenario.enemy), (scenario.enemy, scenario.player)


def context(side: Side, foe: Side, size: int) -> PlanContext:
    return PlanContext(behaviours=side.behaviours, team_size=side.count, foe_size=foe.count, map_size=size)


def read_plan(name: str, where: PlanContext) -> PlanSyntax:
    return parse_plan(scenarios.plan(name), f"{name}.plan", where)


@pytest.mark.parametrize("name", PUBLISHED)
def test_trees_are_the_published_ones_in_canonical_layout(name: str) -> None:
    """`hive format` leaves a shipped tree as it is."""
    text = scenarios.tree(name)
    assert parse_tree(text) == parse_tree(PUBLISHED[name])
    assert format_tree(parse_tree(text)) + "\n" == text


@pytest.mark.parametrize("name", scenarios.plans())
def test_plans_are_in_canonical_layout(name: str) -> None:
    """`hive format` leaves a shipped plan as it is."""
    text = scenarios.plan(name)
    assert format_plan(parse_plan(text, context=PlanContext(behaviours=scenarios.trees()))) + "\n" == text


def test_every_published_tree_is_shipped_and_those_for_crews() -> None:
    assert set(scenarios.trees()) == {*PUBLISHED, "hold", *CREW_BEHAVIOURS}


@pytest.mark.parametrize("name", scenarios.names())
def test_the_plans_of_a_scenario_check_clean(name: str) -> None:
    """Against the sides' sizes, the trees they may use and the map."""
    scenario = load_scenario(name)
    for side, foe in sides(scenario):
        assert side.plan is not None
        assert read_plan(side.plan, context(side, foe, scenario.map.size)).steps


@pytest.mark.parametrize("name", scenarios.names())
@pytest.mark.parametrize("units", [50, 333, 4000])
def test_the_plans_of_a_scenario_fit_other_sizes(name: str, units: int) -> None:
    """Rescaled plans still check clean, and command every unit that the plan commanded."""
    written, scenario = load_scenario(name), load_scenario(name, units=units)
    for (old, old_foe), (side, foe) in zip(sides(written), sides(scenario), strict=True):
        assert side.plan is not None
        plan = read_plan(side.plan, context(old, old_foe, written.map.size))
        scaled = rescale_plan(plan, (old.count, side.count), (old_foe.count, foe.count))
        commanded = {i for step in scaled.steps for group in step.groups for i in group.units.ids(side.count)}
        assert commanded == set(range(side.count))
        for step in scaled.steps:
            ids = [i for group in step.groups for i in group.units.ids(side.count)]
            assert len(ids) == len(set(ids)) and max(ids) < side.count


def test_every_plan_belongs_to_a_scenario() -> None:
    """Enemies' plans, and a good and a bad plan for each ability; two share a world (docs/rules/scenarios.md 2.1)."""
    enemies = {side.plan for name in scenarios.names() for side in [load_scenario(name).enemy]}
    assert enemies == {f"{name}_enemy" for name in scenarios.names()}
    assert set(ABILITIES.values()) == set(scenarios.names())
    bad = {f"{ability}_bad" for ability in ABILITIES}
    assert set(scenarios.plans()) == enemies | set(ABILITIES) | bad


@pytest.mark.parametrize(("ability", "name"), ABILITIES.items())
@pytest.mark.parametrize("kind", ["", "_bad"])
def test_the_plans_of_an_ability_check_clean(ability: str, name: str, kind: str) -> None:
    """A bad plan is a valid one: it loses by what it does."""
    scenario = load_scenario(name)
    assert read_plan(ability + kind, context(scenario.player, scenario.enemy, scenario.map.size)).steps


def test_reading_by_a_wrong_name_says_so() -> None:
    for read in (scenarios.read, scenarios.tree, scenarios.plan):
        with pytest.raises(FileNotFoundError):
            read("nothing")


def test_coordinate_is_the_published_setting() -> None:
    """Team sizes and ids, map side, start boxes, the northern forest over the enemy's box.

    Rules: docs/rules/scenarios.md 1.1, 1.2.
    """
    scenario = load_scenario("coordinate")
    assert scenario.map.size == 150
    assert [(g.type, g.count) for g in scenario.player.units] == [("spearmen", 500), ("archer", 500)]
    assert [(g.type, g.count) for g in scenario.enemy.units] == [("spearmen", 1000)]
    assert scenario.enemy.units[0].cells(150) == (slice(0, 150), slice(135, 150))
    assert {side.objective.kind for side, _ in sides(scenario)} == {"elimination"}
    (forest,) = scenario.map.shapes
    assert forest.terrain == "forest"


def test_the_enemy_of_coordinate_sweeps_in_ten_columns() -> None:
    """Each column is a chain of its own, (x, 8) first and then the nearest of three points.

    Rules: docs/rules/scenarios.md 1.2.
    """
    scenario = load_scenario("coordinate")
    plan = read_plan("coordinate_enemy", context(scenario.enemy, scenario.player, 150))
    assert len(plan.steps) == 20
    for first, then in zip(plan.steps[::2], plan.steps[1::2], strict=True):
        assert (first.prerequisites, then.prerequisites) == ((), (first.id,))
        assert isinstance(then.objective, Elimination) and then.objective.units.items is None
        (sweep,), (gather,) = first.groups, then.groups
        assert sweep.units == gather.units
        assert sweep.target[1] == 8
        assert gather.target == (min((25, 75, 125), key=lambda x: abs(x - sweep.target[0])), 75)


@pytest.mark.parametrize(("published", "name"), PUBLISHED_PLANS.items())
def test_a_published_plan_checks_clean_and_ours_are_others(published: str, name: str, shared: Path) -> None:
    scenario = load_scenario(name)
    where = context(scenario.player, scenario.enemy, scenario.map.size)
    theirs = parse_plan((shared / "spec" / "plans" / f"{published}.plan").read_text(encoding="utf-8"), published, where)
    ours = [read_plan(ability, where) for ability, world in ABILITIES.items() if world == name]
    assert ours and theirs not in ours
