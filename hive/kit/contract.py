"""The contract between a kind of world and its host (the command line or a web page): what every kind of world offers.

A kind of world (battles, wildfires, kitchen orders, rescues, households) implements these protocols and has one row in
`hive.worlds`. The errors that are stated here hold for every implementation, whose docstrings need not repeat them.
This module is independent of arrays: worlds that the engine plays add `hive.engine.world.EngineWorld`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import dsl
from dsl import UserError
from dsl.wording import did_you_mean, listing, nearest
from hive.kit.agent_env import AgentEnv, Choice, Episodes, Said, Speaker
from hive.kit.keep.runfolder import Content
from hive.kit.plan_text import PlanText
from hive.kit.transcript import EpisodeTranscript

if TYPE_CHECKING:
    from hive.kit.keep.dialogue import Line
    from hive.kit.keep.recording import Recording

PUBLISHED = "published"  # instead of a number of seeds: the published seeds of a world

MAP_PICTURES = ("raw", "grid", "scaffold")
"""Forms of the picture that may replace a map in words: the bare map, with a grid and axes, with labels all over."""


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

    def refuse(self, options: Mapping[str, str], why: str, advice: str = "") -> None:
        """Raise a `UserError` when any of these options, attribute to flag, is set."""
        wrong = [flag for name, flag in options.items() if getattr(self, name)]
        if wrong:
            help = f"\n  = help: {advice}" if advice else ""
            raise UserError(f"{listing(wrong, 'and')} cannot be used here: {why}{help}")


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
        """The player's default plan: a shipped name or a path."""

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


class KeptEpisodes(Episodes, Protocol):
    """Episodes for a team of agents whose frames may be kept."""

    def recording(self, env: int, lines: Sequence[Line] = ()) -> Recording:
        """Return what was recorded of an episode so far, with what its agents said as lines.

        Raises:
            ValueError: The request did not ask to keep it.
        """


@dataclass(frozen=True, kw_only=True)
class TeamRequest:
    """What a team is to play, for any kind of world that has agents.

    Attributes:
        worlds: Names or paths of worlds of one kind, each once.
        options: Settings of the world by name, such as `limit`; a kind refuses those that it does not have.
        published: Whether agents act as in the published programs, without what this project adds.
    """

    worlds: Sequence[str]
    options: Mapping[str, Any] = field(default_factory=dict)
    published: bool = False

    def settings(self, known: Collection[str], noun: str) -> dict[str, Any]:
        """Return the options that are set.

        Raises:
            UserError: One of them is none of `known`.
        """
        for name in self.options:
            if name not in known:
                advice = did_you_mean(nearest(name, known)) or f"its settings are {listing(known, 'and')}"
                raise UserError(f"a {noun} has no setting `{name}` for teams\n  = help: {advice}")
        return {name: value for name, value in self.options.items() if value is not None}


@dataclass(frozen=True)
class Cast:
    """Who plays some games.

    Attributes:
        player: Name for results, unique in a run.
        framework: Name of the framework by which the team talks and decides.
    """

    player: str
    framework: str


@dataclass(frozen=True)
class Round:
    """Games that are played side by side.

    Attributes:
        episodes: The games.
        names: For each of them its folder in a run folder, such as `boiled_egg/0`.
    """

    episodes: KeptEpisodes
    names: Sequence[str]


@dataclass(frozen=True, kw_only=True)
class TeamGame:
    """One finished game of a team, of which a world makes its results.

    Attributes:
        name: Its folder in a run folder.
        player: Name of who played, unique in a run.
        framework: Name of the way in which it decided.
        method: Name of who played in results that are compared with others.
        temperature: With which a model was asked; None: no model was, or calls had different ones.
        env: The game as its agents know it, at its end.
        facts: How it ended; see `Episodes.results`.
        transcript: What was said and done.
        said: Its conversations, where these take no time.
        refused: Number of refused actions.
        tips: The list that its agents shared at the end.
        journal: The lines of its journal; empty where none is kept.
        files: Further files of its folder, by name.
        recording: Every step, with what was said.
    """

    name: str
    player: str
    framework: str = ""
    method: str = ""
    temperature: float | None = None
    env: AgentEnv
    facts: Mapping[str, Any]
    transcript: EpisodeTranscript
    said: Sequence[Said] = ()
    refused: int = 0
    tips: str = ""
    journal: str = field(repr=False, default="")
    files: Mapping[str, Content] = field(repr=False, default_factory=dict)
    recording: Recording = field(repr=False)

    @property
    def messages(self) -> int:
        """Messages that were sent."""
        return sum(len(step.messages) for step in self.transcript.steps)


@dataclass(frozen=True, kw_only=True)
class RulePlayer:
    """A player of one kind of world that asks no model.

    Attributes:
        name: For results and journals.
        about: What it does, in a sentence.
        speaker: Answers the prompts of all agents by rules; None if no agent is asked.
        choose: Returns the action of an agent whose turn it is; None if agents are asked.
    """

    name: str
    about: str
    speaker: Speaker | None = None
    choose: Callable[[Any, int], Choice] | None = None


class TeamResults(RunResult, Protocol):
    """Results of the games of a team."""

    def rows(self) -> Sequence[Mapping[str, Any]]:
        """Return the results of each game in plain values, in the order of the games."""

    def scores(self) -> Sequence[Mapping[str, Any]]:
        """Return an object for each `scenario` and `player`, for `hive competency`; empty where it reads none."""


