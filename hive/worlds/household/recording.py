"""The recording of one episode of housework, tick by tick, with what the agents said."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np
from msgspec import ValidationError, convert
from numpy.typing import NDArray

from hive.kit.errors import DataError
from hive.kit.keep.dialogue import Line
from hive.kit.keep.fields import codes, flags, index, lines, ticks, word, words
from hive.kit.keep.layout import Nullable
from hive.kit.keep.recording import Recording, number_texts, stack
from hive.worlds.household.codes import ABSENT, DELIVERED, FLOOR, HANDS, HELD, INSIDE
from hive.worlds.household.episode import RULE_SETS, SWITCHES, HouseholdEpisode
from hive.worlds.household.state import State

FARTHEST = 1_000
"""Metres from the origin to the farthest place, in files of apartments and in recordings."""

_POINT = (float, float)
_EPISODE = {
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
        "closing?": bool,
        "turning?": bool,
    },
}


@dataclass(frozen=True, eq=False, kw_only=True)
class HouseRecording(Recording):
    """One episode, frame by frame. T frames, N agents, M objects, K receptacles.

    Frame t shows the apartment when `tick[t]` ticks are over, and what the agents were doing in the last one of them.

    Attributes:
        title: Heading of the pictures.
        episode: Apartment, objects and goal.
        agents: Names of the agents.
        tick: `[T]`, ascending.
        room: `[T, N]` room of each agent.
        at: `[T, N, 2]` its place, millimetres.
        hands: `[T, N, 2]` object in each hand, -1 for none.
        place: `[T, M]` place code of each object (`hive.worlds.household.codes`).
        open: `[T, K]` whether a receptacle is open; surfaces are.
        finished: `[T]` whether the goal is met.
        doing: `[T, N]` index into `deeds` of the option of the tick before the frame, or -1.
        deeds: Words of options.
        lines: What was said, in order.

    Raises:
        DataError: Shapes disagree, or a value is outside its range.
    """

    format: ClassVar[str] = "hive-house-recording/2"
    noun: ClassVar[str] = "household recording"

    title: str = word(str)
    episode: HouseholdEpisode = words(
        _EPISODE,
        dump=lambda run: _words(run.episode),
        read=lambda said, _: _episode(said["apartment"], said["episode"]),
    )
    agents: tuple[str, ...] = word([str], read=tuple)
    tick: NDArray[np.integer] = ticks()
    room: NDArray[np.integer] = codes("T N", end="rooms")
    at: NDArray[np.integer] = codes("T N 2", stored="N 2 T", type="i4")
    hands: NDArray[np.integer] = index(f"T N {HANDS}", of="M")
    place: NDArray[np.integer] = codes("T M", end=ABSENT)
    open: NDArray[np.bool_] = flags("T K")
    finished: NDArray[np.bool_] = flags("T")
    doing: NDArray[np.integer] = index("T N", of="deeds")
    deeds: tuple[str, ...] = word([str], read=tuple)
    lines: tuple[Line, ...] = lines("N")

    def lengths(self) -> Mapping[str, int]:
        """Agents, objects, receptacles, rooms and texts of options."""
        home, things = self.episode.apartment, len(self.episode.things)
        found = {"N": len(self.agents), "M": things, "K": len(home.receptacles), "rooms": len(home.rooms)}
        return found | {"deeds": len(self.deeds)}

    def check(self) -> None:
        """Check that objects are where something is; errors are those of `Recording.check`."""
        if not self._codes().issuperset(np.unique(self.place).tolist()):
            raise DataError("household recording: place names what the episode does not have")

    @property
    def outcome(self) -> str:
        """How the episode ended."""
        last = int(self.tick[-1])
        ticks = f"{last} step{'' if last == 1 else 's'}"
        return f"finished after {ticks}" if self.finished[-1] else f"not finished after {ticks}"

    def inside(self, t: int, m: int) -> list[int]:
        """Return the objects that are in object `m`, a container that agents carry, at frame `t`."""
        found: list[int] = np.flatnonzero(self.place[t] == INSIDE + m).tolist()
        return found

    def named(self, t: int, m: int) -> str:
        """Return the name of an object, with what is in it at frame `t`, as in `tea_tray_1 (apple_1, bread_2)`."""
        things = [self.episode.things[each].name for each in self.inside(t, m)]
        return self.episode.things[m].name + (f" ({', '.join(things)})" if things else "")

    def placed(self, t: int) -> list[tuple[str, int, int]]:
        """Return class, number at the goal place and wanted number of each part of the goal at frame `t`."""
        goal, kinds = self.episode.goal_place, [each.kind for each in self.episode.things]
        there = [kind for kind, at in zip(kinds, self.place[t], strict=True) if at in (goal, DELIVERED)]
        return [(kind, min(there.count(kind), count), count) for kind, count in self.episode.goals]

    def _codes(self) -> set[int]:
        """Place codes that objects can have here."""
        home = self.episode.apartment
        parts = (0, len(home.receptacles)), (FLOOR, len(home.rooms)), (HELD, len(self.agents))
        more = (INSIDE, len(self.episode.things)), (DELIVERED, 1)
        return {first + number for first, count in (*parts, *more) for number in range(count)}


def gather(
    episode: HouseholdEpisode,
    agents: Sequence[str],
    states: Sequence[State],
    doing: Sequence[Sequence[str]],
    lines: Iterable[Line] = (),
    title: str = "",
) -> HouseRecording:
    """Return the recording of an episode.

    Args:
        episode: What was played.
        agents: Names of the agents.
        states: The state before the first tick, and after each one, on the host.
        doing: For each tick, the words of what each agent was doing in it; empty for nothing.
        lines: What was said.
        title: Heading; empty: name and task of the episode.

    Raises:
        ValueError: There is not one state more than ticks.
    """
    if len(states) != len(doing) + 1:
        raise ValueError(f"{len(doing)} ticks have {len(doing) + 1} states, not {len(states)}")
    n, m, k = len(agents), len(episode.things), len(episode.apartment.receptacles)
    index, deeds = number_texts(doing, n)
    return HouseRecording(
        title=title or f"{episode.name}: {episode.task}",
        episode=episode,
        agents=tuple(agents),
        tick=np.array([int(state.clock) for state in states]),
        room=stack(states, "room", n),
        at=stack(states, "at", n),
        hands=stack(states, "hands", n),
        place=stack(states, "place", m),
        open=stack(states, "open", k).astype(bool),
        finished=np.array([bool(state.finished) for state in states]),
        doing=index,
        deeds=deeds,
        lines=tuple(lines),
    )


def _words(episode: HouseholdEpisode) -> dict[str, Any]:
    """Return an episode as words, its apartment apart."""
    body = asdict(episode)
    body = {name: value for name, value in body.items() if name not in SWITCHES or value}
    return {"apartment": body.pop("apartment"), "episode": body}


def _episode(home: Mapping[str, Any], body: Mapping[str, Any]) -> HouseholdEpisode:
    """Return an episode from words; numbers of rooms and furniture must exist."""
    try:
        played = convert({**body, "apartment": home}, HouseholdEpisode)
    except ValidationError:  # the form of the words leaves `Metres` alone to be wrong
        raise DataError(f"household recording: a place or size is beyond {FARTHEST:,} metres") from None
    rooms, furniture = played.apartment.rooms, played.apartment.receptacles
    used = [room for door in played.apartment.doors for room in door.rooms]
    used += [each.room for each in furniture]
    used += [each.room for each in played.things] + [each.room for each in played.starts]
    if not rooms or any(not 0 <= room < len(rooms) for room in used):
        raise DataError("household recording: it names a room that its apartment does not have")
    places = [played.goal_place, *(each.place for each in played.things if each.place is not None)]
    if any(not 0 <= place < len(furniture) for place in places):
        raise DataError("household recording: it names furniture that its apartment does not have")
    if played.rules not in RULE_SETS:
        raise DataError("household recording: it names unknown rules")
    return played
