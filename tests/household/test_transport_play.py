"""Complete transport episodes by agents that choose at random: laws of every tick, and costs that come true."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jaxtyping import Array

from hive.kit.environment.env import stack
from hive.worlds.household import options
from hive.worlds.household.assembly import make_params
from hive.worlds.household.codes import CARRIER_CAPACITY, HELD, INSIDE, OBJECTS, OptionStatus
from hive.worlds.household.dynamics import free, placed, reset, step
from hive.worlds.household.episode import episode, transports
from hive.worlds.household.legality import cost, legal
from hive.worlds.household.options import OptionKind
from hive.worlds.household.policies.cheapest import cheapest
from hive.worlds.household.policies.policy import play, play_many
from hive.worlds.household.state import Params, State

pytestmark = pytest.mark.slow

TICKS = 120
EPISODES = [episode(name) for name in transports()]
SOME = EPISODES[::3]
NEAR = {OptionKind.PUT_IN, OptionKind.EXPLORE}
"""Kinds whose end nothing but the agent itself decides."""


def wander(params: Params, key: Array) -> tuple[State, Any]:
    """Play options at random; return all states, what choices were said to cost, and how much was brought."""

    def tick(state: State, key: Array) -> tuple[State, Any]:
        pick, world = jax.random.split(key)
        may = legal(params, state)
        busy = may & (jnp.arange(options.COUNT) > options.SEND)[None, :]
        likely = jnp.where(busy, jax.random.uniform(pick, may.shape), -1.0)
        chosen = jnp.argmax(likely, axis=1).astype(jnp.int32)
        said = jnp.take_along_axis(cost(params, state), chosen[:, None], axis=1)[:, 0]
        begins = free(state) & params.agent_there
        state = step(params, state, chosen, world)
        return state, (state, begins, said, placed(params, state))

    first, rest = jax.random.split(key)
    return jax.lax.scan(tick, reset(params, first), jax.random.split(rest, TICKS))


@pytest.fixture(scope="module")
def games() -> tuple[Params, State, np.ndarray, np.ndarray, np.ndarray]:
    """Every third episode: `[8, T, ...]` states, beginnings, costs and objects brought."""
    params = stack([make_params(each, 2) for each in SOME])
    _, found = jax.jit(jax.vmap(wander))(params, jax.random.split(jax.random.key(5), len(SOME)))
    states, begins, said, brought = jax.device_get(found)
    return params, states, begins, said, brought


Games = tuple[Params, State, np.ndarray, np.ndarray, np.ndarray]


def test_objects_are_in_one_place_and_containers_hold_three(games: Games) -> None:
    """Rules 9.2, 9.3: what hands hold is held, and nothing else is; what is inside is inside a container."""
    params, states, *_ = games
    place, hands = states.place, states.hands
    for game in range(len(SOME)):
        carrier = params.carrier[game]
        for tick in range(TICKS):
            holders = {int(each): agent for agent in range(2) for each in hands[game, tick, agent] if each >= 0}
            assert holders == {
                int(m): int(place[game, tick, m] - HELD) for m in _within(place[game, tick], HELD, INSIDE)
            }
            inner = place[game, tick][_within(place[game, tick], INSIDE, INSIDE + OBJECTS)] - INSIDE
            assert carrier[inner].all() and (np.bincount(inner, minlength=1) <= CARRIER_CAPACITY).all()
            assert all(sum(carrier[each] for each in hand if each >= 0) <= 1 for hand in hands[game, tick])


def _within(place: np.ndarray, low: int, high: int) -> np.ndarray:
    return np.flatnonzero((place >= low) & (place < high))


def test_what_was_brought_stays(games: Games) -> None:
    """Rule 9.3: once counted, always counted; objects at the bed are never taken."""
    params, states, _, _, brought = games
    assert (np.diff(brought, axis=1) >= 0).all() and brought[:, -1].any()
    there = states.place == np.asarray(params.goal_place)[:, None, None]
    assert (there[:, 1:] >= there[:, :-1]).all()


def test_options_that_nothing_disturbs_take_their_costs(games: Games) -> None:
    """Rule 9.2: exploring and putting in take what `cost` says."""
    _, states, begins, said, _ = games
    seen = dict.fromkeys(NEAR, 0)
    for game, agent in np.ndindex(len(SOME), 2):
        promised = 0
        for tick in range(TICKS):
            promised = said[game, tick, agent] if begins[game, tick, agent] else promised
            kind = OptionKind(options.KIND[states.option[game, tick, agent]])
            if not states.busy[game, tick, agent] and kind in NEAR:
                assert states.elapsed[game, tick, agent] == promised
                assert states.result[game, tick, agent] == OptionStatus.DONE
                seen[kind] += 1
    assert all(seen.values())


@pytest.mark.long
def test_a_batch_of_noisy_episodes_equals_single_ones() -> None:
    """Every play depends on its seed alone, bit for bit; two agents that share bring everything with perfect sight."""
    policy = cheapest()
    noisy = [make_params(each, 2, detection=0.5) for each in EPISODES]
    keys = jax.random.split(jax.random.key(9), len(noisy))
    many = play_many(policy, stack(noisy), keys)
    alone = jax.jit(play)
    for number in range(0, len(noisy), 5):
        single = alone(policy, noisy[number], keys[number])
        assert jax.tree.all(
            jax.tree.map(lambda one, all_, number=number: bool((one == all_[number]).all()), single, many)
        )
    clear = play_many(policy, stack([make_params(each, 2) for each in EPISODES]), keys)
    assert clear.finished.all() and (clear.placed == 10).all()
