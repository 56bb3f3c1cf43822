"""Units of a group as stretches of ids: disjoint, in ascending order, none empty and no two adjacent."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import dsl

Stretches = tuple[tuple[int, int], ...]
"""First id and excluded end of each stretch."""


def stretches_of(units: dsl.UnitList, size: int) -> Stretches:
    """Return the units that a list names in a team of `size`."""
    return joined((start, size if stop is None else min(stop, size)) for start, stop in units.bounds())


def unit_list(stretches: Stretches, size: int) -> dsl.UnitList:
    """Return the list that names these units of a team of `size`; `all` for the complete team."""
    if stretches == ((0, size),):
        return dsl.UnitList(None)
    return dsl.UnitList(tuple(dsl.UnitSlice(start, stop) for start, stop in stretches))


def joined(parts: Iterable[tuple[int, int]]) -> Stretches:
    """Return the union of stretches, which may overlap and be empty."""
    found: list[tuple[int, int]] = []
    for start, stop in sorted(part for part in parts if part[0] < part[1]):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(stop, found[-1][1]))
        else:
            found.append((start, stop))
    return tuple(found)


def without(units: Stretches, others: Stretches) -> Stretches:
    """Return the units that are not among the others."""
    left = list(units)
    for start, stop in others:
        left = [part for a, b in left for part in ((a, min(b, start)), (max(a, stop), b)) if part[0] < part[1]]
    return tuple(left)


def count(units: Stretches) -> int:
    """Return the number of units."""
    return sum(stop - start for start, stop in units)


def cut(units: Stretches, parts: int) -> list[Stretches]:
    """Divide units into parts of nearly equal size, in the order of ids; some parts are empty if there are too few."""
    total = count(units)
    bounds = [number * total // parts for number in range(parts + 1)]
    found: list[Stretches] = []
    for low, high in pairwise(bounds):
        part, seen = [], 0
        for start, stop in units:
            first, last = max(start, start + low - seen), min(stop, start + high - seen)
            if first < last:
                part.append((first, last))
            seen += stop - start
        found.append(tuple(part))
    return found


def at_boundaries(units: Stretches, ends: Iterable[int]) -> list[Stretches]:
    """Divide units at ids, such as the ends of the blocks of one type; no part is empty."""
    found, first = [], 0
    for end in (*ends, 10**9):
        part = joined((max(start, first), min(stop, end)) for start, stop in units)
        if part:
            found.append(part)
        first = end
    return found
