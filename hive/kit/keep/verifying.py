"""Whether the games of a kept folder come out again: its digests, then the same games once more, value by value.

A result is a folder that `hive.kit.keep.record.games_folder` made. It is equal, different, or cannot be checked; the
last two have a reason, and a difference a place. Who plays the games again is an argument, since words are read by the
command line.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import Any

from dsl import UserError
from hive.kit.errors import DataError
from hive.kit.keep.comparing import Difference, count_games, differences
from hive.kit.keep.digests import DIGESTS, MissingFileError, check_digests, file_digest, read_value
from hive.kit.keep.games import near_folder
from hive.kit.keep.record import FORM, again_of, may_drop, read_record
from hive.kit.keep.runfolder import EXCHANGES, MARK
from hive.kit.keep.versions import split_version

Play = Callable[[Sequence[str], Path, Path], None]
"""Plays the words after `hive` in a folder (the second argument) and keeps the games in a new one (the third)."""

_DEEPEST = 4  # folders between a folder and the results in it, or between a file and its result
_MOST_FOLDERS = 100_000  # that are looked at


class State(StrEnum):
    """What is known of a result."""

    EQUAL = "equal"
    DIFFERENT = "different"
    UNCHECKABLE = "not checkable"


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What verification found out about one result.

    Attributes:
        folder: The folder of the result.
        state: Whether its games come out again.
        why: The reason in a sentence, with a line of help; empty for an equal result.
        where: The first value that differs, if the games were played again.
        more: Number of further differences, at most `hive.kit.keep.comparing.MOST` in each file.
        games: Number of games that were played again.
        config: Its `config.json`; empty if it cannot be read.
        digest: SHA-256 of its `digests.json`, which holds the digests of all its files; empty without one.
    """

    folder: Path
    state: State
    why: str = ""
    where: Difference | None = None
    more: int = 0
    games: int = 0
    config: Mapping[str, Any] = field(default_factory=dict, repr=False)
    digest: str = ""

    def json(self) -> dict[str, Any]:
        """Return the same in plain values: what was played, by whom, with which seeds and versions."""
        record, versions = self.config.get("record", {}), self.config.get("versions", {})
        return {
            "folder": str(self.folder),
            "state": self.state.value,
            "why": self.why or None,
            "where": self.where.json() if self.where else None,
            "more_differences": self.more,
            "games": self.games,
            "worlds": record.get("worlds", {}),
            "players": record.get("players", []),
            "seeds": self.config.get("seeds", []),
            "digest": self.digest or None,
            "played_with": {name: versions.get(name) for name in ("hive-swarm", "commit", "dirty")},
        }


def find_results(path: Path) -> list[Path]:
    """Return the folders of results at a path: itself, the one that a file belongs to, or all those below it.

    Raises:
        UserError: There is no such folder or file, or no result at it.
    """
    if path.is_file():
        for folder in islice(path.absolute().parents, _DEEPEST):
            if (folder / MARK).is_file():
                return [Path(os.path.relpath(folder))]
        raise UserError(
            f"{path} belongs to no result: no folder above it holds {MARK}\n"
            "  = help: name a file in a folder that `hive run --out DIR` wrote"
        )
    if not path.exists():
        raise UserError(f"there is no folder {path}{near_folder(path)}")
    found: list[Path] = []
    for place, folders, files in islice(os.walk(path), _MOST_FOLDERS):
        deep = len(Path(place).relative_to(path).parts) < _DEEPEST
        unfinished = place.endswith(".progress")
        of_games = "games" in folders and DIGESTS not in files  # as of an arena, whose games have folders of their own
        if MARK in files and not unfinished and not of_games:
            found.append(Path(place))
        inside = deep and (MARK not in files or of_games) and not unfinished
        folders[:] = sorted(each for each in folders if inside and not each.startswith("."))
    if not found:
        raise UserError(
            f"{path} holds no result: neither it nor a folder in it holds {MARK}\n"
            "  = help: `hive run --out DIR` keeps its games in such a folder"
        )
    return found


