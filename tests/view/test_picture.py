"""Whole pictures: page, heading, contact sheet, files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from dsl import UserError
from hive.ground.shapes import Ground
from hive.kit.view import palette
from hive.kit.view.pictures import save_picture
from hive.worlds.battle.recording import BattleRecording
from hive.worlds.battle.view.picture import Painter, contact_sheet
from tests.work import lines_run

Make = Callable[..., BattleRecording]

PLACES = [[[5.0, 5.0], [15.0, 15.0]]] * 3


@pytest.mark.parametrize("size", [240, 301, 720])
def test_a_picture_is_rgb_of_the_width_asked_for_and_even(make_recording: Make, size: int) -> None:
    """Both sides are even, because a movie encoder wants it."""
    image = Painter(make_recording(PLACES, side=[0, 1]), size).frame(0)
    assert image.dtype == np.uint8 and image.shape[2] == 3
    assert image.shape[1] == size + size % 2 and image.shape[0] % 2 == 0


def test_north_is_up_on_the_whole_page(make_recording: Make) -> None:
    image = Painter(make_recording(PLACES, side=[0, 1], type=[2, 2])).frame(0)[100:700]
    player, enemy = (np.nonzero((image == palette.unit_colour(side, 2)).all(axis=-1))[0].mean() for side in (0, 1))
    assert enemy < player


def test_heading_changes_with_the_tick_and_the_living(make_recording: Make) -> None:
    seen = make_recording(PLACES, side=[0, 1], tick=[0, 1, 2], health=[[1, 1], [1, 1], [1, 0]])
    painter = Painter(seen)
    first, second, third = (painter.frame(t)[:60].astype(int) for t in range(3))
    assert (first[:30] != second[:30]).any(), "the tick"
    assert (first[30:] == second[30:]).all() and (second[30:] != third[30:]).any(), "the counts"


def test_frames_do_not_leave_traces_in_later_frames(make_recording: Make) -> None:
    seen = make_recording([[[2.0, 2.0]], [[18.0, 18.0]]])
    painter = Painter(seen)
    fresh = painter.frame(1).copy()
    painter.frame(0)
    np.testing.assert_array_equal(painter.frame(1), fresh)


def test_a_map_needs_no_units(make_recording: Make) -> None:
    kind = np.zeros((30, 30), np.uint8)
    kind[:, 20:] = Ground.FOREST
    empty = make_recording(np.zeros((1, 0, 2)), kind=kind, targets=[(10, 10, "1")], markers={"A": (3, 4)})
    image = Painter(empty).frame(0)
    assert (image == palette.TARGET).all(axis=-1).sum() > 10
    assert (image == palette.FOREST_COLOUR).all(axis=-1).sum() > 10_000


def test_the_legend_names_only_what_is_there(make_recording: Make) -> None:
    """A type that does not fight leaves no icon under the map."""
    below = Painter(make_recording(PLACES, side=[0, 1], type=[0, 0])).frame(0)[-60:]
    assert (below == palette.unit_colour(0, 0)).all(axis=-1).any()
    assert not (below == palette.unit_colour(0, 1)).all(axis=-1).any()


def test_a_contact_sheet_holds_one_map_a_tick_and_wraps(make_recording: Make) -> None:
    seen = make_recording(PLACES, side=[0, 1])
    one, three = contact_sheet(seen, [0], panel=200), contact_sheet(seen, [0, 1, 2], panel=200)
    assert three.shape[1] > 2.8 * one.shape[1] and three.shape[0] == one.shape[0]
    wrapped = contact_sheet(seen, [0, 1, 2], panel=200, columns=2)
    assert wrapped.shape[1] < three.shape[1] and wrapped.shape[0] > 1.6 * three.shape[0]


def test_a_contact_sheet_without_ticks_shows_start_and_end(make_recording: Make) -> None:
    seen = make_recording(PLACES, side=[0, 1])
    np.testing.assert_array_equal(contact_sheet(seen, panel=200), contact_sheet(seen, seen.moments(4), panel=200))


def test_a_frame_runs_as_many_lines_of_python_for_two_thousand_units_as_for_two_hundred(make_recording: Make) -> None:
    """Units are drawn by array operations, and what does not change is drawn once."""

    def work(units: int) -> int:
        places = np.random.default_rng(0).uniform(15, 135, (1, units, 2))
        places[:, 1::2] = places[:, ::2] + 10.0  # every unit shoots at one 14 m away
        painter = Painter(make_recording(places, metres=150, side=np.arange(units) % 2, attack=[np.arange(units) ^ 1]))
        painter.frame(0)  # which loads fonts
        return lines_run(lambda: painter.frame(0))

    assert work(200) == work(2000)


def test_a_saved_picture_reads_back_the_same(tmp_path: Path) -> None:
    image = np.random.default_rng(0).integers(0, 256, (20, 30, 3), dtype=np.uint8)
    save_picture(image, tmp_path / "a.png")
    np.testing.assert_array_equal(np.asarray(Image.open(tmp_path / "a.png")), image)
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.png"]


def test_a_picture_that_cannot_be_encoded_leaves_the_old_file_and_no_other(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"old")
    with pytest.raises((TypeError, ValueError)):
        save_picture(np.zeros((4, 4, 7), np.uint8), tmp_path / "a.png")
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.png"]
    assert (tmp_path / "a.png").read_bytes() == b"old"


def test_saving_into_a_missing_folder_is_the_users_error(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="there is no folder"):
        save_picture(np.zeros((4, 4, 3), np.uint8), tmp_path / "none" / "a.png")
