"""What a client of a language model is: messages in, one reply out, and errors that tell a user what to do."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

from dsl import UserError
from hive.players.llm.forms import Form, any_answer

if TYPE_CHECKING:
    from hive.kit.facts import Facts, Running

TextSink = Callable[[str], None]
"""Receives the pieces of a reply as they arrive."""

Say = Callable[[str], None]
"""Receives a remark for the user, such as that a server takes no grammar."""


SHORTEST_KEY = 8  # characters

_CONTROLS: dict[int, str | None] = {code: None for code in (*range(32), *range(127, 160)) if chr(code) not in "\n\t"}
_CONTROLS |= dict.fromkeys(range(0xD800, 0xE000), "\ufffd")  # halves of characters, which cannot be written to a file


def clean(text: str) -> str:
    """Return a text that can be printed and kept: without control characters other than line ends and tabs."""
    return text.translate(_CONTROLS)


class Secret:
    """A key that is never shown: neither in messages nor in a `repr`, and JSON refuses it."""

    def __init__(self, value: str) -> None:
        """Keep the key."""
        self._value = value

    def reveal(self) -> str:
        """Return the key, for the endpoint alone."""
        return self._value

    def hide(self, text: str) -> str:
        """Return a text without the key; words that are too short for a key, such as `none`, are left."""
        return text.replace(self._value, str(self)) if len(self._value) >= SHORTEST_KEY else text

    def begins_at(self, text: str) -> int:
        """Return where the key may begin in a text that goes on, or the length of the text."""
        if len(self._value) < SHORTEST_KEY:
            return len(text)
        starts = range(max(0, len(text) - len(self._value) + 1), len(text))
        return next((start for start in starts if self._value.startswith(text[start:])), len(text))

    def __repr__(self) -> str:
        """A placeholder."""
        return "[hidden]"


class ModelError(UserError):
    """A model could not be asked, or its reply cannot be used; the dialogue is kept.

    Attributes:
        transient: Whether the same request may succeed later, as after a timeout or when a server is busy.
        wait: Seconds that the server asked to wait, if it did.
    """

    def __init__(self, message: str, *, transient: bool = False, wait: float | None = None) -> None:
        """Keep the message, and what a caller needs to know to try again."""
        super().__init__(message)
        self.transient = transient
        self.wait = wait


@dataclass(frozen=True)
class Message:
    """One message of a dialogue."""

    role: Literal["system", "user", "assistant"]
    text: str

    def json(self) -> dict[str, str]:
        """Role and text."""
        return {"role": self.role, "text": self.text}


@dataclass(frozen=True)
class Image:
    """A picture that is sent with the last message."""

    name: str
    png: bytes = field(repr=False)

    def url(self) -> str:
        """The picture as a `data:` URL."""
        return "data:image/png;base64," + base64.b64encode(self.png).decode()

    def json(self) -> dict[str, str]:
        """Name and digest."""
        return {"name": self.name, "sha256": hashlib.sha256(self.png).hexdigest()}


@dataclass(frozen=True)
class Constraint:
    """A grammar that a reply must match, in the two forms that servers read."""

    gbnf: str = field(repr=False)  # llama.cpp
    lark: str = field(repr=False)  # llguidance, and vLLM with it

    def json(self) -> str:
        """Digest of both forms."""
        return hashlib.sha256(f"{self.gbnf}\0{self.lark}".encode()).hexdigest()


@dataclass(frozen=True)
class Tool:
    """A function that a model may call in place of writing; all its arguments are texts, and none may be missing.

    Attributes:
        name: Such as `navigate_to`.
        words: What it does, in a sentence.
        parameters: Name of each argument.
    """

    name: str
    words: str
    parameters: tuple[str, ...] = ()

    def line(self) -> str:
        """The tool as a model reads it where it is described in a text: `- navigate_to(room): move to that room`."""
        return f"- {self.name}({', '.join(self.parameters)}): {self.words}"

    def json(self) -> dict[str, Any]:
        """The tool as the protocol of chat completions describes it."""
        schema = {
            "type": "object",
            "properties": {name: {"type": "string"} for name in self.parameters},
            "required": list(self.parameters),
        }
        return {"type": "function", "function": {"name": self.name, "description": self.words, "parameters": schema}}


TOOL_CALL = "tool_call"
"""Tag of a call in the text of a reply: `<tool_call>{"name": ..., "arguments": {...}}</tool_call>`."""


@dataclass(frozen=True)
class Settings:
    """How a reply is drawn.

    Attributes:
        temperature: 0 for the likeliest reply.
        seed: Seed of the draw, where a server takes one.
        max_tokens: Most tokens of a reply; a reply that reaches it ends with `length`.
        tools: What the model may call. Its calls arrive as text, each in a tag `TOOL_CALL`.
        may_be_empty: Whether a reply without a text is a reply; else it is an error. It is not sent.
        top_p: Share of the likeliest tokens that a reply is drawn from, above 0 and up to 1; None: the server's own.
    """

    temperature: float = 0.0
    seed: int | None = 0
    max_tokens: int = 4096
    tools: tuple[Tool, ...] = ()
    may_be_empty: bool = False
    top_p: float | None = None

    def json(self) -> dict[str, Any]:
        """What is sent; tools and `top_p` only where they are given."""
        plain = {"temperature": self.temperature, "seed": self.seed, "max_tokens": self.max_tokens}
        given = {"tools": [tool.json() for tool in self.tools]} if self.tools else {}
        return plain | given | ({} if self.top_p is None else {"top_p": self.top_p})


@dataclass(frozen=True)
class Topic:
    """What a request is about. It is not sent to a model; clients without one choose their reply by it.

    Attributes:
        world: Name of the world.
        task: Name of the ability that is tested, if one is.
        number: Number of the prompt.
        plan: Text of the world's own plan, if it has one.
        agent: Name of the agent that asks, in a team.
        purpose: What it asks for, such as `plan`.
        order: The prompt alone, without the state of the game.
        before: The prompt before it in this dialogue; empty for the first.
        answers: Whether whoever asks can answer a question; in a study nobody can.
        game: Returns what is known of the game, and the plan that is followed; None where no rules can read orders.
        form: Returns the form that a person fills in to answer in place of a model.
    """

    world: str = ""
    task: str = ""
    number: int = 0
    plan: str | None = field(default=None, repr=False)
    agent: str = ""
    purpose: str = ""
    order: str = field(default="", repr=False)
    before: str = field(default="", repr=False)
    answers: bool = True
    game: Callable[[], tuple[Facts, Running | None]] | None = field(default=None, repr=False, compare=False)
    form: Callable[[], Form] = field(default=any_answer, repr=False, compare=False)


PLAIN, NO_TOPIC = Settings(), Topic()
REPAIRS = 2  # how often a plan with errors is sent back, where nothing else is said; 0 is the published procedure


@dataclass(frozen=True)
class ChatRequest:
    """What a model is asked once.

    Attributes:
        messages: The dialogue so far; the last message is the user's.
        grammar: Grammar that the reply should match. A client that cannot enforce it leaves `constrained` False.
        images: Pictures that belong to the last message.
        settings: How the reply is drawn.
        topic: What the request is about.
    """

    messages: Sequence[Message]
    grammar: Constraint | None = None
    images: Sequence[Image] = ()
    settings: Settings = PLAIN
    topic: Topic = NO_TOPIC

    def json(self) -> dict[str, Any]:
        """Messages, digests of the pictures, and settings: what makes two requests equal."""
        return {
            "messages": [message.json() for message in self.messages],
            "images": [image.json() for image in self.images],
            "settings": self.settings.json(),
        }

    def key(self, model: str) -> str:
        """Return the hash of this request to a model: equal requests have equal keys.

        The grammar is no part of it: it follows from the world, which the messages describe.
        """
        return hashlib.sha256(json.dumps({"model": model, **self.json()}, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True)
class Usage:
    """Tokens of a request, as its server counted them; None where it did not say."""

    prompt: int | None = None
    reply: int | None = None

    def json(self) -> dict[str, int | None]:
        """Both counts."""
        return {"prompt": self.prompt, "reply": self.reply}


@dataclass(frozen=True)
class Reply:
    """What a model answered.

    Attributes:
        text: The complete text.
        model: Name of the model, as the server gave it.
        usage: Tokens.
        finish: Why it ended: `stop`, or `length` when it was cut off by its token limit, or a word of the server's.
        seconds: Wall time of the exchange; for a recorded one, that of the recording.
        constrained: Whether the server was given the grammar of the request.
    """

    text: str
    model: str
    usage: Usage = Usage()
    finish: str = "stop"
    seconds: float = 0.0
    constrained: bool = False

    @property
    def cut_off(self) -> bool:
        """Whether the token limit ended the reply."""
        return self.finish == "length"


class Client(Protocol):
    """Asks one model."""

    @property
    def name(self) -> str:
        """Name of the model, for tables and recordings."""

    @property
    def about(self) -> str:
        """One line that says who answers, shown to the user before the first exchange; never holds a key."""

    def complete(self, request: ChatRequest, told: TextSink | None = None) -> Reply:
        """Ask once.

        Args:
            request: What is asked.
            told: Receives the reply piece by piece where the client streams, else once.

        Raises:
            ModelError: There is no usable reply. The message says what to do, and never holds a key.
        """
