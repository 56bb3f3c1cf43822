"""The heuristic team: equal to a plain interpreter, and the choices that its rules make (docs/rules/rescue.md 7)."""

from __future__ import annotations

from dataclasses import replace

import jax
import numpy as np
import pytest

from hive.worlds.rescue.assembly import batch_params
from hive.worlds.rescue.codes import AGENTS, ROOMS, SWITCHES, VARIANTS, Act, Reason
from hive.worlds.rescue.generator import generate
from hive.worlds.rescue.heuristic import NO_TARGET, HeuristicRun, play_many, variant
from hive.worlds.rescue.instance import Agent, Instance, Victim
from hive.worlds.rescue.metrics import measure
from hive.worlds.rescue.scores import traces
from hive.worlds.rescue.shipped import names, shipped
from tests.lanes import lane_of, stack_lanes
from tests.rescue.oracle import Oracle, heuristic
from tests.rescue.running import relabelled

SHIPPED = [*map(shipped, names())]
DRAWN = [*generate(11, 120)]
_CORRIDOR = shipped("map_3/agents")
WAYS = [*VARIANTS]


def corridor(victims: list[Victim], agents: list[Agent]) -> Instance:
    """Seven rooms in a row."""
    return replace(_CORRIDOR, victims=tuple(victims), agents=tuple(agents))


W, WF, ALL = (True, False, False), (True, True, False), (True, True, True)
CASES = {
    # 7.1, 2: more help before a smaller distance
    "help": corridor([Victim("a", 1, W, False), Victim("b", 5, ALL, False)], [Agent("A", 0, (2, 1, 1))]),
    # 7.2: urgency only between equal distances; `urgent_first` before distance
    "near": corridor([Victim("a", 1, W, False), Victim("b", 5, W, True)], [Agent("A", 2, (2, 0, 0))]),
    "equal": corridor([Victim("a", 1, W, False), Victim("b", 3, W, True)], [Agent("A", 2, (2, 0, 0))]),
    # 7.2: closer is strictly closer, so A goes; then A is closer than B
    "tie": corridor([Victim("a", 3, W, False)], [Agent("A", 1, (1, 0, 0)), Agent("B", 5, (1, 0, 0))]),
    "closer": corridor([Victim("a", 3, W, False)], [Agent("A", 1, (1, 0, 0)), Agent("B", 4, (1, 0, 0))]),
    # 7.1, 2: a closer agent that cannot serve it completely does not keep others away
    "partly": corridor([Victim("a", 3, WF, False)], [Agent("A", 0, (1, 0, 0)), Agent("B", 4, (0, 1, 0))]),
    # 7.2: A met the only need that B can meet; B loses a turn on arrival, but not with `recheck`
    "late": corridor(
        [Victim("a", 3, WF, False), Victim("b", 0, W, False)],
        [Agent("A", 2, (1, 0, 0)), Agent("B", 4, (2, 0, 0)), Agent("C", 6, (0, 1, 0))],
    ),
}
INSTANCES = [*SHIPPED, *CASES.values(), *DRAWN]


@pytest.fixture(scope="module")
def runs() -> HeuristicRun:
    """Runs of all instances with all variants, on the host: two leading axes."""
    hows = stack_lanes(*map(variant, WAYS))
    found: HeuristicRun = jax.device_get(play_many(batch_params(INSTANCES), hows))
    return found


def of(runs: HeuristicRun, way: str, number: int) -> HeuristicRun:
    """One run."""
    return lane_of(runs, (WAYS.index(way), number))


def case(runs: HeuristicRun, name: str, way: str = "literal") -> HeuristicRun:
    """One run of `CASES`."""
    return of(runs, way, len(SHIPPED) + [*CASES].index(name))


@pytest.mark.parametrize("way", WAYS)
def test_runs_are_those_of_a_plain_interpreter(runs: HeuristicRun, way: str) -> None:
    for number, instance in enumerate(INSTANCES):
        run, oracle, rows = of(runs, way, number), Oracle(instance), []
        while oracle.reason is None:
            row = [int(Act.NOTHING)] * AGENTS
            for agent, helper in enumerate(oracle.helpers):
                if helper.here:
                    row[agent] = heuristic(oracle, agent, VARIANTS[way])
                    assert oracle.turn(agent, row[agent]) in (0, 1), "the heuristic never tries what is refused"
            oracle.close()
            rows.append(row)
        assert run.actions[: oracle.steps].tolist() == rows, instance
        assert (run.actions[oracle.steps :] == Act.NOTHING).all() and (run.targets[oracle.steps :] == NO_TARGET).all()
        assert (int(run.state.step), int(run.state.reason)) == (oracle.steps, oracle.reason)
        assert {n: int(at) for n, at in enumerate(run.state.served_at) if at >= 0} == oracle.served


