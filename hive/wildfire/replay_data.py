"""The compact form of a fire recording: the arrays that both the file `recording.npz` and a replay page hold.

Places are packed as in battles (`replay_data`), other numbers unit by unit, and plus one where -1 occurs. A map is its
start and the cells that change: the number of them in each frame, the distance of each to the one before it in its
frame (to 0 for the first), and the new codes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hive.crews.explored import SYMBOLS
from hive.keep.archive import Arrays
from hive.keep.layout import Format, Nullable
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
from hive.wildfire.recording import LOSSES, FireRecording
from hive.wildfire.task_text import TaskPlaces

_CELL = (int, int)

FORMAT = Format(  # T frames, N units, V civilians, a map of S cells a side
    name=FireRecording.format,
    arrays={
        "land": ("u1", "S S"),
        "building": ("u1", "S S"),
        "kind": ("u1", "N"),
        "tick": ("i4", "T"),
        "position": ("u1", "2 2 N T"),
        "alive": ("u1", "N T"),
        "water": ("u1", "N T"),
        "aboard": ("u1 u2 u4", "N T"),
        "code": ("u1", "N T"),
        "place": ("u1 u2 u4", "2 N T"),
        "tree": ("u1 u2 u4", "N T"),
        "target": ("u1 u2 u4", "2 N T"),
        "civilian": ("u1 u2 u4", "2 V T"),
        "living": ("u1", "V T"),
        "bearer": ("u1 u2 u4", "V T"),
        **layer_layout("ground"),
        **layer_layout("seen"),
        "score": ("i4", "T"),
        "losses": ("i4", f"T {len(LOSSES)}"),
    },
    parts=(),
    words={
        "format": str,
        "title": str,
        "game": str,
        "best": int,
        "outcome": str,
        "known": {
            "trees?": [_CELL],
            "lines?": [(int, int, int, int)],
            "goal?": Nullable(_CELL),
            "fire?": Nullable(_CELL),
            "water?": Nullable(_CELL),
            "clusters?": [_CELL],
        },
        "behaviours": [str],
        "plans": [(int, str)],
    },
)


def save_fire_recording(recording: FireRecording, path: Path | str) -> None:
    """Write a recording as one `.npz` file without pickled objects, atomically; an existing file is replaced.

    Raises:
        UserError: The file cannot be written.
    """
    write_arrays(encode_fire(recording), path)


def load_fire_recording(path: Path | str) -> FireRecording:
    """Read a recording that `save_fire_recording` wrote.

    Raises:
        UserError: The file is missing, damaged, or not a recording of a wildfire.
    """
    return read_arrays(path, FORMAT, decode_fire)


def encode_fire(recording: FireRecording) -> Arrays:
    """Return the arrays of a recording; see the module docstring."""
    units, side = len(recording.kind), recording.size
    words = {
        "format": FORMAT.name, "title": recording.title, "game": recording.game, "best": recording.best,
        "outcome": recording.outcome, "known": asdict(recording.known), "behaviours": recording.behaviours,
        "plans": recording.plans,
    }  # fmt: skip
    return {
        "land": recording.land,
        "building": recording.building.astype(np.uint8),
        "kind": recording.kind.astype(np.uint8),
        "tick": recording.tick.astype(np.int32),
        "position": fold(recording.position, side),
        "alive": by_unit(recording.alive.astype(np.uint8), 2),
        "water": by_unit(recording.water, 256),
        "aboard": by_unit(recording.aboard + 1, units + 1),
        "code": by_unit(recording.code + 1, 256),
        "place": _by_axis(recording.place + 1, side + 2),
        "tree": by_unit(recording.tree + 1, len(recording.behaviours) + 1),
        "target": _by_axis(recording.target + 1, side + 2),
        "civilian": _by_axis(recording.civilian, side),
        "living": by_unit(recording.living.astype(np.uint8), 2),
        "bearer": by_unit(recording.bearer + 1, units + 1),
        **pack_layer("ground", recording.ground, recording.frames),
        **pack_layer("seen", recording.seen, recording.frames),
        "score": recording.score.astype(np.int32),
        "losses": recording.losses.astype(np.int32),
        "words": np.frombuffer(json.dumps(words, ensure_ascii=False, allow_nan=False).encode(), np.uint8),
    }


def decode_fire(arrays: Mapping[str, NDArray[Any]]) -> FireRecording:
    """Return the recording whose arrays these are, in the shapes that `FORMAT` lists.

    Raises:
        DataError: They do not fit together.
    """
    words = FORMAT.check(arrays, arrays.__getitem__)
    land = arrays["land"]
    known = {name: _tuples(value) for name, value in words["known"].items()}
    return FireRecording(
        title=words["title"],
        game=words["game"],
        best=words["best"],
        outcome=words["outcome"],
        known=TaskPlaces(**known),
        land=land,
        building=arrays["building"].astype(bool),
        kind=arrays["kind"],
        tick=arrays["tick"],
        position=unfold(arrays["position"], len(land)),
        alive=arrays["alive"].T.astype(bool),
        water=arrays["water"].T,
        aboard=index(arrays["aboard"]),
        code=index(arrays["code"]),
        place=index(arrays["place"]),
        behaviours=tuple(words["behaviours"]),
        tree=index(arrays["tree"]),
        target=index(arrays["target"]),
        civilian=arrays["civilian"].T.astype(np.int32),
        living=arrays["living"].T.astype(bool),
        bearer=index(arrays["bearer"]),
        ground=unpack_layer("ground", arrays, len(SYMBOLS)),
        seen=unpack_layer("seen", arrays, len(SYMBOLS)),
        score=arrays["score"],
        losses=arrays["losses"],
        plans=tuple((tick, text) for tick, text in words["plans"]),
    )


def _tuples(value: Any) -> Any:
    """Return JSON's lists as tuples, at any depth."""
    return tuple(_tuples(each) for each in value) if isinstance(value, list) else value


def _by_axis(cells: NDArray[np.integer], count: int) -> NDArray[Any]:
    """Return cells `[T, N, 2]`, from 0 to below `count`, as `[2, N, T]` in the smallest type that holds them."""
    return np.stack([by_unit(cells[..., axis], count) for axis in (0, 1)])
