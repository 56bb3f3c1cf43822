"""Every atomic of crews: when it succeeds, what it commands, and that it knows no more than its unit does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dsl.vocabulary import CREW_TYPES
from hive.engine.deciding import Decision
from hive.engine.deciding import decide as engine_decide
from hive.engine.types import CrewType, Orders, Params, Progress, State
from tests.engine import worlds
from tests.engine.worlds import behaviours_of, crew_params, crew_state, empty_plan, everyone_in
from tests.lanes import lane_of, stack_lanes

SIDE = 48
CREW = (
    CrewType.FIREFIGHTER,
    CrewType.BULLDOZER,
    CrewType.DRONE,
    CrewType.HELICOPTER,
    CrewType.FIREFIGHTER,
    CrewType.FIREFIGHTER,
)
WALKER, DOZER, FLIER, COPTER, MATE, OTHER = range(len(CREW))
HERE, TARGET = (20, 20), (40, 40)
LAKE = (30, 20)
PARAMS = crew_params(CREW, 2, SIDE)
# A tree with as many leaves and ways as any here, so that all tables have one shape.
_BALLAST = (
    "F(A(go toward fire) :: A(go toward water) :: A(go toward trees) :: A(go toward unseen) :: A(cut) :: A(refill) :: "
    "A(pick_up) :: A(put_down))"
)

Cell = tuple[int, int]
BRUSH, WET_TREES, TREES, IGNITED, FLAMES, SMOKE, ASH, WATER, HOUSE, CIVILIAN = 5, 3, 8, 9, 10, 11, 12, 13, 14, 15


@jax.jit
def decide(params: Params, orders: Orders, progress: Progress, state: State) -> Decision:
    return engine_decide(params, orders, progress, state, jnp.uint32(0))


def world(seen: Mapping[Cell, int] | None = None, unit: int = WALKER, at: Any = HERE, **crew: Any) -> State:
    """Brush, all of it seen, but for the cells named. The unit stands in the middle of a cell, the others far away."""
    known = np.full((SIDE, SIDE), BRUSH, np.uint8)
    for cell, code in (seen or {}).items():
        known[cell] = code
    places = np.tile([0.5, SIDE - 0.5], (len(CREW), 1))
    places[unit] = np.asarray(at) + (0.0 if isinstance(at[0], float) else 0.5)
    state = crew_state(PARAMS, places, phase=np.zeros((SIDE, SIDE)), trees=0, seen=known, civilian=[(1, 1), (2, 2)])
    crew = {"bearer": np.full(2, -1, np.int32), **crew}
    return state.replace(crew=state.crew.replace(**{name: jnp.asarray(value) for name, value in crew.items()}))


def each(value: int, unit: int, others: int = 0) -> jax.Array:
    """A number of every unit, another for one."""
    return jnp.full(len(CREW), others, jnp.int32).at[unit].set(value)


def running(tree: str, **crews: Any) -> Params:
    lake = jnp.zeros((SIDE, SIDE), bool).at[LAKE].set(True)
    return PARAMS.replace(behaviours=behaviours_of([tree, _BALLAST]), crews=PARAMS.crews.replace(water=lake, **crews))


def orders(target: Cell = TARGET) -> Orders:
    one = jnp.zeros(1, jnp.int32)
    plan = empty_plan(len(CREW)).replace(exists=jnp.ones(1, bool), place=jnp.asarray([target], jnp.int32))
    return Orders(plan=plan, distance=jnp.zeros((1, 1, 1), jnp.int32), owner=one)


def obey(tree: str, state: State, unit: int = WALKER, target: Cell = TARGET, **crews: Any) -> tuple[int, Cell] | None:
    """Code and place that the unit's tree commands, or None where it fails."""
    decision = decide(running(tree, **crews), orders(target), everyone_in(PARAMS), state)
    if int(decision.ticked.status[unit]) < 0:
        assert int(decision.action.code[unit]) == -1
        return None
    x, y = (int(part) for part in decision.action.place[unit])
    return int(decision.action.code[unit]), (x, y)


def holds(leaf: str, state: State, unit: int = WALKER, target: Cell = TARGET) -> bool:
    answer = obey(leaf, state, unit, target)
    assert answer is None or answer[0] == -1  # a condition alone commands nothing
    return answer is not None


# going


