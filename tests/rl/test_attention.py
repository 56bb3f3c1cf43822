"""Attention over entities, detailed observations, and dead units in the loss (docs/rules/learning.md 2, 18)."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hive.rl as rl
from dsl import UserError
from hive.kit.environment.compass import COMPASS
from hive.kit.environment.env import EntityBlock
from hive.rl import ppo
from hive.rl.evaluation import play_policy
from hive.rl.networks import ActorCritic
from hive.rl.policies import Policy
from hive.rl.runs import TrainedRun, facts
from hive.rl.settings import Config
from hive.worlds.battle.environment.observation import look
from hive.worlds.battle.environment.units import BattleEnv, _look, make_env
from hive.worlds.battle.world import load
from tests.rl.toys import recall

FIXED = 3  # actions that are on no entity
OWN, FRIEND, FOE = 2, 4, 3  # numbers of an agent, and of a row of each block


def network(listed: int) -> ActorCritic:
    """A network for observations with so many rows of each kind, the enemies last."""
    friends = EntityBlock(OWN, listed, FRIEND)
    foes = EntityBlock(OWN + listed * FRIEND + 1, listed, FOE, targets=True)
    return ActorCritic(FIXED + listed, 8, attention=2, blocks=(friends, foes))


def row_of(own: Any, friends: Any, foes: Any) -> Any:
    """One observation: the agent's numbers, friends, one more number, enemies."""
    return np.concatenate([own, friends.reshape(-1), own[:1], foes.reshape(-1)])


@partial(jax.jit, static_argnums=0)
def answers(listed: int, params: Any, observation: Any) -> tuple[Any, Any]:
    """Logits and value of one agent."""
    mask, memory = jnp.ones((1, 1, FIXED + listed), bool), network(listed).initial_memory(agents=1)
    _, logits, value = network(listed).apply(params, memory, observation[None, None], mask, jnp.zeros((1, 1), bool))
    return logits[0, 0], value[0, 0]


def random_parts(seed: int, listed: int) -> tuple[Any, Any, Any]:
    random = np.random.default_rng(seed)
    own, friends, foes = (random.uniform(-1, 1, shape) for shape in ((OWN,), (listed, FRIEND), (listed, FOE)))
    friends[:, 0], foes[:, 0] = 1, 1
    return own.astype(np.float32), friends.astype(np.float32), foes.astype(np.float32)


def init_params(listed: int) -> Any:
    size = OWN + listed * (FRIEND + FOE) + 1
    mask, memory = jnp.ones((1, 1, FIXED + listed), bool), network(listed).initial_memory(agents=1)
    return network(listed).init(jax.random.key(1), memory, jnp.zeros((1, 1, size)), mask, jnp.zeros((1, 1), bool))


@cache
def params_of(listed: int) -> Any:
    """Random ones, of which no bias is zero; to draw those that training begins with would compile longer."""
    random = np.random.default_rng(1)
    form = jax.eval_shape(partial(init_params, listed))
    return jax.tree.map(lambda leaf: random.normal(0.1, 0.4, leaf.shape).astype(leaf.dtype), form)


@pytest.mark.slow
def test_the_number_of_listed_entities_changes_no_parameter() -> None:
    """So a policy for few entities reads observations that list many."""
    few, many = (jax.tree.map(jnp.shape, jax.eval_shape(partial(init_params, listed))) for listed in (2, 5))
    assert few == many == jax.tree.map(jnp.shape, params_of(5))


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 999), order=st.permutations(range(5)), mates=st.permutations(range(5)))
def test_entities_in_another_order_are_the_same(seed: int, order: list[int], mates: list[int]) -> None:
    """Values and fixed actions stay, and the logits of actions on entities follow their entities."""
    own, friends, foes = random_parts(seed, 5)
    logits, value = jax.device_get(answers(5, params_of(5), row_of(own, friends, foes)))
    other, same = jax.device_get(answers(5, params_of(5), row_of(own, friends[mates], foes[order])))
    np.testing.assert_allclose(same, value, atol=1e-5)
    np.testing.assert_allclose(other[:FIXED], logits[:FIXED], atol=1e-5)
    np.testing.assert_allclose(other[FIXED:], logits[FIXED:][order], atol=1e-5)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 999), there=st.integers(0, 5))
