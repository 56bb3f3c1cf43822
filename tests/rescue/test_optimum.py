"""Optima of rescues: equal to those of a search over all joint states, and reached in the world itself."""

from __future__ import annotations

import random
from dataclasses import replace

import jax
import pytest

from dsl import UserError
from hive.worlds.rescue.assembly import make_params
from hive.worlds.rescue.generator import generate
from hive.worlds.rescue.instance import Agent, Instance, Victim
from hive.worlds.rescue.optimum.play import OPTIMUM_OBJECTIVES, Optimum, optimum
from hive.worlds.rescue.optimum.replay import replay
from hive.worlds.rescue.shipped import names, shipped
from hive.worlds.rescue.state import Params
from tests.docs.test_rules import table
from tests.rescue.brute import least

URGENT = 3


def line(victims: list[Victim], agents: list[Agent], rooms: int = 6) -> Instance:
    """A corridor: room 0 to the last one."""
    return Instance(
        name="line",
        rooms=tuple(f"room{number}" for number in range(rooms)),
        places=tuple((float(number), 0.0) for number in range(rooms)),
        doors=tuple((number, number + 1) for number in range(rooms - 1)),
        victims=tuple(victims),
        agents=tuple(agents),
    )


def two_victims(urgent: tuple[bool, bool]) -> Instance:
    """A corridor with victims in rooms 1 and 5, and one agent between them."""
    victims = [Victim(f"victim{n + 1}", (1, 5)[n], (True, False, False), each) for n, each in enumerate(urgent)]
    return line(victims, [Agent("Alpha", 2, (2, 0, 0))])


def small(seed: int) -> Instance:
    """A random instance of up to 6 rooms and 2 or 3 victims.

    Every third one lacks supplies, every fourth has three agents, every fifth has more supplies than needed.
    """
    draw = random.Random(seed)
    team = 3 if seed % 4 == 1 else 2
    rooms = draw.randint(4, 6 if team == 2 else 5)
    doors = {(draw.randrange(room), room) for room in range(1, rooms)}
    doors |= {tuple(sorted(draw.sample(range(rooms), 2))) for _ in range(draw.randint(0, 2))}  # type: ignore[misc]
    supplies = [[0, 0, 0] for _ in range(team)]
    victims = []
    for number, room in enumerate(draw.sample(range(rooms), draw.choice((2, 3)))):
        kinds = draw.sample(range(3), draw.choice((1, 1, 2)))
        victims.append(Victim(f"victim{number + 1}", room, tuple(k in kinds for k in range(3)), draw.random() < 0.5))  # type: ignore[arg-type]
        for kind in kinds:
            supplies[draw.randrange(team)][kind] += 1
    if seed % 3 == 0:
        agent, kind = draw.randrange(team), draw.randrange(3)
        supplies[agent][kind] = max(0, supplies[agent][kind] - 1)
    if seed % 5 == 2:
        supplies = [[units + 1 for units in mine] for mine in supplies]
    agents = [Agent(f"agent{n}", draw.randrange(rooms), tuple(mine)) for n, mine in enumerate(supplies)]  # type: ignore[arg-type]
    names = tuple(f"room{number}" for number in range(rooms))
    return Instance(f"small-{seed}", names, ((0.0, 0.0),) * rooms, tuple(sorted(doors)), tuple(victims), tuple(agents))


def check(instance: Instance, objective: str) -> Optimum:
    """Compare the optimum with the brute search, and its plan with what the world makes of it."""
    params = make_params(instance)
    found = optimum(jax.device_get(params), objective, URGENT)
    weights = tuple(URGENT if victim.urgent else 1 for victim in instance.victims) if objective == "weighted" else None
    assert (found.served, (found.value, found.steps)) == least(instance, weights, 60), instance
    assert found.value == (found.steps if objective == "steps" else found.weighted)
    replay(params, found)  # raises unless the world reaches the same
    return found


@pytest.mark.parametrize("objective", OPTIMUM_OBJECTIVES)
def test_the_optimum_is_that_of_all_joint_states(objective: str) -> None:
    """docs/rules/rescue.md 8: the search over shares and tours loses nothing, with enough supplies or not."""
    served = [check(small(seed), objective).served < len(small(seed).victims) for seed in range(8)]
    assert any(served) and not all(served)


@pytest.mark.long
@pytest.mark.parametrize("objective", OPTIMUM_OBJECTIVES)
def test_the_optimum_of_many_is_that_of_all_joint_states(objective: str) -> None:
    for seed in range(8, 200):
        check(small(seed), objective)


