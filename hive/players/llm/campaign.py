"""A game that one model commands with plans: it writes a plan for all units, and again on a period or on events.

Each request holds the present plan and the state of the game, and nothing that was said before, so its length does not
grow with the game. Rules: docs/rules/teams.md 10.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from hive.engine.episode import Observer
from hive.engine.types import State
from hive.kit.plan_text import PlanText
from hive.kit.prompts import read_prompt
from hive.players.llm.client import Reply
from hive.players.llm.dialogue import AnswerKind
from hive.players.llm.session import Session, running_of

VERSION = 1  # of the prompt
ROOM = 1  # ticks that one call of the compiled program plays

FAILURES: dict[str, str] = {
    "no_plan": "the reply holds no plan",
    "invalid_plan": "the plan of the reply has errors",
    "cut_off": "the reply was cut off by its limit of tokens",
}


class Events(Protocol):
    """What happened in one game since the last look."""

    def news(self, state: State) -> list[str]:
        """Return a sentence for each event since the last call."""


@dataclass(frozen=True)
class RequestedPlan:
    """What came of one request for a plan.

    Attributes:
        tick: When it was asked for.
        reason: Why, in sentences.
        kind: As in `hive.players.llm.dialogue.Answer`.
        replies: Every reply, the last of which counts; more than one where plans were sent back.
        plan: Text of the plan that is followed now.
    """

    tick: int
    reason: str
    kind: AnswerKind
    replies: tuple[Reply, ...]
    plan: str

    @property
    def remark(self) -> str:
        """Why the reply changed nothing; empty for a plan that can be followed."""
        return "" if self.kind == "plan" else f"{FAILURES[self.kind]}, so the present plan is followed further"


class Campaign:
    """One game of a world, whose plans a model writes.

    Attributes:
        session: The world, the dialogue and the game; `session.plans` are the plans with their ticks.
        orders: Every request for a plan, in order.
    """

    def __init__(
        self,
        session: Session,
        standing: str,
        *,
        every: int | None = None,
        events: Events | None = None,
        own: Callable[[State], str] | None = None,
    ) -> None:
        """Begin a game, in which nothing has been asked yet.

        Args:
            session: A new session.
            standing: A plan in which no unit does anything; it holds until the model has written a plan.
            every: Ticks from one request to the next; None: no period.
            events: Finds events of the world, which are reasons to ask too, as is a step that was achieved; None: only
                the period counts.
            own: Returns the plan of a commander that needs no model, for clients without one (`Topic.plan`).
        """
        self.session = session
        self.orders: list[RequestedPlan] = []
        self._every, self._events, self._own = every, events, own
        self._asked = -1  # tick of the last request
        self._achieved: set[int] = set()
        session.order(self._text(standing))

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.session.outcome not in ("running",)

    def reason(self) -> str | None:
        """Return why the model is asked at this tick, or None if it is not; call it once a tick."""
        tick, state = self.session.tick, self.session.state
        news = self._events.news(state) if self._events else []
        if self._events:
            steps = [str(step) for step in self._steps() if step not in self._achieved]
            if steps:
                news.append(f"Newly achieved steps of the plan: {', '.join(steps)}.")
        self._achieved = set(self._steps())
        if self.over or tick == self._asked:
            return None
        if self._asked < 0:
            return "The game begins."
        if news:
            return " ".join(news)
        if self._every and tick >= self._asked + self._every:
            return f"{tick - self._asked} ticks were played since your last plan."
        return None

    def ask(self, reason: str) -> RequestedPlan:
        """Ask for a plan; it is followed from now on if it has no errors.

        Raises:
            ModelError: The model could not be asked; the game is kept.
        """
        session, prompt = self.session, read_prompt("hive.players.llm", VERSION)
        tick, first = session.tick, self._asked < 0
        if self._own:
            session.dialogue.topic = replace(session.dialogue.topic, plan=self._own(session.state))
        if first:
            words = prompt.fill("Order", count=session.dialogue.context.team_size, reason=reason)
        else:
            done = ", ".join(str(step) for step in self._steps()) or "none"
            words = prompt.fill("Present plan", reason=reason, achieved=done, plan=session.plans[-1][1].text.strip())
        session.dialogue.messages.clear()
        answer = session.prompt(words)
        self._asked, self._achieved = tick, set(self._steps())
        order = RequestedPlan(tick, reason, answer.kind, answer.replies, session.plans[-1][1].text)
        self.orders.append(order)
        return order

    def play(self, watch: Observer) -> Any:
        """Play one tick; return what `watch` returned for it, with a leading axis of one row."""
        seen, _ = self.session.live.play_watched(1, watch, ROOM)
        return seen

    def _steps(self) -> Sequence[int]:
        """Return the numbers of the steps of the present plan that are achieved."""
        running = running_of(self.session.live)
        return [step.id for step in running.plan.steps if step.id in running.achieved]

    def _text(self, standing: str) -> PlanText:
        return PlanText.read(standing, self.session.dialogue.context)
