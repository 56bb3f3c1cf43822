"""The text for a commander: true to the engine, in the published formats, and short where it promises to be."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

import jax
import numpy as np
import pytest

import dsl
import hive
import scenarios
from dsl import Elimination, Position, UserError
from dsl.vocabulary import UNIT_TYPES
from hive.engine.types import State
from hive.ground.shapes import Band, Shape, rasterise
from hive.kit.planned_world import MAP_PICTURES
from hive.kit.prompts import read_prompt
from hive.kit.view import palette
from hive.worlds.battle.briefing import (
    COMPACT,
    LONGER,
    VERSIONS,
    Wording,
    crowd_radius,
    describe,
    state_text,
    system_text,
)
from hive.worlds.battle.map_text import map_text
from hive.worlds.battle.scenario import Scenario, load_scenario, with_markers
from hive.worlds.battle.world import Battle
from tests.tiers import tiers
from tests.view.test_map_text import read

UNITS = 4000  # of one size, so that each battle's start is made by one program


@cache
def begun(name: str) -> tuple[Battle, State]:
    """A battle of many units, and its start."""
    world = hive.load(name, units=UNITS)
    return world, jax.device_get(jax.jit(hive.reset)(world.params, jax.random.key(0)))


_ALONG = re.compile(r"([^:]+): (\w+) along ((?:\(-?\d+, -?\d+\)(?:, )?)+) with width ([\d.]+)")


def scattered(state: State, size: int, share: float) -> State:
    """Everybody at a random place, and about this share of all still alive, hurt."""
    draw = np.random.default_rng(int(1000 * share))
    place = draw.uniform(0.5, size - 0.5, state.position.shape).astype(np.float32)
    alive = draw.uniform(size=len(place)) < share
    return state.replace(
        position=place, health=np.where(alive, np.ceil(np.asarray(state.health) * draw.uniform(size=len(place))), 0)
    )


@pytest.mark.parametrize("shares", tiers([(1.0, 0.03), (0.3, 0.1, 0.01, 0.0)], quick=[(1.0, 0.03)]), ids=len)
@pytest.mark.parametrize("name", scenarios.names())
def test_the_compact_form_stays_short_at_4000_units(name: str, shares: tuple[float, ...]) -> None:
    """Under 8,000 characters, the system text included, at the start and in the midst of a battle."""
    world, start = begun(name)
    size = world.scenario.map.size
    longest = replace(world, wording=Wording(map_picture="scaffold"))
    for state in (start, *(scattered(start, size, share) for share in shares)):
        assert describe(longest.scenario, longest.params, state, longest.wording).characters["compact"] < COMPACT
        words = describe(world.scenario, world.params, state, world.wording)
        assert words.characters["compact"] == len(words.compact) < COMPACT == 8_000
        assert words.characters["full"] == len(words.full) > 10 * len(words.compact)
        for heading in ("Allies:", "Enemies:"):
            assert heading in words.compact.splitlines()


@pytest.mark.parametrize("name", scenarios.names())
def test_the_compact_map_read_back_is_the_map(name: str) -> None:
    scenario = load_scenario(name)
    shapes: list[Shape] = []
    for line in map_text(scenario, compact=True).splitlines():
        if found := _ALONG.fullmatch(line):
            label, terrain, points, width = found.groups()
            at = tuple((float(x), float(y)) for x, y in re.findall(r"\((-?\d+), (-?\d+)\)", points))
            shapes.append(Band(at, float(width), terrain, label))
        else:
            shapes += read(line)
    size = scenario.map.size
    assert (rasterise(size, shapes) == rasterise(size, scenario.map.shapes)).mean() >= 0.99


def test_bands_are_explained_only_where_there_are_any() -> None:
    rivers, boxes = load_scenario("strategize_points"), load_scenario("exploit_weakness")
    explained = "`along (x, y)"
    assert explained in system_text(rivers, compact=True) and explained not in system_text(rivers)
    assert explained not in system_text(boxes, compact=True)


def test_the_compact_form_says_all_else_alike() -> None:
    world, start = begun("strategize_points")
    words = describe(world.scenario, world.params, start)
    for part in words.system.split("\n\n"):
        assert part in words.compact or part.startswith(("# Map\n", "# Armies\n"))
    assert words.full.startswith(words.system) and words.full.endswith(words.state)


@pytest.mark.parametrize("name", scenarios.names())
@pytest.mark.parametrize("units", [None, 10])
def test_the_example_is_a_valid_plan(name: str, units: int | None) -> None:
    """It teaches by being right: both objectives, a slice open to the end, `all`, target types."""
    scenario = load_scenario(name, **({} if units is None else {"units": units}))
    where = dsl.PlanContext(
        behaviours=scenario.player.behaviours,
        team_size=scenario.player.count,
        foe_size=scenario.enemy.count,
        map_size=scenario.map.size,
    )
    plan = dsl.parse_plan(system_text(scenario), context=where)
    assert [type(step.objective) for step in plan.steps] == [Position, Elimination]
    both = [set(group.units.ids(scenario.player.count)) for group in plan.steps[0].groups]
    assert both[0] | both[1] == set(range(scenario.player.count)) and not both[0] & both[1]


@pytest.mark.parametrize("name", scenarios.names())
def test_the_system_text_names_what_the_engine_plays_with(name: str) -> None:
    scenario = load_scenario(name)
    text = system_text(scenario)
    assert f"square of {scenario.map.size} m by {scenario.map.size} m" in text
    assert f"lasts {scenario.rules.limit} ticks at most" in text
    assert map_text(scenario) in text and scenario.briefing.strip() in text
    for letter, (x, y) in scenario.markers.items():
        assert f"\n{letter} at ({x}, {y})\n" in text
    for behaviour in scenario.player.behaviours:
        assert f"\n  {behaviour}: " in text and "see its tree" not in text


def test_unit_lines_have_the_published_form_and_the_engines_speeds() -> None:
    """docs/rules/scenarios.md 3.1: 1, 2 and 6 m a tick, not the doubled ones of the paper's prompt."""
    lines = system_text(load_scenario("exploit_weakness")).splitlines()
    form = "{}: Health={}; Sight range=15; Attack range={}; Moving speed={}; Attack damage={}; Attack cooldown=1"
    for numbers in (("spearmen", 24, 1, 1, 1), ("archer", 2, 15, 2, 3), ("cavalry", 12, 1, 6, 1)):
        assert form.format(*numbers) in lines


