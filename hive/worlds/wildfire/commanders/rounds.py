"""Routing: which unit visits which places in which order, so that the last place is done early."""

from __future__ import annotations

from collections.abc import Callable

Leg = Callable[[int, int | None, int], float]
"""`leg(unit, previous place or None for the unit's position, place)`: ticks to go to the place and finish it."""


def share_out(units: int, places: int, leg: Leg) -> list[list[int]]:
    """Return for each unit the places that it visits, in order.

    Places are inserted one after another where they delay the end least, those that take longest first; then each is
    moved as long as that improves the result. Ties go to the lower unit, so the result is deterministic.

    Args:
        units: Number of units, at least 1.
        places: Number of places.
        leg: Ticks that a place takes.
    """
    rounds: list[list[int]] = [[] for _ in range(units)]
    alone = [min(leg(unit, None, place) for unit in range(units)) for place in range(places)]
    for place in sorted(range(places), key=lambda place: -alone[place]):
        _insert(rounds, place, leg)
    for _ in range(3):
        before = [list(each) for each in rounds]
        for place in range(places):
            for each in rounds:
                if place in each:
                    each.remove(place)
            _insert(rounds, place, leg)
        if rounds == before:
            break
    return rounds


def length_of(unit: int, places: list[int], leg: Leg) -> float:
    """Ticks of one unit's route."""
    total, last = 0.0, None
    for place in places:
        total += leg(unit, last, place)
        last = place
    return total


def _insert(rounds: list[list[int]], place: int, leg: Leg) -> None:
    lengths = [length_of(unit, each, leg) for unit, each in enumerate(rounds)]
    best: tuple[float, float, int, int] | None = None
    for unit, each in enumerate(rounds):
        others = max([length for other, length in enumerate(lengths) if other != unit], default=0.0)
        for at in range(len(each) + 1):
            length = length_of(unit, [*each[:at], place, *each[at:]], leg)
            option = (max(others, length), length - lengths[unit], unit, at)
            best = option if best is None else min(best, option)
    assert best is not None
    rounds[best[2]].insert(best[3], place)
