"""Process metrics of one cook's trajectory: TES and ITES (docs/rules/kitchen.md 11.2).

A reference trajectory is an ordered list of an agent's own actions that completes the task with as few as possible. A
task has several alternatives. A history is the list of the agent's completed actions. Both are compared as canonical
texts (`str` of an action).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

BETA = 0.95
"""Weight of recall against precision in TES."""


@dataclass(frozen=True)
class TrajectoryMatch:
    """How well a history follows the alternative that it follows best.

    Attributes:
        tes: Trajectory efficiency score, 0 to 1.
        matched: D: length of the longest beginning of the alternative that occurs in the history in this order.
        reference: m: length of the alternative.
        taken: n: length of the history.
        alternative: Index of the alternative; the first of equally good ones.
    """

    tes: float
    matched: int
    reference: int
    taken: int
    alternative: int


def matched(history: Iterable[str], reference: Sequence[str]) -> int:
    """Return D: how many first elements of a reference occur in the history in this order, gaps allowed there."""
    count = 0
    for action in history:
        if count < len(reference) and action == reference[count]:
            count += 1
    return count


def match(history: Sequence[str], references: Sequence[Sequence[str]], beta: float = BETA) -> TrajectoryMatch:
    """Compare a history with every alternative and return the best match: the maximum of (1 + β²) D / (m + β² n).

    Args:
        history: The agent's completed actions in order.
        references: The alternatives, at least one, none of them empty.
        beta: β, above 0.

    Raises:
        ValueError: There is no alternative, or one is empty.
    """
    if not references or not all(references):
        raise ValueError("TES needs at least one reference trajectory, and none may be empty")
    weight = beta * beta
    found = []
    for index, reference in enumerate(references):
        count, length = matched(history, reference), len(reference)
        score = (count + weight * count) / (length + weight * len(history))  # exactly 1 when all are equal
        found.append(TrajectoryMatch(score, count, length, len(history), index))
    return max(found, key=lambda each: each.tes)  # the first of the best


def tes(history: Sequence[str], references: Sequence[Sequence[str]], beta: float = BETA) -> float:
    """Return the trajectory efficiency score of a history, 0 to 1; the arguments are those of `match`."""
    return match(history, references, beta).tes


def ites(
    actions: Sequence[str], history: Sequence[str], references: Sequence[Sequence[str]], beta: float = BETA
) -> float:
    """Return how much further actions would add to TES: above 0 they advance the task.

    The best alternative is chosen separately before and after.
    """
    return tes([*history, *actions], references, beta) - tes(history, references, beta)


def known(actions: Iterable[str], universe: Collection[str]) -> tuple[list[str], list[str]]:
    """Split actions into those that the agent can be scored for and the others, each in order."""
    listed = list(actions)
    return [each for each in listed if each in universe], [each for each in listed if each not in universe]
