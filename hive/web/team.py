"""A live game of a team for the page: any world with agents, to watch or with a person in one seat."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dsl import UserError
from hive.players.live import LiveTeam, Moment
from hive.players.running import TeamRun
from hive.players.seats import Desk
from hive.web.audience import GRACE, Audience, Viewer
from hive.web.keeping import page_of
from hive.web.messages import BrowserMessage, ServerMessage, Tell
from hive.web.scenes import SceneStream

Begin = Callable[..., LiveTeam]
"""Returns the game, not begun, that calls `shown`, `ended` and `idle`; see `LiveTeam`."""


class TeamPageGame:
    """One game of a team; a `hive.web.app.PageGame`.

    Attributes:
        kind: Which page shows it.
        live: The game.
    """

    kind = "team"

    def __init__(
        self,
        begin: Begin,
        audience: Audience,
        *,
        about: str,
        seat: str,
        desk: Desk | None,
        keep: Callable[[TeamRun], str],
    ) -> None:
        """Prepare; `open` begins.

        Args:
            begin: Makes the game.
            audience: The tabs.
            about: Who plays, in words.
            seat: Name of the person's agent; empty: there is no person.
            desk: Where the person is asked.
            keep: Keeps the finished run; returns a line that says where.
        """
        self._audience, self._seat, self._desk, self._about, self._keep = audience, seat, desk, about, keep
        if desk:
            desk.changed = self.question_changed
        self._stream = SceneStream()
        self._moment: Moment
        self._results: ServerMessage | None = None
        self.live = begin(shown=self._shown, ended=self._ended, idle=self._alone)

    def open(self) -> None:
        """Begin the game, and wait for its first frame.

        Raises:
            UserError: The world cannot be played so, or has no such seat.
        """
        self.live.start()
        self.live.set_pace(self._stream.hello["meta"]["pace"])

    def start(self) -> None:
        """Let a game with a person go on; without one it waits for an order."""
        if self._seat:
            self.live.go()

    def close(self) -> None:
        """End the game; its finished steps stay saved."""
        self.live.close()

    def welcome(self, viewer: Viewer) -> None:
        """Add a tab, which is told all that happened."""
        with self._audience.lock:
            viewer.put(
                {
                    "is": "hello",
                    "role": self._audience.join(viewer),
                    "title": f"{self._moment.env.name}, seed {self._moment.env.seed}",
                    "seat": self._seat,
                    "about": self._about,
                    **self._stream.hello,
                    "status": self._status(),
                    "question": self._question(),
                    "results": self._results,
                }
            )

    def post(self, message: BrowserMessage, tell: Tell) -> None:
        """Take an order about the clock, or the answer to a question.

        Raises:
            UserError: The order is not one for such a game, or the answer cannot be taken.
        """
        fields = message.fields
        match message.do:
            case "run":
                self.live.go()
            case "pause":
                self.live.pause()
            case "step":
                self.live.go(fields["ticks"])
            case "speed":
                self.live.set_pace(fields["ticks_per_second"])
            case "answer":
                if self._desk is None:
                    raise UserError("nobody has a seat in this game: it is played by others, and only watched here")
                self._desk.give(fields["number"], fields["fields"])
                tell({"is": "answer", "id": message.id, "kind": "taken"})
            case other:
                raise UserError(f"`{other}` is for worlds that plans command, and agents play this one")
        self._tell_status()

    def ask(self, message: BrowserMessage) -> ServerMessage:
        """Refuse: a tab has all frames, and there are no plans to check.

        Raises:
            UserError: Always.
        """
        raise UserError(f"`{message.do}` is for worlds that plans command, and agents play this one")

    def plan_text(self) -> str | None:
        """Return None: no plan commands the agents."""
        return None

    def replay(self) -> bytes:
        """Return the game so far as a page that plays it back."""
        return page_of(self._moment.recording)

    def question_changed(self) -> None:
        """Tell all tabs what is asked now."""
        self._audience.tell({"is": "question", "question": self._question()})

    # --- the thread that plays ---

    def _shown(self, moment: Moment) -> None:
        with self._audience.lock:
            self._moment = moment
            self._audience.tell({"is": "frames", **self._stream.take(moment.recording), "status": self._status()})

    def _ended(self) -> None:
        if not hasattr(self, "_moment"):
            return
        if self.live.run is not None:
            try:
                place = self._keep(self.live.run)
            except UserError as error:
                place = str(error)
            results: ServerMessage = {"is": "results", "table": self.live.run.table(), "place": place}
            with self._audience.lock:
                self._results = results
                self._audience.tell(results)
        self._tell_status()

    def _alone(self) -> bool:
        return not self._seat and self._audience.alone() > GRACE

    def _question(self) -> dict[str, Any] | None:
        question = self._desk.question if self._desk else None
        return question.json() if question else None

    def _status(self) -> dict[str, Any]:
        live, moment = self.live, self._moment
        return {
            "is": "status",
            "tick": moment.env.tick,
            "limit": moment.env.limit,
            "score": moment.env.score,
            "over": moment.over,
            "running": live.running,
            "pace": live.pace,
            "failure": str(live.failure) if live.failure else None,
        }

    def _tell_status(self) -> None:
        with self._audience.lock:
            self._audience.tell(self._status())
