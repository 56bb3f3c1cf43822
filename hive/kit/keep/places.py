"""Where a written file goes: what stands at its path is found out first, and stays what it is.

A symbolic link stays a link, and the file that it leads to is replaced. A file keeps its permissions, its owner and its
other names (hard links). A device or a pipe is written to. A folder and a socket are refused.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from dsl import UserError

PRIVATE = 0o600
"""Permissions of files that hold what was said to a model, when they are made."""

_OPENED = re.compile(r"/dev/(?:(?P<name>stdout|stderr)|fd/(?P<fd>[0-9]{1,4}))|/proc/self/fd/(?P<own>[0-9]{1,4})")
_STANDARD = {"stdout": 1, "stderr": 2}
_OF_DISKS = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO, errno.EMFILE, errno.ENFILE}
_CIRCLE = "Symlink loop from "
_MOST_OF_A_DEVICE = 16_000_000
_MOST_MISSING = 100
_LONGEST_SHOWN = 120  # characters of a path in a message


@dataclass(frozen=True)
class Destination:
    """What stands at a path that is to be written.

    Attributes:
        path: The path; for a file it is the file itself, behind all links.
        found: Its status; None: nothing is there yet.
        stream: Whether it is a device, a pipe or an open file of this process, which is written to and not replaced.
    """

    path: Path
    found: os.stat_result | None
    stream: bool


def find_place(path: Path | str) -> Destination:
    """Return what stands at a path.

    Raises:
        UserError: It is a folder or a socket, its folder is missing, or it cannot be looked at.
    """
    try:
        found = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        found = None
    except OSError as error:
        raise UserError(f"cannot write {path}: {reason(error)}") from error
    if found is not None:
        if stat.S_ISDIR(found.st_mode):
            raise UserError(f"cannot write {path}: it is a folder\n  = help: name a file")
        if stat.S_ISSOCK(found.st_mode):
            raise UserError(f"cannot write {path}: it is a socket\n  = help: name a file")
        if not stat.S_ISREG(found.st_mode) or _OPENED.fullmatch(os.path.abspath(path)):
            return Destination(Path(path), found, stream=True)
    target = Path(os.path.realpath(path))
    if not target.parent.is_dir():
        folder = target.parent if os.path.islink(path) else Path(path).parent
        raise UserError(f"cannot write {path}: there is no folder {folder}\n  = help: make the folder first")
    return Destination(target, found, stream=False)


def make_folder(path: Path) -> None:
    """Make a folder and those above it that are missing, which may be few.

    Raises:
        OSError: It cannot be made, or too many are missing.
    """
    missing: list[Path] = []
    while not path.exists():
        missing.append(path)
        path = path.parent
        if len(missing) > _MOST_MISSING:
            raise OSError(errno.ENAMETOOLONG, f"more than {_MOST_MISSING} folders would have to be made", str(path))
    for folder in reversed(missing):
        folder.mkdir(exist_ok=True)
    if not path.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path))


def read_bytes(path: Path | str) -> bytes:
    """Return the content of a file; of a device, which may never end, at most some megabytes.

    Raises:
        OSError: It cannot be read, or it is a device with more content.
    """
    with open(path, "rb") as file:
        if not stat.S_ISCHR(os.fstat(file.fileno()).st_mode):
            return file.read()
        data = file.read(_MOST_OF_A_DEVICE + 1)
    if len(data) > _MOST_OF_A_DEVICE:
        raise OSError(errno.EFBIG, "it is a device that does not end", os.fspath(path))
    return data


def read_text(path: Path | str, errors: str = "strict") -> str:
    """Return the content of a file of text in UTF-8, with line feeds for all line breaks; see `read_bytes`.

    Args:
        path: The file.
        errors: What happens to bytes that are not UTF-8, as in `bytes.decode`.

    Raises:
        OSError: As for `read_bytes`.
        UnicodeDecodeError: It is not UTF-8.
    """
    return read_bytes(path).decode(errors=errors).replace("\r\n", "\n").replace("\r", "\n")


def user_text(path: Path | str, errors: str = "strict") -> str:
    """Return the content of a file of text that a user names; see `read_text`.

    Raises:
        UserError: It cannot be read, or it is not UTF-8.
    """
    try:
        return read_text(path, errors)
    except OSError as error:
        raise UserError(f"cannot read {path}: {because(error)}") from None
    except UnicodeDecodeError as error:
        raise UserError(f"{path} is not UTF-8 text\n  = help: {remedy(error)}") from None


def settle(part: Path, place: Destination, private: bool = False) -> None:
    """Bring a finished file to its place; a file there is replaced atomically, unless it has several names.

    Args:
        part: The finished file, in the folder of its place unless that is a stream. It may be moved away.
        place: Where it goes.
        private: Whether only its owner may read it, if it is new.

    Raises:
        OSError: It cannot be written.
    """
    if place.stream:
        with part.open("rb") as source, os.fdopen(open_stream(place.path), "wb") as sink:
            shutil.copyfileobj(source, sink)
    elif place.found is None:
        part.chmod(PRIVATE if private else 0o666 & ~umask())
        part.replace(place.path)
    elif place.found.st_nlink > 1:
        _overwrite(place.path, part.read_bytes())
    else:
        if hasattr(os, "chown"):
            with suppress(PermissionError):
                os.chown(part, place.found.st_uid, place.found.st_gid)
        part.chmod(stat.S_IMODE(place.found.st_mode) & 0o777)
        part.replace(place.path)


def open_stream(path: Path) -> int:
    """Open a device, a pipe or an open file of this process for writing; a pipe waits for its reader.

    Returns:
        Its descriptor.

    Raises:
        OSError: It cannot be opened.
    """
    own = _OPENED.fullmatch(os.path.abspath(path))
    if not own:
        return os.open(path, os.O_WRONLY)
    sys.stdout.flush()
    number = own["fd"] or own["own"]
    return os.dup(int(number) if number else _STANDARD[own["name"]])


def append(file: int, data: bytes) -> None:
    """Add to the end of an open file; if that fails, the file is cut back to what it was.

    Args:
        file: Its descriptor, opened for appending.
        data: What is added.

    Raises:
        OSError: It cannot be written.
    """
    status = os.fstat(file)
    try:
        while data:
            data = data[os.write(file, data) :]
    except OSError:
        if stat.S_ISREG(status.st_mode):
            os.ftruncate(file, status.st_size)
        raise


def umask() -> int:
    """Return the permissions that new files of this process do not get."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


