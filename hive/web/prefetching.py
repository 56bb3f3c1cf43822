"""The engine on a thread of its own, some ticks ahead of what is shown."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import dsl
from hive.engine.course import PlanTable
from hive.engine.page_view import PageView, Snapshot
from hive.kit.keep.compiling import Compilation
from hive.kit.plan_text import PlanText
from hive.players.llm.session import Session
from hive.web.editing import first_draft

_ROOM = 16  # most ticks of a segment
_FIRST = 4  # ticks of a segment while the engine's pace is not known
_SEGMENT = 0.1  # seconds that a segment should take
_READY = 0.5  # seconds of play that are kept ready

Segment = Future[list[Snapshot]]


class Prefetcher:
    """Plays the game of a session ahead. Except for `compiling`, its methods belong to one thread.

    Attributes:
        ready: Ticks that were played and not yet shown.
    """

    def __init__(self, session: Session, view: PageView) -> None:
        """Begin with nothing played."""
        self.ready: deque[Snapshot] = deque()
        self._session, self._view = session, view
        self._engine = ThreadPoolExecutor(1, "engine")
        self._segment: Segment | None = None
        self._pace: float | None = None  # seconds of a tick, once known
        self._prepared = threading.Event()
        self._compiling: tuple[Compilation, float] | None = None  # what is compiled now, and since when
        self._changed: Callable[[], None] = lambda: None  # called when a compilation begins or ends
        self._known: set[tuple[tuple[int, ...], ...]] = set()  # shapes of orders with compiled programs

    @property
    def compiling(self) -> dict[str, Any] | None:
        """What is compiled now: `words` about how long it may take, and `seconds` so far; None: nothing."""
        now = self._compiling
        return None if now is None else {"words": now[0].words, "seconds": round(time.monotonic() - now[1], 1)}

    def prepare(self, changed: Callable[[], None]) -> None:
        """Compile the programs, with the first draft of the editor in a game apart; call `changed` at the end."""
        self._changed = changed
        self._begin_compiling("")
        self._engine.submit(self._prepare)

    def wait(self) -> None:
        """Wait until the programs are compiled, so that another thread does not compile them too."""
        self._prepared.wait()

    def _prepare(self) -> None:
        try:
            session = self._session
            text = first_draft(session)["text"]
            report = dsl.check_plan(text, "plan", session.dialogue.context, session.dialogue.lenient)
            plan = PlanText("plan", text, report, session.request.written_for)
            live = session.begin(plan)
            live.look(self._view.watch)
            live.play_watched(1, self._view.watch, _ROOM)
            live.order(plan)
            self._known.add(live.shapes)
            self._end_compiling()
        finally:
            self._compiling = None
            self._prepared.set()
            self._changed()

    def _begin_compiling(self, more: str) -> None:
        session = self._session
        what = f"hive serve: {session.world.name}, {sum(session.world.sizes)} units{more}"
        self._compiling = Compilation(what), time.monotonic()

    def _end_compiling(self) -> None:
        if self._compiling:
            self._compiling[0].done()
            self._compiling = None

    def refill(
        self, last: Snapshot, speed: float, table: PlanTable, line: int, done: Callable[[Segment], None]
    ) -> None:
        """Let the engine play on if few ticks are ready.

        Args:
            last: The tick that is shown.
            speed: Ticks a second that are wanted.
            table: What commands the units.
            line: Number of the line of the game.
            done: Called on the engine's thread at the end; its argument is for `take`.
        """
        last = self.ready[-1] if self.ready else last
        if self._segment is not None or last.outcome != "running" or len(self.ready) > max(_ROOM, _READY * speed):
            return
        ticks = _FIRST if self._pace is None else min(max(int(_SEGMENT / self._pace), 1), _ROOM)
        self._segment = self._engine.submit(self._play, ticks, table, line)
        self._segment.add_done_callback(done)

    def take(self, done: Segment) -> None:
        """Take a finished segment, unless an order came first."""
        if done is self._segment:
            self._segment = None
            self.ready.extend(done.result())

    def settle(self, tick: int) -> None:
        """Bring the game back to a tick, which it has reached, and wait for the engine."""
        if self._segment is not None:
            segment, self._segment = self._segment, None
            segment.result()
        self.ready.clear()
        if self._session.tick != tick:
            self._session.back(tick)

    def play_to(self, tick: int, table: PlanTable, line: int) -> Iterator[Snapshot]:
        """Play to a tick at once, and yield each on the way."""
        session = self._session
        while session.tick < tick and session.outcome == "running":
            yield from self._play(min(_ROOM, tick - session.tick), table, line)

    def close(self) -> None:
        """Wait for the engine and end its thread."""
        self._engine.shutdown(cancel_futures=True)

    def _play(self, ticks: int, table: PlanTable, line: int) -> list[Snapshot]:
        shapes = self._session.live.shapes
        fresh = shapes not in self._known
        if fresh:  # a plan larger than those before
            self._begin_compiling(f", {len(table.steps)} steps")
            self._changed()
        began = time.monotonic()
        seen, count = self._session.live.play_watched(ticks, self._view.watch, _ROOM)
        snapshots = self._view.snapshots(seen, int(count), table, line)
        if fresh:
            self._known.add(shapes)
            self._end_compiling()
            self._changed()
            return snapshots  # the time of compilation says nothing of the pace
        taken = (time.monotonic() - began) / max(len(snapshots), 1)
        self._pace = taken if self._pace is None else 0.7 * self._pace + 0.3 * taken
        return snapshots
