"""A run of a world with agents: one or several players, and the files of its folder."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from hive.kit.contract import TeamGame, TeamResults, TeamWorld, Watch
from hive.kit.keep.csv_text import csv_text
from hive.kit.keep.runfolder import EXCHANGES, RECORDING, Content, folder_name
from hive.kit.transcript import transcript
from hive.kit.view.movie import Movie
from hive.players.teams.games import TeamPlayer, exchanges_of, play_games
from hive.worlds.kept import movies, pictures

MOST_PICTURES = 24
"""Games of which each has pictures of its own; of more games the first one of each player has."""

Film = Callable[[Callable[..., Movie], object, str], Content]
"""Returns the function that makes a movie, from the one that saves it, the recording and its folder in the run."""


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
    """

    world: TeamWorld
    players: Sequence[TeamPlayer]
    seeds: Sequence[int]
    games: Sequence[TeamGame]
    results: TeamResults
    folder: Path

    def json(self) -> dict[str, Any]:
        """Return players, figures and games in plain values."""
        players = [{"name": each.name, "speaker": each.client.name, "about": each.about} for each in self.players]
        return {"players": players, **self.results.json()}

    def table(self) -> str:
        """Return the results as readable tables."""
        return self.results.table()

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
        shown = json.dumps({**facts, **self.json()}, indent=2, allow_nan=False) + "\n"
        files: dict[str, Content] = {
            "result.json": shown,
            "table.txt": self.table() + "\n",
            "games.csv": csv_text(rows),
            EXCHANGES: exchanges_of([progress_of(self.folder, self.players, each) for each in self.players]),
        }
        for player in self.players:
            files |= self.world.files(progress_of(self.folder, self.players, player))
        about = {player.name: player.about for player in self.players}
        first = {game.player: game for game in reversed(self.games)}
        for game, row in zip(self.games, rows, strict=True):
            own = _game_files(game, row, about[game.player])
            if len(self.games) <= MOST_PICTURES or first[game.player] is game:
                own |= pictures(game.recording)
            if film and first[game.player] is game:
                made = movies(game.recording).items()
                own |= {name: film(save, game.recording, self.name_of(game)) for name, save in made}
            files |= {f"{self.name_of(game)}/{name}": content for name, content in own.items()}
        return files


def play_team_run(
    world: TeamWorld, players: Sequence[TeamPlayer], seeds: Sequence[int], folder: Path, concurrent: int, watch: Watch
) -> TeamRun:
    """Let players play, one after the other.

    Args:
        world: What is played.
        players: Who plays, with different names.
        seeds: Of each world.
        folder: Where finished steps are saved: the same call after an interruption resumes there.
        concurrent: Most requests at the same time.
        watch: Receives the progress.

    Raises:
        ModelError: A model could not be asked; all finished steps are saved.
        UserError: The folder cannot be used.
    """
    games: list[TeamGame] = []
    for player in players:
        own = progress_of(folder, players, player)
        own.mkdir(exist_ok=True)
        games += play_games(world, player, seeds, own, concurrent, watch)
    results = world.results(games, watch)
    return TeamRun(world=world, players=players, seeds=seeds, games=games, results=results, folder=folder)


def identity_of(world: TeamWorld, players: Sequence[TeamPlayer], seeds: Sequence[int]) -> dict[str, Any]:
    """Return what decides a run, in values that JSON keeps."""
    return {**world.identity(), "players": [each.identity() for each in players], "seeds": list(seeds)}


def progress_of(folder: Path, players: Sequence[TeamPlayer], player: TeamPlayer) -> Path:
    """Return where the steps of a player are saved."""
    return folder / folder_name(player.name) if len(players) > 1 else folder


def _game_files(game: TeamGame, row: Mapping[str, Any], who: str) -> dict[str, Content]:
    title = f"{game.stage.name}, seed {game.stage.seed}: {game.player}"
    return {
        "result.json": json.dumps(row, indent=2, allow_nan=False) + "\n",
        "steps.jsonl": "".join(json.dumps(each, allow_nan=False) + "\n" for each in game.transcript.rows()),
        "transcript.md": transcript(game.transcript, title, game.stage.task, who),
        "journal.jsonl": game.journal,
        RECORDING: game.recording.save,
    }
