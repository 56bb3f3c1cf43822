"""The run folder of `hive run`: what was asked, what came of it, and pictures of the first game."""

from __future__ import annotations

import argparse
import json
import shlex
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import dsl
from hive.assembly import World, plan_text
from hive.cli.progress import Watch
from hive.cli.replaying import RECORDING
from hive.cli.setting import Text
from hive.metrics import Metrics
from hive.recorder import record
from hive.result import Result
from hive.runfolder import Content, versions, write_run
from hive.scenario import Scenario, to_toml
from hive.types import SIDES, Plan
from hive.units.leaves import UNIT_TYPES
from hive.view import Movie, Recording, contact_sheet, mp4_available, save_gif, save_mp4, save_picture
from hive.view.replay_data import save_recording


def keep(
    folder: Path, args: argparse.Namespace, world: World, text: Text, plan: Plan, result: Result, watch: Watch
) -> list[str]:
    """Write the run folder, whole or not at all.

    Args:
        folder: Where; `args.overwrite` allows to replace what is there.
        args: The command line.
        world: What was played on.
        text: The plan as it was read.
        plan: The same as arrays.
        result: The games.
        watch: Who is told how far the work is.

    Returns:
        Lines that say what was written.

    Raises:
        UserError: The folder cannot be written.
    """
    movies: list[Movie] = []
    recording = _record(world, plan, text, result, watch)
    scenario, plans = _own_plans(world.scenario, text)
    files: dict[str, Content] = {
        "config.json": _pretty(_config(args, world, text, result)),
        "outcome.json": _pretty(result.json()),
        "metrics.jsonl": lambda path: _write_metrics(path, result),
        "scenario.toml": to_toml(scenario),
        **plans,
        RECORDING: lambda path: save_recording(recording, path),
        "picture.png": lambda path: save_picture(contact_sheet(recording), path),
    }
    if args.movie:
        makers = {"movie.gif": save_gif} | ({"movie.mp4": save_mp4} if mp4_available() else {})
        files |= {name: _film(save, recording, movies, watch) for name, save in makers.items()}
    write_run(folder, files, args.overwrite)
    lines = [
        f"wrote {folder}: {', '.join(files)}",
        *(f"  {replace(movie, path=folder / movie.path.name)}" for movie in movies),
    ]
    if args.movie and not mp4_available():
        lines.append("  no movie.mp4: it needs the package imageio-ffmpeg, as in pip install 'hive-swarm[movie]'")
    return lines


def _own_plans(scenario: Scenario, text: Text) -> tuple[Scenario, dict[str, Content]]:
    """Return the scenario with both plans as files beside it, and these files."""
    plans: dict[str, Content] = {"plan.plan": text.text}
    enemy = scenario.enemy
    if enemy.plan is not None:
        plans["enemy.plan"] = plan_text(enemy.plan)[0]
        enemy = replace(enemy, plan="enemy.plan")
    return replace(scenario, player=replace(scenario.player, plan="plan.plan"), enemy=enemy), plans


def _config(args: argparse.Namespace, world: World, text: Text, result: Result) -> dict[str, Any]:
    which = f"--seeds {args.seeds}" if args.seeds else f"--seed {result.seed[0]}"
    again = f"hive run scenario.toml {which}{' --lenient' if args.lenient else ''}"
    return {
        "command": shlex.join(["hive", "run", *args.words]),
        "again": f"in this folder: {again}",
        "scenario": world.name,
        "plan": text.name,
        "seeds": [int(seed) for seed in result.seed],
        "units": dict(zip(SIDES, world.sizes, strict=True)),
        "arguments": {
            "scenario": args.scenario,
            "plan": args.plan,
            "units": args.units,
            "rules": dict(args.rules),
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


def _record(world: World, plan: Plan, text: Text, result: Result, watch: Watch) -> Recording:
    seed, limit = int(result.seed[0]), int(result.ticks[0])
    watch.stage(f"playing seed {seed} again for the picture", limit, "tick")
    title = f"{world.scenario.title}: plan {result.plan}, seed {seed}"
    assert isinstance(text.report.root, dsl.Plan), "a plan that was played has a root"
    numbers = [step.id for step in text.report.root.steps]
    return record(world, plan, seed, title=title, numbers=numbers, progress=lambda tick, outcomes: watch.update(tick))


def _film(save: Callable[..., Movie], recording: Recording, movies: list[Movie], watch: Watch) -> Content:
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


def _pretty(value: Any) -> str:
    return json.dumps(value, indent=2, allow_nan=False) + "\n"
