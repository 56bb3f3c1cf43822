"""A conformance kit for environments that users add: what learners rely on, tried out on random games."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Key

from hive.rl.env import STAND, Env, EnvState, Turn, reset, step

Tree = Any


def check(env: Env, *, games: int = 4, steps: int | None = None, seed: int = 0) -> list[str]:
    """Play random games and return what breaks the contract of an environment, in words; empty if nothing does.

    Tested are shapes and dtypes, ranges of observations, masks of actions (standing is always possible, a dead unit
    only stands), rewards that are finite and the same for the whole team, that a game ends in one way and then stays
    as it is without reward, and that a game in a batch is to the bit the game alone.

    Args:
        env: The environment.
        games: Games side by side.
        steps: Ticks of each; None: two more than the limit of a game.
        seed: Of the games and of the random actions.
    """
    ticks = env.limit + 2 if steps is None else steps
    keys = jax.random.split(jax.random.key(seed), games)
    batch = jax.jit(jax.vmap(partial(_play, ticks=ticks), (None, 0)))(env, keys)
    alone = jax.jit(partial(_play, ticks=ticks))(env, keys[-1])
    plays, turns = jax.device_get(batch)
    found = [*_shapes(env, turns, (games, ticks)), *_ranges(turns), *_ends(plays, turns)]
    last = jax.tree.map(lambda leaf: leaf[-1], (plays, turns))
    paths = jax.tree_util.tree_flatten_with_path(last)[0]
    others = jax.tree.leaves(jax.device_get(alone))
    differ = [
        jax.tree_util.keystr(path) for (path, a), b in zip(paths, others, strict=True) if not np.array_equal(a, b)
    ]
    if differ:
        found.append(f"a game in a batch is not the game alone, bit for bit: {', '.join(differ)} differ")
    return found


def _play(env: Env, key: Key[Array, ""], ticks: int) -> tuple[Tree, Turn]:
    """Play one game with random available actions; the states and turns after each step."""

    def on(carry: tuple[EnvState, Array], key: Key[Array, ""]) -> tuple[tuple[EnvState, Array], Tree]:
        play, available = carry
        action = jax.random.categorical(key, jnp.where(available, 0.0, -jnp.inf))
        play, turn = step(env, play, action)
        return (play, turn.view.available), (jax.tree.map(_numbers, play), turn)

    play, view = reset(env, key)
    return jax.lax.scan(on, (play, view.available), jax.random.split(key, ticks))[1]


def _numbers(leaf: Array) -> Array:
    return jax.random.key_data(leaf) if jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key) else leaf


def _shapes(env: Env, turns: Turn, batch: tuple[int, int]) -> Iterator[str]:
    team = (*batch, env.agents)
    wanted = {
        "observation": (turns.view.observation, (*team, env.features), np.float32),
        "available": (turns.view.available, (*team, env.actions), np.bool_),
        "alive": (turns.view.alive, team, np.bool_),
        "reward": (turns.reward, team, np.float32),
        "terminated": (turns.terminated, batch, np.bool_),
        "truncated": (turns.truncated, batch, np.bool_),
        "won": (turns.won, batch, np.bool_),
        "score": (turns.score, batch, np.float32),
    }
    for name, (found, shape, kind) in wanted.items():
        if found.shape != shape or found.dtype != kind:
            yield f"{name} is {found.dtype}{list(found.shape)}, not {np.dtype(kind)}{list(shape)}"


def _ranges(turns: Turn) -> Iterator[str]:
    view = turns.view
    if not np.isfinite(view.observation).all():
        yield "an observation is not finite"
    elif np.abs(view.observation).max() > 1:
        yield f"an observation is {np.abs(view.observation).max():g}, outside -1 to 1"
    if not view.available[..., STAND].all():
        yield "standing is not always available"
    if view.available[~view.alive][:, STAND + 1 :].any():
        yield "a dead unit can do more than stand"
    if not ((turns.score >= 0) & (turns.score <= 1)).all():
        yield "a score is outside 0 to 1"
    if not np.isfinite(turns.reward).all():
        yield "a reward is not finite"
    elif (turns.reward != turns.reward[..., :1]).any():
        yield "units of one team get different rewards"


def _ends(plays: Tree, turns: Turn) -> Iterator[str]:
    if (turns.terminated & turns.truncated).any():
        yield "a game is terminated and truncated at once"
    if (turns.won & ~turns.terminated).any():
        yield "a game is won and has not terminated"
    over = turns.terminated | turns.truncated
    if (over[:, :-1] & ~over[:, 1:]).any():
        yield "a game that has ended goes on"
    after = over[:, :-1]
    if turns.reward[:, 1:][after].any():
        yield "a game that has ended gives a reward"
    pairs = (((leaf[:, :-1][after], leaf[:, 1:][after])) for leaf in jax.tree.leaves(plays))
    if not all(np.array_equal(old, new) for old, new in pairs):
        yield "a game that has ended changes"
