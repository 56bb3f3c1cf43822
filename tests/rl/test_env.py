"""Environments for learners keep to their rules (docs/rules/learning.md)."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hive
import hive.rl as rl
from dsl import UserError
from hive.engine.objective import score
from hive.engine.types import ENEMY, OUTCOMES, PLAYER, Outcome
from hive.ground.lines import SAMPLES
from hive.ground.sizes import CPU, GPU, Sizes, use
from hive.kit.environment.env import STAND, TimeStep
from hive.rl.autoreset import Restarted
from hive.rl.checking import _ends, _numbers, _ranges, _shapes
from hive.rl.evaluation import record, replay_states
from hive.rl.policies import POLICIES
from hive.rl.registry import load_world, tasks
from hive.worlds.battle.environment import units
from hive.worlds.battle.environment.scoring import reward
from hive.worlds.battle.environment.units import FIRST_ATTACK, FIRST_MOVE, BattleEnv
from hive.worlds.battle.world import Battle, load
from hive.worlds.rescue.shipped import load_instance
from tests.rl.toys import LAST, Play, Recall, recall

FIELD = """\
version = 1
title = "Field"
summary = "a wood and two small armies"
[map]
size = 24
shapes = [{ terrain = "forest", box = [9, 9, 14, 14] }]
[rules]
limit = 30
[player]
units = [
  { type = "spearmen", count = 2, box = [0.3, 0.2, 0.2, 0.6] },
  { type = "archer", count = 2, box = [0.3, 0.2, 0.2, 0.6] },
]
[enemy]
plan = "enemy.plan"
units = [{ type = "cavalry", count = 3, box = [0.5, 0.2, 0.2, 0.6] }]
"""
PLAN = """\
Step 0:
prerequisites: []
objective: elimination all
units: all
- target position: (3, 12)
- behavior: attack_in_close_range
"""
KEY = jax.random.key(5)

LANES = 4  # games side by side
reset, step = jax.jit(rl.reset), jax.jit(rl.step)
reset_lanes, step_lanes = jax.jit(jax.vmap(rl.reset, (None, 0))), jax.jit(jax.vmap(rl.step, (None, 0, 0)))


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Battle:
    folder = tmp_path_factory.mktemp("field")
    (folder / "field.toml").write_text(FIELD)
    (folder / "enemy.plan").write_text(PLAN)
    return load(folder / "field.toml")


@pytest.fixture(scope="module")
def env(world: Battle) -> BattleEnv:
    return rl.make_env(world, nearest=2)


def numbers(tree: Any) -> Any:
    """The leaves on the host, with numbers for keys."""
    return jax.device_get(jax.tree.map(_numbers, tree))


def lane(tree: Any, at: Any) -> Any:
    return jax.tree.map(lambda leaf: leaf[at], tree)


@pytest.fixture(scope="module")
def odd() -> list[bool]:
    return []


@pytest.fixture(scope="module")
def games(env: BattleEnv, odd: list[bool]) -> list[tuple[Any, Any, Any, np.ndarray]]:
    """States before and after each tick, timesteps and actions of games of random available actions, side by side.

    `odd` gets, for each tick, whether numbers that are no action did what standing does.
    """
    randoms = [np.random.default_rng(seed) for seed in range(LANES)]
    play, view = reset_lanes(env, jnp.stack([KEY, *jax.random.split(KEY, LANES - 1)]))
    found, after = [], numbers(play)
    for _ in range(env.max_steps + 2):
        masks = zip(randoms, np.asarray(view.action_mask), strict=True)
        actions = np.array([[pick(random, np.flatnonzero(row)) for row in mask] for random, mask in masks], np.int32)
        stood, *others = (
            numbers(step_lanes(env, play, np.full_like(actions, each))) for each in (STAND, -1, env.num_actions)
        )
        odd.append(all(jax.tree.all(jax.tree.map(np.array_equal, stood, each)) for each in others))
        play, timestep = step_lanes(env, play, actions)
        before, after, view = after, numbers(play), timestep.view
        found.append((before, after, jax.device_get(timestep), actions))
    return found


def pick(random: np.random.Generator, mask: np.ndarray) -> int:
    """An attack where there is one, else anything."""
    return int(random.choice(mask if mask[-1] < FIRST_ATTACK else mask[mask >= FIRST_ATTACK]))


@pytest.fixture(scope="module")
def game(games: list[tuple[Any, Any, Any, np.ndarray]]) -> list[tuple[Any, Any, Any, np.ndarray]]:
    """The first of them, that of `KEY`."""
    return lane(games, 0)  # type: ignore[no-any-return]


@pytest.mark.long
def test_a_recorded_game_has_the_outcome_and_the_score_of_the_game(env: BattleEnv, world: Battle) -> None:
    """A replay of a policy's game says how it ended."""
    seen = record(env, world, POLICIES["stand"], 5, "a game")
    plays, actions, steps = replay_states(env, POLICIES["stand"], 5)
    assert seen.course is not None and seen.frames == steps + 1
    assert seen.course.outcome == OUTCOMES[int(plays.game.outcome[steps])] != "running"
    state = jax.tree.map(lambda rows: rows[steps], plays.game.state)
    assert seen.course.score[-1] == np.float32(score(env.params, state))
    np.testing.assert_array_equal(seen.radius, env.params.types.radius)
    programs = units._decided._cache_size()
    assert env.record(world, plays, actions, 3, "its beginning").frames == 4
    assert units._decided._cache_size() == programs, "games of all lengths share a program"


