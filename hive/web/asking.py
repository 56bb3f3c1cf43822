"""Asking the commander on a thread of its own: an answer may take minutes, and the page must not wait for it."""

from __future__ import annotations

import threading
from collections.abc import Callable

from dsl import UserError
from hive.kit.plan_text import PlanText
from hive.players.llm.dialogue import Answer
from hive.players.llm.session import Session
from hive.web.editing import diagnostics
from hive.web.messages import ServerMessage, own_fault

_SENT_BACK = "\n\n[sent back to the commander]\n{text}\n\n"


class Question:
    """One prompt and what came of it.

    Attributes:
        goes_on: Whether the game ran before and is to go on under a new plan.
        told: The `answer` for all tabs, once it is there.
        messages: What was said to the model and by it.
        plan: A plan without errors in the answer, or None.
    """

    def __init__(self, id: str | int | None, text: str, session: Session, goes_on: bool) -> None:
        """Keep the prompt.

        Args:
            id: Id of the message that brought it.
            text: The prompt.
            session: Its present state follows the prompt in words, and as a picture where one is wanted.
            goes_on: Whether the game is to go on under a new plan.

        Raises:
            UserError: The game is over.
        """
        self._id, self._text, self.goes_on = id, text, goes_on
        self._state, self._images = session.state_for(text), session.images()
        self._dialogue = session.dialogue
        self.told: ServerMessage = {}
        self.messages: list[dict[str, str]] = []
        self.plan: PlanText | None = None

    def ask(self, tell: Callable[[ServerMessage], None], done: Callable[[Question], None]) -> None:
        """Ask; return at once.

        Args:
            tell: Receives each `piece` of the reply.
            done: Called on the other thread when the answer is there, or its failure.
        """

        def piece(text: str) -> None:
            tell({"is": "piece", "id": self._id, "text": text})

        def returned(text: str) -> None:
            piece(_SENT_BACK.format(text=text))

        def run() -> None:
            dialogue, known = self._dialogue, len(self._dialogue.messages)
            try:
                self._take(dialogue.ask(self._text, self._state, self._images, piece, returned))
            except UserError as error:
                self._fail(str(error))
            except Exception as error:  # a fault of ours must not leave the page waiting
                self._fail(own_fault(error))
            self.messages = [each.json() for each in dialogue.messages[known:]]
            done(self)

        threading.Thread(target=run, name="commander", daemon=True).start()

    def _take(self, answer: Answer) -> None:
        found = diagnostics(answer.plan.report) if answer.plan else []
        self.told = {"is": "answer", "id": self._id, "kind": answer.kind, "text": answer.text, "diagnostics": found}
        self.plan = answer.plan if answer.kind == "plan" else None

    def _fail(self, why: str) -> None:
        self.told = {"is": "answer", "id": self._id, "kind": "failed", "text": why, "diagnostics": []}
