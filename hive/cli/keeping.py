"""The run folder of `hive run`: the command, the results, and drawings of the recorded games."""

from __future__ import annotations

import argparse
import shlex
import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath

from dsl.wording import plural
from hive.contract import Run, Watch
from hive.keep.config import config_file
from hive.keep.runfolder import RECORDING, Content, write_run
from hive.view.kept import movies, pictures
from hive.view.movie import Movie, mp4_available


def keep(
    folder: Path,
    args: argparse.Namespace,
    run: Run,
    watch: Watch,
    extra: Mapping[str, Content] | None = None,
) -> list[str]:
    """Write the run folder atomically.

    Args:
        folder: The folder to write; an existing one is replaced only with `args.overwrite`.
        args: The command line.
        run: The run that was played.
        watch: Receives the progress of the work.
        extra: Further files, by name.

    Returns:
        Lines for the user that list what was written.

    Raises:
        UserError: The folder cannot be written.
    """
    filmed: list[tuple[str, Movie]] = []
    recordings = run.recordings(watch)
    files: dict[str, Content] = {**_config(args, run), **run.files(), **(extra or {})}
    for inside, recording in recordings.items():
        own: dict[str, Content] = {RECORDING: recording.save, **pictures(recording)}
        if args.movie:
            own |= {name: film(save, recording, inside, filmed, watch) for name, save in movies(recording).items()}
        files |= {inside + name: content for name, content in own.items()}
    write_run(folder, files, args.overwrite)
    shown = [name for name in files if "/" not in name]
    folders = {PurePosixPath(name).parts[0] for name in files if "/" in name}
    counts = [plural(sum(name.startswith(f"{each}/") for name in files), "file") + f" in {each}" for each in folders]
    lines = [f"wrote {folder}: {', '.join([*shown, *sorted(counts)])}"]
    lines += [f"  {replace(movie, path=folder / inside / movie.path.name)}" for inside, movie in filmed]
    if args.movie and not mp4_available():
        lines.append("  no movie.mp4: it needs the package imageio-ffmpeg, as in pip install 'hive-swarm[movie]'")
    return lines


def _config(args: argparse.Namespace, run: Run) -> dict[str, str]:
    config = run.config()
    arguments = {**config.pop("arguments"), "movie": args.movie}
    again = f"in this folder: {shlex.join(['hive', 'run', *config.pop('again')])}"
    return config_file(args.line, config.pop("seeds"), again=again, **config, arguments=arguments)


def film(
    save: Callable[..., Movie], recording: object, inside: str, filmed: list[tuple[str, Movie]], watch: Watch
) -> Content:
    """Return a function that writes a movie at a path and adds it to `filmed`."""

    def write(path: Path) -> None:
        def progress(done: int, total: int) -> None:
            if done == 1:
                watch.stage(f"drawing {path.name}", total, "frame")
            watch.update(done)

        with warnings.catch_warnings():  # JAX warns of the process that encodes, which runs nothing of Python's
            warnings.filterwarnings("ignore", message=r"os\.fork", category=RuntimeWarning)
            filmed.append((inside, save(recording, path, progress=progress)))

    return write
