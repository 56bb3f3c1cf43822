"""The live game of a page: one thread carries out orders, keeps the pace and shows what the engine has played."""

from __future__ import annotations

import queue
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future

import dsl
from dsl import UserError
from hive.battle.recorder import Table
from hive.contract import Run
from hive.engine.reading import compile_text
from hive.llm.client import Message as Said
from hive.llm.dialogue import Answer
from hive.llm.session import Session
from hive.plan.text import PlanText
from hive.web.ahead import Ahead, Segment
from hive.web.audience import Audience
from hive.web.battle import BattleStage, Shot, plan_words
from hive.web.editing import diagnostics
from hive.web.journal import Journal, Past
from hive.web.messages import Message, Words
from hive.web.story import Story

Tell = Callable[[Words], None]
"""Sends a text to the tab that asked; safe from any thread."""

Save = Callable[[Run], str]
"""Plays a run, keeps it, and returns where."""

FIRST_SPEED = 20.0  # ticks a second
_LATE = 0.2  # seconds by which a tick may be late before the clock is set anew
_MARK = 1.0  # seconds between two notes in the journal of how far a running game has come
_MOST_WAITING = 256  # messages
_ENDED = "the server was ended before the commander had answered; say it again"
_FULL = "too many messages are waiting; send it again later"
_RUNNING = "running"


