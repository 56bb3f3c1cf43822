"""What plans of the shipped scenarios may name in words (docs/rules/plans.md 1.7, 1.8; docs/rules/trees.md 6.4)."""

from __future__ import annotations

import re

import pytest

import dsl
import hive
import scenarios
from dsl.vocabulary import SIDES
from hive.engine.reading import compile_checked
from hive.ground.shapes import Ground
from hive.worlds.battle.map_text import map_text
from hive.worlds.battle.scenario import load_scenario
from hive.worlds.battle.world import Battle

PLAN = """\
Step 0:
prerequisites: []
objective: position
units: {units}
- target position: {place}
- behavior: {behaviour}
"""


@pytest.mark.parametrize("name", scenarios.names())
def test_the_features_of_a_map_are_those_that_its_text_names(name: str) -> None:
    """A feature that units can enter has a place in it; water and buildings have none."""
    scenario = load_scenario(name)
    lines = [
        re.fullmatch(r"(.+): (\w+) (?:at|along) .*", line) for line in map_text(scenario, compact=True).splitlines()
    ]
    named = {(line[1], line[2]) for line in lines if line}
    features = scenario.map.features
    kinds = {shape.name: shape.terrain for shape in scenario.map.shapes if shape.name}
    assert {(feature.name, kinds[feature.name]) for feature in features} == {
        (word, kind) for word, kind in named if word.lower() != kind
    }
    for feature in features:
        (x0, y0), (x1, y1) = feature.box
        assert (feature.place is None) == (kinds[feature.name] in ("water", "building"))
        if feature.place:
            x, y = feature.place
            assert x0 <= x <= x1 and y0 <= y <= y1
            assert scenario.map.kind[x, y] == (Ground.FOREST if kinds[feature.name] == "forest" else Ground.NORMAL)


@pytest.mark.parametrize("name", scenarios.names())
def test_plans_of_both_sides_may_hold_in_every_scenario(name: str) -> None:
    """The file of a scenario does not list it, so prompts and learners are as they were."""
    world = hive.load(name)
    assert isinstance(world, Battle)
    for side in range(len(SIDES)):
        context = world.context(side)
        assert context.behaviours == (*world.side(side).behaviours, "hold")
        kinds = [kind for kind, _ in context.team_blocks]
        text = PLAN.format(units=f"half of {kinds[0]}", place="centre", behaviour="hold")
        plan = compile_checked(dsl.parse_plan(text, context=context), world, side)
        assert world.behaviours[int(plan.tree[0])] == "hold"
    assert world.behaviours == (*world.listed, "hold")


def test_a_bridge_is_a_place_of_a_plan() -> None:
    context = hive.load("exploit_weakness").context()
    plan = dsl.parse_plan(PLAN.format(units="cavalry", place="North Bridge", behaviour="stand"), context=context)
    assert plan.steps[0].groups[0].target == (48, 79)
    assert plan.steps[0].groups[0].units == dsl.UnitList((dsl.UnitSlice(500, 750),))


def test_a_crew_is_named_by_its_types_on_a_map_whose_north_is_its_top() -> None:
    """y grows to the south there, and what only battles carry out is refused."""
    context = hive.load("wildfire/cut_trees_sparse_small").context()
    kind = context.team_blocks[0][0]
    plan = dsl.parse_plan(PLAN.format(units=f"half of {kind}s", place="north", behaviour="stay_safe"), context=context)
    assert context.map_size and plan.steps[0].groups[0].target[1] == context.map_size // 6
    report = dsl.check_plan(
        PLAN.format(units="in (1, 2) - (3, 4)", place="north under cover", behaviour="stay_safe"), context=context
    )
    assert [each.code for each in report.diagnostics] == ["plan-not-here"]
