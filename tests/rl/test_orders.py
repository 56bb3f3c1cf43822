"""Orders for squads, and policies as opponents, keep to their rules (docs/rules/learning.md 11, 12)."""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import linen as nn

import hive
import hive.rl as rl
from dsl import UserError
from hive.engine.types import ENEMY, OUTCOMES, PLAYER, Outcome
from hive.experiments.league import entering
from hive.experiments.league.entering import Entrant
from hive.experiments.league.entries import enter
from hive.experiments.league.games import Fixture
from hive.ground.lines import SAMPLES
from hive.kit.environment.rivals import Rival, make_rival
from hive.rl import selfplay
from hive.rl.evaluation import record, replay_states
from hive.rl.policies import POLICIES
from hive.rl.settings import Config
from hive.worlds.battle.environment.orders import OrdersEnv, make_orders_env
from hive.worlds.battle.environment.squads import KEEP, SquadChoice, choose, trees_of
from hive.worlds.battle.environment.survey import survey
from hive.worlds.battle.world import Battle, load
from tests.lanes import lane_of

SIZE, LIMIT, EVERY = 25, 30, 4
FIELD = """\
version = 1
title = "Field"
summary = "two equal armies on a map that is its own mirror image, with a wood"
[map]
size = 25
shapes = [{ terrain = "forest", box = [10, 10, 15, 15] }]
[rules]
limit = 30
[player]
units = [
  { type = "spearmen", count = 4, box = [0.2, 0.08, 0.6, 0.2] },
  { type = "archer", count = 3, box = [0.2, 0.08, 0.6, 0.2] },
]
[enemy]
plan = "enemy.plan"
units = [
  { type = "spearmen", count = 4, box = [0.2, 0.72, 0.6, 0.2] },
  { type = "archer", count = 3, box = [0.2, 0.72, 0.6, 0.2] },
]
"""
PLAN = """\
Step 0:
prerequisites: []
objective: elimination all
units: all
- target position: ({}, {})
- behavior: {}
"""
SETTINGS: dict[str, Any] = {"parts": 2, "every": EVERY, "stride": 5.0, "nearest": 2}
KEY = jax.random.key(3)

reset, step = jax.jit(rl.reset), jax.jit(rl.step)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Battle:
    folder = tmp_path_factory.mktemp("field")
    (folder / "field.toml").write_text(FIELD)
    (folder / "enemy.plan").write_text(PLAN.format(12, 4, "attack_in_close_range"))
    return load(folder / "field.toml")


@pytest.fixture(scope="module")
def env(world: Battle) -> OrdersEnv:
    return make_orders_env(world, **SETTINGS)


class Always(nn.Module):
    """A policy that nearly always takes the action which its only parameter names."""

    num_actions: int

    def initial_memory(self, agents: int) -> Any:
        return ()

    @nn.compact
    def __call__(self, memory: Any, observation: Any, action_mask: Any, starts: Any) -> Any:
        choice = self.param("choice", lambda _: jnp.float32(0.0))
        logits = jnp.where(jnp.arange(self.num_actions) == choice.astype(jnp.int32), 1e6, 0.0)
        return memory, jnp.where(action_mask, logits, -1e9)


def always(env: OrdersEnv, *choices: int) -> Rival:
    return make_rival(Always(env.num_actions), *({"params": {"choice": jnp.float32(each)}} for each in choices))


def row_of(env: OrdersEnv, behaviour: str, way: str | None, *types: str) -> int:
    return env.squads.rows.index(SquadChoice(behaviour, way, types))


def random_game(env: OrdersEnv) -> list[tuple[Any, Any, Any, np.ndarray]]:
    """States before and after each step, timesteps and choices of a game of random choices."""
    random = np.random.default_rng(1)
    play, _ = reset(env, KEY)
    game = []
    for _ in range(env.max_steps + 1):
        actions = random.integers(0, env.num_actions, env.num_agents).astype(np.int32)
        actions[random.random(env.num_agents) < 0.3] = KEEP
        before = play
        play, timestep = step(env, play, actions)
        game.append((before, play, timestep, actions))
    return game


