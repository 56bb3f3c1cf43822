"""What is shown of a game now, and the texts sent about it; a text is in the journal before it is sent."""

from __future__ import annotations

import base64
import time
from dataclasses import replace

from dsl import UserError
from hive.engine.course import PlanTable
from hive.engine.page_view import PageView, Snapshot
from hive.players.llm.session import Session
from hive.web.audience import Audience, Viewer
from hive.web.editing import first_draft
from hive.web.frames import encode
from hive.web.journal import Past, SessionJournal
from hive.web.messages import BrowserMessage, ServerMessage
from hive.web.story import Story

_MARK = 1.0  # seconds between two notes in the journal of how far a running game has come


class Present:
    """The tick of a game that is shown, and its past. What it has changes under the audience's lock alone.

    Attributes:
        snapshot: The tick that is shown.
        table: What commands the units; None before the first plan.
        line: Number of the line of the game.
        story: What happened before.
    """

    def __init__(self, session: Session, view: PageView, audience: Audience, journal: SessionJournal) -> None:
        """Begin at tick 0 of a game without a plan."""
        self._session, self._view, self._audience, self._journal = session, view, audience, journal
        self.table: PlanTable | None = None
        self.line = 0
        self.snapshot = view.start(session.state, 0)
        self.story = Story((), self.snapshot, view.contact)
        self._draft = first_draft(session)  # of the editor, before there is a plan
        self._marked = 0.0  # when the journal was last told the tick

    def resume(self, past: Past) -> None:
        """Take up what was told in a session, at tick 0 of its last line."""
        self.line, self.story = past.line, Story(past.log, self.snapshot, self._view.contact)

    def take(self, snapshot: Snapshot) -> None:
        """Show the tick that follows."""
        with self._audience.lock:
            self.snapshot = snapshot
            self.story.note(snapshot, len(self._session.plans))

    def change(self) -> None:
        """Show the tick that the session has come to, under the plan that now holds."""
        session, view = self._session, self._view
        table = view.table(session.live) if session.plans else None
        snapshot = view.now(session.live, table, self.line) if table else view.start(session.state, self.line)
        with self._audience.lock:
            self.table = table
            self.take(snapshot)

    def begin_line(self, tick: int, again: bool) -> None:
        """Begin another line of the game at a tick and forget what came after it, with `again` the plans too."""
        with self._audience.lock:
            self.keep({"is": "line", "line": self.line + 1, "tick": tick, "again": again})
            self.story.cut(tick, 0 if again else sum(at <= tick for at, _ in self._session.plans))
            self.line += 1

    def keep(self, *told: ServerMessage, sure: bool = True, hidden: ServerMessage | None = None) -> None:
        """Write texts to the journal, then tell them to all tabs; `hidden` is only written, with the first."""
        self._journal.write({**told[0], **(hidden or {})}, *told[1:], sure=sure)
        with self._audience.lock:
            for words in told:
                if words["is"] != "marked":
                    self.story.log.append(words)
                self._audience.tell(words)

    def mark(self, now: bool) -> None:
        """Note in the journal how far the game has come: `now`, or if it was not done lately."""
        if now or time.monotonic() > self._marked + _MARK:
            self._marked = time.monotonic()
            self._journal.write({"is": "at", "tick": self.snapshot.tick}, sure=False)

    def show(self, status: ServerMessage, urgent: bool = False) -> None:
        """Let all tabs draw the tick."""
        self._audience.show(self.snapshot.frame, status, urgent)

    def welcome(self, viewer: Viewer, status: ServerMessage) -> None:
        """Tell a tab that was added all that happened, and let it draw the tick; hold the lock meanwhile."""
        session, view, story = self._session, self._view, self.story
        hello = {
            "is": "hello",
            "role": self._audience.join(viewer),
            "meta": view.meta() | {"markers": view.markers(session.world)},
            "data": view.data,
            "terrain": view.terrain,
            "commander": session.dialogue.client.about,
            "orders": session.suggestions,
            "line": self.line,
            "plan": story.plan(session.plans),
            "draft": self._draft,
            "log": story.log,
            "curves": story.curves,
            "progress": story.progress,
            "status": status,
        }
        viewer.put(hello)
        viewer.show(self.snapshot.frame, status)

    def look(self, message: BrowserMessage) -> ServerMessage:
        """Answer a `look` at an earlier tick.

        Raises:
            UserError: The game has not come so far.
        """
        tick = message.fields["tick"]
        with self._audience.lock:
            if tick > self.snapshot.tick:
                raise UserError(
                    f"the game has come to tick {self.snapshot.tick}, so there is no tick {tick} to look at\n"
                    f"  = help: name a tick from 0 to {self.snapshot.tick}"
                )
            snapshot, line = self.story.history.at(tick), self.line
        frame = encode(replace(snapshot.frame, line=line), None, 0)
        return {
            "is": "looked",
            "id": message.id,
            "steps": snapshot.steps,
            "score": snapshot.score,
            "frame": base64.b64encode(frame).decode(),
        }
