"""The compact form of a recording: the arrays that both the file `recording.npz` and the page of a replay hold.

Values that change from frame to frame are stored unit by unit, so that equal values are adjacent for the compressor.
Positions are 16-bit fractions of the map's side, each stored as the difference from the frame before, with its sign in
the lowest bit and its two bytes in two planes. Health is stored as its rank among the values that occur, 0 for dead;
indices are stored plus one, so that 0 stands for none. The rest is "words": JSON in bytes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hive.battle.course import Course, CourseGroup, CourseStep
from hive.battle.recording import BattleRecording, FireCode
from hive.keep.archive import Arrays, DataError
from hive.keep.layout import Format, NamedValues, Nullable
from hive.keep.packing import (
    by_unit,
    fold,
    index,
    layer_layout,
    pack_layer,
    read_arrays,
    unfold,
    unpack_layer,
    write_arrays,
)

FORMAT = Format(  # T frames, N units, a map of S metres, P steps
    name=BattleRecording.format,
    arrays={
        "kind": ("u1", "S S"),
        "side": ("u1", "N"),
        "type": ("u1", "N"),
        "max_health": ("f4", "N"),
        "tick": ("i4", "T"),
        "position": ("u1", "2 2 N T"),
        "health": ("u1 u2 u4", "N T"),
        "health_values": ("f4", "values"),
        "attack": ("u1 u2 u4", "N T"),
    },
    parts=(
        {"active": ("u1", "T P"), "group": ("u1 u2 u4", "N T"), "leaf": ("u1 u2 u4", "N T"), "score": ("f4", "T")},
        layer_layout("fire"),
    ),
    words={
        "format": str,
        "title": str,
        "targets": [(float, float, str)],
        "markers": NamedValues((float, float)),
        "course": Nullable(
            {
                "steps": [
                    {"side": int, "number": int, "after": [int], "objective": str, "achieved": int, "plan?": int}
                ],
                "groups": [{"step": int, "units": str, "target": (float, float), "behaviour": str}],
                "leaves": [(str, str)],
                "score_is": str,
                "outcome": str,
            }
        ),
    },
)

_LEAST = np.finfo(np.float16).tiny  # least health stored for a living unit


def save_recording(recording: BattleRecording, path: Path | str) -> None:
    """Write a recording as one `.npz` file without pickled objects, atomically; an existing file is replaced.

    Positions are stored in units of the map's side / 65,535 and health as float16, so a recording from
    `hive.battle.recorder.record` is stored exactly.

    Raises:
        UserError: The file cannot be written.
    """
    write_arrays(encode(recording), path)


def load_recording(path: Path | str) -> BattleRecording:
    """Read a recording that `save_recording` wrote.

    Raises:
        UserError: The file is missing, damaged, or not a recording.
    """
    return read_arrays(path, FORMAT, decode)


def encode(recording: BattleRecording) -> Arrays:
    """Return the arrays of a recording; see the module docstring."""
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
        "format": FORMAT.name,
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


def decode(arrays: Mapping[str, NDArray[Any]]) -> BattleRecording:
    """Return the recording whose arrays these are, in the shapes that `FORMAT` lists.

    Raises:
        DataError: They do not fit together.
    """
    words = FORMAT.check(arrays, arrays.__getitem__)
    return BattleRecording(
        title=words["title"],
        kind=arrays["kind"],
        side=arrays["side"],
        type=arrays["type"],
        tick=arrays["tick"],
        position=unfold(arrays["position"], len(arrays["kind"])),
        health=_health(arrays["health"], arrays["health_values"]),
        max_health=arrays["max_health"],
        attack=index(arrays["attack"]),
        targets=[(float(x), float(y), str(label)) for x, y, label in words["targets"]],
        markers={str(letter): (float(x), float(y)) for letter, (x, y) in words["markers"].items()},
        course=_course(words["course"], arrays),
        fire=unpack_layer("fire", arrays, FireCode.BURNT + 1) if "fire_start" in arrays else None,
    )


def _health(rank: NDArray[np.integer], values: NDArray[np.float32]) -> NDArray[np.float16]:
    """Return the health `[T, N]`, given its ranks among the values that occur."""
    if rank.size and rank.max() >= len(values):
        raise DataError(f'the array "health" refers to value {rank.max():,} of {len(values):,} in "health_values"')
    if not (np.abs(values) <= np.finfo(np.float16).max).all():
        raise DataError('the array "health_values" holds a value that is not finite')
    return values.astype(np.float16)[rank].T


def _course(words: dict[str, Any] | None, arrays: Mapping[str, NDArray[Any]]) -> Course | None:
    if (words is None) != ("active" not in arrays):
        raise DataError("it holds one half of the course of its plans: words without arrays, or arrays without words")
    if words is None:
        return None
    return Course(
        steps=tuple(CourseStep(**step | {"after": tuple(step["after"])}) for step in words["steps"]),
        groups=tuple(CourseGroup(**group | {"target": tuple(group["target"])}) for group in words["groups"]),
        leaves=tuple((behaviour, text) for behaviour, text in words["leaves"]),
        active=arrays["active"].astype(bool),
        group=index(arrays["group"]),
        leaf=index(arrays["leaf"]),
        score=arrays["score"],
        score_is=words["score_is"],
        outcome=words["outcome"],
    )
