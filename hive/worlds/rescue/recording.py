"""The recording of one rescue, step by step, with what the agents did, thought and said."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from hive.kit.keep.dialogue import Line
from hive.kit.keep.fields import codes, flags, index, lines, ticks, word, words
from hive.kit.keep.recording import Recording, number_texts, stack
from hive.worlds.rescue.codes import RESOURCES, STEPS
from hive.worlds.rescue.files import instance_texts, read_instance
from hive.worlds.rescue.instance import MOST, Instance
from hive.worlds.rescue.state import State

_FILES = ("map", "victims", "agents")


@dataclass(frozen=True, eq=False, kw_only=True)
class RescueRecording(Recording):
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

    title: str = word(str)
    instance: Instance = words(
        dict.fromkeys(("name", *_FILES), str),
        dump=lambda run: {"name": run.instance.name, **instance_texts(run.instance)},
        read=lambda said, _: read_instance(
            said["name"], {part: (f"{part} of the recording", said[part]) for part in _FILES}
        ),
    )
    limit: int = word(int)
    outcome: str = word(str)
    tick: NDArray[np.integer] = ticks()
    position: NDArray[np.integer] = codes("T A", end="rooms")
    supplies: NDArray[np.integer] = codes(f"T A {len(RESOURCES)}", end=MOST + 1)
    needs: NDArray[np.bool_] = flags(f"T V {len(RESOURCES)}")
    active: NDArray[np.bool_] = flags("T A")
    doing: NDArray[np.integer] = index("T A", of="deeds")
    refused: NDArray[np.bool_] = flags("T A")
    deeds: tuple[str, ...] = word([str], read=tuple)
    lines: tuple[Line, ...] = lines("A")

    def lengths(self) -> Mapping[str, int]:
        """Agents, victims, rooms and texts of actions."""
        what = self.instance
        return {"A": len(what.agents), "V": len(what.victims), "rooms": len(what.rooms), "deeds": len(self.deeds)}

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
