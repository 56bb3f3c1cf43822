"""Episodes as files: what lies where in an apartment, what is wanted, and where the agents start.

The rules are in docs/rules/household.md 2.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from dsl.wording import listing
from hive.worlds.household import classes
from hive.worlds.household.apartment import Apartment, Point, apartment, apartments, known, numbered, read_apartment
from hive.worlds.household.codes import AGENTS, GOALS, OBJECTS
from hive.worlds.household.reading import Reader, read_text, shipped, shipped_names

RULE_SETS = {"housework": 250, "transport": 300}
"""Sets of rules, with the ticks of an episode."""

AGENT_NAMES = ("Alice", "Bob", "Carol", "Dave")
"""Names of the agents, in their order."""


@dataclass(frozen=True)
class PlacedObject:
    """An object at the start: on or in a receptacle, or on the floor at a point of a room."""

    name: str  # such as `cupcake_2`
    kind: str
    place: int | None  # receptacle; None: on the floor
    room: int = 0  # of the floor
    at: Point = (0.0, 0.0)  # on the floor


@dataclass(frozen=True)
class Start:
    """Where an agent starts."""

    room: int
    at: Point


@dataclass(frozen=True)
class HouseholdEpisode:
    """A task in an apartment.

    Attributes:
        name: Name for tables and run folders.
        apartment: Where it happens.
        task: What is done, such as `wash dishes`.
        goal_place: The receptacle that everything wanted goes to.
        goals: Class and number of each wanted kind of object; any instances count.
        things: The objects, numbered by their places.
        starts: One to four; further agents share them in order (docs/rules/household.md 2.3).
        limit: Ticks until the episode ends unfinished.
        rules: One of `RULE_SETS`: housework, or transport (docs/rules/household.md 9).
    """

    name: str
    apartment: Apartment
    task: str
    goal_place: int
    goals: tuple[tuple[str, int], ...]
    things: tuple[PlacedObject, ...]
    starts: tuple[Start, ...]
    limit: int = RULE_SETS["housework"]
    rules: str = "housework"

    @cached_property
    def wanted(self) -> int:
        """Number of objects that are wanted."""
        return sum(count for _, count in self.goals)

    @property
    def relation(self) -> str:
        """`on` or `in`, as the goal place asks."""
        return classes.relation(self.apartment.receptacles[self.goal_place].kind)

    def problems(self) -> list[tuple[str, str, str]]:
        """Return what is wrong with it, as code, message and place."""
        found = []
        if not 1 <= len(self.things) <= OBJECTS:
            found.append(("size", f"an episode has 1 to {OBJECTS} objects, here {len(self.things)}", "things"))
        if not 1 <= len(self.starts) <= AGENTS:
            found.append(("size", f"an episode has 1 to {AGENTS} starts, here {len(self.starts)}", "starts"))
        if not 1 <= len(self.goals) <= GOALS:
            found.append(("goal", f"a goal names 1 to {GOALS} classes, here {len(self.goals)}", "goals"))
        there = Counter(each.kind for each in self.things)
        for kind, count in self.goals:
            if self.rules == "transport" and kind in classes.CARRIERS:
                message = f"`{kind}` is a container in transport: it is lost at the goal place and cannot be wanted"
                found.append(("goal", message, f"goals.{kind}"))
            if there[kind] < count:
                message = f"the goal asks for {count} of `{kind}`, and the episode has {there[kind]}"
                found.append(("goal", message, f"goals.{kind}"))
        for number, start in enumerate(self.starts):
            room = self.apartment.rooms[start.room]
            if not room.holds(start.at):
                found.append(("outside", f"the start is outside the room `{room.name}`", f"starts[{number}].at"))
        done = Counter(each.kind for each in self.things if each.place == self.goal_place)
        if self.goals and all(done[kind] >= count for kind, count in self.goals):
            found.append(("goal", "everything that is wanted lies at the goal place at the start", "goals"))
        return found


def read_episode(text: str, source: str = "episode", folder: Path | None = None) -> HouseholdEpisode:
    """Read an episode from TOML.

    Args:
        text: Content of the file.
        source: Name of the file, for messages.
        folder: Where an apartment that is given as a file is looked for; None: shipped apartments alone.

    Raises:
        ScenarioError: Something in it cannot be used, or the goal cannot be met.
    """
    reader = Reader(source, text)
    table = reader.table
    reader.only(table, ("apartment", "task", "rules", "goal_place", "goals", "things", "starts", "limit"))
    home = _apartment(reader, reader.value(table, "apartment", str), folder)
    goal_place = reader.value(table, "goal_place", str)
    known(reader, goal_place, home.receptacle, "furniture", "goal_place")
    goals = reader.value(table, "goals", dict)
    for kind in goals:
        known(reader, kind, classes.OBJECTS, "class of objects", f"goals.{kind}")
    counts = tuple((kind, reader.value(goals, kind, int, "goals")) for kind in goals)
    bodies = [_thing(reader, place, body, home) for place, body in reader.tables(table, "things")]
    starts = tuple(_start(reader, place, body, home) for place, body in reader.tables(table, "starts"))
    rules = reader.value(table, "rules", str, default="housework")
    known(reader, rules, RULE_SETS, "set of rules", "rules")
    limit = reader.value(table, "limit", int, default=RULE_SETS.get(rules, 1))
    task = reader.value(table, "task", str)
    reader.finish()
    names = numbered(body["kind"] for body in bodies)
    things = tuple(PlacedObject(name=name, **body) for name, body in zip(names, bodies, strict=True))
    episode = HouseholdEpisode(source, home, task, home.receptacle[goal_place], counts, things, starts, limit, rules)
    for code, message, place in episode.problems():
        reader.add(code, message, place)
    reader.finish()
    return episode


@cache
def episode(name: str | Path) -> HouseholdEpisode:
    """Return a shipped episode by its name, or that of a file.

    Raises:
        ScenarioError: The file cannot be used.
    """
    if isinstance(name, Path):
        return read_episode(read_text(name), str(name), name.parent)
    return read_episode(shipped("transport" if name in transports() else "episodes", name), name)


def episodes() -> tuple[str, ...]:
    """Return the names of the shipped episodes of housework."""
    return shipped_names("episodes")


def transports() -> tuple[str, ...]:
    """Return the names of the shipped transport episodes."""
    return shipped_names("transport")


def _apartment(reader: Reader, name: str, folder: Path | None) -> Apartment:
    if name in apartments():
        return apartment(name)
    if folder is None or not name.endswith(".toml"):
        help = f"apartments are {listing(apartments(), 'and')}, or a `.toml` file next to the episode"
        reader.add("unknown", f"there is no apartment `{name}`", "apartment", help)
        reader.finish()
    return read_apartment(read_text((folder or Path()) / name), str((folder or Path()) / name))


def _thing(reader: Reader, place: str, body: dict[str, Any], home: Apartment) -> dict[str, Any]:
    reader.only(body, ("class", "place", "room", "at"), place)
    kind = reader.value(body, "class", str, place)
    known(reader, kind, classes.OBJECTS, "class of objects", f"{place}.class")
    if "place" in body:
        where = reader.value(body, "place", str, place)
        known(reader, where, home.receptacle, "furniture", f"{place}.place")
        return {"kind": kind, "place": home.receptacle.get(where, 0)}
    start = _start(reader, place, {key: value for key, value in body.items() if key != "class"}, home)
    return {"kind": kind, "place": None, "room": start.room, "at": start.at}


def _start(reader: Reader, place: str, body: dict[str, Any], home: Apartment) -> Start:
    reader.only(body, ("room", "at"), place)
    room = reader.value(body, "room", str, place)
    known(reader, room, home.room, "room", f"{place}.room")
    x, y = reader.numbers(body, "at", 2, place)
    return Start(home.room.get(room, 0), (x, y))
