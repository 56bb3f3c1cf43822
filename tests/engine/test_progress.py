"""The plan runtime against a plain interpreter, on random plans of both sides, in random games.

Rules: docs/rules/plans.md 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise, starmap
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import dsl
from dsl import (
    Arrival,
    Behind,
    Elimination,
    EnemyLosses,
    Group,
    Inside,
    Losses,
    Nearest,
    PlanContext,
    PlanSyntax,
    Position,
    Sighted,
    Step,
    Time,
    UnitList,
    UnitSlice,
)
from dsl.vocabulary import BEHAVIOURS, UNIT_TYPES
from hive.engine.objective import left_to_do
from hive.engine.plan.arrays import compile_plan, make_orders
from hive.engine.plan.progress import advance, crowd_radius, start
from hive.engine.types import ENEMY, PLAYER, Orders, Params, Progress, State
from hive.engine.units.leaves import type_bits
from hive.worlds.battle.scenario.schema import DEFAULT_TYPES
from tests.engine.interpreter import Interpreter, radius
from tests.engine.worlds import behaviours_of, ground, make_params, make_state, pad_plan, plan_of

SIZES = (40, 30)
COUNT = sum(SIZES)
SIDE = 48
CAPACITY = {"steps": 8, "groups": 64, "places": 64, "rows": 8}
EXTRAS = {
    "figure": 1,
    "sighting": 1,
    "choice": 16,
    "behind": 1,
    "rows": 16,
}  # of every plan of the second edition here: one program
SIDES = np.repeat([PLAYER, ENEMY], SIZES)

NO_PLAN = PlanSyntax(())

orders_of = jax.jit(make_orders)
begin = jax.jit(start)
look = jax.jit(advance)
measure = jax.jit(crowd_radius)


@cache
def plain() -> Params:
    return make_params(SIDES, np.zeros(COUNT), ground(SIDE), behaviours_of(["A(stand)"]))


def world(types: np.ndarray, ids: np.ndarray | None = None) -> Params:
    rows = np.arange(COUNT) if ids is None else ids
    units = {"id": rows, "side": SIDES[rows], "type": types[rows]}
    return plain().replace(
        units=plain().units.replace(**{name: jnp.asarray(each, jnp.int32) for name, each in units.items()})
    )


def orders_for(params: Params, mine: dsl.PlanSyntax, his: dsl.PlanSyntax = NO_PLAN, **extras: int) -> Orders:
    compiled = [
        pad_plan(compile_plan(plan, side, SIZES, BEHAVIOURS), **(CAPACITY | extras))
        for side, plan in ((PLAYER, mine), (ENEMY, his))
    ]
    return orders_of(params.replace(enemy=compiled[1]), compiled[0])


# random plans


def random_units(rng: np.random.Generator, size: int) -> UnitList:
    if rng.random() < 0.15:
        return UnitList(None)
    items: list[int | UnitSlice] = []
    for _ in range(rng.integers(1, 4)):
        low, high = sorted(int(i) for i in rng.choice(size + 1, 2, replace=False))
        items.append(
            [low % size, UnitSlice(low, high), UnitSlice(None, high), UnitSlice(min(low, size - 1), None)][
                rng.integers(4)
            ]
        )
    return UnitList(tuple(items))


def random_plan(rng: np.random.Generator, side: int, second: bool = False) -> dsl.PlanSyntax:
    """Any steps, prerequisites on earlier and on later ones, groups that overlap (the later wins), shared targets.

    With `second`, the objectives and choices of the second edition too.
    """
    numbers = [int(n) for n in rng.choice(20, rng.integers(1, 7), replace=False)]
    before = rng.permutation(len(numbers))  # an order without cycles that is not the text's
    places = [(int(x), int(y)) for x, y in rng.integers(0, SIDE, (3, 2))]
    steps = []
    for place, step_id in enumerate(numbers):
        earlier = [n for other, n in enumerate(numbers) if before[other] < before[place]]
        waits = tuple(n for n in earlier if rng.random() < 0.4)
        choices = 2 if second else 0
        objective: dsl.Objective = Position()
        if rng.random() < 0.5:
            objective = Elimination(random_units(rng, SIZES[1 - side]))
        if second and rng.random() < 0.8:
            percent = int(rng.integers(1, 100))
            kinds = (Time(int(rng.integers(1, 5))), Arrival(percent), Arrival(0), Losses(percent), EnemyLosses(percent))
            objective = (*kinds, Sighted())[rng.integers(6)]
        groups = tuple(
            Group(
                random_units(rng, SIZES[side]),
                places[rng.integers(3)],
                str(rng.choice(BEHAVIOURS)),
                (("any",), (), ("archer",))[rng.integers(3)],
                choice=random_choice(rng, places) if number < choices and rng.random() < 0.7 else None,
            )
            for number in range(rng.integers(1, 4))
        )
        for number in range(1, len(groups) if second else 0):
            if rng.random() < 0.6:
                behind = Behind(int(rng.integers(number)), int(rng.integers(1, 9)))
                mine = replace(groups[number], behind=behind, target=groups[behind.group].target)
                groups = (*groups[:number], mine, *groups[number + 1 :])
        steps.append(Step(step_id, waits, objective, groups))
    return PlanSyntax(tuple(steps))


def random_choice(rng: np.random.Generator, places: list[tuple[int, int]]) -> Nearest | Inside:
    place = places[rng.integers(len(places))]
    if rng.random() < 0.5:
        return Nearest(int(rng.integers(1, 30)), place)
    return Inside(place, (int(rng.integers(SIDE)), int(rng.integers(SIDE))))


class Course:
    """A game that goes anyhow: units jump to targets and away, and die."""

    def __init__(self, rng: np.random.Generator, places: list[tuple[int, int]]) -> None:
        self.rng, self.places = rng, np.array(places, np.float32)
        self.at = rng.uniform(0, SIDE, (COUNT, 2)).astype(np.float32)
        self.alive = rng.random(COUNT) < 0.9

    def go_on(self) -> None:
        rng = self.rng
        self.alive &= rng.random(COUNT) < rng.choice([0.95, 0.6])
        if rng.random() < 0.15:
            self.alive &= rng.integers(2) != SIDES
        near = self.places[rng.integers(0, len(self.places), COUNT)] + rng.normal(0, 1.5, (COUNT, 2))
        if rng.random() < 0.4:  # all units at one place
            near = self.places[rng.integers(len(self.places))] + rng.normal(0, 0.8, (COUNT, 2))
        goes = rng.random(COUNT) < rng.choice([0.5, 1.0])
        self.at = np.where(goes[:, None], np.clip(near, 0, SIDE - 0.01), self.at).astype(np.float32)


def in_sight(course: Course, types: np.ndarray, mine: np.ndarray, his: np.ndarray) -> np.ndarray:
    """Which of my units see one of his, on open ground."""
    foes = course.at[his & course.alive]
    away = np.linalg.norm(course.at[mine][:, None] - foes[None], axis=-1)
    return (away <= np.array([DEFAULT_TYPES[kind].sight for kind in types[mine]])[:, None]).any(1)


def check(progress: Progress, orders: Orders, plans: list[Interpreter], ids: np.ndarray) -> None:
    plan = jax.device_get(orders.plan)
    achieved, active, group = (np.asarray(a) for a in (progress.achieved, progress.active, progress.group))
    for side, known in enumerate(plans):
        first = side * CAPACITY["steps"]
        steps = known.plan.steps
        for number in range(CAPACITY["steps"]):
            expected = known.achieved.get(steps[number].id, -1) if number < len(steps) else -1
            assert achieved[first + number] == expected
            assert active[first + number] == (number < len(steps) and steps[number].id in known.active)
    for row, unit in enumerate(ids):
        side = SIDES[unit]
        order = plans[side].order.get(int(unit) - side * SIZES[0])
        if order is None:
            assert group[row] == -1
            continue
        wanted = plans[side].plan.steps[order[0]].groups[order[1]]
        got = group[row]
        assert plan.step[got] == order[0] + side * CAPACITY["steps"]
        assert plan.tree[got] == BEHAVIOURS.index(wanted.behaviour)
        assert plan.types[got] == type_bits(wanted.types)
        assert tuple(plan.place[plan.target[got]]) == wanted.target


@pytest.mark.parametrize(
    "second",
    [pytest.param(False, marks=pytest.mark.long), True],
    ids=["first edition", "second edition"],
)
@pytest.mark.parametrize(
    "seeds", [pytest.param(range(12), marks=pytest.mark.slow), pytest.param(range(12, 150), marks=pytest.mark.long)]
)
def test_random_plans_run_as_the_interpreter_says(seeds: range, second: bool) -> None:
    """docs/rules/plans.md 3: activity, objectives, choices of units, and which group each unit obeys."""
    seen = {"achieved": 0, "active": 0, "kept": 0}
    for seed in seeds:
        rng = np.random.default_rng(seed)
        texts = [random_plan(rng, side, second) for side in (PLAYER, ENEMY)]
        types = rng.integers(0, 6, COUNT)
        ids = rng.permutation(COUNT) if seed % 2 else np.arange(COUNT)
        params = world(types, ids)
        orders = orders_for(params, *texts, **(EXTRAS if second else {}))
        plans = [Interpreter(text, SIZES[side], SIZES[1 - side]) for side, text in enumerate(texts)]
        course = Course(rng, [group.target for text in texts for step in text.steps for group in step.groups])
        progress = None
        for tick in range(6):
            state = make_state(course.at[ids], course.alive[ids], tick=tick)
            progress = begin(params, orders, state) if progress is None else look(params, orders, progress, state)
            for side, known in enumerate(plans):
                mine, his = side == SIDES, side != SIDES
                names = [UNIT_TYPES[t] for t in types[mine]]
                sees = in_sight(course, types, mine, his)
                known.look(tick, course.at[mine], names, course.alive[mine], course.alive[his], sees)
            check(progress, orders, plans, ids)
            course.go_on()
        seen["achieved"] += sum(len(known.achieved) for known in plans)
        seen["active"] += sum(len(known.active) for known in plans)
        seen["kept"] += sum(place not in known.active for known in plans for place, _ in known.order.values())
    assert min(seen.values()) > len(seeds)


# one rule each


def with_second(step: Step, words: tuple[Any, ...]) -> Step:
    objective, *choices = words
    chosen = [replace(group, choice=choice) for group, choice in zip(step.groups, choices, strict=False)]
    return replace(step, objective=objective, groups=(*chosen, *step.groups[len(chosen) :]))


class Game:
    """A player of forty spearmen with a plan; every unit starts far from every target."""

    def __init__(self, *steps: str, lenient: bool = False, second: Sequence[tuple[Any, ...]] | None = None) -> None:
        """`second`: for each step its objective, and the choice of each of its groups."""
        context = PlanContext(team_size=SIZES[0], foe_size=SIZES[1], map_size=SIDE)
        self.params = world(np.zeros(COUNT, int))
        plan = dsl.parse_plan(plan_of(*steps), context=context, lenient=lenient)
        if second:
            plan = PlanSyntax(tuple(starmap(with_second, zip(plan.steps, second, strict=True))))
        self.orders = orders_for(self.params, plan, **(EXTRAS if second else {}))
        self.state: State = make_state(np.full((COUNT, 2), 1.0), np.ones(COUNT))
        self.progress = begin(self.params, self.orders, self.state)

    def look(self, at: dict[range, tuple[float, float]] | None = None, dead: range | None = None) -> Game:
        position, health = self.state.position, self.state.health
        for units, place in (at or {}).items():
            position = position.at[np.array(units, int)].set(jnp.asarray(place, jnp.float32))
        if dead is not None:
            health = health.at[np.array(dead)].set(0)
        self.state = self.state.replace(position=position, health=health, tick=self.state.tick + 1)
        self.progress = look(self.params, self.orders, self.progress, self.state)
        return self

    @property
    def achieved(self) -> list[int]:
        return np.asarray(self.progress.achieved)[: CAPACITY["steps"]].tolist()

    @property
    def active(self) -> list[int]:
        return np.flatnonzero(self.progress.active).tolist()

    @property
    def groups(self) -> list[int]:
        return np.asarray(self.progress.group)[: SIZES[0]].tolist()


FOES = range(40, 70)


def test_a_step_once_achieved_stays_so() -> None:
    game = Game("position;; [0] @ 20, 20: stand", "elimination all;; [1] @ 20, 20: stand")
    game.look({range(0, 1): (20.0, 20.0)})
    assert (game.achieved[:2], game.active) == ([1, -1], [1])

    game.look({range(0, 1): (40.0, 40.0)})
    assert (game.achieved[:2], game.active) == ([1, -1], [1])


def test_prerequisites_hold_a_step_back_even_when_its_objective_is_met() -> None:
    game = Game("elimination [0]; ; [0] @ 20, 20: stand", "position; 0; [1] @ 1, 1: stand")
    assert (game.achieved[:2], game.active) == ([-1, -1], [0])

    game.look(dead=range(40, 41))
    assert (game.achieved[:2], game.active) == ([1, 1], [])


def test_a_step_achieved_in_a_pass_frees_a_later_one_in_that_pass_and_an_earlier_one_in_the_next() -> None:
    down = Game("elimination [0];; [0] @ 20, 20: stand", "elimination all; 0; [1] @ 20, 20: stand")
    assert down.look(dead=range(40, 41)).active == [1]

    up = Game(
        "elimination all; 1; [0] @ 20, 20: stand",
        "elimination [0];; [0] @ 20, 20: stand",
        "elimination all;; [1] @ 9, 9: stand",
    )
    assert up.look(dead=range(40, 41)).active == [2]
    assert up.look().active == [0, 2]


def test_a_step_that_waits_for_one_later_in_the_text_keeps_the_plan_from_being_finished() -> None:
    """It becomes active in the next check (docs/rules/plans.md 3.5)."""
    game = Game("elimination all; 1; [0] @ 20, 20: stand", "elimination [0];; [0] @ 20, 20: stand")
    assert game.look(dead=range(40, 41)).active == []
    assert np.flatnonzero(left_to_do(game.orders.plan, game.progress)).tolist() == [0]
    assert game.look(dead=FOES).achieved[:2] == [2, 1]
    assert not left_to_do(game.orders.plan, game.progress).any()


def test_a_chain_of_steps_falls_in_one_pass() -> None:
    game = Game(*[f"elimination [{i}]; {i - 1 if i else ''}; [{i}] @ 20, 20: stand" for i in range(6)])

    assert game.look(dead=FOES).achieved[:6] == [1] * 6


def test_a_unit_follows_the_last_active_step_and_without_one_keeps_its_order() -> None:
    game = Game(
        "elimination [0];; [0:3] @ 20, 20: stand",
        "elimination [1];; [2:5] @ 30, 20: follow_map",
        "elimination [2]; 1; [0] @ 9, 9: stand",
    )
    assert game.groups[:6] == [0, 0, 1, 1, 1, -1]

    game.look(dead=range(41, 42))  # step 1 is achieved: its units 3 and 4 keep it, 2 goes to step 0, 0 to step 2
    assert game.groups[:6] == [2, 0, 0, 1, 1, -1]

    game.look(dead=range(40, 43))  # no step is left
    assert game.active == []
    assert game.groups[:6] == [2, 0, 0, 1, 1, -1]


def test_elimination_wants_every_listed_enemy_dead_and_no_other() -> None:
    game = Game("elimination [0, 3:5];; [0] @ 20, 20: stand")

    assert game.look(dead=range(40, 44)).achieved[0] == -1
    assert game.look(dead=range(44, 45)).achieved[0] == 2


@pytest.mark.parametrize(("away", "met"), [((0.0, 2.0), True), ((2.001, 0.0), False), ((1.3, 1.5), True)])
def test_a_position_is_met_within_the_radius_of_the_crowd(away: tuple[float, float], met: bool) -> None:
    """One spearman: 2 m."""
    game = Game("position;; [0] @ 20, 20: stand")

    assert (game.look({range(0, 1): (20 + away[0], 20 + away[1])}).achieved[0] == 1) == met


def test_a_position_wants_every_live_unit_of_the_step_at_its_own_target() -> None:
    game = Game("position;; [0:3] @ 20, 20: stand; [3:6] @ 40, 40: stand")
    game.look({range(0, 3): (20, 20), range(3, 5): (40, 40)})
    assert game.achieved[0] == -1

    game.look({range(5, 6): (20, 20)})
    assert game.achieved[0] == -1

    assert game.look(dead=range(5, 6)).achieved[0] == 3


def test_a_position_is_met_when_all_its_units_are_dead() -> None:
    assert Game("position;; [0:3] @ 20, 20: stand").look(dead=range(0, 3)).achieved[0] == 1


def test_the_dead_take_no_room_in_the_crowd() -> None:
    game = Game("position;; [0:40] @ 20, 20: stand").look({range(0, 40): (20, 20), range(0, 1): (20, 25)})
    assert game.achieved[0] == 1  # forty spearmen: 5 m

    fewer = Game("position;; [0:40] @ 20, 20: stand")
    fewer.look({range(0, 40): (20, 20), range(0, 1): (20, 25)}, dead=range(1, 16))
    assert fewer.achieved[0] == -1  # twenty-five: 4 m


def test_groups_of_a_step_that_share_a_target_share_its_crowd_and_those_of_other_steps_do_not() -> None:
    pooled = Game("position;; [0:20] @ 20, 20: stand; [20:40] @ 20, 20: follow_map")
    assert pooled.look({range(0, 40): (20, 20), range(0, 1): (20, 25)}).achieved[0] == 1

    apart = Game("position;; [0:20] @ 20, 20: stand", "position;; [20:40] @ 20, 20: follow_map")
    assert apart.look({range(0, 40): (20, 20), range(0, 1): (20, 25)}).achieved[:2] == [-1, 1]


def test_a_unit_named_in_two_groups_of_a_step_belongs_to_the_later() -> None:
    game = Game("position;; [0:3] @ 20, 20: stand; [2:4] @ 40, 40: follow_map", lenient=True)
    assert game.groups[:5] == [0, 0, 1, 1, -1]

    assert game.look({range(0, 2): (20, 20), range(2, 4): (40, 40)}).achieved[0] == 1


# the second edition


@pytest.mark.slow
def test_time_counts_from_the_tick_at_which_its_step_became_active() -> None:
    game = Game(*["position;; [0] @ 20, 20: stand"] * 2, second=[(Elimination(UnitList((0,))),), (Time(2),)])
    assert game.look().look().achieved[:2] == [-1, 2]

    late = Game("position;; [0] @ 20, 20: stand", "position; 0; [0] @ 20, 20: stand", second=[(Time(3),), (Time(2),)])
    assert late.look().look().look().look().look().achieved[:2] == [3, 5]


@pytest.mark.parametrize(("percent", "there", "met"), [(0, 0, False), (0, 1, True), (75, 2, False), (75, 3, True)])
def test_arrival_wants_its_share_of_the_live_units_and_at_least_one(percent: int, there: int, met: bool) -> None:
    game = Game("position;; [0:5] @ 20, 20: stand", second=[(Arrival(percent),)])
    game.look({range(there): (20.0, 20.0)}, dead=range(4, 5))

    assert (game.achieved[0] == 1) == met


def test_who_is_behind_others_has_come_at_the_gap_once_half_of_those_ahead_have() -> None:
    """Rows of three groups, near the target or not, against the interpreter (docs/rules/plans.md 3.10)."""
    params, names = world(np.zeros(COUNT, int)), ["spearmen"] * SIZES[0]
    outcomes, by_gap = set(), 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        target, gaps = (20, 24), [0, *(int(gap) for gap in rng.integers(1, 8, 2))]
        bounds = [0, *sorted(int(cut) for cut in rng.choice(np.arange(1, 40), 2, replace=False)), 40]
        groups = tuple(
            Group(UnitList((UnitSlice(low, high),)), target, "stand", behind=Behind(at - 1, gaps[at]) if at else None)
            for at, (low, high) in enumerate(pairwise(bounds))
        )
        objective: dsl.Objective = Position() if seed % 3 == 0 else Arrival(int(rng.integers(20, 100)))
        step = Step(0, (), objective, groups)
        row = np.repeat(np.arange(3), np.diff(bounds))
        at = np.full((COUNT, 2), 1.0, np.float32)
        at[:40] = np.array(target) + rng.normal(0, rng.choice([0.5, 3.0]), (40, 2))
        at[:40, 0] += np.cumsum(gaps)[row] + row * rng.uniform(0, 7)
        alive = rng.random(COUNT) < 0.9
        progress = begin(params, orders_for(params, PlanSyntax((step,)), **EXTRAS), make_state(at, alive))
        met = []
        for each in (step, replace(step, groups=tuple(replace(group, behind=None) for group in groups))):
            known = Interpreter(PlanSyntax((each,)), *SIZES)
            known.look(0, at[:40], names, alive[:40], alive[40:])
            met.append(0 in known.achieved)
        assert (int(progress.achieved[0]) >= 0) == met[0], seed
        outcomes.add(met[0])
        by_gap += met[0] != met[1]
    assert outcomes == {True, False} and by_gap > 10


def test_losses_count_the_units_of_the_step_and_those_of_the_enemy_its_whole_team() -> None:
    game = Game(*["position;; [0:4] @ 20, 20: stand"] * 2, second=[(Losses(50),), (EnemyLosses(50),)])
    assert game.look(dead=range(3, 30)).achieved[:2] == [-1, -1]
    assert game.look(dead=range(2, 3)).achieved[:2] == [2, -1]
    assert game.look(dead=range(40, 54)).achieved[:2] == [2, -1]
    assert game.look(dead=range(54, 55)).achieved[:2] == [2, 4]


def test_sighted_wants_a_live_unit_of_the_step_with_a_live_enemy_in_sight() -> None:
    steps = ("position;; [0] @ 20, 20: stand", "position; 0; [0] @ 20, 20: stand")
    game = Game(*steps, second=[(Time(1),), (Sighted(),)])
    game.look({range(40): (1.0, 1.0), FOES: (40.0, 40.0)})
    assert game.look({range(1, 2): (39.0, 40.0)}).achieved[1] == -1  # of no step
    assert game.look({range(1): (39.0, 40.0)}, dead=FOES).achieved[1] == -1

    again = Game("position;; [0] @ 20, 20: stand", second=[(Sighted(),)])
    assert again.achieved[0] == 0  # all stand at one place


def test_the_nearest_of_equally_near_units_are_those_of_the_lowest_ids_and_stay_chosen() -> None:
    game = Game("position;; [4:9, 30] @ 20, 20: stand", second=[(Losses(50), Nearest(2, (20, 20)))])
    assert np.flatnonzero(np.array(game.groups) == 0).tolist() == [4, 5]

    game.look({range(30, 31): (20.0, 20.0)}, dead=range(6, 9))
    assert np.flatnonzero(np.array(game.groups) == 0).tolist() == [4, 5]
    assert game.achieved[0] == -1
    assert game.look(dead=range(4, 5)).achieved[0] == 2  # one of two


def test_a_box_holds_both_its_corners_and_whoever_it_leaves_out_obeys_the_step_as_if_not_listed() -> None:
    """Units 0 to 2 stand at (1, 1); the second group takes those in the box when the step becomes active."""
    steps = ("position;; [3] @ 1, 1: stand", "position; 0; all @ 9, 9: stand; [0:4] @ 9, 20: stand")
    game = Game(*steps, lenient=True, second=[(Time(1),), (Position(), None, Inside((2, 3), (1, 1)))])
    assert set(game.groups) == {0, -1}

    game.look({range(2): (2.9, 3.9), range(2, 3): (3.0, 1.0), range(3, 4): (0.9, 1.0)})
    assert game.groups[:5] == [2, 2, 1, 1, 1]


# the printed table of radii

TABLE = {  # docs/rules/plans.md 3.4
    "spearmen": (2, 3, 5, 7, 9, 11, 12, 13, 15),
    "archer": (2, 2, 3, 4, 5, 6, 7, 7, 8),
    "cavalry": (2, 3, 4, 6, 7, 9, 9, 10, 12),
}
CROWDS = (1, 10, 40, 100, 167, 250, 300, 350, 500)


def test_the_radius_of_a_crowd_is_that_of_the_printed_table() -> None:
    most, behaviours = 500, behaviours_of(["A(stand)"])
    text = PlanSyntax((Step(0, (), Position(), (Group(UnitList(None), (5, 5), "stand"),)),))
    compiled = compile_plan(text, PLAYER, (most, 1), BEHAVIOURS)
    for kind, expected in TABLE.items():
        params = make_params([0] * most + [1], [UNIT_TYPES.index(kind)] * (most + 1), ground(8), behaviours)
        none = pad_plan(compile_plan(PlanSyntax(()), ENEMY, (most, 1), BEHAVIOURS), 1, 1, 1, 1)
        orders = orders_of(params.replace(enemy=none), compiled)
        for crowd, metres in zip(CROWDS, expected, strict=True):
            state = make_state(np.zeros((most + 1, 2)), np.arange(most + 1) < crowd)
            assert measure(params, orders, state)[0] == metres == radius([kind] * crowd)
        for crowd in range(1, most + 1, 13):
            state = make_state(np.zeros((most + 1, 2)), np.arange(most + 1) < crowd)
            assert measure(params, orders, state)[0] == radius([kind] * crowd)


def test_a_mixed_crowd_adds_its_areas() -> None:
    """39 spearmen and 39 archers: 6 m (docs/rules/plans.md 3.4)."""
    assert radius(["spearmen"] * 39 + ["archer"] * 39) == 6
    types = np.where(np.arange(COUNT) % 2, UNIT_TYPES.index("archer"), UNIT_TYPES.index("spearmen"))
    context = PlanContext(team_size=SIZES[0], foe_size=SIZES[1], map_size=SIDE)
    params = world(types)
    orders = orders_for(params, dsl.parse_plan(plan_of("position;; all @ 20, 20: stand"), context=context))
    state = make_state(np.zeros((COUNT, 2)), np.ones(COUNT))

    assert measure(params, orders, state)[0] == radius(["spearmen"] * 20 + ["archer"] * 20) == 4


def test_units_that_no_step_ever_named_stand_without_orders() -> None:
    game = Game("elimination all;; [0] @ 20, 20: follow_map")

    assert game.groups[1:] == [-1] * 39
