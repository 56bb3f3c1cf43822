"""A tree as a row of leaves with two jumps each.

A tree has no memory and no RUNNING (docs/rules/trees.md 2.1), so it is a short-circuit expression: after a leaf, its
answer alone says which leaf comes next. Jumps only ever go forward.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from dsl import Leaf, Node, Sequence


class Jump(IntEnum):
    """Jumps that end the tree; negative, so that none is the place of a leaf."""

    SUCCESS = -1
    FAILURE = -2


SUCCESS, FAILURE = Jump


@dataclass(frozen=True)
class Flat:
    """One flattened tree; index `i` of every array is the i-th leaf of the text.

    Attributes:
        root: The tree that was flattened.
        leaves: Its leaves in text order.
        on_success: `[L]` int32, the leaf asked after leaf `i` succeeds, or `SUCCESS` or `FAILURE`.
        on_failure: `[L]` int32, the same after it fails.
        is_action: `[L]` bool; an action that succeeds ends the whole tree, so its `on_success` is `SUCCESS`.
    """

    root: Node
    leaves: tuple[Leaf, ...]
    on_success: np.ndarray
    on_failure: np.ndarray
    is_action: np.ndarray


def flatten(root: Node) -> Flat:
    """Flatten a tree.

    Args:
        root: A checked tree; a single leaf is a tree too.

    Returns:
        The tree's leaves and jumps.

    Raises:
        ValueError: A sequence or a fallback has no children.
    """
    leaves: list[Leaf] = []
    on_success: list[int] = []
    on_failure: list[int] = []

    pending: list[tuple[Node, int, int]] = [(root, SUCCESS, FAILURE)]  # where each node goes when it is done
    while pending:
        node, success, failure = pending.pop()
        if isinstance(node, Leaf):
            leaves.append(node)
            on_success.append(SUCCESS if node.role == "A" else success)
            on_failure.append(failure)
            continue
        if not node.children:
            raise ValueError("a sequence or a fallback without children cannot be flattened")
        following = len(leaves)
        placed: list[tuple[Node, int, int]] = []
        for child in node.children[:-1]:
            following += count_leaves(child)
            ways = (following, failure) if isinstance(node, Sequence) else (success, following)
            placed.append((child, *ways))
        pending += [(node.children[-1], success, failure), *reversed(placed)]
    return Flat(
        root=root,
        leaves=tuple(leaves),
        on_success=np.array(on_success, np.int32),
        on_failure=np.array(on_failure, np.int32),
        is_action=np.array([leaf.role == "A" for leaf in leaves], bool),
    )


def count_leaves(node: Node) -> int:
    """Return the number of leaves under `node`, counting `node` if it is one."""
    return 1 if isinstance(node, Leaf) else sum(count_leaves(child) for child in node.children)
