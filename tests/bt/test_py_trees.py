"""Parity with py_trees: Selector and Sequence without memory; an action that succeeds is its RUNNING.

RUNNING is the only status there that ends a whole tick at once, as an action that succeeds does in
docs/rules/trees.md 2.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import py_trees
from py_trees.common import Status

import bt
from dsl import Leaf, Node, Sequence
from tests.bt.reference import place, random_tree

TREES, LEAVES, DRAWS = 400, 16, 3


class Scripted(py_trees.behaviour.Behaviour):
    """A leaf that answers from an array and writes down that it was asked."""

    def __init__(self, leaf: Leaf, answers: np.ndarray, asked: list[int]) -> None:
        super().__init__(name=leaf.args[0])
        self.leaf, self.answers, self.asked = leaf, answers, asked

    def update(self) -> Status:
        self.asked.append(place(self.leaf))
        if not self.answers[place(self.leaf)]:
            return Status.FAILURE
        return Status.RUNNING if self.leaf.role == "A" else Status.SUCCESS


def build(node: Node, answers: np.ndarray, asked: list[int]) -> py_trees.behaviour.Behaviour:
    if isinstance(node, Leaf):
        return Scripted(node, answers, asked)
    kind = py_trees.composites.Sequence if isinstance(node, Sequence) else py_trees.composites.Selector
    return kind(name="node", memory=False, children=[build(child, answers, asked) for child in node.children])


def test_agrees_with_py_trees_on_random_trees() -> None:
    rng = np.random.default_rng(8)
    flats = [bt.flatten(random_tree(rng, LEAVES)) for _ in range(TREES)]
    index = np.repeat(np.arange(TREES), DRAWS)
    answers = rng.random((LEAVES, TREES * DRAWS)) < 0.5

    rows = bt.program(bt.stack(flats, leaves=LEAVES), jnp.asarray(index))
    status, winner, asked = (np.asarray(value) for value in jax.jit(bt.tick)(*rows, jnp.asarray(answers)))

    for unit, tree in enumerate(index):
        ticked: list[int] = []
        root = build(flats[tree].root, answers[:, unit], ticked)
        root.tick_once()
        acts = root.status is Status.RUNNING
        assert winner[unit] == (ticked[-1] if acts else -1)
        assert status[unit] == (-1 if root.status is Status.FAILURE else 1)
        assert np.flatnonzero(asked[:, unit]).tolist() == ticked
