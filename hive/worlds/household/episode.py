"""Episodes as files: what lies where in an apartment, what is wanted, and where the agents start.

The rules are in docs/rules/household.md 2.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta, field

from dsl import UserError
from dsl.wording import listing
from hive.kit.keep.reading import Reader, Record, TableError, names, read_text
from hive.worlds.household import classes
from hive.worlds.household.apartment import Apartment, Point, apartment, apartments, known, numbered, read_apartment
from hive.worlds.household.codes import AGENTS, GOALS, OBJECTS
from hive.worlds.household.reading import shipped, shipped_names

RULE_SETS = {"housework": 250, "transport": 300}
"""Sets of rules, with the ticks of an episode."""

_Kind = Annotated[str, names("class of objects", classes.OBJECTS)]

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
        closing: Whether agents may close containers; a switch (`switched`), not in files of episodes.
        turning: Whether agents see only what they face and may turn; a switch too.
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
    closing: bool = False
    turning: bool = False

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


SWITCHES = "closing", "turning"
"""Settings that are on or off, and off by default (docs/rules/household.md 4.4)."""


def switched(episode: HouseholdEpisode, settings: Mapping[str, Any]) -> HouseholdEpisode:
    """Return an episode with the switches of some settings.

    Args:
        episode: The episode.
        settings: Of `SWITCHES` those that are given, each true or 1, or false or 0; others have no effect here.

    Raises:
        UserError: A switch is neither on nor off, or has nothing to do in the episode.
    """
    given = {name: settings[name] for name in SWITCHES if name in settings}
    for name, value in given.items():
        if value not in (0, 1):
            raise UserError(f"the switch `{name}` is 0 or 1, not {value}")
    if given.get("closing") and not any(each.closes for each in episode.apartment.receptacles):
        raise UserError(
            f"the switch `closing` has nothing to close in {episode.apartment.name}: no furniture there is closed\n"
            "  = help: leave it out, or play housework"
        )
    on: dict[str, Any] = {name: bool(value) for name, value in given.items()}
    return replace(episode, **on)


class ThingTable(Record, frozen=True, kw_only=True):
    """An object in its file: in or on furniture, or at a point of the floor of a room."""

    kind: _Kind = field(name="class")
    place: str | None = None
    room: str = ""
    at: Point | None = None

    def __post_init__(self) -> None:
        """Refuse an object on the floor without its room or point."""
        given = {"room": self.room, "at": self.at}
        if self.place is None and (missing := [key for key, value in given.items() if not value]):
            raise TableError(*(("missing", f"`{key}` is missing", key, "or give a `place`") for key in missing))


class StartTable(Record, frozen=True):
    """Where an agent starts, in its file."""

    room: str
    at: Point


class EpisodeFile(Record, frozen=True, kw_only=True):
    """A file of an episode."""

    apartment: str  # a shipped one, or a `.toml` file next to the episode
    task: str
    rules: Annotated[str, names("set of rules", RULE_SETS)] = "housework"
    goal_place: str
    goals: dict[_Kind, Annotated[int, Meta(ge=1, le=1_000)]]
    things: tuple[ThingTable, ...]
    starts: tuple[StartTable, ...]
    limit: Annotated[int, Meta(ge=1, le=1_000)] | None = None  # None: as the rules say


def read_episode(text: str, source: str = "episode", folder: Path | None = None) -> HouseholdEpisode:
    """Read an episode from TOML.

    Args:
        text: Content of the file.
        source: Name of the file, for messages.
        folder: Where an apartment that is given as a file is looked for; None: shipped apartments alone.

    Raises:
        ScenarioError: Something in it cannot be used, or the goal cannot be met.
    """
    reader = Reader("household", source, text)
    file = reader.table(EpisodeFile)
    home = _apartment(reader, file.apartment, folder)
    known(reader, file.goal_place, home.receptacle, "furniture", "goal_place")
    for number, each in enumerate(file.things):
        if each.place is None:
            known(reader, each.room, home.room, "room", f"things[{number}].room")
        else:
            known(reader, each.place, home.receptacle, "furniture", f"things[{number}].place")
    for number, start in enumerate(file.starts):
        known(reader, start.room, home.room, "room", f"starts[{number}].room")
    reader.finish()
    things = tuple(
        PlacedObject(name, each.kind, None, home.room[each.room], each.at or (0.0, 0.0))
        if each.place is None
        else PlacedObject(name, each.kind, home.receptacle[each.place])
        for name, each in zip(numbered(each.kind for each in file.things), file.things, strict=True)
    )
    episode = HouseholdEpisode(
        name=source,
        apartment=home,
        task=file.task,
        goal_place=home.receptacle[file.goal_place],
        goals=tuple(file.goals.items()),
        things=things,
        starts=tuple(Start(home.room[each.room], each.at) for each in file.starts),
        limit=RULE_SETS[file.rules] if file.limit is None else file.limit,
        rules=file.rules,
    )
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
        return read_episode(read_text(name, "household-file"), str(name), name.parent)
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
        reader.add("unknown-name", f"there is no apartment called `{name}`", "apartment", help)
        reader.finish()
    path = (folder or Path()) / name
    return read_apartment(read_text(path, "household-file"), str(path))
