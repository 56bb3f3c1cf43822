"""Options of an agent as one enumeration of integers (docs/rules/household.md 4).

An option is an action that takes one or more ticks, such as a walk to a container that ends when it is open. `index`
and `kind_of` translate between numbers and kinds with an argument: a room, a receptacle or an object.
"""

from __future__ import annotations

from enum import IntEnum

from hive.worlds.household.codes import OBJECTS, RECEPTACLES, ROOMS


class OptionKind(IntEnum):
    """Kinds of options."""

    WAIT = 0  # one tick
    SEND = 1  # one tick; the message is heard by all others
    PUT = 2  # put everything that is held on or in the goal place; in transport episodes: deliver it
    EXPLORE = 3  # go into a room
    CHECK = 4  # open a container
    GRAB = 5  # take an object into a free hand
    GOTO = 6  # transport episodes: go to a room
    PUT_IN = 7  # transport episodes: put the object in one hand into the container in the other


class ExtraKind(IntEnum):
    """Kinds of options of episodes that have the switch of their name; they come last (docs/rules/household.md 4.4)."""

    CLOSE = 8  # `closing`: close a container
    TURN_LEFT = 9  # `turning`: turn on the spot
    TURN_RIGHT = 10


_SIZES: dict[OptionKind | ExtraKind, int] = {
    OptionKind.WAIT: 1,
    OptionKind.SEND: 1,
    OptionKind.PUT: 1,
    OptionKind.EXPLORE: ROOMS,
    OptionKind.CHECK: RECEPTACLES,
    OptionKind.GRAB: OBJECTS,
    OptionKind.GOTO: ROOMS,
    OptionKind.PUT_IN: 1,
    ExtraKind.CLOSE: RECEPTACLES,
    ExtraKind.TURN_LEFT: 1,
    ExtraKind.TURN_RIGHT: 1,
}
FIRST = {kind: sum(_SIZES[each] for each in _SIZES if each < kind) for kind in _SIZES}
"""Number of the first option of each kind."""

COUNT = sum(_SIZES[kind] for kind in OptionKind)
"""Number of options O of an episode without switches."""

FULL = sum(_SIZES.values())
"""Number of options O of an episode with a switch; those of kinds whose switch is off are never legal."""

WAIT, SEND, PUT = FIRST[OptionKind.WAIT], FIRST[OptionKind.SEND], FIRST[OptionKind.PUT]
EXPLORE, CHECK, GRAB = FIRST[OptionKind.EXPLORE], FIRST[OptionKind.CHECK], FIRST[OptionKind.GRAB]
GOTO, PUT_IN = FIRST[OptionKind.GOTO], FIRST[OptionKind.PUT_IN]
CLOSE, TURN_LEFT, TURN_RIGHT = (FIRST[kind] for kind in ExtraKind)

FULL_KIND = tuple(int(kind) for kind in _SIZES for _ in range(_SIZES[kind]))
"""Kind of each option, those of switches too."""
ARGUMENT = tuple(number for kind in _SIZES for number in range(_SIZES[kind]))
"""Argument of each option: the number of a room, receptacle or object; 0 where a kind has none."""
KIND = FULL_KIND[:COUNT]
"""Kind of each option of an episode without switches."""


def index(kind: OptionKind | ExtraKind, argument: int = 0) -> int:
    """Return the number of an option.

    Args:
        kind: What is done.
        argument: Room of EXPLORE and GOTO, receptacle of CHECK and CLOSE, object of GRAB.

    Raises:
        ValueError: The argument is out of range; a mistake of the caller.
    """
    if not 0 <= argument < _SIZES[kind]:
        raise ValueError(f"{kind.name} takes an argument from 0 to {_SIZES[kind] - 1}, not {argument}")
    return FIRST[kind] + argument


def kind_of(option: int) -> tuple[OptionKind | ExtraKind, int]:
    """Return kind and argument of an option, from 0 to `FULL - 1`."""
    number = FULL_KIND[option]
    return OptionKind(number) if number < len(OptionKind) else ExtraKind(number), ARGUMENT[option]
