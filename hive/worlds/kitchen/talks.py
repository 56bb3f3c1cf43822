"""How well one cook initiates collaboration (IC) and how well the other responds (RC).

Rules: docs/rules/kitchen.md 11.5, 12.2.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from hive.worlds.kitchen.action import KitchenWords
from hive.worlds.kitchen.action_text import REQUEST, PlanEntry, read_plan
from hive.worlds.kitchen.codes import ActionKind
from hive.worlds.kitchen.metrics import BETA, ites, matched, tes

SILENT = ("[NOTHING]", "[EMPTY]", "")
"""What an agent says when it has nothing to say."""

OUTCOMES = ("both right", "response wrong", "initiation wrong", "both wrong")
"""The confusion matrix of events: initiation right with the response right and wrong, then initiation wrong."""

MISTAKES = ("premature", "repetitive", "irrelevant", "no request")
"""What a wrong initiation asks for (docs/rules/kitchen.md 12.2)."""

_SIGNS = re.compile(r"[\s'\"`]")
_CALL = re.compile(r"\w\s*\(.*\)", re.DOTALL)


@dataclass(frozen=True)
class Utterance:
    """One answer in a conversation: who gave it, its message and its plan, as texts."""

    speaker: int
    say: str
    plan: str


@dataclass(frozen=True)
class Conversation:
    """The utterances of one timestep, in order; a conversation costs no time."""

    timestep: int
    utterances: tuple[Utterance, ...]

    @property
    def initiator(self) -> int | None:
        """The first agent that says something, if any does."""
        return next((each.speaker for each in self.utterances if each.say.strip().upper() not in SILENT), None)


@dataclass(frozen=True)
class Event:
    """One conversation, judged.

    Attributes:
        timestep: When it took place.
        requested: Actions that the initiator asked for and the responder can do, R.
        responded: The responder's own actions in its first answer that contains an action, R̂.
        initiation: ITES of the requested actions after what the responder had completed.
        response: ITES of the responder's actions, likewise.
        gap: TES after the requested actions less TES after the responder's.
        unknown: Requests, and the responder's actions, that the responder cannot be scored for.
        mistake: One of `MISTAKES`; empty if the initiation is right.
    """

    timestep: int
    requested: tuple[str, ...]
    responded: tuple[str, ...]
    initiation: float
    response: float
    gap: float
    unknown: tuple[str, ...]
    mistake: str = ""

    @property
    def outcome(self) -> str:
        """One of `OUTCOMES`."""
        return OUTCOMES[2 * (self.initiation <= 0) + (self.response <= 0)]


@dataclass(frozen=True)
class Capability:
    """IC and RC in both readings.

    Attributes:
        events: Conversations that the initiator opened.
        initiated: Those whose requests advance the task.
        responded: Those whose response advances the task.
        required: Fewest collaborative actions that the task needs.
    """

    events: int
    initiated: int
    responded: int
    required: int

    @property
    def ic(self) -> float:
        """Initiating capability per observed event; 0 without an event."""
        return self.initiated / self.events if self.events else 0.0

    @property
    def rc(self) -> float:
        """Responding capability per observed event; 0 without an event."""
        return self.responded / self.events if self.events else 0.0

    @property
    def ic_required(self) -> float:
        """Initiating capability per required collaboration; above 1 when more events than required advance the task."""
        return self.initiated / self.required if self.required else math.nan

    @property
    def rc_required(self) -> float:
        """Responding capability per required collaboration; may be above 1 likewise."""
        return self.responded / self.required if self.required else math.nan


def judge(
    conversation: Conversation,
    history: Sequence[tuple[int, str]],
    references: Sequence[Sequence[str]],
    universe: Collection[str],
    words: KitchenWords,
    beta: float = BETA,
) -> Event:
    """Judge one conversation by what was asked for and what was answered.

    Args:
        conversation: It must have an initiator.
        history: Timestep and text of each action that the responder completed in the run, in order.
        references: The responder's reference trajectories.
        universe: Texts of the actions that the responder can be scored for.
        words: The words of the kitchen.
        beta: β of TES.

    Raises:
        ValueError: Nothing is said in the conversation, so it has no initiator.
    """
    first = conversation.initiator
    if first is None:
        raise ValueError("a conversation in which nothing is said has no initiator")
    done = [action for timestep, action in history if timestep <= conversation.timestep]
    asked = [
        text
        for each in conversation.utterances
        if each.speaker == first
        for entry in read_plan(each.plan, words).requests
        if (text := _text(entry, universe))
    ]
    answered = _answer(conversation, first, words, universe)
    requested = tuple(each for each in asked if each in universe)
    responded = tuple(each for each in answered if each in universe)
    after = tes([*done, *requested], references, beta), tes([*done, *responded], references, beta)
    initiation = ites(requested, done, references, beta)
    return Event(
        timestep=conversation.timestep,
        requested=requested,
        responded=responded,
        initiation=initiation,
        response=ites(responded, done, references, beta),
        gap=after[0] - after[1],
        unknown=tuple(each for each in (*asked, *answered) if each not in universe),
        mistake="" if initiation > 0 else mistake_of(asked, done, references, beta),
    )


def mistake_of(
    asked: Sequence[str], done: Sequence[str], references: Sequence[Sequence[str]], beta: float = BETA
) -> str:
    """Return which of `MISTAKES` a wrong initiation is: that of its first request that continues no alternative.

    Args:
        asked: All requests in order, also those that the responder cannot be scored for.
        done: What the responder has completed, in order.
        references: The responder's reference trajectories. Those that match best so far are compared.
        beta: β of TES.
    """
    best = tes(done, references, beta)
    rests = [each[matched(done, each) :] for each in references if tes(done, [each], beta) == best]
    for request in asked:
        going = [rest[1:] for rest in rests if rest and rest[0] == request]
        if going:
            rests = going
        elif any(request in rest for rest in rests):
            return "premature"
        else:
            return "repetitive" if request in done else "irrelevant"
    return "no request"


def confusion(events: Iterable[Event]) -> dict[str, int]:
    """Count events by their outcomes, all of `OUTCOMES`."""
    found = Counter(event.outcome for event in events)
    return {outcome: found[outcome] for outcome in OUTCOMES}


def _answer(conversation: Conversation, first: int, words: KitchenWords, universe: Collection[str]) -> list[str]:
    """The responder's own actions, without waits, in its first answer whose plan has the form of a call."""
    for each in conversation.utterances:
        if each.speaker != first and _CALL.search(each.plan):
            own = [entry for entry in read_plan(each.plan, words).queue if not _waits(entry)]
            return [text for entry in own if (text := _text(entry, universe))]
    return []


def _waits(entry: PlanEntry) -> bool:
    return entry.action is not None and entry.action.kind == ActionKind.WAIT


def _text(entry: PlanEntry, universe: Collection[str]) -> str:
    """Return the text of a piece of a plan; empty where its form is wrong, unless it can be scored nevertheless."""
    if entry.action:
        return str(entry.action)
    text = _SIGNS.sub("", entry.span.text.lower())
    text = text.removeprefix(f"{REQUEST}(").removesuffix(")") if entry.request else text
    return text if text in universe else ""


def capability(events: Sequence[Event], required: int) -> Capability:
    """Count the events of a run, all opened by the agent whose initiative is measured."""
    return Capability(
        events=len(events),
        initiated=sum(event.initiation > 0 for event in events),
        responded=sum(event.response > 0 for event in events),
        required=required,
    )
