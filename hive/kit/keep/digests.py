"""Digests of whole files: of values that a long command keeps, and of the files that another library writes."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from hive.kit.errors import DataError
from hive.kit.keep.lines import check_seal, read_line, seal
from hive.kit.keep.runfolder import whole_file

DIGESTS = "digests.json"


class MissingFileError(DataError):
    """A file of a folder is not there; `name` is its name inside the folder."""

    def __init__(self, name: str) -> None:
        """Name the file."""
        self.name = name
        super().__init__(f"the file {name} is missing")


def write_value(path: Path, value: Any) -> None:
    """Write a value as a line of JSON with its digest, atomically.

    Args:
        path: The file.
        value: What JSON keeps; numbers are finite.

    Raises:
        UserError: The file cannot be written.
    """
    with whole_file(path) as part:
        part.write_text(seal(json.dumps({"kept": value}, allow_nan=False)) + "\n", encoding="utf-8", newline="\n")


def read_value(path: Path) -> Any:
    """Return what `write_value` wrote.

    Raises:
        DataError: The file was changed, or something else wrote it.
        OSError: It cannot be read.
    """
    line, end, rest = path.read_bytes().partition(b"\n")
    if not end or rest:
        raise DataError("it is not one complete line")
    check_seal(line)
    row = read_line(line)
    if row.keys() != {"kept"}:
        raise DataError("it holds something else")
    return row["kept"]


def write_digests(folder: Path) -> None:
    """Write the digests of all files in a finished folder and its subfolders to a file in it.

    Raises:
        OSError: A file cannot be read.
        UserError: The file cannot be written.
    """
    found = {
        path.relative_to(folder).as_posix(): file_digest(path) for path in sorted(folder.rglob("*")) if path.is_file()
    }
    found.pop(DIGESTS, None)
    write_value(folder / DIGESTS, found)


def check_digests(folder: Path) -> None:
    """Check that no file of a folder was changed or removed.

    A folder without digests is older and passes, but for subfolders with digests of their own, such as checkpoints.

    Raises:
        DataError: One was.
        OSError: A file cannot be read.
    """
    if (folder / DIGESTS).exists():
        _check(folder, "")
    else:
        for inside in sorted(folder.rglob(DIGESTS)):
            _check(inside.parent, f"{inside.parent.relative_to(folder).as_posix()}/")


def _check(folder: Path, prefix: str) -> None:
    """Check the files of a folder with digests; messages have `prefix` before their names."""
    try:
        wanted = read_value(folder / DIGESTS)
        if not isinstance(wanted, dict):
            raise DataError("it holds no names of files")
    except DataError as error:
        raise DataError(f"{prefix}{DIGESTS}: {error}") from None
    for name, digest in wanted.items():
        if not (folder / name).is_file():
            raise MissingFileError(prefix + name)
        if file_digest(folder / name) != digest:
            raise DataError(f"the file {prefix}{name} was changed since it was written: its digest does not fit")


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file.

    Raises:
        OSError: It cannot be read.
    """
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
