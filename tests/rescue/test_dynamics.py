"""Steps of rescues: equal to a plain interpreter, and the laws of docs/rules/rescue.md 1 to 6."""

from __future__ import annotations

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from hive.worlds.rescue.assembly import batch_params, make_params
from hive.worlds.rescue.codes import RESOURCES, SENTENCES, STEPS, Act, Reason, Refusal
from hive.worlds.rescue.dynamics import END_OF_STEP, reset, step
from hive.worlds.rescue.generator import generate
from hive.worlds.rescue.instance import Instance
from hive.worlds.rescue.shipped import names, shipped
from hive.worlds.rescue.state import State
from tests.rescue.oracle import Oracle
from tests.rescue.running import MANY, played, relabelled, renamed, some_actions

INSTANCES = [*map(shipped, names()), *generate(5, MANY - len(names()))]
ACTIONS = some_actions(INSTANCES, 3)
_SEVEN = shipped("map_7/agents-1")
SEVEN = replace(_SEVEN, agents=tuple(replace(each, room=0) for each in _SEVEN.agents))  # a corridor before them


@pytest.fixture(scope="module")
def walked() -> tuple[State, np.ndarray]:
    """Random runs of all instances."""
    return played(batch_params(INSTANCES), ACTIONS)


def play(instance: Instance, rows: list[list[int]], limit: int = STEPS) -> tuple[State, np.ndarray]:
    """Runs of one instance with given actions; agents do nothing after the last row."""
    actions = np.full((MANY, *ACTIONS.shape[1:]), Act.NOTHING)
    for now, row in enumerate(rows):
        actions[:, now, : len(row)] = row
    states, refusals = played(batch_params([instance] * MANY, limit=limit), actions)
    return jax.tree.map(lambda each: each[0], states), refusals[0]


def test_random_runs_are_those_of_a_plain_interpreter(walked: tuple[State, np.ndarray]) -> None:
    states, refusals = walked
    seen = set()
    for row, instance in enumerate(INSTANCES):
        oracle, agents = Oracle(instance), len(instance.agents)
        for now in range(STEPS):
            over = oracle.reason
            assert [*refusals[row, now, :agents]] == ([0] * agents if over else oracle.step(ACTIONS[row, now]))
            state = jax.tree.map(lambda each, row=row, now=now: each[row, now], states)
            assert [*state.position[:agents]] == [helper.room for helper in oracle.helpers]
            assert state.supplies[:agents].tolist() == [[*helper.carries.values()] for helper in oracle.helpers]
            assert [{k for k, on in zip(RESOURCES, needs, strict=True) if on} for needs in state.needs][
                : len(oracle.wants)
            ] == oracle.wants
            assert [*state.active[:agents]] == [helper.here for helper in oracle.helpers]
            assert {n: int(at) for n, at in enumerate(state.served_at) if at >= 0} == oracle.served
            assert (int(state.step), int(state.reason)) == (oracle.steps, oracle.reason or Reason.RUNNING)
            assert bool(state.done) == (oracle.reason is not None)
        seen.add(oracle.reason)
    assert seen >= {Reason.SERVED, Reason.LIMIT, Reason.ENDED}
    assert {*np.unique(refusals)} == {*Refusal}


def test_supplies_never_grow_and_needs_never_grow_back(walked: tuple[State, np.ndarray]) -> None:
    """What one side loses, the other has: units given are needs met (docs/rules/rescue.md 3.1)."""
    states, _ = walked
    assert (np.diff(states.supplies, axis=1) <= 0).all() and (states.supplies >= 0).all()
    assert not (states.needs[:, 1:] & ~states.needs[:, :-1]).any()
    gone = states.supplies[:, 0].sum((1, 2)) - states.supplies[:, -1].sum((1, 2))
    met = states.needs[:, 0].sum((1, 2)) - states.needs[:, -1].sum((1, 2))
    assert (gone == met).all() and gone.sum() > 0


def test_other_numbers_of_rooms_change_nothing(walked: tuple[State, np.ndarray]) -> None:
    """docs/rules/rescue.md 1.1: a room is known by its doors alone."""
    rng = np.random.default_rng(1)
    orders = [rng.permutation(len(instance.rooms)) for instance in INSTANCES]
    others = [relabelled(instance, order) for instance, order in zip(INSTANCES, orders, strict=True)]
    actions = np.stack([renamed(each, order) for each, order in zip(ACTIONS, orders, strict=True)])
    states, refusals = played(batch_params(others), actions)
    before, refused = walked
    assert (refusals == refused).all()
    for field in ("supplies", "needs", "active", "served_at", "step", "refused", "reason"):
        assert (getattr(states, field) == getattr(before, field)).all(), field
    for row, (instance, order) in enumerate(zip(INSTANCES, orders, strict=True)):
        agents = len(instance.agents)
        assert (states.position[row, :, :agents] == order[before.position[row, :, :agents]]).all()


