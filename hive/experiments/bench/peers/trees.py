"""py_trees and `bt.tick`: one published tree for many units, on answers drawn beforehand."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Bool

import bt
import dsl
import scenarios
from hive.experiments.bench.peers.comparing import PeerProgram, peer_row, seconds_of

TREE = "attack_in_long_range"
_WHY = (
    "py_trees walks objects in Python, one unit after another, and keeps each node's status; ours evaluates all "
    "units at once. What leaves cost is left out on both sides"
)


def rows(quick: bool) -> Iterator[dict[str, object]]:
    """Trees ticked a second."""
    units, steps = 4_000, 1 if quick else 5
    answers = draw_answers(units)
    taken = seconds_of(our_ticks(answers, steps), their_ticks(answers, steps), quick=quick)
    ours, theirs = (units * steps / seconds for seconds in taken)
    yield peer_row("py_trees", "py_trees", TREE, units, "tree", ours, theirs, steps, _WHY)


def draw_answers(units: int) -> Bool[np.ndarray, "l n"]:
    """`[L, N]` a coin for each leaf of the tree and each unit."""
    return np.random.default_rng(0).random((len(_flat().leaves), units)) < 0.5


def our_ticks(answers: Bool[np.ndarray, "l n"], steps: int) -> PeerProgram:
    """A program that ticks all trees `steps` times; it returns the winning leaves `[N]` of each time."""
    trees = bt.stack([_flat()], leaves=answers.shape[0])
    given, index = jnp.asarray(answers), jnp.zeros(answers.shape[1], jnp.int32)
    tick = jax.jit(lambda given: bt.tick(*bt.program(trees, index), given).winner)
    return lambda: [np.asarray(tick(given)) for _ in range(steps)]


def their_ticks(answers: Bool[np.ndarray, "l n"], steps: int) -> PeerProgram:
    """The same with py_trees: one tree object, ticked for one unit after another."""
    from py_trees.behaviour import Behaviour
    from py_trees.common import Status
    from py_trees.composites import Selector, Sequence

    given = answers.T.tolist()  # a list answers sooner than an array, one value at a time
    now: list[bool] = []
    names = itertools.count()

    class Answer(Behaviour):
        """A leaf that answers what was drawn; an action that succeeds ends the tick, as RUNNING does there."""

        def __init__(self, leaf: dsl.Leaf) -> None:
            self.number = next(names)
            super().__init__(name=str(self.number))
            self.succeeded = Status.RUNNING if leaf.role == "A" else Status.SUCCESS

        def update(self) -> Status:
            return self.succeeded if now[self.number] else Status.FAILURE

    def build(node: dsl.Node) -> Behaviour:
        if isinstance(node, dsl.Leaf):
            return Answer(node)
        kind = Sequence if isinstance(node, dsl.Sequence) else Selector
        return kind(name="node", memory=False, children=[build(child) for child in node.children])

    root = build(_flat().root)

    def ask(answers_of_unit: list[bool]) -> int:
        nonlocal now
        now = answers_of_unit
        root.tick_once()
        last = root.tip()
        return last.number if root.status is Status.RUNNING and isinstance(last, Answer) else -1

    return lambda: [np.array([ask(unit) for unit in given]) for _ in range(steps)]


def _flat() -> bt.Flat:
    return bt.flatten(dsl.parse_tree(scenarios.tree(TREE), f"{TREE}.bt"))