@pytest.mark.long
def test_an_environment_keeps_its_contract(env: BattleEnv) -> None:
    assert rl.check(env, games=3) == []


def test_random_games_keep_the_contract(env: BattleEnv, games: list[Any], odd: list[bool]) -> None:
    """What the kit asks of games in a batch: shapes, ranges, masks, ends, and that numbers that are no action stand."""
    _, plays, timesteps, _ = jax.tree.map(lambda *ticks: np.stack(ticks, axis=1), *games)
    assert [*_shapes(env, timesteps, (LANES, len(games))), *_ranges(timesteps), *_ends(plays, timesteps)] == []
    assert (timesteps.terminated | timesteps.truncated)[:, -1].all(), "the games have ended"
    assert len(odd) == len(games) and all(odd)


@pytest.mark.long
def test_a_game_in_a_batch_is_the_game_alone(env: BattleEnv, game: list[Any]) -> None:
    """To the bit: states and timesteps of every tick."""
    play, _ = reset(env, KEY)
    for before, after, timestep, actions in game:
        jax.tree.map(np.testing.assert_array_equal, numbers(play), before)
        play, found = step(env, play, actions)
        jax.tree.map(np.testing.assert_array_equal, (numbers(play), jax.device_get(found)), (after, timestep))


@jax.custom_batching.custom_vmap
def _more_in_a_batch(number: Any) -> Any:
    return number


@_more_in_a_batch.def_vmap
def _(size: int, batched: Any, number: Any) -> Any:
    return number + 1, batched[0]


class Broken(Recall, kw_only=True):
    """It breaks every part of the contract but its shapes; a scale that is not finite spoils all numbers."""

    def step(self, state: Any, actions: Any) -> tuple[Any, TimeStep]:
        _, timestep = super().step(state, actions)
        after = state.replace(tick=state.tick + 1)  # after the end, too
        ended = after.tick == LAST  # and not one step later
        mask = jnp.ones((2, 3), bool).at[0, STAND].set(False)
        alive = jnp.array([True, False])
        view = timestep.view.replace(observation=timestep.view.observation * 3, action_mask=mask, alive=alive)
        score = _more_in_a_batch(2 + actions.sum()).astype(jnp.float16)
        reward = jnp.arange(1.0, 3.0) * self.scale
        return after, TimeStep(
            view=view, reward=reward, terminated=ended, truncated=ended, won=jnp.array(True), score=score
        )


