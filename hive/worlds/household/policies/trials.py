"""Policies on lists of episodes: batches of one size, results on the host."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Bool, Float, Int

from hive.kit.environment.env import stack
from hive.worlds.household.assembly import make_params
from hive.worlds.household.episode import HouseholdEpisode
from hive.worlds.household.policies.figures import Mean, mean_of
from hive.worlds.household.policies.policy import BLOCK, Player, TeamPolicy, play_many


@dataclass(frozen=True, eq=False)
class Trial:
    """How a policy or a team did on some episodes; S seeds, E episodes.

    Attributes:
        ticks: `[E, S]` until the goal was met; the limit where it was not.
        finished: `[E, S]` whether it was met.
        share: `[E, S]` share of the wanted objects that were brought; in transport episodes the transport rate.
    """

    ticks: Int[np.ndarray, "e s"]
    finished: Bool[np.ndarray, "e s"]
    share: Float[np.ndarray, "e s"]

    @property
    def mean(self) -> Mean:
        """Mean ticks over episodes; the seeds of an episode are averaged first."""
        return mean_of(self.ticks.mean(1))

    @property
    def rate(self) -> Mean:
        """Mean share of the wanted objects in percent, over episodes; in transport episodes the transport rate."""
        return mean_of(100 * self.share.mean(1))

    @property
    def unfinished(self) -> int:
        """Plays that reached the limit."""
        return int((~self.finished).sum())


@dataclass(frozen=True, eq=False)
class PolicyTrial(Trial):
    """How a policy did on some episodes; see `Trial`.

    Attributes:
        count: `[E, S, K]` options that ended, of all agents, by kind.
        spent: `[E, S, K]` ticks of these.
    """

    count: Int[np.ndarray, "e s k"]
    spent: Int[np.ndarray, "e s k"]


def try_out(
    policy: TeamPolicy | Player,
    episodes: Sequence[HouseholdEpisode],
    agents: int,
    seeds: Sequence[int],
    update: Callable[[int], None] = lambda done: None,
    detection: float = 1.0,
) -> PolicyTrial:
    """Play every episode once per seed.

    Args:
        policy: Who chooses.
        episodes: At least one.
        agents: Size of the team, 1 to 4.
        seeds: Of everything random; the same seed gives the same play, alone or in a batch.
        update: Receives the number of plays that are done.
        detection: Chance that an agent detects a thing that it sees in a tick.

    Raises:
        UserError: The number of agents or the chance is out of range.
    """
    params = [make_params(episode, agents, detection=detection) for episode in episodes]
    lanes = [(row, seed) for row in range(len(episodes)) for seed in seeds]
    parts = []
    for first in range(0, len(lanes), BLOCK):
        some = lanes[first : first + BLOCK]
        padded = some + [some[0]] * (BLOCK - len(some))
        keys = jax.vmap(jax.random.key)(jnp.asarray([seed for _, seed in padded], jnp.uint32))
        batch = stack([params[row] for row, _ in padded])
        if isinstance(policy, Player):
            played = policy.play_many([episodes[row] for row, _ in padded], batch, keys)
        else:
            played = play_many(policy, batch, keys)
        size = len(some)
        parts.append(jax.tree.map(lambda leaf, size=size: np.asarray(leaf)[:size], played))
        update(first + len(some))
    joined: Any = jax.tree.map(lambda *leaves: np.concatenate(leaves), *parts)

    def by_episode(leaf: np.ndarray) -> np.ndarray:
        return leaf.reshape(len(episodes), len(seeds), *leaf.shape[1:])

    return PolicyTrial(
        ticks=by_episode(joined.ticks),
        finished=by_episode(joined.finished),
        share=by_episode(joined.placed) / np.array([[episode.wanted] for episode in episodes]),
        count=by_episode(joined.count.sum(1)),
        spent=by_episode(joined.spent.sum(1)),
    )
