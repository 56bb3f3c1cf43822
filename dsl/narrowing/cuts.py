"""Cut points of a team: the ids at which the slices of a narrowed grammar begin and end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dsl.wording import plural

MOST_CUTS = 250
"""Most cut points of a team."""


@dataclass(frozen=True)
class Cuts:
    """Cut points of a team.

    Attributes:
        points: Rising ids, from 0 to the size of the team; both belong to them.
        remark: How they were chosen; empty when every id is one.
    """

    points: tuple[int, ...]
    remark: str = ""


def choose_cuts(side: str, size: int, most: int, borders: tuple[int, ...] = ()) -> Cuts:
    """Choose the cut points of a team: every id if there are few, else round numbers and the borders between types.

    Args:
        side: What the remark calls the team.
        size: Units of the team.
        most: Most cut points after 0, at least 1.
        borders: Ids at which another type of units begins.
    """
    if size <= most:
        return Cuts(tuple(range(size + 1)))
    for kept in (borders, ()):
        for step in _round_numbers(size):
            if -(-size // step) > most:  # too many without the borders already; a huge team is never listed
                continue
            points = sorted({*range(0, size, step), *kept, size})
            if len(points) <= most + 1:
                return Cuts(tuple(points), _remark(side, size, step, points, kept))
    raise AssertionError("a step as large as the team leaves one cut point")


def _round_numbers(size: int) -> Iterator[int]:
    """Yield 1, 2, 5, 10, 20, 50, … and `size` as the last."""
    power = 1
    while True:
        for digit in (1, 2, 5):
            if digit * power >= size:
                yield size
                return
            yield digit * power
        power *= 10


def _remark(side: str, size: int, step: int, points: list[int], borders: tuple[int, ...]) -> str:
    others = [str(border) for border in borders if border % step]
    also = f", and at {', '.join(others)}, where another group of units begins" if others else ""
    where = f"at multiples of {step}" if step < size else "at its ends"
    return f"{side} has {size} units: slices begin and end {where}{also} ({plural(len(points) - 1, 'cut point')})"
