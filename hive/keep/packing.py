"""Arrays of recordings in few bytes, and the `.npz` files that hold them.

What changes from frame to frame is kept unit by unit, so that equal values lie side by side for the compressor.
Positions are parts of the map's side in 16 bits, each the difference from the frame before, with its sign in the lowest
bit and its two bytes in two planes. Indices are one more than the index, 0 being none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from dsl import UserError
from hive.keep.archive import Arrays, DataError, Npz
from hive.keep.layout import Format, Layout, check_layout, read_words
from hive.keep.runfolder import whole_file
from hive.world.layers import Layer

T = TypeVar("T")

_PARTS = 65535  # of the map's side


def write_arrays(arrays: Arrays, path: Path | str) -> None:
    """Write arrays as one `.npz` file, whole or not at all."""
    with whole_file(path) as part, part.open("wb") as file:
        np.savez_compressed(file, **cast(dict[str, Any], arrays))


def read_arrays(path: Path | str, format: Format, decode: Callable[[Arrays], T]) -> T:
    """Return what `decode` makes of the arrays of a recording that is of that format.

    Raises:
        UserError: The file is missing, damaged, or no recording; `decode` says so by `DataError`.
    """
    with _opened(path) as npz:
        format.check(npz.heads, npz.array)
        return decode({name: npz.array(name) for name in npz.heads})


def format_of(path: Path | str) -> str:
    """Return the name of a recording's format, which may be unknown.

    Raises:
        UserError: The file is missing, damaged, or no recording.
    """
    with _opened(path) as npz:
        return str(read_words(npz.heads, npz.array)["format"])


def read_npz(path: Path, layout: Layout) -> Arrays:
    """Return the arrays of an `.npz` file that is no recording; they cannot be written to.

    Raises:
        DataError: They are damaged, or not those of the layout.
        OSError: The file cannot be read.
    """
    with path.open("rb") as file:
        npz = Npz(file)
        check_layout(npz.heads, layout)
        return {name: npz.array(name) for name in layout}


@contextmanager
def _opened(path: Path | str) -> Iterator[Npz]:
    try:
        with Path(path).open("rb") as file:
            yield Npz(file)
    except FileNotFoundError:
        raise UserError(f"there is no recording {path}") from None
    except OSError as error:
        raise UserError(f"cannot read the recording {path}: {error.strerror or error}") from None
    except DataError as error:
        raise UserError(f"cannot read the recording {path}: it is damaged or no recording ({error})") from None


def fold(position: NDArray[np.floating], side: int) -> NDArray[np.uint8]:
    """Return places on a map of that side, [T, N, 2], as [2 bytes, 2 axes, N, T]."""
    parts = np.clip(np.round(position * (_PARTS / side)), 0, _PARTS).astype(np.int32)
    steps = np.diff(parts.transpose(2, 1, 0), axis=2, prepend=0).astype(np.int16)  # [2, N, T], modulo 2^16
    folded = ((steps << 1) ^ (steps >> 15)).astype(np.uint16)
    return np.stack([folded & 255, folded >> 8]).astype(np.uint8)


def unfold(planes: NDArray[np.uint8], side: int) -> NDArray[np.float32]:
    """Return the places, [T, N, 2], that `fold` folded."""
    low, high = planes.astype(np.uint16)
    folded = low | high << 8
    steps = (folded >> 1) ^ (-(folded & 1).astype(np.int32)).astype(np.uint16)
    parts = np.cumsum(steps, axis=2, dtype=np.uint16).transpose(2, 1, 0)
    return parts.astype(np.float32) * np.float32(side / _PARTS)


def pack_layer(name: str, layer: Layer, frames: int) -> Arrays:
    """Return the arrays of a map over time.

    How many cells change in each frame, the distance of each to the one before it in its frame (to 0 for the first),
    and their new codes.
    """
    first = np.append(True, np.diff(layer.frame) != 0)[: len(layer.frame)]
    step = np.where(first, layer.cell, np.diff(layer.cell, prepend=0))
    return {
        f"{name}_start": layer.start,
        f"{name}_count": np.bincount(layer.frame, minlength=frames).astype(np.uint32),
        f"{name}_step": step.astype(np.uint32),
        f"{name}_code": layer.code,
    }


def layer_layout(name: str) -> Layout:
    """Return the layout of what `pack_layer` packs, for maps of S cells a side and T frames."""
    return {
        f"{name}_start": ("u1", "S S"),
        f"{name}_count": ("u4", "T"),
        f"{name}_step": ("u4", name),
        f"{name}_code": ("u1", name),
    }


def unpack_layer(name: str, arrays: Mapping[str, NDArray[Any]], codes: int) -> Layer:
    """Return the map over time that `pack_layer` packed.

    Args:
        name: As it was packed.
        arrays: Those of `layer_layout`, checked by it.
        codes: How many codes there are, from 0.

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
    before = np.append(0, total)[ends - count]  # all that was counted in earlier frames
    cell = total - np.repeat(before, count)
    if (cell >= start.size).any():
        raise DataError(f'the array "{name}_step" leads to a cell outside the map')
    return Layer(start, frame, cell.astype(np.int32), code)


def by_unit(values: NDArray[np.integer], count: int) -> NDArray[Any]:
    """Return values from 0 to below `count`, [T, N], as [N, T] in as few bytes as they need."""
    kind = np.uint8 if count <= 1 << 8 else np.uint16 if count <= 1 << 16 else np.uint32
    return np.ascontiguousarray(values.T.astype(kind))


def index(stored: NDArray[Any]) -> NDArray[np.integer]:
    """Return indices from -1, [T, N], of stored ones."""
    return stored.T.astype(np.int32) - 1