@pytest.mark.parametrize("unit", range(len(CREW_TYPES)))
def test_go_toward_moves_to_the_nearest_such_cell_and_fails_without_one_or_on_it(unit: int) -> None:
    state = world({(24, 21): WATER, (15, 20): WATER}, unit)
    assert obey("A(go toward water)", state, unit) == (0, (24, 21))
    assert obey("A(go toward target)", state, unit) == (0, TARGET)
    assert obey("A(go toward trees)", state, unit) is None
    assert obey("A(go toward water)", world({HERE: WATER, (15, 20): WATER}, unit), unit) is None


@pytest.mark.parametrize("unit", range(len(CREW_TYPES)))
def test_go_away_from_goes_twenty_cells_the_other_way_or_to_the_border(unit: int) -> None:
    state = world({(26, 20): WATER, (20, 23): HOUSE, (17, 16): TREES}, unit)
    assert obey("A(go away_from water)", state, unit) == (0, (0, 20))
    assert obey("A(go away_from trees)", state, unit) == (0, (32, 36))
    assert obey("A(go away_from civilian)", state, unit) is None
    assert obey("A(go away_from trees)", world({HERE: TREES}, unit), unit) is None  # which way?


def test_flying_units_cross_fire() -> None:
    wall = {(23, y): FLAMES for y in range(SIDE)}
    for unit in (FLIER, COPTER):
        assert obey("A(go toward target)", world(wall, unit), unit, (30, 20)) == (0, (30, 20))


# danger


def went(state: State, unit: int, target: Cell, **crews: Any) -> Cell | None:
    answer = obey("A(go toward target)", state, unit, target, **crews)
    return None if answer is None else answer[1]


@pytest.mark.parametrize("code", [FLAMES, IGNITED, SMOKE, ASH])
@pytest.mark.parametrize("unit", [WALKER, DOZER])
def test_danger_on_the_straight_way_is_walked_round(unit: int, code: int) -> None:
    """Turned by 30 degrees, for as many cells as one tick may take and one more."""
    around = {WALKER: (31, 14), DOZER: (28, 16)}[unit]
    assert went(world({(25, 20): code}, unit), unit, (36, 20)) == around


def test_of_two_ways_the_one_that_ends_nearer_is_taken() -> None:
    """The border cuts one of them short."""
    for y, around in ((3, (31, 0)), (44, (31, 47))):
        assert went(world({(25, y): ASH}, at=(20, y)), WALKER, (36, y)) == around


def test_danger_beyond_the_next_tick_is_ignored() -> None:
    assert went(world({(34, 20): ASH}), WALKER, (40, 20)) == (40, 20)
    assert went(world({(33, 20): ASH}), WALKER, (40, 20)) != (40, 20)


def test_a_corner_of_a_deadly_cell_is_enough() -> None:
    """From the middle of (20, 20) to that of (32, 23) a way cuts a corner of (26, 22) for a tenth of a cell."""
    assert went(world(), WALKER, (32, 23)) == (32, 23)
    for cell in ((21, 20), (22, 20), (22, 21), (25, 21), (26, 21), (26, 22), (30, 22), (30, 23), (32, 23)):
        assert went(world({cell: ASH}), WALKER, (32, 23)) != (32, 23), cell
    for cell in ((21, 21), (23, 20), (24, 22), (27, 21), (29, 23), (31, 22)):
        assert went(world({cell: ASH}), WALKER, (32, 23)) == (32, 23), cell


def test_the_rim_of_spreading_flames_is_kept_clear_and_that_of_ash_is_not() -> None:
    for code, straight in ((IGNITED, False), (FLAMES, False), (SMOKE, True), (ASH, True)):
        assert (went(world({(25, 21): code}), WALKER, (36, 20)) == (36, 20)) == straight


def test_burnt_ground_stops_firefighters_only_where_it_kills() -> None:
    for unit, free in ((WALKER, True), (DOZER, False)):
        there = went(world({(25, 20): ASH}, unit), unit, (36, 20), burnt_kills=jnp.asarray(False))
        assert (there == (36, 20)) == free


def test_a_ring_of_fire_leaves_no_way_and_a_gap_in_it_one() -> None:
    ring = {(20 + x, 20 + y): ASH for x in range(-6, 7) for y in range(-6, 7) if max(abs(x), abs(y)) == 6}
    assert went(world(ring), WALKER, (40, 20)) is None
    gap = {cell: code for cell, code in ring.items() if cell[1] != 26 or abs(cell[0] - 20) > 1}
    assert went(world(gap), WALKER, (40, 20)) == (20, 33)


def test_the_own_cell_is_no_danger_and_one_may_leave_the_rim_of_flames() -> None:
    beside = {(21, y): FLAMES for y in range(10, 41)}
    assert obey("A(go away_from fire)", world({**beside, HERE: ASH})) == (0, (0, 20))
    assert went(world(beside), WALKER, (20, 45)) != (20, 45)  # but not walk along it


