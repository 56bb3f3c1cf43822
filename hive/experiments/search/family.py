"""The lineage of a plan: its ancestors, and what each of them changed, as differences of text."""

from __future__ import annotations

import difflib
from itertools import pairwise

import dsl
from hive.experiments.search.comparing import bounded, interval
from hive.experiments.search.evolve import Search


def lineage(search: Search, number: int) -> list[int]:
    """Return the ancestors of a plan and the plan itself, the plan that the search began with first."""
    found = [number]
    while (parent := search.first[found[-1]].parent) is not None:
        found.append(parent)
    return found[::-1]


def difference(search: Search, old: int, new: int) -> str:
    """Return a unified difference of the texts of two plans."""
    before, after = (dsl.format_plan(search.plans[number]).splitlines() for number in (old, new))
    return "\n".join(difflib.unified_diff(before, after, f"plan {old}", f"plan {new}", lineterm="", n=2))


def family_page(search: Search, number: int) -> str:
    """Return a page in Markdown: the lineage of a plan, with moves, games, mean value and difference of each."""
    line = lineage(search, number)
    first = dsl.format_plan(search.plans[line[0]])
    made = len(search.plans) - 1
    blocks = [
        "# Family of the improved plan",
        f"{made} plans were made from the first one; the best of them is plan {number}, {len(line) - 1} generations of "
        "changes away from it. The value of a game is 1 for a win, else less; a mean is over all games of a plan in "
        "the search, with its 95% interval.",
        f"## Plan {line[0]}, the first\n\n{_games(search, line[0])}\n\n```plan\n{first}\n```",
    ]
    for old, new in pairwise(line):
        moves = ", ".join(search.first[new].moves)
        blocks.append(
            f"## Plan {new}, from plan {old}\n\nMoves: {moves}. {_games(search, new)}\n\n"
            f"```diff\n{difference(search, old, new)}\n```"
        )
    return "\n\n".join(blocks) + "\n"


def _games(search: Search, number: int) -> str:
    values = bounded(search.values[number])
    low, high = interval(values)
    won = sum(value == 1 for value in values)
    return f"{len(values)} games, {won} won; mean value {sum(values) / len(values):.3f} ({low:.2f} to {high:.2f})."
