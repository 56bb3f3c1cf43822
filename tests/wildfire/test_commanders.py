"""Scripted commanders: what they may know, that their plans are plans, and what their pieces promise."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import dsl
from dsl import UserError
from dsl.nodes import Cut, Extinguish
from hive.engine.crews.explored import VIEW, Explored
from hive.worlds.wildfire.commanders import COMMANDERS, commander_for
from hive.worlds.wildfire.commanders.coverage import SweepRoute
from hive.worlds.wildfire.commanders.crew_schedule import Hand, schedule
from hive.worlds.wildfire.commanders.fire_watch import layers, widen
from hive.worlds.wildfire.commanders.firebreak import firebreak
from hive.worlds.wildfire.commanders.plan_writer import Order, course, write_plan
from hive.worlds.wildfire.commanders.rounds import length_of, share_out
from hive.worlds.wildfire.commanders.spread_model import AROUND, SpreadModel
from hive.worlds.wildfire.commanders.ways import next_stop, time_to
from hive.worlds.wildfire.games import Played, play_level
from hive.worlds.wildfire.levels import levels
from hive.worlds.wildfire.reports import Report
from hive.worlds.wildfire.task_text import known
from hive.worlds.wildfire.world import Fireground, load_level
from tests.tiers import tiers


def _first_report(world: Fireground) -> Report:
    """What is known before the first tick: the squares that the units see from where they start."""
    level, (x, y) = world.site.level, world.site.places.spawn
    kind = np.repeat(np.arange(4), level.agents)
    reach = int(VIEW[kind].max())
    seen = np.zeros((level.size, level.size), np.uint8)
    part = slice(max(x - reach, 0), x + reach + 1), slice(max(y - reach, 0), y + reach + 1)
    seen[part] = Explored.DRY + world.site.ground.trees[part]
    none = np.zeros(len(kind), np.int32)
    return Report(
        level=level,
        known=known(world.site),
        tick=0,
        seen=seen,
        kind=kind.astype(np.int32),
        cell=np.tile(np.array([x, y], np.int32), (len(kind), 1)),
        alive=np.ones(len(kind), bool),
        water=none,
        carrying=none,
        aboard=none - 1,
    )


SMALL = [name for name, level in levels().items() if level.size <= 150]
ALIKE = ("cut_trees_lines_large", "cut_trees_sparse_large")  # longer plans of the commander of the small ones


@pytest.mark.parametrize("name", tiers(SMALL, quick=set(SMALL) - set(ALIKE)))
def test_first_plans_are_plans_of_their_level(name: str) -> None:
    """Every commander's text passes the checks that a user's plan does, and it is the same each time."""
    world = load_level(name)
    report = _first_report(world)
    for who in COMMANDERS:
        text = commander_for(world.site.level, who).plan(report)
        assert dsl.parse_plan(text, who, world.context()).steps
        assert text == commander_for(world.site.level, who).plan(report)


def test_an_error_about_an_unknown_commander_names_the_nearest() -> None:
    with pytest.raises(UserError, match="did you mean `scripted`"):
        commander_for(levels()["scout_fire_small"], "scriptd")


def test_courses_become_chains_that_end_with_the_purpose() -> None:
    """A step whose objective holds at once would never be begun, so the last of a chain waits for the level's own."""
    context = dsl.PlanContext(behaviours=("go_to", "cut", "stand"), objectives=("position", "cut", "extinguish"))
    chain = course(3, Order((1, 2)), Order((4, 5), "cut", Cut(((4, 5),))))
    plan = dsl.parse_plan(write_plan([chain], Extinguish()), "chain", context)
    assert [step.prerequisites for step in plan.steps] == [(), (1,)]
    assert [step.objective.word for step in plan.steps] == ["position", "extinguish"]
    nobody = dsl.parse_plan(write_plan([course((), Order((1, 2)))], Extinguish()), "empty", context)
    assert nobody.steps[0].groups[0].behaviour == "stand"


