"""Sets of ids as disjoint ranges in rising order, so that the work does not grow with the size of a team."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter
from typing import TypeAlias

from dsl.nodes import UnitList, UnitSlice
from dsl.source import Span

Ranges: TypeAlias = tuple[tuple[int, int], ...]
"""Disjoint ranges `[start, stop)` in rising order, none of them empty, no two of them adjacent."""

_START, _STOP = itemgetter(0), itemgetter(1)


def ranges(pairs: Iterable[tuple[int, int]]) -> Ranges:
    """Return the union of ranges `[start, stop)`, which may overlap or be empty."""
    merged: list[tuple[int, int]] = []
    for start, stop in sorted(pairs):
        if start >= stop:
            continue
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(stop, merged[-1][1])
        else:
            merged.append((start, stop))
    return tuple(merged)


def ranges_of(units: UnitList, size: int | None) -> Ranges | None:
    """Return the ids of a list in a team of `size` units; None: the size is not known and the list has no end."""
    bounds = units.bounds()
    if size is None and any(stop is None for _, stop in bounds):
        return None
    return ranges((start, size or 0) if stop is None else (start, stop) for start, stop in bounds)


def count(ids: Ranges) -> int:
    """Return how many ids there are."""
    return sum(stop - start for start, stop in ids)


def lowest(ids: Iterable[tuple[int, int]], most: int) -> Ranges:
    """Return the lowest ids, at most so many; of ranges that are made on demand it takes no more than it needs."""
    taken: list[tuple[int, int]] = []
    if most <= 0:
        return ()
    for start, stop in ids:
        taken.append((start, min(stop, start + most)))
        most -= stop - start
        if most <= 0:
            break
    return tuple(taken)


def split(ids: Ranges, parts: int) -> tuple[Ranges, ...]:
    """Return so many stretches of ids, in rising order, whose sizes differ by one at most."""
    size, pieces, rest = count(ids), [], ids
    for part in range(parts):
        piece = lowest(rest, size * (part + 1) // parts - size * part // parts)
        pieces.append(piece)
        rest = tuple(without(rest, piece))
    return tuple(pieces)


def without(ids: Iterable[tuple[int, int]], others: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the ranges of those ids that are not among others."""
    for start, stop in ids:
        place = bisect_right(others, start, key=_STOP)
        while place < len(others) and others[place][0] < stop:
            low, high = others[place]
            if start < low:
                yield start, low
            start, place = max(start, high), place + 1
        if start < stop:
            yield start, stop


def add(ids: list[tuple[int, int]], more: Ranges) -> None:
    """Put ids into a list of disjoint ranges in rising order."""
    for start, stop in more:
        first = bisect_left(ids, start, key=_STOP)
        last = bisect_right(ids, stop, lo=first, key=_START)
        if first < last:
            start, stop = min(start, ids[first][0]), max(stop, ids[last - 1][1])
        ids[first:last] = [(start, stop)]


def unit_list(ids: Ranges, span: Span) -> UnitList:
    """Return ids as a plan lists them, all of them with one span."""
    items = tuple(start if stop == start + 1 else UnitSlice(start, stop) for start, stop in ids)
    return UnitList(items, span, (span,) * len(items))
