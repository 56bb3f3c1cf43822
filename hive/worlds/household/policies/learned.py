"""The cheapest option by learned costs: the world runs on the device, and the texts are read on the host."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jaxtyping import Array, Bool, Float, Int, Key

from hive.worlds.household import dynamics, options
from hive.worlds.household.episode import HouseholdEpisode
from hive.worlds.household.legality import legal
from hive.worlds.household.policies.cheapest import Cheapest, choose
from hive.worlds.household.policies.knowing import inform
from hive.worlds.household.policies.policy import EpisodeProgress, EpisodeResult, begin, result, tick
from hive.worlds.household.state import Params, State
from hive.worlds.household.texts import Texts, held
from hive.worlds.household.utility.estimator import Estimator
from hive.worlds.household.utility.exploring import told


class _Told(struct.PyTreeNode, kw_only=True):
    """The myopic rule with given costs, for one tick."""

    setting: Cheapest
    ticks: Float[Array, "n o"]

    def begin(self, params: Params, key: Key[Array, ""]) -> tuple[()]:
        return self.setting.begin(params, key)

    def act(
        self, params: Params, state: State, memory: tuple[()], key: Key[Array, ""]
    ) -> tuple[Int[Array, " n"], State, tuple[()]]:
        state = inform(params, state, self.setting.knows)
        return choose(params, state, self.ticks, self.setting, key), state, memory


@dataclass(frozen=True, eq=False)
class ByTexts:
    """The myopic rule with costs that an estimator reads from the agent's own texts.

    Attributes:
        estimator: Who estimates; learned costs, or any other.
        setting: Of the rule; its prices have no effect.
    """

    estimator: Estimator
    setting: Cheapest

    def play_many(self, episodes: Sequence[HouseholdEpisode], params: Params, keys: Key[Array, " b"]) -> EpisodeResult:
        """Play a batch.

        Args:
            episodes: Of each lane, for its words.
            params: Their arrays, with a leading axis.
            keys: Of everything random in each.
        """
        texts = [Texts(episode) for episode in episodes]
        game = _begin(self.setting, params, keys)
        while True:
            seen, possible, goes_on = jax.device_get(_look(self.setting, params, game.state))
            if not goes_on.any():
                return _result(params, game)
            asks = goes_on[:, None] & ~seen.busy
            costs: Any = self._ticks(texts, seen, possible, asks)
            game = _tick(_Told(setting=self.setting, ticks=costs), params, keys, game)

    def _ticks(
        self, texts: Sequence[Texts], seen: State, possible: np.ndarray, asks: np.ndarray
    ) -> Float[np.ndarray, "b n o"]:
        """Ask for all legal options of all agents that choose, in one call."""
        observations: list[str] = []
        words: list[str] = []
        places: list[tuple[int, int, int]] = []
        for lane, agent in zip(*np.nonzero(asks), strict=True):
            one = jax.tree.map(lambda leaf, lane=lane: leaf[lane], seen)
            text, hands = told(texts[lane], one, agent), held(one, agent)
            for option in np.flatnonzero(possible[lane, agent]).tolist():
                if option not in (options.WAIT, options.SEND):
                    observations.append(text)
                    words.append(texts[lane].option(option, hands))
                    places.append((lane, agent, option))
        found = np.ones(possible.shape, np.float32)
        if places:
            found[tuple(np.transpose(places))] = self.estimator.ticks(observations, words)
        return found


@jax.jit
def _begin(setting: Cheapest, params: Params, keys: Key[Array, " b"]) -> EpisodeProgress:
    return jax.vmap(begin, in_axes=(None, 0, 0))(setting, params, keys)


@jax.jit
def _look(setting: Cheapest, params: Params, state: State) -> tuple[State, Bool[Array, "b n o"], Bool[Array, " b"]]:
    """Return what the agents know, what they may choose, and which episodes go on."""

    def one(params: Params, state: State) -> Any:
        state = inform(params, state, setting.knows)
        return state, legal(params, state), ~dynamics.done(params, state)

    found: tuple[State, Array, Array] = jax.vmap(one)(params, state)
    return found


@jax.jit
def _tick(told: _Told, params: Params, keys: Key[Array, " b"], game: EpisodeProgress) -> EpisodeProgress:
    def one(ticks: Array, params: Params, key: Key[Array, ""], game: EpisodeProgress) -> EpisodeProgress:
        over = dynamics.done(params, game.state)
        after = tick(told.replace(ticks=ticks), params, key, game)
        return jax.tree.map(lambda old, new: jnp.where(over, old, new), game, after)

    return jax.vmap(one)(told.ticks, params, keys, game)


_result = jax.jit(jax.vmap(result))