class Unread(Recall, kw_only=True):
    """Its limit is an array."""

    max_steps = property(lambda self: self.scale)


def test_breaches_of_the_contract_are_found() -> None:
    """docs/rules/learning.md 2 to 4: a breach of each sort is named, and no other."""
    assert rl.check(recall(), games=2) == []
    assert [words.split(",")[0] for words in rl.check(Broken(scale=jnp.float32(1.0)), games=2)] == [
        "score is float16[2",
        "an observation is 3.75",
        "standing is not always available",
        "a dead unit can do more than stand",
        "a score is outside 0 to 1",
        "units of one team get different rewards",
        "the global state is 1.5",
        "a game is terminated and truncated at once",
        "a game is won and has not terminated",
        "a game that has ended goes on",
        "a game that has ended gives a reward",
        "a game that has ended changes",
        "a game is not over after `max_steps`",
        "a game in a batch is not the game alone",
        "-1 and 3 are no actions",
    ]
    found = rl.check(Broken(scale=jnp.float32(jnp.inf)), games=2)
    assert {"an observation is not finite", "the global state is not finite", "a reward is not finite"} <= {*found}
    assert rl.check(Unread(scale=jnp.float32(1.0))) == [
        "`max_steps` depends on an array, so a compiled function cannot read it: make it of static fields"
    ]


class Uncertain(Recall, kw_only=True):
    """Its end is a number."""

    def step(self, state: Any, actions: Any) -> tuple[Any, TimeStep]:
        state, timestep = super().step(state, actions)
        return state, timestep.replace(terminated=timestep.terminated.astype(jnp.float32))


def test_flags_that_are_numbers_are_named() -> None:
    (found,) = rl.check(Uncertain(scale=jnp.float32(1.0)), games=2)
    assert found.startswith("terminated is float32[2")


class Opening(Recall, kw_only=True):
    """Its view of the reset is out of range, and has standing masked out; nothing else is wrong."""

    def reset(self, key: Any) -> Any:
        state, view = super().reset(key)
        mask = view.action_mask.at[0, STAND].set(False)
        return state, view.replace(observation=view.observation + 50, action_mask=mask)


def test_the_view_of_a_reset_is_tried_as_that_of_a_step() -> None:
    assert rl.check(Opening(scale=jnp.float32(1.0)), games=2) == [
        "an observation is 51, outside -1 to 1",
        "standing is not always available",
    ]


class Wide(Recall, kw_only=True):
    """Shows seven numbers at first."""

    width: ClassVar[int] = 7

    def reset(self, key: Any) -> Any:
        state, view = super().reset(key)
        return state, view.replace(observation=jnp.zeros((2, self.width)))


class Drifting(Recall, kw_only=True):
    """Its step returns another type of score."""

    def step(self, state: Any, actions: Any) -> Any:
        after, timestep = super().step(state, actions)
        return after.replace(score=after.score.astype(jnp.float16)), timestep


class Blind(Recall, kw_only=True):
    """Has no global state."""

    def global_state(self, state: Any) -> Any:
        return rl.Env.global_state(self, state)


class Folded(Recall, kw_only=True):
    """Has a global state of two rows."""

    def global_state(self, state: Any) -> Any:
        return super().global_state(state)[None]


class Agentless(Recall, kw_only=True):
    """Does not say how many agents it has."""

    num_agents = rl.Env.num_agents


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (Wide, "`reset` returns another view than `step`: `.observation` is float32[2, 7], not float32[2, 2]"),
        (Drifting, "`step` returns another state than `reset`: `.score` is float16[], not float32[]"),
        (Blind, "there is no `global_state`, which centralised critics and the views of other libraries read"),
        (Folded, "`global_state` returns float32[1, 2], not one row of float32"),
        (Agentless, "there is no `num_agents`"),
    ],
)
def test_forms_that_no_program_can_be_made_of_are_named(kind: type[Recall], words: str) -> None:
    """Without a game: JAX would fail in a loop of steps, with words about its own insides."""
    assert rl.check(kind(scale=jnp.float32(1.0))) == [words]


