"""One unit's tick in readable form: which leaves were asked, what they answered, and which one won."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypedDict

import numpy as np
from numpy.typing import ArrayLike

from bt.flatten import Flat, flatten
from dsl import Leaf, Node, Sequence, format_tree

NOT_ASKED = "·"


class LeafTrace(TypedDict):
    """One leaf of a tick, as plain values for JSON."""

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
) -> list[LeafTrace]:
    """Return what happened to each leaf in one unit's tick.

    Args:
        tree: The unit's tree.
        asked: `[L]` bool, the unit's column of `Ticked.asked`; L may be a padded capacity; padding is not read.
        answers: `[L]` bool, the unit's column of the answers given to `tick`.
        winner: The unit's `Ticked.winner`, a scalar.
        describe: Returns the words for a leaf; by default its text in a tree.

    Returns:
        The leaves in text order.
    """
    leaves = (tree if isinstance(tree, Flat) else flatten(tree)).leaves
    was_asked, succeeded = np.asarray(asked), np.asarray(answers)
    return [
        LeafTrace(
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
    notes: Mapping[int, str] | None = None,
) -> str:
    """Draw one unit's tick as its tree.

    Args:
        tree: The unit's tree.
        asked: `[L]`, as in `record`.
        answers: `[L]`, as in `record`.
        winner: As in `record`.
        describe: As in `record`.
        notes: What to add to the line of a leaf, by its place in the text.

    Returns:
        One line per node with its status (`·`: not asked) and a last line that says what the unit does, without a
        trailing newline.
    """
    root = tree.root if isinstance(tree, Flat) else tree
    entries = record(tree, asked, answers, winner, describe)
    lines = list(_draw(root, iter(entries), notes or {}, "", ""))
    width = max(len(label) for label, _, _ in lines)
    drawn = [f"{label:<{width}}  {status}{mark}" for label, status, mark in lines]
    won = next((entry["text"] for entry in entries if entry["won"]), None)
    return "\n".join([*drawn, f"the unit does {won}" if won else "no action won: the unit stands"])


def _draw(
    node: Node, entries: Iterator[LeafTrace], notes: Mapping[int, str], lead: str, below: str
) -> Iterator[tuple[str, str, str]]:
    """Yield label, status and remark of `node` and every node under it; `entries` yields its leaves.

    `lead` stands before the node itself, `below` before the lines under it.
    """
    if isinstance(node, Leaf):
        entry = next(entries)
        note = notes.get(entry["leaf"])
        mark = ("  <- wins" if entry["won"] else "") + (f": {note}" if note else "")
        yield f"{lead}{entry['text']}", entry["answer"] or NOT_ASKED, mark
        return
    lines: list[tuple[str, str, str]] = []
    status = NOT_ASKED
    for place, child in enumerate(node.children, start=1):
        last = place == len(node.children)
        drawn = list(
            _draw(child, entries, notes, below + ("└─ " if last else "├─ "), below + ("   " if last else "│  "))
        )
        status = drawn[0][1] if drawn[0][1] != NOT_ASKED else status
        lines += drawn
    yield f"{lead}{'S' if isinstance(node, Sequence) else 'F'}", status, ""
    yield from lines
