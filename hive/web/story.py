"""What happened in a game so far: the curves, the log that a new tab receives, and the events of each tick."""

from __future__ import annotations

from collections.abc import Sequence

from hive.engine.course import CourseStep, StepState
from hive.engine.page_view import Snapshot
from hive.kit.plan_text import PlanText
from hive.web.frame_history import FrameHistory
from hive.web.messages import ServerMessage

_SHARE = 10  # parts of a team: the loss of each is an event
_SIDES = ("player", "enemy")


class Story:
    """The past of one game.

    Attributes:
        log: What tabs were told of orders, answers, plans, events and lines of the game.
        curves: The `point` of each tick from 0.
        progress: Tick, number of the plan from 1, and `StepState` of its steps, wherever these changed.
        history: The ticks themselves.
    """

    def __init__(self, log: Sequence[ServerMessage], start: Snapshot, contact: str) -> None:
        """Begin at tick 0, with what was told before; `contact` says what the first contact is in this world."""
        self.log, self._contact = list(log), contact
        self.curves: list[list[float | None]] = []
        self.progress: list[tuple[int, int, list[int]]] = []
        self.history = FrameHistory()
        self._begun_with = [sum(kinds) for kinds in start.alive]
        self._fought: int | None = None  # tick of the first contact
        self.note(start, 0)

    def note(self, snapshot: Snapshot, plan: int) -> None:
        """Take the tick that follows, or the last one again under another plan; `plan` is the plan's number, from 1."""
        if snapshot.tick >= len(self.curves):
            self.curves.append(snapshot.point)
            if snapshot.fought and self._fought is None:
                self._fought = snapshot.tick
        if self.progress and self.progress[-1][:2] == (snapshot.tick, plan):
            self.progress.pop()
        if plan and (not self.progress or self.progress[-1][1:] != (plan, snapshot.steps)):
            self.progress.append((snapshot.tick, plan, snapshot.steps))
        self.history.add(snapshot)

    def cut(self, tick: int, plans: int) -> None:
        """Forget what came after a tick, and all but so many plans."""
        self.curves = self.curves[: tick + 1]
        self.progress = [row for row in self.progress if row[0] <= tick and row[1] <= plans]
        self.log = [words for words in self.log if words["is"] != "event" or words["tick"] <= tick]
        self.history.cut(tick)
        if self._fought is not None and self._fought > tick:
            self._fought = None

    def plan(self, plans: Sequence[tuple[int, PlanText]]) -> ServerMessage | None:
        """Return what was told of the last of these plans; None where there is none."""
        if not plans:
            return None
        tick, plan = plans[-1]
        wanted = {"is": "plan", "tick": tick, "text": plan.text}
        return next((words for words in reversed(self.log) if wanted.items() <= words.items()), None)

    def events(self, steps: Sequence[CourseStep], before: Snapshot, now: Snapshot) -> list[ServerMessage]:
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
            found.append(("end", f"the game has ended: {now.outcome.replace('_', ' ')}"))
        return [{"is": "event", "event": event, "tick": now.tick, "text": text} for event, text in found]
