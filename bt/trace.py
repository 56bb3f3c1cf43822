"""One unit's tick for a person: which leaves were asked, what they answered, which one won."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypedDict

import numpy as np
from numpy.typing import ArrayLike

from bt.flatten import Flat, flatten
from dsl import Leaf, Node, Sequence, format_tree

NOT_ASKED = "·"


class Asked(TypedDict):
    """One leaf of a tick, in plain values that JSON knows."""

    leaf: int  # place in the text, from 0
    role: str  # "A" or "C"
    text: str
    asked: bool
    answer: str | None  # "success", "failure", or None when not asked
    won: bool


def record(
    tree: Node | Flat,
    asked: ArrayLike,
    answers: ArrayLike,
    winner: ArrayLike,
    describe: Callable[[Leaf], str] = format_tree,
) -> list[Asked]:
    """Say what one unit's tick did, leaf by leaf.

    Args:
        tree: The unit's tree.
        asked: `[L]` bool, the unit's column of `Ticked.asked`; L may be a capacity, padding is not read.
        answers: `[L]` bool, the unit's column of the answers given to `tick`.
        winner: The unit's `Ticked.winner`.
        describe: Words for a leaf; as it stands in the text of a tree unless told.

    Returns:
        The leaves in text order.
    """
    leaves = (tree if isinstance(tree, Flat) else flatten(tree)).leaves
    was_asked, succeeded = np.asarray(asked), np.asarray(answers)
    return [
        Asked(
            leaf=i,
            role=leaf.role,
            text=describe(leaf),
            asked=bool(was_asked[i]),
            answer=("success" if succeeded[i] else "failure") if was_asked[i] else None,
            won=i == int(np.asarray(winner)),
        )
        for i, leaf in enumerate(leaves)
    ]


def explain(
    tree: Node | Flat,
    asked: ArrayLike,
    answers: ArrayLike,
    winner: ArrayLike,
    describe: Callable[[Leaf], str] = format_tree,
) -> str:
    """Draw one unit's tick as its tree.

    Args:
        tree: The unit's tree.
        asked: As in `record`.
        answers: As in `record`.
        winner: As in `record`.
        describe: As in `record`.

    Returns:
        A line for each node with its status, `·` for what was not asked, and a last line with what the unit does;
        no trailing newline.
    """
    root = tree.root if isinstance(tree, Flat) else tree
    entries = record(tree, asked, answers, winner, describe)
    lines = list(_draw(root, iter(entries), "", ""))
    width = max(len(label) for label, _, _ in lines)
    drawn = [f"{label:<{width}}  {status}{'  <- wins' if won else ''}" for label, status, won in lines]
    won = next((entry["text"] for entry in entries if entry["won"]), None)
    return "\n".join([*drawn, f"the unit does {won}" if won else "no action won: the unit stands"])


def _draw(node: Node, entries: Iterator[Asked], lead: str, below: str) -> Iterator[tuple[str, str, bool]]:
    """Yield label, status and victory of `node` and of all under it, taking its leaves off `entries`.

    `lead` stands before the node itself, `below` before the lines under it.
    """
    if isinstance(node, Leaf):
        entry = next(entries)
        yield f"{lead}{entry['text']}", entry["answer"] or NOT_ASKED, entry["won"]
        return
    lines: list[tuple[str, str, bool]] = []
    status = NOT_ASKED
    for place, child in enumerate(node.children, start=1):
        last = place == len(node.children)
        drawn = list(_draw(child, entries, below + ("└─ " if last else "├─ "), below + ("   " if last else "│  ")))
        status = drawn[0][1] if drawn[0][1] != NOT_ASKED else status
        lines += drawn
    yield f"{lead}{'S' if isinstance(node, Sequence) else 'F'}", status, False
    yield from lines