@pytest.mark.parametrize(
    ("size", "strides", "slits", "share"),
    [(100, [20.0] * 3, True, 0.93), (100, [20.0] * 3, False, 0.98), (150, [20.0, 20.0, 30.0, 30.0], True, 0.97)],
)
def test_a_sweep_sees_the_map_in_fair_parts(size: int, strides: list[float], slits: bool, share: float) -> None:
    """All but slits and the corners of turns is seen, and no drone flies much longer than its share."""
    radius = 15
    sweep = SweepRoute(size, radius, np.full((len(strides), 2), 30), strides, slits=slits)
    seen, ticks = np.zeros((size, size), bool), 0
    here = [np.array([30, 30])] * len(strides)
    while not sweep.done:
        for unit, before in enumerate(here):
            for stop in sweep.stops(unit, 1):
                assert np.hypot(*(np.array(stop) - before)) <= strides[unit] + 1.5
                for x, y in np.linspace(before, stop, 40).astype(int):
                    seen[max(x - radius, 0) : x + radius + 1, max(y - radius, 0) : y + radius + 1] = True
                here[unit] = np.array(stop)
        sweep.fly(1)
        ticks += 1
    assert seen.mean() > share
    assert ticks <= size * size / (2 * radius + 1) / sum(strides) + size * 1.5 / max(strides)


def test_places_are_shared_out_like_the_best_of_all_ways() -> None:
    """Two units and four places on a line: the longest round is the shortest that there is."""
    at = [1.0, 2.0, -3.0, -4.0]

    def leg(unit: int, before: int | None, place: int) -> float:
        return abs(at[place] - (0.0 if before is None else at[before])) + 1

    rounds = share_out(2, 4, leg)
    assert sorted([*rounds[0], *rounds[1]]) == [0, 1, 2, 3]
    assert max(length_of(unit, each, leg) for unit, each in enumerate(rounds)) == 6


class _Fire:
    """A fire in a random wood, as `FireWatch` would know it."""

    def __init__(self, seed: int, odds: np.ndarray) -> None:
        draw = np.random.default_rng(seed)
        self.trees = draw.integers(0, 4, (31, 31)).astype(float)
        self.sources = np.zeros((31, 31), bool)
        self.sources[15, 14:17] = True
        self.fuel = (self.trees > 0) & ~self.sources
        self.fixed = np.zeros_like(self.fuel)
        self.odds = odds
        self.layer = layers(self.sources, self.fuel, odds)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("first", [1, 3])
def test_a_firebreak_shuts_the_fire_in_at_no_more_than_a_ring_costs(seed: int, first: int) -> None:
    """With its cells bare the fire reaches nothing behind, and no whole ring is cheaper."""
    fire = _Fire(seed, np.ones(8))
    cells = firebreak(fire, first, 5, effort=0.0)
    assert (fire.layer[tuple(cells.T)] >= first).all()
    bare = fire.fuel.copy()
    bare[tuple(cells.T)] = False
    reached = layers(fire.sources, bare, np.ones(8)) < 99
    assert not (reached & (fire.layer >= first + 5)).any()
    cost = fire.trees[tuple(cells.T)].sum() + fire.trees[reached & fire.fuel].sum()
    for ring in range(first, first + 5):
        assert cost <= fire.trees[fire.fuel & (fire.layer <= ring)].sum()


def test_a_firebreak_leaves_open_where_the_fire_does_not_go() -> None:
    """Where the odds forbid the west, no cell west of the fire is felled."""
    odds = np.array([0.95 if dx >= 0 else 0.0 for dx, _ in AROUND])
    cells = firebreak(_Fire(0, odds), 1, 5, effort=0.0)
    assert len(cells) and (cells[:, 0] >= 15).all()


