"""Instances of a rescue as files (docs/rules/rescue.md 2.3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, TypeVar

from msgspec import Meta

from dsl.wording import listing
from hive.kit.graphs import reached
from hive.kit.keep import toml
from hive.kit.keep.reading import Reader, Record, names, worded
from hive.worlds.rescue.codes import AGENTS, RESOURCES, ROOMS, VICTIMS
from hive.worlds.rescue.instance import MOST, Agent, Instance, Victim

LONGEST = 30
"""Most characters of a name."""

_Name = Annotated[
    str,
    worded(
        "a name",
        f"a name is a letter and then letters, digits, `_` and `-`, at most {LONGEST} characters",
        rf"\A[A-Za-z][A-Za-z0-9_-]{{0,{LONGEST - 1}}}\Z",
    ),
]
_Coordinate = Annotated[float, Meta(ge=-1_000, le=1_000)]
_Supply = Annotated[int, Meta(ge=0, le=MOST)]


class MapFile(Record, frozen=True):
    """A file of a map: the places of its rooms, for pictures, and pairs of rooms."""

    rooms: Annotated[dict[_Name, tuple[_Coordinate, _Coordinate]], Meta(min_length=2, max_length=ROOMS)]
    doors: tuple[tuple[str, str], ...]


class VictimTable(Record, frozen=True):
    """A victim in its file."""

    name: _Name
    room: str
    needs: Annotated[tuple[Annotated[str, names("resource", RESOURCES)], ...], Meta(min_length=1)]
    urgent: bool


class VictimsFile(Record, frozen=True):
    """A file of victims."""

    victims: Annotated[tuple[VictimTable, ...], Meta(min_length=1, max_length=VICTIMS)]


class AgentTable(Record, frozen=True):
    """An agent in its file, with the units of each resource that it carries."""

    name: _Name
    room: str
    water: _Supply = 0
    food: _Supply = 0
    medicine: _Supply = 0


_Table = TypeVar("_Table", VictimTable, AgentTable)


class AgentsFile(Record, frozen=True):
    """A file of a team, in the order of turns, and what it tests."""

    agents: Annotated[tuple[AgentTable, ...], Meta(min_length=1, max_length=AGENTS)]
    about: str = ""


@dataclass(frozen=True)
class RescueMap:
    """The content of a map's file."""

    rooms: tuple[str, ...]
    places: tuple[tuple[float, float], ...]
    doors: tuple[tuple[int, int], ...]


def read_map(text: str, source: str = "map") -> RescueMap:
    """Read a map: rooms with their places, and doors.

    Raises:
        ScenarioError: Something in it cannot be used, or a room cannot be reached from another.
    """
    reader = Reader("rescue", source, text)
    file = reader.table(MapFile)
    rooms = tuple(file.rooms)
    for number, room in enumerate(rooms):
        if room.lower() in [other.lower() for other in rooms[:number]]:
            reader.add("name", f"the name `{room}` is given twice", "rooms")
    reader.finish()
    doors = list(_doors(reader, file.doors, rooms))
    reader.finish()
    joined = reached([0], lambda room: (each for pair in doors if room in pair for each in pair))
    beyond = sorted({*range(len(rooms))} - joined)
    if beyond:
        there = listing([rooms[room] for room in beyond], "and")
        message = f"the map falls apart: no way leads from `{rooms[0]}` to {there}"
        reader.add("disconnected", message, "doors", "add a door that joins the parts")
    reader.finish()
    return RescueMap(rooms, tuple(file.rooms.values()), tuple(sorted(doors)))


def read_victims(text: str, rooms: tuple[str, ...], source: str = "victims") -> tuple[Victim, ...]:
    """Read the victims of a map.

    Raises:
        ScenarioError: Something in it cannot be used.
    """
    reader = Reader("rescue", source, text)
    victims = []
    for place, each in _placed(reader, "victims", reader.table(VictimsFile).victims):
        for number, need in enumerate(each.needs):
            if need in each.needs[:number]:
                message = f"`{need}` is needed twice; a victim needs one unit of a resource"
                reader.add("need", message, f"{place}.needs[{number}]")
        water, food, medicine = (kind in each.needs for kind in RESOURCES)
        victims.append(Victim(each.name, _room(reader, each.room, rooms, place), (water, food, medicine), each.urgent))
    for (one, first), (other, second) in combinations(enumerate(victims), 2):
        if first.room == second.room >= 0:
            message = f"`{first.name}` (victims[{one}]) is in `{rooms[first.room]}` already"
            reader.add("room", message, f"victims[{other}].room", "a room has one victim at most")
    reader.finish()
    return tuple(victims)


