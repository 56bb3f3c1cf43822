"""Episodes of a level in one compiled program: actions that agents chose, one step, and what the host reads of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Bool, Int, Key

from hive.crews.explored import cell_of
from hive.crews.score import over
from hive.engine import spawning
from hive.engine.dynamics import step as play
from hive.types import Params, State
from hive.wildfire.primitives import Primitive, begin, command, finished
from hive.wildfire.recording import Frame, frame, idle_frame
from hive.wildfire.world import Fireground


class Chosen(struct.PyTreeNode, kw_only=True):
    """The actions that agents begin in a step."""

    new: Bool[Array, " n"]  # else the agent's present action goes on
    single: Bool[Array, " n"]  # whether `kind` numbers an action of one step
    kind: Int[Array, " n"]
    place: Int[Array, "n 2"]
    count: Int[Array, " n"]


class Look(struct.PyTreeNode, kw_only=True):
    """What the host reads of an episode after a step."""

    frame: Frame
    cell: Int[Array, "n 2"]
    busy: Bool[Array, " n"]
    refused: Int[Array, ""]
    won: Bool[Array, ""]  # highest score, or the fire is out
    over: Bool[Array, ""]


class Episode(struct.PyTreeNode, kw_only=True):
    """One episode on the device."""

    params: Params
    state: State
    primitive: Primitive
    key: Key[Array, ""]


def first(worlds: Sequence[Fireground]) -> tuple[Episode, Look]:
    """Return episodes of one level on the maps of several seeds, with a leading axis of episodes, before any step."""
    params: Params = jax.tree.map(lambda *leaves: jnp.stack(leaves), *[world.params for world in worlds])
    keys = jnp.stack([jax.random.key(world.site.seed) for world in worlds])
    return _first(params, keys)


@jax.jit
@jax.vmap
def _first(params: Params, key: Any) -> tuple[Episode, Look]:
    state = spawning.reset(params, key)
    none = jnp.full(params.count, -1, jnp.int32)
    primitive = Primitive(kind=none, place=jnp.zeros((params.count, 2), jnp.int32), until=jnp.zeros_like(none))
    episode = Episode(params=params, state=state, primitive=primitive, key=key)
    return episode, _look(episode, idle_frame(params, state))


@jax.jit
@jax.vmap
def step(episode: Episode, chosen: Chosen, playing: Any) -> tuple[Episode, Look]:
    """Play one step of the episodes that are `playing`, `[E]`; others stay as they are.

    A firefighter that is aboard a helicopter after the step has no action, whatever it did before.
    """
    params, state = episode.params, episode.state
    several = begin(params, state, chosen.kind, chosen.place, chosen.count)
    once = begin(params, state, chosen.kind, chosen.place, chosen.count, once=True)

    def pick(several: Array, once: Array, old: Array) -> Array:
        single, new = (jnp.expand_dims(each, tuple(range(1, old.ndim))) for each in (chosen.single, chosen.new))
        return jnp.where(new, jnp.where(single, once, several), old)

    primitive: Primitive = jax.tree.map(pick, several, once, episode.primitive)
    order = command(params, state, primitive)
    after = play(params, state, order, episode.key)
    assert after.crew is not None
    primitive = primitive.replace(until=jnp.where(after.crew.aboard >= 0, after.tick, primitive.until))
    nowhere = jnp.zeros_like(order.place)
    now = episode.replace(state=after, primitive=primitive)
    seen = _look(now, frame(params, after, order, jnp.full(params.count, -1, jnp.int32), nowhere))
    kept: Episode = jax.tree.map(lambda new, old: jnp.where(playing, new, old), now, episode)
    return kept, seen


def _look(episode: Episode, seen: Frame) -> Look:
    params, state = episode.params, episode.state
    assert state.crew is not None
    won = over(params, state)
    return Look(
        frame=seen,
        cell=cell_of(state),
        busy=~finished(params, state, episode.primitive),
        refused=state.crew.refused,
        won=won,
        over=won | (state.tick >= params.rules.limit),
    )
