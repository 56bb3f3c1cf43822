"""The tabs that look at a game: who commands, what each receives, and when a frame may be sent to it."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any

from hive.web.frames import Frame, encode
from hive.web.messages import ServerMessage

GRACE = 10.0
"""Seconds for which a game goes on after the last tab was closed, so that a reload does not pause it."""

_MOST_WAITING = 16 * 2**20  # characters of texts that may wait for one tab
_AHEAD = 2  # frames sent that the browser has not drawn yet


class Viewer:
    """One tab. `put`, `seen` and `next` belong to the server's event loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        """Begin with nothing to send."""
        self.loop = loop
        self.lost = False  # the tab does not read, so it is to be closed
        self._texts: deque[str] = deque()
        self._waiting = 0  # characters of them
        self._ready = asyncio.Event()
        self._frame: Frame | None = None  # the newest
        self._status: ServerMessage | None = None  # the newest
        self._urgent = False  # whether the status is sent before the browser is ready for a frame
        self._before: Frame | None = None
        self._number = 0
        self._undrawn: deque[int] = deque()  # ticks of frames that were sent and not yet drawn

    def put(self, words: ServerMessage) -> None:
        """Send a text; it comes before later frames."""
        if self._waiting > _MOST_WAITING:
            self.lost = True
        else:
            text = json.dumps(words, ensure_ascii=False, allow_nan=False)
            self._texts.append(text)
            self._waiting += len(text)
        self._ready.set()

    def show(self, frame: Frame, status: ServerMessage, urgent: bool = False) -> None:
        """Send a frame with the status as soon as the browser is ready for one, unless a newer one comes first."""
        self._frame, self._status, self._urgent = frame, status, self._urgent or urgent
        self._ready.set()

    def seen(self, tick: int) -> None:
        """Note that the browser has drawn a frame, and with it all that were sent before."""
        while tick in self._undrawn:
            self._undrawn.popleft()
        self._ready.set()

    async def next(self) -> list[str | bytes]:
        """Return what is to be sent now; wait until there is something."""
        while True:
            self._ready.clear()
            found: list[str | bytes] = [*self._texts]
            self._texts.clear()
            self._waiting = 0
            ready = len(self._undrawn) < _AHEAD
            fresh = ready and self._frame is not None and self._frame is not self._before
            if fresh and self._frame is not None:
                found.append(encode(self._frame, self._before, self._number))
                self._before, self._number = self._frame, self._number + 1
                self._undrawn.append(self._frame.tick)
            if self._status is not None and (fresh or self._urgent):
                found.append(json.dumps(self._status, ensure_ascii=False, allow_nan=False))
                self._urgent = False
            if found or self.lost:
                return found
            await self._ready.wait()


class Audience:
    """All tabs. `tell` and `show` may be called from any thread."""

    def __init__(self) -> None:
        """Begin with an empty room."""
        self.lock = threading.RLock()  # held while the game changes and tells of it, and while a tab joins
        self._viewers: list[Viewer] = []
        self._commander: Viewer | None = None
        self._left = time.monotonic()  # when the last tab left

    def join(self, viewer: Viewer) -> str:
        """Add a tab; it commands if no other does. Return its role."""
        with self.lock:
            self._viewers.append(viewer)
            if self._commander is None:
                self._commander = viewer
            return self.role(viewer)

    def leave(self, viewer: Viewer) -> None:
        """Remove a tab."""
        with self.lock:
            self._viewers.remove(viewer)
            self._left = time.monotonic()
            if viewer is self._commander:
                self._commander = None
                self._announce()

    def alone(self) -> float:
        """Return for how many seconds no tab has looked on."""
        with self.lock:
            return 0.0 if self._viewers else time.monotonic() - self._left

    def take(self, viewer: Viewer) -> None:
        """Let a tab command from now on; a tab that commanded before, or that is dead, only watches then."""
        with self.lock:
            self._commander = viewer
            self._announce()

    def _announce(self) -> None:
        """Tell every tab its role, and whether no tab commands."""
        for each in self._viewers:
            _put(each, {"is": "command", "role": self.role(each), "free": self._commander is None})

    def role(self, viewer: Viewer) -> str:
        """Return `commander` or `viewer`."""
        return "commander" if viewer is self._commander else "viewer"

    def tell(self, words: ServerMessage) -> None:
        """Send a text to every tab."""
        with self.lock:
            for viewer in self._viewers:
                _put(viewer, words)

    def show(self, frame: Frame, status: ServerMessage, urgent: bool = False) -> None:
        """Let every tab draw a frame, if it comes to it before the next one; an urgent status is sent at once."""
        with self.lock:
            for viewer in self._viewers:
                _soon(viewer, viewer.show, frame, status, urgent)


def _put(viewer: Viewer, words: ServerMessage) -> None:
    _soon(viewer, viewer.put, words)


def _soon(viewer: Viewer, act: Callable[..., None], *values: Any) -> None:
    if not viewer.loop.is_closed():
        viewer.loop.call_soon_threadsafe(act, *values)
