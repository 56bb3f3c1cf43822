"""Policies as opponents: the parameters of one network, or of several of its past, that play the other side."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Int, Key

from dsl import UserError
from hive.kit.environment.env import LearnerView, sample_actions

Tree = Any

_PICK, _ACT = 0x52495641, 0x52495642  # folded into the key of a game; the engine folds in ticks alone


class RivalSeat(struct.PyTreeNode, kw_only=True):
    """A policy in a running game."""

    which: Int[Array, ""]  # index into the pool
    memory: Tree  # of the network


class Rival(struct.PyTreeNode, kw_only=True):
    """A pool of policies of one network, one of which is drawn for each game.

    Attributes:
        weights: Parameters with a leading axis of policies.
        count: How many of them there are; the rest is room for more.
        network: A flax module that begins its results with memory and logits, and has `initial_memory(agents=n)`; see
            `hive.rl.networks.ActorCritic`.
    """

    weights: Tree
    count: Int[Array, ""]
    network: Any = struct.field(pytree_node=False)

    def sit(self, key: Key[Array, ""], agents: int) -> RivalSeat:
        """Draw the policy of the game with this key."""
        which = jax.random.randint(jax.random.fold_in(key, _PICK), (), 0, self.count)
        return RivalSeat(which=which, memory=self.network.initial_memory(agents=agents))

    def act(
        self, seat: RivalSeat, view: LearnerView, key: Key[Array, ""], tick: Int[Array, ""]
    ) -> tuple[RivalSeat, Int[Array, " n"]]:
        """Return an action of each agent, drawn from the policy, and the seat with the network's memory.

        Args:
            seat: From `sit` or the last `act`.
            view: What its agents observe.
            key: The game's key.
            tick: The game's tick.
        """
        own = jax.tree.map(lambda leaf: leaf[seat.which], self.weights)
        shown = view.observation[None], view.action_mask[None], jnp.zeros((1, 1), bool)
        memory, logits, *_ = self.network.apply(own, seat.memory, *shown)
        drawing = jax.random.fold_in(jax.random.fold_in(key, _ACT), tick)
        return seat.replace(memory=memory), sample_actions(drawing, logits[0])


def make_rival(network: Any, *weights: Tree, room: int = 1) -> Rival:
    """Return a pool of policies of one network.

    Args:
        network: Their network; see `Rival`.
        *weights: The parameters of each, at least one.
        room: Most policies that the pool will hold, if that is more than are given.

    Raises:
        UserError: No parameters are given.
    """
    if not weights:
        raise UserError("a pool of no policies cannot play\n  = help: give the parameters of at least one")
    filled = [*weights, *[weights[0]] * (room - len(weights))]
    stacked = jax.tree.map(lambda *leaves: jnp.stack([jnp.asarray(leaf) for leaf in leaves]), *filled)
    return Rival(weights=stacked, count=jnp.int32(len(weights)), network=network)


def with_policy(rival: Rival, slot: Int[Array, ""], weights: Tree) -> Rival:
    """Return the pool with other parameters in a slot; the first slot that was not in use is then in use."""
    stacked = jax.tree.map(lambda pool, own: pool.at[slot].set(own), rival.weights, weights)
    return rival.replace(weights=stacked, count=jnp.maximum(rival.count, slot + 1))
