"""Complete episodes by the cheapest options: they can be solved, costs hold, and batches agree with single runs."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from hive.worlds.household import options
from hive.worlds.household.assembly import make_params
from hive.worlds.household.codes import HELD, OptionStatus
from hive.worlds.household.episode import episode, episodes
from hive.worlds.household.options import OptionKind
from hive.worlds.household.state import Params, State
from tests.household.homes import play
from tests.lanes import lane_of, stack_lanes

pytestmark = pytest.mark.long

TEAMS = (1, 2, 3, 4)
TICKS = 250


def stacked() -> Params:
    """The ten episodes, each with every size of a team."""
    every = [make_params(episode(name), team) for name in episodes() for team in TEAMS]
    return stack_lanes(*every)


batch = jax.jit(jax.vmap(lambda params, key: play(params, key, TICKS)))
single = jax.jit(lambda params, key: play(params, key, TICKS)[0])


@pytest.fixture(scope="module")
def games() -> tuple[State, State, np.ndarray]:
    """The last states `[40]`, all states `[40, 250]`, and the costs that choices were said to have."""
    last, (states, said) = jax.device_get(batch(stacked(), jax.random.split(jax.random.key(3), 40)))
    return last, states, said


def test_the_ten_episodes_can_be_solved_by_teams_of_one_to_four(games: tuple[State, State, np.ndarray]) -> None:
    """docs/rules/household.md 2.2, 2.3."""
    last, _, _ = games
    assert last.finished.all()
    assert (last.clock < TICKS).all()


def test_options_of_a_lone_agent_take_exactly_their_costs(games: tuple[State, State, np.ndarray]) -> None:
    """docs/rules/household.md 4.3; a put whose place is unknown takes at least as long."""
    _, states, said = games
    checked = 0
    for game in range(0, 40, len(TEAMS)):
        promised, begins = 0, True
        for tick in range(int(states.clock[game, -1])):
            promised = said[game, tick, 0] if begins else promised
            begins = not states.busy[game, tick, 0]
            if begins:
                taken, kind = states.elapsed[game, tick, 0], options.KIND[states.option[game, tick, 0]]
                assert taken == promised or (kind == OptionKind.PUT and taken > promised)
                assert states.result[game, tick, 0] == OptionStatus.DONE
                checked += taken == promised
    assert checked > 200


def test_nothing_is_lost_and_nothing_appears(games: tuple[State, State, np.ndarray]) -> None:
    """An object is in the hand that its place names, and in no other (docs/rules/household.md 3.2)."""
    _, states, _ = games
    things = np.arange(states.place.shape[-1])
    in_hand = (states.hands[..., None] == things).sum(axis=-2)  # game, tick, agent, object
    agents = np.arange(in_hand.shape[-2])[:, None]
    np.testing.assert_array_equal(in_hand, states.place[:, :, None, :] == HELD + agents)
    opened = states.open.astype(int)
    assert (np.diff(opened, axis=1) >= 0).all()  # no agent closes anything


def test_agents_know_nothing_false_of_what_they_see(games: tuple[State, State, np.ndarray]) -> None:
    """What was seen in this tick is where it is believed to be (docs/rules/household.md 5.1)."""
    _, states, _ = games
    know = states.beliefs
    fresh = (know.seen_at == states.clock[:, :, None, None]) & (know.place >= 0)
    assert fresh.any()
    assert (~fresh | (know.place == states.place[:, :, None, :])).all()


def test_a_batch_equals_single_runs_bit_for_bit(games: tuple[State, State, np.ndarray]) -> None:
    """All arrays of the last state, for one world of each size of a team (docs/rules/household.md 3.1)."""
    last, _, _ = games
    every, keys = stacked(), jax.random.split(jax.random.key(3), 40)
    for world in (0, 13, 26, 39):
        params, alone = lane_of((every, last), world)
        jax.tree.map(np.testing.assert_array_equal, jax.device_get(single(params, keys[world])), alone)


def test_1024_worlds_in_a_batch_equal_1024_single_runs_bit_for_bit() -> None:
    """docs/rules/household.md 3.1."""
    every, keys = stacked(), jax.random.split(jax.random.key(5), 1_024)
    chosen = jnp.arange(1_024) % 40
    worlds = lane_of(every, chosen)
    many = jax.jit(jax.vmap(lambda params, key: play(params, key, TICKS)[0]))
    last = jax.device_get(many(worlds, keys))
    assert len(np.unique(last.clock)) > 20
    for world in range(1_024):
        params, alone = lane_of((worlds, last), world)
        jax.tree.map(np.testing.assert_array_equal, jax.device_get(single(params, keys[world])), alone)
