"""Process metrics of one cook's trajectory: TES and ITES (docs/rules/kitchen.md 11.2).

A reference trajectory is an ordered list of an agent's own actions that completes the task with as few as possible. A
task has several alternatives. A history is the list of the agent's completed actions. Both are compared as canonical
texts (`str` of an action).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

BETA = 0.95
"""Weight of recall against precision in TES."""


def matched(history: Iterable[str], reference: Sequence[str]) -> int:
    """Return D: how many first elements of a reference occur in the history in this order, gaps allowed there."""
    count = 0
    for action in history:
        if count < len(reference) and action == reference[count]:
            count += 1
    return count


def tes(history: Sequence[str], references: Sequence[Sequence[str]], beta: float = BETA) -> float:
    """Return the trajectory efficiency score, 0 to 1: (1 + β²) D / (m + β² n) of the alternative that fits best.

    D is the number that `matched` returns, m the length of the alternative, and n that of the history.

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

    def score(reference: Sequence[str]) -> float:
        count = matched(history, reference)
        return (count + weight * count) / (len(reference) + weight * len(history))  # exactly 1 when all are equal

    return max(map(score, references))


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
