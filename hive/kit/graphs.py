"""What can be reached in a graph."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

T = TypeVar("T", bound=Hashable)


def reached(starts: Iterable[T], after: Callable[[T], Iterable[T]]) -> set[T]:
    """Return what can be reached in any number of steps, the starts among it.

    Args:
        starts: Where the steps begin.
        after: Returns where one step leads.
    """
    found = set(starts)
    waiting = list(found)
    while waiting:
        new = set(after(waiting.pop())) - found
        found |= new
        waiting += new
    return found
