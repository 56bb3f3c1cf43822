"""Messages between agents, and what each agent remembers of them."""

from __future__ import annotations

from dataclasses import dataclass

ALL = "all"
"""Recipient of a message to the complete team."""


@dataclass(frozen=True)
class Mail:
    """One message.

    Attributes:
        step: Step in which it was sent, from 1.
        sender: Name of the agent that wrote it.
        to: Name of the agent that it is for, or `ALL`.
        text: One line.
    """

    step: int
    sender: str
    to: str
    text: str

    def line(self) -> str:
        """The message as agents read it."""
        return f"- step {self.step}, {self.sender} to {self.to}: {self.text}"

    def json(self) -> dict[str, object]:
        """All fields."""
        return dict(vars(self))


def one_line(text: str) -> str:
    """Return a text as one line, so that what an agent writes cannot pose as a section of another agent's prompt."""
    return " ".join(text.split())


def keep_latest(chat: list[Mail], most: int) -> None:
    """Remove the oldest messages of a chat that has more than `most`."""
    del chat[: max(0, len(chat) - most)]


def keep_oldest(chat: list[Mail], most: int) -> None:
    """Remove the newest messages of a chat that has more than `most`."""
    del chat[most:]


def drop_old(chat: list[Mail], step: int, life: int) -> None:
    """Remove messages that were sent `life` steps ago or earlier."""
    chat[:] = [mail for mail in chat if step - mail.step < life]
