"""A picture of a rescue shows what its recording says: each fact changes pixels, and only where it belongs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from hive.kit.view.display import Painter
from hive.worlds import kept
from hive.worlds.rescue.recording import gather_start
from hive.worlds.rescue.shipped import names, shipped
from hive.worlds.rescue.view.drawing import DRAWING, RescuePainter, caption, doing, draw_instance, spoken
from hive.worlds.rescue.view.icons import icon, token
from hive.worlds.rescue.view.scene import WIDTH, MapLayout, RescueScene
from tests.rescue.episodes import spoken_run


def changed(t: int, **changes: np.ndarray) -> set[str]:
    """The rooms in which a changed recording looks different, doors left out."""
    run = spoken_run()
    before, after = (np.asarray(Painter(RescueScene(each), 1.0).draw(t)) for each in (run, replace(run, **changes)))
    rows, columns = np.nonzero((before != after).any(2))
    plan = MapLayout(run.instance)
    return {
        name
        for name, (x, y) in zip(run.instance.rooms, plan.middles, strict=True)
        if ((abs(columns - x) < plan.box[0] / 2) & (abs(rows - y) < plan.box[1] / 2)).any()
    }


def edited(name: str, place: tuple[int, ...], value: int) -> np.ndarray:
    array = getattr(spoken_run(), name).copy()
    array[place] = value
    return array


@pytest.mark.parametrize(
    ("name", "place", "value", "where"),
    [
        ("needs", (0, 0, 0), 0, {"room3"}),  # victim1
        ("needs", (0, 1), 0, {"room5"}),  # all of victim2
        ("supplies", (0, 0, 0), 3, {"room1"}),  # Alpha
        ("active", (0, 1), 0, {"room6"}),  # Bravo
        ("position", (0, 0), 1, {"room1", "room2"}),
    ],
)
def test_each_fact_is_drawn_in_its_room(name: str, place: tuple[int, ...], value: int, where: set[str]) -> None:
    assert changed(0, **{name: edited(name, place, value)}) == where


def test_an_urgent_victim_looks_otherwise() -> None:
    run = spoken_run()
    calm = replace(run.instance, victims=tuple(replace(victim, urgent=False) for victim in run.instance.victims))
    assert changed(0, instance=calm) == {"room3"}  # type: ignore[arg-type]


def test_icons_differ_and_needs_that_are_met_are_pale() -> None:
    drawn = [icon(name, 32) for name in ("water", "food", "medicine", "urgent", "waits", "helped")]
    drawn += [icon(name, 32, True) for name in ("water", "food", "medicine")]
    drawn += [*(token(agent, "A", 32, True) for agent in range(4)), token(0, "A", 32, False), token(0, "B", 32, True)]
    assert len({image.tobytes() for image in drawn}) == len(drawn)


@pytest.mark.parametrize("name", names())
def test_no_rooms_overlap_and_all_are_inside(name: str) -> None:
    instance = shipped(name)
    plan = MapLayout(instance)
    wide, high = plan.box
    for number, (x, y) in enumerate(plan.middles):
        assert wide / 2 <= x <= WIDTH - wide / 2 and high / 2 <= y <= plan.height - high / 2
        assert all(abs(x - a) > wide or abs(y - b) > high for a, b in plan.middles[:number])


def test_rooms_at_one_place_or_far_apart_still_make_a_picture() -> None:
    instance = shipped("map_7/agents-1")
    for places in ([(0.0, 0.0)] * 6, [(number * 900.0, number * 0.001) for number in range(6)]):
        picture = draw_instance(replace(instance, places=tuple(places)), 400)
        assert picture.shape[1] == 400 and picture.shape[0] < 4_000


def test_texts_of_several_lines_become_one() -> None:
    instance = shipped("map_7/agents-1")
    one, other = (draw_instance(replace(instance, about=text), 240) for text in ("a b", "a\n b"))
    np.testing.assert_array_equal(one, other)


def test_words_below_the_map_are_those_of_the_frame() -> None:
    run = spoken_run()
    assert caption(run, 0) == "step 0 of 60, 0 of 2 helped"
    assert caption(run, run.frames - 1) == "step 7 of 60, 2 of 2 helped: all victims helped"
    assert doing(run, 0, 0) == "starts, carries water 1, medicine 1"
    assert doing(run, 1, 0) == "give_food() – refused, carries water 1, medicine 1"
    assert [line.agent for line in spoken(run, 1)] == [0, 1] and not spoken(run, 0)
    silent = replace(run, lines=tuple(line for line in run.lines if line.tick != 3))
    talks, quiet = RescuePainter(run, 240), RescuePainter(silent, 240)
    np.testing.assert_array_equal(talks.frame(2), quiet.frame(2))
    assert (talks.frame(3) != quiet.frame(3)).any()


def test_a_sheet_and_a_movie_are_made_of_a_saved_run(tmp_path: Path) -> None:
    start = gather_start(shipped("map_7/agents-1"))
    for make in kept.pictures(start).values():
        make(tmp_path / "picture.png")
    with Image.open(tmp_path / "picture.png") as drawn:
        assert drawn.size[0] == 560
    film = kept.movies(start)["movie.gif"](start, tmp_path / "movie.gif", size=240)
    assert film.frames == 1
    assert DRAWING.draw_sheet(spoken_run(), [0, 1], panel=240).shape[1] == 480
    with pytest.raises(ValueError, match="240"):
        RescuePainter(start, 100)
