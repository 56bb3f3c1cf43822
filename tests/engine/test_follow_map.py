"""`follow_map` (docs/rules/trees.md 5) and the distance maps it reads (docs/rules/battles.md 1.5)."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

from hive.ground.distance import distance_maps
from hive.ground.terrain import make_terrain
from tests.engine.worlds import ROOM, SIZE, Man, Scene, ground, holds, obey, scene


def one(kind: str, at: tuple[float, float], **how: object) -> Scene:
    return scene(Man(kind, at), **how)


def step(world: Scene, leaf: str, target: tuple[int, int]) -> list[float]:
    decision = obey(world, leaf, target)
    assert decision.ticked.status[0] == 1 and decision.action.kind[0] == 1
    return [round(float(part), 4) for part in decision.action.move[0]]


def test_toward_takes_the_lowest_cell_and_ties_go_to_the_first_candidate() -> None:
    """Candidates: 0, then by angle 0°, 45°, …, each at ¼, ½, ¾, 1 of the speed."""
    # cells (11, 10) and (10, 10) alone are in reach: half a metre east is the first to be in the lower one
    assert step(one("spearmen", (10.5, 10.5)), "A(follow_map toward)", (30, 10)) == [0.5, 0]
    assert step(one("cavalry", (10.5, 10.5)), "A(follow_map toward)", (30, 10)) == [6, 0]
    # from the corner of a cell the diagonal wins, two cells for one step; a quarter of it is enough
    assert step(one("spearmen", (10.9, 10.9)), "A(follow_map toward)", (30, 30)) == [round(0.25 * 0.5**0.5, 4)] * 2
    assert step(one("archer", (10.5, 10.5)), "A(follow_map toward)", (10, 0)) == [0, -2]


def test_toward_may_choose_to_stay() -> None:
    """Candidate 0 wins a tie: still SUCCESS, with a move of length 0."""
    walled = ground(building=[(9, 9, 12, 10), (9, 11, 12, 12), (9, 10, 10, 11), (11, 10, 12, 11)])

    assert step(one("spearmen", (10.5, 10.5), terrain=walled), "A(follow_map toward)", (30, 30)) == [0, 0]


@pytest.mark.parametrize(("intensity", "near", "far"), [("", 0, 1), ("low", 3, 4), ("middle", 7, 8), ("high", 15, 16)])
def test_toward_succeeds_beyond_its_threshold(intensity: str, near: int, far: int) -> None:
    """0, or 1/4, 1/2, 1 of the sight range: 3.75, 7.5, 15 m."""
    leaf = f"A(follow_map toward {intensity})"
    world = one("archer", (20.5, 20.5))

    assert not holds(world, leaf, target=(20 - near, 20))
    assert holds(world, leaf, target=(20 - far, 20))


@pytest.mark.parametrize(("intensity", "near", "far"), [("low", 3, 4), ("middle", 7, 8), ("high", 14, 15)])
def test_away_from_succeeds_nearer_than_its_threshold(intensity: str, near: int, far: int) -> None:
    leaf = f"A(follow_map away_from {intensity})"
    world = one("archer", (20.5, 20.5))

    assert holds(world, leaf, target=(20 - near, 20))
    assert not holds(world, leaf, target=(20 - far, 20))


def test_thresholds_are_shares_of_the_own_sight_range() -> None:
    assert holds(one("civilian", (20.5, 20.5)), "A(follow_map toward high)", target=(9, 20))
    assert not holds(one("civilian", (20.5, 20.5)), "A(follow_map toward high)", target=(10, 20))


@pytest.mark.parametrize("target", [(20, 20), (0, 0), (47, 47)])
def test_away_from_without_intensity_always_succeeds(target: tuple[int, int]) -> None:
    assert holds(one("archer", (20.5, 20.5)), "A(follow_map away_from)", target=target)


def test_away_from_takes_the_highest_cell_and_ties_go_to_the_first_candidate() -> None:
    # two cells farther lead north, north-west, west and more; north comes first, and 1.5 m reach that cell
    assert step(one("archer", (20.5, 20.5)), "A(follow_map away_from)", (30, 20)) == [0, 1.5]
    # eight cells farther lead north-west and south-west
    corner = round(6 * 0.5**0.5, 4)
    assert step(one("cavalry", (20.5, 20.5)), "A(follow_map away_from)", (30, 20)) == [-corner, corner]


def test_a_candidate_over_an_obstacle_is_never_taken() -> None:
    """It gets S², and -1 for `away_from`."""
    river = ground(water=[(12, 0, 14, SIZE)])
    toward = step(one("cavalry", (10.5, 10.5), terrain=river), "A(follow_map toward)", (11, 30))
    assert 10.5 + toward[0] < 12

    away = step(one("cavalry", (15.5, 10.5), terrain=river), "A(follow_map away_from)", (40, 10))
    assert 15.5 + away[0] >= 14

    shut = ground(building=[(9, 9, 12, 10), (9, 11, 12, 12), (9, 10, 10, 11), (11, 10, 12, 11)])
    assert step(one("spearmen", (10.5, 10.5), terrain=shut), "A(follow_map away_from)", (10, 10)) == [0, 0]


def test_candidates_beyond_the_border_read_the_nearest_cell() -> None:
    assert step(one("cavalry", (1.5, 20.5)), "A(follow_map toward)", (0, 20))[0] < 0


@pytest.mark.slow
def test_noise_lies_below_the_movement_randomness() -> None:
    """With R = 5, `low` on the target succeeds a quarter of the time: when the noise is above 3.75."""
    world = scene(*[Man("archer", (20.5, 20.5))] * ROOM, movement_randomness=5.0)
    status = np.array(
        [obey(world, "A(follow_map toward low)", (20, 20), word=w * 7919).ticked.status for w in range(200)]
    )

    assert 0.22 < (status == 1).mean() < 0.28  # 2,400 draws: standard deviation 0.009


def test_toward_without_intensity_hardly_fails_even_on_the_target_with_noise() -> None:
    world = scene(*[Man("archer", (20.5, 20.5))] * ROOM, movement_randomness=0.5)

    assert (np.asarray(obey(world, "A(follow_map toward)", (20, 20)).ticked.status) == 1).all()


def test_a_target_in_water_has_its_minimum_on_land_at_the_nearest_bank() -> None:
    kind = ground(water=[(10, 0, 20, SIZE)])

    steps = np.asarray(distance_maps(make_terrain(jnp.asarray(kind)), jnp.asarray([[12, 25]])))[0]

    land = np.where(kind == 0, steps, SIZE**2)
    assert np.unravel_index(land.argmin(), land.shape) == (9, 25)
    assert land.min() == 3
    assert step(one("spearmen", (5.5, 25.5), terrain=kind), "A(follow_map toward)", (12, 25)) == [0.5, 0]


def test_each_unit_follows_the_map_of_its_own_target_round_obstacles() -> None:
    wall = ground(building=[(20, 0, 22, 40)])
    world = scene(Man("cavalry", (18.5, 10.5)), terrain=wall)

    assert step(world, "A(follow_map toward)", (24, 10))[1] > 0  # round the wall's northern end