def test_a_plan_that_names_a_cell_at_the_edge_of_flames_means_it() -> None:
    """A young fire is ringed by felling the cells round it; only what kills at once stops a unit on its way there."""
    young = {(25, 21): FLAMES}
    assert went(world(young), WALKER, (25, 20)) == (25, 20) and went(world(young), WALKER, (25, 21)) == (24, 21)


def test_a_way_to_fire_ends_two_cells_before_it() -> None:
    assert obey("A(go toward fire)", world({(26, 20): FLAMES})) == (0, (24, 20))
    assert obey("A(go toward fire)", world({(22, 21): FLAMES})) is None
    assert obey("A(go toward danger)", world({(26, 20): SMOKE})) == (0, (25, 20))


def test_clear_drives_straight_and_fells_and_stops_before_danger() -> None:
    assert obey("A(clear toward target)", world(unit=DOZER), DOZER) == (1, TARGET)
    assert obey("A(clear toward target)", world(unit=WALKER), WALKER) is None
    for cell, free in (((25, 20), False), ((26, 20), True)):  # with four cells a tick
        assert (obey("A(clear toward target)", world({cell: ASH}, DOZER), DOZER, (40, 20)) is not None) == free
    assert obey("A(clear toward trees)", world({HERE: TREES}, DOZER), DOZER) == (1, HERE)
    assert obey("A(clear toward water)", world({HERE: WATER}, DOZER), DOZER) is None


# work


@pytest.mark.parametrize("code", range(1, 16))
def test_cut_wants_a_tree_in_the_own_cell(code: int) -> None:
    cuts = code in (2, 3, 4, 6, 7, 8)
    assert obey("A(cut)", world({HERE: code})) == ((1, HERE) if cuts else None)
    assert obey("A(cut)", world({HERE: code}, DOZER), DOZER) is None


def test_a_firefighter_sprays_what_is_within_three_cells_but_not_its_own() -> None:
    wet = each(1, WALKER)
    assert obey("A(spray fire)", world({(23, 20): FLAMES}, water=wet)) == (3, (23, 20))
    assert obey("A(spray fire)", world({(23, 21): FLAMES}, water=wet)) is None
    assert obey("A(spray fire)", world({HERE: FLAMES}, water=wet)) is None
    assert obey("A(spray fire)", world({(23, 20): FLAMES})) is None
    assert obey("A(spray target)", world(water=wet), target=(18, 18)) == (3, (18, 18))


def test_a_helicopter_drops_water_on_what_its_disc_covers() -> None:
    wet = each(1, COPTER)
    for cell, covered in ((HERE, True), ((24, 22), True), ((23, 24), False), ((25, 20), False)):
        answer = obey("A(spray fire)", world({cell: FLAMES}, COPTER, water=wet), COPTER)
        assert answer == ((3, cell) if covered else None)
    assert obey("A(spray fire)", world({HERE: FLAMES}, FLIER, water=each(1, FLIER)), FLIER) is None


def test_refill_needs_the_water_cell_and_room_and_no_passengers() -> None:
    for unit, code in ((WALKER, 4), (COPTER, 2)):
        assert obey("A(refill)", world(unit=unit, at=LAKE, water=each(4, unit)), unit) == (code, LAKE)
        assert obey("A(refill)", world(unit=unit, at=LAKE, water=each(5, unit)), unit) is None
        assert obey("A(refill)", world({HERE: WATER}, unit), unit) is None
    assert obey("A(refill)", world(unit=COPTER, at=LAKE, aboard=each(COPTER, MATE, -1)), COPTER) is None
    assert obey("A(refill)", world(unit=DOZER, at=LAKE), DOZER) is None


def test_a_firefighter_picks_up_a_civilian_that_is_not_at_its_target_yet() -> None:
    assert obey("A(pick_up)", world({(22, 22): CIVILIAN})) == (2, HERE)
    assert obey("A(pick_up)", world({(23, 20): CIVILIAN})) is None
    assert obey("A(pick_up)", world({(22, 22): CIVILIAN}), target=(23, 25)) is None
    assert obey("A(pick_up)", world({(22, 22): CIVILIAN}, bearer=np.array([WALKER, -1], np.int32))) is None
    both = {(22, 20): CIVILIAN, (19, 20): CIVILIAN}  # the nearer one is what would be picked up
    assert obey("A(pick_up)", world(both), target=(25, 20)) == (2, HERE)
    assert obey("A(pick_up)", world(both), target=(16, 20)) is None
    assert obey("A(pick_up)", world({(22, 22): CIVILIAN}, DOZER), DOZER) is None


