"""The compact form of a household's recording: the arrays that both the file `recording.npz` and a replay page hold.

Numbers are stored agent by agent, object by object and receptacle by receptacle; indices plus one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hive.household.apartment import Apartment, ApartmentRoom, Door, Receptacle
from hive.household.codes import ABSENT, HANDS
from hive.household.episode import RULE_SETS, HouseholdEpisode, PlacedObject, Start
from hive.household.recording import HouseRecording, Line, LineKind
from hive.keep.archive import Arrays, DataError
from hive.keep.layout import Format, Nullable
from hive.keep.packing import by_unit, index, read_arrays, write_arrays

_CODES = "u1 u2 u4"
_POINT = (float, float)
FARTHEST = 1_000
"""Metres from the origin to the farthest place, in files of apartments and in recordings."""

FORMAT = Format(  # T frames, N agents, H = 2 N hands, M objects, K receptacles
    name=HouseRecording.format,
    arrays={
        "tick": ("i4", "T"),
        "room": ("u1", "N T"),
        "at": ("i4", "N 2 T"),
        "hands": (_CODES, "H T"),
        "place": (_CODES, "M T"),
        "open": ("u1", "K T"),
        "finished": ("u1", "T"),
        "doing": (_CODES, "N T"),
    },
    parts=(),
    words={
        "format": str,
        "title": str,
        "agents": [str],
        "deeds": [str],
        "lines": [(int, int, int, str)],
        "apartment": {
            "name": str,
            "rooms": [{"name": str, "kind": str, "centre": _POINT, "size": _POINT}],
            "doors": [{"rooms": (int, int), "at": _POINT}],
            "receptacles": [{"name": str, "kind": str, "room": int, "at": _POINT, "size": _POINT}],
        },
        "episode": {
            "name": str,
            "task": str,
            "goal_place": int,
            "goals": [(str, int)],
            "things": [{"name": str, "kind": str, "place": Nullable(int), "room": int, "at": _POINT}],
            "starts": [{"room": int, "at": _POINT}],
            "limit": int,
            "rules": str,
        },
    },
)


def save_house_recording(recording: HouseRecording, path: Path | str) -> None:
    """Write a recording as one `.npz` file without pickled objects, atomically; an existing file is replaced.

    Raises:
        UserError: The file cannot be written.
    """
    write_arrays(encode_house(recording), path)


def load_house_recording(path: Path | str) -> HouseRecording:
    """Read a recording that `save_house_recording` wrote.

    Raises:
        UserError: The file is missing, damaged, or not a recording of a household.
    """
    return read_arrays(path, FORMAT, decode_house)


def encode_house(recording: HouseRecording) -> Arrays:
    """Return the arrays of a recording; see the module docstring."""
    episode = asdict(recording.episode)
    words = {
        "format": FORMAT.name,
        "title": recording.title,
        "agents": recording.agents,
        "deeds": recording.deeds,
        "lines": [(line.tick, line.agent, int(line.kind), line.text) for line in recording.lines],
        "apartment": episode.pop("apartment"),
        "episode": episode,
    }
    frames, things = recording.frames, len(recording.episode.things)
    return {
        "words": np.frombuffer(json.dumps(words).encode(), np.uint8),
        "tick": recording.tick.astype(np.int32),
        "room": by_unit(recording.room, 256),
        "at": np.ascontiguousarray(recording.at.transpose(1, 2, 0)).astype(np.int32),
        "hands": by_unit(recording.hands.reshape(frames, -1) + 1, things + 1),
        "place": by_unit(recording.place, ABSENT),
        "open": by_unit(recording.open.astype(np.uint8), 2),
        "finished": recording.finished.astype(np.uint8),
        "doing": by_unit(recording.doing + 1, len(recording.deeds) + 1),
    }


def decode_house(arrays: Mapping[str, NDArray[Any]]) -> HouseRecording:
    """Return the recording whose arrays these are, in the shapes that `FORMAT` lists.

    Raises:
        DataError: They do not fit together.
    """
    words = FORMAT.check(arrays, arrays.__getitem__)
    if any(kind not in set(LineKind) for _, _, kind, _ in words["lines"]):
        raise DataError("household recording: a line is of an unknown kind")
    episode = _episode(words["apartment"], words["episode"])
    frames, agents = len(arrays["tick"]), len(words["agents"])
    if len(arrays["hands"]) != HANDS * agents:
        raise DataError("household recording: hands do not fit its agents")
    return HouseRecording(
        title=words["title"],
        episode=episode,
        agents=tuple(words["agents"]),
        tick=arrays["tick"],
        room=arrays["room"].T.astype(np.int32),
        at=arrays["at"].transpose(2, 0, 1),
        hands=index(arrays["hands"]).reshape(frames, agents, HANDS),
        place=arrays["place"].T.astype(np.int32),
        open=arrays["open"].T.astype(bool),
        finished=arrays["finished"].astype(bool),
        doing=index(arrays["doing"]),
        deeds=tuple(words["deeds"]),
        lines=tuple(Line(tick, agent, LineKind(kind), text) for tick, agent, kind, text in words["lines"]),
    )


def _episode(home: Mapping[str, Any], body: Mapping[str, Any]) -> HouseholdEpisode:
    """Return an episode from words; numbers of rooms and furniture must exist."""
    rooms = tuple(
        ApartmentRoom(each["name"], each["kind"], _point(each["centre"]), _point(each["size"]))
        for each in home["rooms"]
    )
    furniture = tuple(
        Receptacle(each["name"], each["kind"], each["room"], _point(each["at"]), _point(each["size"]))
        for each in home["receptacles"]
    )
    doors = tuple(Door((each["rooms"][0], each["rooms"][1]), _point(each["at"])) for each in home["doors"])
    things = tuple(
        PlacedObject(each["name"], each["kind"], each["place"], each["room"], _point(each["at"]))
        for each in body["things"]
    )
    starts = tuple(Start(each["room"], _point(each["at"])) for each in body["starts"])
    used = [room for door in doors for room in door.rooms]
    used += [each.room for each in furniture] + [each.room for each in things] + [each.room for each in starts]
    if not rooms or any(not 0 <= room < len(rooms) for room in used):
        raise DataError("household recording: it names a room that its apartment does not have")
    places = [body["goal_place"], *(each.place for each in things if each.place is not None)]
    if any(not 0 <= place < len(furniture) for place in places):
        raise DataError("household recording: it names furniture that its apartment does not have")
    drawn = [*(each.centre for each in rooms), *(each.size for each in rooms), *(each.at for each in doors)]
    drawn += [*(each.at for each in furniture), *(each.size for each in furniture)]
    drawn += [*(each.at for each in things), *(each.at for each in starts)]
    if not all(abs(metres) <= FARTHEST for pair in drawn for metres in pair):
        raise DataError(f"household recording: a place or size is beyond {FARTHEST:,} metres")
    apartment = Apartment(home["name"], rooms, doors, furniture)
    goals = tuple((kind, count) for kind, count in body["goals"])
    if body["rules"] not in RULE_SETS:
        raise DataError("household recording: it names unknown rules")
    goal = body["goal_place"], goals, things, starts
    return HouseholdEpisode(body["name"], apartment, body["task"], *goal, body["limit"], body["rules"])


def _point(pair: list[float]) -> tuple[float, float]:
    return pair[0], pair[1]


__all__ = ["decode_house", "encode_house", "load_house_recording", "save_house_recording"]
