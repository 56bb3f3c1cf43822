"""What a step of a crew's plan waits for: each objective at its border, and all against plain Python."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import SimpleNamespace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import dsl
from dsl import Contain, Cut, Extinguish, Group, Objective, Position, Rescue, Scout, Step, Transport
from hive.engine.plan.arrays import STACKED, compile_plan, join, make_orders, pad_plan, stack
from hive.engine.plan.progress import advance, fresh, objectives_met
from hive.engine.reading import compile_checked
from hive.engine.types import PLAYER, CrewType, Orders, Params, Plan, Progress, State
from hive.ground.fire import Phase
from tests.engine.worlds import crew_params, crew_state
from tests.lanes import stack_lanes

SIDE = 24
CREW = (
    CrewType.FIREFIGHTER,
    CrewType.FIREFIGHTER,
    CrewType.FIREFIGHTER,
    CrewType.BULLDOZER,
    CrewType.DRONE,
    CrewType.HELICOPTER,
)
VICTIMS = 4
PARAMS = crew_params(CREW, VICTIMS, SIDE)
BARE = (1, 5, 10, 11, 12, 13, 14)  # codes of the explored map that show no tree
FAR = (23, 23)
AWAY = [FAR] * len(CREW)

Cell = tuple[int, int]


@jax.jit
def look_on(params: Params, orders: Orders, progress: Progress, state: State) -> Progress:
    return advance(params, orders, progress, state)


@jax.jit
def look(params: Params, plan: Plan, state: State) -> jax.Array:
    return objectives_met(params, make_orders(params, plan), state)


def plan_with(objectives: Iterable[Objective], target: Cell = (5, 5)) -> Plan:
    """Every unit goes to the target in every step."""
    everyone = (Group(dsl.UnitList(None), target, "stand"),)
    steps = tuple(Step(number, (), objective, everyone) for number, objective in enumerate(objectives))
    plan = compile_plan(dsl.PlanSyntax(steps), PLAYER, (len(CREW), 0), ("stand",))
    return pad_plan(plan, steps=16, groups=16, memberships=16, places=1, cells=64)


def world(
    fire: Mapping[Cell, int] | None = None,
    trees: Mapping[Cell, int] | None = None,
    seen: Mapping[Cell, int] | None = None,
    at: Any = AWAY,
    civilian: Any = (FAR,) * VICTIMS,
) -> State:
    """Bare, unseen ground on which nothing burns, but for the cells named; every unit is far from everything."""
    maps = np.zeros((3, SIDE, SIDE), np.uint8)
    for layer, cells in zip(maps, (fire, trees, seen), strict=True):
        for place, value in (cells or {}).items():
            layer[place] = value
    return crew_state(PARAMS, at, phase=maps[0], trees=maps[1], seen=maps[2], civilian=civilian)


def crewed(state: State, **fields: Any) -> State:
    assert state.crew is not None
    return state.replace(crew=state.crew.replace(**{name: jnp.asarray(value) for name, value in fields.items()}))


def met(state: State, *objectives: Objective) -> list[bool]:
    return [bool(each) for each in look(PARAMS, plan_with(objectives), state)[: len(objectives)]]


def test_cut_wants_every_listed_cell_of_its_own_step_bare() -> None:
    bare_cells = {(5, 5): 5, (3, 5): 1, (6, 6): 5}
    state = world(seen={**bare_cells, (3, 4): 6, (0, 0): 8, (SIDE - 1, SIDE - 1): 8})  # where -1 would point
    bare, one_left, other = Cut(((5, 5), (3, 5))), Cut(((5, 5), (3, 4))), Cut(((6, 6),))
    assert met(state, bare, one_left, other) == [True, False, True]


@pytest.mark.parametrize("code", range(16))
def test_cut_wants_cells_that_were_last_seen_without_trees(code: int) -> None:
    """What has not been seen, and what a civilian hides, is not known to be bare; the truth does not count."""
    for trees in (0, 3):
        assert met(world(seen={(3, 4): code}, trees={(3, 4): trees}), Cut(((3, 4),))) == [code in BARE]


@pytest.mark.parametrize("code", range(16))
def test_extinguish_and_contain_want_a_fire_that_was_last_seen_out(code: int) -> None:
    """What smoulders or is burnt out is extinguished, and counts for the disc; what burns unseen does not."""
    out = code in (11, 12)
    state = world(fire={(20, 20): Phase.ON_FIRE}, seen={(9, 9): code})
    assert met(state, Extinguish(), Contain((9, 9), 3), Contain((1, 1), 3)) == [out, out, False]


def test_contain_measures_between_the_centres_of_cells() -> None:
    """3 east and 4 south are 5 away; one cell beyond the disc on any side is too much."""
    edge = {(13, 14): 12, (7, 6): 11, (5, 10): 12, (10, 15): 12}
    state = world(seen=edge)
    assert met(state, Contain((10, 10), 5), Contain((10, 10), 4), Contain((11, 10), 5)) == [True, False, False]
    for beyond in ((14, 14), (13, 15), (4, 10), (10, 4)):
        assert met(world(seen={**edge, beyond: 12}), Contain((10, 10), 5)) == [False]


def test_rescue_counts_living_civilians_within_three_cells_that_are_not_carried() -> None:
    cells = [(13, 7), (7, 13), (10, 10), (14, 10)]
    state = world(civilian=cells, seen=dict.fromkeys(cells, 15))
    asked = (Rescue(3, (10, 10)), Rescue(4, (10, 10)), Rescue(1, (0, 0)))
    assert met(state, *asked) == [True, False, False]
    assert met(crewed(state, living=np.array([True, True, False, True])), *asked)[0] is False
    assert met(crewed(state, bearer=np.array([-1, 2, -1, -1], np.int32)), *asked)[0] is False


def test_rescue_counts_civilians_where_the_map_shows_one() -> None:
    """Several in one cell all count; one that is not where it was seen, or was never seen, does not."""
    cells = [(10, 10), (10, 10), (9, 9), (11, 11)]
    state = world(civilian=cells, seen={(10, 10): 15, (8, 8): 15, (11, 11): 5})
    assert met(state, Rescue(1, (10, 10)), Rescue(2, (10, 10)), Rescue(3, (10, 10))) == [True, True, False]


def test_transport_counts_the_living_firefighters_within_three_cells_also_those_aboard() -> None:
    """A cell is the truncation of a position; other types do not count."""
    state = world(at=[(13.99, 7.0), (10.5, 10.5), (7.0, 13.99), (10, 10), (10, 10), (10, 10)])
    asked = (Transport(3, (10, 10)), Transport(4, (10, 10)))
    assert met(state, *asked) == [True, False]
    assert met(crewed(state, aboard=np.array([5, 5, -1, -1, -1, -1], np.int32)), *asked) == [True, False]
    assert met(state.replace(position=state.position.at[0, 0].set(14.0)), *asked) == [False, False]
    assert met(state.replace(health=state.health.at[1].set(0)), *asked) == [False, False]


def test_scout_wants_every_cell_of_the_box_seen_whatever_the_order_of_its_corners() -> None:
    box = {(x, y): 5 for x in range(4, 8) for y in range(10, 13)}
    boxes = [Scout(((4, 10), (7, 12))), Scout(((7, 10), (4, 12))), Scout(((7, 12), (4, 10))), Scout(((4, 10), (4, 10)))]
    assert (
        met(world(seen=box), *boxes, Scout(((3, 10), (7, 12))), Scout(((4, 10), (7, 13)))) == [True] * 4 + [False] * 2
    )
    for corner in ((4, 12), (7, 10), (7, 12)):
        assert met(world(seen={**box, corner: 0}), *boxes) == [False] * 3 + [True]


@pytest.mark.parametrize(("code", "fire"), [(0, False), (8, False), (9, True), (12, True), (13, False), (15, False)])
def test_scout_fire_wants_a_cell_on_the_explored_map_that_burns_or_is_burnt(code: int, fire: bool) -> None:
    """A fire that no unit has seen does not count."""
    assert met(world(fire={(3, 3): Phase.ON_FIRE}, seen={(7, 7): code}), Scout(None)) == [fire]


def test_what_any_unit_has_seen_the_team_has_seen() -> None:
    """Explored maps that are not shared: each unit knows a column of the box, and one of them the fire."""
    seen = np.zeros((len(CREW), SIDE, SIDE), np.uint8)
    for unit in range(len(CREW)):
        seen[unit, 4 + unit, 10:13] = 5
    seen[3, 20, 20] = 10
    state = crewed(world(), seen=seen)
    columns = Scout(((4, 10), (9, 12))), Scout(((4, 10), (10, 12))), Scout(None)
    assert met(state, *columns, Cut(((4, 10), (9, 12))), Extinguish()) == [True, False, True, True, False]
    seen[5, 20, 20] = 12  # this unit saw it last: no cell is on fire after it was burnt
    assert met(crewed(world(), seen=seen), Extinguish(), Contain((20, 20), 0)) == [True, True]


def test_a_crew_stands_at_the_centre_of_its_target_whatever_its_number() -> None:
    """Within one cell, since units of a crew take no room."""
    plan = plan_with([Position()], target=(5, 5))
    for place, there in (((6.5, 5.5), True), ((5.5, 4.5), True), ((6.51, 5.5), False), ((4.4, 5.5), False)):
        assert bool(look(PARAMS, plan, world(at=[place] * len(CREW)))[0]) == there


def test_a_crew_has_no_distance_maps() -> None:
    orders = jax.eval_shape(make_orders, PARAMS, plan_with([Extinguish()]))
    assert orders.distance.shape == (2, 1, 1)  # a target and the enemy's room


def test_listed_cells_follow_their_steps_when_both_sides_plans_are_joined() -> None:
    one, other = plan_with([Extinguish(), Cut(((1, 2),))]), plan_with([Cut(((3, 4), (5, 6)))])
    listed = [row for row in np.asarray(join(one, other).cell).tolist() if row[0] >= 0]
    assert listed == [[1, 1, 2], [16, 3, 4], [16, 5, 6]]


# all of them against plain Python


def expected(state: State, objective: Objective) -> bool:
    seen = np.asarray(state.crew.seen)
    burnt = {(int(x), int(y)) for x, y in np.argwhere((seen >= 9) & (seen <= 12))}
    out = bool(burnt) and not any(seen[place] in (9, 10) for place in burnt)

    def brought(cells: Iterable[Iterable[float]], place: Cell) -> int:
        return sum(abs(int(x) - place[0]) <= 3 and abs(int(y) - place[1]) <= 3 for x, y in cells)

    match objective:
        case Cut(cells):
            return all(seen[place] in BARE for place in cells)
        case Extinguish():
            return out
        case Contain((cx, cy), radius):
            return out and all((x - cx) ** 2 + (y - cy) ** 2 <= radius**2 for x, y in burnt)
        case Rescue(count, place):
            civilian = np.asarray(state.crew.civilian)
            waiting = np.asarray(state.crew.living & (state.crew.bearer < 0)) & (seen[*civilian.T] == 15)
            return brought(civilian[waiting], place) >= count
        case Transport(count, place):
            walkers = np.asarray(state.alive) & (np.array(CREW) == CrewType.FIREFIGHTER)
            return brought(np.asarray(state.position)[walkers], place) >= count
        case Scout(None):
            return any(code in seen for code in (9, 10, 11, 12))
        case Scout(((x0, y0), (x1, y1))):
            return bool(seen[min(x0, x1) : max(x0, x1) + 1, min(y0, y1) : max(y0, y1) + 1].all())
    raise AssertionError(objective)


def random_state(rng: np.random.Generator) -> State:
    """A crowded patch round (10, 10); the fire seems out in every other world. The truth is another one."""
    truth = {(int(x), int(y)): int(rng.integers(Phase.LIT, Phase.KINDLED + 1)) for x, y in rng.integers(8, 14, (4, 2))}
    civilian = rng.integers(6, 15, (VICTIMS, 2))
    state = world(truth, at=rng.uniform(6, 15, (len(CREW), 2)), civilian=civilian)
    seen = rng.choice([1, 5, 5, 5, 13, 14, 8], (SIDE, SIDE))
    fires = [[11, 12], [9, 10, 12]][rng.integers(2)]
    for x, y in rng.integers(8, 14, (rng.integers(4), 2)):
        seen[x, y] = rng.choice(fires)
    known = civilian[rng.random(VICTIMS) < 0.8]
    seen[known[:, 0], known[:, 1]] = 15
    unknown = rng.random((SIDE, SIDE)) < 0.05
    return crewed(
        state.replace(
            fire=state.fire.replace(trees=jnp.asarray(rng.random((SIDE, SIDE)) < 0.5, jnp.uint8)),
            health=jnp.asarray(rng.random(len(CREW)) < 0.9, jnp.float32),
        ),
        seen=np.where(unknown, 0, seen).astype(np.uint8),
        living=rng.random(VICTIMS) < 0.8,
        bearer=np.where(rng.random(VICTIMS) < 0.2, 0, -1).astype(np.int32),
    )


def random_objectives(rng: np.random.Generator) -> list[Objective]:
    def place(low: int = 7, high: int = 14) -> Cell:
        x, y = (int(each) for each in rng.integers(low, high, 2))
        return x, y

    corner = place(0, SIDE - 3)
    span = int(rng.integers(4))
    several: list[Objective] = [
        *(Cut(tuple(place(0, SIDE) for _ in range(rng.integers(1, 8)))) for _ in range(3)),
        Extinguish(),
        *(Contain(place(), int(rng.integers(8))) for _ in range(3)),
        *(Rescue(int(rng.integers(1, 4)), place()) for _ in range(2)),
        *(Transport(int(rng.integers(1, 4)), place()) for _ in range(2)),
        Scout((corner, (max(0, corner[0] - span), min(SIDE - 1, corner[1] + span)))),
        Scout(None),
    ]
    return [several[number] for number in rng.permutation(len(several))]


def test_random_crews_alone_and_stacked_meet_what_plain_python_says() -> None:
    rng = np.random.default_rng(5)
    states = [random_state(rng) for _ in range(60)]
    asked = [random_objectives(rng) for _ in states]
    plans = [plan_with(objectives) for objectives in asked]
    together = jax.jit(jax.vmap(look, (None, STACKED, 0)))(PARAMS, stack(plans), stack_lanes(*states))
    answers: dict[type, list[bool]] = {}
    for state, objectives, plan, row in zip(states, asked, plans, together, strict=True):
        wanted = [expected(state, objective) for objective in objectives]
        assert np.asarray(row)[: len(wanted)].tolist() == wanted
        np.testing.assert_array_equal(look(PARAMS, plan, state), row)
        for objective, answer in zip(objectives, wanted, strict=True):
            answers.setdefault(type(objective), []).append(answer)
    assert all(0.1 < np.mean(each) < 0.9 for each in answers.values()), answers


def test_a_crew_knows_time_arrival_losses_and_choices() -> None:
    """docs/rules/plans.md 3.12: as in a battle, but places are the centres of their cells."""
    box, near = dsl.Inside((4, 4), (6, 6)), dsl.Nearest(2, (5, 5))
    words = ((dsl.Time(2), None), (dsl.Arrival(50), box), (dsl.Losses(50), near))
    steps = tuple(
        Step(number, (), objective, (Group(dsl.UnitList(None), (5, 5), "stand", choice=choice),))
        for number, (objective, choice) in enumerate(words)
    )
    orders = jax.jit(make_orders)(PARAMS, compile_plan(dsl.PlanSyntax(steps), PLAYER, (len(CREW), 0), ("stand",)))
    at = np.array([(4.5, 6.0), (7.0, 5.5), (5.5, 6.9), (9, 9), (9, 8), (6.0, 8.0)], np.float32)
    state = world(at=at)
    progress = look_on(PARAMS, orders, fresh(PARAMS, orders), state)
    assert np.flatnonzero(progress.chosen[0]).tolist() == [0, 2]  # (7, 5.5) is in the cell beyond
    assert np.flatnonzero(progress.chosen[1]).tolist() == [0, 2]  # 1.1 and 1.4 m away
    assert progress.achieved[:3].tolist() == [-1, -1, -1]

    at[0] = (5.5, 5.5)
    health = jnp.ones(len(CREW)).at[2].set(0)
    state = state.replace(position=jnp.asarray(at), health=health, tick=state.tick + 2)
    assert look_on(PARAMS, orders, progress, state).achieved[:3].tolist() == [2, 2, 2]


@pytest.mark.parametrize(
    ("word", "objective", "group"),
    [
        ("the objective `sighted`", dsl.Sighted(), {}),
        ("the objective `enemy losses`", dsl.EnemyLosses(50), {}),
        ("a leash", Position(), {"leash": 5}),
        ("a way under cover", Position(), {"cover": True}),
        ("a group behind another one", Position(), {"behind": dsl.Behind(0, 3)}),
    ],
)
def test_what_only_battles_have_is_refused(word: str, objective: Objective, group: dict[str, Any]) -> None:
    level: Any = SimpleNamespace(params=PARAMS, written_for=(6, 0), sizes=(6, 0), behaviours=("stand",))
    step = Step(4, (), objective, (Group(dsl.UnitList(None), (5, 5), "stand", **group),))
    with pytest.raises(dsl.UserError, match=f"step 4 has {word}, which only battles have"):
        compile_checked(dsl.PlanSyntax((step,)), level)
