"""Every coordinate hint of the paper (docs/rules/scenarios.md 1) holds on our maps."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import jax.numpy as jnp
import numpy as np
import pytest

import scenarios
from dsl import PlanContext, Position, parse_plan
from hive.ground.distance import distance_maps
from hive.ground.shapes import Ground, rasterise
from hive.ground.terrain import make_terrain
from hive.worlds.battle.map_text import map_text
from hive.worlds.battle.scenario import Scenario, load_scenario

BRIDGES = {
    "exploit_weakness": [(20, 49), (79, 50), (49, 20), (49, 80)],
    "markers_terrain": [(88, 122)],
    "strategize_points": [
        *[(45, 252), (138, 205), (205, 142), (252, 87), (272, 37)],  # north-east river
        *[(29, 238), (65, 135), (135, 75), (249, 21)],  # south-west river
    ],
}
CAMP = (150, 134)


@cache
def scenario(name: str) -> Scenario:
    return load_scenario(name)


@cache
def kinds(name: str) -> np.ndarray:
    return rasterise(scenario(name).map.size, scenario(name).map.shapes)


def steps(kind: np.ndarray, targets: Sequence[tuple[int, int]]) -> np.ndarray:
    """The distance map of each target, by the engine."""
    return np.asarray(distance_maps(make_terrain(jnp.asarray(kind)), jnp.asarray(targets, jnp.int32)))


def starts(name: str, side: str, type: str = "") -> list[tuple[slice, slice]]:
    groups = getattr(scenario(name), side).units
    return [group.cells(scenario(name).map.size) for group in groups if type in ("", group.type)]


def within(cells: tuple[slice, slice], x: tuple[int, int], y: tuple[int, int]) -> bool:
    return x[0] <= cells[0].start and cells[0].stop - 1 <= x[1] and y[0] <= cells[1].start and cells[1].stop - 1 <= y[1]


@pytest.mark.parametrize(
    ("name", "x", "y", "kind"),
    [
        ("coordinate", 75, 142, Ground.FOREST),  # "Northern Forest"
        *[("coordinate", x, y, Ground.NORMAL) for x in (25, 75, 125) for y in (65, 75)],  # rows of the published plan
        *[("exploit_weakness", x, y, Ground.WATER) for x in (46, 49, 51) for y in (47, 50, 52)],  # the crossing
        *[("exploit_weakness", 49, y, Ground.WATER) for y in (5, 35, 65, 95)],  # the vertical river
        *[("exploit_weakness", x, 50, Ground.WATER) for x in (5, 35, 65, 95)],  # the horizontal river
        *[("exploit_weakness", x, 49, Ground.NORMAL) for x in (19, 20, 21)],  # "the west bridge"
        *[
            ("exploit_weakness", x, y, Ground.NORMAL)
            for x, y in ((21, 76), (76, 21), (76, 76), (15, 85), (85, 15), (85, 85))
        ],
        ("markers_terrain", 61, 0, Ground.NORMAL),  # the objective, in the open
        ("markers_terrain", 193, 85, Ground.FOREST),  # A, the east forest
        ("markers_terrain", 49, 136, Ground.FOREST),  # B, the west forest
        ("markers_terrain", 9, 134, Ground.FOREST),  # C, deep in it
        ("markers_terrain", 11, 9, Ground.FOREST),  # D, in the south-west corner
        *[
            ("markers_terrain", x, y, Ground.FOREST) for x, y in ((164, 71), (33, 159), (11, 101), (23, 44))
        ],  # plan of 4o
        ("strategize_points", *CAMP, Ground.NORMAL),
        *[("strategize_points", x, y, Ground.NORMAL) for x, y in BRIDGES["strategize_points"]],
    ],
)
def test_the_ground_at_a_hint(name: str, x: int, y: int, kind: int) -> None:
    assert kinds(name)[x, y] == kind


@pytest.mark.parametrize(
    ("name", "side", "type", "x", "y"),
    [
        ("coordinate", "enemy", "spearmen", (0, 149), (135, 149)),
        ("exploit_weakness", "player", "", (5, 40), (5, 40)),
        ("exploit_weakness", "enemy", "archer", (5, 25), (75, 95)),
        ("exploit_weakness", "enemy", "spearmen", (75, 95), (5, 25)),
        ("exploit_weakness", "enemy", "cavalry", (75, 95), (75, 95)),
        ("markers_terrain", "player", "", (160, 199), (160, 199)),  # the north-east corner
        ("strategize_points", "player", "", (165, 195), (101, 116)),
    ],
)
def test_armies_start_in_their_boxes(name: str, side: str, type: str, x: tuple[int, int], y: tuple[int, int]) -> None:
    found = starts(name, side, type)
    assert found and all(within(cells, x, y) for cells in found)


def test_the_enemies_of_the_camp_start_in_two_corners() -> None:
    """docs/rules/scenarios.md 1.5: north-east and south-west, outside the island."""
    boxes = starts("strategize_points", "enemy")
    assert [within(cells, (195, 299), (190, 299)) for cells in boxes[:5]] == [True] * 5
    assert [within(cells, (0, 80), (0, 80)) for cells in boxes[5:]] == [True] * 4


@pytest.mark.parametrize(
    ("name", "units"),
    [
        ("coordinate", ({"spearmen": 500, "archer": 500}, {"spearmen": 1000})),
        ("exploit_weakness", ({"spearmen": 250, "archer": 250, "cavalry": 250},) * 2),
        ("markers_terrain", ({"spearmen": 300}, {"spearmen": 600, "archer": 600})),
        ("strategize_points", ({"spearmen": 350, "archer": 350}, {"spearmen": 900})),
    ],
)
def test_team_sizes_are_the_published_ones(name: str, units: tuple[dict[str, int], dict[str, int]]) -> None:
    """docs/rules/scenarios.md 1.1; types in one run each, as ids in the published plans have it."""
    for side, wanted in zip((scenario(name).player, scenario(name).enemy), units, strict=True):
        order = [group.type for group in side.units]
        assert list(dict.fromkeys(order)) == list(wanted) and order == sorted(order, key=list(wanted).index)
        assert {kind: sum(g.count for g in side.units if g.type == kind) for kind in wanted} == wanted


@pytest.mark.parametrize(
    ("name", "size", "player", "enemy"),
    [
        ("coordinate", 150, None, None),
        ("exploit_weakness", 100, None, None),
        ("markers_terrain", 200, (61, 0), None),
        ("strategize_points", 300, None, CAMP),
    ],
)
def test_sides_and_objectives(
    name: str, size: int, player: tuple[int, int] | None, enemy: tuple[int, int] | None
) -> None:
    assert scenario(name).map.size == size
    assert (scenario(name).player.objective.at, scenario(name).enemy.objective.at) == (player, enemy)


@pytest.mark.parametrize(("name", "bridge"), [(name, bridge) for name, all in BRIDGES.items() for bridge in all])
def test_a_bridge_joins_two_banks_that_it_alone_brings_together(name: str, bridge: tuple[int, int]) -> None:
    """From bank to bank it is a short walk over the bridge, and a far longer one when the bridge is gone."""
    kind = kinds(name)
    size = len(kind)
    across = [(x, y) for x in range(size) for y in range(size) if max(abs(x - bridge[0]), abs(y - bridge[1])) <= 12]
    near = steps(kind, [bridge])[0]
    banks = [cell for cell in across if kind[cell] in (Ground.NORMAL, Ground.FOREST) and 8 <= near[cell] <= 14]
    gone = kind.copy()
    for x, y in across:
        if (x - bridge[0]) ** 2 + (y - bridge[1]) ** 2 <= 8.5**2:
            gone[x, y] = Ground.WATER
    banks = [cell for cell in banks if gone[cell] != Ground.WATER]
    far = steps(gone, [banks[0]])[0]
    same = [cell for cell in banks if far[cell] < 40]
    other = [cell for cell in banks if far[cell] >= 40]
    assert same and other, "the bridge has two sides"


def test_the_nine_bridges_are_the_only_way_onto_the_island() -> None:
    kind = kinds("strategize_points").copy()
    x, y = np.mgrid[0:300, 0:300]
    for a, b in BRIDGES["strategize_points"]:
        kind[(x - a) ** 2 + (y - b) ** 2 <= 8.5**2] = Ground.WATER
    away = steps(kind, [CAMP])[0]
    assert all((away[cells] >= 300**2).all() for cells in starts("strategize_points", "enemy"))
    assert all((away[cells] < 300**2).all() for cells in starts("strategize_points", "player"))


def test_the_camp_lies_in_reach_of_every_bridge() -> None:
    """The huts leave its middle open, and it is 56 to 160 m from the bridges (docs/rules/scenarios.md 1.5)."""
    away = [np.hypot(x - CAMP[0], y - CAMP[1]) for x, y in BRIDGES["strategize_points"]]
    assert (round(min(away)), round(max(away))) == (56, 160)
    walk = steps(kinds("strategize_points"), [CAMP])[0]
    assert all(walk[bridge] < 300 for bridge in BRIDGES["strategize_points"])


def test_each_column_goes_to_its_bridge_and_then_to_the_camp() -> None:
    """docs/rules/scenarios.md 1.5: chains of two steps, so that no column waits for another."""
    plan = parse_plan(scenarios.plan("strategize_points_enemy"))
    for number, (first, then) in enumerate(zip(plan.steps[::2], plan.steps[1::2], strict=True)):
        assert (first.prerequisites, then.prerequisites) == ((), (first.id,))
        assert isinstance(first.objective, Position) and isinstance(then.objective, Position)
        assert [step.groups[0].target for step in (first, then)] == [BRIDGES["strategize_points"][number], CAMP]
        assert first.groups[0].units == then.groups[0].units


def test_markers_are_the_published_ones_and_the_way_is_as_long() -> None:
    """docs/rules/scenarios.md 1.4: the legs A, B, C, D, objective measure 369 m."""
    markers = scenario("markers_terrain").markers
    assert markers == {"A": (193, 85), "B": (49, 136), "C": (9, 134), "D": (11, 9)}
    way = np.array([*markers.values(), (61, 0)], float)
    assert round(np.hypot(*np.diff(way, axis=0).T).sum()) == 369
    assert all(scenario(name).markers == {} for name in scenarios.names() if name != "markers_terrain")


def test_guards_hold_open_posts_away_from_the_bridge() -> None:
    """The target is the post, no guard starts on water, and none sees the bridge from its post.

    Rules: docs/rules/scenarios.md 1.4.
    """
    plan = parse_plan(scenarios.plan("markers_terrain_enemy"), context=PlanContext(behaviours=scenarios.trees()))
    boxes = starts("markers_terrain", "enemy")
    bridge = [(x, y) for x in range(80, 96) for y in range(118, 126)]
    for step, cells in zip(plan.steps, boxes, strict=True):
        (group,) = step.groups
        x, y = group.target
        assert cells[0].start <= x < cells[0].stop and cells[1].start <= y < cells[1].stop
        assert kinds("markers_terrain")[x, y] == Ground.NORMAL and group.behaviour.startswith("guard_in_")
        ends = [(a, b) for a in (cells[0].start, cells[0].stop) for b in (cells[1].start, cells[1].stop)]
        assert min(np.hypot(a - c, b - d) for a, b in ends for c, d in bridge) >= 15


def test_forest_reaches_both_ends_of_the_guarded_bridge() -> None:
    """docs/rules/scenarios.md 1.4: with cover up to the bridge the published plans win, without it nothing does."""
    kind = kinds("markers_terrain")
    assert all(kind[x, 122] == Ground.FOREST for x in (78, 97))


@pytest.mark.parametrize("name", scenarios.names())
def test_every_shape_has_a_name_for_the_map_text(name: str) -> None:
    assert all(shape.name for shape in scenario(name).map.shapes)
    assert all(shape.name in map_text(scenario(name)) for shape in scenario(name).map.shapes)


@pytest.mark.parametrize("name", scenarios.names())
def test_limits_and_briefings(name: str) -> None:
    """The limits of docs/rules/scenarios.md 1.1; briefings name no counts, because `--units` changes them."""
    assert scenario(name).rules.limit == {"markers_terrain": 2000, "strategize_points": 1500}.get(name, 1000)
    counts = {str(group.count) for side in ("player", "enemy") for group in getattr(scenario(name), side).units}
    counts |= {str(scenario(name).player.count), str(scenario(name).enemy.count)}
    words = scenario(name).briefing.replace("(", " ").replace(",", " ").split()
    assert len(words) > 80 and not counts & set(words) - {"150", "100"}
