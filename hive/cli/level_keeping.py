"""The run folder of `hive run wildfire/LEVEL`: what was asked, what came of it, every plan, pictures of a game."""

from __future__ import annotations

import argparse
import json
import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from hive.cli.keeping import film
from hive.cli.leveling import Kept
from hive.cli.printing import plural, pretty
from hive.cli.progress import Watch
from hive.cli.replaying import RECORDING
from hive.keep.runfolder import Content, versions, write_run
from hive.plan.text import PlanText
from hive.view import Movie, mp4_available, save_picture
from hive.view.wildfire.front import draw_front
from hive.view.wildfire.movie import save_fire_gif, save_fire_mp4
from hive.view.wildfire.picture import fire_sheet
from hive.wildfire.recording import FireRecording
from hive.wildfire.replay_data import save_fire_recording
from hive.wildfire.result import LevelResult

_PLAN = "plan.plan"


def keep_levels(
    folder: Path, args: argparse.Namespace, text: PlanText | None, played: Sequence[Kept], watch: Watch
) -> list[str]:
    """Write the run folder, whole or not at all: one level lies in it as it is, several in folders of their names.

    Args:
        folder: Where; `args.overwrite` allows to replace what is there.
        args: The command line.
        text: The plan that was played; None: a commander wrote them.
        played: The levels.
        watch: Who is told how far the work is.

    Returns:
        Lines that say what was written.

    Raises:
        UserError: The folder cannot be written.
    """
    movies: list[Movie] = []
    files: dict[str, Content] = {"config.json": pretty(_config(args, played))}
    if text:
        files[_PLAN] = text.text
    if len(played) > 1:
        files["outcome.jsonl"] = "".join(json.dumps(each.result.json()) + "\n" for each in played)
    for each in played:
        inside = f"{each.result.level.id}/" if len(played) > 1 else ""
        own = _files(each.result, each.recording, args.movie, movies, watch)
        files |= {inside + name: content for name, content in own.items()}
    write_run(folder, files, args.overwrite)
    shown = [name for name in files if "/" not in name]
    inside = (
        plural(len(files) - len(shown), "plan") if len(played) == 1 else f"a folder for each of {len(played)} levels"
    )
    lines = [f"wrote {folder}: {', '.join(shown)} and {inside}"]
    for movie in movies:
        level = movie.path.parent.name if len(played) > 1 else ""
        lines.append(f"  {replace(movie, path=folder / level / movie.path.name)}")
    if args.movie and not mp4_available():
        lines.append("  no movie.mp4: it needs the package imageio-ffmpeg, as in pip install 'hive-swarm[movie]'")
    return lines


def _files(
    result: LevelResult, recording: FireRecording | None, movie: bool, movies: list[Movie], watch: Watch
) -> dict[str, Content]:
    assert recording is not None, "what goes into a folder was recorded"
    files: dict[str, Content] = {
        "outcome.json": pretty(result.json()),
        "metrics.jsonl": _metrics(result),
        RECORDING: lambda path: save_fire_recording(recording, path),
        "picture.png": lambda path: save_picture(fire_sheet(recording), path),
    }
    if (recording.caught() >= 0).any():
        files["front.png"] = lambda path: save_picture(draw_front(recording), path)
    if movie:
        makers = {"movie.gif": save_fire_gif} | ({"movie.mp4": save_fire_mp4} if mp4_available() else {})
        files |= {name: film(save, recording, movies, watch) for name, save in makers.items()}
    for game in result.games:
        files |= {f"plans/{game.seed}/{tick}.plan": text for tick, text in game.plans}
    return files


def _metrics(result: LevelResult) -> str:
    """Return a line for each tick of each game, the start included."""
    return "".join(
        json.dumps({"seed": game.seed, "tick": tick, "score": score}) + "\n"
        for game in result.games
        for tick, score in enumerate(game.scores)
    )


def _config(args: argparse.Namespace, played: Sequence[Kept]) -> dict[str, Any]:
    method = played[0].result.method
    again = ["hive", "run", args.scenario]
    again += ["--seeds", str(args.seeds)] if args.seeds else ["--seed", str(played[0].result.games[0].seed)]
    again += ["--plan", _PLAN] if args.plan is not None else ["--commander", args.commander or "scripted"]
    again += ["--method", method] if args.method or args.plan is not None else []
    for name, value in args.rules:
        again += ["--set", f"{name}={value}"]
    return {
        "command": shlex.join(["hive", "run", *args.words]),
        "again": f"in this folder: {shlex.join(again)}",
        "scenario": args.scenario,
        "method": method,
        "seeds": {each.result.level.id: [game.seed for game in each.result.games] for each in played},
        "arguments": {
            "plan": args.plan,
            "commander": args.commander,
            "rules": dict(args.rules),
            "movie": args.movie,
        },
        "versions": versions(),
    }
