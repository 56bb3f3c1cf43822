"""The kit's environment of a world that teams can lose and in which agents die (`hive.kit.environment.step_env`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import struct
from jaxtyping import Array, Bool, Float, Int, Key

import hive.rl as rl
from dsl import UserError
from hive.kit.environment.env import available
from hive.kit.environment.step_env import StepEnv
from tests.tiers import tiers


class Mine(struct.PyTreeNode, kw_only=True):
    """How much each agent has dug."""

    dug: Int[Array, " n"]


class MineEnv(StepEnv, kw_only=True):
    """An agent that has dug twice is gone; the team wins with three digs, and has lost when all are gone before."""

    actions: ClassVar[Mapping[str, str]] = {"stand": "rest", "dig": "dig"}
    needed: int = struct.field(pytree_node=False)

    def begin(self, key: Key[Array, ""]) -> Mine:
        return Mine(dug=jnp.zeros(self.team, jnp.int32))

    def advance(self, world: Mine, actions: Int[Array, " n"], key: Key[Array, ""]) -> Mine:
        return Mine(dug=world.dug + actions)

    def possible(self, world: Mine) -> Bool[Array, "n a"]:
        return jnp.ones((self.team, 2), bool)

    def observe(self, world: Mine) -> Float[Array, "n f"]:
        return world.dug[:, None].astype(jnp.float32) * jnp.float32(0.25)

    def score(self, world: Mine) -> Float[Array, ""]:
        return jnp.minimum(world.dug.sum(), self.needed).astype(jnp.float32) * jnp.float32(1 / self.needed)

    def won(self, world: Mine) -> Bool[Array, ""]:
        return world.dug.sum() >= self.needed

    def lost(self, world: Mine) -> Bool[Array, ""]:
        return ~self.alive(world).any() & ~self.won(world)

    def alive(self, world: Mine) -> Bool[Array, " n"]:
        return world.dug < 2


def played(env: MineEnv, *rows: list[int]) -> list[Any]:
    """The timesteps of a game with these actions."""
    state, _ = rl.reset(env, jax.random.key(0))
    found = []
    for row in rows:
        state, timestep = rl.step(env, state, jnp.array(row, jnp.int32))
        found.append(timestep)
    return found


def test_it_keeps_the_contract() -> None:
    assert rl.check(MineEnv(team=2, limit=5, needed=3), games=2) == []


def test_numbers_that_are_no_action_are_not_available() -> None:
    """docs/rules/learning.md 3; a read of a mask outside of its row would say that they are."""
    mask = jnp.array([[True, False, True]] * 6)
    assert available(mask, jnp.array([-4, -1, 0, 1, 2, 3])).tolist() == [False, False, True, False, True, False]
    assert not available(mask[:2], np.array([2**32, -(2**32) + 2])).any(), "numbers of 64 bits are not cut to 32 first"
    state, _ = rl.reset(env := MineEnv(team=2, limit=9, needed=4), jax.random.key(0))
    assert rl.step(env, state, np.array([2**32 + 1, 1]))[0].world.dug.tolist() == [0, 1]
    *_, last = played(MineEnv(team=2, limit=9, needed=4), [1, 0], [2, -1])
    assert float(last.score) == 0.25


@pytest.mark.parametrize(
    ("actions", "words"),
    [
        (jnp.array([1]), r"actions are int32\[1\]\n  = help: give whole numbers of the shape \[2\]"),
        (jnp.array([1, 1, 1]), r"actions are int32\[3\]"),
        (jnp.array([1.0, 1.0]), r"actions are float32\[2\]"),
        ([1, 1], "actions are a list, and no array"),
    ],
)
def test_actions_of_another_form_are_refused_by_the_environment_itself(actions: Any, words: str) -> None:
    """Learners of other libraries call `env.step`; one number is not the action of all agents."""
    env = MineEnv(team=2, limit=9, needed=4)
    state, _ = env.reset(jax.random.key(0))
    with pytest.raises(UserError, match=words):
        env.step(state, actions)


KINDS = ("skirmish_5v5", "orders_20v20", "kitchen_two_orders", "rescue_generated", "household_generated")


@pytest.mark.parametrize("name", tiers(KINDS, quick=["kitchen_two_orders", "rescue_generated"], slow=KINDS[-1:]))
def test_environments_of_all_kinds_refuse_actions_for_fewer_agents(name: str) -> None:
    env = rl.make(name)
    state, _ = jax.eval_shape(env.reset, jax.random.key(0))
    with pytest.raises(UserError, match=rf"actions are int32\[1\]\n.*the shape \[{env.num_agents}\]"):
        jax.eval_shape(env.step, state, jnp.array([1], jnp.int32))


def test_a_dead_agent_only_stands_and_its_action_counts_for_nothing() -> None:
    *_, last = played(MineEnv(team=2, limit=9, needed=4), [1, 0], [1, 0], [1, 0])
    assert last.view.alive.tolist() == [False, True] and last.view.action_mask.tolist() == [[True, False], [True, True]]
    assert float(last.score) == 0.5 and float(last.reward[0]) == 0.0


@pytest.mark.parametrize(
    ("needed", "limit", "rows", "ends"),
    [
        (3, 9, [[1, 1], [1, 1]], (True, False, True)),
        (5, 9, [[1, 1], [1, 1]], (True, False, False)),  # lost
        (3, 2, [[1, 0], [0, 0]], (False, True, False)),  # the limit
    ],
)
def test_a_game_is_won_lost_or_cut_off(
    needed: int, limit: int, rows: list[list[int]], ends: tuple[bool, bool, bool]
) -> None:
    """Ends of a step: terminated, truncated, won; a finished game stays as it is and gives no more reward."""
    *_, last, after = played(MineEnv(team=2, limit=limit, needed=needed), *rows, [1, 1])
    for timestep in (last, after):
        assert (bool(timestep.terminated), bool(timestep.truncated), bool(timestep.won)) == ends
    assert float(after.reward[0]) == 0.0 and float(after.score) == float(last.score)


def test_rewards_are_gains_of_the_score_and_the_win_or_the_win_alone() -> None:
    dense, sparse = (MineEnv(team=2, limit=9, needed=4, sparse=each) for each in (False, True))
    assert [float(each.reward[0]) for each in played(dense, [1, 0], [1, 1], [0, 1])] == [0.25, 0.5, 1.25]
    assert [float(each.reward[0]) for each in played(sparse, [1, 0], [1, 1], [0, 1])] == [0.0, 0.0, 1.0]
