"""The map in words: the published format, made from the shapes, and true to the raster."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import scenarios
from hive.ground.shapes import Band, Box, Circle, Ground, Shape, rasterise
from hive.worlds.battle.map_text import map_text, markers_text
from hive.worlds.battle.scenario import Scenario, load_scenario, with_markers

_LINE = re.compile(r"([^:,]+): (normal|forest|water|building) at (.+)")
_OUTLINE = re.compile(r"\((-?\d+), (-?\d+)\) with radius (\d+)|\((\d+), (\d+)\) - \((\d+), (\d+)\)")


def read(text: str) -> list[Shape]:
    """The shapes of a map text; every character of it must be understood."""
    shapes: list[Shape] = []
    for line in text.splitlines():
        parts = _LINE.fullmatch(line)
        assert parts, line
        name, terrain, words = parts.groups()
        found = list(_OUTLINE.finditer(words))
        assert ", ".join(each.group() for each in found) == words
        for each in found:
            x, y, radius, *box = (int(value) if value else None for value in each.groups())
            shapes.append(Circle(x, y, radius, terrain, name) if radius else Box(*box, terrain, name))
    return shapes


def drawn(*shapes: Shape, size: int = 100) -> Scenario:
    """A scenario with these shapes alone."""
    scenario = load_scenario("coordinate")
    return replace(scenario, map=replace(scenario.map, size=size, shapes=shapes))


@pytest.mark.parametrize("name", scenarios.names())
def test_the_text_read_back_is_the_map(name: str) -> None:
    scenario = load_scenario(name)
    size = scenario.map.size
    same = rasterise(size, read(map_text(scenario))) == rasterise(size, scenario.map.shapes)
    assert same.mean() >= 0.97


@pytest.mark.parametrize("name", scenarios.names())
def test_the_text_read_back_leaves_every_bridge_open(name: str) -> None:
    scenario = load_scenario(name)
    size, shapes = scenario.map.size, scenario.map.shapes
    wet = rasterise(size, [shape for shape in shapes if shape.terrain == "water"]) == Ground.WATER
    bridge = wet & (rasterise(size, shapes) == Ground.NORMAL)
    told = rasterise(size, read(map_text(scenario)))
    assert not (told[bridge] & (Ground.WATER | Ground.BUILDING)).any()
    assert bridge.any() == any(shape.terrain == "normal" for shape in shapes)


@pytest.mark.parametrize("name", scenarios.names())
def test_the_text_stays_short(name: str) -> None:
    """It is a part of every prompt."""
    assert len(map_text(load_scenario(name))) < 4500


def test_the_format_is_the_published_one() -> None:
    """`Name: terrain at shape, shape, …`, boxes by two corners, circles by middle and radius.

    Rules: docs/rules/scenarios.md 3.2.
    """
    scenario = drawn(
        Circle(12, 63, 20, "forest", "Wood"),
        Box(0, 20, 5, 30, "forest", "Wood"),
        Box(0, 85, 100, 90, "water", "River"),
        Box(45, 85, 55, 90, "normal", "Bridge"),
    )
    assert map_text(scenario) == (
        "Wood: forest at (12, 63) with radius 20, (0, 20) - (5, 30)\n"
        "River: water at (0, 85) - (100, 90)\n"
        "Bridge: normal at (45, 85) - (55, 90)"
    )


def test_an_open_map_has_no_text() -> None:
    assert map_text(drawn()) == ""


def test_a_name_that_comes_back_over_another_shape_gets_a_line_of_its_own() -> None:
    """Later shapes lie over earlier ones, so the order of the lines counts."""
    wood = Box(0, 0, 9, 9, "forest", "Wood")
    assert map_text(drawn(wood, Box(0, 0, 5, 5, "water", "Pond"), wood)).splitlines() == [
        "Wood: forest at (0, 0) - (9, 9)",
        "Pond: water at (0, 0) - (5, 5)",
        "Wood: forest at (0, 0) - (9, 9)",
    ]


def test_a_shape_without_a_name_goes_by_its_terrain() -> None:
    assert map_text(drawn(Box(1, 2, 3, 4, "building"))) == "Building: building at (1, 2) - (3, 4)"


def test_a_river_along_an_axis_is_one_box() -> None:
    assert map_text(drawn(Band(((-5, 20), (105, 20)), 6, "water", "R"))) == "R: water at (0, 17) - (100, 23)"
    assert map_text(drawn(Band(((20, 105), (20, -5)), 6, "water", "R"))) == "R: water at (17, 0) - (23, 100)"


def test_what_lies_outside_the_map_is_left_out() -> None:
    far = [Box(-20, -20, -10, -10, "water"), Circle(-30, 50, 20, "water"), Band(((-40, 0), (-30, 9)), 6, "water")]
    assert map_text(drawn(*far)) == ""
    assert map_text(drawn(Box(-20, 90, 10, 120, "water", "Pond"))) == "Pond: water at (0, 90) - (10, 100)"


_place = st.tuples(st.integers(10, 90), st.integers(10, 90))


@given(ends=st.lists(_place, min_size=2, max_size=2, unique=True), width=st.sampled_from([6, 8, 10, 14]))
@pytest.mark.parametrize("terrain", ["water", "normal"])
def test_a_band_in_words_is_within_three_metres(terrain: str, ends: list[tuple[int, int]], width: int) -> None:
    """2 m narrower at most where circles meet, 1 m wider, 0.71 m for rounding; a bridge is never narrower."""
    scenario = drawn(Band(tuple(ends), width, terrain, "Band"))
    told = read(map_text(scenario))
    x, y = np.meshgrid(np.arange(100) + 0.5, np.arange(100) + 0.5, indexing="ij")
    covered = np.any([shape.covers(x, y) for shape in told], axis=0)
    less = 0.71 if terrain == "normal" else 2.71
    inner = Band(tuple(ends), width - 2 * less, terrain)
    along = np.array(ends[1]) - np.array(ends[0])
    if not along.all():  # a box has no round ends
        inner = Band(tuple(ends), 1, terrain)
    assert covered[inner.covers(x, y)].all()
    assert not covered[~Band(tuple(ends), width + 3.43, terrain).covers(x, y)].any()


def test_markers_have_lines_of_their_own() -> None:
    """docs/rules/scenarios.md 3.2."""
    scenario = with_markers(drawn(), {"B": (6, 32), "A": (17, 5)})
    assert markers_text(scenario) == "Markers:\nA at (17, 5)\nB at (6, 32)"
    assert markers_text(drawn()) == ""
