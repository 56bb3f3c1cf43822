"""Write apartments and episodes as the files that `read_apartment` and `read_episode` read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from hive.kit.keep import toml
from hive.worlds.household.apartment import Apartment
from hive.worlds.household.episode import RULE_SETS, HouseholdEpisode, PlacedObject, Start

_HEAD = "schema = 1\n"
_LENGTHS = ("at", "centre", "size")


def apartment_text(home: Apartment) -> str:
    """Return the file of an apartment; lengths are rounded to millimetres."""
    tables = [
        *(
            ("rooms", {"name": each.name, "kind": each.kind, "centre": each.centre, "size": each.size})
            for each in home.rooms
        ),
        *(("doors", {"rooms": [home.rooms[room].name for room in each.rooms], "at": each.at}) for each in home.doors),
        *(
            (
                "receptacles",
                {"class": each.kind, "room": home.rooms[each.room].name, "at": each.at, "size": each.size},
            )
            for each in home.receptacles
        ),
    ]
    body = "\n".join(f"[[{name}]]\n{_lines(table)}" for name, table in tables)
    return f"{_HEAD}{_lines({'name': home.name})}\n{body}"


def episode_text(episode: HouseholdEpisode, apartment: str) -> str:
    """Return the file of an episode.

    Args:
        episode: What is written; its name is that of the file.
        apartment: Name of a shipped apartment, or of a file next to the episode's, that holds its apartment.
    """
    home = episode.apartment
    head: dict[str, Any] = {"apartment": apartment, "task": episode.task}
    if episode.rules != next(iter(RULE_SETS)):
        head["rules"] = episode.rules
    head["goal_place"] = home.receptacles[episode.goal_place].name
    head["goals"] = dict(episode.goals)
    if episode.limit != RULE_SETS[episode.rules]:
        head["limit"] = episode.limit
    starts = _rows("starts", (_spot(home, each) for each in episode.starts))
    things = _rows("things", (_thing(home, each) for each in episode.things))
    return f"{_HEAD}{_lines(head)}{starts}{things}"


def episode_files(episode: HouseholdEpisode) -> dict[str, str]:
    """Return the files of an episode and of its apartment, by name, for one folder."""
    home = f"{episode.apartment.name}.toml"
    return {home: apartment_text(episode.apartment), f"{episode.name}.toml": episode_text(episode, home)}


def _thing(home: Apartment, thing: PlacedObject) -> dict[str, Any]:
    if thing.place is not None:
        return {"class": thing.kind, "place": home.receptacles[thing.place].name}
    return {"class": thing.kind, **_spot(home, Start(thing.room, thing.at))}


def _spot(home: Apartment, start: Start) -> dict[str, Any]:
    return {"room": home.rooms[start.room].name, "at": start.at}


def _rows(name: str, rows: Iterable[Mapping[str, Any]]) -> str:
    return f"{name} = [\n" + "".join(f"    {toml.value(_rounded(row))},\n" for row in rows) + "]\n"


def _lines(table: Mapping[str, Any]) -> str:
    return "".join(f"{line}\n" for line in toml.pairs(_rounded(table)))


def _rounded(table: Mapping[str, Any]) -> dict[str, Any]:
    return {key: [round(each, 3) for each in value] if key in _LENGTHS else value for key, value in table.items()}
