"""What `hive team` saves: replies and steps while it runs, and its folder at the end."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dsl.wording import columns, plural
from hive.cli.printing import pretty
from hive.cli.progress_folder import deciding_versions, open_progress
from hive.cli.team.request import TITLES, TeamCell
from hive.experiments.plots.team_costs import EpisodeCosts, save_costs
from hive.kit.keep.config import config_file
from hive.kit.keep.csv_text import csv_text
from hive.kit.keep.finishing import finish_run
from hive.kit.keep.recording import Recording
from hive.kit.keep.runfolder import EXCHANGES, RECORDING, Content
from hive.kit.transcript import EpisodeTranscript, per_step, transcript
from hive.players.teams.frameworks import find
from hive.worlds.kept import pictures
from hive.worlds.wildfire.result import LevelGameResult, LevelResult, methods_table


@dataclass(frozen=True, kw_only=True)
class FinishedEpisode:
    """One finished episode.

    Attributes:
        game: Its result, as `hive run` keeps it.
        episode: What was said and done.
        task: The task in words.
        recording: Every step of the game.
        files: Further files of its folder, by name.
    """

    game: LevelGameResult
    episode: EpisodeTranscript
    task: str
    recording: Recording = field(repr=False)
    files: Mapping[str, Content] = field(repr=False, default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class PlayedCell:
    """All episodes of one cell of the table.

    Attributes:
        cell: What was played.
        result: The scores, next to the published ones.
        who: Who answered, in words.
        unit: What tokens were counted as.
        finished: One for each seed.
    """

    cell: TeamCell
    result: LevelResult
    who: str
    unit: str
    finished: tuple[FinishedEpisode, ...]

    @property
    def episodes(self) -> list[EpisodeTranscript]:
        """What was said and done in each."""
        return [each.episode for each in self.finished]

    @property
    def agents(self) -> int:
        """Agents at the start of an episode."""
        return self.episodes[0].agents

    def json(self) -> dict[str, Any]:
        """Return scores and costs in plain values; `hive competency` reads it."""
        return {
            **self.result.json(),
            "framework": self.cell.framework,
            "agents": self.agents,
            "speaker": self.who,
            "manner": self.cell.manner(),
            "token_unit": self.unit,
            "costs": [each.costs() for each in self.episodes],
            "per_step": per_step(self.episodes),
        }


def open_folder(out: Path, args: argparse.Namespace, cells: Sequence[TeamCell], speaker: str) -> Path:
    """Find the folder in which an earlier run of the same command saved its progress, or begin one.

    Raises:
        UserError: The folder is no progress folder, belongs to another command, or cannot be read or written.
    """
    identity = {
        "cells": [cell.identity() for cell in cells],
        "speaker": speaker,
        "settings": [args.temperature, args.top_p, args.max_tokens],
        "versions": deciding_versions(),
    }
    folder, _ = open_progress(out, identity, "run of a team", args.restart)
    return folder


def write(out: Path, progress: Path, args: argparse.Namespace, cells: Sequence[PlayedCell]) -> str:
    """Write the folder of finished episodes atomically, and drop their progress.

    Returns:
        A line that says what was written.

    Raises:
        UserError: It cannot be written; the progress stays.
    """
    files: dict[str, Content] = {
        **_config(args, cells),
        "scores.jsonl": "".join(json.dumps(cell.json(), allow_nan=False) + "\n" for cell in cells),
        "scores.csv": csv_text(
            {"framework": cell.cell.name, "agents": cell.agents, **row, **each.costs()}
            for cell in cells
            for row, each in zip(cell.result.rows(), cell.episodes, strict=True)
        ),
        "table.txt": "\n\n".join(tables(cells)) + "\n",
        **_picture(cells),
        EXCHANGES: _exchanges(progress),
    }
    for cell in cells:
        for each in cell.finished:
            files |= {f"{cell.cell.name}/{each.game.seed}/{name}": what for name, what in _folder(cell, each).items()}
    finish_run(out, files, args.overwrite)
    shown = ", ".join(name for name in files if "/" not in name)
    return f"wrote {out}: {shown}, and a folder for each episode, such as {cells[0].cell.name}/{_seed(cells[0])}"


def tables(cells: Sequence[PlayedCell]) -> list[str]:
    """Return readable tables: scores of all seeds, their means next to the published ones, and the costs."""
    costs = columns(costs_table(cells), left=(0,))
    if len(cells) == 1:
        return [cells[0].result.table(), costs]
    level = cells[0].result.level
    head = f"{cells[0].result.name}: best score {level.best:,}, at most {level.limit:,} steps"
    if cells[0].cell.several:
        return [head, columns(sizes_table(cells), left=(0,)), costs]
    seeds = [["seed", *(cell.cell.name for cell in cells)]]
    for at, each in enumerate(cells[0].finished):
        seeds.append([str(each.game.seed), *(f"{cell.finished[at].game.score:,}" for cell in cells)])
    return [head, columns(seeds, left=()), methods_table([cell.result for cell in cells]), costs]


def sizes_table(cells: Sequence[PlayedCell]) -> list[list[str]]:
    """Return rows with the mean score of each framework by number of agents."""
    sizes = sorted({cell.agents for cell in cells})
    means = {(cell.cell.framework, cell.agents): cell.result.mean for cell in cells}
    names = dict.fromkeys(cell.cell.framework for cell in cells)
    rows = [[name, *(f"{means[name, size]:,.2f}" for size in sizes)] for name in names]
    return [["mean score with", *(plural(size, "agent") for size in sizes)], *rows]


def costs_table(cells: Sequence[PlayedCell]) -> list[list[str]]:
    """Return rows of a table: what one step costs on average, with the fewest and most calls by formula."""
    unit = "words" if all(cell.unit == "words" for cell in cells) else "tokens"
    head = ["cost of a step", "steps", "calls", "by formula", f"{unit} in", f"{unit} out", "log lines"]
    rows = [head]
    for cell in cells:
        rates, limits = per_step(cell.episodes), bounds(cell.cell, cell.agents)
        rows.append(
            [
                cell.cell.name,
                str(sum(len(each.steps) for each in cell.episodes)),
                f"{rates['calls'] or 0:,.1f}",
                f"{limits[0]:g} to {limits[1]:g}" if limits else "-",
                *(_shown(rates[which]) for which in ("input_tokens", "output_tokens")),
                str(sum(len(step.log) for each in cell.episodes for step in each.steps)),
            ]
        )
    return rows


def _shown(value: float | None) -> str:
    return "not counted" if value is None else f"{value:,.1f}"


def _picture(cells: Sequence[PlayedCell]) -> dict[str, Content]:
    """Return the picture of costs, if there are several numbers of agents to compare."""
    rows = [row for cell in cells for row in measured(cell)]
    if len({row.agents for row in rows}) < 2:
        return {}
    return {"costs.png": lambda path: save_costs(rows, path, cells[0].unit)}


def measured(cell: PlayedCell) -> list[EpisodeCosts]:
    """Return the costs of each episode for the picture."""
    rates = [(each, per_step([each])) for each in cell.episodes if each.steps]
    return [
        EpisodeCosts(
            framework=cell.cell.framework,
            title=TITLES[cell.cell.framework],
            agents=each.agents,
            calls=rate["calls"] or 0.0,
            sent=rate["input_tokens"],
            received=rate["output_tokens"],
            bounds=bounds(cell.cell, each.agents),
        )
        for each, rate in rates
    ]


def bounds(cell: TeamCell, agents: int) -> tuple[float, float] | None:
    """Return the calls of a step in which no agent is idle, and of one in which all are (docs/rules/teams.md 4.1).

    The second has all planning rounds of HMAS-2; neither has assignments of CAMON's leader.
    """
    if cell.rules is None:
        return None
    framework, rules = find(cell.framework), cell.rules
    replans = (rules.planning_rounds - 1) * (1 + agents) if cell.framework == "hmas2" else 0
    return framework.calls(rules, agents, 0), framework.calls(rules, agents, agents) + replans


def _folder(cell: PlayedCell, each: FinishedEpisode) -> dict[str, Content]:
    """Return the files of one episode."""
    game, episode = each.game, each.episode
    result = {
        "level": cell.result.level.id,
        "framework": cell.cell.framework,
        "method": cell.result.method,
        "speaker": cell.who,
        "manner": cell.cell.manner(),
        "seed": game.seed,
        "score": game.score,
        "max": cell.result.level.best,
        "outcome": game.outcome,
        "ticks": game.ticks,
        "losses": dict(game.losses),
        "token_unit": cell.unit,
        **episode.costs(),
    }
    title = f"{cell.result.level.title}, seed {game.seed}: {cell.result.method}"
    return {
        "result.json": pretty(result),
        "steps.jsonl": "".join(json.dumps(row, allow_nan=False) + "\n" for row in episode.rows()),
        "transcript.md": transcript(episode, title, each.task, cell.who),
        RECORDING: each.recording.save,
        **pictures(each.recording),
        **each.files,
    }


def _exchanges(progress: Path) -> str:
    """Return all exchanges that were saved, for `--replay`."""
    files = sorted(progress.rglob(f"*{EXCHANGES}"))
    return "".join(file.read_text(encoding="utf-8") for file in files)


def _config(args: argparse.Namespace, cells: Sequence[PlayedCell]) -> dict[str, str]:
    return config_file(
        args.line,
        [each.game.seed for each in cells[0].finished],
        level=cells[0].result.name,
        cells=[cell.cell.identity() for cell in cells],
        speakers={cell.cell.name: cell.who for cell in cells},
        settings={"temperature": args.temperature, "top_p": args.top_p, "max_tokens": args.max_tokens},
    )


def _seed(cell: PlayedCell) -> int:
    return cell.finished[0].game.seed