def verify(folder: Path, play: Play) -> Verdict:
    """Verify one result.

    Args:
        folder: A folder with `config.json`.
        play: Plays the games again. An error of the user or of data that it raises means that they cannot be checked.

    Raises:
        OSError: A file of the folder cannot be read.
    """
    found: dict[str, Any] = {"folder": folder, "digest": _digest(folder / DIGESTS)}

    def uncheckable(why: str, help: str) -> Verdict:
        return Verdict(**found, state=State.UNCHECKABLE, why=f"{why}\n  = help: {help}")

    try:
        check_digests(folder)
    except DataError as error:
        if isinstance(error, MissingFileError) and error.name == EXCHANGES:
            return uncheckable(f"the replies of the language model, {EXCHANGES}, are not in the folder", _REPLIES)
        return Verdict(**found, state=State.DIFFERENT, why=f"{error}\n  = help: {_CHANGED}")
    try:
        config = read_record(folder)
        if config is None:
            return uncheckable(f"{MARK} holds no record of its games", _OLDER)
        found["config"] = config
        words = again_of(config)
    except DataError as error:
        return uncheckable(str(error), f"this version of HIVE reads records of form {FORM}")
    if words is None:
        return uncheckable("a person played, whose moves no command repeats", "watch the game with `hive replay`")
    with tempfile.TemporaryDirectory() as place:
        again = Path(place) / "again"
        try:
            play(words, folder, again)
            played = read_record(again)
        except (UserError, DataError) as error:
            return Verdict(**found, state=State.UNCHECKABLE, why=str(error))
        assert played is not None, "every command that plays games again records them"
        changed = _another(config["record"], played["record"])
        if changed:
            return uncheckable(*changed)
        found["games"] = played.get("games") or count_games(again)
        files = {MARK, *read_value(folder / DIGESTS)}
        names, dropped = _names(config["record"], played["record"]), _dropped(folder, config)
        differ = [*differences(folder, again, files | dropped, names, dropped)]
    if not differ:
        return Verdict(**found, state=State.EQUAL)
    return Verdict(**found, state=State.DIFFERENT, why=str(differ[0]), where=differ[0], more=len(differ) - 1)


def _another(kept: Mapping[str, Any], again: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return in which way other worlds or players would play today than those that played, and what to do."""
    for (name, digest), (today, now) in zip(kept["worlds"].items(), again["worlds"].items(), strict=False):
        if len({split_version(name)[1], split_version(today)[1]} - {None}) > 1:
            return f"{name} was played, and this version of HIVE has {today}, whose results are others", _OTHER_WORLD
        if digest != now:
            what = f"the world {name} is another one today, its version has changed"
            return f"{what}: its digest was {str(digest)[:12]}… and is {now[:12]}…", _OTHER_WORLD
    for player, plays in zip(kept["players"], again["players"], strict=False):
        if any(player[each] != plays[each] for each in ("plays", "identity")):
            what = f"the {player['plays']} {player['name']} is not the one that played"
            return f"{what}: its identity was {_short(player['identity'])} and is {_short(plays['identity'])}", _OTHER
    for what in ("worlds", "players"):
        if len(kept[what]) != len(again[what]):
            return f"{len(kept[what])} {what} are recorded, and {len(again[what])} play today", _OTHER
    return None


def _names(kept: Mapping[str, Any], again: Mapping[str, Any]) -> dict[str, str]:
    """Return the names of worlds and players that are called by other names when the games are played again."""
    worlds = zip(kept["worlds"], again["worlds"], strict=True)
    pairs = [(split_version(old)[0], split_version(new)[0]) for old, new in worlds]
    pairs += [(old["name"], new["name"]) for old, new in zip(kept["players"], again["players"], strict=True)]
    return {old: new for old, new in pairs if old != new}


def _dropped(folder: Path, config: Mapping[str, Any]) -> set[str]:
    """Return the files that a thin folder does without; what it says of results, or of files that it holds, is void."""
    listed = config.get("dropped")
    names = [name for name in listed if isinstance(name, str)] if isinstance(listed, list) else []
    return {name for name in names if may_drop(name) and not (folder / name).exists()}


def _digest(file: Path) -> str:
    return file_digest(file) if file.is_file() else ""


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 24 else f"{text[:12]}…"


_CHANGED = f"the games cannot be those that were kept; {DIGESTS} says how every file was when it was written"
_OLDER = "a version of HIVE before records wrote it, or a command that keeps no record; play and keep the games again"
_REPLIES = "a game of a language model is played again from its replies alone; put the file back"
_OTHER_WORLD = "verify it with the version of HIVE that played it, or play and keep the games again"
_OTHER = "put the plan, policy or file that played back in its place, or play and keep the games again"