def test_the_spread_model_learns_the_wind_from_what_burnt() -> None:
    """A fire that took only its eastern neighbours will go on eastward; none is known before."""
    model = SpreadModel()
    assert np.ptp(model.odds) < 0.1
    sources = np.zeros((9, 9), bool)
    sources[4, 4] = True
    around = widen(sources, 1) & ~sources
    took = around & (np.arange(9)[:, None] >= 5)
    model.learn(sources, around, took)
    east, west = ([odds for (dx, _), odds in zip(AROUND, model.odds, strict=True) if dx == side] for side in (1, -1))
    assert min(east) > 0.8 and max(west) < 0.2


def test_ways_keep_off_what_kills_and_off_its_corners() -> None:
    """The way leads through the one gap of a wall, and no straight part of it grazes the wall."""
    slow = np.full((20, 20), 0.1)
    slow[10, :] = slow[3, 3] = np.inf
    slow[10, 15] = 0.1
    goal = np.zeros((20, 20), bool)
    goal[18, 2] = True
    left = time_to(slow, goal)
    here, stops = np.array([2, 2]), 0
    while not goal[tuple(here)] and stops < 20:
        stop = next_stop(slow, left, here, 0.5)
        assert stop is not None
        line = np.linspace(here + 0.5, np.array(stop) + 0.5, 200)
        assert np.isfinite(slow[tuple(line.astype(int).T)]).all()
        here, stops = np.array(stop), stops + 1
    assert goal[tuple(here)]
    slow[10, 15] = np.inf
    assert next_stop(slow, time_to(slow, goal), np.array([2, 2]), 0.5) is None


def test_a_unit_at_its_job_keeps_it() -> None:
    """Else crews run past each other at every plan; lateness is counted where the time is too short."""
    cells = np.array([[5, 5], [9, 9]])
    hands = [Hand(0, 0, cells[1]), Hand(1, 0, cells[0])]
    late = schedule(hands, cells, np.array([2.0, 3.0]), np.array([5.0, 2.0]), np.zeros((12, 12), bool))
    assert [hand.jobs for hand in hands] == [[(9, 9)], [(5, 5)]]
    assert late == 1


@pytest.fixture(scope="module")
def world() -> Fireground:
    """All four types, a fire and civilians, both unknown."""
    return load_level("full_environment", 4, size=120, limit=4)


@pytest.mark.long
def test_plans_do_not_depend_on_unseen_cells(world: Fireground) -> None:
    """Other trees, buildings, civilians and fire where no unit looked, and other wind and slopes: the same plans."""
    played, seen = _play(world)
    hidden = seen == 0
    assert 0.1 < hidden.mean() < 0.9
    ground, places = world.site.ground, world.site.places
    assert places.fire is not None and hidden[places.fire] and hidden[places.clusters[0]]
    elsewhere = [(int(x), int(y)) for x, y in np.argwhere(hidden)[[0, -1]]]
    changed = replace(
        world.site,
        ground=replace(
            ground,
            trees=np.where(hidden, 3 - ground.trees, ground.trees).astype(ground.trees.dtype),
            burnable=ground.burnable ^ hidden,
            building=ground.building ^ hidden,
            wind=-ground.wind,
            elevation=1 - ground.elevation,
            moisture=1.2 - ground.moisture,
        ),
        places=replace(places, fire=elsewhere[0], clusters=(elsewhere[1],)),
    )
    other, _ = _play(replace(world, site=changed))
    assert len(played.plans) > 2
    assert other.plans == played.plans


@pytest.mark.long
def test_the_fire_is_shut_in(world: Fireground) -> None:
    """The commander loses far less than Do Nothing does, and no unit of its crew."""
    whole = load_level("full_environment", 4, size=120)
    played, _ = _play(whole)
    nothing, _ = _play(whole, "nothing")
    assert nothing.score < 0
    assert played.score >= 0.4 * nothing.score
    assert played.losses["firefighters"] == played.losses["bulldozers"] == 0


def _play(world: Fireground, who: str = "scripted") -> tuple[Played, np.ndarray]:
    """A game, and the explored map at its end."""
    played = play_level(
        world,
        commander_for(world.site.level, who),
        watch=lambda params, orders, game, decision: game.state.crew.seen,
    )
    return played, played.log[-1]