def test_an_absent_entity_changes_nothing(seed: int, there: int) -> None:
    """Whatever its row holds behind the 0, and also where no entity is there at all."""
    own, friends, foes = random_parts(seed, 5)
    absent = np.arange(5) >= there
    empty = [np.where(absent[:, None], np.float32(0), part) for part in (friends, foes)]
    filled = [np.concatenate([~absent[:, None], part[:, 1:]], axis=1, dtype=np.float32) for part in (friends, foes)]
    logits, value = jax.device_get(answers(5, params_of(5), row_of(own, *empty)))
    other, same = jax.device_get(answers(5, params_of(5), row_of(own, *filled)))
    assert np.isfinite(logits).all()
    np.testing.assert_array_equal(same, value)
    np.testing.assert_array_equal(other[: FIXED + there], logits[: FIXED + there])
    if there == 2:
        fewer, shorter = answers(2, params_of(5), row_of(own, friends[:2], foes[:2]))
        np.testing.assert_allclose(shorter, value, atol=1e-5)
        np.testing.assert_allclose(fewer, logits[: FIXED + 2], atol=1e-5)


def test_attention_is_refused_where_no_entities_are_listed() -> None:
    with pytest.raises(UserError, match="`attention` needs observations that list entities"):
        ppo.network_of(recall(), Config(attention=1))


@pytest.fixture(scope="module")
def envs() -> tuple[BattleEnv, BattleEnv]:
    """A battle with plain and with detailed observations."""
    world = load("duel", units=12)
    return make_env(world, nearest=3), make_env(world, nearest=3, detail=True)


def test_what_runs_keep_says_what_details_are(envs: tuple[BattleEnv, BattleEnv]) -> None:
    """Policies of other details are refused, though their observations have the same length."""
    plain, detailed = map(facts, envs)
    assert "detail" not in plain and detailed["detail"] == "calls"