class TeamWorld(Protocol):
    """Worlds of one kind for a team of agents: what a request asks for, checked before anything is played."""

    @property
    def noun(self) -> str:
        """What one game is called, such as `rescue`."""

    @property
    def acting(self) -> str:
        """How agents act: a key of `hive.players.teams.frameworks.FAMILIES`; see `hive.kit.agent_env`."""

    @property
    def players(self) -> Mapping[str, str]:
        """Players by rules: name and what they do; the first one is the default."""

    @property
    def seeds(self) -> Sequence[int]:
        """The published seeds, or 0 alone; the first one is the default."""

    def identity(self) -> Mapping[str, Any]:
        """Return what decides the games, besides the player and the seeds, in plain values."""

    def rule_player(self, name: str, watch: Watch) -> RulePlayer:
        """Return one of `players`."""

    def check(self, cast: Cast) -> None:
        """Check that a team can play with the settings of the request.

        Raises:
            UserError: It cannot.
        """

    def rounds(
        self, cast: Cast, seeds: Sequence[int], folder: Path, watch: Watch
    ) -> Generator[Round, Sequence[TeamGame], None]:
        """Yield the games, each world with each seed, in rounds; receives the finished games of each round.

        Args:
            cast: Who plays.
            seeds: Of each world.
            folder: Where work is saved that the same command need not do again.
            watch: Receives the progress of what has to be done before.
        """

    def files(self, folder: Path) -> Mapping[str, Content]:
        """Return what `rounds` saved in its folder and a user may want to keep, by file name."""

    def results(self, games: Sequence[TeamGame], watch: Watch) -> TeamResults:
        """Return what the games are worth, those of several players too."""


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
    ) -> tuple[AgentEnv, Mapping[str, Any], Recording]:
        """Return the game at its end, how it ended, and its recording.

        Args:
            frames: What `watch` returned for each tick.
            outcome: How it ended.
            plans: Tick and text of each plan.
            who: Name of the commander.
            lines: What the commander was asked and did, for the recording.
        """


class Kind(Protocol):
    """One kind of world: a row of `hive.worlds.KINDS`."""

    @property
    def noun(self) -> str:
        """The name for one such world, such as `wildfire level`."""

    @property
    def beat(self) -> str:
        """The word for the shortest time in which something happens in such a world, such as `tick` or `step`."""

    @property
    def planned(self) -> bool:
        """Whether plans command its worlds; see `hive.kit.unplanned`."""

    @property
    def sized(self) -> bool:
        """Whether `Request.units` sets the size of its teams."""

    @property
    def compared(self) -> bool:
        """Whether commands that compare plans or explain them take its worlds: `hive sweep`, `improve`, `explain`."""

    @property
    def seeded(self) -> bool:
        """Whether a seed gives the map of one of its worlds; all these maps have arrays of the same shapes."""

    def claims(self, name: str) -> bool:
        """Return whether a name or path belongs to this kind."""

    def names(self) -> Sequence[str]:
        """Return the names of the shipped worlds, as `hive.load` takes them."""

    def members(self, name: str) -> Sequence[str]:
        """Return the worlds that a name stands for: itself alone, or several, which agents play one after another."""

    def version(self, name: str) -> int:
        """Return the version of one of its worlds, from 1: it rises whenever the results of that world change.

        Raises:
            UserError: There is no such world.
        """

    def set_summary(self, name: str) -> str | None:
        """Return in one line what a named set of its worlds is; None where a name or path is that of no set.

        Raises:
            UserError: It looks like the name of a set and there is none, or its file has errors.
        """

    def catalogue(self) -> dict[str, list[dict[str, Any]]]:
        """Return what is shipped, by section; each entry has a `name` and a readable `line` in addition to its data."""

    def context(self, request: Request, side: int) -> tuple[dsl.PlanContext, str]:
        """Return the context in which plans of a side are checked, without loading arrays, and a line that names it.

        Raises:
            UserError: The world, one of its changes or the side does not exist, or no plan commands this kind of world.
        """

    def load(self, request: Request) -> tuple[World, int]:
        """Return the world with its changes, and the seed of the requested game.

        Raises:
            UserError: Anything is wrong with the request, or an option that this kind does not have is set.
        """

    def own_plan(self, request: Request) -> str | None:
        """Return the text of the world's own plan, so that a commander without a model can answer for any world.

        It is written for the sizes of `request.written_for`, else for the armies that a description shows: check it
        with `World.context(0, sizes)` for these, not for the sizes that the scenario's file names.

        Returns:
            The plan, or None if the world has none. For a world that a commander plays it is the first plan of the
            requested commander, else of the scripted one, on the map of the requested seed.

        Raises:
            UserError: Anything is wrong with the request.
        """

    def describe(self, request: Request, tick: int) -> Scene:
        """Play the requested plan up to a tick and describe the game in words.

        Raises:
            UserError: Anything is wrong with the request or its plan.
        """

    def prepare(self, request: Request) -> Run:
        """Check everything that a run needs.

        Raises:
            UserError: Anything is wrong with the request.
        """

    def team_world(self, request: TeamRequest) -> TeamWorld:
        """Return worlds of this kind for a team of agents.

        Raises:
            UserError: Anything is wrong with the request, or this kind of world has no agents.
        """
