"""Pictures of a map for a model: the coordinates that they show are true, and the dead are not shown."""

from __future__ import annotations

from io import BytesIO

import jax
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

import hive
from hive.engine.types import State
from hive.kit.planned_world import MAP_PICTURES
from hive.kit.view import palette
from hive.worlds.battle.scenario import load_scenario, with_markers
from hive.worlds.battle.world import Battle

WORLD = Battle(with_markers(load_scenario("coordinate", units=20), {"Q": (40, 80)}))
SIZE = 600  # four pixels a metre


@pytest.fixture(scope="module")
def state() -> State:
    """Two units of the player stand on known places, the others far away, and one is dead."""
    start: State = jax.jit(hive.reset)(WORLD.params, jax.random.key(0))
    position = np.full(start.position.shape, 145.0, np.float32)
    position[0], position[1], position[2] = (30.0, 60.0), (100.0, 20.0), (60.0, 20.0)
    health = np.asarray(start.health).copy()
    health[2] = 0
    return start.replace(position=position, health=health)


def pixels(state: State, form: str) -> NDArray[np.uint8]:
    image = Image.open(BytesIO(WORLD.map_png(state, form, SIZE)))
    assert (image.format, image.mode, image.size) == ("PNG", "RGB", (SIZE, SIZE))
    return np.asarray(image)


def spots(image: NDArray[np.uint8], colour: palette.Rgb) -> NDArray[np.bool_]:
    return np.asarray((image == colour).all(axis=-1))


def test_units_are_as_large_as_their_radius(state: State) -> None:
    """A scenario's `types.X.radius` holds for the maps that a model reads as well."""
    types = WORLD.params.types
    wide = Battle(WORLD.scenario)
    vars(wide)["params"] = WORLD.params.replace(types=types.replace(radius=np.asarray(types.radius) * 4))
    seen = [np.asarray(Image.open(BytesIO(world.map_png(state, "raw", SIZE)))) for world in (WORLD, wide)]
    small, large = (spots(image, palette.unit_colour(0, 0)).sum() for image in seen)
    assert large > 4 * small


def test_the_bare_map_shows_live_units_where_they_stand(state: State) -> None:
    image = pixels(state, "raw")
    mine = spots(image, palette.unit_colour(0, 0))
    for x, y in ((30, 60), (100, 20)):
        assert mine[SIZE - 4 * y, 4 * x]
    assert (image[SIZE - 4 * 20 - 12 : SIZE - 4 * 20 + 12, 4 * 60 - 12 : 4 * 60 + 12] == palette.GROUND_COLOUR).all()
    assert spots(image, palette.MARKER)[SIZE - 4 * 80 - 60 : SIZE - 4 * 80, 4 * 40 - 40 : 4 * 40 + 40].any()
    ground = image[150:170, 100:250]
    assert (ground == palette.GROUND_COLOUR).all(), "no line gives a coordinate away"


def test_lines_of_the_grid_stand_at_round_coordinates(state: State) -> None:
    """At every tenth metre of 150, and each is named on both sides."""
    image = pixels(state, "grid")
    edge = 25
    side = SIZE - 2 * edge
    columns = (image[170, edge : SIZE - edge] != palette.GROUND_COLOUR).any(axis=-1).nonzero()[0]
    assert columns.tolist() == [round(metre * side / 150) for metre in range(10, 150, 10)]
    rows = (image[edge:-edge, edge + 5] != palette.GROUND_COLOUR).any(axis=-1)[60:].nonzero()[0] + 60
    assert set(side - round(metre * side / 150) for metre in range(10, 130, 10)) <= set(rows.tolist())
    for strip in (image[: edge - 2], image[-edge + 2 :], image[:, : edge - 2], image[:, -edge + 2 :]):
        assert (strip != palette.PAGE).any(), "numbers"


def test_labels_stand_below_dots_at_their_coordinates(state: State) -> None:
    raw, image = pixels(state, "raw"), pixels(state, "scaffold")
    for x in range(25, 150, 25):
        for y in range(25, 125, 25):
            row, column = SIZE - 4 * y, 4 * x
            assert (image[row, column] == palette.INK).all()
            assert (image[row + 4 : row + 14, column - 12 : column + 12] == palette.INK).all(axis=-1).any()
    assert (raw == image).all(axis=-1).mean() > 0.9


def test_a_form_or_size_that_nobody_can_read_is_refused(state: State) -> None:
    with pytest.raises(ValueError, match="there is no form `text` of a map; forms are raw, grid, scaffold"):
        WORLD.map_png(state, "text")
    with pytest.raises(ValueError, match="at least 512 pixels wide, not 100"):
        WORLD.map_png(state, MAP_PICTURES[0], 100)
