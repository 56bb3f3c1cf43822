"""A picture of a kitchen shows what its recording says: each fact changes pixels, and only where it belongs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from hive.kit.view.display import Painter
from hive.worlds import kept
from hive.worlds.kitchen.cookbook import cookbook
from hive.worlds.kitchen.view import palette
from hive.worlds.kitchen.view.items import _SHAPES, draw_item
from hive.worlds.kitchen.view.picture import KitchenPainter, kitchen_sheet
from hive.worlds.kitchen.view.scene import KitchenScene
from tests.kitchen.meals import meal

TILE = 60


def tiles(recording: object, t: int) -> np.ndarray:
    """The pixels of a frame by tile, `[height, width, TILE, TILE, 3]`."""
    pixels = np.asarray(Painter(KitchenScene(recording), TILE).draw(t))
    return pixels.reshape(5, TILE, 5, TILE, 3).swapaxes(1, 2)


def changed(t: int, **changes: np.ndarray) -> set[tuple[int, int]]:
    """The tiles (x, y) in which a changed recording looks different."""
    before, after = tiles(meal(), t), tiles(replace(meal(), **changes), t)
    rows, columns = np.nonzero((before != after).any((2, 3, 4)))
    return set(zip(columns.tolist(), rows.tolist(), strict=True))


def edited(name: str, place: tuple[int, ...], value: int) -> np.ndarray:
    array = getattr(meal(), name).copy()
    array[place] = value
    return array


@pytest.mark.parametrize(
    ("name", "place", "value", "where"),
    [
        ("held", (0, 0), 1, {(3, 1), (3, 0)}),  # Bob looks north: the item lies over the edge of the pot's tile
        ("facing", (0, 1), 3, {(1, 2)}),
        ("contents", (0, 2, 0), 1, {(3, 0)}),  # pot0
        ("notice", (0, 0), 1, {(0, 2)}),  # the chopping board
        ("done", (0, 0), 1, {(3, 0)}),
    ],
)
def test_each_fact_is_drawn_on_its_tile(
    name: str, place: tuple[int, ...], value: int, where: set[tuple[int, int]]
) -> None:
    found = changed(0, **{name: edited(name, place, value)})
    assert found and found <= where


def test_progress_of_a_utensil_is_drawn_until_it_is_ready() -> None:
    """The four amounts of work of one product give four different pictures."""
    product = np.zeros_like(meal().product)
    product[:, 2] = meal().book.code["boiled_egg"]
    looks = []
    for work in range(4):
        changes = {"product": product, "work": np.full_like(meal().work, work)}
        looks.append(tiles(replace(meal(), **changes), 0)[0, 3].tobytes())
    assert len(set(looks)) == 4


def test_every_item_has_a_picture_of_its_own() -> None:
    """No two of the shipped cookbook's items look alike, and each shipped ingredient has a look."""
    book = cookbook()
    found: dict[bytes, str] = {}
    for code in range(1, book.codes):
        found.setdefault(draw_item(book, code, 48).tobytes(), book.name(code))
    assert len(found) == book.codes - 1
    assert {look.shape for look in palette.LOOKS.values()} <= set(_SHAPES)
    assert set(palette.LOOKS) == set(book.ingredients)


def test_an_unknown_ingredient_has_a_look_that_depends_on_its_name_only() -> None:
    assert palette.look("dragonfruit") == palette.look("dragonfruit") != palette.look("starfruit")


def test_words_below_the_map_are_those_of_the_frame() -> None:
    """What is said later does not show before; what a cook does shows in its frame."""
    silent = replace(meal(), lines=meal().lines[:4])
    early, late = 5, 20
    talks, quiet = KitchenPainter(meal(), 240), KitchenPainter(silent, 240)
    np.testing.assert_array_equal(talks.frame(early), quiet.frame(early))
    assert (talks.frame(late) != quiet.frame(late)).any()


def test_a_sheet_and_a_movie_are_made_of_a_saved_run(tmp_path: Path) -> None:
    short = replace(
        meal(), **{name: getattr(meal(), name)[:3] for name in (
            "tick", "tile", "facing", "held", "counters", "contents", "product", "work", "notice", "served", "doing",
            "done")}
    )  # fmt: skip
    for make in kept.pictures(short).values():
        make(tmp_path / "picture.png")
    assert (tmp_path / "picture.png").stat().st_size > 1000
    film = kept.movies(short)["movie.gif"](short, tmp_path / "movie.gif", size=240)
    assert film.frames == 3
    assert kitchen_sheet(short, [0, 1], panel=240).shape[1] == 480