def test_no_environment_is_served_by_the_program_of_another_class() -> None:
    """To JAX 0.10 the trees of two classes with equal fields are equal, and of 200 classes some find another's."""
    for number in range(200):
        kind = type(f"Wide{number}", (Wide,), {"width": number}, kw_only=True)
        _, view = jax.eval_shape(rl.reset, kind(scale=jnp.float32(1.0)), jax.random.key(0))
        assert view.observation.shape == (2, number)


@pytest.mark.parametrize("given", [{"games": 0}, {"steps": 0}])
def test_a_check_without_a_game_is_refused(given: dict[str, int]) -> None:
    with pytest.raises(UserError, match=f"`{next(iter(given))}` is 0\n  = help: it is at least 1"):
        rl.check(recall(), **given)


def test_observations_list_the_nearest_units_that_are_seen(env: BattleEnv, game: list[Any]) -> None:
    """docs/rules/learning.md 2, against plain Python, for every unit and tick."""
    params = env.params
    side, kind = np.asarray(params.units.side), np.asarray(params.units.type)
    full = np.asarray(params.types.max_health)[kind]
    listed = hidden = 0
    for _, after, timestep, _ in game:
        state, shown = after.game.state, np.asarray(timestep.view.observation)
        at, health = np.asarray(state.position), np.asarray(state.health)
        assert shown.shape == (4, env.observation_size)
        for row, numbers in enumerate(shown):
            if health[row] <= 0:
                assert (numbers == 0).all()
                continue
            assert numbers[0] == pytest.approx(health[row] / full[row])
            assert numbers[1 + kind[row]] == 1 and numbers[1:7].sum() == 1
            np.testing.assert_allclose(numbers[7:9], 2 * at[row] / 24 - 1, atol=1e-6)
            assert numbers[11] == (np.asarray(state.cooldown)[row] <= 0)
            assert numbers[12] == in_wood(at[row]) and numbers[13] == pytest.approx(int(state.tick) / 30)
            rest = iter(numbers[14:].tolist())
            for own in (True, False):
                near = [
                    other
                    for other in range(len(side))
                    if other != row
                    and health[other] > 0
                    and (side[other] == side[row]) == own
                    and np.hypot(*(at[other] - at[row])) <= 15
                ]
                seen = [other for other in near if not in_wood(*np.linspace(at[row], at[other], SAMPLES))]
                hidden += len(near) - len(seen)
                seen.sort(key=lambda other: ((at[other] - at[row]) ** 2).sum())
                for other in seen[:2]:
                    offset = (at[other] - at[row]) / 15
                    flags = [float(kind[other] == each) for each in range(6)]
                    wanted = [1, *offset, health[other] / full[other], *flags]
                    np.testing.assert_allclose([next(rest) for _ in wanted], wanted, atol=1e-5)
                    listed += 1
                assert not any(next(rest) for _ in range(10 * (2 - len(seen[:2]))))
                mean = np.mean([at[other] - at[row] for other in seen[:2]] or [(0, 0)], axis=0) / 15
                np.testing.assert_allclose(
                    [next(rest) for _ in range(3)], [len(seen) / (len(seen) + 8), *mean], atol=1e-5
                )
            assert next(rest, None) is None
    assert listed > 50 and hidden > 20, "the game shows something, and the wood hides something"


def in_wood(*points: np.ndarray) -> bool:
    """Whether one of the points lies in the forest."""
    return any((np.trunc(point) >= 9).all() and (np.trunc(point) < 14).all() for point in points)


