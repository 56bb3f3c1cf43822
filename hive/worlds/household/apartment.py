"""Apartments as files: rooms, the doors between them, and furniture (docs/rules/household.md 1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Annotated

from msgspec import Meta, field

from dsl.wording import listing
from hive.kit.graphs import reached
from hive.kit.keep.reading import Reader, Record, hint, names, read_text
from hive.worlds.household import classes
from hive.worlds.household.codes import DOORS, RECEPTACLES, ROOMS
from hive.worlds.household.reading import Metres, shipped, shipped_names

Point = tuple[Metres, Metres]
"""(x, y) in metres."""

SLACK = 0.75
"""Metres by which furniture may stand outside the box of its room, since the published boxes are rounded."""

EXTENT = 30.0
"""Metres of the longest side of an apartment, so that squares of lengths in millimetres fit into 32 bits."""


@dataclass(frozen=True)
class ApartmentRoom:
    """A room; its box is for drawing and for choosing places."""

    name: str
    kind: str  # one of `classes.ROOMS`
    centre: Point
    size: Point

    def holds(self, point: Point, slack: float = SLACK) -> bool:
        """Whether a point is in the box, or at most `slack` metres outside it."""
        return all(abs(point[i] - self.centre[i]) <= self.size[i] / 2 + slack for i in range(2))


@dataclass(frozen=True)
class Door:
    """An open door between two rooms, given by their numbers."""

    rooms: tuple[int, int]
    at: Point


@dataclass(frozen=True)
class Receptacle:
    """Furniture that holds objects."""

    name: str  # such as `kitchencabinet_3`; the class alone where the apartment has one of it
    kind: str  # one of `classes.CONTAINERS` or `classes.SURFACES`
    room: int
    at: Point  # centre
    size: Point = (0.6, 0.6)  # for drawing

    @property
    def closes(self) -> bool:
        """Whether it is a container, closed at the start."""
        return self.kind in classes.CONTAINERS


@dataclass(frozen=True)
class Apartment:
    """An apartment without objects and agents; numbers of rooms and receptacles are their places in the tuples."""

    name: str
    rooms: tuple[ApartmentRoom, ...]
    doors: tuple[Door, ...]
    receptacles: tuple[Receptacle, ...]

    @cached_property
    def room(self) -> dict[str, int]:
        """Numbers of the rooms, by name."""
        return {room.name: number for number, room in enumerate(self.rooms)}

    @cached_property
    def receptacle(self) -> dict[str, int]:
        """Numbers of the receptacles, by name."""
        return {each.name: number for number, each in enumerate(self.receptacles)}

    def problems(self) -> list[tuple[str, str, str]]:
        """Return what is wrong with it, as code, message and place."""
        found = []
        for what, count, most in (
            ("rooms", len(self.rooms), ROOMS),
            ("doors", len(self.doors), DOORS),
            ("receptacles", len(self.receptacles), RECEPTACLES),
        ):
            if count > most:
                found.append(("size", f"an apartment has at most {most} {what}, here {count}", what))
        if not self.rooms:
            found.append(("size", "an apartment has at least one room", "rooms"))
        for what, given in (
            ("rooms", [each.name for each in self.rooms]),
            ("receptacles", [each.name for each in self.receptacles]),
        ):
            for name, count in Counter(given).items():
                if count > 1:
                    found.append(("twice", f"the name `{name}` stands for {count} {what}", what))
        points = [room.centre for room in self.rooms] + [door.at for door in self.doors]
        points += [each.at for each in self.receptacles]
        if any(max(each) - min(each) > EXTENT for each in zip(*points, strict=True)):
            found.append(("size", f"an apartment fits into {EXTENT:g} by {EXTENT:g} metres", "rooms"))
        for number, each in enumerate(self.receptacles):
            if not self.rooms[each.room].holds(each.at):
                message = f"`{each.name}` stands outside the room `{self.rooms[each.room].name}`"
                found.append(("outside", message, f"receptacles[{number}].at"))
        apart = self.unreached()
        if apart:
            others = listing([self.rooms[each].name for each in apart], "and")
            found.append(("unconnected", f"no way leads from `{self.rooms[0].name}` to {others}", "doors"))
        return found

    def unreached(self) -> list[int]:
        """Return the rooms that cannot be reached from the first one."""
        joined = reached([0], lambda here: (room for door in self.doors if here in door.rooms for room in door.rooms))
        return [number for number in range(len(self.rooms)) if number not in joined]


class RoomTable(Record, frozen=True, kw_only=True):
    """A room in its file."""

    name: str
    kind: str | None = None  # None: the name without its number
    centre: Point
    size: tuple[Annotated[float, Meta(gt=0, le=1_000)], Annotated[float, Meta(gt=0, le=1_000)]]


class DoorTable(Record, frozen=True):
    """A door in its file, between two different rooms."""

    rooms: tuple[str, str]
    at: Point


class ReceptacleTable(Record, frozen=True, kw_only=True):
    """Furniture in its file."""

    kind: Annotated[str, names("class of furniture", (*classes.CONTAINERS, *classes.SURFACES))] = field(name="class")
    room: str
    at: Point
    size: Point = (0.6, 0.6)


class ApartmentFile(Record, frozen=True):
    """A file of an apartment."""

    name: str
    rooms: tuple[RoomTable, ...]
    doors: tuple[DoorTable, ...]
    receptacles: tuple[ReceptacleTable, ...]


def numbered(kinds: Iterable[str]) -> list[str]:
    """Name things by their classes: the class alone where there is one of it, else numbered from 1."""
    kinds = list(kinds)
    count, seen = Counter(kinds), Counter[str]()
    names = []
    for kind in kinds:
        seen[kind] += 1
        names.append(f"{kind}_{seen[kind]}" if count[kind] > 1 else kind)
    return names


def read_apartment(text: str, source: str = "apartment") -> Apartment:
    """Read an apartment from TOML.

    Args:
        text: Content of the file.
        source: Name of the file, for messages.

    Raises:
        ScenarioError: Something in it cannot be used, or a room cannot be reached.
    """
    reader = Reader("household", source, text)
    file = reader.table(ApartmentFile)
    rooms = tuple(_room(reader, number, each) for number, each in enumerate(file.rooms))
    reader.finish()
    numbers = {room.name: number for number, room in enumerate(rooms)}
    doors = tuple(_door(reader, f"doors[{number}].rooms", each, numbers) for number, each in enumerate(file.doors))
    for number, each in enumerate(file.receptacles):
        known(reader, each.room, numbers, "room", f"receptacles[{number}].room")
    reader.finish()
    named = zip(numbered(each.kind for each in file.receptacles), file.receptacles, strict=True)
    placed = tuple(Receptacle(name, each.kind, numbers[each.room], each.at, each.size) for name, each in named)
    apartment = Apartment(file.name, rooms, doors, placed)
    for code, message, place in apartment.problems():
        reader.add(code, message, place)
    reader.finish()
    return apartment


@cache
def apartment(name: str | Path) -> Apartment:
    """Return a shipped apartment by its name, or that of a file.

    Raises:
        ScenarioError: The file cannot be used.
    """
    if isinstance(name, Path):
        return read_apartment(read_text(name, "household-file"), str(name))
    return read_apartment(shipped("apartments", name), name)


def apartments() -> tuple[str, ...]:
    """Return the names of the shipped apartments."""
    return shipped_names("apartments")


def known(reader: Reader, name: str, options: Iterable[str], what: str, place: str) -> None:
    """Refuse a name that is unknown, unless its place has a problem already."""
    options = tuple(options)
    if name not in options and all(problem.place != place for problem in reader.found):
        reader.add("unknown-name", f"there is no {what} called `{name}`", place, hint(name, options))


def _room(reader: Reader, number: int, table: RoomTable) -> ApartmentRoom:
    kind = table.kind if table.kind is not None else table.name.rstrip("_0123456789")
    known(reader, kind, classes.ROOMS, "kind of room", f"rooms[{number}].kind")
    return ApartmentRoom(table.name, kind, table.centre, table.size)


def _door(reader: Reader, place: str, table: DoorTable, numbers: dict[str, int]) -> Door:
    for name in table.rooms:
        known(reader, name, numbers, "room", place)
    one, other = table.rooms
    if one == other:
        reader.add("door", "a door joins two different rooms", place)
    return Door((numbers.get(one, 0), numbers.get(other, 0)), table.at)
