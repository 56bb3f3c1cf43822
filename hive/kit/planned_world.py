"""What worlds offer that plans command: what may be asked of them, a world, a run, games for a single commander.

The errors that are stated here hold for every implementation, whose docstrings need not repeat them. This module is
independent of arrays: worlds that the engine plays add `hive.engine.world.EngineWorld`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import dsl
from dsl import UserError
from dsl.wording import did_you_mean, listing, nearest
from hive.kit.agent_env import PlayedWorld
from hive.kit.keep.runfolder import Content
from hive.kit.plan_text import PlanText
from hive.kit.reporting import Description, RunResult, Watch

if TYPE_CHECKING:
    from hive.kit.keep.dialogue import Line
    from hive.kit.keep.recording import Recording

PUBLISHED = "published"  # instead of a number of seeds: the published seeds of a world

OF_PLANS = (
    *("plan", "swaps", "enemy_swaps", "commander"),
    *("lenient", "written_for", "units", "markers", "every"),
)
"""Attributes of a `Request` that mean nothing where agents play."""

MAP_PICTURES = ("raw", "grid", "scaffold")
"""Forms of the picture that may replace a map in words: the bare map, with a grid and axes, with labels all over."""


_FLAGS = {
    "numbers": "--set",
    "swaps": "--swap",
    "enemy_swaps": "--enemy-swap",
    "markers": "--marker",
    "fire_rules": "--rules",
}


def flag_of(name: str) -> str:
    """Return the option that sets an attribute of `Request`, or a field of a command's settings, such as `--units`."""
    return _FLAGS.get(name, f"--{name.replace('_', '-')}")


@dataclass(frozen=True, kw_only=True)
class Request:
    """The options of a command, for any kind of world; each kind refuses options that it does not have.

    Attributes:
        scenario: Name or path of the world.
        plan: A shipped plan, a path or a text; None: the world's own.
        swaps: Tick and plan of each later plan.
        enemy_swaps: The same for the enemy, in a battle; at tick 0 in place of the scenario's plan.
        lenient: Whether a unit may stand in two groups of a step.
        written_for: Team sizes (player, enemy) that the plans were written for; None: those that the world names.
        units: Size of the player's team; None: the world's.
        numbers: Name and value of each setting of the world to change.
        markers: Letter and place of each marker to set.
        fire_rules: Rules of the fire, where a world offers a choice.
        rules_text: Whether a description states rules that it omits by default.
        printed_speeds: Whether a description gives speeds as the published prompt prints them, not as they are.
        map_picture: Form of the picture that replaces the map in a description, one of `MAP_PICTURES`; None: words.
        prompt_version: Version of the prompt of a description; None: the world's present one.
        commander: Name of the commander that writes the plans, where a world offers a choice.
        method: Name of the commander in results.
        seed: Seed of a single game.
        seeds: Number of games, or `PUBLISHED`.
        every: Ticks between two frames of a kept game.
        keep: Whether a game will be kept and must therefore be recorded.
    """

    scenario: str
    plan: str | Path | None = None
    swaps: Sequence[tuple[int, str]] = ()
    enemy_swaps: Sequence[tuple[int, str]] = ()
    lenient: bool = False
    written_for: tuple[int, int] | None = None
    units: int | None = None
    numbers: Sequence[tuple[str, float]] = ()
    markers: Sequence[tuple[str, tuple[int, int]]] = ()
    fire_rules: str | None = None
    rules_text: bool = False
    printed_speeds: bool = False
    map_picture: str | None = None
    prompt_version: int | None = None
    commander: str | None = None
    method: str | None = None
    seed: int | None = None
    seeds: int | str | None = None
    every: int | None = None
    keep: bool = False

    def changes(self, known: Collection[str], what: str) -> dict[str, float]:
        """Return the settings to change, by name.

        Args:
            known: Names of the world's settings.
            what: What messages call such a setting.

        Raises:
            UserError: A name is unknown or given twice.
        """
        changes: dict[str, float] = {}
        for name, value in self.numbers:
            if name not in known:
                advice = did_you_mean(nearest(name, known)) or f"{what}s are {listing(known, 'and')}"
                raise UserError(f"there is no {what} `{name}`\n  = help: {advice}")
            if name in changes:
                raise UserError(f"the {what} `{name}` is set twice\n  = help: set each {what} once")
            changes[name] = value
        return changes

    def later_plans(self, enemy: bool = False) -> list[tuple[int, str]]:
        """Return `swaps` in the order of time, or those of the enemy.

        Raises:
            UserError: Two plans are given for one tick.
        """
        swaps = sorted(self.enemy_swaps if enemy else self.swaps, key=lambda swap: swap[0])
        for (tick, one), (again, other) in pairwise(swaps):
            if tick == again:
                raise UserError(
                    f"at tick {tick} there is one plan at most, and {one} and {other} are given for it\n"
                    "  = help: leave one out, or give it another tick"
                )
        return swaps

    def refuse(self, names: Iterable[str], why: str, advice: str = "") -> None:
        """Raise a `UserError` when any of these attributes is set; the message names their options."""
        wrong = [flag_of(name) for name in names if getattr(self, name)]
        if wrong:
            help = f"\n  = help: {advice}" if advice else ""
            raise UserError(f"{listing(wrong, 'and')} cannot be used here: {why}{help}")


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
        """The player's default plan, as a shipped name or a path."""

    @property
    def limit(self) -> int:
        """Ticks until a game times out."""

    def context(self, side: int = 0, sizes: tuple[int, int] | None = None) -> dsl.PlanContext:
        """Return the context in which a plan of a side is checked, so that it fits this world.

        Args:
            side: 0 for the player, 1 for the enemy.
            sizes: Units of player and enemy that the plan was written for; None: those that the world names.
        """

    def describe(self, state: Any) -> Description:
        """Describe one state of a game in words, for a commander."""


