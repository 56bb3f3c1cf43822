"""Reading of `.npz` files that may be damaged or hostile: every size is checked before memory is allocated for it.

An array's header and its entry in the archive both state its length. They must agree with each other, and the sum of
all arrays with the size of the file, before the first value is read. No code from the file is ever run.

The archive's comment, with which the file ends, is a digest of all bytes before it. Older files have no comment; they
are read without this check.
"""

from __future__ import annotations

import hashlib
import io
import math
import struct
import tokenize
import warnings
import zipfile
import zlib
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from hive.kit.errors import DataError

Arrays = dict[str, NDArray[Any]]

KINDS = "biuf"  # kinds of numbers that our files hold, as in `numpy.dtype.kind`
LARGE, RATIO = 1 << 30, 200  # arrays of more than 1 GiB may take at most 200 times the bytes of their file
MOST_ARRAYS = 100
_BLOCK = 1 << 20  # bytes read at once

_UNITS = ("B", "kB", "MB", "GB", "TB", "PB", "EB")
_SEAL = b"sha256:"
_DIGEST = 64  # characters
_NO_COMMENT = b"PK\5\6", b"\0\0"  # beginning and end of the record of 22 bytes that ends an archive without a comment
_HEADER = 10_000  # bytes: NumPy's own limit for a header from an untrusted file
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_BROKEN = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, ValueError, OverflowError,
    NotImplementedError, RuntimeError,
)  # fmt: skip
_UNREADABLE = (ValueError, TypeError, KeyError, IndexError, AttributeError, SyntaxError, tokenize.TokenError,
               RecursionError, MemoryError, OverflowError)  # fmt: skip


class Head(NamedTuple):
    """Contents of an array's header."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    fortran: bool  # whether the first axis varies fastest
    start: int  # bytes before the first value

    @property
    def bytes(self) -> int:
        """Bytes of the values."""
        return math.prod(self.shape) * self.dtype.itemsize


class Npz:
    """The arrays of an `.npz` file; `heads` holds their headers by name.

    Args:
        file: The open file.
        texts: Whether arrays may also hold texts, and their names have parts, as in `weights/bias`.

    Raises:
        DataError: The file is not such an archive, or an array claims more than the file can hold.
    """

    def __init__(self, file: BinaryIO, texts: bool = False) -> None:
        """Read and check all headers of an open file."""
        self._kinds = KINDS + "U" * texts
        self._size = file.seek(0, io.SEEK_END)
        try:
            self._zip = zipfile.ZipFile(file)
        except _BROKEN:
            raise DataError("it is not an archive of arrays") from None
        _check_seal(file, self._size)
        members = self._zip.infolist()
        if len(members) > MOST_ARRAYS:
            raise DataError(f"it holds {len(members):,} arrays, at most {MOST_ARRAYS} are read")
        self._members = {_name(member, texts): member for member in members}
        if len(self._members) < len(members):
            raise DataError("it holds two arrays of one name")
        claim, limit = sum(member.file_size for member in members), largest(self._size)
        if claim > limit:
            raise DataError(
                f"it claims {size_words(claim)} of arrays, but a file of {size_words(self._size)} "
                f"may unpack to at most {size_words(limit)}"
            )
        self.heads = {name: self._head(name) for name in self._members}

    def array(self, name: str) -> NDArray[Any]:
        """Return the values of one array, in the shape that its header states; they cannot be written to.

        Raises:
            DataError: The array is damaged.
        """
        head = self.heads[name]
        data = self._read(name, head.start + head.bytes)
        if len(data) != head.start + head.bytes:
            raise DataError(f'the array "{name}" is damaged: values are missing')
        return np.ndarray(head.shape, head.dtype, data, head.start, order="F" if head.fortran else "C")

    def _head(self, name: str) -> Head:
        member = self._members[name]
        if member.compress_type not in _METHODS:
            raise DataError(f'the array "{name}" is compressed by an unknown method')
        head = _parse(name, self._read(name, npy.MAGIC_LEN + 4 + _HEADER))
        if head.dtype.kind not in self._kinds:
            raise DataError(f'the array "{name}" holds values of type {str(head.dtype)[:40]}, not numbers')
        if any(n < 0 for n in head.shape):
            raise DataError(f'the array "{name}" claims an axis of negative length')
        if head.start + head.bytes != member.file_size:
            raise DataError(
                f'the array "{name}" claims {size_words(head.bytes)}, but its entry has '
                f"{size_words(max(0, member.file_size - head.start))} in a file of {size_words(self._size)}"
            )
        if math.prod(max(n, 1) for n in head.shape) > largest(self._size):
            raise DataError(f'the array "{name}" has no values, but claims an axis of length {max(head.shape):,}')
        return head

    def _read(self, name: str, most: int) -> bytes:
        """Return an entry's first bytes."""
        try:
            with self._zip.open(self._members[name]) as entry:
                return entry.read(most)
        except _BROKEN:
            raise DataError(f'the array "{name}" is damaged') from None


