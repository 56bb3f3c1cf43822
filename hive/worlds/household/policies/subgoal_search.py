"""The search of the planner with subgoals: which object to bring first (docs/rules/household.md 11.4).

A subgoal is to bring one object to the goal place. A node of the tree is what is left after some subgoals; its children
are the subgoals that still count. All plans are simulated in one sampled world, where walks cost what the published
planner charges for them: they do not depend on metres.

P places are the receptacles and then the floors of the rooms; M objects, Q classes of goals.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Bool, Float, Int, Key

SIMULATIONS = 100
ROLLOUT = 5  # most random subgoals after a leaf
DEPTH = 8  # most subgoals of a path; no published episode wants more than five objects
FIRST_WALK, FURTHER_WALK, HANDLING = 1.0, 0.5, 0.05
"""What a plan is charged for a walk, for the further walk inside another room, and to open, grab or put."""

_BASE, _INIT = 1e6, 0.1  # of the published rule for children


class SubgoalProblem(struct.PyTreeNode, kw_only=True):
    """What one agent plans in: a world that it believes in."""

    room: Int[Array, " p"]  # room of each place
    closed: Bool[Array, " p"]  # containers that must be opened
    goal: Int[Array, ""]  # place
    start: Int[Array, ""]  # place where the agent is; the floor of its room
    place: Int[Array, " m"]  # where each object is believed to be
    kind: Int[Array, " m"]  # class among the goals; -1: none
    usable: Bool[Array, " m"]  # whether it may be a subgoal
    needed: Int[Array, " q"]  # objects of each class that are still to be brought


class _Left(struct.PyTreeNode, kw_only=True):
    """What is left at a node."""

    at: Int[Array, "*t"]
    brought: Bool[Array, "*t m"]
    closed: Bool[Array, "*t p"]


class _Tree(struct.PyTreeNode, kw_only=True):
    left: _Left  # of each of T nodes
    child: Int[Array, "t m"]  # node of each subgoal; 0: not visited yet
    visits: Int[Array, "t m"]
    value: Float[Array, "t m"]  # sum of returns from here on
    reward: Float[Array, "t m"]
    size: Int[Array, ""]


def search(problem: SubgoalProblem, key: Key[Array, ""], simulations: int = SIMULATIONS) -> Int[Array, ""]:
    """Return the object whose subgoal was visited most often; -1 if no subgoal counts.

    Args:
        problem: The believed world.
        key: Of the rollouts.
        simulations: Paths through the tree.
    """
    places, objects = problem.room.shape[0], problem.place.shape[0]
    root = _Left(at=problem.start, brought=jnp.zeros(objects, bool), closed=problem.closed)
    tree = _Tree(
        left=_Left(
            at=jnp.zeros(simulations + 1, jnp.int32).at[0].set(root.at),
            brought=jnp.zeros((simulations + 1, objects), bool),
            closed=jnp.zeros((simulations + 1, places), bool).at[0].set(root.closed),
        ),
        child=jnp.zeros((simulations + 1, objects), jnp.int32),
        visits=jnp.zeros((simulations + 1, objects), jnp.int32),
        value=jnp.zeros((simulations + 1, objects), jnp.float32),
        reward=jnp.zeros((simulations + 1, objects), jnp.float32),
        size=jnp.int32(1),
    )
    tree = jax.lax.fori_loop(0, simulations, lambda n, t: _simulate(problem, t, jax.random.fold_in(key, n)), tree)
    counts = jnp.where(_allowed(problem, root), tree.visits[0], -1)
    best = jnp.argmax(counts).astype(jnp.int32)
    return jnp.where(counts[best] >= 0, best, -1)


def bring(problem: SubgoalProblem, left: _Left, thing: Int[Array, ""]) -> tuple[_Left, Float[Array, ""]]:
    """Simulate one subgoal.

    Returns:
        What is left after it, and its return: 1 less the charges of its plan.
    """
    there = problem.place[thing]
    opens = left.closed[there].astype(jnp.int32) + (left.closed[problem.goal] & (there != problem.goal)).astype(
        jnp.int32
    )
    walks = _walk(problem, left.at, there) + _walk(problem, there, problem.goal)
    after = _Left(
        at=problem.goal,
        brought=left.brought.at[thing].set(True),
        closed=left.closed.at[there].set(False).at[problem.goal].set(False),
    )
    return after, 1.0 - walks - HANDLING * (2 + opens).astype(jnp.float32)


def _walk(problem: SubgoalProblem, start: Int[Array, ""], end: Int[Array, ""]) -> Float[Array, ""]:
    elsewhere = problem.room[start] != problem.room[end]
    return jnp.where(start == end, 0.0, jnp.where(elsewhere, FIRST_WALK + FURTHER_WALK, FIRST_WALK))


def _allowed(problem: SubgoalProblem, left: _Left) -> Bool[Array, " m"]:
    kind = jnp.maximum(problem.kind, 0)
    brought = jnp.zeros_like(problem.needed).at[kind].add(left.brought.astype(jnp.int32))
    return problem.usable & (problem.kind >= 0) & ~left.brought & (brought < problem.needed)[kind]


def _simulate(problem: SubgoalProblem, tree: _Tree, key: Key[Array, ""]) -> _Tree:
    """Follow the best children to a subgoal that was not visited, add its node, and play from there at random."""

    def down(carry: Any) -> Any:
        node, depth, nodes, things, _ = carry
        allowed = _allowed(problem, jax.tree.map(lambda each: each[node], tree.left))
        thing = _best(tree, node, allowed)
        some = jnp.any(allowed)
        nodes = nodes.at[depth].set(jnp.where(some, node, -1))
        things = things.at[depth].set(thing)
        following = tree.child[node, thing]
        ends = ~some | (following == 0) | (depth == DEPTH - 1)
        return jnp.where(ends, node, following), depth + 1, nodes, things, ends

    path = jnp.full(DEPTH, -1, jnp.int32)
    start = (jnp.int32(0), jnp.int32(0), path, path, jnp.zeros((), bool))
    node, depth, nodes, things, _ = jax.lax.while_loop(lambda carry: ~carry[4], down, start)
    last = depth - 1
    thing = jnp.maximum(things[last], 0)
    grows = (nodes[last] >= 0) & (tree.child[node, thing] == 0)
    here = jax.tree.map(lambda each: each[node], tree.left)
    after, reward = bring(problem, here, thing)
    new = tree.size
    tree = tree.replace(
        left=jax.tree.map(lambda all_, one: all_.at[new].set(jnp.where(grows, one, all_[new])), tree.left, after),
        child=tree.child.at[node, thing].set(jnp.where(grows, new, tree.child[node, thing])),
        reward=tree.reward.at[node, thing].set(jnp.where(grows, reward, tree.reward[node, thing])),
        size=new + grows.astype(jnp.int32),
    )
    on, where, which = nodes >= 0, jnp.maximum(nodes, 0), jnp.maximum(things, 0)
    along = jnp.where(on, tree.reward[where, which], 0.0)
    gained = jnp.where(grows, _rollout(problem, after, key), 0.0) + jnp.cumsum(along[::-1])[::-1]
    return tree.replace(
        visits=tree.visits.at[where, which].add(on.astype(jnp.int32)),
        value=tree.value.at[where, which].add(jnp.where(on, gained, 0.0)),
    )


def _best(tree: _Tree, node: Int[Array, ""], allowed: Bool[Array, " m"]) -> Int[Array, ""]:
    """Return the child to follow: any that was not visited, else by mean return and the published bonus."""
    visits = tree.visits[node].astype(jnp.float32)
    count = visits.sum()
    prior = 1.0 / jnp.maximum(allowed.sum(), 1).astype(jnp.float32)
    bonus = (jnp.log((1.0 + count + _BASE) / _BASE) + _INIT) * prior * jnp.sqrt(count) / (1.0 + visits)
    score = jnp.where(visits > 0, tree.value[node] / jnp.maximum(visits, 1.0) + bonus, jnp.inf)
    return jnp.argmax(jnp.where(allowed, score, -jnp.inf)).astype(jnp.int32)


def _rollout(problem: SubgoalProblem, left: _Left, key: Key[Array, ""]) -> Float[Array, ""]:
    """Return what some random subgoals gain."""

    def one(carry: tuple[_Left, Array], key: Key[Array, ""]) -> tuple[tuple[_Left, Array], None]:
        left, gained = carry
        allowed = _allowed(problem, left)
        some = jnp.any(allowed)
        thing = jnp.argmax(jnp.where(allowed, jax.random.uniform(key, allowed.shape), -1.0)).astype(jnp.int32)
        after, reward = bring(problem, left, thing)
        left = jax.tree.map(lambda new, old: jnp.where(some, new, old), after, left)
        return (left, gained + jnp.where(some, reward, 0.0)), None

    (_, gained), _ = jax.lax.scan(one, (left, jnp.zeros((), jnp.float32)), jax.random.split(key, ROLLOUT))
    return gained
