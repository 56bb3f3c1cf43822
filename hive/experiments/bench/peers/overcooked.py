"""JaxMARL's Overcooked and the kitchen of HIVE: as many kitchens, cooks and steps, each in one scan.

Both sides act at random, observe for each of two cooks, reward, and reset ended games. HIVE is measured twice: with
moves as Overcooked has them, and with named actions, whose mask is computed in every step.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Bool, Int, Key

from hive.experiments.bench.peers.comparing import PeerProgram, peer_row, seconds_of
from hive.experiments.bench.peers.jaxmarl_play import random_steps
from hive.kit.environment.env import LearnerView, reset
from hive.rl.autoreset import step_and_reset
from hive.worlds.kitchen.environment import make_kitchen_env

BATCH = 4_096
ORDER = "baked_pumpkin_soup"

_COMMON = (
    "Overcooked has one recipe of three onions, observes a map of 26 layers for each cook and lets the cooks meet; "
    "ours knows a cookbook of 107 items, observes what a cook reaches as one row, and ends after the order's limit"
)
_NAMED = (
    "as with moves; our cooks also walk by a controller, and the validator's mask of all actions is part of the step"
)


def rows(quick: bool) -> Iterator[dict[str, object]]:
    """Environment steps a second of 4,096 kitchens in one batch."""
    batch, steps = (256, 10) if quick else (BATCH, 100)
    programs = our_steps(batch, steps, moves=True), our_steps(batch, steps, moves=False), their_steps(batch, steps)
    moves, named, theirs = (batch * steps / seconds for seconds in seconds_of(*programs, quick=quick))
    for our, what, why in ((moves, "moves", _COMMON), (named, "named actions", _NAMED)):
        work = f"{batch:,} kitchens, {what}"
        yield peer_row("JaxMARL Overcooked", "jaxmarl", work, 2, "step", our, theirs, batch * steps, why)


def our_steps(batch: int, steps: int, *, moves: bool) -> PeerProgram:
    """A program of `steps` environment steps of so many kitchens; it returns the last of all that a learner reads."""
    env = make_kitchen_env([ORDER], moves=moves)

    def one(play: Any, view: LearnerView, key: Key[Array, ""]) -> tuple[Any, LearnerView, Any]:
        choosing, starting = jax.random.split(key)
        if moves:  # without a mask, drawn as for the peer
            actions = jax.random.randint(choosing, (env.num_agents,), 0, env.num_actions)
        else:
            actions = _any_of(view.action_mask, choosing)
        play, after = step_and_reset(env, play, actions, starting)
        return play, after.timestep.view, (after.timestep.reward, after.timestep.terminated, after.timestep.truncated)

    @jax.jit
    def play(keys: Key[Array, " b"]) -> Any:
        plays, views = jax.vmap(lambda key: reset(env, key))(keys)
        _, _, kept = jax.eval_shape(jax.vmap(one), plays, views, keys)
        start = (plays, views, jax.tree.map(lambda leaf: jnp.zeros(leaf.shape, leaf.dtype), kept))
        draws = jax.vmap(lambda key: jax.random.split(key, steps), out_axes=1)(keys)
        return lax.scan(lambda carry, now: (jax.vmap(one)(carry[0], carry[1], now), None), start, draws)[0]

    keys = jax.random.split(jax.random.key(0), batch)
    return lambda: jax.block_until_ready(play(keys))[0]


def _any_of(action_mask: Bool[Array, "n a"], key: Key[Array, ""]) -> Int[Array, " n"]:
    """Draw one of each cook's available actions, all equally likely, with one number a cook as the peer draws it."""
    number = jax.random.randint(key, (len(action_mask), 1), 0, action_mask.sum(1, keepdims=True, dtype=jnp.int32))
    return jnp.argmax(jnp.cumsum(action_mask, axis=1, dtype=jnp.int32) > number, axis=1).astype(jnp.int32)


def their_steps(batch: int, steps: int) -> PeerProgram:
    """The same of Overcooked's `cramped_room`, which has as many columns as our kitchen and one row less."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # it advises a second version, whose recipes vary
        from jaxmarl.environments.overcooked import Overcooked

        env = Overcooked()

    return random_steps(env, env.step, len(env.action_set), batch, steps)
