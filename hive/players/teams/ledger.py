"""Calls, tokens and seconds of an episode so far (docs/rules/teams.md 4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hive.players.llm.client import Reply


@dataclass
class Totals:
    """Sums over the calls of an episode.

    Attributes:
        calls: Calls that were answered.
        prompt: Tokens sent; None while no answer said how many.
        reply: Tokens received; None while no answer said how many.
        seconds: Sum of the times of all calls, many of which may have run at the same time.
    """

    calls: int = 0
    prompt: int | None = None
    reply: int | None = None
    seconds: float = 0.0

    def add(self, reply: Reply) -> None:
        """Count an answer."""
        self.calls += 1
        self.prompt = _sum(self.prompt, reply.usage.prompt)
        self.reply = _sum(self.reply, reply.usage.reply)
        self.seconds = round(self.seconds + round(reply.seconds, 3), 3)

    def json(self) -> dict[str, Any]:
        """All sums."""
        return dict(vars(self))


def _sum(total: int | None, part: int | None) -> int | None:
    return total if part is None else (total or 0) + part
