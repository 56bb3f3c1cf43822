"""What worlds offer that agents play: what a team is to play, rounds of games, players by rules, results.

The agents themselves are in `hive.kit.agent_env`. The errors that are stated here hold for every implementation, whose
docstrings need not repeat them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, runtime_checkable

from dsl import UserError
from dsl.wording import did_you_mean, listing, nearest
from hive.kit.agent_env import AgentEnv, Choice, Episodes, Observation, PlayedWorld, Said, SomeEnv, Speaker
from hive.kit.keep.runfolder import Content
from hive.kit.reporting import RunResult, Watch
from hive.kit.transcript import EpisodeTranscript

if TYPE_CHECKING:
    from hive.kit.keep.dialogue import Line
    from hive.kit.keep.recording import Recording


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


class KeptEpisodes(Episodes[SomeEnv], Protocol[SomeEnv]):
    """Episodes for a team of agents whose frames may be kept."""

    def recording(self, env: int, lines: Sequence[Line] = ()) -> Recording:
        """Return what was recorded of an episode so far, with what its agents said as lines.

        Raises:
            ValueError: The request did not ask to keep it.
        """


@dataclass(frozen=True)
class Round(Generic[SomeEnv]):
    """Games that are played side by side.

    Attributes:
        episodes: The games.
        names: For each of them its folder in a run folder, such as `boiled_egg/0`.
    """

    episodes: KeptEpisodes[SomeEnv]
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
        env: The game at its end; where agents played it, as they know it.
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
    env: PlayedWorld
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
    ) -> Generator[Round[AgentEnv], Sequence[TeamGame], None]:
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
class PicturedWorld(TeamWorld, Protocol):
    """A `TeamWorld` whose agents draw what they see (`Observation.draw`), where a judge scores what is told of it."""

    @property
    def judged(self) -> Sequence[str]:
        """Names of a judge's scores, such as `fire_score`; each is 0 to 10."""

    def shows(self, seen: Observation) -> tuple[bool, ...] | None:
        """Return for each score whether there is anything to tell; None where an agent sees nothing to draw."""

    def judging(self, seen: Observation, text: str) -> tuple[str, str]:
        """Return what a judge of a description is sent: the system message, and the facts with the description."""

    def judge(self, system: str, texts: Sequence[str]) -> str:
        """Judge by rules in place of a model, as a `Speaker` that reads what `judging` returns."""