def test_a_helicopter_takes_firefighters_aboard_that_are_not_at_its_target_yet() -> None:
    def beside(at: Cell = (22, 22), **crew: Any) -> State:
        state = world(unit=COPTER, **crew)
        return state.replace(position=state.position.at[MATE].set(np.array(at) + 0.5))

    full = jnp.asarray([COPTER, -1, -1, -1, -1, COPTER], jnp.int32)
    assert obey("A(pick_up)", beside(), COPTER) == (1, HERE)
    assert obey("A(pick_up)", beside(aboard=full), COPTER) == (1, HERE)
    assert obey("A(pick_up)", beside((23, 20)), COPTER) is None
    assert obey("A(pick_up)", beside(), COPTER, (23, 25)) is None
    assert obey("A(pick_up)", beside(water=each(1, COPTER)), COPTER) is None
    assert obey("A(pick_up)", beside(aboard=each(COPTER, MATE, -1)), COPTER) is None
    assert obey("A(pick_up)", beside().replace(health=jnp.ones(len(CREW)).at[MATE].set(0)), COPTER) is None


def test_put_down_and_is_carrying_want_a_load() -> None:
    loads = {WALKER: {"bearer": np.array([-1, WALKER], np.int32)}, COPTER: {"aboard": each(COPTER, MATE, -1)}}
    for unit, load in loads.items():
        assert obey("A(put_down)", world(unit=unit, **load), unit) == ({WALKER: 2, COPTER: 3}[unit], HERE)
        assert holds("C(is_carrying)", world(unit=unit, **load), unit)
        assert obey("A(put_down)", world(unit=unit), unit) is None
        assert not holds("C(is_carrying)", world(unit=unit), unit)


def test_has_water() -> None:
    assert holds("C(has_water)", world(water=each(1, WALKER)))
    assert not holds("C(has_water)", world(water=each(0, WALKER, 5)))


# knowing


def test_near_is_the_larger_of_both_parts() -> None:
    for word, cells in (("low", 1), ("middle", 3), ("high", 8)):
        assert holds(f"C(is_near water {word})", world({(20 - cells, 20 + cells): WATER}))
        assert not holds(f"C(is_near water {word})", world({(20 - cells, 21 + cells): WATER}))


def test_on_and_seen() -> None:
    for thing, code in (("fire", FLAMES), ("danger", ASH), ("trees", WET_TREES), ("unseen", 0), ("civilian", CIVILIAN)):
        there, apart, not_one = world({HERE: code}), world({(45, 2): code}), world({HERE: HOUSE})
        assert holds(f"C(is_on {thing})", there) and holds(f"C(is_seen {thing})", there)
        assert not holds(f"C(is_on {thing})", apart) and holds(f"C(is_seen {thing})", apart)
        assert not holds(f"C(is_on {thing})", not_one) and not holds(f"C(is_seen {thing})", not_one)
    assert holds("C(is_on target)", world(), target=HERE)


@pytest.mark.parametrize("unit", range(len(CREW_TYPES)))
def test_is_type(unit: int) -> None:
    for number, name in enumerate(CREW_TYPES):
        assert holds(f"C(is_type a {name})", world(), unit) == (number == CREW[unit])
        assert holds(f"C(is_type not_a {name})", world(), unit) == (number != CREW[unit])


BATTLES = [
    "A(success_action)",
    "A(move north)",
    "A(move toward closest foe)",
    "A(follow_map toward)",
    "C(is_dying self low)",
]
BATTLES += ["C(is_armed self)", "C(is_type a spearmen)", "C(is_type not_a archer)", "C(is_in_forest)"]


@pytest.mark.parametrize("leaf", BATTLES)
def test_leaves_of_battles_fail_for_crews(leaf: str) -> None:
    assert obey(leaf, world()) is None


@pytest.mark.slow
def test_leaves_of_crews_fail_in_battles() -> None:
    archer = worlds.scene(worlds.Man("archer", (20.5, 20.5)))
    actions = "A(go toward target) :: A(go away_from trees) :: A(clear toward trees) :: A(cut) :: A(spray target) :: "
    for leaves in (
        actions + "A(refill) :: A(pick_up) :: A(put_down)",
        "C(is_near target high) :: C(is_on target) :: C(is_seen target) :: C(has_water) :: C(is_carrying)",
        "C(is_type a firefighter) :: C(is_type not_a firefighter)",
    ):
        assert not worlds.holds(archer, f"F({leaves})")


