"""Moves and what stops them, jitter, and the push (docs/rules/battles.md 3.5 to 3.7)."""

from __future__ import annotations

import numpy as np
import pytest

from tests.engine.worlds import ROOM, SIZE, Man, Scene, act, foe, ground, scene

GRAIN = 2.0**-16  # metres, fixed point of the push


def mover(x: float, y: float, terrain: np.ndarray | None = None) -> Scene:
    return scene(Man("cavalry", (x, y)), terrain=terrain)


def walk(world: Scene, east: float, north: float) -> np.ndarray:
    return np.asarray(act(world, {0: ("move", east, north)}).position[0])


def samples(start: tuple[float, float], step: tuple[float, float]) -> np.ndarray:
    """The 30 points of docs/rules/battles.md 1.4."""
    return np.array(start) + np.linspace(0, 1, 30)[:, None] * np.array(step)


def test_a_free_move_arrives() -> None:
    assert walk(mover(10.5, 10.5), 3.25, -2.5).tolist() == [13.75, 8.0]


def test_the_engine_does_not_clip_a_move_to_the_speed() -> None:
    assert walk(mover(10.5, 10.5), 25.0, 0.0).tolist() == [35.5, 10.5]


@pytest.mark.parametrize("kind", ["water", "building"])
@pytest.mark.parametrize(("east", "north"), [(6, 0), (0, 6), (4, 3), (3, 5), (-6, 0), (-2, -5)])
def test_a_move_stops_at_the_last_sample_before_an_obstacle(kind: str, east: float, north: float) -> None:
    start = (20.3, 20.6)
    ring = np.ones((SIZE, SIZE), bool)
    ring[18:23, 18:23] = False
    terrain = np.where(ring, ground(**{kind: [(0, 0, SIZE, SIZE)]}), 0).astype(np.uint8)

    after = walk(mover(*start, terrain), east, north)

    path = samples(start, (east, north))
    blocked = ring[tuple(path.astype(int).T)]
    assert blocked.any()
    np.testing.assert_allclose(after, path[blocked.argmax() - 1], atol=1e-5)
    assert not ring[tuple(after.astype(int))]


def test_forest_stops_no_unit() -> None:
    assert walk(mover(10.5, 10.5, ground(forest=[(12, 0, 20, SIZE)])), 6, 0).tolist() == [16.5, 10.5]


def test_an_obstacle_between_all_samples_stops_no_unit() -> None:
    """Only the 30 samples count (docs/rules/battles.md 1.4)."""
    terrain = ground(water=[(19, 0, 20, SIZE)])
    path = samples((3.5, 10.5), (40, 0))[:, 0]
    assert not ((path >= 19) & (path < 20)).any()

    assert walk(mover(3.5, 10.5, terrain), 40, 0).tolist() == [43.5, 10.5]


@pytest.mark.parametrize(
    ("start", "step"),
    [((2.5, 9.5), (-6, 0)), ((9.5, 3.5), (0, -6)), ((SIZE - 2.5, 9.5), (6, 0)), ((9.5, SIZE - 3.5), (2, 5))],
)
def test_a_move_stops_before_the_border(start: tuple[float, float], step: tuple[float, float]) -> None:
    after = walk(mover(*start), *step)

    path = samples(start, step)
    outside = ((path <= 0) | (path >= SIZE)).any(1)
    np.testing.assert_allclose(after, path[outside.argmax() - 1], atol=1e-5)
    assert (after > 0).all() and (after < SIZE).all()


@pytest.mark.parametrize("kind", ["water", "building"])
def test_a_unit_in_an_obstacle_goes_straight_to_the_target(kind: str) -> None:
    terrain = ground(**{kind: [(8, 8, 12, 12), (14, 8, 16, 12)]})

    assert walk(mover(10.5, 10.5, terrain), 8, 0).tolist() == [18.5, 10.5]
    assert walk(mover(10.5, 10.5, terrain), 4.5, 0).tolist() == [15.0, 10.5]


@pytest.mark.parametrize("start", [(0.0, 10.5), (float(SIZE), 10.5), (10.5, 0.0), (10.5, float(SIZE))])
def test_a_unit_on_the_border_may_leave(start: tuple[float, float]) -> None:
    inward = np.sign(SIZE / 2 - np.array(start)) * 3

    np.testing.assert_allclose(walk(mover(*start), *inward), np.array(start) + inward, atol=1e-5)


def test_no_unit_slides_along_a_wall() -> None:
    terrain = ground(building=[(12, 0, 14, SIZE)])

    after = walk(mover(11.5, 10.5, terrain), 3, 3)

    assert after[0] - 11.5 == pytest.approx(after[1] - 10.5, abs=1e-5)
    assert after[0] < 12


def test_a_unit_that_dies_in_this_tick_does_not_move() -> None:
    world = scene(Man("archer", (10.5, 10.5)), foe("archer", (12.5, 10.5)))

    after = act(world, {0: ("attack", 1), 1: ("move", 2, 0)})

    assert after.health[1] == 0
    assert after.position[1].tolist() == [12.5, 10.5]


def test_only_a_chosen_move_moves() -> None:
    after = act(scene(Man("archer", (10.5, 10.5)), foe("archer", (12.5, 10.5))), {0: ("attack", 1)})

    assert after.position[0].tolist() == [10.5, 10.5]


