"""The dialogue between a player and a model about one world: prompts, replies, and plans sent back with errors."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import dsl
from hive.kit.plan_text import PlanText
from hive.players.llm.client import (
    NO_TOPIC,
    PLAIN,
    REPAIRS,
    ChatRequest,
    Client,
    Constraint,
    Image,
    Message,
    Reply,
    Settings,
    TextSink,
    Topic,
)

AnswerKind = Literal["plan", "no_plan", "invalid_plan", "cut_off"]

_MARK = re.compile(r"\b(BEGIN|END)[ \t]+PLAN\b")
_REPAIR = """\
The plan in your reply cannot be used:

{errors}

Write the complete plan again without these errors, between BEGIN PLAN and END PLAN."""
_SHORTER = """\
Your reply reached its limit of {limit} tokens and was cut off. Write the complete plan again in fewer words, and
nothing else, between BEGIN PLAN and END PLAN."""


@dataclass(frozen=True)
class Answer:
    """What came of a prompt.

    Attributes:
        kind: `plan`; `no_plan`, when the model asked or advised instead; `invalid_plan`; `cut_off`, when the token
            limit ended the reply before its plan was complete.
        plan: The plan, checked; None without one.
        replies: Every reply, the last of which counts; more than one where plans were sent back.
    """

    kind: AnswerKind
    plan: PlanText | None
    replies: tuple[Reply, ...]

    @property
    def text(self) -> str:
        """The last reply."""
        return self.replies[-1].text


@dataclass
class Dialogue:
    """A dialogue about one world. It keeps what was said, so that a plan can be discussed and changed.

    A prompt whose request fails leaves the dialogue as it was before, apart from replies that had arrived by then.

    Attributes:
        client: Who answers.
        system: The constant text: role, rules, map, plan language, mission.
        context: What plans are checked against.
        messages: What was said, without `system`.
        repairs: How often a plan with errors is sent back for one prompt; 0 is the published procedure.
        grammar: Grammar of replies, or None for free text.
        converse: Whether the first reply to a prompt is free text all the same, so that the model may ask or advise.
        settings: How replies are drawn.
        topic: What clients without a model answer by.
        lenient: Whether a unit may stand in two groups of a step.
        written_for: Team sizes of `context`, if they are not those that the world names.
    """

    client: Client
    system: str
    context: dsl.PlanContext
    messages: list[Message] = field(default_factory=list)
    repairs: int = REPAIRS
    grammar: Constraint | None = None
    converse: bool = False
    settings: Settings = PLAIN
    topic: Topic = NO_TOPIC
    lenient: bool = False
    written_for: tuple[int, int] | None = None

    def ask(
        self,
        prompt: str,
        state: str = "",
        images: Sequence[Image] = (),
        told: TextSink | None = None,
        returned: TextSink | None = None,
    ) -> Answer:
        """Send a prompt, and send back plans with errors.

        Args:
            prompt: What the player wants.
            state: The present state of the game, which follows the prompt.
            images: Pictures that belong to the prompt.
            told: Receives replies piece by piece.
            returned: Receives what is sent back to the model about a reply that cannot be used.

        Raises:
            ModelError: The model could not be asked.
        """
        message = Message("user", f"{prompt}\n\n{state}" if state else prompt)
        self.topic = replace(self.topic, order=prompt, before=self.topic.order)
        replies: list[Reply] = []
        while True:
            request = ChatRequest(
                [Message("system", self.system), *self.messages, message],
                self.grammar if replies or not self.converse else None,
                images,
                self.settings,
                self.topic,
            )
            reply = self.client.complete(request, told)
            self.messages += [message, Message("assistant", reply.text)]
            replies.append(reply)
            kind, plan = read_reply(reply, self.context, self.lenient, self.written_for)
            if kind in ("plan", "no_plan") or len(replies) > self.repairs:
                return Answer(kind, plan, tuple(replies))
            if kind == "cut_off":
                message = Message("user", _SHORTER.format(limit=self.settings.max_tokens))
            else:
                assert plan is not None, "only a plan can be invalid"
                message = Message("user", _REPAIR.format(errors=dsl.render(plan.report.diagnostics)))
            if returned:
                returned(message.text)

    def undo(self) -> bool:
        """Forget the last prompt and everything said after it; return whether there was one."""
        while self.messages:
            message = self.messages.pop()
            if message.role == "user" and not message.text.startswith((_REPAIR[:30], _SHORTER[:30])):
                return True
        return False


def read_reply(
    reply: Reply, context: dsl.PlanContext, lenient: bool = False, written_for: tuple[int, int] | None = None
) -> tuple[AnswerKind, PlanText | None]:
    """Find the plan in a reply and check it (docs/rules/plans.md 1.5).

    A text without `BEGIN PLAN` and `END PLAN` counts as a plan only if it is one without errors; else it is prose.

    Returns:
        What the reply is, and its plan if it has one.
    """
    report = dsl.check_plan(reply.text, "reply", context, lenient)
    plan = PlanText("reply", reply.text, report, written_for)
    if reply.cut_off and not _complete(reply.text):
        return "cut_off", None
    if report.ok:
        return "plan", plan
    if plan.failure == "no_plan" or not _MARK.search(reply.text):
        return "no_plan", None
    return "invalid_plan", plan


def _complete(text: str) -> bool:
    return any(mark.group(1) == "END" for mark in _MARK.finditer(text))