def test_the_variants_differ_and_runs_end_served_or_with_all_missions(runs: HeuristicRun) -> None:
    """A heuristic agent without anything to do ends its mission, so that no run reaches limit or loop (7.2)."""
    assert {*np.unique(runs.state.reason)} == {Reason.SERVED, Reason.ENDED}
    for switch in SWITCHES:
        assert (runs.actions[WAYS.index(switch)] != runs.actions[WAYS.index("literal")]).any(), switch


def test_the_three_published_situations_are_solved(runs: HeuristicRun) -> None:
    """Alpha leaves the urgent victim to Bravo; the mismatched near victims are passed (docs/rules/rescue.md 2.2)."""
    for name, first in (("map_7/agents-1", [1, 0]), ("map_8/agents", [1, 0]), ("map_2/agents", [0, 2])):
        run = of(runs, "literal", names().index(name))
        assert run.targets[0, :2].tolist() == first and run.state.reason == Reason.SERVED, name


def test_the_published_count_of_shared_rooms(runs: HeuristicRun) -> None:
    """docs/rules/rescue.md 2.2, 10.1: once, as that of the study; here it is at the start."""
    number = names().index("map_7/agents-1")
    params = lane_of(batch_params(SHIPPED), number)
    found = jax.jit(measure, static_argnums=1)(traces(params, of(runs, "literal", number).state), ROOMS)
    assert found.occurrences_2_or_more_agents_same_room == 1 and found.steps_2_or_more_agents_same_room == 0


def test_a_victim_that_is_left_to_a_nearer_agent_may_stay_unserved(runs: HeuristicRun) -> None:
    """docs/rules/rescue.md 7.3, whatever the variant; the victim is the one that Bravo could have served."""
    for way in WAYS:
        run = of(runs, way, names().index("map_6/agents-1"))
        assert (run.state.served_at[:4] < 0).tolist() == [True, False, False, False]
        assert run.actions[0, 1] == Act.END_MISSION


@pytest.mark.parametrize(("name", "way", "targets"), [
    ("help", "literal", [1]), ("near", "literal", [0]), ("near", "urgent_first", [1]), ("equal", "literal", [1]),
    ("tie", "literal", [0, NO_TARGET]), ("closer", "literal", [NO_TARGET, 0]), ("partly", "literal", [0, 0]),
])  # fmt: skip
def test_first_targets(runs: HeuristicRun, name: str, way: str, targets: list[int]) -> None:
    """docs/rules/rescue.md 7.1 and 7.2, each rule by a case of its own."""
    assert case(runs, name, way).targets[0, : len(targets)].tolist() == targets


def test_an_agent_whose_target_was_served_loses_a_turn_unless_it_rechecks(runs: HeuristicRun) -> None:
    literal, recheck = case(runs, "late"), case(runs, "late", "recheck")
    assert Act.NOTHING in literal.actions[: literal.state.step, 1] and (literal.state.step, recheck.state.step) == (
        6,
        5,
    )
    assert literal.state.reason == recheck.state.reason == Reason.SERVED


def test_numbers_of_rooms_do_not_matter_where_ways_are_single() -> None:
    """On a map without a circle no choice hangs on a number, so a relabelled instance is played alike."""
    trees = [each for each in DRAWN if len(each.doors) == len(each.rooms) - 1]
    rng = np.random.default_rng(2)
    others = [relabelled(each, rng.permutation(len(each.rooms))) for each in trees]
    assert len(trees) > 20
    hows = stack_lanes(*map(variant, WAYS))
    filled = [*trees, *others, *DRAWN][: len(INSTANCES)]  # the shape of the fixture
    filled += DRAWN[: len(INSTANCES) - len(filled)]
    state = jax.device_get(play_many(batch_params(filled), hows)).state
    for field in ("served_at", "step", "reason", "active"):
        both = getattr(state, field)
        assert (both[:, : len(trees)] == both[:, len(trees) : 2 * len(trees)]).all(), field
