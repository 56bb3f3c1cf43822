"""Styles of messages for the scripted team, and a bandit that learns which of them pays.

This is a claim of another kind than that of an evolving list: no insight is written, a number is estimated for each of
a few given styles (docs/rules/household.md 10.5).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from hive.worlds.household.speaker.talking import BRIEF, CHECKS, CLAIMS, FINDS, SILENT

STYLES = {
    "silent": SILENT,
    "finds": FINDS,
    "finds, claims": f"{FINDS} {CLAIMS}",
    "finds, checks": f"{FINDS} {CHECKS}",
    "finds, checks, brief": f"{FINDS} {BRIEF} {CHECKS}",
    "all, brief": f"{FINDS} {BRIEF} {CHECKS} {CLAIMS}",
    "all": f"{FINDS} {CHECKS} {CLAIMS}",
}
"""Shared lists, by the name of the style that they ask for."""


@dataclass
class Bandit:
    """UCB1 on the mean steps of plays, which are to be few.

    Attributes:
        scale: Steps that count as one in the width of the confidence bound.
        steps: Steps of every play, by style.
    """

    scale: float
    steps: dict[str, list[float]] = field(default_factory=lambda: {name: [] for name in STYLES})

    def choose(self) -> str:
        """Return the style to play next: each once, then the one with the least lower bound."""
        untried = [name for name, found in self.steps.items() if not found]
        return untried[0] if untried else min(self.steps, key=self._bound)

    def learn(self, style: str, steps: list[float]) -> None:
        """Take the steps of some plays with a style."""
        self.steps[style] += steps

    @property
    def best(self) -> str:
        """The style with the most plays; of several, the one with the least mean."""
        return min(self.steps, key=lambda name: (-len(self.steps[name]), self._mean(name)))

    def _bound(self, style: str) -> float:
        plays = sum(map(len, self.steps.values()))
        return self._mean(style) - self.scale * math.sqrt(2 * math.log(plays) / len(self.steps[style]))

    def _mean(self, style: str) -> float:
        found = self.steps[style]
        return sum(found) / len(found) if found else math.inf