@pytest.fixture(scope="module")
def game(env: OrdersEnv) -> list[tuple[Any, Any, Any, np.ndarray]]:
    return random_game(env)


@pytest.mark.long
def test_orders_keep_the_contract(env: OrdersEnv) -> None:
    assert rl.check(env, games=3, steps=env.max_steps + 2) == []


@pytest.mark.long
def test_orders_keep_the_contract_against_policies(world: Battle, env: OrdersEnv) -> None:
    rival = always(env, row_of(env, "attack_and_move", "goal", "any"), row_of(env, "stand", None))
    assert rl.check(make_orders_env(world, rival=rival, **SETTINGS), games=3) == []


def test_squads_divide_a_side_by_type(env: OrdersEnv) -> None:
    """docs/rules/learning.md 11.1: consecutive ids, nearly equal sizes."""
    member, side = np.asarray(env.squads.member), np.asarray(env.params.units.side)
    assert [np.flatnonzero(row).tolist() for row in member] == [[0, 1], [2, 3], [4], [5, 6]]
    assert (member.sum(0) == (side == PLAYER)).all() and env.num_agents == 4
    assert np.asarray(env.squads.kind).tolist() == [0, 0, 1, 1]


def test_the_table_lists_trees_types_and_waypoints(env: OrdersEnv) -> None:
    """docs/rules/learning.md 11.2."""
    rows = env.squads.rows
    assert rows[KEEP] == SquadChoice(None) and len(set(rows)) == len(rows) == env.num_actions
    assert rows[1] == SquadChoice("attack_in_close_range", "here", ("any",))
    assert rows[2:4] == (
        SquadChoice("attack_in_close_range", "east", ("any",)),
        SquadChoice("attack_in_close_range", "north-east", ("any",)),
    )
    count = {name: sum(row.behaviour == name for row in rows) for name in {row.behaviour for row in rows[1:]}}
    assert count == {
        "attack_in_close_range": 30,  # any, spearmen, archer, each with ten waypoints
        "attack_in_long_range": 30,
        "attack_and_move": 30,
        "follow_map": 10,
        "stand": 1,
    }


def test_a_number_that_is_no_choice_keeps_the_order(env: OrdersEnv) -> None:
    """docs/rules/learning.md 11.2."""
    play, _ = reset(env, KEY)
    order, last = play.order, row_of(env, "attack_and_move", "goal", "any")
    choosing = jax.jit(choose)
    for number in (last, -1, env.num_actions):
        before, order = order, choosing(env.params, env.squads, play.game.state, order, np.full(4, number, np.int32))
        same = jax.tree.map(np.array_equal, before, order)
        assert jax.tree.all(same) == (number != last)


