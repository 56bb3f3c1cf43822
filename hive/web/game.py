"""The live game of a page: one thread carries out orders, keeps the pace and shows what the engine has played."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable

import dsl
from dsl import UserError
from hive.engine.course import StepState
from hive.engine.ending import StepAtEnd, explain_end
from hive.engine.reading import compile_text
from hive.kit.plan_text import PlanText
from hive.kit.planned_world import Run
from hive.players.llm.client import Message
from hive.players.llm.session import Session
from hive.web.asking import Question
from hive.web.audience import GRACE, Audience, Viewer
from hive.web.clock import Clock
from hive.web.editing import checked, diagnostics
from hive.web.journal import Past, SessionJournal
from hive.web.keeping import ClosedWatch, Save, Saver, done_by, replay_page
from hive.web.messages import BrowserMessage, ServerMessage, Tell, own_fault
from hive.web.prefetching import Prefetcher, Segment
from hive.web.present import Present
from hive.worlds import page_view_of

_MOST_WAITING = 256  # messages of browsers
_ENDED = "the server stopped before the commander had answered; send the order again"
_ALONE = "the game was paused, because the page was closed in every tab"
_RUNNING = "running"


class WebGame:
    """One session and its game. Every public method may be called from any thread.

    Attributes:
        session: What is played, and the commander.
        kind: Kind of the world: `battle` or `fire`.
    """

    def __init__(self, session: Session, audience: Audience, journal: SessionJournal, save: Save) -> None:
        """Prepare; `start` begins.

        Args:
            session: What is played, and the commander.
            audience: The tabs.
            journal: The file of the session, which has just begun or was taken up with `resume`.
            save: How a run is kept.
        """
        view = page_view_of(session.request.scenario)(session.world)
        view.hidden = session.against is not None
        self.session, self.kind = session, view.kind
        self._view, self._audience, self._journal = view, audience, journal
        self._present = Present(session, view, audience, journal)
        self._closed, self._closing = threading.Event(), threading.Lock()
        self._saver = Saver(save, self._closed)
        self._waiting: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()  # None: the end
        self._thread = threading.Thread(target=self._work, name="game", daemon=True)
        self._prefetcher = Prefetcher(session, view)
        self._clock = Clock()
        self._stop_at: int | None = None
        self._until: str | None = None
        self._asking = False

    def resume(self, past: Past, watch: Callable[[int], None]) -> None:
        """Bring a new game to where a session was; call it before `start`.

        Args:
            past: What its journal tells.
            watch: Receives each tick that was played again.

        Raises:
            DslError: A plan of the journal has errors in this world.
        """
        session, present = self.session, self._present
        present.resume(past)
        session.dialogue.messages = [Message(each["role"], each["text"]) for each in past.messages]  # type: ignore[arg-type]
        ends = [*(tick for tick, _ in past.plans[1:]), past.tick]
        for (tick, text), until in zip(past.plans, ends, strict=False):  # without a plan there is one end too many
            report = dsl.check_plan(text, f"plan at {tick}", session.dialogue.context, session.dialogue.lenient)
            if not report.ok:
                raise dsl.DslError(report.diagnostics)
            session.order(PlanText("plan", text, report, session.request.written_for), anew=True)
            present.change()
            assert present.table is not None, "there is a plan"
            for snapshot in self._prefetcher.play_to(until, present.table, present.line):
                present.take(snapshot)
                watch(snapshot.tick)
        if past.unanswered:
            told: ServerMessage = {
                "is": "answer",
                "id": past.unanswered[-1],
                "kind": "failed",
                "text": _ENDED,
                "diagnostics": [],
            }
            present.keep(told, hidden={"messages": []})

    def start(self) -> None:
        """Begin to take orders, and prepare the engine meanwhile."""
        self._thread.start()
        self._prefetcher.prepare(self._tell_status)

    def close(self) -> None:
        """Pause, and end the threads; a run that is being saved is given up."""
        with self._closing:
            self._closed.set()
            self._waiting.put(None)
        self._thread.join()
        self._saver.close()
        self._prefetcher.close()
        self._journal.close()

    def post(self, message: BrowserMessage, tell: Tell) -> None:
        """Take a message that changes the game.

        Raises:
            UserError: Too many are waiting.
        """
        self._line_up(lambda: self._take(message, tell))

    def welcome(self, viewer: Viewer) -> None:
        """Add a tab: it is told all that happened, and draws the present tick."""
        with self._audience.lock:
            self._present.welcome(viewer, self._status())

    def ask(self, message: BrowserMessage) -> ServerMessage:
        """Answer a `check` of a plan, or a `look` at an earlier tick.

        Raises:
            UserError: The game has not come so far.
        """
        return checked(message, self.session) if message.do == "check" else self._present.look(message)

    def plan_text(self) -> str | None:
        """Return the text of the plan in force."""
        plans = self.session.plans
        return plans[-1][1].text if plans else None

    def replay(self) -> bytes:
        """Return the page of the game up to the tick that is shown, which is played once more for that; wait for it.

        Raises:
            UserError: Nothing was played yet, too many messages are waiting, or the game was closed.
        """
        return replay_page(done_by(self._line_up, self._so_far), ClosedWatch(self._closed))

    def _line_up(self, act: Callable[[], None]) -> None:
        """Put what a browser asks for into the queue, if there is room.

        What the game's own threads put there needs no room: the game's thread may be waiting for them.
        """
        with self._closing:
            if self._closed.is_set():
                raise UserError("the server has ended")
            if self._waiting.qsize() >= _MOST_WAITING:
                raise UserError("too many messages are waiting; send it again later")
            self._waiting.put(act)

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
                self._refill()
            except UserError as error:  # the journal cannot be written
                self._fail(str(error))
            except Exception as error:  # a fault of ours must not end the session
                self._fail(own_fault(error))

    def _refill(self) -> None:
        now = self._present
        if self._clock.running and now.table is not None:
            self._prefetcher.refill(now.snapshot, self._clock.asked_speed, now.table, now.line, self._arrived)

    def _fail(self, why: str) -> None:
        self._clock.stop()
        self._audience.tell({"is": "refused", "id": None, "why": f"{why}; the game is paused"})
        self._tell_status()

    def _arrived(self, done: Segment) -> None:
        self._waiting.put(lambda: self._prefetcher.take(done))

    def _pause(self) -> float | None:
        """Return seconds until there is something to do without an order; None: there is nothing."""
        return self._clock.wait() if self._clock.running and self._prefetcher.ready else None

    def _tick(self) -> None:
        """Show the next tick if it is due."""
        if not self._clock.running or not self._prefetcher.ready or self._clock.wait() > 0:
            return
        present, before = self._present, self._present.snapshot
        if self._audience.alone() > GRACE:
            present.keep({"is": "event", "event": "alone", "tick": before.tick, "text": _ALONE})
            self._stop()
            return
        snapshot = self._prefetcher.ready.popleft()
        self._clock.take(snapshot.tick)
        present.take(snapshot)
        events = present.story.events(present.table.steps if present.table else (), before, snapshot)
        for words in events:
            present.keep(words, sure=False)
        ends = snapshot.outcome != _RUNNING or snapshot.tick == self._stop_at
        if ends or self._until in {words["event"] for words in events}:
            self._stop()
            return
        present.mark(now=False)
        present.show(self._status())

    def _status(self) -> ServerMessage:
        snapshot, clock = self._present.snapshot, self._clock
        return {
            "is": "status",
            "tick": snapshot.tick,
            "line": self._present.line,
            "outcome": snapshot.outcome,
            "running": clock.running,
            "preparing": self._prefetcher.compiling,
            "asking": self._asking,
            "speed": clock.speed(),
            "asked_speed": clock.asked_speed,
            "alive": snapshot.alive,
            "score": snapshot.score,
            "point": snapshot.point,
            "steps": snapshot.steps,
            "plan": len(self.session.plans),
            "end": self._end(),
        }

    def _end(self) -> dict[str, str] | None:
        """Return `why` the game ended and what to try (`advice`); None while it runs."""
        present, snapshot = self._present, self._present.snapshot
        if snapshot.outcome == _RUNNING or present.table is None:
            return None
        steps = [
            StepAtEnd(step.number, step.objective, state == StepState.ACHIEVED, state == StepState.ACTIVE)
            for step, state in zip(present.table.steps, snapshot.steps, strict=True)
            if not step.side
        ]
        end = explain_end(self.session.world, snapshot.outcome, snapshot.tick, snapshot.alive, steps)
        return {"why": end.why, "advice": end.advice}

    def _tell_status(self) -> None:
        with self._audience.lock:
            self._present.show(self._status(), urgent=True)

    # --- orders ---

    def _take(self, message: BrowserMessage, tell: Tell) -> None:
        try:
            fields = message.fields
            match message.do:
                case "run":
                    self._begin()
                case "pause":
                    self._stop()
                case "step":
                    self._begin(stop_at=self._present.snapshot.tick + fields["ticks"])
                case "until":
                    self._begin(until=fields["event"])
                case "speed":
                    self._clock.set_speed(fields["ticks_per_second"])
                    self._tell_status()
                case "say":
                    self._say(message.id, fields["text"])
                case "plan":
                    tell(self._read(message.id, fields["text"]))
                case "mark":
                    self._put(fields["letter"], fields["x"], fields["y"])
                case "again":
                    self._new_line(0, again=True)
                case "branch":
                    self._branch(fields["tick"])
                case "save":
                    self._saver.begin(message.id, self._so_far, tell)
                case "answer":
                    raise UserError("there are no seats in this game, which plans command\n  = help: give it a plan")
                case other:
                    raise AssertionError(f"`{other}` is no order to the game")
        except UserError as error:
            tell({"is": "refused", "id": message.id, "why": str(error)})
        except Exception as error:  # a fault of ours must not leave the page waiting
            self._clock.stop()
            tell({"is": "refused", "id": message.id, "why": f"{own_fault(error)}; the game is paused"})
            self._tell_status()

    def _begin(self, stop_at: int | None = None, until: str | None = None) -> None:
        outcome = self._present.snapshot.outcome
        if not self.session.plans:
            raise UserError("there is no plan yet\n  = help: say what you want, or write a plan")
        if outcome == "plan_finished":
            raise UserError("the plan is finished\n  = help: give another one, or branch from an earlier tick")
        if outcome != _RUNNING:
            raise UserError(f"the game is over: {outcome}\n  = help: restart it, or branch from an earlier tick")
        self._stop_at, self._until = stop_at, until
        self._clock.start()
        self._tell_status()

    def _stop(self) -> None:
        if self._clock.running:
            self._clock.stop()
            self._present.mark(now=True)
        self._tell_status()

    def _read(self, id: str | int | None, text: str) -> ServerMessage:
        """Follow a plan as text if it has no errors; return the answer."""
        session = self.session
        report = dsl.check_plan(text, "plan", session.dialogue.context, session.dialogue.lenient)
        if report.ok:
            self._order(PlanText("plan", text, report, session.request.written_for))
        kind = "plan" if report.ok else "invalid_plan"
        return {"is": "answer", "id": id, "kind": kind, "text": "", "diagnostics": diagnostics(report)}

    def _order(self, plan: PlanText, first: ServerMessage | None = None, hidden: ServerMessage | None = None) -> None:
        """Follow a plan without errors from the tick that is shown; `first` is told before it."""
        session, tick = self.session, self._present.snapshot.tick
        self._prefetcher.settle(tick)
        if session.over:
            raise UserError(
                f"the game is over after {tick} ticks: {session.outcome}\n"
                "  = help: restart it, or branch from an earlier tick"
            )
        plan = session.formatted(plan)
        told = [first] if first else []
        if session.plans and session.plans[-1][1].text == plan.text:
            if told:
                self._present.keep(*told, hidden=hidden)
            return
        number = sum(at < tick for at, _ in session.plans) + 1
        steps = self._view.table_of(compile_text(plan, session.world)).words()
        words = {"is": "plan", "number": number, "tick": tick, "text": plan.text, **steps}
        self._present.keep(*told, words, hidden=hidden)
        self._prefetcher.wait()
        session.order(plan)
        self._change()

    def _change(self) -> None:
        self._present.change()
        self._tell_status()

    def _say(self, id: str | int | None, text: str) -> None:
        if self._asking:
            raise UserError("the commander is still thinking about the order before\n  = help: wait for its answer")
        tick = self._present.snapshot.tick
        self._prefetcher.settle(tick)
        question = Question(id, text, self.session, self._clock.running)
        self._present.keep({"is": "said", "id": id, "tick": tick, "text": text})
        self._asking = True
        self._stop()
        question.ask(self._audience.tell, lambda done: self._waiting.put(lambda: self._answered(done)))

    def _answered(self, question: Question) -> None:
        self._asking = False
        hidden = {"messages": question.messages}
        if question.plan is None or self._present.snapshot.outcome not in (_RUNNING, "plan_finished"):
            self._present.keep(question.told, hidden=hidden)
        else:
            self._order(question.plan, question.told, hidden)
            if question.goes_on and self._present.snapshot.outcome == _RUNNING:
                self._begin(self._stop_at, self._until)
        self._tell_status()

    def _put(self, letter: str, x: int | None, y: int | None) -> None:
        if (x is None) != (y is None):
            raise UserError("a marker has both x and y, or neither to remove it")
        self.session.mark(letter, None if x is None or y is None else (x, y))
        put = {letter: list(place) for letter, place in self.session.request.markers}
        self._present.keep({"is": "marked", "markers": self._view.markers(self.session.world)}, hidden={"put": put})

    def _branch(self, tick: int) -> None:
        if tick > self._present.snapshot.tick:
            now = self._present.snapshot.tick
            raise UserError(
                f"the game has come to tick {now}, so it cannot branch at {tick}\n  = help: name a tick from 0 to {now}"
            )
        self._new_line(tick, again=False)

    def _new_line(self, tick: int, again: bool) -> None:
        """Go back to a tick; what came after it is forgotten, with `again` the plans too."""
        self._stop()
        self._prefetcher.settle(self._present.snapshot.tick)
        self._present.begin_line(tick, again)
        if again:
            self.session.again()
        elif self.session.plans:
            self.session.back(tick)
        self._change()

    def _so_far(self) -> Run:
        """Return the game up to the tick that is shown, to be played once more."""
        self._prefetcher.settle(self._present.snapshot.tick)
        if not self.session.tick:
            raise UserError("there is nothing to keep yet: play the game first")
        return self.session.run(keep=True, only_so_far=True)