def read_agents(text: str, rooms: tuple[str, ...], source: str = "agents") -> tuple[tuple[Agent, ...], str]:
    """Read a team, in the order of turns, and what it tests.

    Raises:
        ScenarioError: Something in it cannot be used.
    """
    reader = Reader("rescue", source, text)
    file = reader.table(AgentsFile)
    agents = tuple(
        Agent(each.name, _room(reader, each.room, rooms, place), (each.water, each.food, each.medicine))
        for place, each in _placed(reader, "agents", file.agents)
    )
    reader.finish()
    return agents, file.about


def read_instance(name: str, files: dict[str, tuple[str, str]]) -> Instance:
    """Put an instance together.

    Args:
        name: Its name.
        files: For `map`, `victims` and `agents` the name of the file and its text.

    Raises:
        ScenarioError: A file cannot be used.
    """
    source, text = files["map"]
    plan = read_map(text, source)
    source, text = files["victims"]
    victims = read_victims(text, plan.rooms, source)
    source, text = files["agents"]
    agents, about = read_agents(text, plan.rooms, source)
    return Instance(name, plan.rooms, plan.places, plan.doors, victims, agents, about)


def instance_texts(instance: Instance) -> dict[str, str]:
    """Return an instance as the texts of its three files, by their names, as `read_instance` reads them."""
    rooms = toml.pairs({toml.value(room): at for room, at in zip(instance.rooms, instance.places, strict=True)})
    doors = [[instance.rooms[one], instance.rooms[other]] for one, other in instance.doors]
    victims = ["schema = 1"]
    for victim in instance.victims:
        needs = [kind for kind, needed in zip(RESOURCES, victim.needs, strict=True) if needed]
        about = {"name": victim.name, "room": instance.rooms[victim.room], "needs": needs, "urgent": victim.urgent}
        victims += ["[[victims]]", *toml.pairs(about)]
    agents = ["schema = 1", f"about = {toml.value(instance.about)}"]
    for agent in instance.agents:
        supplies = dict(zip(RESOURCES, agent.supplies, strict=True))
        agents += ["[[agents]]", *toml.pairs({"name": agent.name, "room": instance.rooms[agent.room], **supplies})]
    return {
        "map": "\n".join(["schema = 1", f"doors = {toml.value(doors)}", "[rooms]", *rooms, ""]),
        "victims": "\n".join([*victims, ""]),
        "agents": "\n".join([*agents, ""]),
    }


def _doors(reader: Reader, pairs: Sequence[tuple[str, str]], rooms: tuple[str, ...]) -> Iterator[tuple[int, int]]:
    seen: set[tuple[int, int]] = set()
    for number, pair in enumerate(pairs):
        where = f"doors[{number}]"
        unknown = [each for each in pair if each not in rooms]
        for each in unknown:
            reader.add("room", f"there is no room `{each}`", where, f"the rooms are {listing(rooms, 'and')}")
        if unknown:
            continue
        one, other = sorted(rooms.index(each) for each in pair)
        if one == other:
            reader.add("door", f"this door leads from `{rooms[one]}` to itself", where)
        elif (one, other) in seen:
            reader.add("door", f"there is a door between `{rooms[one]}` and `{rooms[other]}` already", where)
        else:
            seen.add((one, other))
            yield one, other


def _room(reader: Reader, name: str, rooms: tuple[str, ...], place: str) -> int:
    if name in rooms:
        return rooms.index(name)
    reader.add("room", f"there is no room `{name}`", f"{place}.room", f"the rooms are {listing(rooms, 'and')}")
    return -1


def _placed(reader: Reader, what: str, tables: Sequence[_Table]) -> Iterator[tuple[str, _Table]]:
    """Return the tables of a list with the place of each; names that are given twice are problems."""
    lower = [each.name.lower() for each in tables]
    for number, each in enumerate(tables):
        place = f"{what}[{number}]"
        if lower[number] in lower[:number]:
            reader.add("name", f"the name `{each.name}` is given twice", f"{place}.name")
        yield place, each