class Game:
    """One session and its game. Every public method may be called from any thread."""

    def __init__(self, session: Session, stage: BattleStage, audience: Audience, journal: Journal, save: Save) -> None:
        """Prepare; `start` begins.

        Args:
            session: What is played, and the commander.
            stage: The world as the page sees it.
            audience: The tabs.
            journal: The file of the session, which has just begun or was taken up with `resume`.
            save: How a run is kept.
        """
        self.session = session
        self._stage, self._audience, self._journal, self._save = stage, audience, journal, save
        self._waiting: queue.Queue[Callable[[], None] | None] = queue.Queue(_MOST_WAITING)
        self._thread = threading.Thread(target=self._work, name="game", daemon=True)
        self._ahead = Ahead(session, stage)
        self._table: Table | None = None
        self._line = 0
        self._shown = stage.start(session.state, 0)
        self._story = Story((), self._shown)
        self._running, self._asked_speed = False, FIRST_SPEED
        self._stop_at: int | None = None
        self._until: str | None = None
        self._due = self._marked = 0.0
        self._lately: deque[tuple[float, int]] = deque(maxlen=64)  # when which tick was shown
        self._asking = self._saving = False

    def resume(self, past: Past, watch: Callable[[int], None]) -> None:
        """Bring a new game to where a session was; call it before `start`.

        Args:
            past: What its journal tells.
            watch: Receives each tick that was played again.
        """
        session = self.session
        self._line = past.line
        self._story = Story(past.log, self._shown)
        session.dialogue.messages = [Said(each["role"], each["text"]) for each in past.messages]  # type: ignore[arg-type]
        for (tick, text), until in zip(past.plans, [*(tick for tick, _ in past.plans[1:]), past.tick], strict=True):
            report = dsl.check_plan(text, f"plan at {tick}", session.dialogue.context, session.dialogue.lenient)
            if not report.ok:
                raise dsl.DslError(report.diagnostics)
            session.order(PlanText("plan", text, report, session.request.written_for))
            self._table = self._stage.table(session.live)
            self._shown = self._stage.now(session.live, self._table, self._line)
            for shot in self._ahead.play_to(until, self._table, self._line):
                self._shown = shot
                self._story.note(shot)
                watch(shot.tick)
        if past.unanswered:
            told: Words = {
                "is": "answer",
                "id": past.unanswered[-1],
                "kind": "failed",
                "text": _ENDED,
                "diagnostics": [],
            }
            self._keep(told, hidden={"messages": []})

    def start(self) -> None:
        """Begin to take orders, and prepare the engine meanwhile."""
        self._thread.start()
        self._ahead.prepare(self._tell_status)

    def close(self) -> None:
        """Pause, and end the threads."""
        self._waiting.put(None)
        self._thread.join()
        self._ahead.close()
        self._journal.close()

    def post(self, message: Message, tell: Tell) -> None:
        """Take a message that changes the game.

        Raises:
            UserError: Too many are waiting.
        """
        try:
            self._waiting.put_nowait(lambda: self._take(message, tell))
        except queue.Full:
            raise UserError(_FULL) from None

    def hello(self, role: str) -> Words:
        """Return what a new tab is told; call it with the lock of the audience."""
        return {
            "is": "hello",
            "role": role,
            "meta": self._stage.meta() | {"markers": self._markers()},
            "data": self._stage.data,
            "terrain": self._stage.terrain,
            "commander": self.session.dialogue.client.about,
            "line": self._line,
            "plan": self._story.plan(self.session.plans),
            "log": list(self._story.log),
            "curves": list(self._story.curves),
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

    def so_far(self) -> Run:
        """Return the game up to the tick that is shown, to be played once more; wait for it.

        Raises:
            UserError: Nothing was played yet, or too many messages are waiting.
        """
        found: Future[Run] = Future()

        def find() -> None:
            try:
                found.set_result(self._so_far())
            except Exception as error:
                found.set_exception(error)

        try:
            self._waiting.put_nowait(find)
        except queue.Full:
            raise UserError(_FULL) from None
        return found.result()

    # --- the thread ---

    def _work(self) -> None:
        while True:
            try:
                act = self._waiting.get(timeout=self._pause())
            except queue.Empty:
                act = self._tick
            if act is None:
                self._stop()
                break
            try:
                act()
                if self._running and self._table is not None:
                    self._ahead.refill(self._shown, self._asked_speed, self._table, self._line, self._arrived)
            except UserError as error:  # the journal cannot be written
                self._fail(str(error))
            except Exception as error:  # a fault of ours must not end the session
                traceback.print_exc(file=sys.stderr)
                self._fail(f"an error of HIVE itself: {error!r}")

    def _fail(self, why: str) -> None:
        self._running = False
        self._audience.tell({"is": "refused", "id": None, "why": f"{why}; the game waits"})
        self._tell_status()

    def _arrived(self, done: Segment) -> None:
        self._waiting.put(lambda: self._ahead.take(done))

    def _pause(self) -> float | None:
        """Return seconds until there is something to do without an order; None: there is nothing."""
        return max(0.0, self._due - time.monotonic()) if self._running and self._ahead.ready else None

    def _tick(self) -> None:
        """Show the next tick if it is due."""
        now = time.monotonic()
        if not self._running or not self._ahead.ready or now < self._due:
            return
        self._due = max(self._due + 1 / self._asked_speed, now - _LATE)
        before, shot = self._shown, self._ahead.ready.popleft()
        self._lately.append((now, shot.tick))
        with self._audience.lock:
            self._shown = shot
            self._story.note(shot)
            events = self._story.events(self._table.steps if self._table else (), before, shot)
        for words in events:
            self._keep(words, sure=False)
        ends = shot.outcome != _RUNNING or shot.tick == self._stop_at
        if ends or self._until in {words["event"] for words in events}:
            self._stop()
            return
        if now > self._marked + _MARK:
            self._mark()
        self._audience.show(shot.frame, self._status())

    def _mark(self) -> None:
        self._marked = time.monotonic()
        self._journal.write({"is": "at", "tick": self._shown.tick}, sure=False)

    # --- what is told ---

    def _status(self) -> Words:
        shot, lately = self._shown, list(self._lately)
        times = [moment for moment in lately if moment[0] > time.monotonic() - 2]
        span = times[-1][0] - times[0][0] if self._running and len(times) > 1 else 0.0
        return {
            "is": "status",
            "tick": shot.tick,
            "line": self._line,
            "outcome": shot.outcome,
            "running": self._running,
            "preparing": not self._ahead.prepared,
            "asking": self._asking,
            "speed": round((times[-1][1] - times[0][1]) / span, 1) if span else 0.0,
            "asked_speed": self._asked_speed,
            "alive": shot.alive,
            "score": shot.score,
            "steps": shot.steps,
            "plan": len(self.session.plans),
        }

    def _keep(self, *told: Words, sure: bool = True, hidden: Words | None = None) -> None:
        """Write texts to the journal, then tell them to all tabs; `hidden` is only written, with the first."""
        self._journal.write({**told[0], **(hidden or {})}, *told[1:], sure=sure)
        with self._audience.lock:
            for words in told:
                if words["is"] != "marked":
                    self._story.log.append(words)
                self._audience.tell(words)

    def _tell_status(self) -> None:
        with self._audience.lock:
            self._audience.show(self._shown.frame, self._status(), urgent=True)

    def _markers(self) -> Words:
        return self._stage.markers(self.session.world)

    # --- orders ---

    def _take(self, message: Message, tell: Tell) -> None:
        try:
            getattr(self, f"_do_{message.do}")(message, tell)
        except UserError as error:
            tell({"is": "refused", "id": message.id, "why": str(error)})

    def _begin(self, stop_at: int | None = None, until: str | None = None) -> None:
        outcome = self._shown.outcome
        if not self.session.plans:
            raise UserError("there is no plan yet\n  = help: say what you want, or write a plan")
        if outcome == "plan_finished":
            raise UserError("the plan is finished\n  = help: give another one, or branch from an earlier tick")
        if outcome != _RUNNING:
            raise UserError(f"the game is over: {outcome}\n  = help: begin again, or branch from an earlier tick")
        self._stop_at, self._until = stop_at, until
        if not self._running:
            self._due = self._marked = time.monotonic()
            self._lately.clear()
        self._running = True
        self._tell_status()

    def _stop(self) -> None:
        if self._running:
            self._running, self._stop_at, self._until = False, None, None
            self._mark()
        self._tell_status()

    def _do_run(self, message: Message, tell: Tell) -> None:
        self._begin()

    def _do_pause(self, message: Message, tell: Tell) -> None:
        self._stop()

    def _do_step(self, message: Message, tell: Tell) -> None:
        self._begin(stop_at=self._shown.tick + message.fields["ticks"])

    def _do_until(self, message: Message, tell: Tell) -> None:
        self._begin(until=message.fields["event"])

    def _do_speed(self, message: Message, tell: Tell) -> None:
        self._asked_speed, self._due = message.fields["ticks_per_second"], time.monotonic()
        self._lately.clear()
        self._tell_status()

    def _do_plan(self, message: Message, tell: Tell) -> None:
        session, text = self.session, message.fields["text"]
        report = dsl.check_plan(text, "plan", session.dialogue.context, session.dialogue.lenient)
        answer = {"is": "answer", "id": message.id, "text": "", "diagnostics": diagnostics(report)}
        if report.ok:
            self._order(PlanText("plan", text, report, session.request.written_for))
        tell(answer | {"kind": "plan" if report.ok else "invalid_plan"})

    def _order(self, plan: PlanText, first: Words | None = None, hidden: Words | None = None) -> None:
        """Follow a plan without errors from the tick that is shown; `first` is told before it."""
        session, tick = self.session, self._shown.tick
        self._ahead.settle(tick)
        if session.over:
            raise UserError(f"the game is over after {tick} ticks: {session.outcome}")
        plan = session.formatted(plan)
        told = [first] if first else []
        if session.plans and session.plans[-1][1].text == plan.text:
            if told:
                self._keep(*told, hidden=hidden)
            return
        number = sum(at < tick for at, _ in session.plans) + 1
        steps = plan_words(self._stage.table_of(compile_text(plan, session.world)))
        words = {"is": "plan", "number": number, "tick": tick, "text": plan.text, **steps}
        self._keep(*told, words, hidden=hidden)
        session.order(plan)
        self._change()

    def _change(self) -> None:
        """Show the present tick under the plan that now holds."""
        session = self.session
        table = self._stage.table(session.live) if session.plans else None
        shown = (
            self._stage.now(session.live, table, self._line) if table else self._stage.start(session.state, self._line)
        )
        with self._audience.lock:
            self._table, self._shown = table, shown
        self._tell_status()

    def _do_say(self, message: Message, tell: Tell) -> None:
        if self._asking:
            raise UserError("the commander is still thinking about the order before")
        text, tick = message.fields["text"], self._shown.tick
        self._ahead.settle(tick)
        state = self.session.state_for(text)
        self._keep({"is": "said", "id": message.id, "tick": tick, "text": text})
        goes_on, self._asking = self._running, True
        self._stop()
        threading.Thread(target=self._ask, args=(message.id, text, state, goes_on), daemon=True).start()

    def _ask(self, id: str | int | None, text: str, state: str, goes_on: bool) -> None:
        """Ask the commander, on a thread of its own: an answer may take minutes."""

        def piece(text: str) -> None:
            self._audience.tell({"is": "piece", "id": id, "text": text})

        dialogue = self.session.dialogue
        known = len(dialogue.messages)
        answer: Answer | str
        try:
            answer = dialogue.ask(
                text, state, (), piece, lambda text: piece(f"\n\n[sent back to the model]\n{text}\n\n")
            )
        except UserError as error:
            answer = str(error)
        except Exception as error:
            traceback.print_exc(file=sys.stderr)
            answer = f"an error of HIVE itself: {error!r}"
        hidden = {"messages": [each.json() for each in dialogue.messages[known:]]}
        self._waiting.put(lambda: self._answered(id, answer, hidden, goes_on))

    def _answered(self, id: str | int | None, answer: Answer | str, hidden: Words, goes_on: bool) -> None:
        self._asking = False
        if isinstance(answer, str):
            told: Words = {"is": "answer", "id": id, "kind": "failed", "text": answer, "diagnostics": []}
        else:
            found = diagnostics(answer.plan.report) if answer.plan else []
            told = {"is": "answer", "id": id, "kind": answer.kind, "text": answer.text, "diagnostics": found}
        open_still = self._shown.outcome in (_RUNNING, "plan_finished")
        if isinstance(answer, str) or answer.kind != "plan" or answer.plan is None or not open_still:
            self._keep(told, hidden=hidden)
        else:
            self._order(answer.plan, told, hidden)
            if goes_on and self._shown.outcome == _RUNNING:
                self._begin()
        self._tell_status()

    def _do_mark(self, message: Message, tell: Tell) -> None:
        letter, x, y = (message.fields[name] for name in ("letter", "x", "y"))
        if (x is None) != (y is None):
            raise UserError("a marker has both x and y, or neither to remove it")
        self.session.mark(letter, None if x is None else (x, y))
        put = {letter: list(place) for letter, place in self.session.request.markers}
        self._keep({"is": "marked", "markers": self._markers()}, hidden={"put": put})

    def _do_again(self, message: Message, tell: Tell) -> None:
        self._new_line(0, again=True)

    def _do_branch(self, message: Message, tell: Tell) -> None:
        tick = message.fields["tick"]
        if tick > self._shown.tick:
            raise UserError(f"the game has come to tick {self._shown.tick}, so it cannot branch at {tick}")
        self._new_line(tick, again=False)

    def _new_line(self, tick: int, again: bool) -> None:
        """Go back to a tick; what came after it is forgotten, with `again` the plans too."""
        self._stop()
        self._ahead.settle(self._shown.tick)
        with self._audience.lock:
            self._story.cut(tick)
            self._keep({"is": "line", "line": self._line + 1, "tick": tick, "again": again})
            self._line += 1
        if again:
            self.session.again()
        elif self.session.plans:
            self.session.back(tick)
        self._change()

    def _do_save(self, message: Message, tell: Tell) -> None:
        if self._saving:
            raise UserError("the run is being saved already")
        run = self._so_far()
        self._saving = True

        def save() -> None:
            try:
                tell({"is": "saved", "id": message.id, "path": self._save(run)})
            except UserError as error:
                tell({"is": "refused", "id": message.id, "why": str(error)})
            finally:
                self._saving = False

        threading.Thread(target=save, daemon=True).start()

    def _so_far(self) -> Run:
        """Return the game up to the tick that is shown, to be played once more."""
        self._ahead.settle(self._shown.tick)
        if not self.session.tick:
            raise UserError("there is nothing to keep yet: play the game first")
        return self.session.run(keep=True, only_so_far=True)
