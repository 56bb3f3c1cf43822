"""A game of a team that is played live: on a thread of its own, with a pace and a pause, and perhaps with a person."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dsl import UserError
from hive.kit.agent_env import AgentEnv
from hive.kit.keep.recording import Recording
from hive.kit.reporting import Unwatched
from hive.kit.team_world import Round, TeamWorld
from hive.players.running import TeamRun, play_team_run
from hive.players.seats import Desk, GameClosedError, check_seat
from hive.players.teams.episode import TeamEpisode
from hive.players.teams.games import TeamPlayer


@dataclass(frozen=True)
class Moment:
    """A game between two steps; to be read while the game does not step.

    Attributes:
        env: The game as its agents know it.
        recording: What was recorded so far, with what the agents said.
        over: Whether the game has ended.
    """

    env: AgentEnv
    recording: Recording
    over: bool

    def json(self) -> dict[str, Any]:
        """Return how the game stands."""
        return {
            "world": self.env.name,
            "seed": self.env.seed,
            "step": self.env.tick,
            "limit": self.env.limit,
            "score": self.env.score,
            "over": self.over,
        }


class LiveTeam:
    """One live game of one world with one seed. Its methods may be called from any thread.

    Attributes:
        run: The finished run, once there is one.
        failure: What ended the game before its end, once something did.
    """

    def __init__(
        self,
        world: TeamWorld,
        player: TeamPlayer,
        seed: int,
        folder: Path,
        *,
        desk: Desk | None = None,
        seat: str = "",
        concurrent: int = 4,
        shown: Callable[[Moment], None] = lambda moment: None,
        ended: Callable[[], None] = lambda: None,
        idle: Callable[[], bool] = lambda: False,
    ) -> None:
        """Prepare; `start` begins.

        Args:
            world: What is played.
            player: Who plays.
            seed: Of the game.
            folder: Where finished steps are saved: the same game resumes there.
            desk: Where a person is asked.
            seat: Name of the person's agent; empty: there is no person.
            concurrent: Most requests at the same time.
            shown: Receives the game at its beginning and after each step, in the thread that plays.
            ended: Called in that thread when there is a `run` or a `failure`.
            idle: Returns whether the game is to wait, since nobody looks on.
        """
        self.run: TeamRun | None = None
        self.failure: UserError | None = None
        self._play = lambda: play_team_run(world, [player], [seed], folder, concurrent, Unwatched(), seen=self._seen)
        self._desk, self._seat, self._shown, self._ended, self._idle = desk, seat, shown, ended, idle
        self._news = threading.Condition()
        self._begun = threading.Event()
        self._running, self._closed = False, False
        self._steps: int | None = None  # to play before the next pause
        self._pace = 0.0  # steps a second; 0: as fast as possible
        self._fault: Exception | None = None
        self._thread = threading.Thread(target=self._work, name="team", daemon=True)
        self.moment: Moment

    def start(self) -> None:
        """Begin the game, paused, and wait until its first moment is there.

        Raises:
            UserError: The world cannot be played so, or has no such seat.
        """
        self._thread.start()
        self._begun.wait()
        if self._fault is not None:
            raise self._fault

    def go(self, steps: int | None = None) -> None:
        """Play on, for so many steps or until something stops the game."""
        with self._news:
            self._running, self._steps = True, steps
            self._news.notify_all()

    def pause(self) -> None:
        """Stop before the next step; what is asked now is still answered."""
        with self._news:
            self._running = False
            self._news.notify_all()

    def set_pace(self, steps_per_second: float) -> None:
        """Play at most so many steps a second; 0: as many as possible."""
        with self._news:
            self._pace = steps_per_second
            self._news.notify_all()

    @property
    def running(self) -> bool:
        """Whether the game goes on by itself."""
        return self._running and not self.finished

    @property
    def pace(self) -> float:
        """Most steps a second; 0: as many as possible."""
        return self._pace

    @property
    def finished(self) -> bool:
        """Whether nothing is played any more."""
        return self.run is not None or self.failure is not None

    def close(self) -> None:
        """End the game; its finished steps stay saved."""
        with self._news:
            self._closed = True
            self._news.notify_all()
        if self._desk:
            self._desk.close()
        self._thread.join(5)  # a slow model is not waited for

    def _work(self) -> None:
        try:
            self.run = self._play()
        except UserError as error:
            self.failure = self._fault = error
        except Exception as error:
            self._fault = error
            self.failure = UserError(f"an error of HIVE itself: {error!r}")
            if self._begun.is_set():
                raise
        finally:
            self._running = False
            self._begun.set()
            self._ended()

    def _seen(self, found: Round[AgentEnv], episodes: Sequence[TeamEpisode]) -> None:
        """Show the game, and hold it until its next step is due."""
        (env,) = found.episodes.envs
        if not episodes:
            check_seat(env, self._seat)
        episode = episodes[0] if episodes else None
        lines = episode.lines() if episode else []
        self.moment = Moment(env, found.episodes.recording(0, lines), episode is not None and episode.over)
        self._shown(self.moment)
        self._begun.set()
        if episode is None or not episode.repeats:
            self._hold()

    def _hold(self) -> None:
        due = time.monotonic() + (1 / self._pace if self._pace else 0)
        with self._news:
            if self._steps is not None:
                self._steps -= 1
                self._running = self._running and self._steps > 0
            while not self._closed:
                left = due - time.monotonic()
                if self._running and left <= 0 and not self._idle():
                    return
                self._news.wait(max(left, 0.1) if self._running else None)
            raise GameClosedError("the game was closed; its finished steps are saved")
