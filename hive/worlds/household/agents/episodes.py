"""Episodes of housework for teams of language agents, that step in one batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int, Key

from hive.kit.environment.env import stack, unstack
from hive.kit.keep.dialogue import Line
from hive.worlds.household import dynamics, legality, options
from hive.worlds.household.agents.agent_env import Estimate, HouseAgentEnv
from hive.worlds.household.assembly import make_params
from hive.worlds.household.codes import AGENTS
from hive.worlds.household.episode import HouseholdEpisode
from hive.worlds.household.recording import HouseRecording, gather
from hive.worlds.household.state import Messages, Params, State


class HouseEpisodes:
    """Episodes of housework; see `hive.kit.agent_env.Episodes`.

    Attributes:
        envs: One for each episode.
        states: For each episode its state before each tick and at the end, on the host.
    """

    def __init__(
        self,
        episodes: Sequence[HouseholdEpisode],
        agents: int = 2,
        seeds: Sequence[int] | None = None,
        *,
        estimate: Estimate | None = None,
        exact: bool = False,
        tips: Sequence[str] | None = None,
        detection: float = 1.0,
    ) -> None:
        """Begin all episodes.

        Args:
            episodes: What is played; an episode may come several times.
            agents: Size of each team, 1 to 4.
            seeds: Seed of each episode; None: 0 for all.
            estimate: Estimates the ticks of proposals from texts.
            exact: Whether proposals have their true ticks.
            tips: The shared list with which each team begins; None: empty lists.
            detection: Chance that an agent detects a thing that it sees in a tick.

        Raises:
            UserError: The number of agents or the chance is out of range.
        """
        seeds = [0] * len(episodes) if seeds is None else seeds
        tips = [""] * len(episodes) if tips is None else tips
        self._params = stack([make_params(each, agents, detection=detection) for each in episodes])
        self._keys = jax.vmap(jax.random.key)(jnp.asarray(seeds, jnp.uint32))
        self.envs = tuple(
            HouseAgentEnv(episode, agents, seed, estimate, exact, start)
            for episode, seed, start in zip(episodes, seeds, tips, strict=True)
        )
        self._silence: Messages = stack([jax.device_get(dynamics.silence())] * len(episodes))
        self._state, legal, cost = _first(self._params, self._keys)
        self.states: tuple[list[State], ...] = tuple([] for _ in episodes)
        self._doing: tuple[list[tuple[str, ...]], ...] = tuple([] for _ in episodes)
        for number, rows in enumerate(unstack(jax.device_get((self._state, legal, cost)))):
            self._look(number, *rows)

    def step(self, playing: Sequence[int]) -> None:
        """Play one tick of the episodes with these numbers; an agent without an option waits."""
        on = np.zeros(len(self.envs), bool)
        on[list(playing)] = True
        chosen = np.full((len(self.envs), AGENTS), options.WAIT, np.int32)
        messages = jax.tree.map(np.copy, self._silence)
        for number, env in enumerate(self.envs):
            for agent, option in env.chosen.items():
                chosen[number, agent] = option
            for agent, told in env.told.items():
                messages.objects[number, agent, list(told.objects)] = True
                messages.containers[number, agent, list(told.containers)] = True
                messages.rooms[number, agent, list(told.rooms)] = True
        for number in playing:
            self._doing[number].append(self._words(self.envs[number]))
        self._state, legal, cost = _step(self._params, self._state, chosen, messages, self._keys, on)
        host = unstack(jax.device_get((self._state, legal, cost)))
        for number in playing:
            self._look(number, *host[number])

    def results(self, env: int) -> Mapping[str, Any]:
        """Return how an episode ended."""
        return self.envs[env].facts()

    def recording(self, env: int, lines: Sequence[Line] = ()) -> HouseRecording:
        """Return the recording of an episode so far, with what its agents said."""
        game = self.envs[env]
        names = [seat.name for seat in game.seats]
        return gather(game.episode, names, self.states[env], self._doing[env], lines)

    def _words(self, env: HouseAgentEnv) -> tuple[str, ...]:
        """Return what each agent of an episode does in the next tick."""
        doing = [env.chosen.get(agent, int(env.state.option[agent])) for agent in env.living()]
        return tuple(env.option(agent, option) for agent, option in enumerate(doing))

    def _look(self, number: int, state: State, legal: Any, cost: Any) -> None:
        self.states[number].append(state)
        self.envs[number].look(state, legal, cost)


@jax.jit
@jax.vmap
def _first(params: Params, key: Key[Array, ""]) -> tuple[State, Bool[Array, "n o"], Int[Array, "n o"]]:
    state = dynamics.reset(params, jax.random.fold_in(key, 0))
    return state, legality.legal(params, state), legality.cost(params, state)


@jax.jit
@jax.vmap
def _step(
    params: Params,
    state: State,
    chosen: Int[Array, " n"],
    messages: Messages,
    key: Key[Array, ""],
    playing: Bool[Array, ""],
) -> tuple[State, Bool[Array, "n o"], Int[Array, "n o"]]:
    """Play one tick of the episodes that are `playing`; return what is legal after it, and its ticks."""
    after = dynamics.step(params, state, chosen, jax.random.fold_in(key, state.clock + 1), messages)
    kept: State = jax.tree.map(partial(jnp.where, playing), after, state)
    return kept, legality.legal(params, kept), legality.cost(params, kept)
