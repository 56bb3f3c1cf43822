"""An episode becomes arrays, made on the host (docs/rules/household.md 1, 2, 3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from math import isqrt
from typing import Any

import jax
import numpy as np
from numpy.typing import NDArray

from dsl import UserError
from hive.kit.environment.checks import is_whole
from hive.worlds.household import classes
from hive.worlds.household.apartment import Apartment, Point
from hive.worlds.household.codes import ABSENT, AGENTS, DOORS, FLOOR, GOALS, OBJECTS, RECEPTACLES, ROOMS
from hive.worlds.household.episode import HouseholdEpisode, Start
from hive.worlds.household.options import OptionKind
from hive.worlds.household.state import Params, Switches

STRIDE = 1_000
"""Millimetres that an agent walks in a tick (docs/rules/household.md 3.1)."""
REACH = 1_250
"""Millimetres within which an agent can use a thing (docs/rules/household.md 3.1)."""

FAR = 1 << 24
"""Millimetres to what cannot be reached."""

Ints = NDArray[np.int32]


SIGHT = 46_000
"""Millimetres that cover every room: agents see all of the room that they are in."""

CERTAIN = 1 << 16
"""`Params.detection` of agents that detect everything that they see."""

RULES = {
    "housework": {"stride": STRIDE, "reach": REACH, "put_reach": REACH, "turn": 0, "look_reach": 0, "sight": SIGHT},
    "transport": {
        "stride": 500,
        "reach": 1_000,
        "put_reach": 1_500,
        "turn": 200,
        "look_reach": 1_000,
        "sight": 5_000,
    },
}
"""Lengths of each set of rules in millimetres (docs/rules/household.md 3.1, 9.2)."""

WORK = {
    "housework": {OptionKind.EXPLORE: 0, OptionKind.GOTO: 0},
    "transport": {OptionKind.EXPLORE: 3, OptionKind.GOTO: 0, OptionKind.PUT: 3, OptionKind.PUT_IN: 6},
}
"""Ticks of kinds of options at their place, where it is not one (docs/rules/household.md 4.1, 9.2)."""


TURN = {"housework": 1, "transport": 3}
"""Twelfths of a circle that an agent turns in a tick (docs/rules/household.md 4.4)."""

TURNS = 12
"""Ticks of turning in which an agent explores a room in housework (docs/rules/household.md 4.4)."""

LOOK = 1_000
"""Millimetres of the centre of a room from which it is explored, where agents turn."""


def make_params(episode: HouseholdEpisode, agents: int = 2, *, detection: float = 1.0) -> Params:
    """Return the arrays of an episode.

    Args:
        episode: What lies where, and what is wanted.
        agents: Number of agents, 1 to 4; those without a start of their own share the given ones in order.
        detection: Chance, above 0 and up to 1, that an agent detects a thing that it sees in a tick.

    Raises:
        UserError: The number of agents or the chance is out of range.
    """
    if not is_whole(agents, 1, AGENTS):
        raise UserError(f"a team has 1 to {AGENTS} agents, not {agents}")
    if not 0 < detection <= 1:
        raise UserError(f"the chance of a detection is above 0 and at most 1, not {detection}")
    lengths = dict(RULES[episode.rules])
    work = dict(WORK[episode.rules])
    if episode.turning:
        lengths["look_reach"], work[OptionKind.EXPLORE] = LOOK, work[OptionKind.EXPLORE] or TURNS
    starts = [episode.starts[number % len(episode.starts)] for number in range(agents)]
    arrays = {
        **_of_apartment(episode.apartment, lengths["turn"]),
        **_of_things(episode),
        **_of_agents(starts),
        "limit": np.int32(episode.limit),
        **{name: np.int32(each) for name, each in lengths.items()},
        "transport": np.bool_(episode.rules == "transport"),
        "detection": np.int32(max(1, round(CERTAIN * detection))),
        "work": _padded((work.get(kind, 1) for kind in OptionKind), len(OptionKind)),
        "switches": _switches(episode),
    }
    return Params(**jax.device_put(arrays))


def _switches(episode: HouseholdEpisode) -> Switches | None:
    if not (episode.closing or episode.turning):
        return None
    given: dict[str, Any] = {
        "closing": np.bool_(episode.closing),
        "turning": np.int32(TURN[episode.rules] if episode.turning else 0),
    }
    return Switches(**given)


def millimetres(point: Point) -> list[int]:
    """Return a point in whole millimetres."""
    return [round(1_000 * each) for each in point]


def _of_apartment(home: Apartment, turn: int) -> dict[str, Any]:
    return {
        "room_there": np.arange(ROOMS) < len(home.rooms),
        "room_rank": _padded((classes.ROOMS.index(room.kind) for room in home.rooms), ROOMS, len(classes.ROOMS)),
        "room_at": _points((room.centre for room in home.rooms), ROOMS),
        "door_at": _points((door.at for door in home.doors), DOORS),
        **routes(home, turn),
        "receptacle_there": np.arange(RECEPTACLES) < len(home.receptacles),
        "receptacle_room": _padded((each.room for each in home.receptacles), RECEPTACLES),
        "receptacle_at": _points((each.at for each in home.receptacles), RECEPTACLES),
        "closes": _padded((each.closes for each in home.receptacles), RECEPTACLES).astype(bool),
    }


def routes(home: Apartment, turn: int = 0) -> dict[str, Ints]:
    """Search the shortest ways through doors.

    Args:
        home: The apartment.
        turn: Millimetres by which each further straight leg counts longer than it is.

    Returns:
        For leaving a room through a door: `behind`, the room that is entered, `[R, D]`; and for each room as the
        target, `[R, D, R]`, `door_far`, the length from that door to the target's centre, `door_route`, its part up to
        the last door, and `last_door`. `FAR` where the door is not in the room.
    """
    at = [millimetres(door.at) for door in home.doors]
    far, way = (np.full((ROOMS, DOORS, ROOMS), FAR, np.int32) for _ in range(2))
    last, behind = np.zeros((ROOMS, DOORS, ROOMS), np.int32), np.zeros((ROOMS, DOORS), np.int32)
    for number, door in enumerate(home.doors):
        for here, there in (door.rooms, door.rooms[::-1]):
            behind[here, number] = there
            far[here, number, there] = turn + distance(at[number], millimetres(home.rooms[there].centre))
            way[here, number, there] = 0
            last[here, number, there] = number
    for _ in home.doors:  # each round finds the ways that pass one more door
        for (number, door), (other, further) in product(enumerate(home.doors), repeat=2):
            for here, there in (door.rooms, door.rooms[::-1]):
                if number == other or there not in further.rooms:
                    continue
                between = turn + distance(at[number], at[other])
                shorter = between + far[there, other] < far[here, number]
                shorter[[here, there]] = False
                far[here, number, shorter] = (between + far[there, other])[shorter]
                way[here, number, shorter] = (between + way[there, other])[shorter]
                last[here, number, shorter] = last[there, other, shorter]
    return {"behind": behind, "door_far": far, "door_route": way, "last_door": last}


def distance(one: Sequence[int], other: Sequence[int]) -> int:
    """Return the distance of two points, rounded down to whole millimetres."""
    return isqrt((one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2)


def _of_things(episode: HouseholdEpisode) -> dict[str, Any]:
    kinds = [kind for kind, _ in episode.goals]
    places = [FLOOR + each.room if each.place is None else each.place for each in episode.things]
    return {
        "object_there": np.arange(OBJECTS) < len(episode.things),
        "carrier": _padded(
            (episode.rules == "transport" and each.kind in classes.CARRIERS for each in episode.things), OBJECTS
        ).astype(bool),
        "object_goal": _padded(
            (kinds.index(each.kind) if each.kind in kinds else -1 for each in episode.things), OBJECTS, -1
        ),
        "object_start": _padded(places, OBJECTS, ABSENT),
        "object_at": _points((each.at for each in episode.things), OBJECTS),
        "goal_place": np.int32(episode.goal_place),
        "needs": _padded((count for _, count in episode.goals), GOALS),
    }


def _of_agents(starts: list[Start]) -> dict[str, Any]:
    return {
        "agent_there": np.arange(AGENTS) < len(starts),
        "agent_room": _padded((each.room for each in starts), AGENTS),
        "agent_at": _points((each.at for each in starts), AGENTS),
    }


def _padded(values: Iterable[int], size: int, rest: int = 0) -> Ints:
    found = np.full(size, rest, np.int32)
    listed = [*values]
    found[: len(listed)] = listed
    return found


def _points(points: Iterable[Point], size: int) -> Ints:
    found = np.zeros((size, 2), np.int32)
    for number, point in enumerate(points):
        found[number] = millimetres(point)
    return found