@pytest.mark.slow
def test_choices_become_the_orders_of_the_engine(world: Battle, env: OrdersEnv, game: list[Any]) -> None:
    """docs/rules/learning.md 11.2: a waypoint is the place of the grid next to the middle of the squad."""
    names = trees_of(world)
    compass = {"east": (1, 0), "north": (0, 1), "west": (-1, 0), "south": (0, -1)}
    kept = gone = 0
    for before, after, _, actions in game:
        if before.game.outcome != Outcome.RUNNING:
            continue
        alive, at = np.asarray(before.game.state.alive), np.asarray(before.game.state.position)
        for squad, action in enumerate(actions):
            old, new = (
                [int(leaf[squad]) for leaf in (play.order.tree, play.order.types, play.order.target)]
                for play in (before, after)
            )
            row, mine = env.squads.rows[action], np.asarray(env.squads.member)[squad] & alive
            if row.behaviour is None or not mine.any():
                assert old == new
                kept += 1
                continue
            tree, types, target = new
            assert names[tree] == row.behaviour
            assert types == {(): 255, ("any",): 255, ("spearmen",): 1, ("archer",): 2}[row.types]
            if row.way == "goal":
                assert target == 25
            elif row.way is not None:
                here = np.floor(at[mine].mean(0) / 5).astype(int)
                way = sum((np.array(compass[each]) for each in row.way.split("-") if each != "here"), np.zeros(2, int))
                assert (target // 5, target % 5) == tuple(np.clip(here + way, 0, 4))
                gone += 1
    assert kept > 5 and gone > 5


@pytest.mark.slow
def test_squads_observe_what_their_units_see(env: OrdersEnv, game: list[Any]) -> None:
    """docs/rules/learning.md 11.3, against plain Python, for every squad and step."""
    params = env.params
    side, kind = np.asarray(params.units.side), np.asarray(params.units.type)
    full, goal = np.asarray(params.types.max_health)[kind], np.asarray(env.squads.goal)
    places = np.array([[5 * x + 2.5, 5 * y + 2.5] for x in range(5) for y in range(5)] + [goal.tolist()])
    foes_seen = 0
    for _, after, timestep, _ in game:
        state, shown = after.game.state, np.asarray(timestep.view.observation)
        at, health = np.asarray(state.position), np.asarray(state.health)
        alive = health > 0
        squads = [np.flatnonzero(row & alive) for row in np.asarray(env.squads.member)]
        middle = [at[own].mean(0) if len(own) else np.zeros(2) for own in squads]
        size = np.asarray(env.squads.member).sum(1)
        for squad, own in enumerate(squads):
            rest, here = iter(shown[squad].tolist()), middle[squad]

            def take(*wanted: float, rest: Any = rest) -> None:
                np.testing.assert_allclose([next(rest) for _ in wanted], wanted, atol=3e-3)

            if not len(own):
                assert not any(rest) and not timestep.view.alive[squad]
                assert timestep.view.action_mask[squad].tolist() == [True] + [False] * (env.num_actions - 1)
                continue
            assert timestep.view.alive[squad] and timestep.view.action_mask[squad].all()
            nearest = [nearest_of_each_type(unit, at, alive, side, kind) for unit in own]
            flags = [float(kind[own[0]] == each) for each in range(6)]
            take(len(own) / size[squad], (health[own] / full[own]).mean(), *flags)
            take(*(2 * here / SIZE - 1))
            take(*bounded(goal - here))
            spread = np.abs(at[own] - here).sum(1).mean()
            take(spread / (spread + 15))
            take(np.mean([bool(found) for found in nearest]))
            take((np.asarray(state.cooldown)[own] <= 0).mean(), np.mean([in_wood(at[unit]) for unit in own]))
            take(sum(map(len, squads)) / size.sum(), int(state.tick) / LIMIT)
            take(*(float(after.order.tree[squad] == each) for each in range(8)))
            take(*bounded(places[int(after.order.target[squad])] - here))
            others = [other for other in range(len(squads)) if other != squad and len(squads[other])]
            others.sort(key=lambda other: ((middle[other] - here) ** 2).sum())
            for other in others[:2]:
                of = [float(kind[squads[other][0]] == each) for each in range(6)]
                take(1, *bounded(middle[other] - here), len(squads[other]) / size[other], *of)
            take(*[0.0] * (10 * (2 - len(others[:2]))))
            for each in range(6):
                foes = sorted({found[each] for found in nearest if each in found})
                if not foes:
                    take(0, 0, 0, 0)
                    continue
                away = bounded(at[foes].mean(0) - here)
                take(len(foes) / (len(foes) + len(own)), *away, (health[foes] / full[foes]).mean())
                foes_seen += 1
            assert next(rest, None) is None
    assert foes_seen > 10


def bounded(way: np.ndarray) -> np.ndarray:
    return way / (np.hypot(*way) + 15)


def in_wood(*points: np.ndarray) -> bool:
    return any((np.trunc(point) >= 10).all() and (np.trunc(point) < 15).all() for point in points)


def nearest_of_each_type(unit: int, at: np.ndarray, alive: np.ndarray, side: np.ndarray, kind: np.ndarray) -> dict:
    """The nearest enemy of each type that a unit sees."""
    seen = [
        other
        for other in np.flatnonzero(alive & (side != side[unit]))
        if np.hypot(*(at[other] - at[unit])) <= 15 and not in_wood(*np.linspace(at[unit], at[other], SAMPLES))
    ]
    seen.sort(key=lambda other: -((at[other] - at[unit]) ** 2).sum())
    return {int(kind[other]): int(other) for other in seen}


@pytest.mark.parametrize(
    "learner",
    [pytest.param("player", marks=pytest.mark.slow)]
    + [pytest.param(each, marks=pytest.mark.long) for each in ("player against a policy", "enemy")],
)
def test_orders_are_those_of_a_plan(learner: str, world: Battle, env: OrdersEnv) -> None:
    """The same order in every step is a plan: squads on either side, and a rival's, play its game bit for bit."""
    for behaviour in ("attack_in_close_range", "follow_map"):
        aims = ("any",) if behaviour.startswith("attack") else ()
        goals = [np.asarray(make_orders_env(world, side=side, **SETTINGS).squads.goal) for side in (PLAYER, ENEMY)]
        mine, theirs = (
            hive.read_plan(PLAN.format(*goal.astype(int), behaviour), world, side=side)
            for side, goal in enumerate(goals)
        )
        wanted = jax.jit(hive.rollout)(world.params.replace(enemy=theirs), mine, KEY)
        choice = row_of(env, behaviour, "goal", *aims)
        against: dict[str, Any] = {
            "player": {"plan": theirs},
            "player against a policy": {"rival": always(env, choice)},
            "enemy": {"side": ENEMY, "plan": mine},
        }
        facing = make_orders_env(world, **against[learner], **SETTINGS)
        play, _ = reset(facing, KEY)
        for _ in range(facing.max_steps):
            play, timestep = step(facing, play, jnp.full(facing.num_agents, choice, jnp.int32))
        for name in ("position", "health", "tick"):
            np.testing.assert_array_equal(
                getattr(play.game.state, name), getattr(wanted.game.state, name), f"{behaviour} {name}"
            )
        assert play.game.outcome == wanted.outcome
        winner = Outcome.WIN if facing.squads.side == PLAYER else Outcome.LOSE
        assert bool(timestep.won) == (wanted.outcome == winner)


@pytest.mark.long
def test_a_game_of_orders_is_recorded_tick_by_tick(world: Battle, env: OrdersEnv) -> None:
    """Every tick up to the end, though a step has four; the frames after each step are its states."""
    assert env.recordable
    recording = record(env, world, POLICIES["random"], 5, "a game")
    plays, _, steps = replay_states(env, POLICIES["random"], 5)
    ticks = np.asarray(plays.game.state.tick)
    last = int(ticks[steps])
    assert recording.tick.tolist() == list(range(last + 1)) and last % EVERY, "the game ends within a step"
    for number in range(steps + 1):
        np.testing.assert_array_equal(recording.position[ticks[number]], plays.game.state.position[number])
    assert (recording.attack >= 0).any()
    assert recording.course is not None
    assert recording.course.outcome == OUTCOMES[int(plays.game.outcome[steps])] != "running"


@pytest.mark.slow
def test_both_sides_see_the_map_alike(world: Battle, env: OrdersEnv, game: list[Any]) -> None:
    """docs/rules/learning.md 11.4: mirrored, with the sides exchanged, a state looks the same from the other side."""
    other = make_orders_env(world, side=ENEMY, **SETTINGS)
    look = jax.jit(partial(survey, nearest=2))
    swap = np.r_[7:14, 0:7]
    for _, after, timestep, _ in game[:4]:
        state, target = after.game.state, np.asarray(after.order.target)
        turned, health, cooldown = (np.array(each)[swap] for each in (state.position, state.health, state.cooldown))
        turned[:, 1] = SIZE - turned[:, 1]
        mirrored = state.replace(position=turned, health=health, cooldown=cooldown)
        order = after.order.replace(
            target=np.where(target == 25, 25, target // 5 * 5 + 4 - target % 5).astype(np.int32)
        )
        shown = look(other.params, other.squads, mirrored, order).observation
        own_goal = slice(10, 12)  # goals are middles of cells, whose mirror images lie 1 m off
        away = np.abs(np.asarray(shown) - np.asarray(timestep.view.observation))
        assert away[:, own_goal].max() < 0.05
        away[:, own_goal] = 0
        np.testing.assert_allclose(away[np.asarray(order.target) != 25], 0, atol=2e-3)


@pytest.mark.long
def test_units_of_a_rival_keep_the_contract(world: Battle) -> None:
    """The pool of a `BattleEnv` moves single units; both policies of the pool are drawn."""
    plain = rl.make_env(world, nearest=2)
    rival = make_rival(Always(plain.num_actions), *({"params": {"choice": jnp.float32(each)}} for each in (0, 7)))
    env = rl.make_env(world, nearest=2, rival=rival)
    assert rl.check(env, games=3) == []
    south = set()
    for seed in range(6):
        play, _ = reset(env, jax.random.key(seed))
        after, _ = step(env, play, jnp.zeros(env.num_agents, jnp.int32))
        moved = np.asarray(after.game.state.position - play.game.state.position)[7:]
        # action 7 is south, hence north for the enemy, whose view is mirrored; jitter is 0.1 m
        south.add(bool(moved[:4, 1].mean() > 0.5))
    assert south == {False, True}


@pytest.mark.long
def test_the_pool_of_self_play_holds_the_past(env: OrdersEnv) -> None:
    """docs/rules/learning.md 12.2: room for three, an entry every second update, the oldest one leaves."""
    config = Config(
        total_timesteps=6 * 4 * 4, num_envs=4, num_steps=4, width=8, num_minibatches=1, update_epochs=1, pool=3, entry=2
    )
    runner = jax.jit(partial(selfplay.begin, env, config))(KEY)
    assert runner.pool.count == 1
    update = jax.jit(partial(selfplay.update, env, config))
    for _ in range(6):
        runner, report = update(runner)
        assert report.finite
    params, pool = runner.params, runner.pool
    assert pool.count == 3
    slots = [lane_of(pool.weights, slot) for slot in range(3)]
    same = [[jax.tree.all(jax.tree.map(np.array_equal, one, other)) for other in (*slots, params)] for one in slots]
    # entries after the updates 2, 4 and 6 took the slots 1, 2 and 0, so the last one is in slot 0
    assert same == [[True, False, False, True], [False, True, False, False], [False, False, True, False]]


def test_one_program_serves_all_plans_in_a_seat(world: Battle, env: OrdersEnv, monkeypatch: pytest.MonkeyPatch) -> None:
    """Plans of other capacities than the first one compile nothing (docs/rules/learning.md 12.3)."""
    short = PLAN.format(12, 20, "attack_in_close_range")
    long = short + "\n" + PLAN.format(6, 12, "follow_map").replace("Step 0", "Step 1").replace("[]", "[0]")
    long += "\n" + PLAN.format(3, 9, "attack_and_move").replace("Step 0", "Step 2").replace("[]", "[1]")
    entries, left = enter([("short", short), ("long", long)], world)
    assert not left
    forms: list[Any] = []

    def note(env: OrdersEnv, policy: Any, seeds: range, read: Any) -> Any:
        given = jax.tree.map(jax.typeof, (env, policy))
        forms.append((jax.tree.structure(given), jax.tree.leaves(given)))
        return np.ones(1, np.int32), np.ones(1, np.int32), np.ones((1, 2, 6), np.int32)

    monkeypatch.setattr(entering, "play_games", note)
    policy = always(env, 1)
    told: list[int] = []
    others = [(number, entry.plan) for number, entry in enumerate(entries, 1)]
    assert len(Entrant(world, policy, SETTINGS).games(0, others, range(1), progress=told.append)) == 4
    assert told == [1, 2, 3, 4] and forms[0] == forms[1] and forms[2] == forms[3]


@pytest.mark.long
def test_a_policy_in_the_league_plays_as_a_plan_would(world: Battle, env: OrdersEnv) -> None:
    """A policy that always gives one order has the games of the plan with that order, in both seats.

    That holds against plans, and against a policy that gives the same order as a plan would.
    """
    texts = [
        ("goal", PLAN.format(12, 20, "attack_in_close_range")),
        ("other", PLAN.format(6, 12, "attack_and_move")),
    ]
    entries, left = enter(texts, world)
    assert not left
    plans, seeds = [entry.plan for entry in entries], range(3)
    fixture = Fixture(world, plans, seeds)
    wanted = [game for number in range(len(fixture.batches)) for game in fixture.play(number)]
    policy = always(env, row_of(env, "attack_in_close_range", "goal", "any"))
    found = Entrant(world, policy, SETTINGS).games(0, [(1, plans[1])], seeds)
    assert sorted(map(str, found)) == sorted(map(str, wanted))
    fixture = Fixture(world, [plans[0], plans[0]], seeds)
    wanted = [game for number in range(len(fixture.batches)) for game in fixture.play(number)]
    one, other = (Entrant(world, policy, SETTINGS) for _ in range(2))
    assert sorted(map(str, one.games_against(0, 1, other, seeds))) == sorted(map(str, wanted))
    with pytest.raises(UserError, match="with the same orders and ticks of a step"):
        one.games_against(0, 1, Entrant(world, policy, {**SETTINGS, "every": 2}), seeds)


def test_a_side_that_cannot_be_ordered_says_why(tmp_path: Path) -> None:
    (tmp_path / "field.toml").write_text("count = 1".join(FIELD.rsplit("count = 3", 1)))  # of the enemy's archers
    (tmp_path / "enemy.plan").write_text(PLAN.format(12, 4, "attack_in_close_range"))
    env = make_orders_env(load(tmp_path / "field.toml"), **SETTINGS)
    with pytest.raises(UserError, match=r"side cannot be ordered: 1 archer are too few for 2 squads\n  = help"):
        env.against(always(env, 0))


def test_wrong_settings_get_a_hint(world: Battle) -> None:
    for wrong, words in (
        ({"parts": 4}, "3 archer are too few for 4 squads"),
        ({"every": 0}, "`every` is 0: it is a whole number from 1 to 1000"),
        ({"every": 2.5}, "`every` is 2.5: it is a whole number"),
        ({"parts": 1.5}, "`parts` is 1.5: it is a whole number"),
        ({"nearest": "3"}, "`nearest` is 3: it is a whole number"),
        ({"stride": math.nan}, "`stride` is nan m: it is at least 1"),
        ({"stride": math.inf}, "`stride` is inf m: it is at least 1, and finite"),
        ({"side": -1}, "`side` is -1: it is 0, the player's, or 1, the enemy's"),
        ({"plan": "BEGIN PLAN"}, "`plan` is a str, and no compiled plan\n  = help: .*read_plan"),
        ({"stride": 0.5}, "`stride` is 0.5 m: it is at least 1"),
        ({"behaviours": ("cut",)}, "cannot be ordered `cut`"),
    ):
        with pytest.raises(UserError, match=words):
            make_orders_env(world, **wrong)
    level: Any = hive.load("wildfire/suppress_contain")
    with pytest.raises(UserError, match="is no battle"):
        make_orders_env(level)
    with pytest.raises(UserError, match=r"`duel` is a name, and no battle\n  = help: hive.rl.make takes"):
        make_orders_env("duel")  # type: ignore[arg-type]


@pytest.mark.long
def test_a_policy_for_twenty_units_reads_the_observations_of_thousands() -> None:
    few, many = rl.make("orders_20v20"), rl.make("orders_20v20", units=2000)
    assert (few.num_agents, few.observation_size, few.num_actions) == (
        many.num_agents,
        many.observation_size,
        many.num_actions,
    )
    assert (few.params.count, many.params.count) == (40, 4000)