def test_the_trail_is_where_the_agents_were(walked: tuple[State, np.ndarray]) -> None:
    states, _ = walked
    for row, instance in enumerate(INSTANCES):
        final, agents = jax.tree.map(lambda each, row=row: each[row, -1], states), len(instance.agents)
        steps = int(final.step)
        trail = final.trail[: steps + 1, :agents]
        assert (trail[1:] == states.position[row, :steps, :agents]).all()
        assert [*trail[0]] == [agent.room for agent in instance.agents]


def test_a_later_agent_sees_what_an_earlier_one_did_in_the_same_step() -> None:
    """docs/rules/rescue.md 4.1: Bravo's water comes too late, and the refused turn consumes nothing."""
    states, refusals = play(SEVEN, [[1, 1], [2, 2], [Act.GIVE_WATER, Act.GIVE_WATER]])
    assert [*refusals[2]] == [Refusal.NONE, Refusal.NOT_NEEDED, 0, 0]
    assert states.supplies[2, :2].tolist() == [[0, 1, 0], [1, 0, 1]]
    assert states.needs[2, :2].tolist() == [[False, False, True], [True, True, False]]


def test_every_refusal_has_a_sentence() -> None:
    assert {*SENTENCES} == {*Refusal} and all(SENTENCES[each] for each in Refusal if each)


def test_a_run_ends_with_the_step_that_serves_the_last_victim() -> None:
    """docs/rules/rescue.md 6.1: the agents after the one that gives still have their turn."""
    instance = replace(SEVEN, victims=SEVEN.victims[1:])
    rows = [[1, 1], [4, 2], [3, 1], [Act.GIVE_WATER, 4], [Act.GIVE_FOOD, 5], [0, 0]]
    states, _ = play(instance, rows)
    assert (int(states.step[-1]), int(states.reason[-1])) == (5, Reason.SERVED)
    assert states.served_at[-1].tolist()[:2] == [5, -1] and [*states.position[-1, :2]] == [3, 5]


@pytest.mark.parametrize(("limit", "rows", "end"), [
    (STEPS, [[Act.END_MISSION, 1], [1, Act.END_MISSION]], (2, Reason.ENDED)),
    (2, [[Act.END_MISSION, 1], [1, Act.END_MISSION]], (2, Reason.ENDED)),  # before the limit: 6.4
    (7, [[1, 1], [2, 2], [1, 1], [2, 2], [1, 1], [0, 2], [1, 1]], (7, Reason.LIMIT)),
    (STEPS, [], (4, Reason.BEHAVIOUR_LOOP)),
    (4, [], (4, Reason.LIMIT)),
    (STEPS, [[1, 1], [0, 0]] * 9, (8, Reason.BEHAVIOUR_LOOP)),
    # Alpha is in room1 in every second step, both are together at 0, 2, 6, 8 and 12
    (STEPS, [[1, 1], [0, 0], [1, 0], [0, 1], [1, 0], [0, 0]] * 2, (12, Reason.BEHAVIOUR_LOOP)),
    # a delivery in step 4 begins the count again: 6.3
    (STEPS, [[1, 1], [2, 2], [2, 2], [Act.GIVE_WATER, 2]], (8, Reason.BEHAVIOUR_LOOP)),
])  # fmt: skip
def test_other_ends(limit: int, rows: list[list[int]], end: tuple[int, Reason]) -> None:
    """docs/rules/rescue.md 6.2 to 6.4, and that an ended run stays as it is."""
    states, _ = play(SEVEN, rows, limit)
    steps, reason = end
    assert (int(states.step[-1]), Reason(int(states.reason[-1]))) == (steps, reason)
    assert not states.done[steps - 2] and states.done[steps - 1 :].all()
    assert (states.position[steps - 1 :] == states.position[-1]).all()


@pytest.mark.slow  # a program of its own; the tests of agents play turn by turn in every run
def test_agents_that_decide_one_after_the_other_play_the_same_steps(walked: tuple[State, np.ndarray]) -> None:
    """A step may be played in pieces, and a broken-off cycle counts as a step (docs/rules/rescue.md 4.2, 6.3)."""
    params, rows = make_params(INSTANCES[-1]), ACTIONS[-1]
    one, state = jax.jit(step), reset(params)
    for now in range(3):
        for turn in (*range(rows.shape[1]), END_OF_STEP):
            state = one(params, state, jnp.asarray(rows[now], jnp.int32), jnp.int32(turn), jnp.int32(Reason.RUNNING))
    jax.tree.map(np.testing.assert_array_equal, state, jax.tree.map(lambda each: each[-1, 2], walked[0]))
    for turn in (0, END_OF_STEP):
        nothing = jnp.full(rows.shape[1], Act.NOTHING, jnp.int32)
        state = one(params, state, nothing, jnp.int32(turn), jnp.int32(Reason.THOUGHT_LOOP))
    assert (int(state.step), int(state.reason), bool(state.done)) == (4, Reason.THOUGHT_LOOP, True)
