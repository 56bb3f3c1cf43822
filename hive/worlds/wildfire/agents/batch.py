"""Episodes of a level in one compiled program: actions that agents chose, one step, and what the host reads of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jaxtyping import Array, Bool, Int, Key, UInt8
from numpy.typing import NDArray

from hive.engine import spawning
from hive.engine.crews.explored import cell_of
from hive.engine.crews.score import over
from hive.engine.dynamics import step as play
from hive.engine.types import CrewAction, Params, State
from hive.kit.environment.env import stack
from hive.worlds.wildfire.primitives import Primitive, begin, command, finished
from hive.worlds.wildfire.recording import CrewFrame, frame
from hive.worlds.wildfire.world import Fireground


class Chosen(struct.PyTreeNode, kw_only=True):
    """The actions that agents begin in a step."""

    new: Bool[Array, " n"]  # else the agent's present action goes on
    single: Bool[Array, " n"]  # whether it ends after one step
    kind: Int[Array, " n"]  # index into `hive.worlds.wildfire.primitives.PRIMITIVE_NAMES` of the agent's type
    place: Int[Array, "n 2"]
    count: Int[Array, " n"]


class StepView(struct.PyTreeNode, kw_only=True):
    """What the host reads of an episode after a step."""

    frame: CrewFrame
    cell: Int[Array, "n 2"]
    busy: Bool[Array, " n"]
    refused: Int[Array, ""]
    won: Bool[Array, ""]  # highest score, or the fire is out
    over: Bool[Array, ""]
    maps: UInt8[Array, "n x y"] | None = None  # the explored map of each agent; None where the team shares one


class LevelEpisode(struct.PyTreeNode, kw_only=True):
    """One episode on the device."""

    params: Params
    state: State
    primitive: Primitive
    key: Key[Array, ""]


def first(worlds: Sequence[Fireground]) -> tuple[LevelEpisode, StepView]:
    """Return episodes of one level on the maps of several seeds, with a leading axis of episodes, before any step."""
    rows = jax.device_get([world.params for world in worlds])
    params: Params = jax.device_put(stack(rows))
    keys = jnp.stack([jax.random.key(world.site.seed) for world in worlds])
    shape = len(worlds), worlds[0].params.count
    none, nowhere = jax.device_put((np.full(shape, -1, np.int32), np.full((*shape, 2), -1, np.int32)))
    primitive, order = Primitive(kind=none, place=nowhere, until=none), CrewAction(code=none, place=nowhere)
    episodes = LevelEpisode(params=params, state=_reset(params, keys), primitive=primitive, key=keys)
    return episodes, _look(episodes, order)


def step(
    episodes: LevelEpisode, chosen: Chosen, playing: Bool[Array, " e"] | NDArray[np.bool_]
) -> tuple[LevelEpisode, StepView]:
    """Play one step of the episodes that are `playing`, `[E]`; others stay as they are.

    A firefighter that is aboard a helicopter after the step has no action, whatever it did before.
    """
    episodes, order = _play(episodes, chosen, playing)
    return episodes, _look(episodes, order)


@jax.jit
@jax.vmap
def _reset(params: Params, key: Any) -> State:
    return spawning.reset(params, key)


@jax.jit
@jax.vmap
def _play(episode: LevelEpisode, chosen: Chosen, playing: Any) -> tuple[LevelEpisode, CrewAction]:
    params, state = episode.params, episode.state
    fresh = begin(params, state, chosen.kind, chosen.place, chosen.count)
    fresh = fresh.replace(until=jnp.where(chosen.single, state.tick + 1, fresh.until))

    def pick(fresh: Array, old: Array) -> Array:
        return jnp.where(jnp.expand_dims(chosen.new, tuple(range(1, old.ndim))), fresh, old)

    primitive: Primitive = jax.tree.map(pick, fresh, episode.primitive)
    order = command(params, state, primitive)
    after = play(params, state, order, episode.key)
    assert after.crew is not None
    primitive = primitive.replace(until=jnp.where(after.crew.aboard >= 0, after.tick, primitive.until))
    now = episode.state, episode.primitive
    state, primitive = jax.tree.map(lambda new, old: jnp.where(playing, new, old), (after, primitive), now)
    return episode.replace(state=state, primitive=primitive), order


@jax.jit
@jax.vmap
def _look(episode: LevelEpisode, order: CrewAction) -> StepView:
    params, state = episode.params, episode.state
    assert state.crew is not None
    won, none = over(params, state), jnp.full(params.count, -1, jnp.int32)
    return StepView(
        frame=frame(params, state, order, none, jnp.zeros_like(order.place)),
        cell=cell_of(state),
        busy=~finished(params, state, episode.primitive),
        refused=state.crew.refused,
        won=won,
        over=won | (state.tick >= params.rules.limit),
        maps=None if state.crew.seen.ndim == 2 else state.crew.seen,
    )
