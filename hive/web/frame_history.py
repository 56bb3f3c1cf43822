"""The ticks of a game that were shown, to look back at, in a bounded memory."""

from __future__ import annotations

from bisect import bisect_right

from hive.engine.page_view import Snapshot

MOST_BYTES = 256 * 2**20
"""Room for frames: more than 10,000 ticks of 2,000 units, or 1,200 of 20,000."""


class FrameHistory:
    """Shots of one game in the order of time. With no room left, every second one of the older half goes."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        """Begin with none."""
        self._most = most_bytes
        self._bytes = 0
        self._snapshots: list[Snapshot] = []

    def add(self, snapshot: Snapshot) -> None:
        """Add a snapshot; those of its tick and of later ones go."""
        self.cut(snapshot.tick - 1)
        self._snapshots.append(snapshot)
        self._bytes += _size(snapshot)
        if self._bytes > self._most:
            half = len(self._snapshots) // 2
            self._snapshots = self._snapshots[:half:2] + self._snapshots[half:]
            self._bytes = sum(map(_size, self._snapshots))

    def cut(self, tick: int) -> None:
        """Forget what came after a tick."""
        while self._snapshots and self._snapshots[-1].tick > tick:
            self._bytes -= _size(self._snapshots.pop())

    def at(self, tick: int) -> Snapshot:
        """Return the snapshot of a tick, or the last one before it that is kept."""
        return self._snapshots[bisect_right(self._snapshots, tick, key=lambda snapshot: snapshot.tick) - 1]


def _size(snapshot: Snapshot) -> int:
    return sum(column.nbytes for column in snapshot.frame.columns.values())
