"""Missions: what the player has to do, where, and until when.

Rules: docs/rules/drawn.md 4.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isqrt
from typing import Literal

from hive.worlds.battle.drawn.dice import Dice
from hive.worlds.battle.drawn.land import Area, Land, NoRoomError
from hive.worlds.battle.drawn.sketch import Part, Point

Kind = Literal["eliminate", "reach", "hold", "break", "escort", "survive"]

WEIGHTS: Mapping[Kind, int] = {"eliminate": 26, "reach": 18, "hold": 18, "break": 14, "escort": 12, "survive": 12}
"""How often each mission is drawn."""

WALKED: tuple[Kind, ...] = ("reach", "break", "escort")
"""Missions in which the player goes to a place."""

KEPT: tuple[Kind, ...] = ("hold", "survive")
"""Missions that the player has won when their time is over."""

_HOME: Mapping[Kind, tuple[int, int, int, int]] = {  # where the player starts, in percent of the sketch
    "hold": (15, 8, 85, 52),
    "survive": (15, 8, 85, 42),
}
_USUAL_HOME = (12, 3, 88, 27)


@dataclass(frozen=True)
class Mission:
    """A mission.

    Attributes:
        kind: Its kind.
        places: Where the player has to go, or what it has to hold; empty for the other kinds.
        radius: Metres from a place that count as being there.
        share: Percent of the player's units that must be there, or must live at the end; 0: one unit.
        until: The tick until which a place is held or the army survives; 0: there is none.
    """

    kind: Kind
    places: tuple[Point, ...] = ()
    radius: int = 3
    share: int = 0
    until: int = 0


def home(kind: Kind, land: Land) -> Area:
    """Return the cells in which the player starts."""
    return land.box(*_HOME.get(kind, _USUAL_HOME))


def draw_places(dice: Dice, land: Land, kind: Kind) -> tuple[Point, ...]:
    """Return the places of a mission; none for missions without places.

    Raises:
        NoRoomError: The map has no room for them.
    """
    if kind in WALKED:
        far = land.box(6, 70, 94, 97)
        parts = _inside(land, far)
        return (land.near(dice.pick(parts).middle, 2) if parts and dice.chance(45) else land.place(dice, far, 2),)
    if kind != "hold":
        return ()
    near = land.box(12, 12, 88, 50)
    parts = dice.shuffled(_inside(land, near))
    places: list[Point] = []
    for _ in range(dice.weighted({1: 5, 2: 3, 3: 2} if land.size > 80 else {1: 6, 2: 2})):
        for attempt in range(8):
            part = parts.pop() if parts and dice.chance(60) else None
            place = land.near(part.middle, 2) if part else land.place(dice, near, 2)
            if all(_apart(place, other) >= land.size // 5 for other in places):
                places.append(place)
                break
            if attempt == 7:
                raise NoRoomError
    return tuple(sorted(places))


def draw_mission(dice: Dice, kind: Kind, places: tuple[Point, ...], counts: Mapping[str, int], limit: int) -> Mission:
    """Return a mission with its numbers.

    Args:
        dice: Draws them.
        kind: Its kind.
        places: Its places, from `draw_places`.
        counts: The player's units by type.
        limit: Ticks until the battle times out.
    """
    until = limit * dice.between(4, 7) // 10
    if kind == "hold":
        return Mission(kind, places, radius=5, until=until)
    if kind == "survive":
        return Mission(kind, share=10 * dice.between(1, 4), until=until)
    if kind == "break":
        return Mission(kind, places, room_for(sum(counts.values())), share=10 * dice.between(3, 6))
    if kind == "escort":
        return Mission(kind, places, room_for(counts["civilian"]), share=10 * dice.between(5, 8))
    return Mission(kind, places)


def civilians_for(kind: Kind, total: int) -> int:
    """Return how many civilians the player has to bring along, of so many units of both sides."""
    return max(4, total // 12) if kind == "escort" else 0


def room_for(count: int) -> int:
    """Return the radius in metres of a place for a crowd: 4 m more than that of plans for spearmen (plans.md 3.4)."""
    return 4 + isqrt(count * 36 // 100)


def _inside(land: Land, area: Area) -> list[Part]:
    """Return the parts of a map in whose middle an army may gather, as far as they lie in some cells."""
    x0, y0, x1, y1 = area
    good = [part for part in land.parts if part.role in ("island", "town", "farm", "bridge", "pass")]
    return [part for part in good if x0 <= part.middle[0] <= x1 and y0 <= part.middle[1] <= y1]


def _apart(one: Point, other: Point) -> int:
    """Return the distance of two places in whole metres, rounded down."""
    return isqrt((one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2)
