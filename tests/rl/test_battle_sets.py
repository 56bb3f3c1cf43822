"""A set of battles as one environment, whose games are those of its battles alone (docs/rules/learning.md 17)."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hive.rl as rl
from dsl import UserError
from hive.cli.learning.set_evaluating import groups_json, set_table
from hive.engine.types import ENEMY, PLAYER, GoalKind
from hive.kit.environment.env import Env
from hive.rl.algorithms import ALGORITHMS
from hive.rl.evaluation import PlayerGames, play_plans, play_plans_of, seeds_of, worlds_of
from hive.rl.registry import task
from hive.rl.settings import Config
from hive.rl.training import Trainer, lanes_of
from hive.worlds.battle.drawn.sets import BattleSet, SetBattle
from hive.worlds.battle.environment.missions import MISSION_SIZE
from hive.worlds.battle.environment.orders import make_orders_env
from hive.worlds.battle.environment.sets import BattleSetEnv, LoadedSet, make_set_env, make_set_orders_env
from hive.worlds.battle.environment.tasks import make_squads_of_set
from hive.worlds.battle.environment.units import _look, make_env
from hive.worlds.battle.world import Battle, load
from tests.hive.skirmish import SMALL_PLAN, skirmish
from tests.lanes import lane_of
from tests.tiers import tiers

MISSIONS: list[dict[str, Any]] = [
    {},
    {"player": "{ positions = [[30, 20], [30, 35]], share = 0.5, type = 'archer' }", "enemy": "{ survive = 50 }"},
    {"player": "{ survive = 40, share = 0.3 }", "enemy": "{ positions = [[3, 3], [8, 20]] }", "units": 7},
]
NEAREST, TICKS = 2, 62
ASKED = (0, 20, 45, 60)  # ticks; survival is asked for up to 40 and 50
KEY = jax.random.key(0)


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> LoadedSet:
    folder = tmp_path_factory.mktemp("battles")
    worlds = []
    for number, mission in enumerate(MISSIONS):
        scenario = skirmish(folder, **mission).scenario
        worlds.append(Battle(replace(scenario, name=f"battle/open/{number}")))
    rows = tuple(SetBattle(f"battle/open/{number}", level=number) for number in range(len(worlds)))
    return LoadedSet(BattleSet("mine/three", "three skirmishes", "0" * 64, rows), tuple(worlds))


@pytest.fixture(scope="module")
def env(loaded: LoadedSet) -> BattleSetEnv:
    return make_set_env(loaded, nearest=NEAREST)


def keys_of(env: BattleSetEnv) -> list[Any]:
    """The key of a game of each battle."""
    keys = jax.random.split(jax.random.key(2), 20)
    drawn = np.asarray(jax.jit(jax.vmap(env.variant))(keys)).tolist()
    return [keys[drawn.index(battle)] for battle in range(len(env.variants))]


@jax.jit
def together(env: BattleSetEnv, keys: Any) -> Any:
    """Games of random available actions: views at the start, then actions, states and timesteps."""

    def one(key: Any) -> Any:
        def on(carry: Any, key: Any) -> Any:
            state, mask = carry
            actions = jax.random.categorical(key, jnp.where(mask, 0.0, -jnp.inf))
            state, timestep = env.step(state, actions)
            return (state, timestep.view.action_mask), (actions, state.game.game, timestep)

        state, view = env.reset(key)
        return view, jax.lax.scan(on, (state, view.action_mask), jax.random.split(key, TICKS))[1]

    return jax.vmap(one)(keys)


@jax.jit
def alone(env: Env, key: Any, actions: Any) -> Any:
    def on(state: Any, actions: Any) -> Any:
        state, timestep = env.step(state, actions)
        return state, (state.game, timestep)

    state, view = env.reset(key)
    return view, jax.lax.scan(on, state, actions)[1]


@pytest.fixture(scope="module")
def games(env: BattleSetEnv) -> Any:
    return jax.device_get(together(env, jnp.stack(keys_of(env))))


@pytest.mark.long
def test_a_game_of_a_set_is_the_game_of_its_battle_alone_to_the_bit(
    env: BattleSetEnv, loaded: LoadedSet, games: Any
) -> None:
    """Observations, masks, rewards, ends and states; agents that the battle does not have are dead and see nothing."""
    plain, own = (partial(make_env, nearest=NEAREST, mission=mission) for mission in (False, True))
    assert len(compare(env, loaded, games, own)) > 1, "the games end in different ways"
    for world in loaded.battles:
        told = own(world).observation_size
        assert plain(world).observation_size + MISSION_SIZE == told == env.observation_size


@pytest.mark.long
def test_squads_of_a_set_play_the_games_of_its_battles_alone(loaded: LoadedSet) -> None:
    """The same for orders, with their missions: of the battle with the fewest units, whose shapes differ most."""
    settings: dict[str, Any] = {"parts": 1, "every": 4, "stride": 8.0, "nearest": 2}
    env = make_set_orders_env(loaded, **settings)
    games = jax.device_get(together(env, jnp.stack(keys_of(env))))
    compare(env, loaded, games, partial(make_orders_env, general=True, **settings), battles=[2])
    with pytest.raises(UserError, match="self-play is not for sets of battles whose squads are given orders"):
        env.against(None)
    with pytest.raises(UserError, match="`every` is 0: it is from 1 to 1000"):
        make_set_orders_env(loaded, every=0)


def compare(
    env: BattleSetEnv, loaded: LoadedSet, games: Any, make: Callable[[Battle], Env], battles: Sequence[int] = range(3)
) -> set[tuple[bool, bool]]:
    """Play the games again in the environment of each battle; returns whether they were won or cut short."""
    first, (actions, states, timesteps) = games
    ends, keys = set(), keys_of(env)
    for battle in battles:
        world, key = loaded.battles[battle], keys[battle]
        own = make(world)
        count, units = own.num_agents, world.params.count
        view, (states_alone, alone_steps) = jax.device_get(alone(own, key, actions[battle][:, :count]))
        views = [(first, view), (timesteps.view, alone_steps.view)]
        for name in ("observation", "action_mask", "alive"):
            for found, wanted in views:
                shown = getattr(found, name)[battle]
                agents = 0 if shown.ndim == getattr(first, name).ndim - 1 else 1
                mine, rest = np.split(shown, [count], axis=agents)
                np.testing.assert_array_equal(mine, getattr(wanted, name), strict=True)
                assert not rest[..., 1:].any() if name == "action_mask" else not rest.any()
        for name in ("terminated", "truncated", "won", "score"):
            np.testing.assert_array_equal(getattr(timesteps, name)[battle], getattr(alone_steps, name), strict=True)
        np.testing.assert_array_equal(timesteps.reward[battle][:, :count], alone_steps.reward, strict=True)
        for name in ("position", "health", "cooldown"):
            rows = getattr(states.state, name)[battle][:, :units]
            np.testing.assert_array_equal(rows, getattr(states_alone.state, name), strict=True)
        assert own.observation_size == env.observation_size and own.action_names == env.action_names
        ends.add((bool(timesteps.won[battle, -1]), bool(timesteps.truncated[battle, -1])))
    return ends


@pytest.mark.slow
def test_squads_of_one_battle_have_the_orders_and_observations_of_a_set() -> None:
    """So a policy of a single battle plays sets, and the other way round (docs/rules/learning.md 17.3)."""
    single, name = rl.make("orders:battle/open/3"), "battle/open/4"
    loaded = LoadedSet(BattleSet("mine/one", "one battle", "0" * 64, (SetBattle(name),)), (load(name),))
    env = make_squads_of_set(loaded, task("orders:battle/open/3"))
    assert env.action_names == single.action_names and env.observation_size == single.observation_size
    assert task("orders:battle/open/3-v1").name == "orders:battle/open/3"
    for wrong, words in (
        ("orders:", "after `orders:` comes a battle or a set of battles"),
        ("orders:nope", "there is no task `orders:nope`"),
        ("orders:kitchen_two_orders", "it is no battle"),
        ("orders:orders_20v20", "its agents are squads already"),
    ):
        with pytest.raises(UserError, match=words):
            task(wrong)


@jax.jit
def seen(env: BattleSetEnv, states: Any) -> Any:
    """What units observe in some states of each battle."""

    def one(battle: Any, state: Any) -> Any:
        own: Any = env.of(battle)
        return _look(own, state, own.own)[0].observation

    battles = jnp.arange(len(env.variants), dtype=jnp.int32)
    return jax.vmap(jax.vmap(one, (None, 0)))(battles, states)


def states_of(env: BattleSetEnv, loaded: LoadedSet) -> Any:
    """The first state of each battle, with other ticks, the units anywhere on dry ground, and some of them dead."""
    random = np.random.default_rng(0)
    keys = jnp.stack(keys_of(env))
    begun = jax.device_get(jax.jit(jax.vmap(lambda key: env.reset(key)[0].game.game.state))(keys))
    state = jax.tree.map(lambda leaf: np.repeat(leaf[:, None], len(ASKED), axis=1), begun)
    place = np.array(state.position)
    for battle, world in enumerate(loaded.battles):
        free = np.argwhere((world.kind & 3) == 0)
        place[battle] = free[random.integers(len(free), size=place.shape[1:3])] + random.random(place.shape[1:])
    health = np.where(random.random(state.health.shape) < 0.7, state.health, np.float32(0))
    ticks = np.broadcast_to(np.array(ASKED, np.int32), state.tick.shape)
    return state.replace(position=place.astype(np.float32), health=health, tick=ticks)


@pytest.mark.slow
def test_units_are_told_their_mission(env: BattleSetEnv, loaded: LoadedSet) -> None:
    """docs/rules/learning.md 17.2, against plain Python, for every living unit of some states."""
    states = states_of(env, loaded)
    observed = np.asarray(seen(env, states))
    for battle, world in enumerate(loaded.battles):
        params, goals = world.params, world.params.goals
        side, kind = np.asarray(params.units.side), np.asarray(params.units.type)
        steps = walked(world.kind, targets_of(world))
        for at_once, now in enumerate(ASKED):
            state = lane_of(states, (battle, at_once))
            numbers = observed[battle, at_once][:, -MISSION_SIZE:]
            who = [row for row in range(len(side)) if side[row] == PLAYER and counts(goals, kind[row])]
            for row in np.flatnonzero(side == PLAYER):
                if state.health[row] <= 0:
                    assert not numbers[row].any()
                    continue
                at = state.position[row]
                x, y = at.astype(int)
                left = [int(goals.until[each]) if goals.kind[each] == 2 else world.limit for each in (PLAYER, ENEMY)]
                places = np.asarray(goals.place[PLAYER])
                close = goals.kind[PLAYER] == 1 and np.hypot(*(places - at).T).min() <= float(params.rules.goal_radius)
                wanted = [
                    *(float(goals.kind[PLAYER] == each) for each in GoalKind),
                    *(float(goals.kind[ENEMY] == each) for each in GoalKind),
                    int(goals.needed[PLAYER]) / len(who),
                    sum(state.health[each] > 0 for each in who) / len(who),
                    numbers[row][8],  # how much is reached: `hive.engine.objective`, which has an oracle of its own
                    max(0, left[PLAYER] - now) / world.limit,
                    max(0, left[ENEMY] - now) / world.limit if goals.kind[ENEMY] == 2 else 0.0,
                    float(row in who),
                    float(close),
                ]
                np.testing.assert_allclose(numbers[row][:13], wanted, atol=1e-6)
                far = steps[x, y]
                assert numbers[row][15] == pytest.approx(far / (far + 15))
                if far:
                    ahead = np.sign(numbers[row][13:15]).astype(int)
                    assert steps[x + ahead[0], y + ahead[1]] == far - np.abs(ahead).sum()
                if goals.kind[ENEMY] == 1:
                    theirs = np.asarray(goals.place[ENEMY])
                    way = theirs[np.abs(theirs - at).sum(1).argmin()] - at
                    np.testing.assert_allclose(numbers[row][16:], way / (np.hypot(*way) + 15), atol=1e-5)
                else:
                    assert not numbers[row][16:].any()


def counts(goals: Any, kind: int) -> bool:
    return int(goals.type[PLAYER]) in (-1, kind)


def targets_of(world: Any) -> list[tuple[int, int]]:
    goals = world.params.goals
    if goals.kind[PLAYER] == GoalKind.POSITION:
        return [tuple(place) for place in np.asarray(goals.place[PLAYER]).astype(int).tolist()]
    return [tuple(np.asarray(make_env(world, nearest=NEAREST).own.goal).astype(int).tolist())]  # type: ignore[list-item]


def walked(kind: np.ndarray, targets: list[tuple[int, int]]) -> np.ndarray:
    """Steps to the nearest target over cells without water and buildings, breadth first."""
    steps = np.full(kind.shape, kind.size)
    queue = deque(targets)
    for target in targets:
        steps[target] = 0
    while queue:
        x, y = queue.popleft()
        for east, north in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            near = x + east, y + north
            inside = 0 <= near[0] < len(kind) and 0 <= near[1] < len(kind)
            if inside and not kind[near] & 3 and steps[near] > steps[x, y] + 1:
                steps[near] = steps[x, y] + 1
                queue.append(near)
    return steps


@pytest.mark.long
def test_a_set_keeps_the_contract_of_environments(env: BattleSetEnv) -> None:
    """Batches, ends, masks and ranges, as for every environment."""
    assert rl.check(env, games=3) == []


def test_each_battle_is_drawn_as_often_as_the_others(env: BattleSetEnv) -> None:
    """The key of a game draws its battle (docs/rules/learning.md 17.1)."""
    drawn = np.asarray(jax.jit(jax.vmap(env.variant))(jax.random.split(jax.random.key(0), 3000)))
    share = np.bincount(drawn, minlength=3) / len(drawn)
    assert abs(share - 1 / 3).max() < 0.05 and len(share) == len(env.variants)


def test_maps_of_different_sides_are_no_environment(loaded: LoadedSet, tmp_path: Path) -> None:
    """One program has maps of one size; the message says what to do."""
    (tmp_path / "small.toml").write_text(
        'version = 1\ntitle = "Small"\nsummary = "a small map"\n[map]\nsize = 20\n'
        '[player]\nunits = [{ type = "archer", count = 2, box = [0.1, 0.1, 0.3, 0.3] }]\n'
        '[enemy]\nunits = [{ type = "archer", count = 2, box = [0.6, 0.6, 0.3, 0.3] }]\n'
    )
    with pytest.raises(UserError, match="20 and 40 m"):
        make_set_env(replace(loaded, battles=(*loaded.battles, load(tmp_path / "small.toml"))))


def test_an_evaluation_gives_each_battle_as_many_games(env: BattleSetEnv) -> None:
    """Seeds follow each other, and those of battles that have their games are passed over (rules, 17.1)."""
    seeds = seeds_of(env, 1000, 8)
    assert sorted(Counter(worlds_of(env, seeds)).values()) == [2, 3, 3] and seeds == sorted(set(seeds))
    assert seeds_of(jax.jit(BattleSetEnv.of)(env, jnp.int32(0)), 7, 3) == [7, 8, 9], "an environment of one battle"


@pytest.mark.long
def test_plans_of_many_battles_play_the_games_of_the_same_seeds(env: BattleSetEnv, loaded: LoadedSet) -> None:
    """In one batch as in each battle alone, in the order of the games."""
    worlds = {name: battle for name, battle in zip(env.variants, loaded.battles, strict=True)}
    seeds = seeds_of(env, 0, 5)
    drawn = worlds_of(env, seeds)
    (found,) = play_plans_of(worlds, {"a plan": dict.fromkeys(worlds, SMALL_PLAN)}, seeds, drawn)
    for seed, name, *game in zip(seeds, drawn, found.won, found.score, found.ticks, strict=True):
        (alone,) = play_plans(worlds[name], {"a plan": SMALL_PLAN}, [seed])
        assert game == [alone.won[0], alone.score[0], alone.ticks[0]]
    assert found.json()["results"][0]["world"] == drawn[0]


def test_results_are_shown_by_class_and_level() -> None:
    """Of each group the share of its own games; battles whose level is not known are in their class alone."""
    rows = (SetBattle("battle/open/1", 0), SetBattle("battle/open/2"), SetBattle("battle/towns/3", 2))
    loaded = LoadedSet(BattleSet("mine/three", "three battles", "0" * 64, rows), ())
    names = tuple(row.name for row in rows for _ in range(2))
    won = np.array([True, False, True, True, False, False])
    played = PlayerGames("a policy", np.arange(6), won, won.astype(float), np.ones(6, int), names)
    shares = {group: each["share"] for group, each in groups_json(loaded, played).items()}
    assert shares == {"open": 0.75, "towns": 0.0, "level 0": 0.5, "level 2": 0.0}
    assert "a policy" in set_table(loaded, [played]) and "75%" in set_table(loaded, [played])


@pytest.mark.parametrize("algorithm", tiers(["ippo", "mappo", "selfplay"]))
def test_all_algorithms_take_a_set(env: BattleSetEnv, algorithm: str) -> None:
    """Shapes alone: a critic that reads the global state, and policies on the enemy's side, with their missions."""
    config = Config(num_envs=4, num_steps=2, num_minibatches=2, width=8, **ALGORITHMS[algorithm].settings)
    trainer = Trainer(env, algorithm, config, lanes_of([0], {}))
    update = partial(trainer.module.update, env, config)
    runner = jax.tree.map(lambda leaf: jax.ShapeDtypeStruct(leaf.shape[1:], leaf.dtype), trainer.form())
    after, _ = jax.eval_shape(update, runner)
    assert jax.tree.structure(after) == jax.tree.structure(runner)