def test_jitter_shakes_live_units_alone_with_its_standard_deviation_in_both_directions() -> None:
    men = [Man("archer", (8.0 + 3 * i, 10.5), health=2 * (i % 4 > 0)) for i in range(ROOM)]
    world = scene(*men, jitter=0.02)
    alive = np.asarray(world.state.alive)

    shifts = np.array([np.asarray(act(world, {}, seed).position - world.state.position) for seed in range(300)])

    assert not shifts[:, ~alive].any()
    sample = shifts[:, alive].reshape(-1, 2)  # 2,700 draws
    np.testing.assert_allclose(sample.std(0), 0.02, rtol=0.06)
    np.testing.assert_allclose(sample.mean(0), 0.0, atol=0.002)
    assert abs(np.corrcoef(sample.T)[0, 1]) < 0.08
    assert len(np.unique(shifts[:, alive, 0])) > 100  # not one draw for all


def test_jitter_adds_to_a_move_and_does_not_carry_over_an_edge() -> None:
    shaky = scene(Man("cavalry", (10.5, 10.5)), jitter=0.02)
    gone = np.array([act(shaky, {0: ("move", 3, 0)}, seed).position[0] for seed in range(40)])
    np.testing.assert_allclose(gone.mean(0), [13.5, 10.5], atol=0.02)
    assert (gone.std(0) > 0.01).all()

    bank = scene(Man("cavalry", (10.999, 10.5)), terrain=ground(water=[(11, 0, 20, SIZE)]), jitter=0.02)
    stood = np.array([act(bank, {}, seed).position[0] for seed in range(60)])
    assert (stood[:, 0] < 11).all()
    assert (stood[:, 0] > 10.98).any() and (stood[:, 0] < 10.98).any()


def pushed(world: Scene) -> np.ndarray:
    return np.asarray(act(world, {}).position - world.state.position)


@pytest.mark.parametrize(("kind", "other"), [("spearmen", "spearmen"), ("spearmen", "archer"), ("archer", "cavalry")])
@pytest.mark.parametrize("side", ["player", "enemy"])
@pytest.mark.parametrize("offset", [(0.3, 0.0), (0.0, -0.4), (0.24, 0.32), (0.003, 0.004)])
def test_an_overlapping_pair_is_moved_apart_by_the_firm_share_of_its_overlap(
    kind: str, other: str, side: str, offset: tuple[float, float]
) -> None:
    """In all `f * (ri + rj - d)`, half each, along their line (docs/rules/battles.md 3.7); friend or foe."""
    radius = {"spearmen": 0.6, "archer": 0.3, "cavalry": 0.45}
    here, there = (20.5, 20.5), (20.5 + offset[0], 20.5 + offset[1])
    world = scene(Man(kind, here), Man(other, there, side), firmness=0.5)

    shift = pushed(world)

    distance = np.hypot(*offset)
    unit = np.array(offset) / distance
    half = 0.5 * 0.5 * (radius[kind] + radius[other] - distance)
    np.testing.assert_allclose(shift[0], -unit * half, atol=1e-3 if distance < 0.01 else 1e-5)
    np.testing.assert_allclose(shift[1], unit * half, atol=1e-3 if distance < 0.01 else 1e-5)


def test_pushes_of_several_neighbours_add_up() -> None:
    world = scene(
        Man("spearmen", (20.5, 20.5)), Man("spearmen", (20.8, 20.5)), foe("spearmen", (20.5, 21.0)), firmness=1.0
    )

    shift = pushed(world)

    np.testing.assert_allclose(shift[0], [-0.5 * (1.2 - 0.3), -0.5 * (1.2 - 0.5)], atol=1e-5)


@pytest.mark.parametrize("distance", [1.2, 1.25, 3.0])
def test_units_that_do_not_overlap_do_not_push(distance: float) -> None:
    shift = pushed(scene(Man("spearmen", (20.5, 20.5)), Man("spearmen", (20.5 + distance, 20.5)), firmness=1.0))

    np.testing.assert_allclose(shift, 0, atol=2 * GRAIN)


def test_corpses_neither_push_nor_are_pushed() -> None:
    world = scene(Man("spearmen", (20.5, 20.5)), Man("spearmen", (20.6, 20.5), health=0), firmness=1.0)

    assert not pushed(world).any()


def test_units_on_one_spot_do_not_push_and_stay_finite() -> None:
    world = scene(*[Man("spearmen", (20.5, 20.5))] * ROOM, firmness=1.0)

    assert not pushed(world).any()


def test_the_push_comes_after_the_move() -> None:
    world = scene(Man("cavalry", (10.5, 10.5)), Man("cavalry", (16.9, 10.5)), firmness=1.0)

    after = act(world, {0: ("move", 6, 0)})

    overlap = 0.9 - 0.4
    np.testing.assert_allclose(after.position[0], [16.5 - overlap / 2, 10.5], atol=1e-5)
    np.testing.assert_allclose(after.position[1], [16.9 + overlap / 2, 10.5], atol=1e-5)


@pytest.mark.parametrize("kind", ["water", "building"])
def test_terrain_stops_a_push(kind: str) -> None:
    """The one at the bank stops at the last sample on land; the other goes its way (docs/rules/battles.md 3.7)."""
    terrain = ground(**{kind: [(21, 0, 30, SIZE)]})
    world = scene(Man("spearmen", (20.9, 20.5)), Man("spearmen", (20.6, 20.5)), terrain=terrain, firmness=1.0)

    after = act(world, {})

    path = samples((20.9, 20.5), (0.45, 0))[:, 0]
    assert after.position[0, 0] == pytest.approx(path[path < 21].max(), abs=1e-4)
    assert after.position[1, 0] == pytest.approx(20.6 - 0.45, abs=1e-4)


def test_the_border_stops_a_push() -> None:
    world = scene(Man("spearmen", (0.1, 20.5)), Man("spearmen", (0.4, 20.5)), firmness=1.0)

    after = act(world, {})

    assert 0 < after.position[0, 0] < 0.1
