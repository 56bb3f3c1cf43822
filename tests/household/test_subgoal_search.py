"""The search over subgoals against every order of subgoals, on small invented worlds (docs/rules/household.md)."""

from __future__ import annotations

from itertools import permutations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from hive.worlds.household.policies.subgoal_search import FIRST_WALK, FURTHER_WALK, HANDLING, SubgoalProblem, search

ROOM = np.array([0, 0, 1, 1, 2, 0, 1, 2])  # five receptacles, then the floors of three rooms


def problem_of(seed: int) -> SubgoalProblem:
    """Six objects of two classes in three rooms; place 0 is the goal."""
    draw = np.random.default_rng(seed)
    return SubgoalProblem(
        room=jnp.asarray(ROOM, jnp.int32),
        closed=jnp.asarray(np.r_[draw.random(5) < 0.5, [False] * 3]),
        goal=jnp.int32(0),
        start=jnp.int32(5 + draw.integers(3)),
        place=jnp.asarray(draw.integers(1, 8, 6), jnp.int32),
        kind=jnp.asarray([0, 0, 0, 1, 1, -1], jnp.int32),
        usable=jnp.asarray([True, True, True, True, seed % 2 == 0, True]),
        needed=jnp.asarray([1, 1], jnp.int32),
    )


def walk(start: int, end: int) -> float:
    return 0.0 if start == end else FIRST_WALK + FURTHER_WALK * (ROOM[start] != ROOM[end])


def best_return(problem: SubgoalProblem, first: int) -> float:
    """The greatest return of any order that begins with a subgoal, by trying all of them."""
    best = -np.inf
    kind, place = np.asarray(problem.kind), np.asarray(problem.place)
    others = [n for n in range(6) if problem.usable[n] and kind[n] not in (-1, kind[first])]
    for order in [(first,), *((first, *rest) for rest in permutations(others, 1))]:
        at, closed, total = int(problem.start), np.asarray(problem.closed).copy(), 0.0
        for thing in order:
            there = int(place[thing])
            opens = closed[there] + (there != 0 and closed[0])
            total += 1.0 - walk(at, there) - walk(there, 0) - HANDLING * (2 + opens)
            closed[[there, 0]], at = False, 0
        if len(order) == 2:
            best = max(best, total)
    return best


@pytest.mark.parametrize("seed", range(6))
def test_the_search_begins_the_best_order(seed: int) -> None:
    problem = problem_of(seed)
    found = int(PROGRAM(problem, jax.random.key(seed)))
    returns = {n: best_return(problem, n) for n in range(5) if problem.usable[n]}
    assert returns[found] == pytest.approx(max(returns.values()), abs=1e-5)


def test_nothing_is_found_where_nothing_counts() -> None:
    problem = problem_of(0)
    assert int(PROGRAM(problem.replace(needed=jnp.zeros(2, jnp.int32)), jax.random.key(0))) == -1
    assert int(PROGRAM(problem.replace(usable=jnp.zeros(6, bool)), jax.random.key(0))) == -1


PROGRAM = jax.jit(search)
