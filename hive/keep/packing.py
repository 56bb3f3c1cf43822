"""Arrays of recordings in few bytes, and the `.npz` files that hold them.

What changes from frame to frame is kept unit by unit, so that equal values lie side by side for the compressor.
Positions are parts of the map's side in 16 bits, each the difference from the frame before, with its sign in the lowest
bit and its two bytes in two planes. Indices are one more than the index, 0 being none.
"""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from dsl import UserError
from hive.keep.runfolder import whole_file
from hive.world.layers import Layer

Arrays = dict[str, NDArray[Any]]
T = TypeVar("T")

_PARTS = 65535  # of the map's side


def write_arrays(arrays: Arrays, path: Path | str) -> None:
    """Write arrays as one `.npz` file, whole or not at all."""
    with whole_file(path) as part, part.open("wb") as file:
        np.savez_compressed(file, **cast(dict[str, Any], arrays))


def read_arrays(path: Path | str, decode: Callable[[Mapping[str, NDArray[Any]]], T]) -> T:
    """Return what `decode` makes of the arrays of a file; its errors mean that the file is none of ours.

    Raises:
        UserError: The file is missing, damaged, or no recording.
    """
    path = Path(path)
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
            return decode({name: stored[name] for name in stored.files})
    except FileNotFoundError:
        raise UserError(f"there is no recording {path}") from None
    except (OSError, EOFError, zipfile.BadZipFile, zlib.error, KeyError, IndexError, TypeError, ValueError,
            AttributeError) as error:  # fmt: skip
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise UserError(f"cannot read the recording {path}: it is damaged or no recording ({reason})") from None


def format_of(path: Path | str) -> str:
    """Return the format that a recording's file names.

    Raises:
        UserError: The file is missing, damaged, or no recording.
    """
    return read_arrays(path, lambda arrays: str(json.loads(arrays["words"].tobytes())["format"]))


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


def unpack_layer(name: str, arrays: Mapping[str, NDArray[Any]], side: int) -> Layer:
    """Return the map over time that `pack_layer` packed.

    Raises:
        ValueError: A cell lies outside the map.
    """
    start, count, step = (arrays[f"{name}_{part}"] for part in ("start", "count", "step"))
    frame = np.repeat(np.arange(len(count)), count)
    whole = np.cumsum(step, dtype=np.int64)
    before = np.append(0, whole)[np.cumsum(count) - count]  # all that was counted in earlier frames
    cell = whole - np.repeat(before, count)
    if start.shape != (side, side) or (cell >= side * side).any():
        raise ValueError(f"the cells of {name} do not lie on the map")
    return Layer(start, frame.astype(np.int32), cell.astype(np.int32), arrays[f"{name}_code"])


def by_unit(values: NDArray[np.integer], count: int) -> NDArray[Any]:
    """Return values from 0 to below `count`, [T, N], as [N, T] in as few bytes as they need."""
    kind = np.uint8 if count <= 1 << 8 else np.uint16 if count <= 1 << 16 else np.uint32
    return np.ascontiguousarray(values.T.astype(kind))


def index(stored: NDArray[Any]) -> NDArray[np.integer]:
    """Return indices from -1, [T, N], of stored ones."""
    return stored.T.astype(np.int32) - 1