@pytest.mark.slow
def test_details_are_added_to_the_usual_numbers(envs: tuple[BattleEnv, BattleEnv]) -> None:
    """Without rank, readiness and calls an observation is, to the bit, the one without details.

    The calls are those of turns by hand in a state where both sides have met: fewest enemies seen first, each the
    nearest enemy in range that no unit which it sees has called.
    """
    plain, detailed = envs
    state, _ = jax.jit(rl.reset)(plain, jax.random.key(3))
    game, units = state.game.state, plain.params.count
    random = np.random.default_rng(0)
    place = jnp.asarray(random.uniform(10, 18, (units, 2)), jnp.float32)
    cooldown = jnp.asarray(random.integers(0, 2, units), jnp.int32)
    game = game.replace(position=place, cooldown=cooldown)

    (usual, _), (view, foes) = (jax.jit(_look)(env, game, env.own) for env in envs)
    assert view.observation.shape[1] == detailed.observation_size == plain.observation_size + 1 + 3 + 2 * 3
    found, kept, more = np.asarray(view.observation), [], []
    for (friend, block), old in zip(enumerate(detailed.entity_blocks), plain.entity_blocks, strict=True):
        rows = found[:, block.start : block.start + block.rows * block.size].reshape(-1, block.rows, block.size)
        own = np.asarray(usual.observation)[:, old.start : old.start + old.rows * old.size]
        np.testing.assert_array_equal(rows[..., : old.size].reshape(own.shape), own)
        kept.append(rows)
        more.append(friend)
    first = plain.entity_blocks[0].start
    np.testing.assert_array_equal(found[:, :first], np.asarray(usual.observation)[:, :first])
    np.testing.assert_array_equal(found[:, first], np.arange(len(found), dtype=np.float32) / np.float32(len(found)))
    rows, side = np.asarray(detailed.own.rows), np.asarray(detailed.params.units.side)
    sights = jax.jit(look, static_argnums=3)(detailed.params, game, detailed.own.rows, 12)
    friends, seen = jax.tree.map(np.asarray, sights)
    around = zip(friends.unit, friends.there, strict=True)
    mates = [{int(u) for u, there in zip(*both, strict=True) if there} for both in around]
    reach, kinds = np.asarray(detailed.params.types.reach), np.asarray(detailed.params.units.type)
    called: dict[int, int] = {}
    for agent in sorted(range(len(rows)), key=lambda agent: int(seen.count[agent])):
        for at in range(3):
            enemy = int(foes[agent, at])
            near = bool(seen.there[agent, at]) and np.hypot(*seen.offset[agent, at]) <= reach[kinds[rows[agent]]]
            taken = enemy in {called.get(mate) for mate in mates[agent]}
            if near and cooldown[rows[agent]] <= 0 and not taken:
                called[int(rows[agent])] = enemy
                break
    told = []
    for agent, row in enumerate(rows):
        for at in range(3):
            if not seen.there[agent, at]:
                assert not kept[1][agent, at].any()
                continue
            enemy = int(foes[agent, at])
            others = enemy in {called.get(mate) for mate in mates[agent]}
            assert side[enemy] != side[row] and kept[1][agent, at, -2] == float(cooldown[enemy] <= 0)
            told.append(1 if called.get(int(row)) == enemy else -int(others))
            assert kept[1][agent, at, -1] == told[-1]
    assert set(told) == {-1, 0, 1}


def test_two_units_that_see_each_other_call_different_enemies(envs: tuple[BattleEnv, BattleEnv]) -> None:
    """Of archers in range the one that sees fewer enemies has the first call, and a unit that waits has none."""
    env = envs[1]
    state, _ = jax.jit(rl.reset)(env, jax.random.key(3))
    game, rows = state.game.state, np.asarray(env.own.rows)
    archer, side = int(np.argmax(np.asarray(env.params.types.reach))), np.asarray(env.params.units.side)
    kinds = np.asarray(env.params.units.type)
    shooters = rows[kinds[rows] == archer][:2]
    enemies = np.flatnonzero(side != side[rows[0]])[:2]
    place, health = np.asarray(game.position).copy(), np.zeros(env.params.count, np.float32)
    health[[*shooters, *enemies]] = 1
    place[shooters], place[enemies] = [[20, 20], [22, 20]], [[30, 20], [36, 20]]
    game = game.replace(position=jnp.asarray(place), health=jnp.asarray(health))
    block = env.entity_blocks[1]

    def call(game: Any) -> list[list[float]]:
        seen = np.asarray(jax.jit(_look)(env, game, env.own)[0].observation)
        listed = seen[:, block.start : block.start + block.rows * block.size].reshape(-1, block.rows, block.size)
        return [listed[int(np.flatnonzero(rows == unit)[0]), :2, -1].tolist() for unit in shooters]

    assert call(game) == [[1, 0], [-1, 1]]  # the first sees one enemy, so it chooses before the second
    waits = game.replace(cooldown=game.cooldown.at[shooters[0]].set(1))
    assert call(waits) == [[-1, 0], [1, 0]]


FEW = Config(total_timesteps=16, num_envs=2, num_steps=8, width=8, num_minibatches=1)


