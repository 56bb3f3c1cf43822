"""A server of the page in this process, with a game of a team, to watch or with a seat for a person."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import uvicorn

from hive.kit.reporting import Unwatched
from hive.kit.team_world import TeamRequest
from hive.players.choosing import Terms, team_players
from hive.players.live import LiveTeam
from hive.players.seats import Desk, seated
from hive.players.teams.frameworks import FAMILIES
from hive.players.teams.prompting import Prompts
from hive.web.app import WebRoutes
from hive.web.audience import Audience
from hive.web.guard import Guard, new_token
from hive.web.server import config_of, listen
from hive.web.team import TeamPageGame
from hive.worlds import kind_of


@contextmanager
def serving_team(name: str, folder: Path, seat: str = "", player: str = "speaker") -> Iterator[str]:
    """Serve a game of a team; give the address of the page, with its token."""
    world, audience = kind_of(name).team_world(TeamRequest(worlds=[name])), Audience()
    terms = Terms(rules=FAMILIES[world.acting].rules(), prompts=Prompts(), seat=seat)
    (playing,) = team_players(world, [player], terms, Unwatched())
    desk = Desk() if seat else None
    if desk:
        playing = seated(playing, seat, desk)
    begin = partial(LiveTeam, world, playing, world.seeds[0], folder, desk=desk, seat=seat)
    game = TeamPageGame(
        begin, audience, about=playing.about, seat=seat, desk=desk, keep=lambda run: f"kept in {folder}"
    )
    game.open()
    with listen("127.0.0.1", 8800, search=True) as found:
        guard = Guard(new_token(), found.getsockname()[1])
        server = uvicorn.Server(config_of(WebRoutes(game, audience, guard)))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [found]}, daemon=True)
        thread.start()
        while not server.started:
            assert thread.is_alive(), "the server ended"
            time.sleep(0.01)
        try:
            yield f"http://127.0.0.1:{guard.port}/?token={guard.token}"
        finally:
            server.should_exit = True
            thread.join(20)
