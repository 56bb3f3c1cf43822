"""Random play of JaxMARL's environments, in one scan."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Key

from hive.experiments.bench.peers.comparing import PeerProgram


def random_steps(
    env: Any, step: Callable[..., Any], actions: int, batch: int, steps: int, *, observe: bool = True
) -> PeerProgram:
    """A program of `steps` environment steps of `batch` games; it returns their last states `[batch]`.

    Actions are drawn uniformly inside the loop. Observations are carried as a learner carries them, so that the
    compiler cannot leave them out; without `observe` it does.

    Args:
        env: The environment.
        step: One of its functions that step.
        actions: Number of actions of an agent.
        batch: Number of games.
        steps: Number of steps.
        observe: Whether observations are carried.
    """

    def one(key: Key[Array, ""], state: Any) -> tuple[Any, Any]:
        choose, go = jax.random.split(key)
        drawn = jax.random.randint(choose, (env.num_agents,), 0, actions)
        chosen = {agent: drawn[number] for number, agent in enumerate(env.agents)}
        seen, state, rewards, dones, _ = step(go, state, chosen)
        return state, (seen if observe else None, rewards, dones)

    @jax.jit
    def play(keys: Key[Array, " b"]) -> Any:
        _, states = jax.vmap(env.reset)(keys)
        _, kept = jax.eval_shape(jax.vmap(one), keys, states)
        start = (states, jax.tree.map(lambda leaf: jnp.zeros(leaf.shape, leaf.dtype), kept))
        draws = jax.vmap(lambda key: jax.random.split(key, steps), out_axes=1)(keys)
        return lax.scan(lambda carry, now: (jax.vmap(one)(now, carry[0]), None), start, draws)[0]

    keys = jax.random.split(jax.random.key(0), batch)
    # All of the carry leaves the program: what does not leave it, the compiler may leave out.
    return lambda: jax.block_until_ready(play(keys))[0]
