"""The games that a run folder keeps, by the names of their folders; and what a folder without games is."""

from __future__ import annotations

import json
import os
import re
import shlex
from itertools import islice
from pathlib import Path

from dsl import UserError
from dsl.wording import did_you_mean, is_whole, nearest
from hive.kit.keep.runfolder import MARK, RECORDING

HERE = "."
"""Name of the game that a run folder keeps in itself, and not in a folder of its own."""

_DEEPEST = 4  # folders between a run folder and its games
_MOST = 100_000  # folders that are looked at
_LISTED = 10
_ADVICE = {  # what to do with the folders of commands that keep no games
    "train": "`hive evaluate {folder} --replay` plays a game of its policies and makes the page",
    "sweep": "`hive run` with the plan and the seed of a row plays that game and keeps it with --out",
}


def games_in(folder: Path) -> dict[str, Path]:
    """Return the recordings of a run folder by the names of their games, in order.

    Every command keeps a game as `recording.npz` in a folder whose path below the run folder is its name, such as
    `boiled_egg/0`; a run of one game may keep it in the run folder itself, under the name `.`.
    """
    found: dict[str, Path] = {}
    for path, folders, files in islice(os.walk(folder), _MOST):
        inside = Path(path).relative_to(folder)
        folders[:] = [each for each in folders if not each.startswith(".") and len(inside.parts) < _DEEPEST]
        if RECORDING in files:
            found[inside.as_posix()] = Path(path) / RECORDING
    return dict(sorted(found.items(), key=lambda each: _order(each[0])))


def find_game(folder: Path, name: str | None = None) -> tuple[str, Path, list[str]]:
    """Return a kept game of a run folder.

    Args:
        folder: The run folder, or the recording itself.
        name: Name of the game, or the end of it where no other game's name ends in the same way; None: the first.

    Returns:
        The game's name, its recording, and the names of all games.

    Raises:
        UserError: There is no such folder or game, or the folder keeps no games.
    """
    if folder.is_file():
        return HERE, folder, [HERE]
    if not folder.exists():
        raise UserError(f"there is no folder {folder}{near_folder(folder)}")
    games = games_in(folder)
    if not games:
        raise UserError(_without_games(folder))
    names = list(games)
    if name is None:
        return names[0], games[names[0]], names
    wanted = name.strip("/") or HERE
    fitting = [wanted] if wanted in games else [each for each in names if each.endswith(f"/{wanted}")]
    if len(fitting) != 1:
        said = "several games" if fitting else "no game"
        near = None if fitting else did_you_mean(nearest(wanted, names))
        advice = near or f"its games are {list_names(fitting or names)}"
        raise UserError(f"{folder} keeps {said} called `{name}`\n  = help: {advice}")
    return fitting[0], games[fitting[0]], names


def list_names(names: list[str]) -> str:
    """Return the names of games in a line; of many, the first ones and the number of the others."""
    if len(names) <= _LISTED:
        return ", ".join(names)
    return f"{', '.join(names[:_LISTED])} and {len(names) - _LISTED:,} more"


def _without_games(folder: Path) -> str:
    """Return what a folder that keeps no game is, and what to do."""
    if folder.name.endswith(".progress"):
        return (
            f"{folder} holds the progress of a run that has not finished\n"
            "  = help: the command that began it resumes it, and keeps its games at the end"
        )
    try:
        config = json.loads((folder / MARK).read_text(encoding="utf-8"))
        words = shlex.split(config["command"])
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        words = []
    if len(words) > 1 and words[0] == "hive":
        advice = _ADVICE.get(words[1], "`hive run --out DIR` plays a game and keeps it")
        quoted = shlex.quote(str(folder))
        return f"`hive {words[1]}` wrote {folder}, which keeps no game\n  = help: {advice.format(folder=quoted)}"
    return (
        f"{folder} is not a run folder with a game: neither it nor a folder in it holds {RECORDING}\n"
        "  = help: make one with `hive run --out DIR`"
    )


def near_folder(folder: Path) -> str:
    """Return a hint where a missing folder may be, as the last line of a message."""
    try:
        others = sorted(each.name for each in folder.parent.iterdir() if each.is_dir() and each.name[:1] != ".")
    except OSError:
        others = []
    near = nearest(folder.name, others)
    if near:
        return f"\n  = help: did you mean {folder.parent / near}?"
    return "\n  = help: name a folder that a command wrote, such as that of `hive run --out DIR`"


def _order(name: str) -> tuple[tuple[int, int, str], ...]:
    """Return a key that sorts numbers in names by their value, and a run's own game first."""
    parts = re.findall(r"[0-9]+|[^0-9]+", "" if name == HERE else name)
    return tuple((1, int(part), "") if is_whole(part) else (0, 0, part) for part in parts)