def test_actions_do_what_they_are_called(env: BattleEnv, game: list[Any]) -> None:
    """docs/rules/learning.md 3: a move goes its own way at full speed, an attack costs the listed enemy health."""
    speed = np.asarray(env.params.types.speed)[np.asarray(env.params.units.type)]
    moved = struck = 0
    for before, after, _, actions in game:
        old, new = before.game.state, after.game.state
        if before.game.outcome:
            continue
        for row, action in enumerate(actions):
            step_taken = np.asarray(new.position)[row] - np.asarray(old.position)[row]
            if FIRST_MOVE <= action < FIRST_ATTACK and new.health[row] > 0:
                angle = (action - FIRST_MOVE) * np.pi / 4
                along = step_taken @ [np.cos(angle), np.sin(angle)]
                moved += 0.8 * speed[row] < along < 1.2 * speed[row]  # the others were pushed or stopped
            elif action >= FIRST_ATTACK:
                foe = int(before.foes[row, action - FIRST_ATTACK])
                assert np.asarray(env.params.units.side)[foe] == ENEMY
                assert new.health[foe] < old.health[foe]
                struck += 1
    assert moved > 20 and struck > 3


def test_an_attack_is_available_exactly_when_it_strikes(env: BattleEnv, game: list[Any]) -> None:
    kind = np.asarray(env.params.units.type)
    reach = np.asarray(env.params.types.reach)[kind]
    for _, after, timestep, _ in game:
        state = after.game.state
        at, view = np.asarray(state.position), np.asarray(timestep.view.observation)
        for row in range(4):
            for place in range(2):
                entry = view[row, 14 + 23 + 10 * place : 14 + 23 + 10 * (place + 1)]
                offset = at[int(after.foes[row, place])] - at[row]
                ready = entry[0] == 1 and np.hypot(*offset) <= reach[row] and int(state.cooldown[row]) <= 0
                assert bool(timestep.view.action_mask[row, FIRST_ATTACK + place]) == bool(ready)


def test_a_compiled_function_may_read_the_limit(world: Battle, env: BattleEnv) -> None:
    """docs/names.md: an environment may be an argument of a compiled function, where its arrays have no values."""
    squads = rl.make_orders_env(world, every=7)
    limits = jax.eval_shape(lambda *envs: tuple(jnp.zeros(each.max_steps) for each in envs), env, squads)
    assert [each.shape for each in limits] == [(30,), (5,)]


def test_an_unavailable_action_stands(env: BattleEnv) -> None:
    play, view = reset_lanes(env, jnp.stack([KEY] * LANES))
    barred = ~np.asarray(view.action_mask)[0, :, FIRST_ATTACK]
    assert barred.sum() >= 2, "the spearmen are far from the enemy at the start"
    wanted = [np.where(barred, action, STAND).astype(np.int32) for action in (STAND, FIRST_ATTACK)]
    wanted += [np.full(4, number, np.int32) for number in (-1, env.num_actions)]  # no actions
    game = numbers(step_lanes(env, play, np.stack(wanted))[0].game)
    stood, *others = (lane(game, each) for each in range(LANES))
    assert all(jax.tree.all(jax.tree.map(np.array_equal, stood, other)) for other in others)


def test_rewards_sum_to_what_the_rules_say(env: BattleEnv, game: list[Any]) -> None:
    """docs/rules/learning.md 4: over a game, the share of enemy health lost, and 1 for a win."""
    total = sum(float(timestep.reward[0]) for _, _, timestep, _ in game)
    last = game[-1][1].game
    assert last.outcome != Outcome.RUNNING
    health, full = (
        np.asarray(last.state.health),
        np.asarray(env.params.types.max_health)[np.asarray(env.params.units.type)],
    )
    side = np.asarray(env.params.units.side)
    lost = 1 - health[side == ENEMY].sum() / full[side == ENEMY].sum()
    assert total == pytest.approx(lost + int(last.outcome == Outcome.WIN), abs=1e-4)
    dead = (health[side == ENEMY] <= 0).mean()
    assert float(game[-1][2].score) == pytest.approx(1 if last.outcome == Outcome.WIN else dead)


