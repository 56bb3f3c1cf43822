"""What a message tells, found in its text: the typed part that the world delivers (docs/rules/household.md 10.3)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from hive.worlds.household.options import TURN_LEFT, TURN_RIGHT, ExtraKind, OptionKind, index
from hive.worlds.household.texts import Texts

_NAME = re.compile(r"<([^<>]+)> ?\((\d+)\)")


@dataclass(frozen=True)
class Told:
    """The typed part of one message.

    Attributes:
        objects: Objects that it names; the sender tells where it knows them to be.
        containers: Furniture that it names; the sender tells of containers whether it knows them to be checked.
        rooms: Rooms that it names; the sender tells whether it knows them, and whether the goal place is there.
    """

    objects: tuple[int, ...] = ()
    containers: tuple[int, ...] = ()
    rooms: tuple[int, ...] = ()


@dataclass(frozen=True)
class Names:
    """The things of an episode by the words in which texts name them."""

    texts: Texts

    @cached_property
    def objects(self) -> dict[str, int]:
        """Numbers of the objects."""
        return {self.texts.thing(number): number for number in range(len(self.texts.episode.things))}

    @cached_property
    def furniture(self) -> dict[str, int]:
        """Numbers of the containers and surfaces."""
        return {self.texts.furniture(k): k for k in range(len(self.texts.episode.apartment.receptacles))}

    @cached_property
    def rooms(self) -> dict[str, int]:
        """Numbers of the rooms."""
        return {self.texts.room(number): number for number in range(len(self.texts.episode.apartment.rooms))}

    @cached_property
    def options(self) -> dict[str, int]:
        """Numbers of the options that name a thing, by their words, and of turns where agents turn."""
        parts: list[tuple[OptionKind | ExtraKind, dict[str, int]]] = [
            (OptionKind.EXPLORE, self.rooms),
            (OptionKind.CHECK, self.furniture),
            (OptionKind.GRAB, self.objects),
            *([(ExtraKind.CLOSE, self.furniture)] if self.texts.episode.closing else []),
        ]
        found = [index(kind, number) for kind, things in parts for number in things.values()]
        found += [TURN_LEFT, TURN_RIGHT] if self.texts.episode.turning else []
        return {self.texts.option(option): option for option in found}


def read_message(text: str, names: Names) -> Told:
    """Return what a text tells: only of things that it names as `<name> (number)`.

    Args:
        text: The message, as it is sent.
        names: The things of the episode.
    """
    named = [f"<{name}> ({number})" for name, number in _NAME.findall(text)]
    return Told(
        objects=_found(named, names.objects),
        containers=_found(named, names.furniture),
        rooms=_found(named, names.rooms),
    )


def _found(named: Iterable[str], things: Mapping[str, int]) -> tuple[int, ...]:
    return tuple(sorted({things[name] for name in named if name in things}))
