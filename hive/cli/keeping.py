"""The run folder of `hive run`: what was asked, what came of it, and pictures of the first game."""

from __future__ import annotations

import argparse
import json
import shlex
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from dsl.vocabulary import SIDES
from hive.batch.result import Result
from hive.battle.recorder import record
from hive.battle.replay_data import save_recording
from hive.battle.world import Battle
from hive.cli.printing import pretty
from hive.cli.progress import Watch
from hive.cli.replaying import RECORDING
from hive.cli.setting import portable
from hive.engine.metrics import Metrics
from hive.keep.runfolder import Content, versions, write_run
from hive.plan.text import PlanText
from hive.types import Plan
from hive.units.leaves import UNIT_TYPES
from hive.view import Movie, Recording, contact_sheet, mp4_available, save_gif, save_mp4, save_picture


def keep(
    folder: Path,
    args: argparse.Namespace,
    world: Battle,
    texts: Sequence[tuple[int, PlanText]],
    plans: Sequence[tuple[int, Plan]],
    result: Result,
    watch: Watch,
) -> list[str]:
    """Write the run folder, whole or not at all.

    Args:
        folder: Where; `args.overwrite` allows to replace what is there.
        args: The command line.
        world: What was played on.
        texts: The plans as they were read, with the ticks from which they hold; the first from 0.
        plans: The same as arrays.
        result: The games.
        watch: Who is told how far the work is.

    Returns:
        Lines that say what was written.

    Raises:
        UserError: The folder cannot be written.
    """
    movies: list[Movie] = []
    recording = _record(world, plans, texts, result, args.every or 1, watch)
    scenario, enemy = portable(world.scenario, _file_of(0))
    files: dict[str, Content] = {
        "config.json": pretty(_config(args, world, texts, result)),
        "outcome.json": pretty(result.json()),
        "metrics.jsonl": lambda path: _write_metrics(path, result),
        "scenario.toml": scenario,
        **{_file_of(tick): text.text for tick, text in texts},
        **enemy,
        RECORDING: lambda path: save_recording(recording, path),
        "picture.png": lambda path: save_picture(contact_sheet(recording), path),
    }
    if args.movie:
        makers = {"movie.gif": save_gif} | ({"movie.mp4": save_mp4} if mp4_available() else {})
        files |= {name: film(save, recording, movies, watch) for name, save in makers.items()}
    write_run(folder, files, args.overwrite)
    lines = [
        f"wrote {folder}: {', '.join(files)}",
        *(f"  {replace(movie, path=folder / movie.path.name)}" for movie in movies),
    ]
    if args.movie and not mp4_available():
        lines.append("  no movie.mp4: it needs the package imageio-ffmpeg, as in pip install 'hive-swarm[movie]'")
    return lines


def _file_of(tick: int) -> str:
    return f"plan-{tick}.plan" if tick else "plan.plan"


def _config(
    args: argparse.Namespace, world: Battle, texts: Sequence[tuple[int, PlanText]], result: Result
) -> dict[str, Any]:
    which = f"--seeds {args.seeds}" if args.seeds else f"--seed {result.seed[0]}"
    swaps = "".join(f" --swap {tick}={_file_of(tick)}" for tick, _ in texts[1:])
    again = f"hive run scenario.toml {which}{swaps}{' --lenient' if args.lenient else ''}"
    return {
        "command": shlex.join(["hive", "run", *args.words]),
        "again": f"in this folder: {again}",
        "scenario": world.name,
        "plan": result.plan,
        "seeds": [int(seed) for seed in result.seed],
        "units": dict(zip(SIDES, world.sizes, strict=True)),
        "arguments": {
            "scenario": args.scenario,
            "plan": args.plan,
            "units": args.units,
            "rules": dict(args.rules),
            "swaps": dict(args.swaps),
            "lenient": args.lenient,
            "movie": args.movie,
        },
        "versions": versions(),
    }


def _write_metrics(path: Path, result: Result) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for seed, metrics in zip(result.seed, result.metrics, strict=True):
            for line in _metrics_lines(int(seed), metrics):
                file.write(json.dumps(line, allow_nan=False) + "\n")


def _metrics_lines(seed: int, metrics: Metrics) -> Iterator[Mapping[str, Any]]:
    """Return what was counted after each tick of a game; only types that took part are named."""
    alive, health = np.asarray(metrics.alive), np.asarray(metrics.health, float)
    score = np.asarray(metrics.score, float)
    present = [[kind for kind in range(len(UNIT_TYPES)) if alive[:, side, kind].any()] for side in range(len(SIDES))]
    for row, tick in enumerate(np.asarray(metrics.tick).tolist()):
        yield {
            "seed": seed,
            "tick": tick,
            "alive": {
                name: {UNIT_TYPES[kind]: int(alive[row, side, kind]) for kind in present[side]}
                for side, name in enumerate(SIDES)
            },
            "health": {name: round(health[row, side], 3) for side, name in enumerate(SIDES)},
            "steps": int(metrics.achieved[row]),
            "score": round(score[row], 6) if np.isfinite(score[row]) else None,
        }


def _record(
    world: Battle,
    plans: Sequence[tuple[int, Plan]],
    texts: Sequence[tuple[int, PlanText]],
    result: Result,
    every: int,
    watch: Watch,
) -> Recording:
    seed, limit = int(result.seed[0]), int(result.ticks[0])
    watch.stage(f"playing seed {seed} again for the picture", limit, "tick")
    title = f"{world.scenario.title}: plan {result.plan}, seed {seed}"
    return record(
        world,
        plans[0][1],
        seed,
        title=title,
        swaps=plans[1:],
        every=every,
        progress=lambda tick, outcomes: watch.update(tick),
    )


def film(save: Callable[..., Movie], recording: object, movies: list[Movie], watch: Watch) -> Content:
    """Return what writes a movie at a path and adds it to `movies`."""

    def write(path: Path) -> None:
        def progress(done: int, total: int) -> None:
            if done == 1:
                watch.stage(f"drawing {path.name}", total, "frame")
            watch.update(done)

        with warnings.catch_warnings():  # of JAX, about the process that encodes: it runs nothing of Python's
            warnings.filterwarnings("ignore", message=r"os\.fork", category=RuntimeWarning)
            movies.append(save(recording, path, progress=progress))

    return write
