"""Evaluation of trees in plain Python, and random trees; leaves carry their place as an argument.

Rules: docs/rules/trees.md 2.
"""

from __future__ import annotations

import numpy as np

from dsl import Fallback, Leaf, Node, Sequence

SUCCEEDED, FAILED = 1, -1


def place(leaf: Leaf) -> int:
    """The leaf's place in the text of a tree from `random_tree`."""
    return int(leaf.args[0])


def random_tree(rng: np.random.Generator, most: int) -> Node:
    """A tree of 1 to `most` leaves, of any shape, single children and deep chains included."""
    used = 0

    def grow(leaves: int, depth: int) -> Node:
        nonlocal used
        if leaves == 1 and (depth >= 6 or rng.random() < 0.8):
            used += 1
            return Leaf(role="A" if rng.random() < 0.4 else "C", name="leaf", args=(str(used - 1),))
        parts = int(rng.integers(1, min(leaves, 4) + 1)) if depth < 6 else leaves
        cuts = np.sort(rng.choice(np.arange(1, leaves), parts - 1, replace=False)) if parts > 1 else np.array([], int)
        sizes = np.diff([0, *cuts, leaves])
        kind = Sequence if rng.random() < 0.5 else Fallback
        return kind(tuple(grow(int(size), depth + 1) for size in sizes))

    return grow(int(rng.integers(1, most + 1)), 0)


def evaluate(root: Node, answers: np.ndarray) -> tuple[int, int, list[int]]:
    """Status of the root, the place of the action taken (-1: the unit stands), and the leaves asked in order."""
    asked: list[int] = []

    def run(node: Node) -> tuple[int, int | None]:
        """Status and action; the action None is the published NONE."""
        if isinstance(node, Leaf):
            asked.append(place(node))
            if not answers[place(node)]:
                return FAILED, None  # an action that fails returns action NONE
            return SUCCEEDED, place(node) if node.role == "A" else None
        wanted = SUCCEEDED if isinstance(node, Sequence) else FAILED
        status, action = wanted, None  # no child run yet
        for child in node.children:
            if not (status == wanted and action is None):
                break
            status, action = run(child)
        return status, action

    status, action = run(root)
    if action is None or status == FAILED:
        return status, -1, asked  # the unit does STAND
    return status, action, asked
