"""A level for one commander that writes plans for its crew; see `hive.kit.planned_world.CommandedGame`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import jax
import numpy as np

from hive.engine.crews.score import achieved
from hive.engine.types import State
from hive.kit.keep.dialogue import Line
from hive.worlds.wildfire.commanders import commander_for
from hive.worlds.wildfire.commanders.nothing import Nothing
from hive.worlds.wildfire.events import CrewEvents
from hive.worlds.wildfire.games import ROOM
from hive.worlds.wildfire.recording import LOSSES, FireRecording, assemble, watch
from hive.worlds.wildfire.reports import report
from hive.worlds.wildfire.world import Fireground


@dataclass(frozen=True, kw_only=True)
class LevelEnd:
    """A level at the end of a commander's game.

    Attributes:
        name: Name of the level, with its prefix.
        seed: Seed of the map.
        task: The task in words.
        tick: Ticks played.
        score: Points of the level.
    """

    name: str
    seed: int
    task: str
    tick: int
    score: float


class CommandedLevel:
    """A game of a level whose plans one commander writes."""

    room, watch = ROOM, staticmethod(watch)

    def __init__(self, world: Fireground) -> None:
        """Take the level on its map."""
        self._world = world
        self._commander = commander_for(world.site.level)

    @property
    def name(self) -> str:
        """Its folder in a run folder."""
        return f"{self._world.site.level.id}/{self._world.site.seed}"

    def standing(self, state: State) -> str:
        """Return the plan in which no unit does anything."""
        return Nothing().plan(report(self._world, state))

    def own(self, state: State) -> str:
        """Return the plan of the scripted commander."""
        return self._commander.plan(report(self._world, state))

    def events(self) -> CrewEvents:
        """Return what finds first sights and losses."""
        return CrewEvents(np.asarray(self._world.params.units.type))

    def begin(self, state: State) -> int:
        """Return the points before the first tick."""
        return int(_achieved(self._world.params, state))

    def score(self, frame: Any) -> int:
        """Return the points after a tick."""
        return int(frame.score[0])

    def finished(
        self, frames: Sequence[Any], outcome: str, plans: Sequence[tuple[int, str]], who: str, lines: Sequence[Line]
    ) -> tuple[LevelEnd, dict[str, Any], FireRecording]:
        """Return the level at its end, outcome and losses, and the recording."""
        site, log = self._world.site, jax.tree.map(lambda *leaves: np.concatenate(leaves), *frames)
        end = LevelEnd(
            name=self._world.name,
            seed=site.seed,
            task=self._world.briefing,
            tick=len(frames),
            score=float(log.score[-1]),
        )
        losses = dict(zip(LOSSES, log.losses[-1].tolist(), strict=True))
        title = f"{site.level.title}, seed {site.seed}"
        recording = assemble(self._world, log, title=title, outcome=outcome, plans=tuple(plans))
        facts = {"outcome": outcome, "ticks": len(frames), "losses": losses, "refused": 0}
        return end, facts, replace(recording, agents=(who,), lines=tuple(lines))


_achieved = jax.jit(achieved)
