"""The compact form of a rescue's recording: the arrays that both the file `recording.npz` and a replay page hold.

Numbers are stored agent by agent and victim by victim; indices plus one. The instance is kept as the text of its files,
so that reading one back runs the same checks.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsl import UserError
from hive.keep.archive import Arrays, DataError
from hive.keep.layout import Format
from hive.keep.packing import by_unit, index, read_arrays, write_arrays
from hive.rescue.codes import RESOURCES
from hive.rescue.files import instance_texts, read_instance
from hive.rescue.instance import MOST
from hive.rescue.recording import Line, LineKind, RescueRecording

_CODES = "u1 u2 u4"
_KINDS = len(RESOURCES)

FORMAT = Format(  # T frames, A agents, P = 3 A supplies, Q = 3 V needs
    name=RescueRecording.format,
    arrays={
        "tick": ("i4", "T"),
        "position": ("u1", "A T"),
        "supplies": ("u1", "P T"),
        "needs": ("u1", "Q T"),
        "active": ("u1", "A T"),
        "doing": (_CODES, "A T"),
        "refused": ("u1", "A T"),
    },
    parts=(),
    words={
        "format": str,
        "title": str,
        "name": str,
        "map": str,
        "victims": str,
        "agents": str,
        "limit": int,
        "outcome": str,
        "deeds": [str],
        "lines": [(int, int, int, str)],
    },
)


def save_rescue_recording(recording: RescueRecording, path: Path | str) -> None:
    """Write a recording as one `.npz` file without pickled objects, atomically; an existing file is replaced.

    Raises:
        UserError: The file cannot be written.
    """
    write_arrays(encode_rescue(recording), path)


def load_rescue_recording(path: Path | str) -> RescueRecording:
    """Read a recording that `save_rescue_recording` wrote.

    Raises:
        UserError: The file is missing, damaged, or not a recording of a rescue.
    """
    return read_arrays(path, FORMAT, decode_rescue)


def encode_rescue(recording: RescueRecording) -> Arrays:
    """Return the arrays of a recording; see the module docstring."""
    frames = recording.frames
    words = {
        "format": FORMAT.name,
        "title": recording.title,
        "name": recording.instance.name,
        **instance_texts(recording.instance),
        "limit": recording.limit,
        "outcome": recording.outcome,
        "deeds": recording.deeds,
        "lines": [(line.tick, line.agent, int(line.kind), line.text) for line in recording.lines],
    }
    return {
        "words": np.frombuffer(json.dumps(words).encode(), np.uint8),
        "tick": recording.tick.astype(np.int32),
        "position": by_unit(recording.position, len(recording.instance.rooms)),
        "supplies": by_unit(recording.supplies.reshape(frames, -1), MOST + 1),
        "needs": by_unit(recording.needs.reshape(frames, -1).astype(np.uint8), 2),
        "active": by_unit(recording.active.astype(np.uint8), 2),
        "doing": by_unit(recording.doing + 1, len(recording.deeds) + 1),
        "refused": by_unit(recording.refused.astype(np.uint8), 2),
    }


def decode_rescue(arrays: Mapping[str, NDArray[Any]]) -> RescueRecording:
    """Return the recording whose arrays these are, in the shapes that `FORMAT` lists.

    Raises:
        DataError: They do not fit together.
    """
    words = FORMAT.check(arrays, arrays.__getitem__)
    try:
        files = {part: (f"{part} of the recording", words[part]) for part in ("map", "victims", "agents")}
        instance = read_instance(words["name"], files)
    except UserError as error:
        raise DataError(str(error)) from None
    if any(kind not in set(LineKind) for _, _, kind, _ in words["lines"]):
        raise DataError("rescue recording: a line is of an unknown kind")
    frames = len(arrays["tick"])
    for name, many in (("supplies", len(instance.agents)), ("needs", len(instance.victims))):
        if len(arrays[name]) != many * _KINDS:
            raise DataError(f"rescue recording: {name} do not fit its instance")
    return RescueRecording(
        title=words["title"],
        instance=instance,
        limit=words["limit"],
        outcome=words["outcome"],
        tick=arrays["tick"],
        position=arrays["position"].T.astype(np.int32),
        supplies=arrays["supplies"].T.astype(np.int32).reshape(frames, -1, _KINDS),
        needs=arrays["needs"].T.astype(bool).reshape(frames, -1, _KINDS),
        active=arrays["active"].T.astype(bool),
        doing=index(arrays["doing"]),
        refused=arrays["refused"].T.astype(bool),
        deeds=tuple(words["deeds"]),
        lines=tuple(Line(tick, agent, LineKind(kind), text) for tick, agent, kind, text in words["lines"]),
    )


__all__ = ["decode_rescue", "encode_rescue", "load_rescue_recording", "save_rescue_recording"]
