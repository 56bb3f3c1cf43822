"""The networks of PPO: one module that holds the policy and the critic, so that one call gives action and value.

All networks read sequences `[t, ..., n]` in the order of time, and carry a memory from one call to the next: a step of
a game is a sequence of length one. A network without recurrence has a memory of size zero.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
from flax import linen as nn
from jax.custom_batching import sequential_vmap
from jaxtyping import Array, Bool, Float

from hive.kit.environment.env import EntityBlock
from hive.rl.layers import dense, gru

NEVER = -1e9  # logit of an action that is not available

Memory = Float[Array, "*b m"]
Memories = tuple[Memory, Float[Array, "*e k"]]
"""Memory of the policy, one for each agent, and of a centralised critic, one for the team."""


class ActorCritic(nn.Module):
    """Logits of the actions, and values: one for each agent, or one for the team if the critic is centralised.

    Policy and critic are two separate networks: two layers each; with recurrence a layer, a GRU and another layer each,
    of which a decentralised critic shares the first layer and the GRU with the policy.

    With attention, `Attention` summarises each observation first, and the logit of an action on an entity is made of
    the row of this entity by weights that all entities share. Entities in another order only change the order of these
    logits, absent ones change nothing, and the parameters do not depend on how many are listed.
    """

    actions: int
    width: int = 64
    recurrent: bool = False
    centralised: bool = False
    attention: int = 0
    blocks: tuple[EntityBlock, ...] = ()

    def initial_memory(self, *batch: int, agents: int) -> Memories:
        """Return the memories at the start of games."""
        own = self.width if self.recurrent else 0
        return jnp.zeros((*batch, agents, own)), jnp.zeros((*batch, own if self.centralised else 0))

    @nn.compact
    def __call__(
        self,
        memory: Memories,
        observation: Float[Array, "t *b n f"],
        action_mask: Bool[Array, "t *b n a"],
        starts: Bool[Array, "t *b 1"],
        global_state: Float[Array, "t *b g"] | None = None,
    ) -> tuple[Memories, Float[Array, "t *b n a"], Float[Array, "t *b v"] | None]:
        """Return the memories, masked logits and values.

        Args:
            memory: From `initial_memory`, or from the call before.
            observation: What the agents observe.
            action_mask: Which actions they may take.
            starts: Where a game starts; see `Trunk`.
            global_state: What a centralised critic reads; None: there are no values then, as for playing.
        """
        (own, team), seen, judged = memory, observation, global_state if self.centralised else observation
        if self.attention:
            seen = Attention(self.width, self.attention, self.blocks)(observation)
            if not self.centralised and not self.recurrent:
                judged = Attention(self.width, self.attention, self.blocks)(observation)
        if self.recurrent:
            own, seen = Trunk(self.width)(own, seen, starts)
            trunk = Trunk(self.width) if self.centralised else None
            if trunk is None:
                judged = seen
            elif judged is not None:
                team, judged = trunk(team, judged, starts[..., 0])
        actor, critic = (_body(self.width, self.recurrent) for _ in range(2))
        targets = [block for block in self.blocks if block.targets] if self.attention else []
        fixed = self.actions - sum(block.rows for block in targets)
        to_logits, to_value, chosen = _head(fixed, 0.01), _head(1, 1.0), actor(seen)
        aimed = [Pointer(self.width)(chosen, rows_of(observation, block)) for block in targets]
        logits = jnp.where(action_mask, jnp.concatenate([to_logits(chosen), *aimed], axis=-1), NEVER)
        if judged is None:
            return (own, team), logits, None
        value = to_value(critic(judged))
        return (own, team), logits, value if self.centralised else value[..., 0]


class Attention(nn.Module):
    """What an agent makes of the entities that it observes: its other numbers, and a summary of each block.

    The other numbers pass a layer and ask, with `heads` queries for each block, for the entities (Vaswani et al.,
    "Attention Is All You Need", 2017). Keys and values are the entities behind a layer that those of a block share;
    rows whose first number is 0 have no weight.
    """

    width: int
    heads: int
    blocks: tuple[EntityBlock, ...]

    @nn.compact
    def __call__(self, observation: Float[Array, "*b f"]) -> Float[Array, "*b s"]:
        """Return `[..., width * (1 + heads * blocks)]` numbers."""
        alone = np.ones(observation.shape[-1], bool)
        for block in self.blocks:
            alone[block.start : block.start + block.rows * block.size] = False
        own = nn.relu(_layer(self.width)(observation[..., np.flatnonzero(alone)]))
        parts = [own]
        for block in self.blocks:
            rows = rows_of(observation, block)
            there, tokens = rows[..., 0] > 0, nn.relu(_layer(self.width)(rows))
            queries = nn.DenseGeneral((self.heads, self.width))(own)
            scores = jnp.einsum("...hw,...kw->...hk", queries, tokens) / np.sqrt(self.width).astype(np.float32)
            there = there[..., None, :]
            weights = jnp.where(there, nn.softmax(jnp.where(there, scores, NEVER)), 0.0)
            summary = jnp.einsum("...hk,...kw->...hw", weights, tokens)
            parts.append(summary.reshape(*summary.shape[:-2], self.heads * self.width))
        return jnp.concatenate(parts, axis=-1)


class Pointer(nn.Module):
    """A logit for each entity by weights that all share (Vinyals et al., "Pointer Networks", 2015)."""

    width: int

    @nn.compact
    def __call__(self, chosen: Float[Array, "*b w"], rows: Float[Array, "*b k e"]) -> Float[Array, "*b k"]:
        """Return a logit for each of `rows`, given what the policy makes of the observation."""
        joined = dense(self.width)(chosen)[..., None, :] + _layer(self.width)(rows)
        return _head(1, 0.01)(nn.tanh(joined))[..., 0]


def rows_of(observation: Float[Array, "*b f"], block: EntityBlock) -> Float[Array, "*b k e"]:
    """Return the rows of the entities of a block."""
    part = observation[..., block.start : block.start + block.rows * block.size]
    return part.reshape(*part.shape[:-1], block.rows, block.size)


class Trunk(nn.Module):
    """A layer, and a GRU over time whose memory is zero where a game starts.

    `starts` has the axes of the memory but the last one; an axis of length 1 counts for all.
    """

    width: int

    @nn.compact
    def __call__(
        self, memory: Memory, inputs: Float[Array, "t *b f"], starts: Bool[Array, "t *s"]
    ) -> tuple[Memory, Float[Array, "t *b m"]]:
        """Return the memory after the last step, and the outputs."""
        return _Recall(self.width)(memory, nn.relu(_layer(self.width)(inputs)), starts)


class _Recall(nn.Module):
    width: int

    @nn.compact
    def __call__(self, memory: Memory, inputs: Array, starts: Array) -> tuple[Memory, Array]:
        cell = nn.GRUCell(self.width, recurrent_kernel_init=_orthogonal(1.0))  # whose parameters `gru` computes with
        if self.is_initializing():
            cell(memory, inputs[0])
        after = gru(cell.variables["params"], memory, inputs, starts)
        return after[-1], after


def _layer(width: int) -> nn.Dense:
    return dense(width, _orthogonal(np.sqrt(2)))


def _body(width: int, recurrent: bool) -> Callable[[Array], Array]:
    if recurrent:
        return nn.Sequential([_layer(width), nn.relu])
    return nn.Sequential([_layer(width), nn.tanh, _layer(width), nn.tanh])


def _head(size: int, scale: float) -> nn.Dense:
    return dense(size, _orthogonal(scale))


def _orthogonal(scale: float) -> Callable[..., Array]:
    """Return an initialiser whose matrices are made one by one, even under `jax.vmap`.

    In JAX 0.10 on a CPU, two QR decompositions of several matrices each wait for threads of one pool: with as many
    threads as such decompositions the program never ends.
    """
    usual = nn.initializers.orthogonal(scale)

    def init(key: Array, shape: tuple[int, ...], dtype: Any = jnp.float32) -> Array:
        made: Array = sequential_vmap(lambda key: usual(key, shape, dtype))(key)
        return made

    return init
