"""What records a game while it is played, so that a game and its recording share one program."""

from __future__ import annotations

from typing import Any, Protocol

import dsl
from hive.engine.episode import Observer
from hive.engine.types import Plan
from hive.kit.keep.recording import Recording


class Recorder(Protocol):
    """Records the first game that `hive.play` plays; `hive.worlds.recorder_of` says what does so for a world."""

    @property
    def watch(self) -> Observer:
        """The function that returns what to keep; pure, and always the same object, so that programs are shared.

        It is called with None instead of a decision for the game before its first tick.
        """

    def take(self, turn: int, seen: Any) -> None:
        """Receive the results of `watch`, one row for each tick, while plan number `turn` was followed.

        The first row under each plan is the game before the plan's first tick.
        """

    def recording(self, title: str = "") -> Recording:
        """Return the game, tick 0 included, once it has been played.

        Args:
            title: Heading of the pictures; empty: that of the world.
        """


def source_of(plan: Plan) -> dsl.PlanSyntax:
    """Return the text of a plan as it was read, which recordings keep.

    Raises:
        ValueError: It holds none.
    """
    if plan.source is None:
        raise ValueError("the plan does not hold its source: give the one that `hive.read_plan` returned")
    source: dsl.PlanSyntax = plan.source
    return source
