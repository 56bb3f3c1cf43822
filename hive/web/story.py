"""What happened in a game so far: the curves, the log that a new tab is told, and the events of each tick."""

from __future__ import annotations

from collections.abc import Sequence

from hive.battle.course import Step, StepState
from hive.plan.text import PlanText
from hive.web.battle import Shot
from hive.web.messages import Words

_SHARE = 10  # parts of a team: the loss of each is an event
_SIDES = ("player", "enemy")


class Story:
    """The past of one game.

    Attributes:
        log: What tabs were told of orders, answers, plans, events and lines of the game.
        curves: Tick, live units of player and enemy, and score (or None), by tick.
    """

    def __init__(self, log: Sequence[Words], start: Shot, contact: str) -> None:
        """Begin at tick 0, with what was told before; `contact` says what the first contact is in this world."""
        self.log, self._contact = list(log), contact
        self.curves: list[tuple[int, int, int, float | None]] = []
        self._begun_with = [sum(kinds) for kinds in start.alive]
        self._fought: int | None = None  # tick of the first contact
        self.note(start)

    def note(self, shot: Shot) -> None:
        """Take the tick that follows."""
        self.curves.append((shot.tick, sum(shot.alive[0]), sum(shot.alive[1]), shot.score))
        if shot.fought and self._fought is None:
            self._fought = shot.tick

    def cut(self, tick: int) -> None:
        """Forget what came after a tick."""
        self.curves = [row for row in self.curves if row[0] <= tick]
        self.log = [words for words in self.log if words["is"] != "event" or words["tick"] <= tick]
        if self._fought is not None and self._fought > tick:
            self._fought = None

    def plan(self, plans: Sequence[tuple[int, PlanText]]) -> Words | None:
        """Return what was told of the last of these plans; None where there is none."""
        if not plans:
            return None
        tick, plan = plans[-1]
        wanted = {"is": "plan", "tick": tick, "text": plan.text}
        return next(words for words in reversed(self.log) if wanted.items() <= words.items())

    def events(self, steps: Sequence[Step], before: Shot, now: Shot) -> list[Words]:
        """Return what happened in a tick that was noted.

        Args:
            steps: Steps of both sides' plans.
            before: The tick before, under the same plans.
            now: The tick.
        """
        found = []
        if len(before.steps) == len(steps) == len(now.steps):
            for step, was, is_now in zip(steps, before.steps, now.steps, strict=True):
                if is_now == StepState.ACHIEVED != was:
                    whose = "the enemy's step" if step.side else "step"
                    found.append(("step", f"{whose} {step.number} is achieved: {step.objective}"))
        if self._fought == now.tick:
            found.append(("contact", self._contact))
        for side, name in enumerate(_SIDES):
            total = max(self._begun_with[side], 1)
            was, lost = (_SHARE * (total - sum(each.alive[side])) // total for each in (before, now))
            if lost > was:
                found.append(("loss", f"the {name} has lost {lost * 100 // _SHARE}% of its units"))
        if now.outcome != "running":
            found.append(("end", f"the game is over: {now.outcome.replace('_', ' ')}"))
        return [{"is": "event", "event": event, "tick": now.tick, "text": text} for event, text in found]
