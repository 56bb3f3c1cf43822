"""Recordings of all worlds: a table of fields gives the checks, the arrays of files and pages, and reading them back.

A recording is a frozen dataclass whose fields say how they are kept:

    class RaceRecording(Recording):
        format: ClassVar[str] = "hive-race-recording/1"
        noun: ClassVar[str] = "race recording"

        title: str = word(str)
        names: tuple[str, ...] = word([str], read=tuple)
        tick: NDArray[np.integer] = ticks()
        lane: NDArray[np.integer] = codes("T A", end=8)
        leader: NDArray[np.integer] = index("T", of="A")

        def lengths(self) -> dict[str, int]:
            return {"A": len(self.names)}

Arrays have named axes, `T` frames among them; `lengths` returns the length of every other name. A number as an axis is
a fixed length. Numbers are stored agent by agent, so that equal values are adjacent for the compressor, in the smallest
type that holds them; indices from -1 on are stored plus one. Everything else is "words": JSON in an array of bytes.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Self, cast

import numpy as np
from numpy.typing import NDArray

from dsl import UserError
from dsl.wording import is_whole, listing
from hive.kit.errors import DataError
from hive.kit.keep.archive import Arrays
from hive.kit.keep.fields import KEPT, Kept
from hive.kit.keep.layout import Format
from hive.kit.keep.packing import read_arrays, write_arrays


class Recording:
    """One kept game of T frames; subclasses are frozen dataclasses, and tables of fields.

    Attributes:
        format: Name of the format in files.
        noun: What messages call it.
        title: Heading of the pictures.
        tick: `[T]`, ascending.

    Raises:
        DataError: Shapes disagree, or a value is outside its range.
    """

    format: ClassVar[str]
    noun: ClassVar[str]

    title: str
    tick: NDArray[np.integer]

    def __post_init__(self) -> None:
        """Refuse fields that do not fit together."""
        for name, how in fields_of(type(self)).items():
            if not (how.optional and getattr(self, name) is None):
                how.check(name, self)
        self.check()

    def lengths(self) -> Mapping[str, int]:
        """Return the length of each named axis but `T`, and the ends of ranges that have names."""
        return {}

    def check(self) -> None:
        """Check what single fields cannot; nothing where a recording has no such rule.

        Raises:
            DataError: Fields do not fit together.
        """

    def length(self, axis: int | str) -> int:
        """Return the length of an axis by its name, or a number as it is.

        Raises:
            UserError: There is no length of that name.
        """
        if isinstance(axis, int) or is_whole(axis):
            return int(axis)
        known = {"T": self.frames, **self.lengths()}
        if axis not in known:
            raise UserError(
                f"a field of `{type(self).__name__}` has an axis or an end `{axis}`, which is no length of it\n"
                f"  = help: use {listing(known, 'or')}, or return it from `lengths`"
            )
        return known[axis]

    @property
    def frames(self) -> int:
        """Number of frames, T."""
        return len(self.tick)

    def frame_at(self, tick: int) -> int:
        """Return the frame whose tick is nearest to `tick`."""
        return int(np.abs(np.asarray(self.tick) - tick).argmin())

    def encode(self) -> Arrays:
        """Return the arrays that both the file `recording.npz` and a replay page hold, in the shapes of `layout_of`."""
        arrays: Arrays = {}
        said: dict[str, Any] = {"format": self.format}
        for name, how in fields_of(type(self)).items():
            found, each = how.pack(name, self)
            arrays |= found
            said |= each
        text = json.dumps(said, ensure_ascii=False, allow_nan=False).encode()
        return {"words": np.frombuffer(text, np.uint8), **arrays}

    @classmethod
    def decode(cls, arrays: Mapping[str, NDArray[Any]]) -> Self:
        """Return the recording whose arrays these are, in the shapes of `layout_of`.

        Raises:
            DataError: They do not fit together, or belong to another format.
        """
        said = layout_of(cls).check(arrays, arrays.__getitem__)
        done: dict[str, Any] = {}
        try:
            for name, how in fields_of(cls).items():
                done[name] = how.unpack(name, arrays, said, done)
        except DataError as error:
            raise DataError(str(error) if str(error).startswith(cls.noun) else f"{cls.noun}: {error}") from None
        make: Any = cls  # a dataclass of these fields
        found: Self = make(**done)
        return found

    def save(self, path: Path | str) -> None:
        """Write it as one `.npz` file without pickled objects, atomically; an existing file is replaced.

        Raises:
            UserError: The file cannot be written.
        """
        write_arrays(self.encode(), path)

    @classmethod
    def load(cls, path: Path | str) -> Self:
        """Read a recording that `save` wrote.

        Raises:
            UserError: The file is missing, damaged, or not a recording of this kind.
        """
        return read_arrays(path, layout_of(cls), cls.decode)


def fields_of(recording: type[Recording]) -> dict[str, Kept]:
    """Return how each field of a kind of recording is kept, in their order.

    Raises:
        UserError: A field does not say how it is kept.
    """
    found = {field.name: field.metadata.get(KEPT) for field in dataclasses.fields(cast(Any, recording))}
    for name, how in found.items():
        if how is None:
            raise UserError(
                f"`{name}` of `{recording.__name__}` does not say how it is kept\n"
                f"  = help: write `{name}: ... = codes(...)`, or another function of `hive.kit.keep.fields`"
            )
    return cast(dict[str, Kept], found)


def layout_of(recording: type[Recording]) -> Format:
    """Return the required contents of a kind of recording."""
    table = fields_of(recording).items()
    return Format(
        name=recording.format,
        arrays={key: each for name, how in table if not how.optional for key, each in how.layout(name).items()},
        parts=tuple(how.layout(name) for name, how in table if how.optional and how.layout(name)),
        words={"format": str} | {key: form for name, how in table for key, form in how.form(name).items()},
    )


def number_texts(rows: Sequence[Sequence[str]], count: int) -> tuple[NDArray[np.integer], tuple[str, ...]]:
    """Return what agents did before each frame as indices into a list of texts.

    Args:
        rows: For each frame but the first, the text of each agent; empty for none.
        count: Number of agents.

    Returns:
        `[T, count]` index of each text, or -1; and the texts, each once.
    """
    texts: dict[str, int] = {}
    numbers = np.full((len(rows) + 1, count), -1)
    for t, row in enumerate(rows, start=1):
        for agent, text in enumerate(row):
            if text:
                numbers[t, agent] = texts.setdefault(text, len(texts))
    return numbers, tuple(texts)


def stack(states: Collection[Any], name: str, count: int) -> NDArray[Any]:
    """Return the first `count` entries of an array of all states, `[T, count, ...]`, T the number of states."""
    return np.stack([np.asarray(getattr(state, name))[:count] for state in states])
