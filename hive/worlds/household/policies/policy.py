"""What a policy is, and episodes that it plays: many at once, as one program."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from functools import partial
from typing import Any, Protocol, runtime_checkable

import jax
import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Bool, Int, Key

from hive.worlds.household import dynamics, options
from hive.worlds.household.episode import HouseholdEpisode
from hive.worlds.household.state import Params, State


class Draw(IntEnum):
    """Consumers of randomness, for `fold_in`."""

    ACT = 0
    WORLD = 1
    RESET = 2


BLOCK = 64
"""Episodes of one program; a smaller rest is padded to it."""


class TeamPolicy(Protocol):
    """Whatever chooses the options of a team: a struct whose traced fields are its settings."""

    def begin(self, params: Params, key: Key[Array, ""]) -> Any:
        """Return what it remembers at the start, any pytree of arrays."""

    def act(
        self, params: Params, state: State, memory: Any, key: Key[Array, ""]
    ) -> tuple[Int[Array, " n"], State, Any]:
        """Choose options for the agents that are free.

        Returns:
            `[N]` options, of effect for agents that are free; the state, in which beliefs may be changed as the
            policy's setting says; and what it remembers.
        """


@runtime_checkable
class Player(Protocol):
    """What plays a batch by itself, because it needs the host, where a `TeamPolicy` does not."""

    def play_many(self, episodes: Sequence[HouseholdEpisode], params: Params, keys: Key[Array, " b"]) -> EpisodeResult:
        """Play a batch.

        Args:
            episodes: Of each lane.
            params: Their arrays, with a leading axis.
            keys: Of everything random in each.
        """


class EpisodeResult(struct.PyTreeNode, kw_only=True):
    """How an episode went."""

    ticks: Int[Array, ""]  # until the goal was met, or the limit
    finished: Bool[Array, ""]
    placed: Int[Array, ""]  # wanted objects that are at the goal place
    count: Int[Array, "n k"]  # options that ended, by agent and kind
    spent: Int[Array, "n k"]  # ticks of these options


class EpisodeProgress(struct.PyTreeNode, kw_only=True):
    """An episode that is played."""

    state: State
    memory: Any
    count: Int[Array, "n k"]
    spent: Int[Array, "n k"]


def play(policy: TeamPolicy, params: Params, key: Key[Array, ""]) -> EpisodeResult:
    """Play one episode to its end.

    Args:
        policy: Who chooses.
        params: The episode.
        key: Of everything random in it.
    """
    game = begin(policy, params, key)
    game = jax.lax.while_loop(lambda game: ~dynamics.done(params, game.state), partial(tick, policy, params, key), game)
    return result(params, game)


def begin(policy: TeamPolicy, params: Params, key: Key[Array, ""]) -> EpisodeProgress:
    """Return an episode before its first tick; see `play`."""
    state = dynamics.reset(params, jax.random.fold_in(key, Draw.RESET))
    none = jnp.zeros((state.room.shape[0], len(options.OptionKind)), jnp.int32)
    memory = policy.begin(params, jax.random.fold_in(key, Draw.ACT))
    return EpisodeProgress(state=state, memory=memory, count=none, spent=none)


def result(params: Params, game: EpisodeProgress) -> EpisodeResult:
    """Return how an episode went."""
    return EpisodeResult(
        ticks=game.state.clock,
        finished=game.state.finished,
        placed=dynamics.placed(params, game.state),
        count=game.count,
        spent=game.spent,
    )


def tick(policy: TeamPolicy, params: Params, key: Key[Array, ""], game: EpisodeProgress) -> EpisodeProgress:
    """Return an episode after another tick; see `play`."""
    state = game.state
    now = jax.random.fold_in(key, state.clock)
    chosen, state, memory = policy.act(params, state, game.memory, jax.random.fold_in(now, Draw.ACT))
    state = dynamics.step(params, state, chosen, jax.random.fold_in(now, Draw.WORLD))
    ended = (~state.busy & params.agent_there).astype(jnp.int32)
    kind = jnp.asarray(options.KIND, jnp.int32)[state.option]
    rows = jnp.arange(kind.shape[0], dtype=jnp.int32)
    return game.replace(
        state=state,
        memory=memory,
        count=game.count.at[rows, kind].add(ended),
        spent=game.spent.at[rows, kind].add(ended * state.elapsed),
    )


@jax.jit
def play_many(policy: TeamPolicy, params: Params, keys: Key[Array, " b"]) -> EpisodeResult:
    """Play a batch: `params` and `keys` with a leading axis of episodes."""
    return jax.vmap(play, in_axes=(None, 0, 0))(policy, params, keys)
