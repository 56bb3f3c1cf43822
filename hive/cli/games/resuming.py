"""What `hive sweep` saves: finished chunks while it runs, and its folder at the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hive.cli.options import Folder
from hive.cli.progress_folder import Parts, open_progress
from hive.engine.batch.job import Ends, Job
from hive.engine.batch.sweep import Sweep
from hive.experiments.plots.sweep import save_sweep
from hive.kit.keep.csv_text import csv_text
from hive.kit.keep.json_text import json_lines, pretty
from hive.kit.keep.packing import read_npz, write_npz
from hive.kit.keep.record import games_folder, plan_players
from hive.kit.keep.runfolder import Content
from hive.kit.plan_text import PlanText
from hive.worlds.battle.running import portable
from hive.worlds.battle.world import Battle

_CHUNK = {
    "outcome": ("i u", "B"),
    "ticks": ("i", "B"),
    "score": ("f", "B"),
    "survivors": ("i", "B 2 K"),
    "achieved": ("i", "B P"),
    "way": ("i", "B 2 2"),
    "seconds": ("f", "B"),
}


@dataclass
class SweepProgress:
    """The finished chunks of a sweep, in a folder next to the place of its results.

    Attributes:
        chunks: The chunks.
        commit: That of the run which began the sweep; None where unknown.
        world: Name and version of the battle.
        scenario: The scenario as a file without a plan for the player, and the enemy's plan as a second file.
    """

    chunks: Parts[Ends]
    commit: str | None
    world: str
    scenario: Mapping[str, str]


def resume(out: Path, world: Battle, job: Job, texts: Sequence[PlanText], restart: bool) -> SweepProgress:
    """Find the chunks that an earlier run of the same sweep finished, or begin a progress folder.

    A sweep that was begun at another commit is resumed with a warning, since few commits change a game.

    Args:
        out: Where the results will go; the chunks are in a folder of that name with `.progress`.
        world: The battle that is played.
        job: The games.
        texts: All plans.
        restart: Whether to drop the progress that there is.

    Returns:
        What is saved so far.

    Raises:
        UserError: The folder is no progress folder, belongs to another sweep, or cannot be read or written.
    """
    scenario, enemy = portable(world.scenario, None)
    files = {"scenario.toml": scenario, **enemy}
    folder, begun = open_progress(out, _identity(files, job, texts), "sweep", restart)
    chunks = Parts(folder, "chunk-{}.npz", _read, _write)
    return SweepProgress(chunks, begun, world.id, files)


def keep(
    kept: SweepProgress,
    out: Path,
    settings: Folder,
    again: Sequence[str],
    facts: Mapping[str, Any],
    job: Job,
    texts: Sequence[PlanText],
    sweep: Sweep,
) -> None:
    """Write the folder of a finished sweep atomically, and drop its progress.

    Args:
        kept: Its progress.
        out: The folder.
        settings: Of the command.
        again: The words after `hive` that play the games again inside the folder.
        facts: What `config.json` holds besides.
        job: The games.
        texts: All plans.
        sweep: The results.

    Raises:
        UserError: It cannot be written; the progress stays.
    """
    cells = sweep.json()["cells"]
    files: dict[str, Content] = {
        "table.txt": sweep.table() + "\n",
        "cells.json": pretty(cells),
        "cells.csv": csv_text(cells),
        "sweep.png": lambda path: save_sweep(cells, job.world.name, path),
        "results.jsonl": json_lines(sweep.games()),
        "results.csv": csv_text(sweep.games()),
        **kept.scenario,
        **{f"plans/{text.name}.plan": text.text for text in texts},
    }
    plans = {text.name: text.text for text in texts}
    worlds = {kept.world: dict(kept.scenario)}
    files = games_folder(settings.line, again, worlds, plan_players(plans), range(len(job.seeds)), files, **facts)
    settings.save_folder(out, files, ", and the plans", finish=True)


def _read(path: Path) -> Ends:
    arrays: dict[str, Any] = dict(read_npz(path, _CHUNK))
    return Ends(**arrays)


def _write(path: Path, ends: Ends) -> None:
    write_npz(ends.arrays(), path)


def _identity(scenario: Mapping[str, str], job: Job, texts: Sequence[PlanText]) -> dict[str, Any]:
    """Return what decides the games and their chunks, to be compared key by key."""
    return {
        "scenario": scenario,
        "plans": {text.name: text.text for text in texts},
        **({"written_for": [*texts[0].written_for]} if texts[0].written_for else {}),
        "played": list(job.names),
        "seeds": len(job.seeds),
        "rules": [dict(row) for row in job.rules],
        "chunk": int(job.chunks[0].size),
    }
