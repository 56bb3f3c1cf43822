"""Attacks and cooldowns (docs/rules/battles.md 3.3, 3.4)."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool

from hive.engine.types import Action, ActionKind, Params, State
from hive.engine.units.motion import rows_of

_GRAIN = np.float32(256)  # damage is summed in 1/256 points, so that the sum does not depend on the order of attackers


def attack(params: Params, state: State, action: Action) -> tuple[State, Bool[Array, " n"]]:
    """Deal all damage at once.

    A unit strikes when it is alive, its cooldown is over before this tick's damage, and its target is a unit; the tree
    has already checked range and sight. A unit that dies in this tick still strikes, and excess damage is wasted.

    Args:
        params: Rules.
        state: World before the tick.
        action: What each unit does.

    Returns:
        World with new health, and `[N]` whether each unit struck.
    """
    count = params.count
    strikes = (action.kind == ActionKind.ATTACK) & state.alive & (state.cooldown <= 0)
    points = jnp.round(params.types.damage[params.units.type] * _GRAIN).astype(jnp.int32)
    strikes &= (action.target >= 0) & (action.target < count)
    row = jnp.where(strikes, rows_of(params)[jnp.where(strikes, action.target, 0)], count)
    damage = jnp.zeros(count, jnp.int32).at[row].add(points, mode="drop").astype(jnp.float32) / _GRAIN
    health = jnp.clip(state.health - damage, 0.0, jnp.maximum(state.health, 0.0))
    return state.replace(health=health), strikes


def cool(params: Params, state: State, struck: Bool[Array, " n"]) -> State:
    """Start the cooldown of live units that struck and decrement all others (docs/rules/battles.md 3.4)."""
    after = params.types.cooldown[params.units.type]
    return state.replace(cooldown=jnp.where(struck & state.alive, after, state.cooldown - 1))
