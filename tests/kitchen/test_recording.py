"""A run's recording survives its file, refuses what does not fit together, and names the actions that were played."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

from dsl import UserError
from hive.kit.errors import DataError
from hive.kit.keep.packing import format_of, write_arrays
from hive.worlds.kitchen.cookbook import cookbook, read_cookbook
from hive.worlds.kitchen.layout import layout, read_layout
from hive.worlds.kitchen.recording import KitchenRecording, cookbook_text, layout_text
from tests.dsl.strategies import ANY_TEXT
from tests.kitchen.meals import LINES, SCRIPTS, meal


def test_a_recording_survives_its_file(tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    meal().save(path)
    found = KitchenRecording.load(path)
    for field in fields(KitchenRecording):
        mine, its = getattr(meal(), field.name), getattr(found, field.name)
        if isinstance(mine, np.ndarray):
            np.testing.assert_array_equal(mine, its, field.name)
        elif field.name in ("book", "layout"):
            assert replace(mine, source="") == replace(its, source="")
        else:
            assert mine == its, field.name
    assert format_of(path) == KitchenRecording.format


def test_cookbook_and_layout_survive_as_text() -> None:
    book = cookbook()
    assert replace(read_cookbook(cookbook_text(book)), source="") == replace(book, source="")
    place = layout(book)
    assert replace(read_layout(layout_text(place, book), book), source="") == replace(place, source="")


@given(name=ANY_TEXT)
def test_a_cook_may_have_any_name(name: str) -> None:
    """What a recording keeps can be read again, whatever the user called the cook."""
    book, place = cookbook(), layout(cookbook())
    odd = replace(place, cooks=(replace(place.cooks[0], name=name), *place.cooks[1:]))
    assert replace(read_layout(layout_text(odd, book), book), source="") == replace(odd, source="")


def test_actions_and_their_completions_are_those_of_the_scripts() -> None:
    """In order, and with the timestep of the delivery that the rules give for this script (39)."""
    found = meal()
    for cook, script in enumerate(SCRIPTS):
        texts = [found.deeds[found.doing[t, cook]] for t in np.flatnonzero(found.done[:, cook])]
        assert texts == [str(action) for action in script]
    assert (found.delivery, found.outcome) == (39, "delivered in timestep 39")
    assert replace(found, limit=38).outcome.endswith("(too late)")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"held": np.full((41, 2), 10_000)}, "held must lie in 0 to"),
        ({"product": np.full((41, 4), 1)}, "product must be something that a utensil makes"),
        ({"served": np.zeros(3, bool)}, "served has shape"),
        ({"order": "nothing"}, "order is not one of its cookbook"),
        ({"lines": (replace(LINES[0], agent=2),)}, "a line belongs to cook"),
        ({"tick": np.arange(41)[::-1]}, "ticks that rise"),
    ],
)
def test_fields_that_do_not_fit_are_refused(changes: dict[str, object], message: str) -> None:
    with pytest.raises(DataError, match=message):
        replace(meal(), **changes)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("contents", np.zeros((3, 41), np.uint8), "contents has shape"),
        ("held", np.full((2, 41), 255, np.uint8), "held must lie"),
        ("words", np.frombuffer(b'{"format": "hive-kitchen-recording/1"}', np.uint8), "words.cookbook is missing"),
    ],
)
def test_a_damaged_file_is_refused_with_a_reason(tmp_path: Path, name: str, value: np.ndarray, message: str) -> None:
    path = tmp_path / "run.npz"
    write_arrays(meal().encode() | {name: value}, path)
    with pytest.raises(UserError, match=message):
        KitchenRecording.load(path)
