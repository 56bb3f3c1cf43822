"""Files of JSON lines that grow, with a digest in each line: journals, sessions, recordings of exchanges.

A line ends with a line feed and with nothing else: texts may hold other signs at which Unicode breaks lines. A sealed
line is a JSON object whose last field is a digest of all bytes before it. Where the order of lines matters, the digest
also covers that of the line before, so that no line can be changed, left out or moved unnoticed.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dsl import UserError
from hive.kit.errors import DataError
from hive.kit.keep.places import because, reason

_SEAL = re.compile(rb', "digest": "([0-9a-f]{16})"\}')
_SEAL_BYTES = len(', "digest": ""}') + 16


def split_lines(text: str) -> list[str]:
    """Return the lines of a text, which end with a line feed; the last one may do without."""
    lines = text.split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def seal(line: str, before: str = "") -> str:
    """Return a line with its digest.

    Args:
        line: A JSON object with at least one field, as `json.dumps` writes it.
        before: The digest of the line before, where the order of lines matters.
    """
    return f'{line[:-1]}, "digest": "{_digest(line[:-1].encode(), before)}"}}'


def check_seal(line: bytes, before: str = "") -> str:
    """Return the digest of a sealed line.

    Args:
        line: The line without its end.
        before: As in `seal`.

    Raises:
        DataError: The line has no digest, or another one.
    """
    found = _SEAL.fullmatch(line[-_SEAL_BYTES:])
    if not found:
        raise DataError("it has no digest at its end")
    digest = found[1].decode()
    if _digest(line[:-_SEAL_BYTES], before) != digest:
        raise DataError("it was changed: its digest does not fit")
    return digest


def read_line(line: bytes) -> dict[str, Any]:
    """Return the object in a line; the digest is left out and not checked.

    Raises:
        DataError: It is no JSON object.
    """
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        raise DataError("it is no JSON") from None
    if not isinstance(row, dict):
        raise DataError("it is no JSON object")
    if _SEAL.fullmatch(line[-_SEAL_BYTES:]):
        row.pop("digest", None)
    return row


def split_torn(data: bytes, first: tuple[bytes, ...], start: bytes = b'{"') -> tuple[list[bytes], bytes]:
    """Return the complete lines of a file without their ends, and the beginning of a line that a crash cut off.

    Args:
        data: Content of the file.
        first: How the first line may begin. A file without a complete line is of this kind only if it begins so.
        start: How the line that was cut off must begin, as far as it goes.

    Raises:
        DataError: What follows the last end of a line is no beginning of a line, so that it may not be removed.
    """
    *lines, torn = data.split(b"\n")
    if torn and not (torn.startswith(first) or (lines and (torn.startswith(start) or start.startswith(torn)))):
        raise DataError("what follows its last complete line is no beginning of a line")
    try:
        end = json.JSONDecoder().raw_decode(text := torn.decode(errors="replace"))[1]
    except (ValueError, RecursionError):
        return lines, torn
    if text[end:].strip(" \t\r"):
        raise DataError("its last line does not end where its JSON ends")
    return lines, torn


class LineChain:
    """The lines of a growing file one after another, in the order in which they are written or read.

    Attributes:
        size: Bytes of the lines so far, with their ends.
    """

    def __init__(self) -> None:
        """Begin before the first line."""
        self._last, self.size = "", 0

    def write(self, line: str) -> str:
        """Return the next line as it is written, without its end.

        Args:
            line: A JSON object with at least one field, as `json.dumps` writes it.
        """
        whole = seal(line, self._last)
        self._last = whole[-18:-2]
        self.size += len(whole.encode()) + 1
        return whole

    def read(self, line: bytes) -> dict[str, Any]:
        """Return the object in the next line, without its digest.

        Raises:
            DataError: It is no JSON object, or its digest does not fit.
        """
        row = read_line(line)
        self._last = check_seal(line, self._last)
        self.size += len(line) + 1
        return row

    def copy(self) -> LineChain:
        """Return a chain that stands at the same line."""
        other = LineChain()
        other._last, other.size = self._last, self.size
        return other


class LineFile:
    """A file of lines that grows: what was added is on the disk, and what a crash cut off is removed by the next line.

    Attributes:
        path: The file, which need not exist.
        chain: Its complete lines.
    """

    def __init__(self, path: Path) -> None:
        """Begin before the first line; nothing is read or written yet."""
        self.path, self.chain = path, LineChain()
        self._good = 0  # bytes of complete lines

    @property
    def begun(self) -> bool:
        """Whether there is a complete line."""
        return self._good > 0

    def add(self, *lines: str) -> None:
        """Append lines, JSON objects as `json.dumps` writes them; when this returns they are on the disk.

        Raises:
            UserError: The file cannot be written.
        """
        chain = self.chain.copy()
        data = "".join(chain.write(line) + "\n" for line in lines).encode()
        try:
            with self.path.open("ab") as file:
                file.truncate(self._good)
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise UserError(f"cannot write {self.path}: {reason(error)}") from None
        self._good += len(data)
        self.chain = chain

    def load(self, most: int, hint: str) -> bytes:
        """Return the bytes of the file.

        Args:
            most: The most bytes that it may have.
            hint: What helps where it has more.

        Raises:
            UserError: It cannot be read, or has more.
        """
        try:
            if self.path.stat().st_size > most:
                raise UserError(f"{self.path} is larger than a journal may be, {most:,} bytes\n  = help: {hint}")
            return self.path.read_bytes()
        except OSError as error:
            raise UserError(f"cannot read {self.path}: {because(error)}") from None

    def keep(self, lines: Sequence[bytes]) -> None:
        """Take these complete lines of the file for what it holds; `chain` begins before the first, to read them."""
        self.chain = LineChain()
        self._good = sum(len(line) + 1 for line in lines)


def _digest(body: bytes, before: str) -> str:
    return hashlib.blake2b(before.encode() + body, digest_size=8).hexdigest()