@pytest.mark.long
def test_a_new_game_begins_where_one_has_ended(env: BattleEnv) -> None:
    """The last observation of the old game is kept, and the first one of the new game is shown, in a battle as well."""
    go = jax.jit(rl.step_and_reset)
    play, _ = reset(env, KEY)
    for tick in range(40):
        before = play
        play, after = go(env, play, jnp.zeros(4, jnp.int32), jax.random.key(100 + tick))
        if after.timestep.terminated | after.timestep.truncated:
            break
    alone, timestep = step(env, before, jnp.zeros(4, jnp.int32))
    fresh, first = reset(env, jax.random.key(100 + tick))
    np.testing.assert_array_equal(after.final_observation, timestep.view.observation)
    np.testing.assert_array_equal(after.timestep.view.observation, first.observation)
    assert play.game.state.tick == 0 and alone.game.outcome != Outcome.RUNNING
    assert bool(after.timestep.won) == (alone.game.outcome == Outcome.WIN)
    np.testing.assert_array_equal(jax.random.key_data(play.key), jax.random.key_data(fresh.key))


@pytest.mark.parametrize("sizes", [CPU, GPU], ids=["cpu", "gpu"])
def test_a_batch_resets_the_games_that_have_ended_and_no_others(sizes: Sizes) -> None:
    """Two lanes with an environment each, twenty games in a lane, which end in different steps."""

    def plain(env: Recall, play: Play, actions: Any, key: Any) -> Any:
        (fresh, first), (after, timestep) = rl.reset(env, key), rl.step(env, play, actions)
        new, old = (fresh, first), (after, timestep.view)
        state, view = jax.tree.map(lambda new, old: jnp.where(timestep.terminated, new, old), new, old)
        return state, Restarted(timestep=timestep.replace(view=view), final_observation=timestep.view.observation)

    env, batch, random = recall().replace(scale=jnp.array([1.0, 0.5])), (2, 20), np.random.default_rng(0)
    play = Play(
        tick=jnp.asarray(random.integers(0, LAST + 1, batch), jnp.int32),
        cue=jnp.ones(batch, jnp.int32), won=jnp.zeros(batch, bool), score=jnp.zeros(batch),
    )  # fmt: skip
    with use(sizes):
        go, expected = (jax.jit(jax.vmap(jax.vmap(each, (None, 0, 0, 0)))) for each in (rl.step_and_reset, plain))
        for number in range(2 * LAST):
            keys = jax.random.split(jax.random.key(number), batch)
            given = env, play, jnp.asarray(random.integers(0, 3, (*batch, 2)), jnp.int32), keys
            play, after = go(*given)
            jax.tree.map(np.testing.assert_array_equal, (play, after), expected(*given))
            assert 0 < after.timestep.terminated.sum() < 40


def test_a_sparse_environment_rewards_a_win_alone(world: Battle, games: list[Any]) -> None:
    """The reward of its step, between the states of the games."""
    sparse = rl.make_env(world, nearest=2, sparse=True)
    assert sparse.sparse
    befores, afters, _, _ = jax.tree.map(lambda *ticks: np.concatenate(ticks), *games)
    gain = jax.jit(jax.vmap(lambda before, after: reward(sparse.params, before, after, PLAYER, sparse.sparse)))
    won = (afters.game.outcome == Outcome.WIN) & (befores.game.outcome == Outcome.RUNNING)
    np.testing.assert_array_equal(gain(befores.game, afters.game), won.astype(np.float32))


