"""Optima of rescues: equal to those of a search over all joint states, and reached in the world itself."""

from __future__ import annotations

import random

import jax
import numpy as np
import pytest

from dsl import UserError
from hive.rescue.assembly import make_params
from hive.rescue.instance import Agent, Instance, Victim
from hive.rescue.optimum.play import OBJECTIVES, Optimum, optimum
from hive.rescue.optimum.replay import replay
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


def small(seed: int) -> Instance:
    """A random instance of up to 6 rooms, 2 agents and 2 or 3 victims; every third one lacks supplies."""
    draw = random.Random(seed)
    rooms = draw.randint(4, 6)
    doors = {(draw.randrange(room), room) for room in range(1, rooms)}
    doors |= {tuple(sorted(draw.sample(range(rooms), 2))) for _ in range(draw.randint(0, 2))}  # type: ignore[misc]
    supplies = [[0, 0, 0], [0, 0, 0]]
    victims = []
    for number, room in enumerate(draw.sample(range(rooms), draw.choice((2, 3)))):
        kinds = draw.sample(range(3), draw.choice((1, 1, 2)))
        victims.append(Victim(f"victim{number + 1}", room, tuple(k in kinds for k in range(3)), draw.random() < 0.5))  # type: ignore[arg-type]
        for kind in kinds:
            supplies[draw.randrange(2)][kind] += 1
    if seed % 3 == 0:
        agent, kind = draw.randrange(2), draw.randrange(3)
        supplies[agent][kind] = max(0, supplies[agent][kind] - 1)
    agents = [Agent(f"agent{n}", draw.randrange(rooms), tuple(mine)) for n, mine in enumerate(supplies)]  # type: ignore[arg-type]
    names = tuple(f"room{number}" for number in range(rooms))
    return Instance(f"small-{seed}", names, ((0.0, 0.0),) * rooms, tuple(sorted(doors)), tuple(victims), tuple(agents))


def check(instance: Instance, objective: str) -> Optimum:
    """Compare the optimum with the brute search, and its plan with what the world makes of it."""
    params = make_params(instance)
    found = optimum(jax.device_get(params), objective, URGENT)
    weights = tuple(URGENT if victim.urgent else 1 for victim in instance.victims) if objective == "weighted" else None
    assert (found.served, found.value) == least(instance, weights, 60), instance
    reached = replay(params, found)
    assert reached == (found.served, found.steps, found.weighted)
    assert found.value == (found.steps if objective == "steps" else found.weighted)
    return found


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_the_optimum_is_that_of_all_joint_states(objective: str) -> None:
    """docs/rules/rescue.md 8: the search over shares and tours loses nothing, with enough supplies or not."""
    served = [check(small(seed), objective).served < len(small(seed).victims) for seed in range(8)]
    assert any(served) and not all(served)


@pytest.mark.long
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_the_optimum_of_many_is_that_of_all_joint_states(objective: str) -> None:
    for seed in range(8, 200):
        check(small(seed), objective)
