"""Agents that follow the plan of the planner that knows everything, in the world itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jaxtyping import Array, Int, Key

from hive.worlds.household import options
from hive.worlds.household.codes import AGENTS, FLOOR, OBJECTS
from hive.worlds.household.episode import HouseholdEpisode
from hive.worlds.household.planner.splitting import TourPlan, plan
from hive.worlds.household.planner.tours import PUT
from hive.worlds.household.policies.knowing import Knows, inform
from hive.worlds.household.policies.policy import EpisodeResult, play
from hive.worlds.household.state import Params, State

LENGTH = 2 * OBJECTS
"""Most stops of a tour."""

_END = -2


class _Follower(struct.PyTreeNode):
    """Agents with a list of stops each; a closed container is opened before something is taken out of it."""

    stops: Int[Array, "n l"]

    def begin(self, params: Params, key: Key[Array, ""]) -> Int[Array, " n"]:
        del params, key
        return jnp.zeros(AGENTS, jnp.int32)

    def act(
        self, params: Params, state: State, memory: Int[Array, " n"], key: Key[Array, ""]
    ) -> tuple[Int[Array, " n"], State, Int[Array, " n"]]:
        del key
        state = inform(params, state, jnp.int32(Knows.ALL))
        stop = jnp.take_along_axis(self.stops, memory[:, None], axis=1)[:, 0]
        place = state.place[jnp.maximum(stop, 0)]
        container = jnp.clip(place, 0, FLOOR - 1)
        closed = (stop >= 0) & (place < FLOOR) & ~state.open[container]
        wanted = jnp.where(stop >= 0, options.GRAB + stop, jnp.where(stop == PUT, options.PUT, options.WAIT))
        begins = ~state.busy & ~closed & (stop != _END)
        chosen = jnp.where(closed, options.CHECK + container, wanted)
        return chosen, state, memory + begins.astype(jnp.int32)


@dataclass(frozen=True, eq=False)
class Planner:
    """The planner that knows everything; its plans are played by the world like any other policy.

    Attributes:
        plans: What was planned so far, by name of the episode and number of agents.
    """

    plans: dict[tuple[str, int], TourPlan] = field(default_factory=dict)

    def plan(self, episode: HouseholdEpisode, agents: int) -> TourPlan:
        """Return the plan of an episode; it is searched once."""
        if (episode.name, agents) not in self.plans:
            self.plans[episode.name, agents] = plan(episode, agents)
        return self.plans[episode.name, agents]

    def play_many(self, episodes: Sequence[HouseholdEpisode], params: Params, keys: Key[Array, " b"]) -> EpisodeResult:
        """Play a batch; see `ByTexts.play_many`."""
        teams = np.asarray(params.agent_there).sum(1)
        stops: Any = np.full((len(episodes), AGENTS, LENGTH), _END, np.int32)
        for lane, (episode, agents) in enumerate(zip(episodes, teams.tolist(), strict=True)):
            for agent, tour in enumerate(self.plan(episode, agents).tours):
                stops[lane, agent, : len(tour.stops)] = tour.stops
        return _play(_Follower(stops), params, keys)


_play = jax.jit(jax.vmap(play))
