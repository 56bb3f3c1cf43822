"""Civilians: they walk at random and do not flee from danger (docs/rules/wildfire.md 4)."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, UInt

from hive.engine.crews.frames import near
from hive.engine.crews.score_rules import LevelGame
from hive.engine.types import Params, State
from hive.engine.units import draws

_STEPS = np.array([(1, 0), (0, 1), (-1, 0), (0, -1)], np.int32)


def walk(params: Params, state: State, word: UInt[Array, ""]) -> State:
    """Move each walking civilian to one of the free cells next to it, if any, at the end of its period.

    A free cell neither burns nor is burnt, and is not in the last row or column of the map, as published. A civilian
    that has been picked up once, or stands where civilians are brought to, no longer walks.

    Args:
        params: Parameters with `crews`.
        state: The world; its `tick` is not yet advanced.
        word: Random word of the tick.
    """
    crew, fire, crews = state.crew, state.fire, params.crews
    assert crew is not None and fire is not None and crews is not None
    count = crew.bearer.shape[0]
    if not count:
        return state
    beside = crew.civilian[:, None] + _STEPS[None]  # [V, 4, 2]
    size = fire.phase.shape[0]
    free = ((beside >= 0) & (beside <= size - 2)).all(-1) & ~fire.lethal[beside[..., 0], beside[..., 1]]
    draw = draws.uniform(draws.unit_words(word, jnp.arange(count), draws.Stream.CIVILIAN))
    number = jnp.cumsum(free, axis=1)
    pick = jnp.minimum((draw * number[:, -1].astype(jnp.float32)).astype(jnp.int32), number[:, -1] - 1)
    step = jnp.asarray(_STEPS)[jnp.argmax(free & (number == pick[:, None] + 1), axis=1)]
    due = (state.tick + 1) % jnp.maximum(crews.walk, 1) == 0
    safe = (crews.task.game == LevelGame.RESCUE) & near(crew.civilian, crews.task.goal)
    walking = crew.walking & ~safe
    goes = due & walking & crew.living & (crew.bearer < 0) & free.any(1)
    cell = jnp.where(goes[:, None], crew.civilian + step, crew.civilian)
    return state.replace(crew=crew.replace(civilian=cell, walking=walking))