@contextmanager
def refuse_paths() -> Iterator[None]:
    """Turn what the operating system says about a path into one sentence, wherever a command meets that path.

    These are names that are too long, circles of links, folders without permission, full disks and the like. Whatever
    has more to say about a path of its own says so first.

    Raises:
        UserError: An error about a path was raised in the block.
    """
    try:
        yield
    except OSError as error:
        if error.filename is None and error.errno not in _OF_DISKS:
            raise
        path = "" if error.filename is None else os.fsdecode(error.filename)
        raise UserError(f"cannot use {_short(path)}: {reason(error)}" if path else reason(error)) from error
    except RuntimeError as error:
        if not str(error).startswith(_CIRCLE):  # Python up to 3.12 has no class of its own for it
            raise
        path = str(error).removeprefix(_CIRCLE).strip("'\" ")
        raise UserError(f"cannot use {_short(path)}: {os.strerror(errno.ELOOP).lower()}") from error


def _short(path: str) -> str:
    return path if len(path) <= _LONGEST_SHOWN else f"{path[: _LONGEST_SHOWN // 2]}…{path[-_LONGEST_SHOWN // 4 :]}"


def reason(error: OSError | UnicodeDecodeError) -> str:
    """Return what went wrong with a file, as one line for messages."""
    if isinstance(error, UnicodeDecodeError):
        return "it is not UTF-8 text"
    return error.strerror.lower() if error.strerror else str(error).strip().partition("\n")[0]


def because(error: OSError | UnicodeDecodeError) -> str:
    """Return `reason`, and on a line of its own the `remedy`."""
    return f"{reason(error)}\n  = help: {remedy(error)}"


def remedy(error: OSError | UnicodeDecodeError) -> str:
    """Return what to do about a file that cannot be read."""
    if isinstance(error, UnicodeDecodeError):
        return "save it as text in UTF-8, or name another file"
    if isinstance(error, FileNotFoundError):
        return "look at the name; it begins at the current folder unless it begins with `/`"
    return "name a file in it" if isinstance(error, IsADirectoryError) else "name a file that can be read"


def _overwrite(path: Path, new: bytes) -> None:
    """Write a file that has several names, all of which keep it; if that fails, it gets its old content back."""
    with path.open("r+b") as file:
        old = file.read()
        try:
            _fill(file, new)
        except OSError:
            _fill(file, old)
            raise


def _fill(file: BinaryIO, content: bytes) -> None:
    file.seek(0)
    file.write(content)
    file.truncate()
    file.flush()
    os.fsync(file.fileno())
