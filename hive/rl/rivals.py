"""Policies as opponents: parameters of a network, or of several, that play the enemy's side of an environment."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Int, Key

from hive.rl.env import View

Tree = Any

_PICK, _ACT = 0x52495641, 0x52495642  # folded into the key of a game, whose ticks are folded in elsewhere


class Rival(struct.PyTreeNode, kw_only=True):
    """A pool of policies, one of which is drawn for each game.

    Attributes:
        weights: The parameters of the network, with a leading axis of policies.
        count: How many of them there are; the rest is room for more.
        network: A flax module whose result for observations and available actions begins with logits; what it is
            called with is in `hive.rl.networks`.
    """

    weights: Tree
    count: Int[Array, ""]
    network: Any = struct.field(pytree_node=False)

    def draw(self, key: Key[Array, ""]) -> Int[Array, ""]:
        """Return the policy of the game with this key."""
        return jax.random.randint(jax.random.fold_in(key, _PICK), (), 0, self.count)

    def act(self, which: Int[Array, ""], view: View, key: Key[Array, ""], tick: Int[Array, ""]) -> Int[Array, " n"]:
        """Return an action of each agent, drawn from the policy.

        Args:
            which: The policy, from `draw`.
            view: What its agents observe.
            key: The game's key.
            tick: The game's tick.
        """
        own = jax.tree.map(lambda leaf: leaf[which], self.weights)
        logits = self.network.apply(own, view.observation, view.available)[0]
        drawing = jax.random.fold_in(jax.random.fold_in(key, _ACT), tick)
        return jax.random.categorical(drawing, logits).astype(jnp.int32)


def make_rival(network: Any, *weights: Tree, room: int | None = None) -> Rival:
    """Return a pool of policies of one network.

    Args:
        network: Their network.
        *weights: The parameters of each, at least one.
        room: Most policies that the pool shall hold; None: as many as are given.
    """
    room = max(room or 1, len(weights))
    filled = [*weights, *[weights[0]] * (room - len(weights))]
    stacked = jax.tree.map(lambda *leaves: jnp.stack([jnp.asarray(leaf) for leaf in leaves]), *filled)
    return Rival(weights=stacked, count=jnp.int32(len(weights)), network=network)


def with_policy(rival: Rival, slot: Int[Array, ""] | int, weights: Tree) -> Rival:
    """Return the pool with a policy in a slot; a slot beyond the last one in use enlarges the pool by one."""
    place = jnp.minimum(jnp.int32(slot), rival.count)
    stacked = jax.tree.map(lambda pool, own: pool.at[place].set(own), rival.weights, weights)
    return rival.replace(weights=stacked, count=jnp.maximum(rival.count, place + 1))
