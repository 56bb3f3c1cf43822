"""The fire automaton: one map's fuel, and one update of all its cells at once (docs/rules/wildfire.md 2).

A cell is one byte, its phase. A burning cell goes through the phases in order, one an update: a cell that a neighbour
ignites in update k flames and spreads in k + 1, smoulders in k + 2 to k + 11 and is burnt out from k + 12 on. `LIT` is
a start cell, which waits one update more. `KINDLED` flames in the update that caught it (docs/rules/wildfire.md 2.2):
it spreads in the next one, as it turns to smouldering. So a cell spreads in the update after it caught, exactly once.

Whether a flaming neighbour ignites a cell never changes, so it is looked up: one word a cell holds the verdicts of its
eight neighbours, dry and wet. Cells at the border burn like all others, and nothing burns beyond it.

A `Fuel` made with `in_place` burns as in the published program instead, which scans the map in place, has three wrong
directions and never updates the border (docs/rules/wildfire.md 2.9). That scan is computed as the fixpoint of passes
over the map.

Arrays are `[x, y]`, and wind and directions follow these two axes: where a published y grows south, its wind to the
north is given here as minus y. A batch of maps is a `jax.vmap`.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import lax
from jaxtyping import Array, Bool, Float, Int, Integer, UInt, UInt8, UInt32

from hive.ground.exact import length, rounded
from hive.ground.hashing import cell_uniform, kept
from hive.ground.shapes import Ground
from hive.ground.terrain import Terrain


class Phase(IntEnum):
    """Phases of a cell; from `LIT` on, it kills units that stand in it."""

    BURNABLE = 0
    NOT_BURNABLE = 1
    LIT = 2
    IGNITED = 3
    ON_FIRE = 4
    SMOULDERING = 5
    BURNT = SMOULDERING + 10  # smouldering takes ten updates, a phase each
    KINDLED = BURNT + 1


class Condition(IntEnum):
    """The six published states of a cell (docs/rules/wildfire.md 2.1)."""

    BURNABLE = 0
    NOT_BURNABLE = 1
    IGNITED = 2
    ON_FIRE = 3
    EXTINGUISHING = 4
    FULLY_EXTINGUISHED = 5


_CONDITION = np.array(
    [
        Condition.BURNABLE,
        Condition.NOT_BURNABLE,
        Condition.IGNITED,  # LIT
        Condition.IGNITED,
        Condition.ON_FIRE,
        *[Condition.EXTINGUISHING] * (Phase.BURNT - Phase.SMOULDERING),
        Condition.FULLY_EXTINGUISHED,
        Condition.ON_FIRE,  # KINDLED
    ],
    np.uint8,
)  # condition of each phase

IGNITES, FLAMES = 0.5, 8.0  # a ratio above the first ignites a cell, above the second lets it flame at once
WET_UPDATES = 30  # updates for which a sprayed cell stays wet

STEEPNESS = 0.069  # growth of the ratio for a degree of slope
_RISE = 890 / 30  # relief over the side of a cell
DAMP, SPRAYED = 10.0, 5.0  # moisture at which nothing burns; moisture added by spraying

# from the flaming cell to the one that may catch; bit d of a byte of verdicts belongs to direction d
DIRECTIONS = ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1))

# The published scan visits cells row by row: directions in the order in which it visits the neighbours that they come
# from. The first `_EARLIER` come from neighbours that it visits before the cell itself.
_SCAN = (1, 2, 3, 0, 4, 7, 6, 5)
_EARLIER = 4
_MISTAKEN = {(0, 1): (-1, 0), (-1, 0): (0, 1), (-1, -1): (1, 1)}  # directions as the published program has them


class Odds(struct.PyTreeNode, kw_only=True):
    """The data of one map that ignition by chance needs."""

    ratio: Float[Array, "8 x y"]  # ratio for each direction while the cell is dry
    damping: Float[Array, "x y"]  # factor on the ratios of a wet cell
    chance: Float[Array, ""]  # probability to catch, per unit of ratio


class Fuel(struct.PyTreeNode, kw_only=True):
    """The part of one map that a fire does not change.

    Attributes:
        verdict: per cell four bytes with one bit for each direction, from the lowest: ignites dry, flames dry, ignites
            wet, flames wet. Where `in_place` is set, bits are in the order of the scan instead of `DIRECTIONS`.
        odds: None: thresholds decide.
        in_place: Whether an update is the published scan (docs/rules/wildfire.md 2.9).
    """

    verdict: UInt32[Array, "x y"]
    odds: Odds | None = None
    in_place: bool = struct.field(pytree_node=False, default=False)


class Fire(struct.PyTreeNode, kw_only=True):
    """One map at one instant."""

    phase: UInt8[Array, "x y"]
    wet: UInt8[Array, "x y"]  # updates until dry
    trees: UInt8[Array, "x y"]  # standing, 0 to 3
    building: Bool[Array, "x y"]  # standing
    trees_lost: Int[Array, ""]  # burnt and cut since the start (docs/rules/wildfire.md 2.7)
    buildings_lost: Int[Array, ""]

    @property
    def condition(self) -> UInt8[Array, "x y"]:
        """The `Condition` of each cell."""
        # Sums of comparisons are vector code on a processor; reads of a table are not.
        rises = ((at, by) for at, by in enumerate(np.diff(_CONDITION, prepend=np.uint8(0))) if by)
        return sum((jnp.where(self.phase >= at, by, np.uint8(0)) for at, by in rises), jnp.zeros_like(self.phase))

    @property
    def lethal(self) -> Bool[Array, "x y"]:
        """Whether a cell kills: permanently, from the moment it is ignited (docs/rules/wildfire.md 2.1)."""
        return self.phase >= Phase.LIT

    @property
    def burning(self) -> Bool[Array, "x y"]:
        """Whether a cell is ignited, on fire or extinguishing."""
        return (self.phase >= Phase.LIT) & (self.phase != Phase.BURNT)

    @property
    def alight(self) -> Bool[Array, ""]:
        """Whether any cell is ignited or on fire; otherwise the fire no longer spreads."""
        return jnp.any(((self.phase >= Phase.LIT) & (self.phase <= Phase.ON_FIRE)) | (self.phase == Phase.KINDLED))


@partial(jax.jit, static_argnames="in_place")
def make_fuel(
    elevation: Float[Array, "x y"],
    moisture: Float[Array, "x y"],
    wind: Float[Array, "*cells 2"],
    chance: float | Float[Array, ""] | None = None,
    in_place: bool = False,
) -> Fuel:
    """Evaluate every pair of neighbours once (docs/rules/wildfire.md 2.3).

    Args:
        elevation: 0 to 1, of 890 m.
        moisture: 0.4 to 0.8 in the published maps; a cell with 10 or more never catches.
        wind: direction that it blows to, along the axes, for each cell or `[2]` for the complete map. Its strength has
            no effect; without wind no direction is favoured.
        chance: None: thresholds decide. A number: each flaming neighbour whose ratio is r ignites the cell with
            probability min(1, chance * r), and lets it flame at once with min(1, chance * r / 16), as the threshold
            for flaming is 16 times that for catching; neighbours count independently. Not with `in_place`.
        in_place: Burn as the published scan does, with its three wrong directions (docs/rules/wildfire.md 2.9).

    Returns:
        The fuel of the map. The function is traceable, so one `jax.vmap` serves thousands of maps.
    """
    assert chance is None or not in_place, "the published scan has no chance"
    strength = length(wind)
    # By the reciprocal: `divided` rounds otherwise, and three of 166 published maps then came to other verdicts.
    wind = rounded(wind * (1 / jnp.where(strength > 0, strength, 1))[..., None])
    wind = jnp.broadcast_to(wind, (*elevation.shape, 2))
    dry, wet = 1 - moisture / DAMP, 1 - (moisture + SPRAYED) / DAMP
    high, along_x, along_y = _around(elevation, "edge"), _around(wind[..., 0]), _around(wind[..., 1])
    ratios = []
    verdict = jnp.zeros(elevation.shape, jnp.uint32)
    for d, direction in enumerate(DIRECTIONS):
        dx, dy = _MISTAKEN.get(direction, direction) if in_place else direction
        bit = _SCAN.index(d) if in_place else d
        share = (along_x(d) * dx + along_y(d) * dy) / np.float32(np.hypot(dx, dy))
        pull = _steepness(elevation - high(d)) * jnp.maximum(share + 1, 0) / 2
        for byte, ratio in enumerate((pull * dry, pull * wet)):
            for threshold, at in ((IGNITES, 16 * byte + bit), (FLAMES, 16 * byte + 8 + bit)):
                verdict |= (ratio > threshold).astype(jnp.uint32) << at
        ratios.append(pull * dry)
    if chance is None:
        return Fuel(verdict=verdict, in_place=in_place)
    damping = jnp.maximum(wet, 0) / jnp.maximum(dry, np.float32(1e-6))
    odds = Odds(ratio=jnp.stack(ratios), damping=damping, chance=jnp.asarray(chance, jnp.float32))
    return Fuel(verdict=verdict, odds=odds)


def make_fire(
    burnable: Bool[Array | np.ndarray, "x y"],
    trees: Integer[Array | np.ndarray, "x y"],
    building: Bool[Array | np.ndarray, "x y"],
    start: Bool[Array | np.ndarray, "x y"] | None = None,
) -> Fire:
    """Return a dry map on which only the start cells burn.

    Args:
        burnable: which cells can catch at all.
        trees: 0 to 3 a cell. They do not change how a cell burns.
        building: cells with a building.
        start: cells to light, burnable or not.
    """
    none = jnp.int32(0)
    phase = jnp.where(burnable, Phase.BURNABLE, Phase.NOT_BURNABLE).astype(jnp.uint8)
    fire = Fire(
        phase=phase,
        wet=jnp.zeros(phase.shape, jnp.uint8),
        trees=jnp.asarray(trees, jnp.uint8),
        building=jnp.asarray(building, bool),
        trees_lost=none,
        buildings_lost=none,
    )
    return fire if start is None else light(fire, start)


def light(fire: Fire, where: Bool[Array | np.ndarray, "x y"]) -> Fire:
    """Set fire to cells directly, burnable or not; they flame in the second update from now.

    Rules: docs/rules/wildfire.md 2.2.

    Cells that already burn, or are burnt, do not change.
    """
    return fire.replace(phase=jnp.where(where & (fire.phase < Phase.LIT), Phase.LIT, fire.phase).astype(jnp.uint8))


def spray(fire: Fire, where: Bool[Array, "x y"]) -> Fire:
    """Extinguish burning cells among `where`, and wet its other cells for 30 updates (docs/rules/wildfire.md 2.5)."""
    return fire.replace(
        phase=jnp.where(where & fire.burning, Phase.BURNT, fire.phase).astype(jnp.uint8),
        wet=jnp.where(where & ~fire.burning, WET_UPDATES, fire.wet).astype(jnp.uint8),
    )


def cut(fire: Fire, count: Int[Array, "x y"]) -> Fire:
    """Fell trees; a cell that loses its last tree can never catch again. Felled trees count as lost.

    Rules: docs/rules/wildfire.md 2.6.

    Args:
        fire: The fire.
        count: trees to fell in each cell, at least 0; at most the standing ones are felled.
    """
    felled = jnp.minimum(count, fire.trees.astype(count.dtype)).astype(jnp.uint8)
    trees = fire.trees - felled
    bared = (felled > 0) & (trees == 0) & (fire.phase == Phase.BURNABLE)
    return fire.replace(
        phase=jnp.where(bared, Phase.NOT_BURNABLE, fire.phase).astype(jnp.uint8),
        trees=trees,
        trees_lost=fire.trees_lost + jnp.sum(felled, dtype=jnp.int32),
    )


def burn(fuel: Fuel, fire: Fire, word: UInt[Array, ""]) -> Fire:
    """Do one update: every cell ages, cells that caught in the last update spread, wet cells dry.

    Rules: docs/rules/wildfire.md 2.4.

    A cell takes the strongest verdict of its flaming neighbours; with an `in_place` fuel, the verdict of the neighbour
    that the scan visits first. A cell sprayed before this update is wet in this one and the 29 after it.

    Args:
        fuel: The map's fuel.
        fire: The fire.
        word: 32 bits of this update, from which each cell's draw is hashed; not read where thresholds decide.

    Returns:
        The fire after the update, with the same shapes and dtypes.
    """
    phase = fire.phase
    sources = ((phase == Phase.IGNITED) | (phase == Phase.KINDLED)).astype(jnp.uint8)
    ages, at_once = (phase >= Phase.LIT) & (phase < Phase.BURNT), Phase.KINDLED
    if fuel.in_place:
        ignites, flames = _scan(fuel.verdict, phase, fire.wet > 0)
        ages, at_once = ages & _inner(phase), Phase.ON_FIRE
    elif fuel.odds is None:
        ignites, flames = _judge(fuel.verdict, sources, fire.wet > 0)
    else:
        ignites, flames = _gamble(fuel.odds, sources, fire.wet > 0, word)
    aged = jnp.where(phase == Phase.KINDLED, Phase.SMOULDERING, phase + ages.astype(jnp.uint8))
    caught = jnp.where(flames, at_once, jnp.where(ignites, Phase.IGNITED, Phase.BURNABLE))
    phase = jnp.where(phase == Phase.BURNABLE, caught, aged).astype(jnp.uint8)
    starts = (phase == Phase.ON_FIRE) | (phase == Phase.KINDLED)
    return fire.replace(
        phase=phase,
        wet=fire.wet - (fire.wet > 0).astype(jnp.uint8),
        trees=jnp.where(starts, 0, fire.trees).astype(jnp.uint8),
        building=fire.building & ~starts,
        trees_lost=fire.trees_lost + jnp.sum(jnp.where(starts, fire.trees, 0), dtype=jnp.int32),
        buildings_lost=fire.buildings_lost + jnp.sum(fire.building & starts, dtype=jnp.int32),
    )


def charred(terrain: Terrain, fire: Fire) -> Terrain:
    """The terrain without its burnt forest.

    The clearances stay the same: where an obstacle was removed they are smaller than necessary, which costs samples of
    a line but never changes a result. So no distance to an obstacle is computed again while a forest burns.
    """
    return Terrain(word=jnp.where(fire.phase == Phase.BURNT, terrain.word & ~np.uint32(Ground.FOREST), terrain.word))


Verdicts = tuple[Bool[Array, "x y"], Bool[Array, "x y"]]


def _judge(verdict: UInt32[Array, "x y"], sources: UInt8[Array, "x y"], wet: Bool[Array, "x y"]) -> Verdicts:
    """Whether each cell is ignited, and whether it flames at once, by thresholds."""
    from_where = _around(sources)
    flaming = jnp.zeros(sources.shape, jnp.uint8)
    for d in range(len(DIRECTIONS)):
        flaming |= from_where(d) << d
    found = kept(jnp.where(wet, verdict >> 16, verdict) & (flaming.astype(jnp.uint32) * 0x101))
    return (found & 0xFF) != 0, (found & 0xFF00) != 0


def _scan(verdict: UInt32[Array, "x y"], phase: UInt8[Array, "x y"], wet: Bool[Array, "x y"]) -> Verdicts:
    """The same by the published scan in place: the flaming neighbour that it visits first decides.

    A cell that flames at once spreads in the same update if it is visited after the neighbour that lit it. That depends
    only on cells visited before it, so passes over the map have one fixpoint, the result of the scan. Each cell of the
    longest chain needs one more pass, and chains are short.
    """
    inner = _inner(phase)
    lit = (phase == Phase.IGNITED) & inner
    found = jnp.where(wet, verdict >> 16, verdict)
    takes = jnp.where(phase == Phase.BURNABLE, found & 0xFF, 0)

    def judge(flaming: Bool[Array, "x y"]) -> tuple[UInt32[Array, "x y"], UInt32[Array, "x y"]]:
        from_where = _around(flaming.astype(jnp.uint32))
        asked = takes & sum(from_where(d) << bit for bit, d in enumerate(_SCAN))
        first = asked & -asked
        return first, first & (found >> 8)

    def again(carry: tuple[Bool[Array, "x y"], Bool[Array, ""]]) -> tuple[Bool[Array, "x y"], Bool[Array, ""]]:
        _, at_once = judge(carry[0])
        flaming = lit | inner & (at_once & (2**_EARLIER - 1) != 0)
        return flaming, (flaming != carry[0]).any()

    flaming, _ = lax.while_loop(lambda carry: carry[1], again, (lit, lit.any()))
    first, at_once = judge(flaming)
    return first != 0, at_once != 0


def _inner(field: Array) -> Bool[Array, "x y"]:
    """Cells that are not at the border."""
    return jnp.pad(jnp.ones(tuple(side - 2 for side in field.shape), bool), 1)


def _gamble(odds: Odds, sources: UInt8[Array, "x y"], wet: Bool[Array, "x y"], word: UInt[Array, ""]) -> Verdicts:
    """The same by chance: one draw for each cell, compared with the probability that no neighbour ignites it."""
    from_where = _around(sources)
    per_ratio = jnp.where(wet, odds.damping, 1) * odds.chance
    spared = cool = jnp.ones(sources.shape, jnp.float32)
    for d in range(len(DIRECTIONS)):
        share = jnp.where(from_where(d) != 0, odds.ratio[d] * per_ratio, 0)
        spared *= 1 - jnp.minimum(share, 1)
        cool *= 1 - jnp.minimum(share * np.float32(IGNITES / FLAMES), 1)
    draw = cell_uniform(word, sources.shape)
    return draw < 1 - rounded(spared), draw < 1 - rounded(cool)


def _steepness(rise: Float[Array, "x y"]) -> Float[Array, "x y"]:
    """Factor of the slope to a cell that lies higher by `rise` (of 890 m)."""
    growth = jnp.exp(np.float32(STEEPNESS) * jnp.degrees(jnp.arctan(jnp.abs(rise) * np.float32(_RISE))))
    return jnp.where(rise >= 0, growth, growth / (2 * growth - 1))


def _around(field: Array, outside: str = "constant") -> Callable[[int], Array]:
    """Return `f(d)`: for each cell the value of `field` one step back along direction d."""
    padded = jnp.pad(field, 1, mode=outside)

    def back(d: int) -> Array:
        dx, dy = DIRECTIONS[d]
        return padded[1 - dx : 1 - dx + field.shape[0], 1 - dy : 1 - dy + field.shape[1]]

    return back
