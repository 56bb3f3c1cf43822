"""The ticks of a game that were shown, to look back at, in a bounded memory."""

from __future__ import annotations

from bisect import bisect_right

from hive.web.shots import Shot

MOST_BYTES = 256 * 2**20
"""Room for frames: more than 10,000 ticks of 2,000 units, or 1,200 of 20,000."""


class Reel:
    """Shots of one game in the order of time. With no room left, every second one of the older half goes."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        """Begin with none."""
        self._most = most_bytes
        self._bytes = 0
        self._shots: list[Shot] = []

    def add(self, shot: Shot) -> None:
        """Add a shot; those of its tick and of later ones go."""
        self.cut(shot.tick - 1)
        self._shots.append(shot)
        self._bytes += _size(shot)
        if self._bytes > self._most:
            half = len(self._shots) // 2
            self._shots = self._shots[:half:2] + self._shots[half:]
            self._bytes = sum(map(_size, self._shots))

    def cut(self, tick: int) -> None:
        """Forget what came after a tick."""
        while self._shots and self._shots[-1].tick > tick:
            self._bytes -= _size(self._shots.pop())

    def at(self, tick: int) -> Shot:
        """Return the shot of a tick, or the last one before it that is kept."""
        return self._shots[bisect_right(self._shots, tick, key=lambda shot: shot.tick) - 1]


def _size(shot: Shot) -> int:
    return sum(column.nbytes for column in shot.frame.columns.values())
