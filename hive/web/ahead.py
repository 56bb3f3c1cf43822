"""The engine on a thread of its own, some ticks ahead of what is shown."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import dsl
from hive.battle.recorder import PlanTable
from hive.engine.live import LiveGame
from hive.llm.session import Session
from hive.plan.text import PlanText
from hive.web.shots import PageStage, Shot

_ROOM = 16  # most ticks of a segment
_FIRST = 4  # ticks of a segment while the engine's pace is not known
_SEGMENT = 0.1  # seconds that a segment should take
_READY = 0.5  # seconds of play that are kept ready

Segment = Future[list[Shot]]


class Ahead:
    """Plays the game of a session ahead. Except for `prepared`, its methods belong to one thread.

    Attributes:
        ready: Ticks that were played and not yet shown.
    """

    def __init__(self, session: Session, stage: PageStage) -> None:
        """Begin with nothing played."""
        self.ready: deque[Shot] = deque()
        self._session, self._stage = session, stage
        self._engine = ThreadPoolExecutor(1, "engine")
        self._segment: Segment | None = None
        self._pace: float | None = None  # seconds of a tick, once known
        self._prepared = threading.Event()

    @property
    def prepared(self) -> bool:
        """Whether the programs are compiled."""
        return self._prepared.is_set()

    def prepare(self, done: Callable[[], None]) -> None:
        """Compile the programs, with the world's own plan in a game apart; call `done` at the end."""
        self._engine.submit(self._prepare, done)

    def wait(self) -> None:
        """Wait until the programs are compiled, so that another thread does not compile them too."""
        self._prepared.wait()

    def _prepare(self, done: Callable[[], None]) -> None:
        try:
            session = self._session
            text = session.kind.own_plan(session.request)
            context, written = session.dialogue.context, session.request.written_for
            report = dsl.check_plan(text or "", "plan", context, session.dialogue.lenient)
            if text and report.ok:
                plan = PlanText("plan", text, report, written)
                live = LiveGame(session.world, plan, session.seed)
                live.look(self._stage.watch)
                live.play_watched(1, self._stage.watch, _ROOM)
                live.order(plan)
        finally:
            self._prepared.set()
            done()

    def refill(self, last: Shot, speed: float, table: PlanTable, line: int, done: Callable[[Segment], None]) -> None:
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

    def play_to(self, tick: int, table: PlanTable, line: int) -> Iterator[Shot]:
        """Play to a tick at once, and yield each on the way."""
        session = self._session
        while session.tick < tick and session.outcome == "running":
            yield from self._play(min(_ROOM, tick - session.tick), table, line)

    def close(self) -> None:
        """Wait for the engine and end its thread."""
        self._engine.shutdown(cancel_futures=True)

    def _play(self, ticks: int, table: PlanTable, line: int) -> list[Shot]:
        began = time.monotonic()
        seen, count = self._session.live.play_watched(ticks, self._stage.watch, _ROOM)
        shots = self._stage.shots(seen, int(count), table, line)
        taken = (time.monotonic() - began) / max(len(shots), 1)
        self._pace = taken if self._pace is None else 0.7 * self._pace + 0.3 * taken
        return shots
