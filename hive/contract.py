"""The contract between a kind of world and its host, the command line or a page: what every kind of world offers.

A kind of world (battles, wildfires; later kitchens, rescues, households) implements these protocols and has one row in
`hive.worlds`. Nothing here knows arrays: worlds that the engine plays add `hive.engine.world.EngineWorld`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import dsl
from dsl import UserError
from dsl.wording import did_you_mean, listing, nearest
from hive.keep.runfolder import Content
from hive.plan.text import PlanText

PUBLISHED = "published"  # in place of a number of seeds: the seeds that are published for a world


@dataclass(frozen=True, kw_only=True)
class Request:
    """What is asked for, whatever kind of world it is; each kind refuses what it does not have.

    Attributes:
        scenario: Name or path of the world.
        plan: A shipped plan, a path or a text; None: the world's own.
        swaps: Tick and plan of each later plan.
        lenient: Whether a unit may stand in two groups of a step.
        written_for: Units of player and enemy that the plans count on; None: those that the world names.
        units: Size of the player's team; None: the world's.
        numbers: Name and value of each number of the world to change.
        markers: Letter and place of each marker to set.
        fire_rules: Rules of the fire, where a world has such a choice.
        rules_text: Whether a description states rules that it leaves out otherwise.
        commander: What writes the plans, where a world has such a choice.
        method: What results call the commander.
        seed: Of the only game.
        seeds: How many games, or `PUBLISHED`.
        every: Ticks between two frames of a kept game.
        keep: Whether a game will be kept, so that it is recorded.
    """

    scenario: str
    plan: str | Path | None = None
    swaps: Sequence[tuple[int, str]] = ()
    lenient: bool = False
    written_for: tuple[int, int] | None = None
    units: int | None = None
    numbers: Sequence[tuple[str, float]] = ()
    markers: Sequence[tuple[str, tuple[int, int]]] = ()
    fire_rules: str | None = None
    rules_text: bool = False
    commander: str | None = None
    method: str | None = None
    seed: int | None = None
    seeds: int | str | None = None
    every: int | None = None
    keep: bool = False

    def changes(self, known: Collection[str], what: str) -> dict[str, float]:
        """Return the numbers to change, by name.

        Args:
            known: Names that the world has.
            what: What such a number is called there.

        Raises:
            UserError: A name is unknown or given twice.
        """
        changes: dict[str, float] = {}
        for name, value in self.numbers:
            if name not in known:
                advice = did_you_mean(nearest(name, known)) or f"{what}s are {listing(known, 'and')}"
                raise UserError(f"there is no {what} `{name}`\n  = help: {advice}")
            if name in changes:
                raise UserError(f"the {what} `{name}` is set twice")
            changes[name] = value
        return changes

    def refuse(self, options: Mapping[str, str], why: str, advice: str = "") -> None:
        """Raise a `UserError` when any of these options, attribute to flag, is set."""
        wrong = [flag for name, flag in options.items() if getattr(self, name)]
        if wrong:
            help = f"\n  = help: {advice}" if advice else ""
            raise UserError(f"{listing(wrong, 'and')} cannot be used here: {why}{help}")


@dataclass(frozen=True)
class Description:
    """A game in words.

    Attributes:
        system: What stays the same: role, rules, map, armies, plan language, mission.
        state: Where every unit stands, unit by unit.
        compact: All of it in short: a shorter map, and groups of units.
    """

    system: str
    state: str
    compact: str

    @property
    def full(self) -> str:
        """The complete text, in the published form."""
        return f"{self.system}\n\n{self.state}"

    @property
    def characters(self) -> dict[str, int]:
        """Length of the text in either form."""
        return {"full": len(self.full), "compact": len(self.compact)}


@dataclass(frozen=True)
class Scene:
    """A game of a world at one tick, in words.

    Attributes:
        world: Name of the world.
        seed: Of the game.
        tick: Ticks played; fewer than asked for when the game has ended.
        words: The description.
        remarks: Lines that a person should know, such as warnings about the plan.
    """

    world: str
    seed: int
    tick: int
    words: Description
    remarks: Sequence[str] = ()


class World(Protocol):
    """A world ready to play, on the host."""

    @property
    def name(self) -> str:
        """Name that `hive.load` takes."""

    @property
    def title(self) -> str:
        """Heading of its pictures."""

    @property
    def plan(self) -> str | None:
        """The plan that the player follows when none is named: a shipped name or a path."""

    @property
    def limit(self) -> int:
        """Ticks until a game times out."""

    def context(self, side: int = 0, sizes: tuple[int, int] | None = None) -> dsl.PlanContext:
        """What a plan of a side is checked against: the plans that fit this world.

        Args:
            side: 0 for the player, 1 for the enemy.
            sizes: Units of player and enemy that the plan was written for; those that the world names when None.
        """

    def describe(self, state: Any) -> Description:
        """Put a game at one state into words, for a commander."""


class Watch(Protocol):
    """Receives how far the work is."""

    def stage(self, name: str, total: int, unit: str) -> None:
        """Begin a piece of work of at most `total` units."""

    def update(self, done: int, note: str = "") -> None:
        """Say how much of the piece is done."""

    def say(self, line: str) -> None:
        """Print a line that is a result, on standard output."""


class RunResult(Protocol):
    """What came of the games of one world."""

    def json(self) -> dict[str, Any]:
        """Return it in plain values."""

    def table(self) -> str:
        """Return it for a person."""


class Recording(Protocol):
    """One kept game."""

    def save(self, path: Path) -> None:
        """Write it as one file, atomically."""


class Run(Protocol):
    """What a request asks for, checked; nothing is played before `play`."""

    @property
    def texts(self) -> Sequence[PlanText]:
        """The plans that were named, checked."""

    @property
    def remarks(self) -> Sequence[str]:
        """Lines that a person should know before it is played."""

    @property
    def folder(self) -> str:
        """Name of the folder that it is kept in when none is named."""

    def unplayed(self, failure: str) -> list[dict[str, Any]]:
        """Return one object for each result, in plain values, when a plan cannot be played."""

    def play(self, watch: Watch) -> Iterator[RunResult]:
        """Play all games, a result for each world."""

    def summary(self) -> str:
        """Return what came of several worlds together, for a person; empty for one."""

    def config(self) -> dict[str, Any]:
        """Return how to play it again, in plain values; `again` are the words after `hive run`."""

    def files(self) -> dict[str, Content]:
        """Return the files of the run folder that tell what was played, by name, once it was."""

    def recordings(self, watch: Watch) -> dict[str, Recording]:
        """Return the kept games by the folder inside the run folder that they belong in, empty or `NAME/`."""


class Kind(Protocol):
    """One kind of world: a row of `hive.worlds.KINDS`."""

    @property
    def noun(self) -> str:
        """What one such world is called, such as `wildfire level`."""

    def claims(self, name: str) -> bool:
        """Return whether a name or path is meant for this kind."""

    def names(self) -> Sequence[str]:
        """Return the names of the shipped worlds, as `hive.load` takes them."""

    def catalogue(self) -> dict[str, list[dict[str, Any]]]:
        """Return what is shipped, by section; each entry has a `name` and a `line` for people beside its facts."""

    def context(self, request: Request, side: int) -> tuple[dsl.PlanContext, str]:
        """Return what plans of a side are checked against, without loading arrays, and a line that says so."""

    def load(self, request: Request) -> tuple[World, int]:
        """Return the world with its changes, and the seed of the game that is asked for.

        Raises:
            UserError: Anything is wrong with the request, or an option that this kind does not have is set.
        """

    def describe(self, request: Request, tick: int) -> Scene:
        """Play the plan that is asked for up to a tick, and put the game into words.

        Raises:
            UserError: Anything is wrong with the request or its plan.
        """

    def prepare(self, request: Request) -> Run:
        """Check all that a run needs.

        Raises:
            UserError: Anything is wrong with the request.
        """
