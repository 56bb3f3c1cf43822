"""The run folder of `hive run`: the command, the results, and drawings of the recorded games."""

from __future__ import annotations

import shlex
import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath

from dsl.wording import plural
from hive.kit.contract import Run, Watch
from hive.kit.keep.config import config_file
from hive.kit.keep.runfolder import RECORDING, Content, write_run
from hive.kit.view.movie import Movie, mp4_available
from hive.worlds.kept import movies, pictures


def keep(
    folder: Path,
    run: Run,
    watch: Watch,
    command: str,
    *,
    movie: bool = False,
    overwrite: bool = False,
    extra: Mapping[str, Content] | None = None,
) -> list[str]:
    """Write the run folder atomically.

    Args:
        folder: The folder to write.
        run: The run that was played.
        watch: Receives the progress of the work.
        command: The command line.
        movie: Whether movies are made.
        overwrite: Whether an existing folder is replaced.
        extra: Further files, by name.

    Returns:
        Lines for the user that list what was written.

    Raises:
        UserError: The folder cannot be written.
    """
    filmed: list[tuple[str, Movie]] = []
    recordings = run.recordings(watch)
    files: dict[str, Content] = {**_config(command, movie, run), **run.files(), **(extra or {})}
    for inside, recording in recordings.items():
        own: dict[str, Content] = {RECORDING: recording.save, **pictures(recording)}
        if movie:
            own |= {name: film(save, recording, inside, filmed, watch) for name, save in movies(recording).items()}
        files |= {inside + name: content for name, content in own.items()}
    write_run(folder, files, overwrite)
    shown = [name for name in files if "/" not in name]
    folders = {PurePosixPath(name).parts[0] for name in files if "/" in name}
    counts = [plural(sum(name.startswith(f"{each}/") for name in files), "file") + f" in {each}" for each in folders]
    lines = [f"wrote {folder}: {', '.join([*shown, *sorted(counts)])}"]
    lines += [f"  {replace(each, path=folder / inside / each.path.name)}" for inside, each in filmed]
    if movie and not mp4_available():
        lines.append("  no movie.mp4: it needs the package imageio-ffmpeg, as in pip install 'hive-swarm[movie]'")
    return lines


def _config(command: str, movie: bool, run: Run) -> dict[str, str]:
    config = run.config()
    arguments = {**config.pop("arguments"), "movie": movie}
    again = f"in this folder: {shlex.join(['hive', 'run', *config.pop('again')])}"
    return config_file(command, config.pop("seeds"), again=again, **config, arguments=arguments)


def films(movie: bool, watch: Watch) -> Callable[[Callable[..., Movie], object, str], Content] | None:
    """Return what makes the movies of a run of players, see `hive.players.running.Film`; None if none are wanted."""
    return (lambda save, recording, inside: film(save, recording, inside, [], watch)) if movie else None


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