def test_a_need_that_two_agents_meet_and_weights_that_change_the_order() -> None:
    """docs/rules/rescue.md 8.1 and 8.2, counted by hand in a corridor of six rooms.

    Alpha in room 2 has two waters and Bravo in room 2 the food of victim2. Fewest steps: victim1 (1 door west of them)
    and victim2 (3 doors east) in one tour is 1 + 1 + 4 + 1 = 7 steps. The near victim first costs 2 + 7 w, the urgent
    one first 8 or 9 + 4 w: with w = 1 the near one, with w = 3 the urgent one goes first.
    """
    victims = [
        Victim("victim1", 1, (True, False, False), urgent=False),
        Victim("victim2", 5, (True, True, False), urgent=True),
    ]
    instance = line(victims, [Agent("Alpha", 2, (2, 0, 0)), Agent("Bravo", 2, (0, 1, 0))])
    params = jax.device_get(make_params(instance))
    assert optimum(params).value == 7
    even, urgent = (optimum(params, "weighted", weight) for weight in (1, 3))
    assert (even.value, even.steps) == (2 + 7, 7)
    assert (urgent.value, urgent.steps) == (3 * 4 + 9, 9)
    for found in (even, urgent):
        replay(make_params(instance), found)


def test_what_no_plan_reaches_in_time_is_left_and_counts_with_the_limit() -> None:
    """docs/rules/rescue.md 8.1: victims first, then steps; of two victims of which only one can be served, one is."""
    params = make_params(two_victims((False, True)), limit=4)
    assert [(found.served, found.value) for found in _both(params)] == [(1, 2), (1, 2 * 4 + 2)]
    params = make_params(
        line([Victim("far", 5, (True, False, False), urgent=True)], [Agent("Alpha", 2, (2, 0, 0))]), limit=3
    )
    assert [(found.served, found.value) for found in _both(params)] == [(0, 0), (0, 6)]


def _both(params: Params) -> list[Optimum]:
    found = [optimum(jax.device_get(params), objective, 2) for objective in OPTIMUM_OBJECTIVES]
    for each in found:
        replay(params, each)
    return found


def test_a_plan_that_the_world_refuses_or_that_promises_too_much_is_not_accepted() -> None:
    """The check behind every printed optimum can fail."""
    params = make_params(line([Victim("victim1", 1, (True, False, False), urgent=False)], [Agent("A", 2, (1, 0, 0))]))
    found = optimum(jax.device_get(params))
    with pytest.raises(RuntimeError, match="the world refused the action of agent 0 in step 1"):
        replay(params, replace(found, actions=found.actions[::-1]))
    with pytest.raises(RuntimeError, match="promised"):
        replay(params, replace(found, steps=found.steps - 1))


@pytest.mark.parametrize("objective", OPTIMUM_OBJECTIVES)
def test_names_of_rooms_and_orders_of_agents_and_victims_change_nothing(objective: str) -> None:
    """docs/rules/rescue.md 8.2: the value depends on distances, needs and supplies, not on who comes first."""
    for seed in range(6):
        draw, instance = random.Random(seed), next(generate(seed, 1))
        number = draw.sample(range(len(instance.rooms)), len(instance.rooms))
        other = replace(
            instance,
            doors=tuple(tuple(sorted((number[a], number[b]))) for a, b in instance.doors),  # type: ignore[misc]
            victims=tuple(replace(each, room=number[each.room]) for each in reversed(instance.victims)),
            agents=tuple(replace(each, room=number[each.room]) for each in reversed(instance.agents)),
        )
        found = [optimum(jax.device_get(make_params(each)), objective) for each in (instance, other)]
        assert found[0].value == found[1].value and found[0].served == found[1].served == len(instance.victims)


def test_bad_requests_are_refused() -> None:
    params = make_params(line([Victim("victim1", 1, (True, False, False), urgent=False)], [Agent("A", 2, (1, 0, 0))]))
    with pytest.raises(UserError, match="no objective `stpes`"):
        optimum(params, "stpes")
    with pytest.raises(UserError, match="weighs 1 or more, not 0"):
        optimum(params, "weighted", 0)


def test_the_table_of_optima_is_that_of_the_search() -> None:
    """docs/rules/rescue.md 8.4; the world plays each plan."""
    found = {name: _both(make_params(shipped(name))) for name in names()}
    assert all(each.served == len(shipped(name).victims) for name, both in found.items() for each in both)
    printed = table("rescue", "8.4")
    assert {name: [str(each.value) for each in both] for name, both in found.items()} == {
        name: row for name, row in printed.items() if name != "Instance"
    }
