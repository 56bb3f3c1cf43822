"""How much one client may ask of the server."""

from __future__ import annotations

from dataclasses import dataclass

from dsl import UserError
from dsl.wording import plural

NAME = 100
"""Most characters of a name."""

SIDE = 512
"""Longest side, in cells, of the map of a wildfire level that a client changes."""

POSITIONS = 10_000_000
"""Most positions of units, over all ticks, in a saved replay."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The limits that the user sets; what exceeds one is refused with its number.

    Attributes:
        units: Units of both teams of a game.
        games: Live games.
        seeds: Games of one batch.
        ticks: Ticks of one call of `step`.
        seconds: Time for one call. Compiling a program is not interrupted, and counts for a step alone.
        calls: Calls at the same time.
        plan: Characters of a plan.
    """

    units: int = 4_000
    games: int = 8
    seeds: int = 20
    ticks: int = 1_000
    seconds: int = 50
    calls: int = 4
    plan: int = 50_000


def check_most(what: str, number: float, most: int, unit: str) -> None:
    """Refuse more than is allowed.

    Raises:
        UserError: `number` is above `most`.
    """
    if number > most:
        raise UserError(f"{what} of this server is {plural(most, unit)}, and {number:,} are asked for")


def check_whole(name: str, value: int, least: int) -> None:
    """Refuse a number below the least.

    Raises:
        UserError: `value` is below `least`.
    """
    if value < least:
        raise UserError(f"`{name}` is a whole number from {least} on, not {value}")
