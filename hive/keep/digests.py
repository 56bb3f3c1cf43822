"""Digests of all files of a folder that another library writes, so that a change in any of them is noticed."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from hive.keep.archive import DataError
from hive.keep.lines import check_seal, read_line, seal
from hive.keep.runfolder import whole_file

DIGESTS = "digests.json"


def write_digests(folder: Path) -> None:
    """Write the digests of all files in a finished folder and its subfolders to a file in it.

    Raises:
        OSError: A file cannot be read.
        UserError: The file cannot be written.
    """
    found = {path.relative_to(folder).as_posix(): _digest(path) for path in sorted(folder.rglob("*")) if path.is_file()}
    found.pop(DIGESTS, None)
    with whole_file(folder / DIGESTS) as part:
        part.write_text(seal(json.dumps({"files": found})) + "\n", encoding="utf-8", newline="\n")


def check_digests(folder: Path) -> None:
    """Check that no file of a folder was changed or removed; a folder without digests is older and passes.

    Raises:
        DataError: One was.
        OSError: A file cannot be read.
    """
    if not (folder / DIGESTS).exists():
        return
    text = (folder / DIGESTS).read_bytes()
    try:
        if not text.endswith(b"\n"):
            raise DataError("its end was changed")
        check_seal(text[:-1])
        wanted = read_line(text[:-1]).get("files")
    except DataError as error:
        raise DataError(f"{DIGESTS}: {error}") from None
    for name, digest in wanted.items() if isinstance(wanted, dict) else ():
        if not (folder / name).is_file():
            raise DataError(f"the file {name} is missing")
        if _digest(folder / name) != digest:
            raise DataError(f"the file {name} was changed since it was written: its digest does not fit")


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
