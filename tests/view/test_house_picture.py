"""A floor plan shows what its recording says: each fact changes pixels, and only near where it belongs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from hive.kit.errors import DataError
from hive.kit.view.display import Painter
from hive.worlds import kept
from hive.worlds.household.apartment import apartment, apartments
from hive.worlds.household.codes import DELIVERED, HELD, INSIDE, OBJECTS
from hive.worlds.household.episode import episode, episodes
from hive.worlds.household.recording import HouseRecording
from hive.worlds.household.view.arranging import box_around, covers
from hive.worlds.household.view.floor import ITEM, Floor
from hive.worlds.household.view.items import draw_item
from hive.worlds.household.view.palette import LOOKS
from hive.worlds.household.view.picture import HousePainter, caption, doing, house_sheet, spoken
from hive.worlds.household.view.scene import HouseScene
from tests.household.chores import FRAMES, chores

SIZE = 400


def drawn(recording: HouseRecording, t: int) -> np.ndarray:
    scene = HouseScene(recording)
    return np.asarray(Painter(scene, SIZE / scene.width).draw(t))


def changed(t: int, **changes: np.ndarray) -> np.ndarray:
    """The pixels `[P, 2]` (x, y) in which a changed recording looks different."""
    before, after = (drawn(each, t) for each in (chores(), replace(chores(), **changes)))
    rows, columns = np.nonzero((before != after).any(-1))
    return np.stack([columns, rows], -1)


def edited(name: str, index: tuple[int, ...], value: int) -> np.ndarray:
    array = getattr(chores(), name).copy()
    array[index] = value
    return array


def test_an_open_container_is_drawn_where_it_stands() -> None:
    found = changed(0, open=edited("open", (0, 3), 1))
    floor = Floor(chores().episode.apartment, SIZE)
    left, top, right, bottom = floor.box(chores().episode.apartment.receptacles[3])
    assert len(found) and (found >= [left - 2, top - 2]).all() and (found <= [right + 2, bottom + 2]).all()


def test_an_object_in_a_closed_container_is_fainter_than_in_an_open_one() -> None:
    inside = chores().episode.things[0].place
    assert inside is not None and chores().episode.apartment.receptacles[inside].closes
    assert len(changed(0, open=edited("open", (0, inside), 1)))
    assert len(changed(0, place=edited("place", (0, 0), chores().episode.goal_place)))


def test_what_an_agent_holds_is_drawn_at_the_agent() -> None:
    hands, place = edited("hands", (0, 1, 1), 1), edited("place", (0, 1), HELD + 1)
    floor = Floor(chores().episode.apartment, SIZE)
    x, y = floor.at(tuple(chores().at[0, 1] / 1000))  # type: ignore[arg-type]
    moved = changed(0, place=place)  # the juice is gone from the bench
    found = {tuple(pixel) for pixel in changed(0, hands=hands, place=place)} - {tuple(pixel) for pixel in moved}
    assert found and all(np.hypot(px - x, py - y) < 1.4 * floor.scale for px, py in found)


def test_a_number_at_a_carried_container_says_how_many_things_are_in_it() -> None:
    """Next to that object, and the text names them; without things in it there is no number."""
    full, empty = edited("place", (0, 2), INSIDE), edited("place", (0, 2), DELIVERED)
    full[0, 3], empty[0, 3] = INSIDE, DELIVERED
    recording = replace(chores(), place=full, hands=edited("hands", (0, 1, 1), 0))
    assert recording.inside(0, 0) == [2, 3] and recording.inside(0, 1) == []
    names = [each.name for each in recording.episode.things]
    assert doing(recording, 0, 1).endswith(f"holds {names[0]} ({names[2]}, {names[3]})")
    one, other = (drawn(replace(chores(), place=place), 0) for place in (full, empty))
    rows, columns = np.nonzero((one != other).any(-1))
    floor = Floor(chores().episode.apartment, SIZE)
    ((x, y),) = floor.spots(int(full[0, 0]), 1)
    assert len(rows) and (np.hypot(columns - x, rows - y) < ITEM * floor.scale + 5).all()


def test_captions_deeds_and_messages_follow_the_frame() -> None:
    recording = chores()
    assert caption(recording, 1) == "after 1 step, limit 250" and "nothing yet" in doing(recording, 0, 0)
    assert doing(recording, 4, 0) == "go put  ·  in the bathroom, holds cupcake_1"
    assert [words for _, words in spoken(recording, 2)] == ["I found <juice> (102) on <bench> (30)."]
    assert len(spoken(recording, 5)) == 2  # problems are not spoken
    assert caption(replace(recording, finished=np.ones(FRAMES, bool)), 5) == "finished after 5 steps"


@pytest.mark.parametrize("name", ["cwah_0", "cwah_5"])
def test_all_furniture_and_doors_are_on_the_plan(name: str) -> None:
    home = episode(name).apartment
    floor = Floor(home, SIZE, SIZE)
    wide, high = floor.size
    assert max(wide, high) <= SIZE + 1
    for place in [each.at for each in home.receptacles] + [door.at for door in home.doors]:
        x, y = floor.at(place)
        assert 0 < x < wide and 0 < y < high
    for number in range(len(home.receptacles)):
        assert len(set(floor.spots(number, 5))) == 5


@pytest.mark.parametrize("name", apartments())
def test_objects_at_furniture_stay_in_its_room(name: str) -> None:
    """However many there are; the first ones stay where they are when more are added, but for tables."""
    home = apartment(name)
    floor = Floor(home, SIZE, SIZE)
    for number, each in enumerate(home.receptacles):
        room = home.rooms[each.room]
        x, y = floor.at(room.centre)
        half = [side * floor.scale / 2 for side in room.size]
        for count in (1, 7, OBJECTS):
            spots = np.array(floor.spots(number, count))
            assert len({*map(tuple, spots.tolist())}) == count
            assert (np.abs(spots - [x, y]) <= np.array(half) - 0.4 * ITEM * floor.scale).all(), (each.name, count)


@pytest.mark.parametrize("name", apartments())
def test_no_label_of_a_floor_plan_is_covered(name: str) -> None:
    """Furniture covers no other furniture, no name of a room and no door; objects leave its letters readable."""
    home = apartment(name)
    floor = Floor(home, 1000, 1000)
    boxes = np.array([floor.box(each) for each in home.receptacles])
    for number, box in enumerate(boxes):
        assert not covers(box[None], np.delete(boxes, number, axis=0)).any(), home.receptacles[number].name
    for number, room in enumerate(home.rooms):
        at, letters = floor.label(number)
        words = box_around(at, letters.getlength(room.name), letters.size)
        middle, half = floor.at(room.centre), np.array(room.size) * floor.scale / 2
        assert np.all(words[:2] >= middle - half) and np.all(words[2:] <= middle + half), room.name
        others = [box_around(floor.at(each.centre), *np.array(each.size) * floor.scale) for each in home.rooms]
        assert not covers(words[None], np.delete(others, number, axis=0)).any(), room.name
        assert not covers(words[None], boxes).any(), room.name
        doors = [box_around(floor.at(door.at), 0.9 * floor.scale, 0.9 * floor.scale) for door in home.doors]
        assert not doors or not covers(words[None], np.array(doors)).any(), room.name
    for number in range(len(home.receptacles)):
        for count in (1, 3, 5):
            spots = floor.spots(number, count)
            things = np.array([box_around(spot, *2 * [0.8 * ITEM * floor.scale]) for spot in spots])
            for each in home.receptacles:
                own = box_around(floor.letters(each), *2 * [0.3 * floor.scale])
                assert not covers(own[None], things).any(), (home.receptacles[number].name, count, each.name)


def test_every_class_of_objects_of_the_test_episodes_has_its_own_picture() -> None:
    kinds = {each.kind for name in episodes() for each in episode(name).things}
    assert {kind for kind in kinds if kind in LOOKS} and len({draw_item(kind, 32).tobytes() for kind in kinds}) == len(
        kinds
    )


def test_pictures_movie_and_sheet_are_written(tmp_path: Path) -> None:
    chores().save(tmp_path / "recording.npz")
    recording = HouseRecording.load(tmp_path / "recording.npz")
    assert recording.lines == chores().lines and recording.episode == chores().episode
    (name, save), *_ = kept.pictures(recording).items()
    save(tmp_path / name)  # type: ignore[operator]
    film = kept.movies(recording)["movie.gif"](recording, tmp_path / "movie.gif", size=300)
    assert film.frames == FRAMES and (tmp_path / name).stat().st_size > 1000
    assert HousePainter(recording, 301).frame(-1).shape[1] == 302
    assert house_sheet(recording, [0, 5], panel=300).shape[1] == 600
    with pytest.raises(ValueError, match="at least 300"):
        HousePainter(recording, 200)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"tick": np.arange(FRAMES)[::-1]}, "ticks that rise"),
        ({"hands": np.full((FRAMES, 2, 2), 99)}, "hands must lie in"),
        ({"place": np.full((FRAMES, 7), 3)[:, :2]}, "place has shape"),
        ({"doing": np.full((FRAMES, 2), 4)}, "doing must lie in -1 to 3"),
        ({"room": np.full((FRAMES, 2), 4)}, "room must lie in"),
    ],
)
def test_a_recording_whose_fields_disagree_is_refused(changes: dict[str, np.ndarray], why: str) -> None:
    with pytest.raises(DataError, match=why):
        replace(chores(), **changes)  # type: ignore[arg-type]
