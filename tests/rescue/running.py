"""Many runs of given actions as one program, shared by the tests of the world."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from hive.worlds.rescue.codes import AGENTS, ROOMS, STEPS, Act
from hive.worlds.rescue.dynamics import reset, step
from hive.worlds.rescue.instance import Instance
from hive.worlds.rescue.state import Params, State

MANY = 64  # runs of a batch; one shape, so that one program is compiled


@jax.jit
def run(params: Params, actions: jax.Array) -> tuple[State, jax.Array]:
    """States after every step and refusals, `[MANY, STEPS, ...]`, of actions `[MANY, STEPS, A]`."""

    def one(params: Params, actions: jax.Array) -> tuple[State, jax.Array]:
        def play(state: State, now: jax.Array) -> tuple[State, tuple[State, jax.Array]]:
            over, state = state.done, step(params, state, now)
            return state, (state, jnp.where(over, 0, state.refusal))

        return jax.lax.scan(play, reset(params), actions)[1]

    return jax.vmap(one)(params, actions)


def played(params: Params, actions: np.ndarray) -> tuple[State, np.ndarray]:
    """The same on the host."""
    states, refusals = jax.device_get(run(params, jnp.asarray(actions, jnp.int32)))
    return states, refusals


def some_actions(instances: list[Instance], seed: int) -> np.ndarray:
    """Random actions that go through doors and give more often than not; missions seldom end, and late."""
    rng = np.random.default_rng(seed)
    actions = rng.integers(0, Act.NOTHING + 1, (len(instances), STEPS, AGENTS))
    actions[::2][actions[::2] == Act.NOTHING] = Act.WAIT
    late = np.arange(STEPS)[:, None] > 40
    actions[(actions == Act.END_MISSION) & ~late[None]] = Act.GIVE_FOOD
    for row, instance in enumerate(instances):
        for agent, each in enumerate(instance.agents):
            room = each.room
            for now in range(STEPS):
                chance = rng.random()
                if chance < 0.6:
                    room = int(rng.choice(instance.neighbours(room)))
                    actions[row, now, agent] = room
                elif chance < 0.9:
                    actions[row, now, agent] = Act.GIVE_WATER + rng.integers(3)
                elif actions[row, now, agent] in instance.neighbours(room):
                    room = int(actions[row, now, agent])
    return actions


def relabelled(instance: Instance, order: np.ndarray) -> Instance:
    """The instance with room `k` as room `order[k]`."""
    back = np.argsort(order)
    return Instance(
        instance.name,
        tuple(instance.rooms[k] for k in back),
        tuple(instance.places[k] for k in back),
        tuple(sorted((min(p), max(p)) for p in ((int(order[a]), int(order[b])) for a, b in instance.doors))),
        tuple(type(v)(v.name, int(order[v.room]), v.needs, v.urgent) for v in instance.victims),
        tuple(type(a)(a.name, int(order[a.room]), a.supplies) for a in instance.agents),
    )


def renamed(actions: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Actions of the relabelled instance; rooms that are not there stay as they are."""
    to = np.concatenate([order, np.arange(len(order), ROOMS), np.arange(ROOMS, Act.WAIT + 1)])
    return to[actions]