@pytest.mark.long
def test_steps_of_a_sparse_environment_reward_a_win_alone(world: Battle, game: list[Any]) -> None:
    sparse = rl.make_env(world, nearest=2, sparse=True)
    play, _ = reset(sparse, KEY)
    for before, after, _, actions in game:
        play, timestep = step(sparse, play, actions)
        won = after.game.outcome == Outcome.WIN and before.game.outcome == Outcome.RUNNING
        assert timestep.reward.tolist() == [float(won)] * 4


@pytest.mark.long
def test_every_task_is_made_and_keeps_its_contract_at_the_start() -> None:
    assert {"skirmish_5v5", "skirmish_10v10", "skirmish_27v30", "skirmish_mix"} <= set(tasks())
    for name, each in tasks().items():
        made = rl.make(name, seeds=[1] if each.mapped else None)
        _, view = jax.eval_shape(rl.reset, made, KEY)
        assert view.observation.shape == (made.num_agents, made.observation_size) and each.summary
        assert view.action_mask.shape == (made.num_agents, made.num_actions)


def test_a_policy_for_few_units_reads_the_observations_of_many() -> None:
    few, many = rl.make("skirmish_5v5"), rl.make("skirmish_5v5", units=50)
    assert (few.num_agents, many.num_agents) == (5, 50)
    assert (few.observation_size, few.num_actions) == (many.observation_size, many.num_actions)


def test_wrong_words_get_a_hint() -> None:
    with pytest.raises(UserError, match="did you mean `skirmish_5v5`"):
        rl.make("skirmish_5v")
    with pytest.raises(UserError, match="1 to 32 units"):
        rl.make_env(load_world(tasks()["skirmish_5v5"]), nearest=0)
    with pytest.raises(UserError, match="1 to 32 units"):
        rl.make_env(load_world(tasks()["skirmish_5v5"]), nearest=2.5)  # type: ignore[arg-type]
    level: Any = hive.load("wildfire/suppress_contain")
    with pytest.raises(UserError, match="is no battle"):
        rl.make_env(level)


@pytest.mark.parametrize(
    ("make", "given", "words"),
    [
        (rl.make_env, "duel", "`duel` is a name, and no battle\n"),
        (rl.make_env, None, "something of type NoneType is no battle\n"),
        (rl.make_crew_env, "duel", "`duel` is a name, and no wildfire level\n"),
        (rl.make_rescue_env, "map_7/agents-1", "`map_7/agents-1` is a name, and no list of rescues\n"),
        (rl.make_rescue_env, ["map_7/agents-1"], "`map_7/agents-1` is a name, and no rescue\n"),
        (
            rl.make_rescue_env,
            load_instance("map_7/agents-1"),
            "map_7/agents-1 is no list of rescues\n.*into brackets",
        ),
        (rl.make_household_env, "cwah_6", "`cwah_6` is a name, and no list of household episodes\n"),
        (rl.make_kitchen_env, "boiled_egg", "`boiled_egg` is a name, and no list of orders\n"),
    ],
)
def test_an_environment_is_made_of_loaded_worlds(make: Any, given: Any, words: str) -> None:
    """A name is for `make`, which says the reverse of a loaded world."""
    with pytest.raises(UserError, match=rf"{words}.*hive.rl.make takes a name of `hive list`"):
        make(given, *([0],) * (make is rl.make_crew_env))


@pytest.mark.parametrize(
    ("name", "given"),
    [("rescue/map_7/agents-1", "limit"), ("household/cwah_16", "agents"), ("kitchen_two_orders", "limit")],
)
def test_settings_of_numbers_are_whole(name: str, given: str) -> None:
    """`int` would cut 2.5 to 2 without a word."""
    with pytest.raises(UserError, match=r"not 2\.5"):
        rl.make(name, **{given: 2.5})


def test_a_battle_whose_enemy_has_no_plan_is_described(tmp_path: Path) -> None:
    file = tmp_path / "my.toml"
    file.write_text(FIELD.replace('plan = "enemy.plan"\n', ""))
    assert "no plan: it stands" in rl.describe(str(file))
