"""The drawing rules, checked on pixels: where things stand, how they look, what the dead look like.

Rules: docs/rules/battles.md 1.1 and docs/rules/scenarios.md 4.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest

from hive.ground.shapes import Ground
from hive.kit.view import palette
from hive.kit.view.pictures import grid_step
from hive.worlds.battle.recording import PUBLISHED_RADIUS, BattleRecording
from hive.worlds.battle.view.battlefield import Battlefield

Make = Callable[..., BattleRecording]

SIDE = 400


def draw(recording: BattleRecording, t: int = 0, side: int = SIDE) -> np.ndarray:
    """Return the map as int [side, side, 3]."""
    return np.asarray(Battlefield(recording, side, 1.0).draw(t)).astype(int)


def at(image: np.ndarray, recording: BattleRecording, x: float, y: float) -> tuple[int, ...]:
    """Return the colour at a place in metres, by the rule that y grows north: up."""
    scale = len(image) / recording.metres
    return tuple(image[int(len(image) - y * scale), int(x * scale)].tolist())


def count(image: np.ndarray, colour: tuple[int, int, int]) -> int:
    return int((image == colour).all(axis=-1).sum())


def test_a_unit_has_the_colour_of_its_side_and_type_where_it_stands(make_recording: Make) -> None:
    units = list(itertools.product(range(2), range(6)))
    places = [[1.3 + 3 * kind, 4.2 + 10 * side] for side, kind in units]
    seen = make_recording(places, side=[side for side, _ in units], type=[kind for _, kind in units])
    image = draw(seen)
    for (side, kind), place in zip(units, places, strict=True):
        colour = at(image, seen, *place)
        assert colour == palette.unit_colour(side, kind), (side, kind)
        if kind < 3:
            assert (colour[2] > colour[0]) == (side == 0), "blue for the player, red for the enemy"


def test_published_colours_are_kept() -> None:
    """docs/rules/scenarios.md 4.2: shades of spearmen, archer, cavalry, in the open and in a forest."""

    def shades(side: int, forest: bool) -> list[palette.Rgb]:
        return [palette.unit_colour(side, kind, forest) for kind in range(3)]

    assert shades(0, False) == [(0, 0, 128), (65, 105, 225), (135, 206, 235)]
    assert shades(1, False) == [(178, 34, 34), (220, 20, 60), (255, 99, 71)]
    assert shades(0, True) == [(0, 72, 88), (65, 143, 167), (135, 216, 205)]
    assert shades(1, True) == [(148, 64, 34), (180, 50, 50), (225, 129, 81)]
    assert (palette.BUILDING_COLOUR, palette.WATER_COLOUR) == ((201, 199, 198), (193, 237, 254))
    assert (palette.FOREST_COLOUR, palette.GROUND_COLOUR) == ((197, 214, 185), (255, 255, 255))


def test_units_are_found_where_they_stand_all_over_the_map(make_recording: Make) -> None:
    places = np.random.default_rng(1).uniform(0.1, 19.9, (25, 1, 2))
    seen = make_recording(places)
    field = Battlefield(seen, SIDE, 1.0)
    for t, [(x, y)] in enumerate(places):
        assert at(np.asarray(field.draw(t)), seen, x, y) == palette.unit_colour(0, 0)


def test_north_is_up_and_east_is_right(make_recording: Make) -> None:
    image = draw(make_recording([[3, 18], [17, 2]], side=[0, 1]))
    rows, columns = np.nonzero((image == palette.unit_colour(0, 0)).all(axis=-1))
    assert rows.max() < SIDE / 2 and columns.max() < SIDE / 2
    rows, columns = np.nonzero((image == palette.unit_colour(1, 0)).all(axis=-1))
    assert rows.min() > SIDE / 2 and columns.min() > SIDE / 2


def test_terrain_is_read_as_x_y_with_north_up(make_recording: Make) -> None:
    kind = np.zeros((20, 20), np.uint8)
    kind[2:6, 14:18], kind[12:18, 14:18], kind[2:6, 2:6] = Ground.FOREST, Ground.WATER, Ground.BUILDING
    seen = make_recording(np.zeros((1, 0, 2)), kind=kind)
    image = draw(seen)
    red, green, blue = at(image, seen, 4.1, 16.3)
    assert green > red and green > blue, "forest is green, in the north-west"
    red, green, blue = at(image, seen, 15.2, 16.3)
    assert blue > green > red, "water is blue, in the north-east"
    building = at(image, seen, 4.1, 4.3)
    assert max(building) - min(building) < 6 and max(building) < 215, "a building is grey, in the south-west"
    assert at(image, seen, 15.2, 4.3) == palette.GROUND_COLOUR


@pytest.mark.parametrize("side", [60, 100, 400])
@pytest.mark.parametrize("bit", [Ground.BUILDING, Ground.WATER, Ground.FOREST])
def test_a_single_cell_of_terrain_is_never_lost(make_recording: Make, bit: int, side: int) -> None:
    kind = np.zeros((20, 20), np.uint8)
    kind[7, 11] = bit
    seen = make_recording(np.zeros((1, 0, 2)), kind=kind)
    assert at(draw(seen, side=side), seen, 7.5, 11.5) != palette.GROUND_COLOUR


def test_a_building_hides_the_other_kinds_of_its_cell(make_recording: Make) -> None:
    kind = np.full((20, 20), Ground.BUILDING | Ground.WATER | Ground.FOREST, np.uint8)
    seen = make_recording(np.zeros((1, 0, 2)), kind=kind)
    assert count(draw(seen), palette.BUILDING_COLOUR) > SIDE * SIDE / 2


def test_a_unit_in_a_forest_has_the_forest_shade(make_recording: Make) -> None:
    terrain = np.zeros((20, 20), np.uint8)
    terrain[:10] = Ground.FOREST
    units = list(itertools.product(range(2), range(3), (5, 15)))
    places = [[x, 3 + 5 * kind + 2 * side] for side, kind, x in units]
    seen = make_recording(places, side=[each[0] for each in units], type=[each[1] for each in units], kind=terrain)
    image = draw(seen)
    for (side, kind, x), place in zip(units, places, strict=True):
        assert at(image, seen, *place) == palette.unit_colour(side, kind, forest=x == 5), (side, kind, x)


def test_spearmen_are_squares_archers_circles_cavalry_triangles(make_recording: Make) -> None:
    """Each shape is probed at corners that only it fills (docs/rules/battles.md 2.1)."""
    filled = {}
    for kind, r in enumerate(PUBLISHED_RADIUS[:3].tolist()):
        seen = make_recording([[5.5, 5.5]], type=[kind], metres=10)
        image = draw(seen, side=500)
        probes = {"upper corners": (0.78, 0.78), "lower corners": (0.75, -0.75), "top": (0, 0.95), "sides": (0.85, 0)}
        filled[kind] = {
            name
            for name, (dx, dy) in probes.items()
            if all(at(image, seen, 5.5 + s * dx * r, 5.5 + dy * r) != palette.GROUND_COLOUR for s in (-1, 1))
        }
    assert "upper corners" in filled[0] and "lower corners" in filled[0]
    assert filled[1] == {"top", "sides"}
    assert "top" in filled[2] and "lower corners" in filled[2]
    assert "upper corners" not in filled[2] and "sides" not in filled[2]


def test_a_unit_is_as_large_as_the_radius_of_its_scenario(make_recording: Make) -> None:
    """`types.X.radius` of a scenario is what pushes units apart, so pictures show it (docs/rules/battles.md 2.1)."""
    radius = PUBLISHED_RADIUS.copy()
    radius[1] = 2.0
    for given, metres in ((PUBLISHED_RADIUS, 0.3), (radius, 2.0)):
        image = draw(make_recording([[10, 10]], type=[1], radius=given))
        drawn = (image != draw(make_recording(np.zeros((1, 0, 2))))).any(axis=-1).any(axis=0).sum()
        assert drawn * 20 / SIDE == pytest.approx(2 * metres, abs=0.1)
    draw(make_recording([[10, 10]], radius=np.zeros(len(radius))))


@pytest.mark.parametrize(("side", "kind"), list(itertools.product(range(2), range(3))))
def test_the_dead_leave_a_faint_small_mark_and_nothing_alive(make_recording: Make, side: int, kind: int) -> None:
    place = [[10.0, 10.0]]
    seen = make_recording([place, place], side=[side], type=[kind], health=[[1.0], [0.0]])
    alive, dead = draw(seen, 0), draw(seen, 1)
    assert count(alive, palette.unit_colour(side, kind)) > 0
    for forest in (False, True):
        assert count(dead, palette.unit_colour(side, kind, forest)) == 0
    bare = draw(make_recording(np.zeros((1, 0, 2))))
    assert 0 < (dead != bare).any(axis=-1).sum() < 0.6 * (alive != bare).any(axis=-1).sum()
    assert min(at(dead, seen, 10, 10)) > 120, "faint"


def test_the_living_are_drawn_over_the_dead(make_recording: Make) -> None:
    for order in ([1.0, 0.0], [0.0, 1.0]):
        seen = make_recording([[10, 10], [10, 10]], side=[0, 0], health=[order])
        assert at(draw(seen), seen, 10, 10) == palette.unit_colour(0, 0)


def test_an_attack_draws_a_streak_of_the_attackers_side_to_its_target(make_recording: Make) -> None:
    places = [[4.0, 10.0], [16.0, 10.0]]
    seen = make_recording([places, places], side=[0, 1], type=[1, 1], attack=[[-1, -1], [1, -1]])
    calm, fight = draw(seen, 0), draw(seen, 1)
    middle = fight[SIDE // 2 - 4 : SIDE // 2 + 4, SIDE // 2]
    darkest = middle[middle.sum(axis=-1).argmin()]
    assert at(calm, seen, 10.3, 10.2) == palette.GROUND_COLOUR
    assert darkest[2] > darkest[0] + 30, "blue, for the player's shot"


def test_neither_side_hides_the_other_in_a_crowd(make_recording: Make) -> None:
    n = 600
    places = np.random.default_rng(3).normal(10, 1.0, (n, 2))
    image = draw(make_recording(places, side=np.arange(n) // (n // 2)))
    blue, red = (count(image, palette.unit_colour(side, 0)) for side in range(2))
    assert 0.6 < blue / red < 1.6


def test_a_unit_on_a_large_map_is_still_a_few_pixels_wide(make_recording: Make) -> None:
    places = np.full((4000, 2), 5.0)
    places[0] = 150.0
    image = draw(make_recording(places, metres=300, type=np.ones(4000, int)), side=664)
    window = image[332 - 12 : 332 + 12, 332 - 12 : 332 + 12]
    changed = (window != palette.unit_colour(0, 1)).any(axis=-1)
    assert (~changed).sum() >= 1 and (window < 200).any(axis=-1).sum() >= 8


def test_the_frame_cuts_no_unit_at_the_border(make_recording: Make) -> None:
    """The engine lets units stand on the border; their pictures are moved inwards, the dead as well."""
    bare = draw(make_recording(np.zeros((1, 0, 2))))
    places = [[[10, 10]], [[0, 0]], [[0, 20]], [[20, 0]], [[20, 20]]]
    for kind, health in itertools.product(range(6), (1.0, 0.0)):
        field = Battlefield(make_recording(places, type=[kind], health=[[health]] * 5), SIDE, 1.0)
        images = [np.asarray(field.draw(t)).astype(int) for t in range(5)]
        shown = [(image != bare).any(axis=-1).sum() for image in images]
        assert min(shown) > 0.8 * max(shown), kind


def test_plan_targets_and_markers_are_marked_where_they_are(make_recording: Make) -> None:
    nobody = np.zeros((1, 0, 2))
    seen = make_recording(nobody, targets=[(5, 15, "2")], markers={"A": (15, 5)})
    image, bare = draw(seen), draw(make_recording(nobody))
    assert at(image, seen, 5, 15) == palette.TARGET
    rows, columns = np.nonzero((image == palette.MARKER).all(axis=-1))
    assert SIDE * 3 / 4 - 6 < rows.max() < SIDE * 3 / 4 + 2, "the tip of the pin is the place"
    assert abs(columns.mean() - SIDE * 3 / 4) < 2
    ys, xs = np.nonzero((image != bare).any(axis=-1))
    near = (np.hypot(xs - 100, ys - 100) < 40) | (np.hypot(xs - 300, ys - 300) < 40)
    assert near.all(), "and nothing else changed"


@pytest.mark.parametrize("place", [(0, 0), (20, 20), (10, 20), (0, 10)])
def test_signs_at_the_border_are_still_seen(make_recording: Make, place: tuple[float, float]) -> None:
    nobody = np.zeros((1, 0, 2))
    assert count(draw(make_recording(nobody, markers={"A": place})), palette.MARKER) > 60
    assert count(draw(make_recording(nobody, targets=[(*place, "1")])), palette.TARGET) > 15


def test_grid_steps_are_round_and_few() -> None:
    assert [grid_step(metres) for metres in (1, 30, 100, 150, 200, 300)] == [1, 5, 20, 25, 25, 50]
    for metres in range(1, 1500, 7):
        assert metres / grid_step(metres) <= 8