def test_printed_speeds_are_twice_the_true_ones_and_nothing_else_changes() -> None:
    """docs/rules/scenarios.md 3.1."""
    scenario = load_scenario("exploit_weakness")
    true, printed = (system_text(scenario, Wording(printed_speeds=doubled)) for doubled in (False, True))
    found = [re.findall(r"(\w+): Health=.*Moving speed=(\d+)", text) for text in (true, printed)]
    names = ("spearmen", "archer", "cavalry")
    assert found == [list(zip(names, speeds, strict=True)) for speeds in (("1", "2", "6"), ("2", "4", "12"))]
    assert re.sub(r"speed=\d+", "", true) == re.sub(r"speed=\d+", "", printed)


@pytest.mark.parametrize("form", MAP_PICTURES)
def test_a_picture_replaces_the_map_in_words_and_nothing_else(form: str) -> None:
    scenario = load_scenario("markers_terrain")
    words, seen = system_text(scenario).split("\n\n"), system_text(scenario, Wording(map_picture=form)).split("\n\n")
    (at,) = [number for number, (one, other) in enumerate(zip(words, seen, strict=True)) if one != other]
    assert words[at].startswith("# Map\n") and map_text(scenario) in words[at]
    assert "Forest:" not in seen[at] and "radius" not in seen[at]
    assert "spearmen are squares, archers are circles." in seen[at] and "cavalry" not in seen[at]
    read = {"raw": "north up", "grid": "the lines across it", "scaffold": "the dots above them"}
    assert [name for name, word in read.items() if word in seen[at]] == list(dict.fromkeys(("raw", form)))


