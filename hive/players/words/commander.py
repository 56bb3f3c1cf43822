"""The plain commander as a client: it answers in place of a model, by rules, and sends nothing anywhere."""

from __future__ import annotations

import re

from dsl import UserError
from hive.players.llm.client import ChatRequest, ModelError, Reply, TextSink
from hive.players.llm.scripted import fenced
from hive.players.words.lexicon import read
from hive.players.words.reading import interpret

_YES = re.compile(r"(yes|yes,? please|ok|okay|do it|do that|go ahead)[.!]?", re.IGNORECASE)
YES = "In a dialogue such as `hive chat`, `yes` carries out what the lines above say."
OWN = "In a dialogue such as `hive chat`, `yes` follows this world's own plan."
BATTLES = (
    "Plain words command battles only, and those without --written-for: no rules read orders here, and nothing was "
    "ordered."
)
HELP = "ask a model with --model NAME, or let plans answer with --plans DIR"


class PlainCommander:
    """Reads the order of a request with the facts of its game; it is no model, so no tokens are counted."""

    def __init__(self) -> None:
        """Read the lexicon and compile the grammar, which the first order would else wait for."""
        read("hold", {}, "")

    name = "plain commander (rules)"
    about = (
        "no model is named, so the plain commander reads orders in English, by rules (docs/commander/words.md); "
        "name a model with --model"
    )

    def complete(self, request: ChatRequest, told: TextSink | None = None) -> Reply:
        """Return a plan with the lines of how each phrase was understood, or a question; see `Client.complete`.

        `yes` after a question carries out what was understood, as is done at once where nobody can answer a question.

        In a world whose orders no rules can read, and where plans are written for other armies, every order gets a
        sentence that says so, and `yes` the world's own plan, which answers at once where nobody can say `yes`.

        Raises:
            ModelError: The world has no plan either.
        """
        topic = request.topic
        asked = len(request.messages) > 1 and request.messages[-2].text.endswith((YES, OWN))
        again = asked and topic.answers and topic.before and _YES.fullmatch(topic.order.strip())
        if topic.game is not None:
            facts, running = topic.game()
            reading = interpret(topic.before if again else topic.order, facts, running)
            reading = reading.decided if again or not topic.answers else reading
            text = f"{reading.text}\n{YES}" if reading.draft else reading.text
        elif topic.plan is not None and (again or not topic.answers):
            text = f"No rules read orders here: this world's own plan follows.\n\n{fenced(topic.plan)}"
        elif topic.plan is not None:
            text = f"{BATTLES} Write a plan yourself, or let a model answer with --model NAME.\n{OWN}"
        else:
            raise ModelError(f"no rules read orders in {topic.world or 'this world'}\n  = help: {HELP}")
        if told:
            told(text)
        return Reply(text, self.name)


def refuse_others(named: dict[str, object]) -> None:
    """Refuse options that name somebody else to answer.

    Args:
        named: The value of each option; those that are None or empty are not given.

    Raises:
        UserError: One of them is given.
    """
    if given := [option for option, value in named.items() if value]:
        raise UserError(f"the plain commander or {given[0]} answers, not both: leave out --commander or {given[0]}")
