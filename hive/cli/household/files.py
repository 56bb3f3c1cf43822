"""The folder of `hive household play`: results, transcripts and recordings of all plays, and drawings of the first."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hive.cli.printing import pretty

if TYPE_CHECKING:
    from hive.cli.household.games import HouseGame
    from hive.household.recording import HouseRecording
    from hive.keep.runfolder import Content

UTILITY = "utility.npz"  # learned costs of options


def result_of(args: argparse.Namespace, who: str, games: Sequence[HouseGame]) -> dict[str, Any]:
    """Return how the run went, for `result.json` and `--json`."""
    from hive.cli.household.games import figures

    facts = {"agents": args.agents, "team": args.team, "speaker": who, "figures": figures(games)}
    return {**facts, "games": [game.json() for game in games]}


def files_of(args: argparse.Namespace, who: str, games: Sequence[HouseGame], progress: Path) -> dict[str, Content]:
    """Return the files of the folder, by name."""
    from hive.cli.household.games import table
    from hive.keep.config import config_file
    from hive.keep.csv_text import csv_text
    from hive.keep.runfolder import EXCHANGES, RECORDING
    from hive.teams.transcript import transcript
    from hive.view.household.replay import write_house_replay
    from hive.view.kept import movies, pictures

    exchanges, first = progress / EXCHANGES, games[0].recording
    files: dict[str, Content] = {
        **config_file(
            args.line,
            [game.seed for game in games],
            episodes=list(dict.fromkeys(game.episode.name for game in games)),
            agents=args.agents,
            team=args.team,
            speaker=who,
        ),
        "result.json": pretty(result_of(args, who, games)),
        "table.txt": table(games) + "\n",
        "games.csv": csv_text(game.json() for game in games),
        EXCHANGES: exchanges.read_text(encoding="utf-8") if exchanges.exists() else "",
        **pictures(first),
        "replay.html": partial(_quiet, write_house_replay, first),
    }
    if args.movie:
        files |= {name: partial(_quiet, save, first) for name, save in movies(first).items()}
    if (progress / UTILITY).exists():
        files[UTILITY] = (progress / UTILITY).read_bytes()
    for game in games:
        folder = f"{Path(game.episode.name).stem}/{game.seed}"
        title = f"{game.episode.name}, seed {game.seed}: {who}"
        files[f"{folder}/result.json"] = pretty(game.json())
        files[f"{folder}/steps.jsonl"] = "".join(json.dumps(row) + "\n" for row in game.played.rows())
        files[f"{folder}/transcript.md"] = transcript(game.played, title, game.briefing, who)
        files[f"{folder}/journal.jsonl"] = game.journal
        files[f"{folder}/{RECORDING}"] = game.recording.save
    return files


def _quiet(write: Callable[..., object], recording: HouseRecording, path: Path) -> None:
    """Write a file of a recording."""
    write(recording, path)
