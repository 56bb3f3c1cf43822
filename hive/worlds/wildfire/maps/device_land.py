"""Procedural maps on the device, thousands at once: layers, land, settlements and trees of a seed.

Rules: docs/rules/wildfire_levels.md 1.

`host_land.py` makes the published maps bit for bit, one after another on the host. Here the layers are the same except
for their last bits, so the land differs from the host's in at most one cell of a map; settlements follow the same rules
with our own draws, which are hashes of the seed and the cell. So the map of a seed is independent of the batch.

Arrays are `[x, y]`, x east and y south, as everywhere in `hive.worlds.wildfire`.
"""

from __future__ import annotations

from enum import IntEnum

import jax.numpy as jnp
import numpy as np
from flax import struct
from jaxtyping import Array, Bool, Float, Int, Int8, UInt8, UInt32

from hive.ground.exact import rounded
from hive.ground.hashing import cell_uniform, cell_words, mix
from hive.worlds.wildfire.maps.device_noise import noise_fields
from hive.worlds.wildfire.maps.host_land import BUILDING_SHARE, BURNABLE_REACH, BY_VEGETATION, LAYERS


class MapStream(IntEnum):
    """Streams of draws, one for each consumer."""

    SETTLE = 0
    AROUND = 1
    SPAWN = 2
    GOAL = 3
    FIRE = 4
    WATER = 5
    TREES = 6
    LINES = 7
    UPRIGHT = 8
    CLUSTER = 9


class Fields(struct.PyTreeNode, kw_only=True):
    """A map as generated, on the device; `host_land.Map` has the same layers on the host."""

    elevation: Float[Array, "x y"]  # 0 to 1
    moisture: Float[Array, "x y"]  # 0.4 to 0.8
    wind: Float[Array, "x y 2"]  # to the east and to the north, as published; only its direction matters
    land: Int8[Array, "x y"]  # `Land`
    trees: UInt8[Array, "x y"]  # 0 to 3
    building: Bool[Array, "x y"]
    burnable: Bool[Array, "x y"]


def make_fields(
    size: int, offset: float | Int[Array, ""], seed: UInt32[Array, ""], draws: Int[Array, "5 4 2"]
) -> Fields:
    """Return the map of a seed; a `jax.vmap` over the last two arguments gives many.

    Args:
        size: Cells a side, within `host_land.SIZES`.
        offset: The level's vegetation offset, in hundredths, within `host_land.OFFSETS`.
        seed: Within `host_land.SEEDS`.
        draws: What the published generator draws for the seed: offsets of octaves, as `draw_layers` gives them.

    Returns:
        The layers of the map. Arguments are not checked.
    """
    noise = noise_fields(size, draws, [(scale, octaves) for _, scale, octaves, _, _ in LAYERS.values()])
    least, most = (bound(noise, axis=(1, 2), keepdims=True) for bound in (jnp.min, jnp.max))
    shares = ((noise - least) * (1 / (most - least))).swapaxes(1, 2)  # the published arrays are [y][x]
    layer = {
        name: np.float32(low) + rounded(share * np.float32(high - low))
        for (name, (*_, low, high)), share in zip(LAYERS.items(), shares, strict=True)
    }
    greener = rounded(jnp.float32(offset) * np.float32(0.01))
    amount = rounded(2.5 * (layer["vegetation"] + greener)) + 2
    level = jnp.clip(jnp.rint(amount), 0, 4).astype(jnp.int32)  # from rock to dense forest
    wooded = jnp.maximum(level - 1, 0).astype(jnp.uint8)
    building = _settle(level == 0, seed)
    return Fields(
        elevation=layer["elevation"],
        moisture=layer["moisture"],
        wind=jnp.stack([layer["east"], layer["north"]], axis=-1),
        land=jnp.asarray(BY_VEGETATION)[level],
        trees=jnp.where(building, 0, wooded).astype(jnp.uint8),
        building=building,
        burnable=(wooded > 0) | _near(building),
    )


def stream(seed: UInt32[Array, ""], name: int) -> UInt32[Array, ""]:
    """The word from which one consumer (`SETTLE` ... `CLUSTER`) draws on the map of a seed."""
    return mix(seed.astype(jnp.uint32) | np.uint32(name << 27))  # seeds have 27 bits


def _settle(rock: Bool[Array, "x y"], seed: UInt32[Array, ""]) -> Bool[Array, "x y"]:
    """Buildings on some rocks; each of them adds every cell round it with probability 1/2, drawn separately."""
    founder = rock & (cell_uniform(stream(seed, MapStream.SETTLE), rock.shape) < np.float32(BUILDING_SHARE))
    coins = _square_sum(founder.astype(jnp.uint32))
    tossed = cell_words(stream(seed, MapStream.AROUND), rock.shape) & ((np.uint32(1) << coins) - 1)
    return founder | (tossed != 0)


def _near(building: Bool[Array, "x y"]) -> Bool[Array, "x y"]:
    """Cells within reach of a building; border cells pass nothing on, as published."""
    inner = np.zeros(building.shape, bool)
    inner[1:-1, 1:-1] = True
    near = building
    for _ in range(BURNABLE_REACH):
        near = near | (_square_sum((near & inner).astype(jnp.uint32)) > 0)
    return near


def _square_sum(field: UInt32[Array, "x y"]) -> UInt32[Array, "x y"]:
    """Sums over 3 x 3 cells."""
    padded = jnp.pad(field, 1)
    rows = padded[:-2] + padded[1:-1] + padded[2:]
    return rows[:, :-2] + rows[:, 1:-1] + rows[:, 2:]
