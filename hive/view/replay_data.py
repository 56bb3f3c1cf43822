"""A recording in few bytes: the arrays that both the file `recording.npz` and the page of a replay hold.

What changes from frame to frame is kept unit by unit, so that equal values lie side by side for the compressor.
Positions are parts of the map's side in 16 bits, each the difference from the frame before, with its sign in the lowest
bit and its two bytes in two planes. Health is its rank among the values that occur, 0 being dead; indices are one more
than the index, 0 being none. The rest is words: JSON in bytes.
"""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from dsl import UserError
from hive.runfolder import whole_file
from hive.view.course import Course, Group, Step
from hive.view.recording import Recording
from hive.world.layers import Layer

FORMAT = "hive-recording/1"
Arrays = dict[str, NDArray[Any]]
T = TypeVar("T")

_PARTS = 65535  # of the map's side
_LEAST = np.finfo(np.float16).tiny  # health that a living unit keeps at least


def save_recording(recording: Recording, path: Path | str) -> None:
    """Write a recording as one `.npz` file without pickled objects, whole or not at all; a file there is replaced.

    Positions are kept to the 65,535th part of the map's side and health as float16, so what `hive.recorder.record`
    returns is kept exactly.

    Raises:
        UserError: The file cannot be written.
    """
    write_arrays(encode(recording), path)


def write_arrays(arrays: Arrays, path: Path | str) -> None:
    """Write arrays as one `.npz` file, whole or not at all."""
    with whole_file(path) as part, part.open("wb") as file:
        np.savez_compressed(file, **cast(dict[str, Any], arrays))


def load_recording(path: Path | str) -> Recording:
    """Read a recording that `save_recording` wrote.

    Raises:
        UserError: The file is missing, damaged, or no recording.
    """
    return read_arrays(path, decode)


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


def encode(recording: Recording) -> Arrays:
    """Return the arrays of a recording; see the heading of this module."""
    health = np.asarray(recording.health, np.float16)
    health = np.where(recording.health > 0, np.maximum(health, _LEAST), np.float16(0))
    values, rank = np.unique(np.append(health, np.float16(0)), return_inverse=True)
    arrays: Arrays = {
        "kind": recording.kind,
        "side": recording.side.astype(np.uint8),
        "type": recording.type.astype(np.uint8),
        "max_health": recording.max_health.astype(np.float32),
        "tick": recording.tick.astype(np.int32),
        "position": fold(recording.position, recording.metres),
        "health": by_unit(rank[:-1].reshape(health.shape), len(values)),
        "health_values": values.astype(np.float32),
        "attack": by_unit(recording.attack + 1, recording.units + 1),
    }
    words: dict[str, Any] = {
        "format": FORMAT,
        "title": recording.title,
        "targets": [list(target) for target in recording.targets],
        "markers": {letter: list(place) for letter, place in recording.markers.items()},
        "course": None,
    }
    course = recording.course
    if course is not None:
        arrays |= {
            "active": course.active.astype(np.uint8),
            "group": by_unit(course.group + 1, len(course.groups) + 1),
            "leaf": by_unit(course.leaf + 1, len(course.leaves) + 1),
            "score": course.score.astype(np.float32),
        }
        words["course"] = {
            "steps": [asdict(step) for step in course.steps],
            "groups": [asdict(group) for group in course.groups],
            "leaves": course.leaves,
            "score_is": course.score_is,
            "outcome": course.outcome,
        }
    if recording.fire is not None:
        arrays |= pack_layer("fire", recording.fire, recording.frames)
    text = json.dumps(words, ensure_ascii=False, allow_nan=False).encode()
    return arrays | {"words": np.frombuffer(text, np.uint8)}


def decode(arrays: Mapping[str, NDArray[Any]]) -> Recording:
    """Return the recording whose arrays these are.

    Raises:
        ValueError: They do not fit together (or `KeyError`, `IndexError`, `TypeError` where something is missing).
    """
    words = json.loads(arrays["words"].tobytes())
    if words["format"] != FORMAT:
        raise ValueError(f"its format is {words['format']!r}, known is {FORMAT!r}")
    return Recording(
        title=words["title"],
        kind=arrays["kind"],
        side=arrays["side"],
        type=arrays["type"],
        tick=arrays["tick"],
        position=unfold(arrays["position"], len(arrays["kind"])),
        health=arrays["health_values"][arrays["health"]].T.astype(np.float16),
        max_health=arrays["max_health"],
        attack=index(arrays["attack"]),
        targets=[(float(x), float(y), str(label)) for x, y, label in words["targets"]],
        markers={str(letter): (float(x), float(y)) for letter, (x, y) in words["markers"].items()},
        course=_course(words["course"], arrays),
        fire=unpack_layer("fire", arrays, len(arrays["kind"])) if "fire_start" in arrays else None,
    )


def _course(words: dict[str, Any] | None, arrays: Mapping[str, NDArray[Any]]) -> Course | None:
    if words is None:
        return None
    return Course(
        steps=tuple(Step(**step | {"after": tuple(step["after"])}) for step in words["steps"]),
        groups=tuple(Group(**group | {"target": tuple(group["target"])}) for group in words["groups"]),
        leaves=tuple((behaviour, text) for behaviour, text in words["leaves"]),
        active=arrays["active"].astype(bool),
        group=index(arrays["group"]),
        leaf=index(arrays["leaf"]),
        score=arrays["score"],
        score_is=words["score_is"],
        outcome=words["outcome"],
    )


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
