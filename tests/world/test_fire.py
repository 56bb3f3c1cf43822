"""The fire automaton against a plain one cell by cell, and each rule of docs/rules/wildfire.md 2 by hand."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from hive.ground import fire as fires
from hive.ground.fire import Fire, Fuel, burn, cut, light, make_fire, make_fuel, spray
from hive.ground.hashing import cell_uniform, cell_words
from tests.conftest import CI
from tests.lanes import stack_lanes
from tests.world.fire_oracle import STEPS, Map, make_map

SIDE = 20
WORD = jnp.uint32(7)
update = jax.jit(burn)
updates = jax.jit(jax.vmap(burn))


def compile_map(ground: Map, chance: float | None = None) -> tuple[Fuel, Fire]:
    fields = (jnp.asarray(field, jnp.float32) for field in (ground.elevation, ground.moisture, ground.wind))
    return make_fuel(*fields, chance), make_fire(ground.burnable, ground.trees, ground.building)


def stack(trees: list) -> Fuel | Fire:
    return stack_lanes(*trees)


def meddle(rng: np.random.Generator, ground: Map) -> tuple[np.ndarray, ...]:
    """Light, spray and cut some cells, and return how many trees are cut in which, and which are lit and sprayed."""
    lit, wet, felled = (rng.random(ground.condition.shape) < share for share in (0.004, 0.03, 0.01))
    count = np.where(felled, rng.integers(0, 4, felled.shape), 0)
    for cell in map(tuple, np.argwhere(felled).tolist()):
        ground.cut(cell, count[cell])
    for cell in map(tuple, np.argwhere(lit).tolist()):
        ground.light(cell)
    for cell in map(tuple, np.argwhere(wet).tolist()):
        ground.spray(cell)
    return count, lit, wet


def regrow(ground: Map) -> np.ndarray:
    """Make burnt cells burnable again, so that a small map burns for hundreds of updates; return which they are."""
    burnt = ground.condition == 5
    ground.condition[burnt] = 0
    ground.trees[burnt] = 2
    return burnt


@jax.jit
@jax.vmap
def meddled_and_updated(
    fuel: Fuel, fire: Fire, count: jax.Array, lit: jax.Array, wet: jax.Array, word: jax.Array
) -> tuple[Fire, jax.Array, jax.Array]:
    """The fire after an update, the conditions of its cells, and the draws that decide in it."""
    fire = burn(fuel, spray(light(cut(fire, count), lit), wet), word)
    return fire, fire.condition, cell_uniform(word, (SIDE, SIDE))


@jax.jit
def regrown(fire: Fire, burnt: jax.Array) -> Fire:
    return fire.replace(
        phase=jnp.where(fire.phase == fires.Phase.BURNT, fires.Phase.BURNABLE, fire.phase),
        trees=jnp.where(burnt, 2, fire.trees).astype(jnp.uint8),
    )


@pytest.mark.parametrize(
    "chance", [pytest.param(None, id="thresholds", marks=pytest.mark.long), pytest.param(0.7, id="chance")]
)
def test_every_cell_of_a_batch_of_maps_equals_the_plain_version(chance: float | None) -> None:
    """Random maps from flat to steep, lit, sprayed, cut and grown again, each update compared cell for cell."""
    rng = np.random.default_rng(5)
    grounds = [make_map(rng, SIDE, rough) for rough in (0.0, 0.02, 0.05, 0.1)]
    fuels, each = zip(*(compile_map(ground, chance) for ground in grounds), strict=True)
    fuel, fire, seen = stack(fuels), stack(each), set()
    for number in range(400 if CI else 150):
        words = np.arange(len(grounds), dtype=np.uint32) + np.uint32(10 * number)
        fields = [np.stack(field) for field in zip(*(meddle(rng, ground) for ground in grounds), strict=True)]
        fire, condition, draws = meddled_and_updated(fuel, fire, *fields, words)
        after, condition, draws = jax.device_get((fire, condition, draws))
        for lane, ground in enumerate(grounds):
            ground.update(chance, draws[lane] if chance else None)
            np.testing.assert_array_equal(condition[lane], ground.condition)
            for name in ("wet", "trees", "building", "trees_lost", "buildings_lost"):
                np.testing.assert_array_equal(getattr(after, name)[lane], getattr(ground, name))
        seen |= set(np.unique(after.phase).tolist())
        if number % 12 == 11:
            fire = regrown(fire, np.stack([regrow(ground) for ground in grounds]))
    # a lit cell has gone on by the end of an update
    assert seen == set(range(fires.Phase.KINDLED + 1)) - {fires.Phase.LIT}


@pytest.mark.parametrize("chance", [None, 0.9])
def test_a_map_burns_alone_as_in_a_batch(chance: float | None) -> None:
    """Nothing of one map reaches another, and a draw does not depend on the place in the batch."""
    rng = np.random.default_rng(6)
    fuels, maps = zip(*(compile_map(make_map(rng, SIDE, 0.04), chance) for _ in range(3)), strict=True)
    start = jnp.zeros((SIDE, SIDE), bool).at[10, 10].set(True)
    alone, together = [light(fire, start) for fire in maps], stack([light(fire, start) for fire in maps][::-1])
    for number in range(30):
        word = jnp.uint32(number)
        alone = [update(fuel, fire, word) for fuel, fire in zip(fuels, alone, strict=True)]
        together = updates(stack(fuels[::-1]), together, jnp.full(3, word))
    jax.tree.map(np.testing.assert_array_equal, stack(alone[::-1]), together)
    assert sum(int((fire.phase > fires.Phase.LIT).sum()) for fire in alone) > 20


def test_the_fuel_of_a_map_is_the_same_alone_and_in_a_batch() -> None:
    """To the bit, in a row whose end fills no vector of the machine, and for winds of any strength."""
    rng, shape = np.random.default_rng(3), (5, 33, 33)
    fields = [rng.random(shape), rng.uniform(0.4, 0.8, shape), rng.normal(size=(*shape, 2))]
    elevation, moisture, wind = (jnp.asarray(field, jnp.float32) for field in fields)
    together = jax.vmap(make_fuel, (0, 0, 0, None))(elevation, moisture, wind, 0.5)
    alone = [make_fuel(*each, 0.5) for each in zip(elevation, moisture, wind, strict=True)]
    jax.tree.map(np.testing.assert_array_equal, stack(alone), together)


def test_the_verdicts_of_all_neighbours_are_the_ones_of_the_formula() -> None:
    ground = make_map(np.random.default_rng(8), SIDE, 0.08)
    fuel, _ = compile_map(ground, 1.0)
    assert fuel.odds is not None
    verdict, ratio, damping = (np.asarray(field) for field in (fuel.verdict, fuel.odds.ratio, fuel.odds.damping))
    for d, (dx, dy) in enumerate(fires.DIRECTIONS):
        for x, y in np.ndindex(SIDE, SIDE):
            s, t = (x - dx, y - dy), (x, y)
            if s in ground.neighbours(t):
                dry, wet = ground.ratio(s, t, False), ground.ratio(s, t, True)
                bits = [bool(verdict[t] >> (8 * byte + d) & 1) for byte in range(4)]
                assert bits == [dry > 0.5, dry > 8, wet > 0.5, wet > 8]
                # before the wind 1 and a cosine near -1 cancel, so a float32 is good to an absolute error there
                assert abs(ratio[d][t] - dry) < 1e-4 * dry + 2e-5
                assert abs(ratio[d][t] * damping[t] - wet) < 1e-4 * wet + 2e-5
    assert sorted(fires.DIRECTIONS) == sorted(STEPS)


def flat(
    size: int = 9, wind: tuple[float, float] = (1.0, 0.0), chance: float | None = None, moisture: float = 0.6
) -> tuple[Fuel, Fire]:
    """A level wood with a wind, not yet lit."""
    ground = jnp.zeros((size, size))
    trees = jnp.full((size, size), 2, jnp.uint8)
    fire = make_fire(trees > 0, trees, jnp.zeros((size, size), bool))
    return make_fuel(ground, ground + moisture, jnp.asarray(wind, jnp.float32), chance), fire


def at(size: int, *cells: tuple[int, int]) -> jnp.ndarray:
    return jnp.zeros((size, size), bool).at[tuple(np.array(cells).T)].set(True)


def test_the_life_of_a_start_cell_and_of_its_neighbour() -> None:
    """On fire at the 2nd update, burnt at the 13th; the neighbour, ignited at 2, from there.

    Rules: docs/rules/wildfire.md 2.2.
    """
    fuel, fire = flat()
    fire = light(fire, at(9, (4, 4)))
    lives: list[tuple[str, str]] = []
    for _ in range(15):
        fire = update(fuel, fire, WORD)
        lives.append(tuple(fires.Condition(int(fire.condition[cell])).name.lower() for cell in ((4, 4), (5, 4))))
    own, next_one = zip(*lives, strict=True)
    assert own == ("ignited", "on_fire", *["extinguishing"] * 10, *["fully_extinguished"] * 3)
    assert next_one == ("burnable", "ignited", "on_fire", *["extinguishing"] * 10, *["fully_extinguished"] * 2)
    assert int(fire.trees[4, 4]) == 0 and int(fire.trees_lost) == 2 * int((fire.trees == 0).sum())


def test_a_cell_that_flames_at_once_spreads_once_in_the_next_update() -> None:
    """docs/rules/wildfire.md 2.2, 2.4: on fire at k with its trees gone, spreading and smouldering at k + 1."""
    size = 9
    east = jnp.arange(size, dtype=jnp.float32)
    slope = east[:, None] * 0.03 + jnp.zeros((size, size))  # 41 degrees, upwards to the east
    trees = jnp.ones((size, size), jnp.uint8)
    fuel = make_fuel(slope, jnp.full((size, size), 0.6), jnp.asarray([1.0, 0.0]))
    fire = light(make_fire(trees > 0, trees, trees > 0), at(size, (1, 3)))
    rows = []
    for _ in range(5):
        fire = update(fuel, fire, WORD)
        rows.append([fires.Condition(c).name.lower() for c in fire.condition[1:5, 3].tolist()])
    assert rows[1] == ["on_fire", "on_fire", "burnable", "burnable"]
    assert rows[2] == ["extinguishing", "extinguishing", "on_fire", "burnable"]
    assert rows[3] == ["extinguishing", "extinguishing", "extinguishing", "on_fire"]
    assert int(fire.buildings_lost) == int(fire.trees_lost) == int((fire.trees == 0).sum())


@pytest.mark.parametrize("wind", fires.DIRECTIONS)
def test_on_level_ground_fire_runs_before_the_wind(wind: tuple[int, int]) -> None:
    """Within 86 degrees of the wind; the release's direction table is wrong in three places.

    Rules: docs/rules/wildfire.md 2.3.
    """
    fuel, fire = flat(wind=wind)
    fire = light(fire, at(9, (4, 4)))
    for _ in range(2):
        fire = update(fuel, fire, WORD)
    caught = {(x - 4, y - 4) for x, y in np.argwhere(fire.condition == 2).tolist()}
    assert caught == {d for d in STEPS if d[0] * wind[0] + d[1] * wind[1] > 0}


def test_no_wind_at_all_is_no_fault() -> None:
    """A ratio of 0.47 in every direction: nothing catches, and nothing is NaN."""
    fuel, fire = flat(wind=(0.0, 0.0), chance=1.0)
    assert int(fuel.verdict.max()) == 0
    assert fuel.odds is not None
    np.testing.assert_allclose(fuel.odds.ratio, 0.47, rtol=1e-6)
    assert bool(update(fuel, light(fire, at(9, (4, 4))), WORD).alight)


def test_fire_passes_no_closed_break_and_burns_at_the_border() -> None:
    """docs/rules/wildfire.md 2.6: eight neighbours, so only a gap lets it through; border cells burn as all others."""
    fuel, whole = flat()
    count = jnp.zeros((9, 9), int).at[6].set(2)
    for gap, beyond in (((6, 5), True), (None, False)):
        fire = cut(whole, count if gap is None else count.at[gap].set(1))
        fire = light(fire, at(9, (0, 5)))
        for _ in range(40):
            fire = update(fuel, fire, WORD)
        assert bool((fire.condition[7:] == 5).any()) == beyond
        assert not bool(fire.alight)
        assert fires.Condition(int(fire.condition[1, 0])).name.lower() == "burnable"
        assert fires.Condition(int(fire.condition[5, 0])).name.lower() == "fully_extinguished"


def test_a_sprayed_cell_is_wet_for_thirty_updates_and_level_fire_stops_at_it() -> None:
    """docs/rules/wildfire.md 2.5: the wetness falls by one an update; spraying again fills it up."""
    fuel, fire = flat()
    wall = at(9, *[(5, y) for y in range(9)])
    for wait, stopped in ((0, True), (28, True), (29, False)):
        wet = spray(fire, wall)
        for _ in range(wait):
            wet = update(fuel, wet, WORD)
        wet = light(wet, at(9, (4, 4)))
        for _ in range(3):
            wet = update(fuel, wet, WORD)
        assert (int(wet.condition[5, 4]) == 0) == stopped
    assert int(spray(wet, wall).wet[5, 8]) == fires.WET_UPDATES


def test_spraying_puts_out_at_once_and_saves_the_trees_of_an_ignited_cell() -> None:
    fuel, fire = flat()
    fire = update(fuel, light(fire, at(9, (4, 4))), WORD)
    fire = spray(fire, jnp.ones((9, 9), bool))
    assert fires.Condition(int(fire.condition[4, 4])).name.lower() == "fully_extinguished"
    assert int(fire.trees[4, 4]) == 2 and int(fire.trees_lost) == 0
    assert int(fire.wet[4, 4]) == 0 and int(fire.wet[0, 0]) == fires.WET_UPDATES
    assert not bool(fire.alight) and bool(fire.lethal[4, 4])


def test_a_cell_with_a_tree_left_burns_and_a_bare_one_never() -> None:
    """docs/rules/wildfire.md 2.6; no more trees fall than stand, and all that fall are lost (2.7)."""
    _, fire = flat()
    fire = cut(fire, jnp.zeros((9, 9), int).at[1, 1].set(1).at[2, 2].set(3))
    assert fires.Condition(int(fire.condition[1, 1])).name.lower() == "burnable"
    assert fires.Condition(int(fire.condition[2, 2])).name.lower() == "not_burnable"
    assert int(fire.trees_lost) == 3


@pytest.mark.parametrize(("chance", "wet"), [(0.4, False), (1.0, True), (2.0, False)])
def test_by_chance_neighbours_catch_as_often_as_the_ratio_says(chance: float, wet: bool) -> None:
    """3,200 isolated pairs, wind from the first to the second: min(1, chance * ratio), and a 16th of it at once."""
    size = 160
    trees = jnp.ones((size, size), jnp.uint8)
    starts = jnp.zeros((size, size), bool).at[0::4, 0::2].set(True)
    second = jnp.roll(starts, 1, axis=0)
    fuel = make_fuel(jnp.zeros((size, size)), jnp.full((size, size), 0.6), jnp.asarray([1.0, 0.0]), chance)
    fire = light(make_fire(second, trees, trees > 1), starts)
    fire = spray(fire, second) if wet else fire
    fire = update(fuel, update(fuel, fire, WORD), jnp.uint32(99))
    ratio, number = 0.44 if wet else 0.94, int(second.sum())
    for found, share in (
        (fire.phase >= fires.Phase.LIT, min(1, chance * ratio)),
        (fire.phase == fires.Phase.KINDLED, min(1, chance * ratio / 16)),
    ):
        caught = int((found & second).sum())
        assert abs(caught / number - share) < 4 * np.sqrt(share * (1 - share) / number) + 1e-9


def test_the_draws_of_cells_are_uniform_and_differ_by_word() -> None:
    draws = np.stack([cell_uniform(jnp.uint32(word), (200, 200)) for word in range(4)])
    assert draws.min() >= 0 and draws.max() < 1
    counts = np.histogram(draws, bins=64, range=(0, 1))[0]
    assert ((counts - counts.mean()) ** 2 / counts.mean()).sum() < 110  # chi square, 63 degrees of freedom
    shifted = [draws[0, 1:].ravel(), draws[0, :, 1:].ravel(), draws[1].ravel()]
    plain = [draws[0, :-1].ravel(), draws[0, :, :-1].ravel(), draws[0].ravel()]
    assert all(abs(np.corrcoef(a, b)[0, 1]) < 0.025 for a, b in zip(shifted, plain, strict=True))
    assert len(np.unique(cell_words(jnp.uint32(3), (200, 200)))) == 40_000


@pytest.mark.parametrize("chance", [None, 0.5])
def test_an_update_lowers_for_accelerators(chance: float | None) -> None:
    """No host callback, nothing that only a CPU has: one program for a whole game."""
    args = (*flat(chance=chance), WORD)
    jax.export.export(jax.jit(burn), platforms=["cuda", "tpu"])(*args)
