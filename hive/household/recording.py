"""The recording of one episode of housework, tick by tick, with what the agents said."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from hive.household.codes import ABSENT, DELIVERED, FLOOR, HANDS, HELD, INSIDE
from hive.household.episode import HouseholdEpisode
from hive.household.state import State
from hive.keep.archive import DataError
from hive.keep.columns import Framed, number_texts, stack


class LineKind(IntEnum):
    """What a line next to the map is."""

    SAY = 0  # a message that was sent
    TIPS = 1  # the shared list, as an agent rewrote it
    TALK = 2  # an utterance that took no time
    PROBLEM = 3  # what went wrong


@dataclass(frozen=True)
class Line:
    """One line next to the map.

    Attributes:
        tick: Ticks that were over when it was written.
        agent: Its number.
        kind: What it is.
        text: Its words.
    """

    tick: int
    agent: int
    kind: LineKind
    text: str


@dataclass(frozen=True, eq=False, kw_only=True)
class HouseRecording(Framed):
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
        place: `[T, M]` place code of each object (`hive.household.codes`).
        open: `[T, K]` whether a receptacle is open; surfaces are.
        finished: `[T]` whether the goal is met.
        doing: `[T, N]` index into `deeds` of the option of the tick before the frame, or -1.
        deeds: Words of options.
        lines: What was said, in order.

    Raises:
        DataError: Shapes disagree, or a value is outside its range.
    """

    format: ClassVar[str] = "hive-house-recording/1"
    noun: ClassVar[str] = "household recording"

    title: str
    episode: HouseholdEpisode
    agents: tuple[str, ...]
    tick: NDArray[np.integer]
    room: NDArray[np.integer]
    at: NDArray[np.integer]
    hands: NDArray[np.integer]
    place: NDArray[np.integer]
    open: NDArray[np.bool_]
    finished: NDArray[np.bool_]
    doing: NDArray[np.integer]
    deeds: tuple[str, ...]
    lines: tuple[Line, ...]

    def __post_init__(self) -> None:
        """Refuse fields that do not fit together."""
        home = self.episode.apartment
        t, n = len(self.tick), len(self.agents)
        things, furniture = len(self.episode.things), len(home.receptacles)
        wanted: dict[str, tuple[int, ...]] = {"room": (t, n), "at": (t, n, 2), "hands": (t, n, HANDS), "doing": (t, n)}
        wanted |= {"place": (t, things), "open": (t, furniture), "finished": (t,)}
        self.check_shapes(wanted)
        self.check_ticks()
        ranges = {"room": (0, len(home.rooms)), "hands": (-1, things), "doing": (-1, len(self.deeds))}
        self.check_ranges(ranges | {"place": (0, ABSENT)})
        codes = self._codes()
        if not codes.issuperset(np.unique(self.place).tolist()):
            raise DataError("household recording: place names what the episode does not have")
        if not all(0 <= line.agent < n for line in self.lines):
            raise DataError(f"household recording: a line belongs to agent 0 to {n - 1}")

    def save(self, path: Path) -> None:
        """Write it as one file, atomically; see `hive.household.replay_data`."""
        from hive.household.replay_data import save_house_recording

        save_house_recording(self, path)

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


__all__ = ["HouseRecording", "Line", "LineKind", "gather"]
