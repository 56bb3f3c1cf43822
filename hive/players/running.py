"""A run of a world with agents: one or several players, and the files of its folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol

from hive.kit.keep.csv_text import csv_text
from hive.kit.keep.json_text import json_lines, pretty
from hive.kit.keep.runfolder import EXCHANGES, RECORDING, Content, folder_name
from hive.kit.reporting import Watch
from hive.kit.team_world import TeamGame, TeamResults, TeamWorld
from hive.kit.transcript import transcript
from hive.kit.view.movie import Movie
from hive.players.costs import Costs, costs_files, costs_of, costs_table
from hive.players.llm.client import Client
from hive.players.overlap import overlap_files, overlap_rows
from hive.players.teams.games import Seen, exchanges_of
from hive.worlds.kept import movies, pictures

MOST_PICTURES = 24
"""Games of which each has pictures of its own; of more games the first one of each player has."""

Film = Callable[[Callable[..., Movie], object, str], Content]
"""Returns the function that makes a movie, from the one that saves it, the recording and its folder in the run."""


class RunPlayer(Protocol):
    """Who plays games of a world with agents: a team, rules, or a commander that writes plans."""

    @property
    def name(self) -> str:
        """For tables and folders, unique in a run."""

    @property
    def about(self) -> str:
        """Who answers, in words."""

    @property
    def plays(self) -> str:
        """Name of the way in which it decides."""

    @property
    def title(self) -> str:
        """Name of the method in results; empty: its name."""

    @property
    def unit(self) -> str:
        """What tokens are counted as."""

    @property
    def client(self) -> Client:
        """Who answers."""

    def identity(self) -> list[object]:
        """Return what decides how it plays, in plain values."""

    def manner(self) -> dict[str, Any]:
        """Return its settings, in plain values."""

    def calls(self, agents: int) -> tuple[int, int] | None:
        """Return the fewest and most calls of a step by formula."""

    def play(
        self,
        world: TeamWorld,
        seeds: Sequence[int],
        folder: Path,
        concurrent: int,
        watch: Watch,
        seen: Seen | None = None,
    ) -> list[TeamGame]:
        """Play every world with every seed; the same call after an interruption resumes in the folder."""


@dataclass(frozen=True, kw_only=True)
class TeamRun:
    """Finished games of one or several players on the same worlds with the same seeds.

    Attributes:
        world: What was played.
        players: Who played.
        seeds: Of each world.
        games: The games, player by player.
        results: What they are worth.
        folder: Where the progress is kept.
        varied: Settings of the world in which this run differs from others beside it.
    """

    world: TeamWorld
    players: Sequence[RunPlayer]
    seeds: Sequence[int]
    games: Sequence[TeamGame]
    results: TeamResults
    folder: Path
    varied: Mapping[str, float | str] = field(default_factory=dict)

    @cached_property
    def costs(self) -> list[Costs]:
        """The costs of each world and player; empty if no call was made."""
        return costs_of(self.games, self.players, self.varied)

    def json(self) -> dict[str, Any]:
        """Return players, figures and games in plain values."""
        players = [{"name": each.name, "speaker": each.client.name, "about": each.about} for each in self.players]
        costs = [each.json() for each in self.costs]
        return {"players": players, **self.results.json(), **({"costs": costs} if costs else {})}

    def table(self) -> str:
        """Return the results as readable tables, and what a step costs where calls were made."""
        costs = self.costs
        return "\n\n".join([self.results.table(), *([costs_table(costs)] if costs else [])])

    def scores(self) -> list[dict[str, Any]]:
        """Return scores and costs of each world and player, for `hive competency`; empty where it reads none."""
        costs = {(each.world, each.player): each.facts() for each in self.costs}
        return [
            {**row, **({"varied": dict(self.varied)} if self.varied else {}), **costs.get(_of(row), {})}
            for row in self.results.scores()
        ]

    def exchanges(self) -> str:
        """Return what was asked and answered, a recording that repeats the games."""
        return exchanges_of([progress_of(self.folder, self.players, each) for each in self.players])

    def name_of(self, game: TeamGame) -> str:
        """Return the folder of a game inside that of the run: of several players, each has a folder of its own."""
        return f"{folder_name(game.player)}/{game.name}" if len(self.players) > 1 else game.name

    def files(self, film: Film | None = None, facts: Mapping[str, Any] = MappingProxyType({})) -> dict[str, Content]:
        """Return the files of the run folder by name, without `config.json`.

        Args:
            film: Makes movies of the first game of each player; None: none are made.
            facts: What `result.json` holds besides, in plain values.
        """
        rows = self.results.rows()
        shown = pretty({**facts, **self.json()})
        files: dict[str, Content] = {
            "result.json": shown,
            "table.txt": self.table() + "\n",
            "games.csv": csv_text(rows),
            **scores_file(self.scores()),
            **costs_files(self.costs),
            **overlap_files(overlap_rows(self.games)),
            EXCHANGES: self.exchanges(),
        }
        for player in self.players:
            files |= self.world.files(progress_of(self.folder, self.players, player))
        who = {player.name: player for player in self.players}
        first = {game.player: game for game in reversed(self.games)}
        for game, row in zip(self.games, rows, strict=True):
            own = _game_files(game, row, who[game.player])
            if len(self.games) <= MOST_PICTURES or first[game.player] is game:
                own |= pictures(game.recording)
            if film and first[game.player] is game:
                made = movies(game.recording).items()
                own |= {name: film(save, game.recording, self.name_of(game)) for name, save in made}
            files |= {f"{self.name_of(game)}/{name}": content for name, content in own.items()}
        return files


def play_team_run(
    world: TeamWorld,
    players: Sequence[RunPlayer],
    seeds: Sequence[int],
    folder: Path,
    concurrent: int,
    watch: Watch,
    varied: Mapping[str, float | str] = MappingProxyType({}),
    seen: Seen | None = None,
) -> TeamRun:
    """Let players play, one after the other.

    Args:
        world: What is played.
        players: Who plays, with different names.
        seeds: Of each world.
        folder: Where finished steps are saved: the same call after an interruption resumes there.
        concurrent: Most requests at the same time.
        watch: Receives the progress.
        varied: See `TeamRun`.
        seen: Receives the games step by step; what it raises ends the run.

    Raises:
        ModelError: A model could not be asked; all finished steps are saved.
        UserError: The folder cannot be used.
    """
    games: list[TeamGame] = []
    for player in players:
        own = progress_of(folder, players, player)
        own.mkdir(exist_ok=True)
        games += player.play(world, seeds, own, concurrent, watch, seen)
    results = world.results(games, watch)
    return TeamRun(
        world=world, players=players, seeds=seeds, games=games, results=results, folder=folder, varied=varied
    )


def identity_of(world: TeamWorld, players: Sequence[RunPlayer], seeds: Sequence[int]) -> dict[str, Any]:
    """Return what decides a run, in values that JSON keeps."""
    return {**world.identity(), "players": [each.identity() for each in players], "seeds": list(seeds)}


def progress_of(folder: Path, players: Sequence[RunPlayer], player: RunPlayer) -> Path:
    """Return where the steps of a player are saved."""
    return folder / folder_name(player.name) if len(players) > 1 else folder


def scores_file(scores: Sequence[Mapping[str, Any]]) -> dict[str, Content]:
    """Return `scores.jsonl`, which `hive competency` reads, if there are such scores."""
    text = json_lines(scores)
    return {"scores.jsonl": text} if text else {}


def _of(row: Mapping[str, Any]) -> tuple[str, str]:
    return row["scenario"], row["player"]


def _game_files(game: TeamGame, row: Mapping[str, Any], who: RunPlayer) -> dict[str, Content]:
    title = f"{game.env.name}, seed {game.env.seed}: {game.method or game.player}"
    facts: dict[str, Any] = {"framework": who.plays, "method": game.method or game.player, "speaker": who.about}
    facts |= {"manner": who.manner(), "token_unit": who.unit}
    return {
        "result.json": pretty({**row, **facts}),
        "steps.jsonl": json_lines(game.transcript.rows()),
        "transcript.md": transcript(game.transcript, title, game.env.task, who.about),
        **({"journal.jsonl": game.journal} if game.journal else {}),
        **game.files,
        RECORDING: game.recording.save,
    }
