"""What a recording promises: shapes that agree, counts of the living, and words for them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from hive.ground.shapes import Ground
from hive.worlds.battle.recording import BattleRecording

Make = Callable[..., BattleRecording]

THREE = [[1, 1], [2, 2], [3, 3]]


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("kind", np.zeros((3, 4), np.uint8), "kind has shape"),
        ("kind", np.zeros((3, 3)), "expected uint8"),
        ("side", np.array([0, 1, 2]), "side must lie in 0 to 1"),
        ("type", np.array([0, -1, 2]), "type must lie in 0 to 5"),
        ("health", np.ones((2, 3)), "health has shape"),
        ("attack", np.array([[3, -1, -1]]), "attack must lie in -1 to 2"),
        ("position", np.full((1, 3, 2), np.nan), "not finite"),
        ("radius", np.full(6, np.inf), "not finite"),
        ("radius", np.full(6, -0.1), "a radius is negative"),
        ("radius", np.ones(5), "radius has shape"),
    ],
)
def test_a_field_of_wrong_shape_or_range_is_refused(
    make_recording: Make, field: str, value: np.ndarray, words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        make_recording(THREE, **{field: value})


def test_ticks_must_rise(make_recording: Make) -> None:
    with pytest.raises(ValueError, match="ticks that rise"):
        make_recording([THREE, THREE], tick=[4, 4])


def test_caption_counts_the_living_of_each_side(make_recording: Make) -> None:
    seen = make_recording([THREE, THREE], side=[0, 0, 1], tick=[0, 1200], health=[[1, 1, 1], [1, 0, -0.5]])
    assert seen.counts(1) == (1, 0)
    assert seen.caption(1) == "tick 1,200: player 1 of 2, enemy 0 of 1"


def test_caption_names_only_sides_that_play(make_recording: Make) -> None:
    assert make_recording(THREE).caption(0) == "tick 0: player 3 of 3"
    assert make_recording(np.zeros((1, 0, 2))).caption(0) == "tick 0"


def test_a_unit_is_in_the_forest_when_the_cell_it_truncates_to_is(make_recording: Make) -> None:
    kind = np.zeros((20, 20), np.uint8)
    kind[3, 7] = Ground.FOREST
    seen = make_recording([[3.99, 7.0], [4.0, 7.0], [3.5, 6.99], [20.0, 20.0]], kind=kind)
    assert seen.in_forest(0).tolist() == [True, False, False, False]


def test_frame_at_finds_the_nearest_recorded_tick(make_recording: Make) -> None:
    seen = make_recording([THREE] * 3, tick=[0, 10, 20])
    assert [seen.frame_at(tick) for tick in (-5, 4, 6, 19, 99)] == [0, 0, 1, 2, 2]


def test_moments_start_and_end_with_the_game_and_look_closer_where_units_fall(make_recording: Make) -> None:
    health = np.ones((101, 3))
    health[80:, 0] = health[82:, 1] = health[84:, 2] = 0
    moments = make_recording([THREE] * 101, health=health).moments(5)
    assert (moments[0], moments[-1]) == (0, 100)
    assert sum(78 <= tick <= 86 for tick in moments) >= 2


def test_moments_of_one_frame_are_that_frame(make_recording: Make) -> None:
    assert make_recording(THREE, tick=[7]).moments(4) == [7]
