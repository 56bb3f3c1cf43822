"""Asking a client with patience: retries with growing pauses, a limit of concurrent requests, and a ledger."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

from dsl.wording import plural
from hive.players.llm.client import ChatRequest, Client, ModelError, Reply, Say, TextSink

LONGEST_PAUSE = 60.0  # seconds between two attempts, where the server does not ask for more
LONGEST_WAIT = 300.0  # seconds that a server may ask to wait; one that asks for more is not asked again


@dataclass(frozen=True)
class LedgerEntry:
    """One exchange in a ledger.

    Attributes:
        model: Name of the model.
        characters: Characters sent.
        prompt: Tokens sent, as the server counted them.
        reply: Tokens received.
        seconds: Wall time of the attempt that succeeded; 0 where none did.
        attempts: How often it was asked.
        finish: Why the reply ended, or `failed`.
    """

    model: str
    characters: int
    prompt: int | None
    reply: int | None
    seconds: float
    attempts: int
    finish: str


@dataclass
class Ledger:
    """All exchanges of a command, in the order of their ends; safe to share between threads.

    Attributes:
        entries: What each cost.
        lines: Each that brought a reply, as the line of a recording.
    """

    entries: list[LedgerEntry] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)

    def json(self) -> dict[str, Any]:
        """Totals, and every exchange; a total is None when no server said its part."""
        return {
            "requests": len(self.entries),
            "prompt_tokens": self._total("prompt"),
            "reply_tokens": self._total("reply"),
            "seconds": round(sum(entry.seconds for entry in self.entries), 3),
            "exchanges": [asdict(entry) for entry in self.entries],
        }

    def line(self) -> str:
        """The totals in words; tokens only where a server counted them."""
        sent, received = (self._total(name) for name in ("prompt", "reply"))
        counted = "" if sent is None else f"{sent:,} tokens sent, {received or 0:,} received, "
        seconds = sum(entry.seconds for entry in self.entries)
        return f"{plural(len(self.entries), 'exchange')}, {counted}{seconds:.1f} s"

    def _total(self, name: str) -> int | None:
        counts = [getattr(entry, name) for entry in self.entries if getattr(entry, name) is not None]
        return sum(counts) if counts else None


class Caller:
    """A client that asks another one: it waits and tries again after transient errors, and fills a ledger.

    Attributes:
        ledger: All exchanges so far.
    """

    def __init__(
        self,
        client: Client,
        *,
        retries: int = 3,
        concurrent: int = 4,
        ledger: Ledger | None = None,
        say: Say | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Wrap a client.

        Args:
            client: Who is asked.
            retries: Most further attempts after a transient error.
            concurrent: Most requests at the same time.
            ledger: Where exchanges are counted; None: a new one.
            say: Receives a line before each further attempt.
            sleep: Waits some seconds.
        """
        self._client = client
        self._retries = retries
        self._places = threading.Semaphore(concurrent)
        self._say, self._sleep = say, sleep
        self.ledger = Ledger() if ledger is None else ledger

    @property
    def name(self) -> str:
        """Name of the model."""
        return self._client.name

    @property
    def about(self) -> str:
        """Who answers."""
        return self._client.about

    def complete(self, request: ChatRequest, told: TextSink | None = None) -> Reply:
        """Ask, and ask again after transient errors; see `Client.complete`."""
        characters = sum(len(message.text) for message in request.messages)
        for attempt in range(1, self._retries + 2):
            try:
                with self._places:
                    reply = self._client.complete(request, told)
            except ModelError as error:
                pause = _pause(attempt) if error.wait is None else error.wait
                if not error.transient or attempt > self._retries or pause > LONGEST_WAIT:
                    self.ledger.entries.append(LedgerEntry(self.name, characters, None, None, 0.0, attempt, "failed"))
                    raise _last(error, attempt, pause) from None
                if self._say:
                    self._say(
                        f"{str(error).splitlines()[0]}; asking again in {pause:.0f} s ({attempt} of {self._retries})"
                    )
                self._sleep(pause)
                continue
            usage = reply.usage
            self.ledger.entries.append(
                LedgerEntry(reply.model, characters, usage.prompt, usage.reply, reply.seconds, attempt, reply.finish)
            )
            return reply
        raise AssertionError("the last attempt returns or raises")


def _last(error: ModelError, attempts: int, pause: float) -> ModelError:
    """Return the error of the last attempt, which says how often was asked, or that the server wants a long pause."""
    notes = [f"asked {attempts} times"] if attempts > 1 else []
    notes += [f"the server asks to wait {pause:,.0f} s, so it was not asked again"] if pause > LONGEST_WAIT else []
    if not notes:
        return error
    first, *rest = str(error).split("\n")
    return ModelError("\n".join([f"{first} ({'; '.join(notes)})", *rest]), transient=error.transient, wait=error.wait)


def _pause(attempt: int) -> float:
    """Return seconds to wait after an attempt: 1, 2, 4, ... with a quarter of noise, so that clients do not march."""
    return min(LONGEST_PAUSE, float(2 ** (attempt - 1))) * random.uniform(0.75, 1.25)
