"""The run folder of `hive run`: the command, the results, and drawings of the recorded games."""

from __future__ import annotations

import os
import shlex
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any, get_args

import scenarios
from dsl.wording import plural
from hive.cli.command import Command
from hive.cli.help_text import arguments_of, is_positional
from hive.kit.keep.record import games_folder
from hive.kit.keep.runfolder import EXCHANGES, RECORDING, Content, write_run
from hive.kit.planned_world import Run
from hive.kit.reporting import Watch
from hive.kit.view.movie import Movie, mp4_available
from hive.rl.algorithms import split_checkpoint
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
    files = run_files(run, watch, command, filmed if movie else None, extra)
    write_run(folder, files, overwrite)
    shown = [name for name in files if "/" not in name]
    folders = {PurePosixPath(name).parts[0] for name in files if "/" in name}
    counts = [plural(sum(name.startswith(f"{each}/") for name in files), "file") + f" in {each}" for each in folders]
    lines = [f"wrote {folder}: {', '.join([*shown, *sorted(counts)])}"]
    lines += [f"  {replace(each, path=folder / inside / each.path.name)}" for inside, each in filmed]
    if movie and not mp4_available():
        lines.append("  no movie.mp4: it needs the package imageio-ffmpeg, as in pip install 'hive-swarm[movie]'")
    return lines


def run_files(
    run: Run,
    watch: Watch,
    command: str,
    filmed: list[tuple[str, Movie]] | None = None,
    extra: Mapping[str, Content] | None = None,
) -> dict[str, Content]:
    """Return all files of the run folder of a run that was played, by name.

    Args:
        run: The run.
        watch: Receives the progress of the work.
        command: The command line.
        filmed: Receives the movies that are made; None: none are.
        extra: Further files, by name.
    """
    files: dict[str, Content] = {**run.files(), **(extra or {})}
    for inside, recording in run.recordings(watch).items():
        own: dict[str, Content] = {RECORDING: recording.save, **pictures(recording)}
        if filmed is not None:
            own |= {name: film(save, recording, inside, filmed, watch) for name, save in movies(recording).items()}
        files |= {inside + name: content for name, content in own.items()}
    config = run.config()
    arguments = {**config.pop("arguments"), "movie": filmed is not None}
    again = ["run", *config.pop("again")]
    who = config.pop("worlds"), config.pop("players")
    return games_folder(command, again, *who, config.pop("seeds"), files, **config, arguments=arguments)


_ONCE = {"--overwrite", "--restart", "--json", "--movie", "--no-cache"}
_VALUED = {"--out", "--record", "--base-url", "--api-key", "--api-key-env", "--timeout", "--retries", "--concurrent"}
_ELSEWHERE = {"--coordinator", "--processes", "--process", "--coordinator-timeout", "--graphs"}
NEVER_AGAIN = _ONCE | _VALUED | _ELSEWHERE
"""Options that the words of a run folder do not hold: they write, say where a model is asked and with which key, or
join other hosts."""


def again_words(command: str, folder: Path, asked: bool) -> list[str]:
    """Return the words after `hive` that repeat a command inside its run folder.

    Options of output and of the connection are left out, paths are those from inside the folder, and the recording of
    the run answers in place of models.

    Args:
        command: The complete command line, as a shell reads it.
        folder: The run folder.
        asked: Whether models were asked.
    """
    words = shlex.split(command)[1:]
    found: list[str] = []
    while words:
        word = words.pop(0)
        option, joined, value = word.partition("=")
        if option in _VALUED or option == "--replay":
            bare = option == "--replay" and (not words or words[0].startswith("--"))
            value = value if joined or bare else words.pop(0)
        elif option not in _ONCE:
            kind, colon, place = word.partition(":")
            place, which = split_checkpoint(place) if kind == "policy" else (place, None)
            inside = os.path.relpath(place or word, folder) + (f"@{which}" if which else "")
            exists = Path(place or word).exists() and (
                kind == "policy" or word.endswith((".toml", "/")) or found[-1:] == ["--prompts"]
            )
            found.append(f"{kind}{colon}{inside}" if exists and place else inside if exists else word)
    return [*found, *(["--replay", EXCHANGES] if asked else [])]


def words_of(command: str, settings: Any, names: Sequence[str] = (), **inside: Any) -> list[str]:
    """Return the words after `hive` that give a command some of its settings.

    Args:
        command: Its name.
        settings: Its settings.
        names: The fields that are given; those that are empty are left out.
        inside: Values of further fields in place of the settings' own, such as files inside the run folder.
    """
    values = {name: getattr(settings, name) for name in names} | inside
    places: list[str] = []
    options: list[str] = []
    for each in arguments_of(Command("", (), type(settings))):
        value = values.get(each.field_info.name)
        if value is True:
            options.append(each.name)
        elif not (value is None or value is False or value == ()):
            many = isinstance(value, tuple | list) and Ellipsis in get_args(each.hint)
            joined = getattr(each.parameter.converter, "joined", False)
            texts = [_text(one) for one in value] if many and not joined else [_text(value)]
            if is_positional(each):
                places += texts
            else:
                options += [word for text in texts for word in (each.name, text)]
    return [command, *places, *options]


def _text(value: Any) -> str:
    """Return a value as an argument: A,B for several, NAME=VALUE for a name with what it is set to."""
    if not isinstance(value, tuple | list):
        return str(value).removesuffix(".0") if isinstance(value, float) else str(value)
    if len(value) == 2 and isinstance(value[0], str) and not isinstance(value[1], str):
        return f"{value[0]}={_text(value[1])}"
    return ",".join(map(_text, value))


def task_inside(task: str, folder: Path) -> str:
    """Return a task as it is named inside a run folder: only what ends in .toml is a file, all else is a name."""
    return os.path.relpath(task, folder) if task.endswith(".toml") and Path(task).is_file() else task


def plan_inside(plan: str, folder: Path) -> str:
    """Return a plan as it is named inside a run folder: a file, unless a shipped plan has the name."""
    return os.path.relpath(plan, folder) if plan not in scenarios.plans() and Path(plan).is_file() else plan


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
