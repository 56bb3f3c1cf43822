"""Agents without a plan, as in exploratory episodes: any legal option (docs/rules/household.md 11.6)."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Int, Key

from hive.worlds.household import dynamics, options
from hive.worlds.household.state import Params, State


class Roaming(struct.PyTreeNode):
    """A kind of option at random, then one of that kind at random; waits only where nothing else is legal."""

    def begin(self, params: Params, key: Key[Array, ""]) -> tuple[()]:
        """Remember nothing."""
        del params, key
        return ()

    def act(
        self, params: Params, state: State, memory: tuple[()], key: Key[Array, ""]
    ) -> tuple[Int[Array, " n"], State, tuple[()]]:
        """Choose; see `TeamPolicy`."""
        first, second = jax.random.split(key)
        legal = dynamics.legal(params, state)
        kind = jnp.asarray(options.FULL_KIND[: legal.shape[1]], jnp.int32)
        kinds = options.FULL_KIND[legal.shape[1] - 1] + 1
        deeds = (kind != options.OptionKind.WAIT) & (kind != options.OptionKind.SEND)
        wants = legal & deeds[None]
        rank = jax.random.uniform(first, (legal.shape[0], kinds))[:, kind]
        rank = rank + jax.random.uniform(second, legal.shape, maxval=1e-3)
        best = jnp.argmax(jnp.where(wants, rank, -1.0), axis=-1).astype(jnp.int32)
        return jnp.where(wants.any(-1), best, options.WAIT), state, memory
