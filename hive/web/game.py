"""The live game of a page: one thread carries out orders, keeps the pace and lets the engine run ahead of it."""

from __future__ import annotations

import queue
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import dsl
from dsl import UserError
from hive.battle.course import StepState
from hive.battle.recorder import Table
from hive.llm.dialogue import Answer
from hive.llm.session import Session
from hive.plan.text import PlanText
from hive.web.audience import Audience, Words
from hive.web.battle import BattleStage, Shot, plan_words
from hive.web.editing import diagnostics
from hive.web.messages import Message

Tell = Callable[[Words], None]
"""Sends a text to the tab that asked; safe from any thread."""

_ROOM = 16  # most ticks of a segment
_SEGMENT = 0.1  # seconds that a segment should take
_AHEAD = 0.5  # seconds of play that are kept ready
_SHARE = 10  # parts of a team: a loss of each is an event
_MOST_WAITING = 256  # messages
_RUNNING = "running"


class Game:
    """One session and its game. Every method may be called from any thread."""

    def __init__(self, session: Session, stage: BattleStage, audience: Audience, speed: float = 20.0) -> None:
        """Prepare; `start` begins."""
        self.session, self._stage, self._audience = session, stage, audience
        self._waiting: queue.Queue[Callable[[], None] | None] = queue.Queue(_MOST_WAITING)
        self._thread = threading.Thread(target=self._work, name="game", daemon=True)
        self._engine = ThreadPoolExecutor(1, "engine")
        self._segment: Future[list[Shot]] | None = None
        self._ready: deque[Shot] = deque()  # ticks that were played and not yet shown
        self._table: Table | None = None
        self._line = 0
        self._shown = stage.start(session.state, self._line)
        self._curves: list[tuple[int, int, int, float | None]] = []
        self._log: list[Words] = []
        self._running, self._asked_speed = False, speed
        self._stop_at: int | None = None
        self._until: str | None = None
        self._due = 0.0
        self._lately: deque[tuple[float, int]] = deque(maxlen=64)  # when which tick was shown
        self._pace: float | None = None  # seconds of a tick in the engine, once known
        self._asking = False
        self._note(self._shown)

    def start(self) -> None:
        """Begin to take orders, and prepare the engine meanwhile."""
        self._thread.start()

    def close(self) -> None:
        """Pause, and end the thread."""
        self._waiting.put(None)
        self._thread.join()
        self._engine.shutdown(cancel_futures=True)

    def post(self, message: Message, tell: Tell) -> None:
        """Take a message that changes the game.

        Raises:
            UserError: Too many are waiting.
        """
        try:
            self._waiting.put_nowait(lambda: self._take(message, tell))
        except queue.Full:
            raise UserError("too many messages are waiting; send it again later") from None

    def hello(self, role: str) -> Words:
        """Return what a new tab is told; call it with the lock of the audience."""
        stage, session = self._stage, self.session
        return {
            "is": "hello",
            "role": role,
            "meta": stage.meta() | {"markers": self._markers()},
            "data": stage.data,
            "terrain": stage.terrain,
            "commander": session.dialogue.client.about,
            "line": self._line,
            "plan": self._plan_words(),
            "log": list(self._log),
            "curves": [list(row) for row in self._curves],
            "status": self._status(),
        }

    def present(self) -> tuple[Shot, Words]:
        """Return the tick that is shown, and the status."""
        with self._audience.lock:
            return self._shown, self._status()

    def plan_text(self) -> str | None:
        """Return the text of the plan in force."""
        plans = self.session.plans
        return plans[-1][1].text if plans else None

    # --- the thread ---

    def _work(self) -> None:
        while True:
            try:
                act = self._waiting.get(timeout=self._pause())
            except queue.Empty:
                act = self._tick
            if act is None:
                break
            try:
                act()
                self._refill()
            except Exception as error:  # a fault of ours must not end the session
                traceback.print_exc(file=sys.stderr)
                self._stop()
                self._tell({"is": "refused", "id": None, "why": f"an error of HIVE itself: {error!r}; the game waits"})

    def _pause(self) -> float | None:
        """Return seconds until there is something to do without an order; None: there is nothing."""
        if not self._running or not self._ready:
            return None
        return max(0.0, self._due - time.monotonic())

    def _tick(self) -> None:
        """Show the next tick if it is due."""
        now = time.monotonic()
        if not self._running or not self._ready or now < self._due:
            return
        self._due = max(self._due + 1 / self._asked_speed, now - 0.2)
        self._show(self._ready.popleft())

    def _refill(self) -> None:
        """Let the engine play on if few ticks are ready."""
        if not self._running or self._segment is not None:
            return
        last = self._ready[-1] if self._ready else self._shown
        if last.outcome != _RUNNING or len(self._ready) > max(_ROOM, _AHEAD * self._asked_speed):
            return
        ticks = 4 if self._pace is None else min(max(int(_SEGMENT / self._pace), 1), _ROOM)
        self._segment = self._engine.submit(self._play, ticks, self._table, self._line)
        self._segment.add_done_callback(lambda done: self._waiting.put(lambda: self._arrive(done)))

    def _play(self, ticks: int, table: Table, line: int) -> list[Shot]:
        began = time.monotonic()
        seen, count = self.session.live.play_watched(ticks, self._stage.watch, _ROOM)
        shots = self._stage.shots(seen, int(count), table, line)
        taken = (time.monotonic() - began) / max(len(shots), 1)
        self._pace = taken if self._pace is None else 0.7 * self._pace + 0.3 * taken
        return shots

    def _arrive(self, done: Future[list[Shot]]) -> None:
        if done is not self._segment:
            return  # an order came first
        self._segment = None
        if not self._ready:
            self._due = max(self._due, time.monotonic() - 0.2)
        self._ready.extend(done.result())

    def _settle(self) -> None:
        """Bring the engine back to the tick that is shown."""
        if self._segment is not None:
            segment, self._segment = self._segment, None
            segment.result()
        self._ready.clear()
        if self.session.tick != self._shown.tick:
            self.session.back(self._shown.tick)

    # --- what is shown ---

    def _show(self, shot: Shot) -> None:
        before = self._shown
        self._lately.append((time.monotonic(), shot.tick))
        with self._audience.lock:
            self._shown = shot
            self._note(shot)
            happened = self._events(before, shot)
            ended = shot.outcome != _RUNNING
            if ended or shot.tick == self._stop_at or self._until in happened:
                self._running = False
                self._stop_at = self._until = None
            self._audience.show(shot.frame, self._status())

    def _note(self, shot: Shot) -> None:
        self._curves.append((shot.tick, sum(shot.alive[0]), sum(shot.alive[1]), shot.score))

    def _events(self, before: Shot, now: Shot) -> set[str]:
        """Tell what happened in a tick; return the names of the events."""
        found: list[tuple[str, str]] = []
        if self._table is not None and len(before.steps) == len(now.steps):
            for step, was, is_now in zip(self._table.steps, before.steps, now.steps, strict=True):
                if is_now == StepState.ACHIEVED != was:
                    who = "the enemy's step" if step.side else "step"
                    found.append(("step", f"{who} {step.number} is achieved: {step.objective}"))
        if now.fought and not any(entry.get("event") == "contact" for entry in self._log):
            found.append(("contact", "first contact"))
        for side, name in enumerate(("player", "enemy")):
            total = self._curves[0][1 + side]
            was, left = (_SHARE * (total - sum(each.alive[side])) // max(total, 1) for each in (before, now))
            if left > was:
                found.append(("loss", f"the {name} has lost {left * 100 // _SHARE}% of its units"))
        if now.outcome != _RUNNING:
            found.append(("end", f"the game is over: {now.outcome.replace('_', ' ')}"))
        for event, text in found:
            self._tell({"is": "event", "event": event, "tick": now.tick, "text": text}, keep=True)
        return {event for event, _ in found}

    def _status(self) -> Words:
        shot = self._shown
        times = [moment for moment in self._lately if moment[0] > time.monotonic() - 2]
        span = times[-1][0] - times[0][0] if self._running and len(times) > 1 else 0.0
        return {
            "is": "status",
            "tick": shot.tick,
            "line": self._line,
            "outcome": shot.outcome,
            "running": self._running,
            "asking": self._asking,
            "speed": round((times[-1][1] - times[0][1]) / span, 1) if span else 0.0,
            "asked_speed": self._asked_speed,
            "alive": shot.alive,
            "score": shot.score,
            "steps": shot.steps,
            "plan": len(self.session.plans),
        }

    def _tell(self, words: Words, keep: bool = False) -> None:
        with self._audience.lock:
            if keep:
                self._log.append(words)
            self._audience.tell(words)

    def _tell_status(self) -> None:
        with self._audience.lock:
            self._audience.show(self._shown.frame, self._status(), urgent=True)

    def _markers(self) -> dict[str, list[int]]:
        return {letter: list(place) for letter, place in sorted(self.session.world.scenario.markers.items())}

    def _plan_words(self) -> Words | None:
        plans = self.session.plans
        if not plans or self._table is None:
            return None
        tick, plan = plans[-1]
        return {"is": "plan", "number": len(plans), "tick": tick, "text": plan.text, **plan_words(self._table)}

    # --- orders ---

    def _take(self, message: Message, tell: Tell) -> None:
        try:
            getattr(self, f"_do_{message.do}")(message, tell)
        except UserError as error:
            tell({"is": "refused", "id": message.id, "why": str(error)})

    def _begin_to_run(self, stop_at: int | None = None, until: str | None = None) -> None:
        outcome = self._shown.outcome
        if not self.session.plans:
            raise UserError("there is no plan yet\n  = help: say what you want, or write a plan")
        if outcome == "plan_finished":
            raise UserError(
                "the plan is finished\n  = help: give another plan from here, or branch from an earlier tick"
            )
        if outcome != _RUNNING:
            raise UserError(
                f"the game is over: {outcome.replace('_', ' ')}\n  = help: again, or branch from an earlier tick"
            )
        self._stop_at, self._until = stop_at, until
        if not self._running:
            self._due = time.monotonic()
            self._lately.clear()
        self._running = True
        self._tell_status()

    def _stop(self) -> None:
        self._running, self._stop_at, self._until = False, None, None
        self._tell_status()

    def _do_run(self, message: Message, tell: Tell) -> None:
        self._begin_to_run()

    def _do_pause(self, message: Message, tell: Tell) -> None:
        self._stop()

    def _do_step(self, message: Message, tell: Tell) -> None:
        self._begin_to_run(stop_at=self._shown.tick + message.fields["ticks"])

    def _do_until(self, message: Message, tell: Tell) -> None:
        self._begin_to_run(until=message.fields["event"])

    def _do_speed(self, message: Message, tell: Tell) -> None:
        self._asked_speed = message.fields["ticks_per_second"]
        self._due = time.monotonic()
        self._tell_status()

    def _do_plan(self, message: Message, tell: Tell) -> None:
        session = self.session
        report = dsl.check_plan(message.fields["text"], "plan", session.dialogue.context, session.dialogue.lenient)
        found = diagnostics(report)
        if not report.ok:
            tell({"is": "answer", "id": message.id, "kind": "invalid_plan", "text": "", "diagnostics": found})
            return
        self._order(PlanText("plan", message.fields["text"], report, session.request.written_for))
        tell({"is": "answer", "id": message.id, "kind": "plan", "text": "", "diagnostics": found})

    def _order(self, plan: PlanText) -> None:
        """Follow a plan without errors from the tick that is shown."""
        self._settle()
        self.session.order(plan)
        self._changed()
        words = self._plan_words()
        assert words is not None, "a plan was given"
        self._tell(words, keep=True)

    def _changed(self) -> None:
        """Show the present tick under the plan that now holds."""
        session = self.session
        with self._audience.lock:
            if session.plans:
                self._table = self._stage.table(session.live)
                self._shown = self._stage.now(session.live, self._table, self._line)
            else:
                self._table = None
                self._shown = self._stage.start(session.state, self._line)
            self._audience.show(self._shown.frame, self._status())

    def _do_say(self, message: Message, tell: Tell) -> None:
        if self._asking:
            raise UserError("the commander is still thinking about the order before")
        self._settle()
        state = self.session.state_for(message.fields["text"])
        goes_on, self._running, self._asking = self._running, False, True
        text, tick = message.fields["text"], self._shown.tick
        self._tell({"is": "said", "id": message.id, "tick": tick, "text": text}, keep=True)
        self._tell_status()
        threading.Thread(target=self._ask, args=(message.id, text, state, goes_on), daemon=True).start()

    def _ask(self, id: str | int | None, text: str, state: str, goes_on: bool) -> None:
        """Ask the commander, on a thread of its own: an answer may take minutes."""

        def piece(text: str) -> None:
            self._tell({"is": "piece", "id": id, "text": text})

        answer: Answer | UserError
        try:
            answer = self.session.dialogue.ask(text, state, (), piece, piece)
        except UserError as error:
            answer = error
        except Exception as error:
            traceback.print_exc(file=sys.stderr)
            answer = UserError(f"an error of HIVE itself: {error!r}")
        self._waiting.put(lambda: self._answered(id, answer, goes_on))

    def _answered(self, id: str | int | None, answer: Answer | UserError, goes_on: bool) -> None:
        self._asking = False
        if isinstance(answer, UserError):
            self._tell({"is": "answer", "id": id, "kind": "failed", "text": str(answer), "diagnostics": []}, keep=True)
            self._tell_status()
            return
        found = diagnostics(answer.plan.report) if answer.plan else []
        self._tell(
            {"is": "answer", "id": id, "kind": answer.kind, "text": answer.text, "diagnostics": found}, keep=True
        )
        if answer.plan and answer.kind == "plan":
            self._order(answer.plan)
            if goes_on and self._shown.outcome == _RUNNING:
                self._begin_to_run()
        self._tell_status()

    def _do_mark(self, message: Message, tell: Tell) -> None:
        letter, x, y = (message.fields[name] for name in ("letter", "x", "y"))
        if (x is None) != (y is None):
            raise UserError("a marker has both x and y, or neither to remove it")
        with self._audience.lock:
            self.session.mark(letter, None if x is None else (x, y))
            self._tell({"is": "marked", "markers": self._markers()})

    def _do_again(self, message: Message, tell: Tell) -> None:
        self._settle()
        self.session.again()
        self._new_line(0)

    def _do_branch(self, message: Message, tell: Tell) -> None:
        tick = message.fields["tick"]
        if tick > self._shown.tick:
            raise UserError(f"the game has come to tick {self._shown.tick}, so it cannot branch at {tick}")
        self._settle()
        if self.session.plans:
            self.session.back(tick)
        self._new_line(tick)

    def _new_line(self, tick: int) -> None:
        with self._audience.lock:
            self._running, self._stop_at, self._until = False, None, None
            self._line += 1
            self._curves = [row for row in self._curves if row[0] <= tick]
            self._log = [entry for entry in self._log if entry["is"] != "event" or entry["tick"] <= tick]
            self._tell({"is": "line", "line": self._line, "tick": tick}, keep=True)
            self._changed()
            words = self._plan_words()
            if words:
                self._tell(words)
            self._tell_status()
