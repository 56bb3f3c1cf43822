"""Environments that compile in a moment, for tests of the contract alone, and a small scenario."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Float, Int, Key

from hive.kit.environment.env import Env, LearnerView, TimeStep

LAST = 3  # the step whose actions count
ERRAND = """\
version = 1
title = "Errand"
summary = "walk to a place"
[map]
size = 16
[rules]
limit = 20
[player]
units = [{ type = "spearmen", count = 2, box = [0.1, 0.1, 0.2, 0.8] }]
objective = { position = [14, 8] }
[enemy]
units = [{ type = "civilian", count = 1, box = [0.0, 0.9, 0.1, 0.1] }]
"""
"""A scenario in which two units walk to a place, without an enemy that fights."""


class Play(struct.PyTreeNode, kw_only=True):
    tick: Int[Array, ""]
    cue: Int[Array, ""]
    won: Array
    score: Float[Array, ""]


class Recall(Env, kw_only=True):
    """Two agents see a cue, 1 or 2, and win if both name it in the last step.

    Hidden, the cue is seen in the first step alone: without a memory half of the games are won at best.
    """

    scale: Float[Array, ""]  # of the observation
    hidden: bool = struct.field(pytree_node=False, default=False)

    num_agents = property(lambda self: 2)
    num_actions = property(lambda self: 3)
    observation_size = property(lambda self: 2)
    max_steps = property(lambda self: LAST + 1)

    def reset(self, key: Key[Array, ""]) -> tuple[Any, LearnerView]:
        state = Play(
            tick=jnp.int32(0),
            cue=jax.random.randint(key, (), 1, 3, jnp.int32),
            won=jnp.array(False),
            score=jnp.float32(0.0),
        )
        return state, self._view(state)

    def step(self, state: Any, actions: Int[Array, " n"]) -> tuple[Any, TimeStep]:
        over, last = state.tick > LAST, state.tick == LAST
        right = (actions == state.cue).mean(dtype=jnp.float32)
        after = Play(
            tick=state.tick + 1,
            cue=state.cue,
            won=last & (right == 1.0),
            score=jnp.where(last, right, 0.0),
        )
        after = jax.tree.map(lambda old, new: jnp.where(over, old, new), state, after)
        ended = after.tick > LAST
        return after, TimeStep(
            view=self._view(after),
            reward=jnp.broadcast_to(jnp.where(last, right, 0.0), (2,)),
            terminated=ended,
            truncated=jnp.array(False),
            won=after.won,
            score=after.score,
        )

    def global_state(self, state: Any) -> Float[Array, " g"]:
        return self._sight(state, True)

    def _sight(self, state: Any, seen: Any) -> Float[Array, " f"]:
        cue = (state.cue * 2 - 3).astype(jnp.float32)
        return jnp.stack([jnp.where(seen, cue, 0.0), state.tick.astype(jnp.float32) / (LAST + 1)]) * self.scale

    def _view(self, state: Any) -> LearnerView:
        sight = self._sight(state, (state.tick == 0) | (not self.hidden))
        return LearnerView(
            observation=jnp.broadcast_to(sight, (2, 2)),
            action_mask=jnp.ones((2, 3), bool),
            alive=jnp.ones(2, bool),
        )


def recall(hidden: bool = False, scale: float = 1.0) -> Recall:
    return Recall(scale=jnp.float32(scale), hidden=hidden)
