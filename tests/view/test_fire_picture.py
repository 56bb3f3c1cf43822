"""Pictures of a wildfire: the right colour at the right cell, north up, and what has to be seen of crews and people."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from hive.engine.crews.explored import Explored
from hive.engine.crews.score_rules import COSTS
from hive.ground.layers import Layer
from hive.kit.view import palette
from hive.kit.view.movie import film_gif
from hive.worlds.wildfire.maps.host_land import Land
from hive.worlds.wildfire.maps.host_places import TaskPlaces
from hive.worlds.wildfire.recording import FireRecording
from hive.worlds.wildfire.view import palette as fire_palette
from hive.worlds.wildfire.view.field import FireField, MapView, civilian_states
from hive.worlds.wildfire.view.front import draw_front, front_colours
from hive.worlds.wildfire.view.inset import Window
from hive.worlds.wildfire.view.picture import FirePainter, caption, fire_sheet, losses_line
from tests.view.fires import FRAMES, HOUSE, LAKE, SIZE, wildfire

CELL = 30  # pixels
COLOURS = fire_palette.ground_colours()


def ground(t: int, view: MapView = "truth") -> np.ndarray:
    """Return the ground alone, `[rows, columns, 3]`, in `SIZE` cells of `CELL` pixels."""
    field = FireField(wildfire(), SIZE * CELL, 0.5, view)
    return np.asarray(field.ground(t).reduce(field.fine))


def near_middle(image: np.ndarray, x: int, y: int) -> list[int]:
    """Return the pixel a little off the middle of a cell (x, y), where no grid line runs."""
    pixel: list[int] = image[y * CELL + CELL // 2 + 3, x * CELL + CELL // 2 + 3].tolist()
    return pixel


def pixels_of(image: np.ndarray, colour: palette.Rgb, x: float, y: float, reach: int = CELL // 2) -> int:
    """Count pixels of a colour in the square round a place of the map."""
    row, column = round(y * CELL), round(x * CELL)
    part = image[max(row - reach, 0) : row + reach, max(column - reach, 0) : column + reach].astype(int)
    return int((np.abs(part - np.array(colour)).max(-1) <= 6).sum())


def test_each_cell_has_the_colour_of_its_code_and_y_grows_downwards() -> None:
    """docs/rules/wildfire.md 1.2: (0, 0) is the north-western corner."""
    image = ground(3)
    assert near_middle(image, 5, 9) == COLOURS[Explored.ON_FIRE, Land.LIGHT].tolist()
    assert near_middle(image, 3, 9) == COLOURS[Explored.EXTINGUISHING, Land.LIGHT].tolist()
    assert near_middle(image, 9, 5) not in ([*fire_palette.BURNING[1]], [*fire_palette.BURNING[2]])
    assert near_middle(image, *LAKE) == COLOURS[Explored.WATER, Land.LIGHT].tolist()
    assert near_middle(image, 0, 0) == palette_mix(fire_palette.TREES[0], fire_palette.DAMP)
    assert near_middle(image, 9, 1) == list(fire_palette.ROCK)
    assert near_middle(image, *HOUSE) == list(fire_palette.HOUSE)


def palette_mix(one: palette.Rgb, other: palette.Rgb) -> list[int]:
    return list(palette.mix(one, other, 0.5))


def test_unseen_cells_are_pale_in_truth_and_blank_in_the_teams_view() -> None:
    dry, unknown = list(COLOURS[Explored.DRY + 1, Land.LIGHT]), list(fire_palette.UNKNOWN)
    assert near_middle(ground(0), 1, 1) == near_middle(ground(0, "team"), 1, 1) == dry
    pale = near_middle(ground(0), 8, 8)
    assert pale not in (dry, unknown)
    assert near_middle(ground(0, "team"), 8, 8) == unknown
    assert near_middle(ground(2), 8, 8) == near_middle(ground(2, "team"), 8, 8) == dry


def test_crews_stand_where_they_are_and_the_lifted_are_not_drawn_twice() -> None:
    field = FireField(wildfire(), SIZE * CELL, 1.0)
    early, late = (np.asarray(field.draw(t)) for t in (0, 5))
    firefighter, bulldozer, drone, helicopter = fire_palette.CREWS
    assert pixels_of(early, firefighter, 1.5, 4.5) > 20
    assert pixels_of(late, firefighter, 6.5, 4.5) > 20 and pixels_of(late, drone, 1.5, 1.5) > 20
    assert pixels_of(early, firefighter, 6.5, 6.5) > 20 and pixels_of(early, helicopter, 6.5, 6.5) > 20
    assert pixels_of(late, firefighter, 6.5, 6.7, 12) == 0 and pixels_of(late, helicopter, 6.5, 6.5) > 20
    assert pixels_of(early, bulldozer, 4.5, 9.5) > 20
    assert pixels_of(late, bulldozer, 4.5, 9.5) == 0, "a dead one is a cross in another shade"


def test_civilians_are_out_dead_carried_or_in_the_square_round_the_goal() -> None:
    seen = wildfire()
    assert civilian_states(seen, 0) == ["civilian", "civilian", "safe", "safe"]
    assert civilian_states(seen, 5) == ["civilian", "dead", "", "safe"]


def test_the_heading_says_tick_and_score_and_losses_are_named_with_what_they_are_of() -> None:
    seen = wildfire()
    assert caption(seen, 5) == "tick 5 of 5, score −126"
    assert [words for words, _ in losses_line(seen, 5)] == [
        "6 trees", "0 buildings", "1 of 4 civilians", "0 of 2 firefighters", "1 of 1 bulldozers",
    ]  # fmt: skip
    assert (seen.losses @ np.array([*COSTS.values()]) == -seen.score).all(), "the stacked losses end at the score"


@pytest.mark.parametrize("view", ["truth", "team"])
def test_a_picture_holds_the_map_a_chart_and_a_legend(view: MapView) -> None:
    image = FirePainter(wildfire(), 400, view).frame(-1)
    assert image.shape[1] == 400 and image.shape[0] % 2 == 0
    tree = fire_palette.LOSS_COLOURS[2]
    assert (np.abs(image.astype(int) - np.array(tree)).max(-1) < 8).sum() > 50, "the civilian lost fills the chart"


def test_a_movie_has_a_frame_a_tick_and_shows_the_fire_move(tmp_path: Path) -> None:
    made = film_gif(FirePainter(wildfire(), 300), tmp_path / "fire.gif", 8)
    assert made.frames == FRAMES
    fire = np.array(fire_palette.BURNING[1])
    with Image.open(tmp_path / "fire.gif") as film:
        columns = []
        for t in (0, 3):
            film.seek(t)
            shown = np.asarray(film.convert("RGB")).astype(int)[: film.height // 2 + 80]
            columns.append(np.nonzero(np.abs(shown - fire).max(-1) < 12)[1].mean())
    assert columns[1] > columns[0] + 30


def test_the_front_keeps_the_first_tick_at_which_a_cell_caught() -> None:
    seen = wildfire()
    caught = seen.caught()
    assert caught[2:8, 9].tolist() == [0, 1, 2, 3, 4, 5]
    assert (caught >= 0).sum() == 6
    early, late = front_colours(np.array([0, 5]), 5)
    image = draw_front(seen, 480)
    assert image.shape[1] == 480
    for colour in (early, late):
        assert (np.abs(image[:440].astype(int) - colour.astype(int)).max(-1) < 6).sum() > 40


def small_fire(first: int = 0) -> FireRecording:
    """Return a game on 90 cells a side in which one cell burns from frame `first` on."""
    size = 90
    ground = np.full((FRAMES, size, size), Explored.DRY + 1, np.uint8)
    ground[first:, 70, 20] = Explored.ON_FIRE
    layer, land = Layer.of(ground), np.full((size, size), Land.LIGHT, np.uint8)
    return wildfire(ground=layer, seen=layer, land=land, building=land == 9, known=TaskPlaces())


def test_a_small_fire_is_shown_again_larger() -> None:
    """Else the front of a fire that was put out at once would be a speck."""
    seen = small_fire()
    early = front_colours(np.array([0]), 5)[0]
    image = draw_front(seen, 480)[:440]
    rows, columns = np.nonzero(np.abs(image.astype(int) - early).max(-1) < 6)
    assert len(rows) > 300, "a cell is 5 pixels wide, and in the inset more than 20"
    assert columns.min() < 240 < columns.max() and rows.min() < 200 < rows.max()


def test_a_sheet_shows_a_small_fire_again_larger_where_it_burns() -> None:
    """A fire of a few cells on a map of 200 would be a speck, or lie under the units that fight it."""
    panel, fire = 240, np.array(fire_palette.BURNING[1])
    image = fire_sheet(small_fire(first=3), [0, 5], panel=panel)[:300].astype(int)  # without the legend
    middle = image.shape[1] // 2
    before, after = ((np.abs(half - fire).max(-1) < 6).sum() for half in (image[:, :middle], image[:, middle:]))
    assert before == 0 and after > 40, "a cell is 2.7 pixels wide, and in the inset more than 10"
    assert np.array_equal(fire_sheet(wildfire(), [5], panel=panel), fire_sheet(wildfire(), [5, 5], panel=panel))


def test_a_window_shows_a_part_of_the_map_as_the_map_does() -> None:
    """The same ground and units, enlarged; what lies outside is not drawn."""
    seen = wildfire()
    window = Window(4, 2, 6)
    part = FireField(seen, 6 * CELL, 1.0, window=window)
    whole = FireField(seen, SIZE * CELL, 1.0)
    cut = [np.asarray(field.ground(3).reduce(field.fine)) for field in (whole, part)]
    cells = np.s_[CELL // 2 :: CELL, CELL // 2 :: CELL]  # the middles of cells, which no grid line crosses
    np.testing.assert_array_equal(cut[0][2 * CELL : 8 * CELL, 4 * CELL : 10 * CELL][cells], cut[1][cells])
    helicopter = np.array(fire_palette.CREWS[3])
    assert (np.abs(np.asarray(part.draw(0)).astype(int) - helicopter).max(-1) < 6).sum() > 20
    away = FireField(seen, 6 * CELL, 1.0, window=Window(0, 7, 5))
    assert (np.abs(np.asarray(away.draw(0)).astype(int) - helicopter).max(-1) < 6).sum() == 0


def test_the_readmes_picture_shows_the_fire_burn() -> None:
    """At least two of its four moments show cells in flames, large enough to be seen."""
    with Image.open(Path(__file__).parents[2] / "docs" / "wildfire.png") as picture:
        image = np.asarray(picture.convert("RGB")).astype(int)[:400]  # without the legend
    flames = (np.abs(image - np.array(fire_palette.BURNING[1])).max(-1) < 12).reshape(len(image), 4, -1)
    assert (flames.sum((0, 2)) > 100).sum() >= 2


def test_a_sheet_shows_each_moment_once() -> None:
    assert fire_sheet(wildfire(), [0, 5], panel=120).shape[1] == fire_sheet(wildfire(), [0, 5, 5], panel=120).shape[1]
    with pytest.raises(ValueError, match="at least one tick"):
        fire_sheet(wildfire(), [])