# who obeys


def test_dead_unassigned_and_standing_units_and_passengers_are_idle() -> None:
    state = world({(24, 20): WATER})
    go = running("A(go toward water)")
    everyone = decide(go, orders(), everyone_in(PARAMS), state)
    assert everyone.action.code.tolist() == [0] * len(CREW)
    dead = decide(go, orders(), everyone_in(PARAMS), state.replace(health=each(0, DOZER, 1).astype(jnp.float32)))
    assert dead.action.code.tolist() == [0, -1, 0, 0, 0, 0]
    aboard = state.replace(crew=state.crew.replace(aboard=each(COPTER, MATE, -1)))
    assert decide(go, orders(), everyone_in(PARAMS), aboard).action.code.tolist() == [0, 0, 0, 0, -1, 0]
    some = everyone_in(PARAMS).replace(group=each(-1, FLIER))
    assert decide(go, orders(), some, state).action.code.tolist() == [0, 0, -1, 0, 0, 0]
    assert obey("A(stand)", state) == (-1, HERE)


KNOWING = (
    "F(S(C(is_near fire middle) :: A(go away_from danger)) :: A(cut) :: A(pick_up) :: S(C(is_seen civilian) :: "
    "A(go toward civilian)) :: A(go toward trees) :: A(go toward unseen))"
)


def random_states(count: int) -> list[State]:
    rng = np.random.default_rng(2)
    states = []
    for _ in range(count):
        codes = rng.choice([0, 5, 7, 10, 12, 14, 15], (SIDE, SIDE), p=(0.2, 0.66, 0.1, 0.01, 0.01, 0.01, 0.01))
        state = world(water=rng.integers(0, 6, len(CREW)).astype(np.int32), seen=None)
        at = jnp.asarray(rng.uniform(0, SIDE, (len(CREW), 2)), jnp.float32)
        states.append(state.replace(position=at, crew=state.crew.replace(seen=jnp.asarray(codes, jnp.uint8))))
    return states


def test_unseen_cells_change_no_command() -> None:
    """Fire, trees and civilians may be anywhere: a leaf reads the explored map, the roster and its own status."""
    rng = np.random.default_rng(3)
    for state in random_states(4):
        hidden = state.replace(
            fire=state.fire.replace(
                phase=jnp.asarray(rng.integers(0, 16, (SIDE, SIDE)), jnp.uint8),
                trees=jnp.asarray(rng.integers(0, 4, (SIDE, SIDE)), jnp.uint8),
                wet=jnp.asarray(rng.integers(0, 4, (SIDE, SIDE)), jnp.uint8),
            ),
            crew=state.crew.replace(
                civilian=jnp.asarray(rng.integers(0, SIDE, (2, 2)), jnp.int32), living=jnp.asarray([True, False])
            ),
        )
        one, other = (decide(running(KNOWING), orders(), everyone_in(PARAMS), each) for each in (state, hidden))
        assert len(set(one.ticked.winner.tolist())) > 1
        jax.tree.map(np.testing.assert_array_equal, one, other)


@pytest.mark.long
def test_worlds_side_by_side_decide_what_each_decides_alone() -> None:
    states = random_states(6)
    params, together = running(KNOWING), stack_lanes(*states)
    batch = jax.jit(jax.vmap(decide, (None, None, None, 0)))(params, orders(), everyone_in(PARAMS), together)
    for number, state in enumerate(states):
        alone = decide(params, orders(), everyone_in(PARAMS), state)
        jax.tree.map(np.testing.assert_array_equal, lane_of(batch, number), alone)


@pytest.mark.slow
def test_where_maps_are_not_shared_each_unit_goes_by_its_own() -> None:
    """The unit decides as it would if its map were shared by all."""
    params = running(KNOWING)
    for first in range(2):
        maps = [state.crew.seen for state in random_states(2 * len(CREW))[first::2]]
        (state,) = random_states(1)
        own = state.replace(crew=state.crew.replace(seen=jnp.stack(maps)))
        apart = decide(params, orders(), everyone_in(PARAMS), own)
        assert len(set(apart.ticked.winner.tolist())) > 1
        for unit, seen in enumerate(maps):
            same = state.replace(crew=state.crew.replace(seen=seen))
            together = decide(params, orders(), everyone_in(PARAMS), same)
            assert apart.action.code[unit] == together.action.code[unit]
            np.testing.assert_array_equal(apart.action.place[unit], together.action.place[unit])
            np.testing.assert_array_equal(apart.answers[:, unit], together.answers[:, unit])
