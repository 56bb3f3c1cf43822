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
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsl import UserError
from hive.runfolder import whole_file
from hive.view.course import Course, Group, Step
from hive.view.recording import Recording

FORMAT = "hive-recording/1"
Arrays = dict[str, NDArray[Any]]

_PARTS = 65535  # of the map's side
_LEAST = np.finfo(np.float16).tiny  # health that a living unit keeps at least


def save_recording(recording: Recording, path: Path | str) -> None:
    """Write a recording as one `.npz` file without pickled objects, whole or not at all; a file there is replaced.

    Positions are kept to the 65,535th part of the map's side and health as float16, so what `hive.recorder.record`
    returns is kept exactly.

    Raises:
        UserError: The file cannot be written.
    """
    arrays: dict[str, Any] = encode(recording)
    with whole_file(path) as part, part.open("wb") as file:
        np.savez_compressed(file, **arrays)


def load_recording(path: Path | str) -> Recording:
    """Read a recording that `save_recording` wrote.

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
    parts = np.clip(np.round(recording.position * (_PARTS / recording.metres)), 0, _PARTS).astype(np.int32)
    steps = np.diff(parts.transpose(2, 1, 0), axis=2, prepend=0).astype(np.int16)  # [2, N, T], modulo 2^16
    folded = ((steps << 1) ^ (steps >> 15)).astype(np.uint16)
    health = np.asarray(recording.health, np.float16)
    health = np.where(recording.health > 0, np.maximum(health, _LEAST), np.float16(0))
    values, rank = np.unique(np.append(health, np.float16(0)), return_inverse=True)
    arrays: Arrays = {
        "kind": recording.kind,
        "side": recording.side.astype(np.uint8),
        "type": recording.type.astype(np.uint8),
        "max_health": recording.max_health.astype(np.float32),
        "tick": recording.tick.astype(np.int32),
        "position": np.stack([folded & 255, folded >> 8]).astype(np.uint8),
        "health": _by_unit(rank[:-1].reshape(health.shape), len(values)),
        "health_values": values.astype(np.float32),
        "attack": _by_unit(recording.attack + 1, recording.units + 1),
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
            "group": _by_unit(course.group + 1, len(course.groups) + 1),
            "leaf": _by_unit(course.leaf + 1, len(course.leaves) + 1),
            "score": course.score.astype(np.float32),
        }
        words["course"] = {
            "steps": [asdict(step) for step in course.steps],
            "groups": [asdict(group) for group in course.groups],
            "leaves": course.leaves,
            "score_is": course.score_is,
            "outcome": course.outcome,
        }
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
    low, high = arrays["position"].astype(np.uint16)
    folded = low | high << 8
    steps = (folded >> 1) ^ (-(folded & 1).astype(np.int32)).astype(np.uint16)
    parts = np.cumsum(steps, axis=2, dtype=np.uint16).transpose(2, 1, 0)
    metres = len(arrays["kind"])
    return Recording(
        title=words["title"],
        kind=arrays["kind"],
        side=arrays["side"],
        type=arrays["type"],
        tick=arrays["tick"],
        position=parts.astype(np.float32) * np.float32(metres / _PARTS),
        health=arrays["health_values"][arrays["health"]].T.astype(np.float16),
        max_health=arrays["max_health"],
        attack=_index(arrays["attack"]),
        targets=[(float(x), float(y), str(label)) for x, y, label in words["targets"]],
        markers={str(letter): (float(x), float(y)) for letter, (x, y) in words["markers"].items()},
        course=_course(words["course"], arrays),
    )


def _course(words: dict[str, Any] | None, arrays: Mapping[str, NDArray[Any]]) -> Course | None:
    if words is None:
        return None
    return Course(
        steps=tuple(Step(**step | {"after": tuple(step["after"])}) for step in words["steps"]),
        groups=tuple(Group(**group | {"target": tuple(group["target"])}) for group in words["groups"]),
        leaves=tuple((behaviour, text) for behaviour, text in words["leaves"]),
        active=arrays["active"].astype(bool),
        group=_index(arrays["group"]),
        leaf=_index(arrays["leaf"]),
        score=arrays["score"],
        score_is=words["score_is"],
        outcome=words["outcome"],
    )


def _by_unit(values: NDArray[np.integer], count: int) -> NDArray[Any]:
    """Return values from 0 to below `count`, [T, N], as [N, T] in as few bytes as they need."""
    kind = np.uint8 if count <= 1 << 8 else np.uint16 if count <= 1 << 16 else np.uint32
    return np.ascontiguousarray(values.T.astype(kind))


def _index(stored: NDArray[Any]) -> NDArray[np.integer]:
    """Return indices from -1, [T, N], of stored ones."""
    return stored.T.astype(np.int32) - 1