def seal_archive(path: Path) -> None:
    """Give a finished `.npz` file its digest.

    Raises:
        OSError: It cannot be written.
    """
    with zipfile.ZipFile(path, "a") as archive:
        archive.comment = _SEAL + b"0" * _DIGEST
    with path.open("r+b") as file:
        end = file.seek(-_DIGEST, io.SEEK_END)
        digest = _digest(file, end)
        file.seek(end)
        file.write(digest)


def largest(size: int) -> int:
    """Return the most bytes of arrays that are read from a file of `size` bytes."""
    return max(LARGE, RATIO * size)


def size_words(count: int) -> str:
    """Return a readable number of bytes: `512 B`, `1.2 kB`, `4.6 EB`."""
    if count < 1000:
        return f"{count} B"
    power = min((len(str(count)) - 1) // 3, len(_UNITS) - 1)
    return f"{count / 1000**power:,.1f} {_UNITS[power]}"


def _check_seal(file: BinaryIO, size: int) -> None:
    """Check the digest at the end of an archive.

    Args:
        file: The file.
        size: Its bytes.

    Raises:
        DataError: Anything in it was changed.
    """
    file.seek(max(0, size - len(_SEAL) - _DIGEST))
    end = file.read()
    first, last = _NO_COMMENT
    if end[-22:].startswith(first) and end.endswith(last):
        return
    if not end.startswith(_SEAL):
        raise DataError("its end was changed, or something follows it")
    if _digest(file, size - _DIGEST) != end[-_DIGEST:]:
        raise DataError("it was changed since it was written: its digest does not fit")


def _digest(file: BinaryIO, end: int) -> bytes:
    """Return the digest of the first `end` bytes of a file."""
    found = hashlib.sha256()
    file.seek(0)
    while end > 0 and (some := file.read(min(end, _BLOCK))):
        found.update(some)
        end -= len(some)
    return found.hexdigest().encode()


def _name(member: zipfile.ZipInfo, parts: bool) -> str:
    name = member.filename.removesuffix(".npy")
    words = name.split("/") if parts else [name]
    if name == member.filename or not all(word.isidentifier() for word in words) or not name.isascii():
        raise DataError(f"it holds {member.filename[:40]!a}, which is not the name of an array")
    return name


def _parse(name: str, start: bytes) -> Head:
    """Parse the header in the first bytes of an array."""
    file = io.BytesIO(start)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # warnings of NumPy and Python about unusual headers
            version = npy.read_magic(file)
            read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
            if version not in ((1, 0), (2, 0), (3, 0)):
                raise ValueError
            shape, fortran, dtype = read(file, max_header_size=_HEADER)
    except _UNREADABLE:
        raise DataError(f'the header of the array "{name}" cannot be read') from None
    return Head(dtype, tuple(int(n) for n in shape), fortran, file.tell())
