"""The coordination level of a run by rules, from its recording (docs/rules/rescue.md 11)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hive.kit.keep.dialogue import LineKind
from hive.worlds.rescue.recording import RescueRecording

TALK, TRUTH = 1 / 2, 2 / 3
"""Least share of turns with a message that names a place or a victim, and of announcements that come true."""


@dataclass(frozen=True, kw_only=True)
class Coordination:
    """What the level of a run follows from.

    Attributes:
        turns: Turns after which another agent was left to read a message.
        informative: Turns with a message that names a victim or a room.
        announcements: Messages that name a victim with a need left at the end of the step, and whose sender gives
            something in a later step.
        kept: Those of them that name the victim to which the sender gives next.
        doubled: Ways in vain: an agent goes to a victim that another agent serves, and gives nothing.
        refused: Items that were offered where they could not be given.
    """

    turns: int
    informative: int
    announcements: int
    kept: int
    doubled: int
    refused: int

    @property
    def talks(self) -> bool:
        """Whether enough turns have a message that names a victim or a room."""
        return self.turns > 0 and self.informative >= TALK * self.turns

    @property
    def truthful(self) -> bool:
        """Whether announcements come true often enough."""
        return self.announcements > 0 and self.kept >= TRUTH * self.announcements

    @property
    def divided(self) -> bool:
        """Whether no work was done twice."""
        return self.doubled + self.refused == 0

    @property
    def level(self) -> int:
        """0 none, 1 partial, 2 high."""
        return 0 if not self.talks else 2 if self.truthful and self.divided else int(self.truthful or self.divided)

    def json(self) -> dict[str, Any]:
        """Return the level and what it follows from, in plain values."""
        return {"level": self.level, **vars(self)}


def coordination(recording: RescueRecording) -> Coordination:
    """Count what the coordination level of a run follows from.

    Args:
        recording: The complete recording of the run, a frame for each step.
    """
    given = _given(recording)
    announcements = kept = 0
    rooms = {name: number for number, name in enumerate(recording.instance.rooms)}
    victims = {victim.name: number for number, victim in enumerate(recording.instance.victims)}
    heard: set[tuple[int, int]] = set()
    for line in recording.lines:
        if line.kind != LineKind.SAY:
            continue
        words = set(re.findall(r"[\w-]+", line.text))
        if words & {*rooms, *victims}:
            heard.add((line.tick, line.agent))
        frame = min(line.tick, recording.frames - 1)
        waiting = {victim for name, victim in victims.items() if name in words and recording.needs[frame, victim].any()}
        later = given[line.tick + 1 :, line.agent]
        if waiting and (later >= 0).any():
            announcements += 1
            kept += int(later[later >= 0][0]) in waiting
    return Coordination(
        turns=sum(_is_read(recording, frame, agent) for frame, agent in np.argwhere(recording.doing >= 0).tolist()),
        informative=len(heard),
        announcements=announcements,
        kept=kept,
        doubled=sum(_doubled(recording, given, agent) for agent in range(len(recording.instance.agents))),
        refused=sum(
            bool(recording.refused[frame, agent]) and recording.deeds[deed].startswith("give_")
            for (frame, agent), deed in np.ndenumerate(recording.doing)
            if deed >= 0
        ),
    )


def _is_read(recording: RescueRecording, frame: int, agent: int) -> bool:
    """Whether another agent acts after a turn: agents before it in the order of turns have acted in its step."""
    done = not recording.needs[frame].any() and not (recording.doing[frame, agent + 1 :] >= 0).any()
    others = [other for other in range(recording.active.shape[1]) if other != agent]
    return not done and any(recording.active[frame - (other > agent), other] for other in others)


def _given(recording: RescueRecording) -> NDArray[np.integer]:
    """Return `[T, A]` the victim to which each agent gave an item in the step before each frame; -1 for none."""
    given = np.full(recording.position.shape, -1)
    gives = (recording.supplies[1:] < recording.supplies[:-1]).any(axis=2)
    for number, victim in enumerate(recording.instance.victims):
        given[1:][gives & (recording.position[1:] == victim.room)] = number
    return given


def _doubled(recording: RescueRecording, given: NDArray[np.integer], agent: int) -> int:
    """Count an agent's ways in vain.

    Such a way is a stay in the room of a victim, after an arrival, in which the agent gives nothing although another
    agent gives to that victim in the run; the agent then goes back through the door by which it came, or stays there
    until the run ends. So rooms through which an agent passes do not count.
    """
    rooms = recording.position[:, agent]
    starts = [0, *(int(frame) for frame in np.flatnonzero(np.diff(rooms)) + 1)]
    ends = [*starts[1:], recording.frames]
    found = 0
    for stay in range(1, len(starts)):
        victim = next(
            (n for n, each in enumerate(recording.instance.victims) if each.room == rooms[starts[stay]]), None
        )
        if victim is None or (given[starts[stay] : ends[stay], agent] >= 0).any():
            continue
        passes = ends[stay] < recording.frames and rooms[ends[stay]] != rooms[starts[stay] - 1]
        others = np.delete(given, agent, axis=1)
        found += not passes and bool((others == victim).any())
    return found
