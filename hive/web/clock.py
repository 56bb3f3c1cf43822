"""The pace of a shown game: when the next tick is due, and how fast ticks were shown lately."""

from __future__ import annotations

import time
from collections import deque

FIRST_SPEED = 20.0  # ticks a second
_LATE = 0.2  # seconds by which a tick may be late before the clock is set again
_LATELY = 2.0  # seconds over which the speed is measured
_LEAST = 0.5  # seconds: what is shown in less says nothing of the speed


class Clock:
    """The clock of one game, which runs or stands.

    Attributes:
        running: Whether it runs.
        asked_speed: Ticks a second that are wanted.
    """

    def __init__(self) -> None:
        """Begin with a clock that stands."""
        self.running, self.asked_speed = False, FIRST_SPEED
        self._due = 0.0
        self._lately: deque[tuple[float, int]] = deque(maxlen=4096)  # when which tick was shown

    def start(self) -> None:
        """Run; a clock that runs just goes on."""
        if not self.running:
            self.running = True
            self._due = time.monotonic()
            self._lately.clear()

    def stop(self) -> None:
        """Stand."""
        self.running = False

    def set_speed(self, speed: float) -> None:
        """Want so many ticks a second from now on."""
        self.asked_speed, self._due = speed, time.monotonic()
        self._lately.clear()

    def wait(self) -> float:
        """Return seconds until the next tick is due; 0: it is due now."""
        return max(0.0, self._due - time.monotonic())

    def take(self, tick: int) -> None:
        """Note that a tick is shown; ticks that are very late are not made up for."""
        now = time.monotonic()
        self._due = max(self._due + 1 / self.asked_speed, now - _LATE)
        self._lately.append((now, tick))

    def speed(self) -> float:
        """Return the ticks a second shown lately; 0 while the clock stands or has just been set."""
        since = time.monotonic() - _LATELY
        times = [moment for moment in list(self._lately) if moment[0] > since]
        span = times[-1][0] - times[0][0] if self.running and len(times) > 1 else 0.0
        return round((times[-1][1] - times[0][1]) / span, 1) if span >= _LEAST else 0.0
