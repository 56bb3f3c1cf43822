"""Where units start (docs/rules/battles.md 2.4)."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Key

from hive.engine.crews.explored import mark_here
from hive.engine.types import NO_SIDE, Crew, Params, State
from hive.engine.units import draws


def reset(params: Params, key: Key[Array, ""]) -> State:
    """Return the first state of a game: each unit on a free cell of its start box, with full health and a ready weapon.

    A cell is drawn uniformly from the box's cells that are neither building nor water, and the place in the cell
    uniformly from [0.25, 0.75) on each axis. Draws depend on the unit's id. A crew starts where its level places it,
    without water, and sees its surroundings.

    Args:
        params: The scenario.
        key: The game's key.

    Returns:
        `[N]` units at tick 0.
    """
    if params.crews is not None:
        return _deploy(params)
    word = draws.tick_word(key, jnp.int32(-1))
    unit, box = params.units.id, params.units.box
    pick, east, north = (draws.uniform(draws.unit_words(word, unit, draws.Stream.SPAWN, number)) for number in range(3))
    count = params.boxes.count[box]
    index = jnp.minimum((pick * count.astype(jnp.float32)).astype(jnp.int32), count - 1)
    cell = params.boxes.cell[box, index].astype(jnp.float32)
    real = params.units.side != NO_SIDE
    return State(
        position=cell + np.float32(0.25) + np.float32(0.5) * jnp.stack([east, north], -1),
        health=jnp.where(real, params.types.max_health[params.units.type], 0.0),
        cooldown=jnp.zeros(params.count, jnp.int32),
        tick=jnp.int32(0),
        fire=None if params.blaze is None else params.blaze.start,
    )


def _deploy(params: Params) -> State:
    crews, blaze = params.crews, params.blaze
    assert crews is not None and blaze is not None
    nothing, civilians = jnp.full(params.count, -1, jnp.int32), crews.civilian.shape[0]
    side = params.terrain.size
    crew = Crew(
        water=jnp.zeros(params.count, jnp.int32),
        aboard=nothing,
        civilian=crews.civilian,
        living=jnp.ones(civilians, bool),
        walking=jnp.ones(civilians, bool),
        bearer=jnp.full(civilians, -1, jnp.int32),
        seen=jnp.zeros((side, side) if crews.shared else (params.count, side, side), jnp.uint8),
        refused=jnp.int32(0),
    )
    state = State(
        position=crews.spawn,
        health=params.types.max_health[params.units.type],
        cooldown=jnp.zeros(params.count, jnp.int32),
        tick=jnp.int32(0),
        fire=blaze.start,
        crew=crew,
    )
    return mark_here(params, state)
