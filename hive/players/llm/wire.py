"""A reply as it arrives from an endpoint: a stream of events or one object, each piece checked and bounded."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

import httpx2
import openai

from hive.players.llm.client import TOOL_CALL, Secret, TextSink, Usage, clean
from hive.players.llm.faults import ModelAddress, ProtocolError, WireError

T = TypeVar("T")

MOST_CHARACTERS = 1_000_000  # of a reply
MOST_STREAMED = 128 * 2**20  # bytes of a streamed answer: an event of a few characters takes some 300
MOST_BYTES = 16 * 2**20  # of an answer that is one object


class _Capped(httpx2.SyncByteStream):
    """The bytes of an answer, up to a limit."""

    def __init__(self, stream: httpx2.SyncByteStream, most: int) -> None:
        self._stream, self._most = stream, most

    def __iter__(self) -> Iterator[bytes]:
        left = self._most
        for part in self._stream:
            left -= len(part)
            if left < 0:
                raise WireError(
                    f"the server's answer is longer than {self._most:,} bytes: the rest was not read\n"
                    "  = help: limit answers with --max-tokens, or check that --base-url names a server of models"
                )
            yield part

    def close(self) -> None:
        self._stream.close()


def cap(response: httpx2.Response) -> None:
    """Limit the bytes that are read of an answer."""
    assert isinstance(response.stream, httpx2.SyncByteStream), "only the synchronous client is used"
    streamed = "event-stream" in response.headers.get("content-type", "")
    response.stream = _Capped(response.stream, MOST_STREAMED if streamed else MOST_BYTES)


@dataclass
class Received:
    """What has arrived of a reply.

    Attributes:
        pieces: Its text.
        model: Name of the model, as the server gives it.
        finish: Why it ended; empty before its end.
        usage: Tokens.
        refusal: What the model said in place of a reply.
        choices: Whether a choice has arrived.
        reasoning: Whether the model wrote thoughts that are no part of the reply.
        calls: Name and arguments of each tool that was called, by the number of the call.
        length: Characters of text and calls.
    """

    pieces: list[str] = field(default_factory=list)
    model: str = ""
    finish: str = ""
    usage: Usage = field(default_factory=Usage)
    refusal: str = ""
    choices: bool = False
    reasoning: bool = False
    calls: dict[int, list[str]] = field(default_factory=dict)
    length: int = 0

    @property
    def text(self) -> str:
        """The reply as text: what was written, then each call of a tool in its tag."""
        calls = [f"<{TOOL_CALL}>{_call(*self.calls[number])}</{TOOL_CALL}>" for number in sorted(self.calls)]
        return "\n".join(filter(None, ["".join(self.pieces), *calls]))

    def take(self, event: object) -> str:
        """Take an event of a stream, or a complete answer; return its piece of text.

        Raises:
            ProtocolError: It is not what the protocol says.
        """
        self.model = _get(event, "model", str) or self.model
        counts = _get(event, "usage", dict)
        if counts:
            self.usage = Usage(_count(counts.get("prompt_tokens")), _count(counts.get("completion_tokens")))
        choice = next((each for each in _get(event, "choices", list) or [] if not _get(each, "index", int)), None)
        if choice is None:
            return ""
        self.choices = True
        self.finish = _get(choice, "finish_reason", str) or self.finish
        said = _get(choice, "delta", dict) or _get(choice, "message", dict) or {}
        self.refusal += clean(_get(said, "refusal", str) or "")
        self.reasoning |= bool(said.get("reasoning_content") or said.get("reasoning"))
        for place, call in enumerate(_get(said, "tool_calls", list) or []):
            self._take_call(place, call)
        piece = clean(_get(said, "content", str) or "")
        if piece:
            self.pieces.append(piece)
            self.length += len(piece)
        return piece

    def _take_call(self, place: int, call: object) -> None:
        """Take a piece of a call; a server that does not number its calls sends them in order."""
        number = _get(call, "index", int)
        parts = self.calls.setdefault(place if number is None else number, ["", ""])
        function = _get(call, "function", dict) or {}
        for at, name in enumerate(("name", "arguments")):
            piece = clean(_get(function, name, str) or "")
            parts[at] += piece
            self.length += len(piece) + 1  # calls without a text are bounded too


class Veil:
    """Hands pieces of text on without a key, however the key is cut into pieces."""

    def __init__(self, told: TextSink, key: Secret) -> None:
        """Keep who receives the pieces."""
        self._told, self._key, self._held = told, key, ""

    def __call__(self, piece: str) -> None:
        """Take a piece; what may be the beginning of the key is held back."""
        text = self._key.hide(self._held + piece)
        at = self._key.begins_at(text)
        self._held = text[at:]
        if at:
            self._told(text[:at])

    def end(self) -> None:
        """Hand on what was held back."""
        if self._held:
            self._told(self._held)


def receive(
    stream: openai.Stream[object], place: ModelAddress, told: TextSink | None, may_be_empty: bool = False
) -> Received:
    """Read a reply to its end.

    Args:
        stream: What the server answered with success.
        place: Where that was.
        told: Receives the pieces of text, without the key.
        may_be_empty: Whether a reply may have no text.

    Raises:
        WireError: There is no usable reply.
    """
    received = Received()
    veil = Veil(told, place.key or Secret("")) if told else None
    kind = stream.response.headers.get("content-type", "").lower()
    streamed = "json" not in kind and "html" not in kind
    try:
        for event in _events(stream, place) if streamed else _object(stream, place, kind):
            piece = place.guard(partial(received.take, event))
            if received.length > MOST_CHARACTERS:
                raise place.fault(
                    f"the reply is longer than {MOST_CHARACTERS:,} characters, so it was not read further"
                )
            if veil and piece:
                veil(piece)
    finally:
        stream.close()
    _check(received, streamed, kind, place, may_be_empty)
    if veil:
        veil.end()
    return received


def _events(stream: openai.Stream[object], place: ModelAddress) -> Iterator[object]:
    events, end = iter(stream), object()
    while (event := place.guard(lambda: next(events, end))) is not end:
        yield event


def _object(stream: openai.Stream[object], place: ModelAddress, kind: str) -> Iterator[object]:
    if "html" in kind:
        raise place.fault("the server sent a web page", "look at --base-url: mostly it ends with /v1")
    answer = place.guard(lambda: json.loads(stream.response.read()))
    if isinstance(answer, dict) and answer.get("error"):
        raise place.refused(None, answer)
    yield answer


def _check(received: Received, streamed: bool, kind: str, place: ModelAddress, may_be_empty: bool) -> None:
    """Raise a `WireError` for a reply that cannot be used."""
    if not received.choices:
        what = "the server's answer holds no reply" + (f" (it is {place.quote(kind)})" if "event" not in kind else "")
        raise place.fault(what, "look at --base-url, and at the server's log")
    if not received.finish:
        if streamed:
            raise place.fault("the connection broke off before the reply was complete", transient=True)
        received.finish = "stop"
    if received.text.strip() or received.finish == "length" or may_be_empty:
        return
    if received.refusal:
        raise place.fault(f"the model refused: {place.quote(received.refusal)}")
    if received.reasoning:
        raise place.fault("the model thought and then replied nothing", "raise --max-tokens, or ask in other words")
    raise place.fault(f"the reply is empty; it ended with `{place.quote(received.finish)}`", "ask in other words")


def _call(name: str, arguments: str) -> str:
    """Return a call as JSON; arguments that are no JSON stay the text that they are."""
    try:
        read: object = json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        read = arguments
    return json.dumps({"name": name, "arguments": read}, ensure_ascii=False)


def _get(data: object, name: str, kind: type[T]) -> T | None:
    """Return a field of an object, None where it is missing or null.

    Raises:
        ProtocolError: It has another type, or the object is something else.
    """
    if not isinstance(data, dict):
        raise ProtocolError(f"{type(data).__name__} in place of an object")
    value: Any = data.get(name)
    if value is None or (isinstance(value, kind) and not (kind is int and isinstance(value, bool))):
        return value
    raise ProtocolError(f"`{name}` is {type(value).__name__} in place of {kind.__name__}")


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
