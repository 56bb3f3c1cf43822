"""A person in a team: one seat is the person's, and another player decides for all other agents."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from dsl import UserError
from dsl.wording import listing
from hive.kit.agent_env import AgentEnv
from hive.players.llm.client import ChatRequest, Client, Message, Reply, TextSink
from hive.players.llm.forms import Form, reply_of
from hive.players.teams.frameworks.nothing import FRAMEWORK as NOTHING
from hive.players.teams.games import TeamPlayer

HUMAN = "human"
"""The player that is a team with a person in one of its seats."""


class GameClosedError(UserError):
    """The game was closed while it was played; its finished steps are saved."""


@dataclass(frozen=True, kw_only=True)
class Question:
    """What a person is asked, in the words that a model would read.

    Attributes:
        number: From 1 on.
        agent: Name of the agent.
        purpose: What for, such as `plan`.
        messages: The prompt.
        form: What the person fills in.
    """

    number: int
    agent: str
    purpose: str
    messages: Sequence[Message]
    form: Form

    def json(self) -> dict[str, Any]:
        """Return the question in plain values."""
        return {
            "number": self.number,
            "agent": self.agent,
            "purpose": self.purpose,
            "messages": [message.json() for message in self.messages],
            "form": [field.json() for field in self.form],
        }


class Person(Protocol):
    """Answers for one agent."""

    def answer(self, agent: str, purpose: str, messages: Sequence[Message], form: Form) -> str:
        """Return the answer to a prompt, once the person has given it.

        Raises:
            UserError: There will be no answer.
        """


class Desk:
    """A `Person` whose questions lie on a desk until they are answered; safe from any thread.

    Attributes:
        changed: Called when a question came or went, from the thread that brought it or its answer.
    """

    def __init__(self) -> None:
        """Begin without a question."""
        self.changed: Callable[[], None] = lambda: None
        self._count, self._closed = 0, False
        self._question: Question | None = None
        self._reply: str | None = None
        self._news = threading.Condition()

    @property
    def question(self) -> Question | None:
        """The question that waits for an answer."""
        return self._question

    def answer(self, agent: str, purpose: str, messages: Sequence[Message], form: Form) -> str:
        """Put a question on the desk and wait for its answer; see `Person`.

        Raises:
            GameClosedError: The desk is closed.
        """
        with self._news:
            self._count += 1
            self._reply = None
            number = self._count
            self._question = Question(number=number, agent=agent, purpose=purpose, messages=messages, form=form)
        self.changed()
        reply = self._wait()
        if reply is None:
            raise GameClosedError(f"the game was closed while it waited for {agent}")
        return reply

    def _wait(self) -> str | None:
        with self._news:
            self._news.wait_for(lambda: self._reply is not None or self._closed)
            self._question = None
            return self._reply

    def give(self, number: int, fields: Mapping[str, str]) -> None:
        """Answer a question by the fields of its form.

        Raises:
            UserError: Another question waits, or none; or the form is not filled in as it must be.
        """
        with self._news:
            now = self._question
            if now is None or self._reply is not None:
                raise UserError("nothing is asked now\n  = help: wait until it is your turn")
            if number != now.number:
                raise UserError(f"question {number} is no longer asked\n  = help: answer question {now.number}")
            self._reply = reply_of(now.form, fields)
            self._question = None
            self._news.notify_all()
        self.changed()

    def close(self) -> None:
        """End the wait for an answer."""
        with self._news:
            self._closed = True
            self._news.notify_all()


class SeatedClient:
    """Lets a person answer for one agent, and another client for all others.

    Attributes:
        name: For results and journals.
        about: Who answers, in words.
    """

    def __init__(self, seat: str, person: Person, others: Client) -> None:
        """Take a seat by the name of its agent."""
        self._seat, self._person, self._others = seat, person, others
        self.name = f"{others.name}, and a person as {seat}"
        self.about = f"a person plays {seat}; for the others: {others.about}"

    def complete(self, request: ChatRequest, told: TextSink | None = None) -> Reply:
        """Answer; see `Client.complete`."""
        topic = request.topic
        if topic.agent != self._seat:
            return self._others.complete(request, told)
        began = time.monotonic()
        text = self._person.answer(topic.agent, topic.purpose, request.messages, topic.form())
        if told:
            told(text)
        return Reply(text, HUMAN, seconds=time.monotonic() - began)


def seated(player: TeamPlayer, seat: str, person: Person) -> TeamPlayer:
    """Return a player in which a person takes a seat.

    Agents read what they see in the world's own words, and actions are written in their exact form, so that nobody is
    asked to describe a view or to translate an action.

    Raises:
        UserError: The player's framework asks nobody.
    """
    if player.framework is NOTHING:
        raise UserError(
            f"`team:{NOTHING.name}` asks nobody, so that a person would have nothing to do\n"
            "  = help: name another player for the other agents, such as `team`"
        )
    rules = replace(player.rules, direct_perception=True, perception="text", direct_execution=True, seat=seat)
    client = SeatedClient(seat, person, player.client)
    name = f"{HUMAN} as {seat}"
    about = f"a person plays {seat}; for the others: {player.about}"
    title = f"{name}, {player.title}" if player.title else name
    return replace(player, name=name, title=title, about=about, rules=rules, client=client)


def check_seat(env: AgentEnv, seat: str) -> None:
    """Check that a game has a seat; an empty name is none, and right.

    Raises:
        UserError: It has none of this name.
    """
    names = [each.name for each in env.seats]
    if seat and seat not in names:
        raise UserError(f"{env.name} has no seat `{seat[:80]}`\n  = help: its seats are {listing(names, 'and')}")
