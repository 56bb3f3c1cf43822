"""Games of a policy with given seeds, and of plans and trees with the same seeds to compare it with.

A game of a seed begins alike for all of them: the same places of the units, and the same draws of the engine
(docs/rules/learning.md 13).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import lax
from jaxtyping import Array, Bool, Float, Int, Key, UInt32

from dsl import UserError
from hive.engine.batch.mixed import Entry, play_mixed
from hive.engine.batch.playing import sweep
from hive.engine.batch.value import values
from hive.engine.reading import read_plan
from hive.engine.world import EngineWorld
from hive.kit.environment.env import Env, EnvState, LearnerView, reset, step
from hive.kit.intervals import wilson
from hive.kit.keep.recording import Recording
from hive.kit.seeds import SEEDS, check_seeds
from hive.rl.policies import Policy

Tree = Any
BATCH = 256  # games side by side
_ACT = 1  # folded into a game's key for the draws of actions


@dataclass(frozen=True)
class PlayerGames:
    """Games of one player, arrays over games.

    Attributes:
        name: Of the player.
        seed: `[B]`.
        won: `[B]`.
        score: `[B]` 0 to 1; 1 for a win.
        ticks: `[B]` length of each game; a whole number of steps for a policy.
        world: The name of the world of each game; empty where there is one world.
    """

    name: str
    seed: np.ndarray
    won: np.ndarray
    score: np.ndarray
    ticks: np.ndarray
    world: tuple[str, ...] = ()

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
                {"seed": int(seed), **world, "won": bool(won), "score": float(score), "ticks": int(ticks)}
                for seed, world, won, score, ticks in zip(
                    self.seed, self._worlds, self.won, self.score, self.ticks, strict=True
                )
            ],
        }

    @property
    def _worlds(self) -> list[dict[str, str]]:
        return [{"world": name} for name in self.world] or [{}] * len(self.seed)


class PolicyGame(struct.PyTreeNode, kw_only=True):
    """One game of a policy."""

    state: EnvState
    view: LearnerView
    memory: Tree
    over: Bool[Array, ""]
    won: Bool[Array, ""]
    score: Float[Array, ""]
    steps: Int[Array, ""]


def play_policy(env: Env, policy: Policy, seeds: Sequence[int], name: str) -> PlayerGames:
    """Play one game for each seed.

    Args:
        env: The environment.
        policy: What chooses the actions.
        seeds: Of the games; a game depends on its seed alone.
        name: Of the player, for tables.

    Raises:
        UserError: A seed is not a whole number from 0 to 2^32 - 1, or there is none.
    """
    won, score, steps = play_games(env, policy, seeds, _result)
    return PlayerGames(name, np.asarray(seeds), won, score, steps * env.every, worlds_of(env, seeds))


def worlds_of(env: Env, seeds: Sequence[int]) -> tuple[str, ...]:
    """Return the name of the world of each game, which its key draws; empty where an environment names none.

    Raises:
        UserError: A seed is not a whole number from 0 to 2^32 - 1, or there is none.
    """
    check_seeds(seeds)
    if not env.variants:
        return ()
    drawn = _variants(env, np.asarray(seeds, np.uint32))
    return tuple(env.variants[number] for number in drawn.tolist())


def seeds_of(env: Env, first: int, games: int) -> list[int]:
    """Return the seeds of so many games, from `first` on.

    Where keys draw a world, a seed is passed over when its world has as many games as the others are to have, so that
    no world has two games more than another one.

    Args:
        env: The environment.
        first: The first seed that is considered.
        games: How many.

    Raises:
        UserError: There are not so many seeds below 2^32.
    """
    check_seeds([first, first + games - 1])
    if not env.variants:
        return [*range(first, first + games)]
    share, more = divmod(games, len(env.variants))
    found: list[int] = []
    count = dict.fromkeys(env.variants, 0)
    while len(found) < games:
        block = range(first, min(first + 4 * games, SEEDS))
        if not block:
            raise UserError(
                f"there are not {games:,} seeds for these games below 2^32\n  = help: give a smaller first seed"
            )
        for seed, world in zip(block, worlds_of(env, block), strict=True):
            extra = count[world] == share and sum(each > share for each in count.values()) < more
            if len(found) < games and (count[world] < share or extra):
                count[world] += 1
                found.append(seed)
        first = block.stop
    return found


def play_games(env: Env, policy: Policy, seeds: Sequence[int], read: Callable[[Env, PolicyGame], Tree]) -> Tree:
    """Play one game for each seed and return what `read` says of the ended games, leaves `[B, ...]` on the host.

    Environments, policies and functions of one form share a compiled program.

    Args:
        env: The environment.
        policy: What chooses the actions.
        seeds: Of the games; a game depends on its seed alone.
        read: A pure function of the environment and of one ended game; always the same object.

    Raises:
        UserError: A seed is not a whole number from 0 to 2^32 - 1, or there is none.
    """
    check_seeds(seeds)
    size = min(BATCH, len(seeds))
    parts = []
    for first in range(0, len(seeds), size):
        own = [*seeds[first : first + size]]
        padded = np.array(own + own[:1] * (size - len(own)), np.uint32)  # so that all parts share a program
        parts.append(jax.device_get(_games(read, env, policy, jax.vmap(jax.random.key)(padded))))
    return jax.tree.map(lambda *leaves: np.concatenate(leaves)[: len(seeds)], *parts)


def replay_states(env: Env, policy: Policy, seed: int) -> tuple[EnvState, Int[Array, "t n"], int]:
    """Play the game of a seed once more.

    Returns:
        Its states, leaves `[limit + 1, ...]`, the first before the first step; the actions `[limit, n]`; and the number
        of steps.
    """
    plays, actions, steps = _replay(env, policy, jax.random.key(seed))
    return plays, actions, int(steps)


def record(env: Env, world: Any, policy: Policy, seed: int, title: str) -> Recording:
    """Play the game of a seed and keep its frames.

    Args:
        env: The environment.
        world: What it was made of.
        policy: What chooses the actions.
        seed: Of the game.
        title: Heading of the pictures.

    Raises:
        UserError: Games of this environment cannot be recorded.
    """
    if not env.recordable:
        raise UserError(
            "games of this environment cannot be recorded\n"
            "  = help: those of wildfire levels cannot be; an environment of your own needs a method `record`"
        )
    return env.record(world, *replay_states(env, policy, seed), title)


def play_plans(world: EngineWorld, plans: Mapping[str, str], seeds: Sequence[int]) -> list[PlayerGames]:
    """Play the games of the same seeds with plans, by the engine alone.

    Args:
        world: The world of the environment.
        plans: Shipped names, paths or texts of the player's plans, by their name in tables.
        seeds: Of the games.

    Raises:
        DslError: A plan has errors.
    """
    found = sweep(world, [read_plan(plan, world) for plan in plans.values()], seeds, names=list(plans))
    return [
        PlayerGames(name, result.seed, result.won, values(world, result), result.ticks.astype(int))
        for name, result in zip(plans, found.results, strict=True)
    ]


def play_plans_of(
    worlds: Mapping[str, EngineWorld],
    plans: Mapping[str, Mapping[str, str]],
    seeds: Sequence[int],
    drawn: Sequence[str],
) -> list[PlayerGames]:
    """Play games of several worlds with plans, by the engine alone: all worlds in common batches.

    Args:
        worlds: The worlds by their names.
        plans: For each name in tables the plan of each world: a shipped name, a path or a text.
        seeds: Of the games.
        drawn: The name of the world of each game.

    Raises:
        DslError: A plan has errors.
    """
    own = {
        name: [seed for seed, world in zip(seeds, drawn, strict=True) if world == name] for name in dict.fromkeys(drawn)
    }
    cells = [(label, name) for name in own for label in plans]
    entries = [Entry(worlds[name], read_plan(plans[label][name], worlds[name]), own[name]) for label, name in cells]
    found: dict[tuple[str, str, int], tuple[Any, ...]] = {}
    for (label, name), result in zip(cells, play_mixed(entries), strict=True):
        games = zip(result.won, values(worlds[name], result), result.ticks.astype(int), strict=True)
        found |= {(label, name, seed): game for seed, game in zip(own[name], games, strict=True)}
    played = []
    for label in plans:
        rows = [found[label, name, seed] for seed, name in zip(seeds, drawn, strict=True)]
        won, score, ticks = (np.array(column) for column in zip(*rows, strict=True))
        played.append(PlayerGames(label, np.asarray(seeds), won, score, ticks, tuple(drawn)))
    return played


def best(played: Sequence[PlayerGames]) -> PlayerGames:
    """Return the player that won most games, and of these that with the best mean score."""
    return max(played, key=lambda each: (each.won.sum(), each.score.mean()))


def _begin(env: Env, policy: Policy, key: Key[Array, ""]) -> PolicyGame:
    state, view = reset(env, key)
    return PolicyGame(
        state=state,
        view=view,
        memory=policy.begin(policy.params, env),
        over=jnp.array(False),
        won=jnp.array(False),
        score=jnp.float32(0.0),
        steps=jnp.int32(0),
    )


def _next(env: Env, policy: Policy, key: Key[Array, ""], match: PolicyGame) -> tuple[PolicyGame, Int[Array, " n"]]:
    """Play one step; a game that is over stays as it is."""
    own = jax.random.fold_in(jax.random.fold_in(key, _ACT), match.steps)
    memory, actions = policy.choose(policy.params, env, match.memory, match.state, match.view, own)
    state, timestep = step(env, match.state, actions)
    after = PolicyGame(
        state=state,
        view=timestep.view,
        memory=memory,
        over=timestep.terminated | timestep.truncated,
        won=timestep.won,
        score=timestep.score,
        steps=match.steps + 1,
    )
    return jax.tree.map(lambda new, old: jnp.where(match.over, old, new), after, match), actions


def _result(env: Env, match: PolicyGame) -> tuple[Array, Array, Array]:
    return match.won, match.score, match.steps


@partial(jax.jit, static_argnums=0)
def _games(read: Callable[[Env, PolicyGame], Tree], env: Env, policy: Policy, keys: Key[Array, " b"]) -> Tree:
    """Play games side by side up to their ends."""

    def one(key: Key[Array, ""]) -> Tree:
        match = lax.while_loop(
            lambda match: ~match.over & (match.steps < env.max_steps),
            lambda match: _next(env, policy, key, match)[0],
            _begin(env, policy, key),
        )
        return read(env, match)

    return jax.vmap(one)(keys)


@jax.jit
def _replay(env: Env, policy: Policy, key: Key[Array, ""]) -> tuple[EnvState, Int[Array, "t n"], Int[Array, ""]]:
    """Play a game and keep all of its states and actions; see `replay_states`."""

    def body_fn(match: PolicyGame, _: None) -> tuple[PolicyGame, tuple[EnvState, Array]]:
        after, actions = _next(env, policy, key, match)
        return after, (match.state, actions)

    match, (before, actions) = lax.scan(body_fn, _begin(env, policy, key), None, env.max_steps)
    plays = jax.tree.map(lambda rows, last: jnp.concatenate([rows, last[None]]), before, match.state)
    return plays, actions, match.steps


@jax.jit
def _variants(env: Env, seeds: UInt32[Array, " b"]) -> Int[Array, " b"]:
    return jax.vmap(lambda seed: env.variant(jax.random.key(seed)))(seeds)
