"""What recordings of all worlds share: arrays with one entry for each frame, which are checked before they are used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from hive.keep.archive import DataError


class Framed:
    """A recording of T frames.

    Attributes:
        noun: What messages call it.
        title: Heading of the pictures.
        tick: `[T]`, ascending.
    """

    noun: ClassVar[str]

    title: str
    tick: NDArray[np.integer]

    @property
    def frames(self) -> int:
        """Number of frames, T."""
        return len(self.tick)

    def frame_at(self, tick: int) -> int:
        """Return the frame whose tick is nearest to `tick`."""
        return int(np.abs(np.asarray(self.tick) - tick).argmin())

    def check_shapes(self, wanted: Mapping[str, tuple[int, ...]]) -> None:
        """Check the shapes of arrays, which are given by name.

        Raises:
            DataError: An array has another shape.
        """
        for name, shape in wanted.items():
            found = getattr(self, name).shape
            if found != shape:
                raise DataError(f"{self.noun}: {name} has shape {found}, expected {shape}")

    def check_ranges(self, ranges: Mapping[str, tuple[int, int]]) -> None:
        """Check the values of arrays, given by name with the least value and the end of their range.

        Raises:
            DataError: A value is outside its range.
        """
        for name, (least, end) in ranges.items():
            values = getattr(self, name)
            if values.size and not (values.min() >= least and values.max() < end):
                raise DataError(f"{self.noun}: {name} must lie in {least} to {end - 1}")

    def check_ticks(self, words: str = "it needs a frame, and ticks that rise from 0 or later") -> None:
        """Check that there is a frame and that the ticks rise.

        Args:
            words: What the message says.

        Raises:
            DataError: They do not.
        """
        if self.frames == 0 or self.tick[0] < 0 or (self.tick[1:] <= self.tick[:-1]).any():
            raise DataError(f"{self.noun}: {words}")


def number_texts(rows: Sequence[Sequence[str]], count: int) -> tuple[NDArray[np.integer], tuple[str, ...]]:
    """Return what agents did before each frame as indices into a list of texts.

    Args:
        rows: For each frame but the first, the text of each agent; empty for none.
        count: Number of agents.

    Returns:
        `[T, count]` index of each text, or -1; and the texts, each once.
    """
    texts: dict[str, int] = {}
    index = np.full((len(rows) + 1, count), -1)
    for t, row in enumerate(rows, start=1):
        for agent, text in enumerate(row):
            if text:
                index[t, agent] = texts.setdefault(text, len(texts))
    return index, tuple(texts)


def stack(states: Sequence[Any], name: str, count: int) -> NDArray[Any]:
    """Return the first `count` entries of an array of all states, `[T, count, ...]`, T the number of states."""
    return np.stack([np.asarray(getattr(state, name))[:count] for state in states])
