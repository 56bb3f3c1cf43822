"""The recording of one rescue, step by step, with what the agents did, thought and said."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from hive.keep.archive import DataError
from hive.keep.columns import Framed, number_texts, stack
from hive.rescue.codes import RESOURCES, STEPS
from hive.rescue.instance import MOST, Instance
from hive.rescue.state import State


class LineKind(IntEnum):
    """What a line next to a replay is."""

    SAY = 0
    ACT = 1
    THOUGHT = 2
    REFUSAL = 3  # of a call


@dataclass(frozen=True)
class Line:
    """What an agent said, did or thought in its turn.

    Attributes:
        tick: Number of the step, from 1.
        agent: Number of the agent.
        kind: What it is.
        text: Its words.
    """

    tick: int
    agent: int
    kind: LineKind
    text: str


@dataclass(frozen=True, eq=False, kw_only=True)
class RescueRecording(Framed):
    """One run, frame by frame: T frames, A agents, V victims. Frame t shows the end of step `tick[t]`.

    Attributes:
        title: Heading of the pictures.
        instance: What is played.
        limit: Most steps.
        outcome: How the run ended, in words.
        tick: `[T]`, ascending from 0.
        position: `[T, A]` rooms.
        supplies: `[T, A, 3]` units.
        needs: `[T, V, 3]` needs that are left.
        active: `[T, A]` whether an agent has not ended its mission.
        doing: `[T, A]` index into `deeds` of what an agent did in the step before the frame, or -1.
        refused: `[T, A]` whether that had no effect.
        deeds: Texts of actions.
        lines: What was said, done and thought, in order.

    Raises:
        DataError: Shapes disagree, or a value is outside its range.
    """

    format: ClassVar[str] = "hive-rescue-recording/1"
    noun: ClassVar[str] = "rescue recording"

    title: str
    instance: Instance
    limit: int
    outcome: str
    tick: NDArray[np.integer]
    position: NDArray[np.integer]
    supplies: NDArray[np.integer]
    needs: NDArray[np.bool_]
    active: NDArray[np.bool_]
    doing: NDArray[np.integer]
    refused: NDArray[np.bool_]
    deeds: tuple[str, ...]
    lines: tuple[Line, ...]

    def __post_init__(self) -> None:
        """Refuse fields that do not fit together."""
        t, a, v, kinds = len(self.tick), len(self.instance.agents), len(self.instance.victims), len(RESOURCES)
        wanted: dict[str, tuple[int, ...]] = dict.fromkeys(("position", "active", "doing", "refused"), (t, a))
        self.check_shapes(wanted | {"supplies": (t, a, kinds), "needs": (t, v, kinds)})
        self.check_ticks()
        rooms = len(self.instance.rooms)
        self.check_ranges({"position": (0, rooms), "supplies": (0, MOST + 1), "doing": (-1, len(self.deeds))})
        if not all(0 <= line.agent < a for line in self.lines):
            raise DataError(f"rescue recording: a line belongs to agent 0 to {a - 1}")

    def save(self, path: Path) -> None:
        """Write it as one file, atomically; see `hive.rescue.replay_data`."""
        from hive.rescue.replay_data import save_rescue_recording

        save_rescue_recording(self, path)

    def helped(self, t: int) -> int:
        """Return how many victims have no need left in frame `t`."""
        return int((~self.needs[t].any(axis=1)).sum())


def gather(
    instance: Instance,
    limit: int,
    states: Sequence[State],
    deeds: Sequence[Sequence[tuple[str, bool]]],
    outcome: str,
    lines: Iterable[Line] = (),
    title: str = "",
) -> RescueRecording:
    """Return the recording of a run.

    Args:
        instance: What is played.
        limit: Most steps.
        states: The state before the first step, and after each one.
        deeds: For each step what each agent did, and whether it was refused; an empty text for no turn.
        outcome: How the run ended, in words.
        lines: What was said, done and thought.
        title: Heading; empty: the name of the instance.

    Raises:
        ValueError: There is not one state more than steps.
    """
    if len(states) != len(deeds) + 1:
        raise ValueError(f"{len(deeds)} steps have {len(deeds) + 1} states, not {len(states)}")
    agents, victims = len(instance.agents), len(instance.victims)
    doing, texts = number_texts([[text for text, _ in step] for step in deeds], agents)
    refused = np.zeros((len(states), agents), bool)
    for t, step in enumerate(deeds, start=1):
        refused[t, : len(step)] = [no for _, no in step]
    return RescueRecording(
        title=title or f"Rescue {instance.name}",
        instance=instance,
        limit=limit,
        outcome=outcome,
        tick=np.array([int(state.step) for state in states]),
        position=stack(states, "position", agents),
        supplies=stack(states, "supplies", agents),
        needs=stack(states, "needs", victims),
        active=stack(states, "active", agents),
        doing=doing,
        refused=refused,
        deeds=texts,
        lines=tuple(lines),
    )


def gather_start(instance: Instance) -> RescueRecording:
    """Return an instance before its first step as a recording of one frame."""
    return RescueRecording(
        title=f"Rescue {instance.name}",
        instance=instance,
        limit=STEPS,
        outcome="not played",
        tick=np.zeros(1, np.int32),
        position=np.array([[agent.room for agent in instance.agents]]),
        supplies=np.array([[agent.supplies for agent in instance.agents]]),
        needs=np.array([[victim.needs for victim in instance.victims]]),
        active=np.ones((1, len(instance.agents)), bool),
        doing=np.full((1, len(instance.agents)), -1),
        refused=np.zeros((1, len(instance.agents)), bool),
        deeds=(),
        lines=(),
    )


__all__ = ["Line", "LineKind", "RescueRecording", "gather", "gather_start"]
