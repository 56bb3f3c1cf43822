"""Games of a policy with given seeds, and of plans and trees with the same seeds to compare it with.

A game of a seed begins alike for all of them: the same places of the units, and the same draws of the engine
(docs/rules/learning.md 13).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import lax
from jaxtyping import Array, Bool, Float, Int, Key

from hive.batch.playing import sweep
from hive.batch.value import values, wilson
from hive.battle.world import Battle
from hive.engine.reading import read_plan
from hive.rl.env import Env, Play, View, reset, step
from hive.rl.policies import Policy
from hive.rl.team import goal_of
from hive.types import PLAYER, Outcome

Tree = Any
BATCH = 256  # games side by side
_ACT = 1  # folded into a game's key for the draws of actions


@dataclass(frozen=True)
class Played:
    """Games of one player, arrays over games.

    Attributes:
        name: Of the player.
        seed: `[B]`.
        won: `[B]`.
        score: `[B]` 0 to 1; 1 for a win.
        ticks: `[B]` length of each game; a whole number of steps for a policy.
    """

    name: str
    seed: np.ndarray
    won: np.ndarray
    score: np.ndarray
    ticks: np.ndarray

    def json(self) -> dict[str, Any]:
        """Return the results in plain values, with the 95% interval of the share of games won (Wilson's)."""
        low, high = wilson(float(self.won.mean()), len(self.won))
        return {
            "name": self.name,
            "games": len(self.won),
            "won": int(self.won.sum()),
            "share": float(self.won.mean()),
            "interval": [low, high],
            "score": float(self.score.mean()),
            "ticks": float(self.ticks.mean()),
            "results": [
                {"seed": int(seed), "won": bool(won), "score": float(score), "ticks": int(ticks)}
                for seed, won, score, ticks in zip(self.seed, self.won, self.score, self.ticks, strict=True)
            ],
        }


class _Seat(struct.PyTreeNode, kw_only=True):
    """One game of a policy."""

    play: Play
    view: View
    memory: Tree
    over: Bool[Array, ""]
    won: Bool[Array, ""]
    score: Float[Array, ""]
    steps: Int[Array, ""]


def play_policy(env: Env, policy: Policy, seeds: Sequence[int], name: str) -> Played:
    """Play one game for each seed.

    Args:
        env: The environment.
        policy: What chooses the actions.
        seeds: Of the games; a game depends on its seed alone.
        name: Of the player, for tables.
    """
    size = min(BATCH, len(seeds))
    parts = []
    for first in range(0, len(seeds), size):
        own = [*seeds[first : first + size]]
        padded = np.array(own + own[:1] * (size - len(own)), np.uint32)  # so that all parts share a program
        found = _games(env.limit, env, policy, jax.vmap(jax.random.key)(padded))
        parts.append(tuple(np.asarray(leaf)[: len(own)] for leaf in found))
    won, score, steps = (np.concatenate(part) for part in zip(*parts, strict=True))
    return Played(name, np.asarray(seeds), won, score, steps * env.every)


def replay_states(env: Env, policy: Policy, seed: int) -> tuple[Play, Int[Array, "t n"], int]:
    """Play the game of a seed once more.

    Returns:
        Its states, leaves `[limit + 1, ...]`, the first before the first step; the actions `[limit, n]`; and the number
        of steps.
    """

    def on(seat: _Seat, _: None) -> tuple[_Seat, tuple[Play, Array]]:
        after, actions = _next(env, policy, key, seat)
        return after, (seat.play, actions)

    key, limit = jax.random.key(seed), env.limit
    seat, (plays, actions) = jax.jit(lambda env: lax.scan(on, _begin(env, policy, key), None, limit))(env)
    plays = jax.tree.map(lambda rows, last: jnp.concatenate([rows, last[None]]), plays, seat.play)
    return plays, actions, int(seat.steps)


def play_plans(world: Battle, plans: Mapping[str, str], seeds: Sequence[int]) -> list[Played]:
    """Play the games of the same seeds with plans, by the engine alone.

    Args:
        world: The battle of the environment.
        plans: Shipped names, paths or texts of the player's plans, by their name in tables.
        seeds: Of the games.

    Raises:
        DslError: A plan has errors.
    """
    found = sweep(world, [read_plan(plan, world) for plan in plans.values()], seeds, names=list(plans))
    win = Outcome.WIN.name.lower()
    return [
        Played(
            name,
            result.seed,
            np.array([end == win for end in result.outcome]),
            values(world, result),
            result.ticks.astype(int),
        )
        for name, result in zip(plans, found.results, strict=True)
    ]


def tree_plans(world: Battle) -> dict[str, str]:
    """Return a plan of one step for each tree that the player may use.

    All units follow the tree, with the place of the objective as target, or the middle of the enemy's start boxes.
    """
    x, y = (int(number) for number in np.asarray(goal_of(world, PLAYER)))
    side = world.side(PLAYER)
    objective = "elimination all" if side.objective.at is None else "position"
    return {
        tree: f"Step 0:\nprerequisites: []\nobjective: {objective}\nunits: all\n"
        f"- target position: ({x}, {y})\n- behavior: {tree}\n"
        for tree in side.behaviours
    }


def best(played: Sequence[Played]) -> Played:
    """Return the player that won most games, and of these that with the best mean score."""
    return max(played, key=lambda each: (each.won.sum(), each.score.mean()))


def _begin(env: Env, policy: Policy, key: Key[Array, ""]) -> _Seat:
    play, view = reset(env, key)
    return _Seat(
        play=play,
        view=view,
        memory=policy.begin(env),
        over=jnp.array(False),
        won=jnp.array(False),
        score=jnp.float32(0.0),
        steps=jnp.int32(0),
    )


def _next(env: Env, policy: Policy, key: Key[Array, ""], seat: _Seat) -> tuple[_Seat, Int[Array, " n"]]:
    """Play one step; a game that is over stays as it is."""
    own = jax.random.fold_in(jax.random.fold_in(key, _ACT), seat.steps)
    memory, actions = policy.choose(policy.params, env, seat.memory, seat.play, seat.view, own)
    play, turn = step(env, seat.play, actions)
    after = _Seat(
        play=play,
        view=turn.view,
        memory=memory,
        over=turn.terminated | turn.truncated,
        won=turn.won,
        score=turn.score,
        steps=seat.steps + 1,
    )
    return jax.tree.map(lambda new, old: jnp.where(seat.over, old, new), after, seat), actions


@partial(jax.jit, static_argnums=0)
def _games(limit: int, env: Env, policy: Policy, keys: Key[Array, " b"]) -> tuple[Array, Array, Array]:
    """Play games side by side; return which were won, their scores and lengths."""

    def one(key: Key[Array, ""]) -> tuple[Array, Array, Array]:
        seat = lax.while_loop(
            lambda seat: ~seat.over & (seat.steps < limit),
            lambda seat: _next(env, policy, key, seat)[0],
            _begin(env, policy, key),
        )
        return seat.won, seat.score, seat.steps

    return jax.vmap(one)(keys)