@cache
def with_a_dead_unit() -> tuple[Any, Any, Any]:
    """Parameters and a memory for the toy, and samples as of a rollout in which the first unit is dead."""
    env, random = recall(), np.random.default_rng(0)
    runner = jax.eval_shape(partial(ppo.begin, env, FEW), jax.random.key(0))
    _, form, _ = jax.eval_shape(partial(ppo.rollout, env, FEW), runner)

    def drawn(leaf: Any) -> np.ndarray:
        """Numbers so small that no value is clipped, no end of a game, and the action 0."""
        if jnp.issubdtype(leaf.dtype, jnp.floating):
            return random.uniform(-0.1, 0.1, leaf.shape).astype(leaf.dtype)
        return np.zeros(leaf.shape, leaf.dtype)

    samples = jax.tree.map(drawn, form)
    alive = np.ones(form.view.alive.shape, bool)
    alive[..., 0] = False
    view = samples.view.replace(alive=alive, action_mask=np.ones(form.view.action_mask.shape, bool))
    return *jax.tree.map(drawn, (runner.params, runner.memory)), samples.replace(view=view)


@pytest.mark.parametrize("masked", [0, 1])
def test_dead_units_teach_nothing_where_they_are_masked(masked: int) -> None:
    """With `value_active_masks` what a dead unit is worth moves no parameter; the policy never learns from it."""
    env, config = recall(), replace(FEW, value_active_masks=masked)
    params, memory, samples = with_a_dead_unit()
    slope = jax.jit(jax.grad(partial(ppo.loss, env, config, config.hyper()), has_aux=True))
    advantage = np.array(jax.jit(ppo.advantages)(config.hyper(), samples))
    usual, losses = slope(params, memory, samples, advantage)
    raised = advantage.copy()  # the first call may still be reading its own
    raised[..., 0] += 1.0
    other, found = slope(params, memory, samples, raised)
    assert losses["policy_loss"] == found["policy_loss"]
    same = [bool((a == b).all()) for a, b in zip(*map(jax.tree.leaves, (usual, other)), strict=True)]
    assert all(same) if masked else not all(same)
    assert any(bool(leaf.any()) for leaf in jax.tree.leaves(usual))


def test_a_policy_with_attention_plays_where_more_are_listed() -> None:
    """Its parameters do not depend on the number that is listed; without attention they do."""
    task, world = "skirmish_27v30_detail", load("duel", units=4)
    few, many, plain = (make_env(world, nearest=nearest, detail=nearest != 7) for nearest in (4, 9, 7))
    trained = {"name": task, **facts(few)}
    runs = [TrainedRun(Path("run"), {"task": trained, "settings": {"attention": heads}}) for heads in (1, 0)]
    runs[0].check(few, "few")
    runs[0].check(many, "many")
    with pytest.raises(UserError, match="many has `18 actions instead of 13`"):
        runs[1].check(many, "many")
    with pytest.raises(UserError, match=r"plain has .*features instead of"):
        runs[0].check(plain, "plain")


@pytest.mark.long
def test_calls_are_enough_to_spread_targets() -> None:
    """Units that attack the enemy that they call, and else go to the nearest listed one or the goal, win 27 v 30."""
    env = rl.make("skirmish_27v30_detail")
    foes, types = env.entity_blocks[1], env.entity_blocks[0].start - 9  # a unit's own numbers begin with its type

    def choose(params: Any, env: Any, memory: Any, state: Any, view: Any, key: Any) -> Any:
        seen = view.observation
        rows = seen[:, foes.start : foes.start + foes.rows * foes.size].reshape(-1, foes.rows, foes.size)
        called = rows[..., -1] > 0
        way = jnp.where(rows[:, 0, :1] > 0, rows[:, 0, 1:3], seen[:, types + 3 : types + 5])
        walk = 1 + (way @ jnp.asarray(COMPASS).T).argmax(1)
        attack = 1 + len(COMPASS) + called.argmax(1)
        return memory, jnp.where(called.any(1), attack, walk).astype(jnp.int32)

    played = play_policy(env, Policy((), lambda params, env: (), choose), range(1_000_000, 1_000_100), "by calls")
    assert np.mean(played.won) > 0.9
