"""What happens to a crew that is a reason to think again (docs/rules/teams.md 10.2)."""

from __future__ import annotations

import numpy as np

from dsl.vocabulary import CREW_TYPES
from dsl.wording import listing, plural
from hive.engine.crews.explored import Explored
from hive.engine.types import State


class CrewEvents:
    """Events of one game: a first sight of fire or water, more civilians than ever in sight, units that are lost."""

    def __init__(self, kinds: np.ndarray) -> None:
        """Begin before the first tick.

        Args:
            kinds: `[N]` type of each unit.
        """
        self._kinds = kinds
        self._alive = np.ones(len(kinds), bool)
        self._fire, self._water, self._civilians = False, False, 0

    def news(self, state: State) -> list[str]:
        """Return a sentence for each event since the last call."""
        assert state.crew is not None
        seen, alive = np.asarray(state.crew.seen), np.asarray(state.alive)
        fire = bool(((seen >= Explored.IGNITED) & (seen <= Explored.BURNT)).any())
        water = bool((seen == Explored.WATER).any())
        civilians = int((seen == Explored.CIVILIAN).sum())
        news = []
        if fire and not self._fire:
            news.append("A fire was seen for the first time.")
        if water and not self._water:
            news.append("Water was seen for the first time.")
        if civilians > self._civilians:
            news.append(f"Civilians are in sight in {plural(civilians, 'cell')}, in more than before.")
        lost = [f"{CREW_TYPES[self._kinds[unit]]} {unit}" for unit in np.flatnonzero(self._alive & ~alive)]
        if lost:
            news.append(f"The crew lost {listing(lost, 'and')}.")
        self._fire, self._water = self._fire or fire, self._water or water
        self._civilians, self._alive = max(self._civilians, civilians), alive
        return news