def test_a_form_of_picture_that_does_not_exist_is_refused() -> None:
    with pytest.raises(UserError, match=r"no picture of a map `rwa`\n  = help: its forms are raw, grid, scaffold"):
        Wording(map_picture="rwa")


def test_the_text_calls_units_by_the_shapes_that_are_drawn() -> None:
    signs = read_prompt("hive.worlds.battle", 1).table("Signs")
    shapes = dict(zip(UNIT_TYPES, palette.TYPE_SHAPES, strict=True))
    assert list(signs) == list(UNIT_TYPES) and all(f"are {shapes[name]}" in text for name, text in signs.items())


def test_armies_are_slices_of_ids() -> None:
    """docs/rules/scenarios.md 3.1; groups of one type that follow each other are one slice."""
    text = system_text(load_scenario("markers_terrain"))
    assert "Allies: spearmen: [0:300]\nEnemies: spearmen: [0:600], archer: [600:1200]" in text


def test_only_the_advice_that_concerns_the_armies_is_given() -> None:
    assert "Cavalry" not in system_text(load_scenario("coordinate"))
    assert "Spearmen beat cavalry" in system_text(load_scenario("exploit_weakness"))


def test_the_text_names_a_marker_of_the_player() -> None:
    marked = with_markers(load_scenario("coordinate"), {"B": (6, 32)})
    assert "\n\nMarkers:\nB at (6, 32)\n\n" in system_text(marked)
    assert "Markers:" not in system_text(load_scenario("coordinate"))


def test_an_open_map_needs_no_line() -> None:
    scenario: Scenario = load_scenario("coordinate")
    open_map = replace(scenario, map=replace(scenario.map, shapes=()))
    assert "corner of a box.\n\n# Units\n" in system_text(open_map)


def test_the_state_is_the_published_block() -> None:
    """docs/rules/scenarios.md 3.3: three lists an army, one integer a unit, positions cut, ∅ for the dead."""
    place = np.array([[1.9, 2.0], [3.2, 4.99], [149.5, 0.1]])
    text = state_text(np.array([0, 0, 1]), place, np.array([24.0, 0.0, 2.0]))
    assert text.splitlines()[1:] == [
        "Allies:", "Health: [24, ∅]", "X positions: [1, 3]", "Y positions: [2, 4]",
        "Enemies:", "Health: [2]", "X positions: [149]", "Y positions: [0]",
    ]  # fmt: skip
    assert "∅ is a dead unit" in text.splitlines()[0]


@pytest.mark.parametrize("number", VERSIONS[1:])
@pytest.mark.parametrize("name", scenarios.names())
def test_later_prompts_know_words_and_answer_what_is_near(name: str, number: int) -> None:
    """Its plan is valid, `hold` is named, and near is the crowd radius (docs/rules/plans.md 3.4, trees.md 5.2)."""
    world, state = begun(name)
    scenario, wording = world.scenario, Wording(prompt=number)
    text = system_text(scenario, wording)
    assert dsl.check_plan(text, context=world.context(sizes=world.sizes)).ok
    assert "\n  hold: " in text and "  hold: " not in system_text(scenario)
    near = re.findall(r"(\d+) m for (\d+) (\w+)", text)
    radius = {name: kind.radius for kind in scenario.types for name in (kind.name, f"{kind.name}s")}
    assert near and all(int(m) == crowd_radius(int(count), radius[kind]) for m, count, kind in near)
    assert f"within {scenario.types[0].sight / 4:g} m of it" in text or "attack_and_move" not in text
    words = describe(scenario, world.params, state, wording)
    assert words.prompt == f"battle/{number}" and words.characters["compact"] < COMPACT + LONGER[number]


def test_a_prompt_that_does_not_exist_is_refused() -> None:
    with pytest.raises(dsl.UserError, match="its versions are `1`, `2` and `3`"):
        Wording(prompt=4)
