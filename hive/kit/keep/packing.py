"""Compact arrays of recordings, and the `.npz` files that hold them.

Values that change from frame to frame are stored unit by unit, so that equal values are adjacent for the compressor.
Positions are 16-bit fractions of the map's side, each stored as the difference from the frame before, with its sign in
the lowest bit and its two bytes in two planes. Indices are stored plus one, so that 0 stands for none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar, cast
from zipfile import ZipFile

import numpy as np
from numpy.typing import NDArray

from dsl import UserError
from hive.ground.layers import Layer
from hive.kit.errors import DataError
from hive.kit.keep.archive import Arrays, Npz, largest, seal_archive
from hive.kit.keep.layout import ArrayLayout, Format, check_layout, read_words
from hive.kit.keep.runfolder import whole_file

T = TypeVar("T")

_PARTS = 65535  # steps over the map's side


def write_arrays(arrays: Arrays, path: Path | str) -> None:
    """Write arrays as one `.npz` file, atomically.

    The file is compressed, unless it would then be too small for `Npz` to trust it, as that of a very large game in
    which nothing happens would be.
    """
    with whole_file(path) as part:
        with part.open("wb") as file:
            np.savez_compressed(file, **cast(dict[str, Any], arrays))
        with ZipFile(part) as archive:
            claim = sum(member.file_size for member in archive.infolist())
        if claim > largest(part.stat().st_size):
            _save(arrays, part)
        else:
            seal_archive(part)


def write_npz(arrays: Mapping[str, Any], path: Path | str) -> None:
    """Write arrays as one `.npz` file without compression, atomically, for `read_npz` and `read_learned`."""
    with whole_file(path) as part:
        _save(arrays, part)


def read_arrays(path: Path | str, format: Format, decode: Callable[[Arrays], T]) -> T:
    """Read a recording of a format and return the result of `decode` on its arrays.

    Raises:
        UserError: The file is missing, damaged, or not a recording; `decode` reports this with `DataError`.
    """
    with _opened(path) as npz:
        format.check(npz.heads, npz.array)
        return decode({name: npz.array(name) for name in npz.heads})


def format_of(path: Path | str) -> str:
    """Return the name of a recording's format, which may be unknown.

    Raises:
        UserError: The file is missing, damaged, or not a recording.
    """
    with _opened(path) as npz:
        return str(read_words(npz.heads, npz.array)["format"])


def read_npz(path: Path, layout: ArrayLayout) -> Arrays:
    """Return the arrays of an `.npz` file that is not a recording; they are read-only.

    Raises:
        DataError: The arrays are damaged, or not those of the layout.
        OSError: The file cannot be read.
    """
    with path.open("rb") as file:
        npz = Npz(file)
        check_layout(npz.heads, layout)
        return {name: npz.array(name) for name in layout}


def _save(arrays: Mapping[str, Any], part: Path) -> None:
    with part.open("wb") as file:
        np.savez(file, **arrays)
    seal_archive(part)


@contextmanager
def _opened(path: Path | str) -> Iterator[Npz]:
    try:
        with Path(path).open("rb") as file:
            yield Npz(file)
    except FileNotFoundError:
        raise UserError(f"there is no recording {path}\n  = help: name a recording that a run has kept") from None
    except OSError as error:
        raise UserError(f"cannot read the recording {path}: {error.strerror or error}") from None
    except DataError as error:
        raise UserError(
            f"cannot read the recording {path}: it is damaged or not a recording ({error})\n"
            "  = help: name another recording, or play the game again"
        ) from None


def fold(position: NDArray[np.floating], side: int) -> NDArray[np.uint8]:
    """Return places `[T, N, 2]` on a map of that side as `[2 bytes, 2 axes, N, T]`."""
    parts = np.clip(np.round(position * (_PARTS / side)), 0, _PARTS).astype(np.int32)
    steps = np.diff(parts.transpose(2, 1, 0), axis=2, prepend=0).astype(np.int16)  # [2, N, T], modulo 2^16
    folded = ((steps << 1) ^ (steps >> 15)).astype(np.uint16)
    return np.stack([folded & 255, folded >> 8]).astype(np.uint8)


def unfold(planes: NDArray[np.uint8], side: int) -> NDArray[np.float32]:
    """Return the places `[T, N, 2]` from which `fold` made `planes`."""
    low, high = planes.astype(np.uint16)
    folded = low | high << 8
    steps = (folded >> 1) ^ (-(folded & 1).astype(np.int32)).astype(np.uint16)
    parts = np.cumsum(steps, axis=2, dtype=np.uint16).transpose(2, 1, 0)
    return parts.astype(np.float32) * np.float32(side / _PARTS)


def pack_layer(name: str, layer: Layer, frames: int) -> Arrays:
    """Return the arrays of a map over time.

    These are the map at the start, the number of changed cells in each frame, the distance of each changed cell to the
    one before it in its frame (to 0 for the first), and the new codes.
    """
    first = np.append(True, np.diff(layer.frame) != 0)[: len(layer.frame)]
    step = np.where(first, layer.cell, np.diff(layer.cell, prepend=0))
    return {
        f"{name}_start": layer.start,
        f"{name}_count": np.bincount(layer.frame, minlength=frames).astype(np.uint32),
        f"{name}_step": step.astype(np.uint32),
        f"{name}_code": layer.code,
    }


def layer_layout(name: str) -> ArrayLayout:
    """Return the layout of the arrays of `pack_layer`, for maps of S cells a side and T frames."""
    return {
        f"{name}_start": ("u1", "S S"),
        f"{name}_count": ("u4", "T"),
        f"{name}_step": ("u4", name),
        f"{name}_code": ("u1", name),
    }


def unpack_layer(name: str, arrays: Mapping[str, NDArray[Any]], codes: int) -> Layer:
    """Return the map over time that `pack_layer` packed.

    Args:
        name: The name given to `pack_layer`.
        arrays: The arrays of `layer_layout`, in its shapes and already checked.
        codes: Number of codes, which count from 0.

    Raises:
        DataError: The counts do not add up, a cell lies outside the map, or a code is unknown.
    """
    start, count, step, code = (arrays[f"{name}_{part}"] for part in ("start", "count", "step", "code"))
    ends = np.cumsum(count, dtype=np.int64)
    changes = int(ends[-1]) if len(ends) else 0
    if changes != len(step):
        raise DataError(f'the array "{name}_count" counts {changes:,} changes, but "{name}_step" has {len(step):,}')
    for part, values in (("start", start), ("code", code)):
        if values.size and values.max() >= codes:
            raise DataError(f'the array "{name}_{part}" holds the code {values.max()}, the last is {codes - 1}')
    frame = np.repeat(np.arange(len(count), dtype=np.int32), count)
    total = np.cumsum(step, dtype=np.int64)
    before = np.append(0, total)[ends - count]  # sum of the steps of earlier frames
    cell = total - np.repeat(before, count)
    if (cell >= start.size).any():
        raise DataError(f'the array "{name}_step" leads to a cell outside the map')
    return Layer(start, frame, cell.astype(np.int32), code)


def by_unit(values: NDArray[np.integer], count: int) -> NDArray[Any]:
    """Return values `[T, N]`, from 0 to below `count`, as `[N, T]` in the smallest type that holds them."""
    return np.ascontiguousarray(values.T.astype(smallest(count)))


def smallest(count: int) -> np.dtype[Any]:
    """Return the smallest unsigned type that holds the whole numbers from 0 to below `count`."""
    return np.dtype(np.uint8 if count <= 1 << 8 else np.uint16 if count <= 1 << 16 else np.uint32)


def index(stored: NDArray[Any]) -> NDArray[np.integer]:
    """Return the indices `[T, N]`, from -1 on, of stored ones."""
    return stored.T.astype(np.int32) - 1
