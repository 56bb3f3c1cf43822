"""Two folders of played games, compared in plain values: what a run kept, and what the same words play again."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from dsl.wording import is_whole
from hive.kit.errors import DataError
from hive.kit.keep.archive import Npz
from hive.kit.keep.digests import DIGESTS
from hive.kit.keep.lines import split_lines
from hive.kit.keep.runfolder import EXCHANGES, folder_name

FREE = frozenset(
    {
        *("seconds", "steps_per_second", "versions", "begun_at_commit"),  # when, where, how fast, by which version
        *("command", "again", "arguments", "file", "run"),  # how it was asked for; what it came to is in `record`
        *("left_out", "dropped"),  # plans that did not take part, and files that were removed
        "advice",  # what to try next, in words; why a game ended is compared
        *("title", "about", "speaker"),  # headings, and who answers in words: a recording, where a model was asked
        "record",  # what `hive.kit.keep.verifying` compares first
    }
)
"""Names of values that may differ when games are played again: in objects, in columns and in words of recordings."""

_SEAL = "digest"
"""Name of the digest of a line, which holds such values."""

DRAWN = frozenset({".png", ".gif", ".mp4", ".webp", ".html", ".svg", ".md"})
"""Endings of files that only show what other files hold, in pictures or to be read."""

_ENDS = {"outcome", "ended"}
"""Fields whose values are words of the rules, which the name of a player never stands in."""

MOST = 1000
"""Differences of two files that are looked for; a file that is another one altogether has no end of them."""

_LINE = "line "  # before the number of a line of a file

_SHOWN = 60  # characters of a value in a sentence


@dataclass(frozen=True, kw_only=True)
class Difference:
    """One value that is not the same.

    Attributes:
        file: Name of the file inside the folder.
        game: The game that it belongs to, such as `seed 3`; empty: it belongs to several.
        field: Where it stands in the file, such as `results[3].score`; empty: the file itself.
        kept: The value in the folder, as JSON has it; None: it is not there.
        again: The value when the games are played again.
    """

    file: str
    game: str
    field: str
    kept: Any
    again: Any

    def __str__(self) -> str:
        """Return a sentence with the place and both values."""
        place = ", ".join(part for part in (self.file, self.game, self.field) if part)
        return f"{place}: {_text(self.kept)} was kept, and {_text(self.again)} comes out"

    def json(self) -> dict[str, Any]:
        """Return the same in plain values; long ones are cut off."""
        return {**vars(self), "kept": _text(self.kept), "again": _text(self.again)}


def differences(
    kept: Path, again: Path, files: set[str], names: Mapping[str, str], dropped: Collection[str] = ()
) -> Iterator[Difference]:
    """Yield the values in which two folders of played games differ, those near the top of the folder first.

    Times, versions, headings (`FREE`) and drawings (`DRAWN`) are left out.

    Args:
        kept: The folder that was kept.
        again: The folder of the same games, played again.
        files: Names of the files that the first folder must hold.
        names: Names of worlds and players where they are called by other names in the second folder, in their order.
        dropped: Names of files that were removed from the first folder.

    Raises:
        OSError: A file cannot be read.
    """
    folders = {folder_name(old): folder_name(new) for old, new in names.items()}
    renamed = {name: "/".join(folders.get(part, part) for part in name.split("/")) for name in files}
    back = {new: old for old, new in renamed.items()}
    played = {path.relative_to(again).as_posix() for path in again.rglob("*") if path.is_file()}
    wanted = {**{back.get(name, name): name for name in played}, **renamed}
    for name in sorted(wanted, key=lambda name: (name.count("/"), name)):
        path = PurePosixPath(name)
        if path.suffix in DRAWN or name == DIGESTS or name in dropped:
            continue
        game = path.parent.as_posix() if path.parent.name else ""
        there = (kept / name).is_file(), (again / wanted[name]).is_file()
        if path.name == EXCHANGES and not there[1]:
            continue  # games of plans that a model wrote are played again without asking it
        if not all(there):
            shown = ["a file" if each else None for each in there]
            yield Difference(file=name, game=game, field="", kept=shown[0], again=shown[1])
            continue
        yield from _of_files(name, game, kept / name, again / wanted[name], names)


def count_games(folder: Path) -> int:
    """Return the number of games of a folder, by the rows of its tables; a table in a subfolder may be a part of it."""
    tables = sorted(path for path in folder.rglob("*.csv") if path.stem in ("outcome", "games"))
    top = [path for path in tables if not any(each.parent in path.parent.parents for each in tables)]
    return sum(len(_csv(path.read_bytes())) for path in top)


def _of_files(name: str, game: str, kept: Path, again: Path, names: Mapping[str, str]) -> Iterator[Difference]:
    read = _exchanges if kept.name == EXCHANGES else _READERS.get(kept.suffix, bytes)
    before = kept.read_bytes()
    if before == (after := again.read_bytes()):
        return
    try:
        value = read(before)
    except DataError as error:
        yield Difference(file=name, game=game, field=f"cannot be read, {error}", kept=None, again="a file")
        return
    found = _differences(value, read(after), "", game, names)
    for _, (place, whose, one, other) in zip(range(MOST), found, strict=False):
        yield Difference(file=name, game=whose, field=place, kept=one, again=other)


Found = Iterator[tuple[str, str, Any, Any]]


def _differences(one: Any, other: Any, place: str, game: str, names: Mapping[str, str]) -> Found:
    """Yield place, game and both values wherever two values differ."""
    if isinstance(one, dict) and isinstance(other, dict):
        game = _game(one, game)
        for key in [*one, *(key for key in other if key not in one)]:
            if key.rpartition(".")[2] in FREE or (key == _SEAL and place.startswith(_LINE)):
                continue
            inside = f"{place}.{key}" if place else key
            if key not in one or key not in other:
                yield inside, game, one.get(key), other.get(key)
            else:
                yield from _differences(one[key], other[key], inside, game, names)
    elif isinstance(one, list) and isinstance(other, list):
        if len(one) != len(other):
            yield f"{place} has another length" if place else "number of lines", game, len(one), len(other)
        for number, pair in enumerate(zip(one, other, strict=False)):
            yield from _differences(*pair, f"{place}[{number}]" if place else f"{_LINE}{number + 1}", game, names)
    elif isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        yield from _of_arrays(one, other, place, game)
    elif not _same(one, other, {} if place.rpartition(".")[2] in _ENDS else names):
        yield place, game, one, other


def _of_arrays(one: np.ndarray, other: np.ndarray, place: str, game: str) -> Found:
    if one.shape != other.shape or one.dtype != other.dtype:
        yield place, game, f"{one.dtype}{list(one.shape)}", f"{other.dtype}{list(other.shape)}"
    elif one.tobytes() != other.tobytes():
        unequal = (one != other) & ~((one != one) & (other != other))  # NaN is the same as NaN
        for where in np.argwhere(unequal)[:MOST].tolist():
            yield f"{place}{where}", game, one[tuple(where)].item(), other[tuple(where)].item()


def _same(one: Any, other: Any, names: Mapping[str, str]) -> bool:
    if isinstance(one, str) and isinstance(other, str) and one != other:
        for old, new in names.items():
            one = one.replace(old, new)
    return isinstance(one, bool) is isinstance(other, bool) and bool(one == other)


def _game(row: Mapping[str, Any], game: str) -> str:
    """Return the game that an object is about, if it has a seed."""
    seed = row.get("seed")
    if not isinstance(seed, int | str) or not is_whole(str(seed)):
        return game
    return f"{game}, seed {seed}" if game else f"seed {seed}"


def _text(value: Any) -> str:
    if value is None:
        return "nothing"
    text = json.dumps(value, default=str)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _json(data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        raise DataError(f"it is no JSON: {error}") from None


def _lines(data: bytes) -> list[Any]:
    return [_json(line) for line in data.split(b"\n") if line.strip()]


def _exchanges(data: bytes) -> list[Any]:
    """Return what was asked and answered in the order of the requests: answers to several at a time come in any."""
    return sorted(_lines(data), key=lambda line: str(line.get("key")) if isinstance(line, dict) else "")


def _csv(data: bytes) -> list[dict[str, str]]:
    try:
        rows = csv.DictReader(io.StringIO(_utf8(data), newline=""))
        return [{str(key): str(value) for key, value in row.items()} for row in rows]
    except csv.Error as error:
        raise DataError(f"it is no table: {error}") from None


def _words(data: bytes) -> list[list[str]]:
    """Return the words of each line: the widths of columns follow from names."""
    return [line.split() for line in split_lines(_utf8(data))]


def _utf8(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DataError(f"it is no text: {error.reason}") from None


def _arrays(data: bytes) -> dict[str, Any]:
    archive = Npz(io.BytesIO(data), texts=True)
    found: dict[str, Any] = {name: archive.array(name) for name in sorted(archive.heads)}
    words = found.pop("words", None)
    return {**({} if words is None else _json(words.tobytes())), **found}


_READERS = {".json": _json, ".jsonl": _lines, ".csv": _csv, ".txt": _words, ".npz": _arrays}
