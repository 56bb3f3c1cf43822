"""Units of a group as `dsl.id_ranges.Ranges`: read from the list of a plan, written as one, and divided at ids."""

from __future__ import annotations

from collections.abc import Iterable

import dsl
from dsl.id_ranges import Ranges, ranges


def stretches_of(units: dsl.UnitList, size: int) -> Ranges:
    """Return the units that a list names in a team of `size`; ids beyond it are left out."""
    return ranges((start, size if stop is None else min(stop, size)) for start, stop in units.bounds())


def unit_list(units: Ranges, size: int) -> dsl.UnitList:
    """Return the list that names these units of a team of `size`: slices, or `all` for the complete team."""
    if units == ((0, size),):
        return dsl.UnitList(None)
    return dsl.UnitList(tuple(dsl.UnitSlice(start, stop) for start, stop in units))


def at_boundaries(units: Ranges, ends: Iterable[int]) -> list[Ranges]:
    """Divide units at ids, such as the ends of the blocks of one type; no part is empty."""
    found, first = [], 0
    for end in (*ends, 10**9):
        part = ranges((max(start, first), min(stop, end)) for start, stop in units)
        if part:
            found.append(part)
        first = end
    return found
