"""Exploratory episodes: options taken at random, as texts with their ticks (docs/rules/household.md 12.1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Key

from hive.kit.environment.env import stack
from hive.worlds.household import dynamics, options
from hive.worlds.household.assembly import make_params
from hive.worlds.household.codes import OptionStatus
from hive.worlds.household.episode import HouseholdEpisode
from hive.worlds.household.legality import cost
from hive.worlds.household.options import OptionKind
from hive.worlds.household.policies.policy import BLOCK, Draw
from hive.worlds.household.policies.roaming import Roaming
from hive.worlds.household.state import Params, State
from hive.worlds.household.texts import Texts, held

TICKS = 120
"""Ticks of an exploratory episode; options that still go on then are not counted."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """Options that were finished, P of them.

    Attributes:
        observations: What the agent read when it chose.
        options: The text of what it chose.
        kinds: `[P]` kind of each option.
        ticks: `[P]` how long it took.
        straight: `[P]` ticks by the map: a straight line through the doors, and the deeds at its end.
        homes: `[P]` number of the episode in the list that was explored.
    """

    observations: tuple[str, ...]
    options: tuple[str, ...]
    kinds: np.ndarray
    ticks: np.ndarray
    straight: np.ndarray
    homes: np.ndarray

    def __len__(self) -> int:
        """Return the number of pairs."""
        return len(self.options)

    @property
    def means(self) -> dict[OptionKind, float]:
        """Mean ticks of each kind of option."""
        return {kind: float(self.ticks[self.kinds == kind].mean()) for kind in OptionKind if np.any(self.kinds == kind)}

    def where(self, chosen: np.ndarray) -> Pairs:
        """Return some of the pairs: `[P]` bools."""
        rows = np.flatnonzero(chosen)
        return Pairs(
            tuple(self.observations[row] for row in rows),
            tuple(self.options[row] for row in rows),
            *(each[rows] for each in (self.kinds, self.ticks, self.straight, self.homes)),
        )


def explore(
    episodes: Sequence[HouseholdEpisode],
    seeds: Sequence[int],
    agents: int = 2,
    ticks: int = TICKS,
    update: Callable[[int], None] = lambda done: None,
) -> Pairs:
    """Let a roaming team play each episode once per seed.

    Args:
        episodes: At least one.
        seeds: Of everything random.
        agents: Size of the team.
        ticks: Length of each play; an episode that is finished before ends there.
        update: Receives the number of plays that are done.
    """
    params = [make_params(replace(episode, limit=min(episode.limit, ticks)), agents) for episode in episodes]
    lanes = [(row, seed) for row in range(len(episodes)) for seed in seeds]
    rows: list[tuple[str, str, int, int, int, int]] = []
    for first in range(0, len(lanes), BLOCK):
        some = lanes[first : first + BLOCK]
        padded = some + [some[0]] * (BLOCK - len(some))
        keys = jax.vmap(jax.random.key)(jnp.asarray([seed for _, seed in padded], jnp.uint32))
        trace = jax.device_get(_play(stack([params[row] for row, _ in padded]), keys, ticks))
        for lane, (row, _) in enumerate(some):
            one = jax.tree.map(lambda leaf, lane=lane: leaf[lane], trace)
            rows += [(*found, row) for found in _read(episodes[row], one, agents)]
        update(first + len(some))
    texts, words, *numbers = zip(*rows, strict=True) if rows else ([], [], [], [], [], [])
    return Pairs(tuple(texts), tuple(words), *(np.asarray(each, np.int32) for each in numbers))


def split(pairs: Pairs, share: float = 0.8, seed: int = 0) -> tuple[Pairs, Pairs]:
    """Return a random share of the pairs, 80% as published, and the others."""
    chosen = np.random.default_rng(seed).permutation(len(pairs)) < round(share * len(pairs))
    return pairs.where(chosen), pairs.where(~chosen)


@partial(jax.jit, static_argnums=2)
def _play(params: Params, keys: Key[Array, " b"], ticks: int) -> Any:
    return jax.vmap(partial(_play_one, ticks))(params, keys)


def _play_one(ticks: int, params: Params, key: Key[Array, ""]) -> Any:
    """Return for each tick the state in which agents chose, what began, its cost by the map, and what ended."""

    def tick(state: State, clock: Array) -> tuple[State, Any]:
        now = jax.random.fold_in(key, clock)
        chosen, _, _ = Roaming().act(params, state, (), jax.random.fold_in(now, Draw.ACT))
        begins = dynamics.free(state) & params.agent_there & ~dynamics.done(params, state)
        straight = jnp.take_along_axis(cost(params, state), chosen[:, None], axis=1)[:, 0]
        after = dynamics.step(params, state, chosen, jax.random.fold_in(now, Draw.WORLD))
        ended = ~after.busy & params.agent_there
        return after, (state, chosen, begins, straight, ended, after.result, after.elapsed)

    start = dynamics.reset(params, jax.random.fold_in(key, Draw.RESET))
    return jax.lax.scan(tick, start, jnp.arange(ticks, dtype=jnp.int32))[1]


def _read(episode: HouseholdEpisode, trace: Any, agents: int) -> list[tuple[str, str, int, int, int]]:
    """Return texts, kind, ticks and straight ticks of the options of one play that were done."""
    states, chosen, begins, straight, ended, result, elapsed = trace
    texts, found = Texts(episode), []
    for clock, agent in zip(*np.nonzero(begins), strict=True):
        option = int(chosen[clock, agent])
        ends = np.flatnonzero(ended[clock:, agent])
        if agent >= agents or option == options.WAIT or not ends.size:
            continue
        end = clock + ends[0]
        if result[end, agent] != OptionStatus.DONE:
            continue
        state = jax.tree.map(lambda leaf, clock=clock: leaf[clock], states)
        found.append(
            (
                told(texts, state, agent),
                texts.option(option, held(state, agent)),
                options.FULL_KIND[option],
                int(elapsed[end, agent]),
                int(straight[clock, agent]),
            )
        )
    return found


def told(texts: Texts, state: State, agent: int) -> str:
    """Return what an agent reads before it chooses, and a learned cost with it."""
    return f"{texts.observation(state, agent)} {texts.progress(state, agent)}"