class Run(Protocol):
    """A request that was checked and can be played; nothing is played before `play`."""

    @property
    def texts(self) -> Sequence[PlanText]:
        """The plans that were named, with their diagnostics."""

    @property
    def remarks(self) -> Sequence[str]:
        """Lines to show to the user before the games are played."""

    @property
    def folder(self) -> str:
        """Default name of the run folder."""

    def unplayed(self, failure: str) -> list[dict[str, Any]]:
        """Return one object for each result, in plain values, for a plan that cannot be played."""

    def play(self, watch: Watch) -> Iterator[RunResult]:
        """Play all games; yield one result for each world."""

    def played(self) -> dict[str, Any]:
        """Return what the result is of that was yielded last: the name of its world with its version, in `worlds`."""

    def summary(self) -> str:
        """Return a readable summary over several worlds; empty for one world."""

    def config(self) -> dict[str, Any]:
        """Return the settings that repeat the run, in plain values.

        `again` holds the arguments of `hive run` inside the run folder, `seeds` all seeds, `worlds` all values of each
        world by its name, and `players` who played, as `hive.kit.keep.record.games_folder` takes them.
        """

    def files(self) -> dict[str, Content]:
        """Return the files of the run folder that describe the finished games, by name."""

    def recordings(self, watch: Watch) -> Mapping[str, Recording]:
        """Return the kept games by their folder inside the run folder, empty or `NAME/`."""


@runtime_checkable
class CommandedWorld(Protocol):
    """A `TeamWorld` whose games a single commander can play too, which writes plans for all agents."""

    def requests(self, seeds: Sequence[int]) -> Sequence[Request]:
        """Return what is to be loaded for each game, each world with each seed.

        Raises:
            UserError: There are too many seeds.
        """

    def commanded(self, world: Any) -> CommandedGame:
        """Return what a commander's game of a loaded world needs."""


class CommandedGame(Protocol):
    """A game in which one commander writes plans for all agents, from `CommandedWorld.commanded`."""

    @property
    def name(self) -> str:
        """Its folder in a run folder."""

    @property
    def room(self) -> Mapping[str, int]:
        """Least capacities for plans, as arguments of `hive.engine.swapping.with_room`."""

    @property
    def watch(self) -> Callable[..., Any]:
        """What is kept of a tick; see `hive.engine.episode.advance_watched`."""

    def standing(self, state: Any) -> str:
        """Return the plan in which no agent does anything; it holds until the first plan is written."""

    def own(self, state: Any) -> str:
        """Return the plan of the world's scripted commander for a state."""

    def events(self) -> Any:
        """Return what finds events of one game, with a method `news` that takes a state."""

    def begin(self, state: Any) -> float:
        """Return the score before the first tick."""

    def score(self, frame: Any) -> float:
        """Return the score after a tick, by what `watch` returned for it."""

    def finished(
        self, frames: Sequence[Any], outcome: str, plans: Sequence[tuple[int, str]], who: str, lines: Sequence[Line]
    ) -> tuple[PlayedWorld, Mapping[str, Any], Recording]:
        """Return the game at its end, how it ended, and its recording.

        Args:
            frames: What `watch` returned for each tick.
            outcome: How it ended.
            plans: Tick and text of each plan.
            who: Name of the commander.
            lines: What the commander was asked and did, for the recording.
        """
