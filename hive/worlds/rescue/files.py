"""Instances of a rescue as files (docs/rules/rescue.md 2.3)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from dsl.wording import listing
from hive.kit.keep import reading
from hive.kit.keep.reading import under
from hive.worlds.rescue.codes import AGENTS, RESOURCES, ROOMS, VICTIMS
from hive.worlds.rescue.instance import MOST, Agent, Instance, Victim

LONGEST = 30
"""Most characters of a name."""

_NAME = re.compile(rf"[A-Za-z][A-Za-z0-9_-]{{0,{LONGEST - 1}}}")


class Reader(reading.Reader):
    """A file of a rescue; its problems have codes such as `rescue-room`."""

    prefix = "rescue"


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
    reader = Reader(source, text)
    reader.only(reader.table, ("rooms", "doors"))
    body = reader.value(reader.table, "rooms", dict)
    rooms, places = tuple(body), []
    for number, (room, place) in enumerate(body.items()):
        _check_name(reader, room, "rooms")
        if room.lower() in [other.lower() for other in rooms[:number]]:
            reader.add("name", f"the name `{room}` is given twice", "rooms")
        places.append(_place(reader, place, under("rooms", room)))
    if "rooms" in reader.table and not 2 <= len(rooms) <= ROOMS:
        reader.add("size", f"a map has 2 to {ROOMS} rooms, this one {len(rooms)}", "rooms")
    reader.finish()
    doors = list(_doors(reader, rooms))
    reader.finish()
    beyond = sorted({*range(len(rooms))} - _flood(doors))
    if beyond:
        there = listing([rooms[room] for room in beyond], "and")
        message = f"the map falls apart: no way leads from `{rooms[0]}` to {there}"
        reader.add("disconnected", message, "doors", "add a door that joins the parts")
    reader.finish()
    return RescueMap(rooms, tuple(places), tuple(sorted(doors)))


def read_victims(text: str, rooms: tuple[str, ...], source: str = "victims") -> tuple[Victim, ...]:
    """Read the victims of a map.

    Raises:
        ScenarioError: Something in it cannot be used.
    """
    reader = Reader(source, text)
    reader.only(reader.table, ("victims",))
    victims = []
    for place, body in reader.tables(reader.table, "victims"):
        reader.only(body, ("name", "room", "needs", "urgent"), place)
        needs = reader.texts(body, "needs", place)
        for number, each in enumerate(needs):
            where = f"{place}.needs[{number}]"
            if each not in RESOURCES:
                reader.add("need", f"`{each}` is no resource", where, f"resources are {listing(RESOURCES, 'and')}")
            elif each in needs[:number]:
                reader.add("need", f"`{each}` is needed twice; a victim needs one unit of a resource", where)
        if not needs and isinstance(body.get("needs"), list):
            reader.add("need", "a victim has at least one need", f"{place}.needs")
        name, room = _name(reader, body, place), _room(reader, body, rooms, place)
        water, food, medicine = (kind in needs for kind in RESOURCES)
        victims.append(Victim(name, room, (water, food, medicine), reader.value(body, "urgent", bool, place)))
    _check(reader, "victims", [victim.name for victim in victims], VICTIMS)
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
    reader = Reader(source, text)
    reader.only(reader.table, ("agents", "about"))
    agents = []
    for place, body in reader.tables(reader.table, "agents"):
        reader.only(body, ("name", "room", *RESOURCES), place)
        name, room = _name(reader, body, place), _room(reader, body, rooms, place)
        water, food, medicine = (reader.value(body, each, int, place, 0, (0, MOST)) for each in RESOURCES)
        agents.append(Agent(name, room, (water, food, medicine)))
    _check(reader, "agents", [agent.name for agent in agents], AGENTS)
    about = reader.value(reader.table, "about", str, default="")
    reader.finish()
    return tuple(agents), about


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
    rooms = [f"{_toml(room)} = {_toml(place)}" for room, place in zip(instance.rooms, instance.places, strict=True)]
    doors = [[instance.rooms[one], instance.rooms[other]] for one, other in instance.doors]
    victims = ["schema = 1"]
    for victim in instance.victims:
        needs = [kind for kind, needed in zip(RESOURCES, victim.needs, strict=True) if needed]
        victims += ["[[victims]]", f"name = {_toml(victim.name)}", f"room = {_toml(instance.rooms[victim.room])}"]
        victims += [f"needs = {_toml(needs)}", f"urgent = {_toml(victim.urgent)}"]
    agents = ["schema = 1", f"about = {_toml(instance.about)}"]
    for agent in instance.agents:
        agents += ["[[agents]]", f"name = {_toml(agent.name)}", f"room = {_toml(instance.rooms[agent.room])}"]
        agents += [f"{kind} = {units}" for kind, units in zip(RESOURCES, agent.supplies, strict=True)]
    return {
        "map": "\n".join(["schema = 1", f"doors = {_toml(doors)}", "[rooms]", *rooms, ""]),
        "victims": "\n".join([*victims, ""]),
        "agents": "\n".join([*agents, ""]),
    }


def _place(reader: Reader, place: Any, where: str) -> tuple[float, float]:
    if isinstance(place, list) and len(place) == 2 and all(type(each) in (int, float) for each in place):
        x, y = (float(each) for each in place)
        if abs(x) <= 1_000 and abs(y) <= 1_000:
            return x, y
    reader.add("place", "a room has a place for its picture, two numbers from -1,000 to 1,000", where)
    return 0.0, 0.0


def _doors(reader: Reader, rooms: tuple[str, ...]) -> Iterator[tuple[int, int]]:
    seen: set[tuple[int, int]] = set()
    for number, pair in enumerate(reader.value(reader.table, "doors", list)):
        where = f"doors[{number}]"
        if not isinstance(pair, list) or len(pair) != 2 or not all(isinstance(each, str) for each in pair):
            reader.add("type", 'a door is a list of two rooms, such as `["room1", "room2"]`', where)
            continue
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


def _flood(doors: list[tuple[int, int]]) -> set[int]:
    found, open_ = {0}, [0]
    while open_:
        room = open_.pop()
        for pair in doors:
            if room in pair:
                other = pair[0] + pair[1] - room
                if other not in found:
                    found.add(other)
                    open_.append(other)
    return found


def _name(reader: Reader, body: dict[str, Any], place: str) -> str:
    name = reader.value(body, "name", str, place)
    if isinstance(body.get("name"), str):
        _check_name(reader, name, f"{place}.name")
    return name


def _check_name(reader: Reader, name: str, place: str) -> None:
    if not _NAME.fullmatch(name):
        message = f"`{name[:LONGEST]}` is no name: it has other characters, or more than {LONGEST}"
        reader.add("name", message, place, "a name is a letter and then letters, digits, `_` and `-`")


def _room(reader: Reader, body: dict[str, Any], rooms: tuple[str, ...], place: str) -> int:
    name = reader.value(body, "room", str, place)
    if name in rooms:
        return rooms.index(name)
    if isinstance(body.get("room"), str):
        help = f"the rooms are {listing(rooms, 'and')}"
        reader.add("room", f"there is no room `{name}`", f"{place}.room", help)
    return -1


def _check(reader: Reader, what: str, names: list[str], most: int) -> None:
    if not 1 <= len(names) <= most:
        reader.add("size", f"there are 1 to {most} {what}, here {len(names)}", what)
    lower = [name.lower() for name in names]
    for number, name in enumerate(lower):
        if name and name in lower[:number]:
            reader.add("name", f"the name `{names[number]}` is given twice", f"{what}[{number}].name")


def _toml(value: object) -> str:
    """Return a text, a number, a truth value or a list of these as TOML; for these, JSON is the same."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")  # which JSON leaves as it is