@pytest.mark.long
def test_agents_that_a_battle_lacks_are_not_in_its_parallel_game(env: BattleSetEnv, loaded: LoadedSet) -> None:
    """The view of PettingZoo names those that are in the game from the start."""
    pytest.importorskip("pettingzoo", reason="the extra rl is not installed")
    from hive.rl.views.pettingzoo import ParallelView

    view = ParallelView(env)
    sizes = dict(zip(env.variants, (battle.sizes[PLAYER] for battle in loaded.battles), strict=True))
    drawn = worlds_of(env, range(20))
    for name, size in sizes.items():
        seen, _ = view.reset(seed=drawn.index(name))
        assert view.agents == view.possible_agents[:size] and [*seen] == view.agents
    _, rewards, *_ = view.step(dict.fromkeys(view.agents, 1))
    assert len(rewards) == size


@pytest.mark.long
def test_a_set_is_an_environment_of_jaxmarl(env: BattleSetEnv) -> None:
    """Shapes alone: an agent that a battle lacks is done from the start."""
    pytest.importorskip("jaxmarl", reason="the extra rl is not installed")
    from hive.rl.views.jaxmarl import MultiAgentView

    view = MultiAgentView(env)
    seen, state = jax.eval_shape(view.reset, KEY)
    after = jax.eval_shape(view.step, KEY, state, dict.fromkeys(view.agents, jnp.int32(0)))
    assert len(view.agents) == env.num_agents and after[0].keys() == seen.keys()
    assert seen["world_state"].shape == (view.state_size,)
