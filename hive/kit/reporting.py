"""What worlds of every kind tell their host: a game in words, the progress of what they do, and results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True)
class Description:
    """A game described in words.

    Attributes:
        prompt: Kind of world and version of the words, such as `battle/1`.
        system: The constant part: role, rules, map, armies, plan language, mission.
        state: The position of every unit, one by one.
        short_system: The constant part with a shorter map.
        short_state: Groups of units in place of single ones.
    """

    prompt: str
    system: str
    state: str
    short_system: str
    short_state: str

    @property
    def full(self) -> str:
        """The complete text, in the published form."""
        return f"{self.system}\n\n{self.state}"

    @property
    def compact(self) -> str:
        """Both parts in short form."""
        return f"{self.short_system}\n\n{self.short_state}"

    @property
    def characters(self) -> dict[str, int]:
        """Length of the text in both forms."""
        return {"full": len(self.full), "compact": len(self.compact)}


@dataclass(frozen=True)
class Scene:
    """A game of a world at one tick, described in words.

    Attributes:
        world: Name of the world.
        seed: Seed of the game.
        tick: Ticks played; fewer than asked for when the game has ended.
        words: The description.
        remarks: Lines to show to the user, such as warnings about the plan.
    """

    world: str
    seed: int
    tick: int
    words: Description
    remarks: Sequence[str] = ()


class Watch(Protocol):
    """Receives reports of progress."""

    def stage(self, name: str, total: int, unit: str) -> None:
        """Begin a stage of at most `total` units of work."""

    def update(self, done: int, note: str = "") -> None:
        """Report how much of the stage is done."""

    def say(self, line: str) -> None:
        """Print a line of results on standard output."""


class Unwatched:
    """A `Watch` that shows nothing."""

    def stage(self, name: str, total: int, unit: str) -> None:
        """Show nothing."""

    def update(self, done: int, note: str = "") -> None:
        """Show nothing."""

    def say(self, line: str) -> None:
        """Show nothing."""


class RunResult(Protocol):
    """Results of the games of one world."""

    def json(self) -> dict[str, Any]:
        """Return the results in plain values."""

    def table(self) -> str:
        """Return the results as a readable table."""
