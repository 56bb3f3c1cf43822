"""Display lists: both painters take every kind of item, and a page holds each distinct item once."""

from __future__ import annotations

import json
import re
from typing import get_args

import numpy as np
import pytest
from PIL import Image

from hive.kit.view.display import Item, Line, Painter, Polygon, Shape, Sprite, Symbol, Text, Tip, pack_frames
from hive.kit.view.pages import read_part

RED, BOX = (200, 0, 0), (2.0, 2.0, 4.0, 4.0)
ITEMS: list[Item] = [
    Sprite("dot", BOX),
    Shape(BOX, RED),
    Polygon(((2, 2), (6, 2), (2, 6)), RED),
    Line(((2, 2), (6, 6)), RED, 0.2),
    Text(("word",), (4, 4), 2, RED),
    Tip(BOX, "title", (("name", "fact"),)),
]


class OneItem:
    """A scene of two frames that shows one item; its only mover goes two units to the right."""

    width, height = 10.0, 8.0

    def __init__(self, item: Item) -> None:
        self.item = item
        self.symbols = {"dot": Symbol(lambda pixels: Image.new("RGB", (pixels, pixels), RED), 16)}

    def back(self) -> list[Item]:
        return []

    def frame(self, t: int, still: bool) -> list[Item]:
        return [self.item]

    def places(self, t: int) -> list[tuple[float, float]]:
        return [(2.0 * t, 0.0)]


def test_both_painters_take_every_kind_of_item() -> None:
    kinds = [kind.__name__.lower() for kind in get_args(Item)]
    assert {type(item) for item in ITEMS} == set(get_args(Item))
    assert re.findall(r"^  (\w+)\(", read_part("shared_page/display.js").partition("};")[0], re.MULTILINE) == kinds


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: type(item).__name__)
def test_a_picture_shows_an_item_where_its_mover_is(item: Item) -> None:
    still, moved = (Painter(OneItem(each), 10) for each in (item, item._replace(mover=0)))
    drawn = np.asarray(still.draw(0))
    assert (drawn != np.asarray(still._back)).any() == (not isinstance(item, Tip))
    np.testing.assert_array_equal(drawn, np.asarray(still.draw(1)))
    np.testing.assert_array_equal(drawn[:, :80], np.asarray(moved.draw(1))[:, 20:])


def test_a_faint_sprite_and_a_shortened_text_differ_from_full_ones() -> None:
    sprite, words = Sprite("dot", BOX), Text(("many words",), (4, 4), 2, RED)
    for one, other in ((sprite, sprite._replace(alpha=0.4)), (words, words._replace(room=4.0))):
        assert Painter(OneItem(one), 10).draw(0).tobytes() != Painter(OneItem(other), 10).draw(0).tobytes()
    assert Painter(OneItem(words._replace(plate=(255, 255, 255))), 10).draw(0).getpixel((40, 45)) != (0, 0, 0)


def test_a_page_gets_each_distinct_item_once() -> None:
    arrays = pack_frames(OneItem(ITEMS[1]), 2, lambda t: [["", "acts", [], f"holds {t}"]])
    table = json.loads(arrays["table"].tobytes())
    assert len(table) == 3 and table[0][0] == "shape"
    assert arrays["item"].tolist() == [0, 0] and arrays["count"].tolist() == [1, 1]
    assert [table[row][3] for row in arrays["panel"][:, 0]] == ["holds 0", "holds 1"]


def test_a_faint_line_lets_through_what_is_below_it() -> None:
    ground, line = Shape((0, 0, 10, 8), (0, 0, 0)), Line(((2, 4), (8, 4)), (200, 100, 0), 2, alpha=0.5)
    scene = OneItem(line)
    scene.back = lambda: [ground]  # type: ignore[method-assign]
    assert np.abs(np.asarray(Painter(scene, 10).draw(0))[40, 50].astype(int) - (100, 50, 0)).max() <= 1
