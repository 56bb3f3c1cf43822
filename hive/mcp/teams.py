"""Games of agents for a client: with a seat for the client, or played by others alone."""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dsl import UserError
from dsl.wording import quoted
from hive.kit.reporting import Unwatched, Watch
from hive.kit.team_world import TeamWorld
from hive.mcp.clock import CallClock, OutOfTimeError
from hive.mcp.limits import NAME, check_most
from hive.players.choosing import Terms, team_of, team_players
from hive.players.live import LiveTeam
from hive.players.running import TeamRun, play_team_run
from hive.players.seats import Desk, seated
from hive.players.teams.frameworks import FAMILIES
from hive.players.teams.games import TeamPlayer
from hive.players.teams.prompting import Prompts

_LOOK = 0.02  # seconds between two looks at a game
_SLOW = "the others have not decided yet: `look` at the game again"


@dataclass(kw_only=True)
class HeldTeam:
    """One live game of agents.

    Attributes:
        name: Its name for clients.
        seat: Name of the client's agent.
        live: The game.
        desk: Where the client is asked.
        folder: Where the finished steps are saved while the game lives.
        busy: Held by the call that uses the game.
    """

    name: str = ""
    seat: str
    live: LiveTeam
    desk: Desk
    folder: tempfile.TemporaryDirectory[str]
    busy: threading.Lock = field(default_factory=threading.Lock)

    def summary(self) -> dict[str, Any]:
        """Return what the game is and how it stands, in plain values."""
        return {"game": self.name, **self.live.moment.json(), "seat": self.seat}

    def look(self, clock: CallClock) -> dict[str, Any]:
        """Wait until the client is asked or the game is over; return what it is asked, or the results.

        Raises:
            UserError: The game could not be played to its end.
        """
        remark: dict[str, Any] = {}
        clock.begin("waiting for the others", 0)
        try:
            while self.desk.question is None and not self.live.finished:
                time.sleep(_LOOK)
                clock.update(self.live.moment.env.tick)
        except OutOfTimeError:
            remark = {"remark": _SLOW}
        if self.live.failure:
            raise self.live.failure
        found = {**self.summary(), "question": None, **remark}
        if (question := self.desk.question) is not None:
            text = "\n\n".join(message.text for message in question.messages)
            asked = {"number": question.number, "text": text, "fields": [each.json() for each in question.form]}
            found["question"] = asked
        elif self.live.run is not None:
            found["results"] = self.live.run.json()
        return found

    def answer(self, number: int, fields: Mapping[str, str], clock: CallClock) -> dict[str, Any]:
        """Answer what is asked, and go on as `look` does.

        Raises:
            UserError: The answer cannot be taken; see `Desk.give`.
        """
        self.desk.give(number, fields)
        return self.look(clock)

    def close(self) -> None:
        """End the game and remove what was saved."""
        self.live.close()
        self.folder.cleanup()


def begin(world: TeamWorld, seat: str, player: str | None, seed: int | None) -> HeldTeam:
    """Begin a game in which the client has a seat.

    Raises:
        UserError: The world has no such seat, or there is no such player.
    """
    playing = _player(world, player, seat, Unwatched())
    desk, folder = Desk(), tempfile.TemporaryDirectory(prefix="hive-")
    live = LiveTeam(world, seated(playing, seat, desk), _seed(world, seed), Path(folder.name), desk=desk, seat=seat)
    try:
        live.start()
    except BaseException:
        folder.cleanup()
        raise
    live.go()
    return HeldTeam(seat=seat, live=live, desk=desk, folder=folder)


def watch_team(world: TeamWorld, player: str | None, seed: int | None, watch: Watch) -> TeamRun:
    """Let a player play a world to its end.

    Raises:
        UserError: There is no such player, or it takes longer than a call may.
    """
    with tempfile.TemporaryDirectory(prefix="hive-") as folder:
        playing = _player(world, player, "", watch)
        return play_team_run(world, [playing], [_seed(world, seed)], Path(folder), 4, watch)


def _player(world: TeamWorld, name: str | None, seat: str, watch: Watch) -> TeamPlayer:
    check_most("the longest name", max(len(name or ""), len(seat)), NAME, "character")
    if name is not None and not name.strip():
        raise UserError(f"there is no player {quoted(name)}\n  = help: `describe` lists the players")
    terms = Terms(rules=FAMILIES[world.acting].rules(), prompts=Prompts(), seat=seat)
    (player,) = team_players(world, [name] if name else [], terms, watch)
    return team_of(player)


def _seed(world: TeamWorld, seed: int | None) -> int:
    return world.seeds[0] if seed is None else seed
