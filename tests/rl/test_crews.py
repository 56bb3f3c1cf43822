"""Environments of crews keep to their rules (docs/rules/learning.md)."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hive
import hive.rl as rl
from dsl import UserError
from hive.engine.types import CrewType, Outcome
from hive.kit.environment.env import STAND
from hive.rl.evaluation import play_policy
from hive.rl.registry import load_world, tasks
from hive.worlds.battle.environment.units import DIRECTION_NAMES
from hive.worlds.wildfire.environment.actions import along_rings, choices
from hive.worlds.wildfire.environment.crews import CrewEnv, make_crew_env, training_seeds
from hive.worlds.wildfire.environment.scripted import scripted
from hive.worlds.wildfire.levels import levels
from hive.worlds.wildfire.world import load_level

SEEDS = (3, 4, 5)
TICKS = 24
KEY = jax.random.key(1)


pytestmark = pytest.mark.slow  # one program plays nearly all of it, and is most of the work


@pytest.fixture(scope="module")
def cutting() -> CrewEnv:
    """Two firefighters on maps of 20 x 20 cells; an observation lists four of the six targets."""
    world = load_level("cut_trees_sparse_small", size=20, firefighters=2, limit=22)
    return make_crew_env(world, SEEDS, nearest=4)


@jax.jit
def play(env: CrewEnv, key: Any, wishes: Any, masked: Any) -> Any:
    """Play a game: each unit takes the available action that it wishes most, or any where the tick is not `masked`."""

    def on(carry: Any, asked: Any) -> Any:
        play, view = carry
        wish, mask = asked
        action = jnp.where(view.action_mask | ~mask, wish, -1.0).argmax(-1).astype(jnp.int32)
        after, timestep = rl.step(env, play, action)
        return (after, timestep.view), (play, view, action, after, timestep)

    return jax.lax.scan(on, rl.reset(env, key), (wishes, masked))[1]


points_of = jax.jit(CrewEnv.points)


def game_of(env: CrewEnv, order: list[str], masked: bool = True, random: int | None = None) -> Any:
    """Play with the same order of wishes in all ticks, the best first, or with random ones."""
    words = [choice.words for choice in env.choices]
    wishes = np.zeros((TICKS, env.num_agents, env.num_actions), np.float32)
    for place, wish in enumerate(order):
        wishes[..., words.index(wish)] = len(order) - place
    if random is not None:
        wishes = np.random.default_rng(random).random(wishes.shape, np.float32)
    return jax.device_get(play(env, KEY, wishes, np.full(TICKS, masked)))


@pytest.fixture(scope="module")
def won(cutting: CrewEnv) -> Any:
    """The game of units that go to the nearest target and cut there."""
    return game_of(cutting, ["go to target 1", "cut a tree here"])


@pytest.fixture(scope="module")
def wandering(cutting: CrewEnv) -> Any:
    """A game of random actions, unavailable ones included."""
    return game_of(cutting, [], masked=False, random=0)


def at(tree: Any, tick: int) -> Any:
    return jax.tree.map(lambda leaf: leaf[tick], tree)


@pytest.mark.long
def test_units_that_go_to_the_nearest_target_and_cut_there_win(cutting: CrewEnv, won: Any) -> None:
    """docs/rules/learning.md 6, 9, 10: rewards add up to the points and the win, and nothing happens after the end."""
    _, _, _, after, timestep = won
    last = int(timestep.terminated.argmax())
    assert 5 < last < TICKS - 2 and not timestep.truncated.any()
    assert after.game.outcome[last] == Outcome.WIN
    assert int(points_of(cutting, at(after, last))) == 18
    np.testing.assert_array_equal(timestep.won, timestep.terminated)
    np.testing.assert_allclose(timestep.reward[: last + 1, 0].sum(), 2.0, rtol=1e-5)
    assert timestep.score[last] == 1 and (timestep.reward[last + 1 :] == 0).all()
    for leaf in jax.tree.leaves(after.game):
        assert (leaf[last:] == leaf[last]).all()


def test_a_game_of_idlers_is_truncated_at_the_limit(cutting: CrewEnv) -> None:
    _, _, _, after, timestep = game_of(cutting, ["stand"])
    assert timestep.truncated.tolist() == [tick >= cutting.max_steps for tick in range(1, TICKS + 1)]
    assert not timestep.terminated.any() and not timestep.reward.any() and not timestep.score.any()
    assert (after.game.state.tick[-3:] == cutting.max_steps).all()


def test_actions_do_what_they_are_called(cutting: CrewEnv, wandering: Any) -> None:
    """docs/rules/learning.md 8: units go the way of their action, and what is not available stands."""
    before, view, actions, after, _ = wandering
    words = [choice.words for choice in cutting.choices]
    went = cut = stood = 0
    for tick in range(cutting.max_steps):
        old, new = before.game.state.position[tick], after.game.state.position[tick]
        felled = after.game.state.fire.trees_lost[tick] - before.game.state.fire.trees_lost[tick]
        cuts = 0
        for unit, action in enumerate(actions[tick]):
            step, name = new[unit] - old[unit], words[action]
            if not view.action_mask[tick, unit, action]:
                stood += 1
                assert (step == 0).all()
            elif name == "cut a tree here":
                cuts += 1
                assert (step == 0).all()
            elif name.startswith("go to target"):
                aim = before.place[tick, unit, cutting.choices[action].place] + 0.5
                left = np.hypot(*(aim - new[unit])) - np.hypot(*(aim - old[unit]))
                assert left < 0
            elif name != "stand" and np.hypot(*step) > 2 and new[unit].min() > 0.6 and new[unit].max() < 19.4:
                went += 1
                angle = np.arctan2(-step[1], step[0]) / (np.pi / 4)
                assert round(angle) % 8 == DIRECTION_NAMES.index(name.split()[1].rstrip(","))
        cut += felled
        assert (felled > 0) == (cuts > 0) and felled <= cuts
    assert went > 5 and cut > 0 and stood > 1


def test_observations_are_those_of_the_rules(cutting: CrewEnv, wandering: Any) -> None:
    """docs/rules/learning.md 7, against plain Python, for every unit and tick."""
    _, _, _, after, timestep = wandering
    listed = 0
    for tick in range(TICKS):
        state, game = at(after.game.state, tick), at(after, tick)
        cells = np.trunc(state.position).astype(int)
        seen, targets = state.crew.seen.astype(int), np.asarray(cutting.maps.cell[int(game.map)])
        for unit, numbers in enumerate(timestep.view.observation[tick]):
            rest = iter(numbers.tolist())

            def expect(*wanted: float, rest: Any = rest) -> None:
                np.testing.assert_allclose([next(rest) for _ in wanted], wanted, atol=1e-5)

            def way(cell: Any, unit: int = unit, cells: Any = cells) -> tuple[float, float]:
                east, south = cell - cells[unit]
                return east / (np.hypot(east, south) + 15), south / (np.hypot(east, south) + 15)

            x, y = cells[unit]
            expect(1, 0, 0, 0, 0, 0, unit, 0, wood(seen[x, y]) / 3, int(state.tick) / 22)
            expect(*(2 * cells[unit] / 20 - 1))
            trees = [wood(code) if code else 3 for code in seen[targets[:, 0], targets[:, 1]]]
            left = [row for row in range(6) if trees[row]]
            apart = np.square(targets[None] - cells[:, None]).sum(-1)
            left.sort(key=lambda row: apart[unit, row])
            for row in left[:4]:
                other = 1 - unit
                ahead = apart[other, row] < apart[unit, row] or (apart[other, row] == apart[unit, row] and other < unit)
                expect(1, *way(targets[row]), trees[row] / 3, (targets[row] == cells[unit]).all(), ahead / 2)
                listed += 1
            expect(*[0] * 6 * (4 - len(left[:4])))
            expect(1, *way(cells[1 - unit]), 1, 0, 0, 0, 0, 0)
            expect(*[0] * 9 * 3)
            expect(*sectors(seen, x, y))
            assert next(rest, None) is None
    assert listed > 100


def wood(code: int) -> int:
    """Trees that a code of the explored map shows."""
    return code - 1 if 1 <= code <= 4 else code - 5 if 5 <= code <= 8 else 0


def sectors(seen: np.ndarray, x: int, y: int) -> np.ndarray:
    """Shares of unseen, deadly and wooded cells in eight sectors of a window of 21 x 21 cells."""
    found, area = np.zeros((3, 8)), np.zeros(8)
    for east in range(-10, 11):
        for south in range(-10, 11):
            if (east, south) == (0, 0):
                continue
            sector = round(float(np.arctan2(-south, east)) / (np.pi / 4)) % 8
            area[sector] += 1
            if 0 <= x + east < 20 and 0 <= y + south < 20:
                code = int(seen[x + east, y + south])
                found[:, sector] += [code == 0, 9 <= code <= 12, wood(code) > 0]
    return (found / area).reshape(-1)


def test_the_maps_are_those_of_the_level(cutting: CrewEnv, won: Any) -> None:
    """docs/rules/learning.md 6: a seed gives the map that a run of the level has."""
    number = int(won[0].map[0])
    own = load_level("cut_trees_sparse_small", SEEDS[number], size=20, firefighters=2, limit=22).params
    assert own.blaze is not None and own.crews is not None
    maps = at(jax.device_get(cutting.maps), number)
    jax.tree.map(np.testing.assert_array_equal, (maps.fuel, maps.start), (own.blaze.fuel, own.blaze.start))
    for name in ("spawn", "water", "civilian"):
        np.testing.assert_array_equal(getattr(maps, name), getattr(own.crews, name))
    np.testing.assert_array_equal(maps.cell, own.crews.task.cell)
    np.testing.assert_array_equal(won[0].game.state.position[0], own.crews.spawn)


def test_the_tasks_do_not_learn_on_published_maps() -> None:
    levels = [(load_world(each), each.maps) for each in tasks().values() if each.kind == "wildfire"]
    for level, maps in levels:
        seeds = training_seeds(level, maps)
        assert len(seeds) == maps > 1 and not set(seeds) & set(level.site.level.seeds)


def test_every_type_has_its_own_actions() -> None:
    """docs/rules/learning.md 8: codes of another type are never available."""
    has = {
        choice.words: [code != -2 for code in choice.codes]
        for choice in choices(levels()["rescue_search_transport"], 6)
    }
    assert has["stand"] == has["go to the nearest unseen"] == [True, False, True, True]
    assert has["pick up or set down"] == has["cut a tree here"] == [True, False, False, False]
    assert has["take firefighters aboard"] == has["drop"] == [False, False, False, True]
    assert "refill" not in has and not any("fell" in words or "cell 3" in words for words in has)
    assert "go to the goal" in has and "go to the fire's start" not in has


@pytest.mark.long
def test_an_environment_of_a_crew_keeps_its_contract(cutting: CrewEnv) -> None:
    assert rl.check(cutting, games=3) == []


@pytest.mark.long
@pytest.mark.parametrize(
    "level", ["scout_fire_small", "suppress_contain", "suppress_extinguish", "rescue_search_transport"]
)
def test_all_kinds_of_levels_keep_the_contract(level: str) -> None:
    """Levels with a fire, water, civilians and helicopters; the suppression of a fire with rewards at the end alone."""
    env = make_crew_env(load_level(level, limit=12), SEEDS, nearest=3, sparse=level == "suppress_extinguish")
    assert rl.check(env, games=3) == []


@pytest.mark.long
def test_a_step_of_five_ticks_is_five_steps_of_one_tick(cutting: CrewEnv) -> None:
    """docs/rules/learning.md 6: units go to the cell of a tree, then cut it, and the rewards of ticks are added up."""
    five = make_crew_env(
        load_level("cut_trees_sparse_small", size=20, firefighters=2, limit=22), SEEDS, nearest=4, every=5
    )
    words = [choice.words for choice in cutting.choices]
    go, cut = words.index("go to target 1"), words.index("cut a tree here")
    wishes = np.zeros((TICKS, cutting.num_agents, cutting.num_actions), np.float32)
    wishes[..., STAND] = 1  # where it is arrived, or the tree is cut
    long, short = wishes.copy(), wishes
    long[0, :, go] = long[1, :, cut] = 2
    short[0, :, go] = short[5:10, :, cut] = 2
    before, _, actions, _, slow = jax.device_get(play(five, KEY, long, np.full(TICKS, True)))
    fast, _, _, _, quick = jax.device_get(play(cutting, KEY, short, np.full(TICKS, True)))
    assert (actions[:2] == [[go], [cut]]).all() and before.game.state.tick[:3].tolist() == [0, 5, 10]
    states = [each.game.state for each in (before, fast)]
    for step in (1, 2):
        own, other = at(states[0], step), at(states[1], 5 * step)
        np.testing.assert_array_equal(np.trunc(own.position), np.trunc(other.position))
        assert slow.reward[step - 1, 0] == pytest.approx(quick.reward[5 * step - 5 : 5 * step, 0].sum(), abs=1e-6)
    assert slow.reward[1, 0] > 0, "trees are cut before the last tick of the step"
    assert quick.reward[9, 0] == 0


@pytest.mark.long
def test_a_step_of_several_ticks_keeps_the_actions() -> None:
    """docs/rules/learning.md 6: along a ring as tick by tick, to other cells and no farther; rewards are added up."""
    level = load_level("suppress_contain", size=40, firefighters=1, limit=22)
    one, five = make_crew_env(level, [1]), make_crew_env(level, [1], every=5)
    assert (one.max_steps, five.max_steps, five.every) == (22, 5, 5)
    words, step = [choice.words for choice in one.choices], jax.jit(rl.step)
    ring = words.index("fell on the way to the next corner of the ring 3 cells round the fire's start")
    (slow, view), (fast, _) = (jax.jit(rl.reset)(env, KEY) for env in (five, one))
    walker, start = 0, np.asarray(slow.game.state.position)[0]
    way = next(number for number in range(1, 9) if view.action_mask[walker, number])
    aim = np.asarray(slow.place)[walker, one.choices[way].place]
    for tick in range(five.max_steps):
        slow, timestep = step(five, slow, np.array([way if tick == 0 else STAND, ring], np.int32))
        if tick == 0:
            assert (np.trunc(np.asarray(slow.game.state.position)[walker]) == aim).all() and (aim != start).any()
        gained = 0.0
        for _ in range(5):
            fast, other = step(one, fast, np.array([STAND, ring], np.int32))
            gained += float(other.reward[0])
        assert int(slow.game.state.tick) == int(fast.game.state.tick)
        np.testing.assert_array_equal(slow.game.state.position[1], fast.game.state.position[1])
        np.testing.assert_array_equal(slow.game.state.fire.phase, fast.game.state.fire.phase)
        assert float(timestep.reward[0]) == pytest.approx(gained, abs=1e-4)
    assert bool(timestep.truncated | timestep.terminated)


@pytest.mark.long
def test_a_bulldozer_encloses_a_fire() -> None:
    """docs/rules/learning.md 8, 9: felling along the ring leaves fewer losses than standing, and closes the ring."""
    level = load_level("suppress_contain", size=40, firefighters=1)
    env = make_crew_env(level, [1], nearest=1)
    bulldozer = int(np.argmax(np.asarray(env.params.units.type) == CrewType.BULLDOZER))
    words = [choice.words for choice in env.choices]
    round_it = words.index("fell on the way to the next corner of the ring 3 cells round the fire's start")
    go, step = jax.jit(rl.reset), jax.jit(rl.step)
    points, rewards = [], []
    for works in (True, False):
        play, _ = go(env, KEY)
        actions = np.full(env.num_agents, STAND, np.int32)
        actions[bulldozer] = round_it if works else STAND
        rewards.append(0.0)
        for _ in range(env.max_steps):
            play, timestep = step(env, play, actions)
            rewards[-1] += float(timestep.reward[0])
        points.append(int(env.points(play)))
        assert 0 < timestep.score < 1
    assert points[0] > points[1] / 2, points
    assert rewards[0] == pytest.approx(points[0] / 100 + 2 - 2 * first_share(env), abs=1e-3), "the ring is closed"


def first_share(env: CrewEnv) -> float:
    """The largest share of a ring round the fire that cannot burn when a game begins."""
    middle, phase = np.asarray(env.maps.fire[0]), np.asarray(env.maps.start.phase[0])
    shares = []
    for radius in (3, 6):
        cells = [(x, y) for x in range(-radius, radius + 1) for y in range(-radius, radius + 1)]
        ring = [middle + cell for cell in cells if max(np.abs(cell)) == radius]
        shares.append(np.mean([not ((cell >= 0) & (cell < 40)).all() or phase[tuple(cell)] == 1 for cell in ring]))
    return float(max(shares))


def test_units_follow_a_ring_anticlockwise() -> None:
    """docs/rules/learning.md 8: off the ring to its nearest cell, on it from corner to corner."""
    middle = np.array([20, 20], np.int32)
    cells = np.array(
        [(30, 20), (23, 20), (23, 17), (20, 17), (17, 17), (17, 23), (23, 23), (21, 20), (20, 22)], np.int32
    )
    wanted = [(23, 20), (23, 17), (17, 17), (17, 17), (17, 23), (23, 23), (23, 17), (23, 20), (20, 23)]
    found = jax.jit(along_rings)(cells, middle)
    assert found.shape == (9, 2, 2)
    assert [tuple(cell) for cell in np.asarray(found[:, 0]).tolist()] == wanted
    assert np.asarray(found[0, 1]).tolist() == [26, 20]


@pytest.mark.long
def test_scripted_firefighters_play_as_those_that_go_to_the_nearest_target(cutting: CrewEnv, won: Any) -> None:
    """docs/rules/learning.md 13: they win, on the map of `won` in as many ticks."""
    played = play_policy(cutting, cutting.scripted(load_level("cut_trees_sparse_small"))["rules"], range(4), "rules")
    assert played.won.all()
    assert played.ticks[1] == int(won[4].terminated.argmax()) + 1, "the game with KEY"


def test_only_levels_with_a_rule_have_a_scripted_player() -> None:
    """docs/rules/learning.md 13."""
    found = {name: list(scripted(SimpleNamespace(level=level))) for name, level in levels().items()}
    having = {"cut_trees_sparse_small", "cut_trees_sparse_large", "scout_fire_small", "scout_fire_large"}
    assert {name for name, players in found.items() if players == ["rules"]} == having | {"suppress_contain"}
    assert all(players in ([], ["rules"]) for players in found.values())


@pytest.mark.long
def test_scripted_crews_find_and_enclose_fires() -> None:
    """docs/rules/learning.md 13: drones go to the fire that one of them has found, and the bulldozer makes a ring."""
    for name, least in (("scout_fire_small", 5), ("suppress_contain", 6)):
        level = load_level(name)
        env = make_crew_env(level, range(1000, 1008))
        played = play_policy(env, env.scripted(level)["rules"], range(8), "rules")
        assert played.won.sum() >= least, (name, played.won)


def test_wrong_input_gets_a_hint() -> None:
    level = load_level("scout_fire_small")
    battle: Any = hive.load("coordinate")
    with pytest.raises(UserError, match="is no wildfire level"):
        make_crew_env(battle, [1])
    with pytest.raises(UserError, match="leave `shared` out"):
        make_crew_env(load_level("scout_fire_small", shared=False), [1])
    with pytest.raises(UserError, match="1 to 32 targets"):
        make_crew_env(level, [1], nearest=0)
    with pytest.raises(UserError, match="a step has 1 tick or more, not 0"):
        make_crew_env(level, [1], every=0)
    with pytest.raises(UserError, match="pick up and set down in turn"):
        make_crew_env(load_level("rescue_search_transport"), [1], every=5)
    with pytest.raises(UserError, match="the seed of one map at least"):
        make_crew_env(level, [])
    with pytest.raises(UserError, match="leave `seeds` out"):
        rl.make("skirmish_5v5", seeds=[1])
    with pytest.raises(UserError, match="has no number called `units`"):
        rl.make("scout_fire_small", units=50)
