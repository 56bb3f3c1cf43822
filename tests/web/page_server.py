"""A server of the page in this process, with a small battle and a commander that answers what the prompt asks for."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn

from hive.kit.planned_world import Request, Run
from hive.kit.reporting import Watch
from hive.players.llm.client import ChatRequest, ModelError, Reply, TextSink
from hive.players.llm.session import DialogueConfig, Session
from hive.web import journal
from hive.web.app import WebRoutes
from hive.web.audience import Audience
from hive.web.game import WebGame
from hive.web.guard import Guard, new_token
from hive.web.keeping import Save
from hive.web.server import config_of, listen
from hive.worlds import kind_of

MEADOW = """\
version = 1
title = "Meadow"
summary = "ten archers hold a meadow against eight spearmen"
briefing = "Ten archers stand in the south. Hold the meadow."
[map]
size = 48
shapes = [{ terrain = "forest", name = "Copse", box = [30, 30, 44, 44] }]
[rules]
limit = 400
[player]
plan = "hold.plan"
units = [{ type = "archer", count = 10, box = [0.2, 0.1, 0.6, 0.1] }]
[enemy]
plan = "enemy.plan"
units = [{ type = "spearmen", count = 8, box = [0.2, 0.85, 0.6, 0.1] }]
"""
PLAN = """\
BEGIN PLAN
Step 0:
prerequisites: []
objective: position
units: [0:5]
- target position: (14, 12)
- behavior: attack_in_long_range any
units: [5:10]
- target position: (34, 12)
- behavior: attack_in_long_range any

Step 1:
prerequisites: [0]
objective: elimination all
units: all
- target position: (24, 14)
- behavior: attack_in_long_range any
END PLAN
"""
BROKEN = PLAN.replace("(14, 12)", "(14, 512)")
ENEMY = """\
Step 0:
prerequisites: []
objective: elimination all
units: all
- target position: (24, 6)
- behavior: attack_in_close_range any
"""
LEVEL = Request(scenario="wildfire/cut_trees_sparse_small")
LEVEL_PLAN = """\
Step 0:
prerequisites: []
objective: scout (0, 0) (29, 29)
units: [0]
- target position: (4, 4)
- behavior: go_to
units: [1:3]
- target position: (24, 20)
- behavior: go_to
"""


class Commander:
    """Answers by the first word: `Hold` with a plan, `Wrong` with one that has a mistake, `Fail` not at all."""

    name = "page test"
    about = "a commander for tests answers, no model"

    def complete(self, request: ChatRequest, told: TextSink | None = None) -> Reply:
        prompt = next(message.text for message in reversed(request.messages) if message.role == "user")
        if prompt.startswith("Fail"):
            raise ModelError("the model does not answer")
        if prompt.startswith("Hold"):
            text = f"The archers hold.\n\n{PLAN}"
        else:
            text = BROKEN if prompt.startswith("Wrong") else "Where do you want them?"
        for piece in text.splitlines(keepends=True):
            if told:
                told(piece)
        return Reply(text, self.name)


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """Serve the small battle; give the address of the page, with its token."""
    (folder / "meadow.toml").write_text(MEADOW)
    (folder / "hold.plan").write_text(PLAN)
    (folder / "enemy.plan").write_text(ENEMY)
    request = Request(scenario=str(folder / "meadow.toml"), seed=1)
    with serving_request(request, folder) as address:
        yield address


def record(run: Run, folder: Path, watch: Watch) -> None:
    """Report the recording of a run, whose ticks nothing plays."""
    watch.stage("playing", 4, "tick")
    for done in range(5):
        watch.update(done)


@contextmanager
def serving_request(request: Request, folder: Path) -> Iterator[str]:
    """Serve a world; give the address of the page, with its token. A session in the folder is resumed, or begun."""
    path, audience = folder / "session.jsonl", Audience()
    past = journal.read(path) if path.exists() else None
    request = past.request() if past else request
    session = Session(request, kind_of(request.scenario), Commander(), DialogueConfig(converse=True, repairs=0))
    kept = journal.SessionJournal(path, past.chain) if past else journal.begin(path, session)
    game = WebGame(session, audience, kept, Save(lambda: folder / "kept", record))
    if past:
        game.resume(past, lambda tick: None)
    with listen("127.0.0.1", 8700, search=True) as found:
        port = found.getsockname()[1]
        guard = Guard(new_token(), port)
        server = uvicorn.Server(config_of(WebRoutes(game, audience, guard)))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [found]}, daemon=True)
        thread.start()
        while not server.started:
            assert thread.is_alive(), "the server ended"
            time.sleep(0.01)
        try:
            yield f"http://127.0.0.1:{port}/?token={guard.token}"
        finally:
            server.should_exit = True
            thread.join(20)
