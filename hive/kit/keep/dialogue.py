"""The lines that a replay shows next to its picture: what agents said, did and thought."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class LineKind(IntEnum):
    """What a line next to a replay is."""

    SAY = 0  # a message
    ACT = 1  # an action, or a plan of several
    THOUGHT = 2
    PROBLEM = 3  # a refusal, or what went wrong
    LESSON = 4  # what agents share, as one of them rewrote it
    TALK = 5  # an utterance that took no time
    ASKED = 6  # why a commander is asked for a plan


@dataclass(frozen=True)
class Line:
    """What an agent said, did or thought.

    Attributes:
        tick: Tick of the frame with which it is shown.
        agent: Number of the agent.
        kind: What it is.
        text: Its words.
    """

    tick: int
    agent: int
    kind: LineKind
    text: str
