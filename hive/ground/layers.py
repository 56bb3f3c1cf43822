"""A map over time, on the host: its start and the cells that change, which is compact when few cells change."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Layer:
    """A map of codes in T frames.

    Attributes:
        start: `[S, S]` uint8, indexed `[x, y]`: the first frame.
        frame: `[C]` frame of each change, ascending.
        cell: `[C]` x * S + y, ascending within a frame.
        code: `[C]` uint8, code of the cell from that frame on.
    """

    start: NDArray[np.uint8]
    frame: NDArray[np.int32]
    cell: NDArray[np.int32]
    code: NDArray[np.uint8]

    @classmethod
    def of(cls, stack: NDArray[np.uint8]) -> Layer:
        """Return the layer of maps `[T, S, S]`."""
        flat = stack.reshape(len(stack), -1)
        frame, cell = np.nonzero(flat[1:] != flat[:-1])
        return cls(stack[0], (frame + 1).astype(np.int32), cell.astype(np.int32), flat[frame + 1, cell])

    def at(self, t: int) -> NDArray[np.uint8]:
        """Return the map in frame `t`, `[S, S]`."""
        grid = self.start.copy()
        last = np.searchsorted(self.frame, t, side="right")
        grid.ravel()[self.cell[:last]] = self.code[:last]  # the last of several changes of a cell stays
        return grid

    def thin(self, kept: NDArray[np.bool_]) -> Layer:
        """Return the layer of the kept frames, `[T]`, at least one; only the first kept frame is expanded to a map."""
        frames = np.flatnonzero(kept)
        start = self.at(int(frames[0]))
        row = np.searchsorted(frames, self.frame)  # the kept frame that shows a change first
        shown = (row > 0) & (row < len(frames))
        row, cell, code = row[shown], self.cell[shown], self.code[shown]
        order = np.lexsort((row, cell))  # cell by cell, in the order of time
        row, cell, code = row[order], cell[order], code[order]
        last = np.append((np.diff(row) != 0) | (np.diff(cell) != 0), True)[: len(row)]  # last per cell and frame
        row, cell, code = row[last], cell[last], code[last]
        first = np.append(True, np.diff(cell) != 0)[: len(cell)]
        before = np.where(first, start.ravel()[cell], np.roll(code, 1))
        row, cell, code = row[code != before], cell[code != before], code[code != before]
        order = np.lexsort((cell, row))
        return Layer(start, row[order].astype(np.int32), cell[order], code[order])
