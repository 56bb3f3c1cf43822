"""What a commander is asked with, what it answers, and what that costs.

Rules: docs/arena.md.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Protocol

from hive.kit.facts import Facts, Running
from hive.worlds.battle.seat import Seat

_STEP = re.compile(r"^Step (\d+):", re.MULTILINE)


def steps_of(text: str) -> frozenset[int]:
    """Return the numbers of the steps of a plan in its own words; the language adds others for places on the way."""
    return frozenset(map(int, _STEP.findall(text)))


@dataclass(frozen=True)
class Moment:
    """What a commander is asked with.

    Attributes:
        seat: Its side of the game, which has looked at this tick.
        tick: Ticks played.
        running: The plan that it follows now, with the steps achieved; None before the first one.
        text: The same plan in its own words.
        began: Tick from which it was followed.
        ticks: The ticks at which its steps were achieved, by their numbers.
        reason: Why it is asked, in a sentence.
        changes: What happened since it was asked last, in sentences; empty at the start.
        later: When a model is asked again, in a sentence.
        seed: Of the game.
        last: Whether it is asked only this once, so that its plan has to last.
    """

    seat: Seat
    _: KW_ONLY
    tick: int = 0
    running: Running | None = None
    text: str = ""
    began: int = 0
    ticks: Mapping[int, int] = field(default_factory=dict)
    reason: str = "The game begins."
    changes: str = ""
    later: str = ""
    seed: int = 0
    last: bool = False

    @property
    def facts(self) -> Facts:
        """What a commander by rules knows."""
        return self.seat.facts()


@dataclass(frozen=True)
class Cost:
    """What orders cost.

    Attributes:
        calls: Requests to a model, those that failed included.
        sent: Tokens sent, as the server counted them.
        received: Tokens received, likewise.
        uncounted: Replies whose tokens the server did not count.
        games: Games that a search played.
        seconds: Wall time; for a model that of its replies.
    """

    calls: int = 0
    sent: int = 0
    received: int = 0
    uncounted: int = 0
    games: int = 0
    seconds: float = 0.0

    @property
    def tokens(self) -> int | None:
        """Tokens sent and received; None if the server did not count all of them."""
        return None if self.uncounted else self.sent + self.received

    def __add__(self, other: Cost) -> Cost:
        """Return the cost of both."""
        return Cost(
            self.calls + other.calls,
            self.sent + other.sent,
            self.received + other.received,
            self.uncounted + other.uncounted,
            self.games + other.games,
            round(self.seconds + other.seconds, 3),
        )


NOTHING = Cost()


@dataclass(frozen=True)
class Order:
    """What a commander answered.

    Attributes:
        plan: Text of a plan, in the unit ids of its side; None: the present one goes on.
        asked: What it was asked, if anything was said.
        said: What it said.
        kind: `plan`, or why there is none that can be used, as in `hive.players.llm.dialogue.Answer`; `no_reply` after
            a failed request.
        problem: The same in a sentence, with a hint on a line of its own where there is one; empty where nothing is
            wrong.
        cost: What it cost.
    """

    plan: str | None
    asked: str = ""
    said: str = ""
    kind: str = "plan"
    problem: str = ""
    cost: Cost = NOTHING


class Commander(Protocol):
    """Commands one side of a battle. It keeps nothing from one game to the next."""

    @property
    def name(self) -> str:
        """Its name in tables."""

    def check(self, seat: Seat) -> None:
        """Raise a `UserError` if it cannot command this side of this battle; the seat need not have looked."""

    def order(self, moment: Moment) -> Order:
        """Return the orders for this moment.

        Raises:
            UserError: It cannot command this side of this battle.
        """


def tokens_of(cost: Cost) -> str:
    """Return the tokens of a cost for a table; `-` where the server did not count them."""
    return "-" if cost.tokens is None else f"{cost.tokens:,}"


def cost_of(values: dict[str, Any]) -> Cost:
    """Return the cost of `dataclasses.asdict`.

    Raises:
        ValueError: It is none.
    """
    kinds: dict[str, tuple[type, ...]] = {
        "calls": (int,), "sent": (int,), "received": (int,), "uncounted": (int,), "games": (int,),
        "seconds": (int, float),
    }  # fmt: skip
    if not isinstance(values, dict) or values.keys() != kinds.keys():
        raise ValueError("it does not say what orders cost")
    if not all(type(values[key]) in kind for key, kind in kinds.items()):
        raise ValueError("it says in other than numbers what orders cost")
    return Cost(**values)
