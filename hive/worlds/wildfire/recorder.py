"""Recording of a level that a plan commands while `hive.play` plays it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np

import dsl
from hive.engine.deciding import Decision
from hive.engine.episode import Game, Observer
from hive.engine.recorder import source_of
from hive.engine.swapping import in_turn
from hive.engine.types import OUTCOMES, Orders, Outcome, Params, Plan
from hive.worlds.wildfire.recording import CrewFrame, FireRecording, assemble, idle_frame, watch
from hive.worlds.wildfire.world import Fireground


class FireRecorder:
    """Records the first game that `hive.play` plays; see `hive.engine.recorder.Recorder`."""

    def __init__(self, world: Fireground, plan: Plan, swaps: Sequence[tuple[int, Plan]] = ()) -> None:
        """Prepare to record a game.

        Args:
            world: The level that is played.
            plan: The plan of the crews.
            swaps: As in `hive.play`.

        Raises:
            ValueError: A plan does not hold its source, or swaps are out of order.
        """
        in_turn(plan, swaps)  # raises
        self._world = world
        self._plans = tuple((tick, dsl.format_plan(source_of(each))) for tick, each in ((0, plan), *swaps))
        self._frames: list[CrewFrame] = []
        self._turn, self._outcome = 0, int(Outcome.RUNNING)

    @property
    def watch(self) -> Observer:
        """The function that returns the frame of a tick, and the outcome of the game after it."""
        return _watch

    def take(self, turn: int, seen: tuple[CrewFrame, Any]) -> None:
        """Take the frames and outcomes of some ticks under plan number `turn`."""
        frames, outcome = seen
        if not outcome.size:
            return
        first = int(turn != self._turn)  # the frame that a later plan begins with is the last of the plan before
        self._turn, self._outcome = turn, int(outcome[-1])
        self._frames.append(jax.tree.map(lambda leaf: np.asarray(leaf)[first:], frames))

    def recording(self, title: str = "") -> FireRecording:
        """Return the game, tick 0 included, once it has been played.

        Args:
            title: Heading of the pictures; empty: the level and its seed.
        """
        merged: CrewFrame = jax.tree.map(lambda *leaves: np.concatenate(leaves), *self._frames)
        return assemble(
            self._world,
            jax.tree.map(lambda leaf: leaf[1:], merged),
            title=title or f"{self._world.site.level.title}, seed {self._world.site.seed}",
            outcome=OUTCOMES[self._outcome],
            plans=self._plans[: self._turn + 1],
            start=jax.tree.map(lambda leaf: leaf[0], merged),
        )


def _watch(params: Params, orders: Orders, game: Game, decision: Decision | None) -> tuple[CrewFrame, jax.Array]:
    """Return a tick in compact form, and the outcome."""
    seen = idle_frame(params, game.state) if decision is None else watch(params, orders, game, decision)
    return seen, game.outcome
