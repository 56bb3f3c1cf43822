"""What tabs are told: events of a tick, the past after a branch, and frames no faster than they are drawn."""

from __future__ import annotations

import asyncio
import json
import threading
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import dsl
from dsl import UserError
from hive.engine.course import CourseStep
from hive.engine.page_view import Snapshot
from hive.kit.planned_world import Run
from hive.kit.reporting import Watch
from hive.kit.view.frame import Frame
from hive.web import app
from hive.web.audience import Audience, Viewer
from hive.web.editing import first_draft
from hive.web.frame_history import FrameHistory
from hive.web.frames import COLUMNS
from hive.web.guard import Guard
from hive.web.keeping import Save, Saver
from hive.web.story import Story
from tests.llm.talks import session
from tests.web.talking import battle_columns, decode

STEPS = (CourseStep(0, 0, (), "position", -1), CourseStep(1, 7, (), "elimination all", -1))


def snapshot(tick: int, own: int = 10, foes: int = 20, **more: Any) -> Snapshot:
    columns = {name: np.full(4, tick, np.uint16) for name in COLUMNS} | {"health": np.full(4, tick % 256, np.uint8)}
    wanted = {"outcome": "running", "steps": [1, 0], "score": None, "fought": False} | more
    return Snapshot(frame=Frame(0, tick, columns), alive=[[own, 0], [0, foes]], **wanted)


def told(story: Story, before: Snapshot, now: Snapshot) -> list[tuple[str, str]]:
    story.note(now, 1)
    return [(words["event"], words["text"]) for words in story.events(STEPS, before, now)]


def test_events_are_told_once_and_at_their_tick() -> None:
    story = Story((), snapshot(0), "first contact")
    assert told(story, snapshot(0), snapshot(1)) == []
    assert told(story, snapshot(1), snapshot(2, fought=True)) == [("contact", "first contact")]
    assert told(story, snapshot(2), snapshot(3, fought=True)) == []
    assert told(story, snapshot(3), snapshot(4, foes=19)) == [], "a loss of 5% is none yet"
    assert told(story, snapshot(4, foes=19), snapshot(5, foes=17)) == [("loss", "the enemy has lost 10% of its units")]
    assert told(story, snapshot(5, foes=17), snapshot(6, own=7, foes=17)) == [
        ("loss", "the player has lost 30% of its units")
    ]
    assert told(story, snapshot(6), snapshot(7, steps=[2, 1])) == [("step", "step 0 is achieved: position")]
    assert told(story, snapshot(7, steps=[2, 1]), snapshot(8, steps=[2, 2], outcome="loss")) == [
        ("step", "the enemy's step 7 is achieved: elimination all"),
        ("end", "the game has ended: loss"),
    ]


def test_a_branch_forgets_what_came_after_it() -> None:
    story = Story([{"is": "said", "tick": 9, "text": "x"}], snapshot(0), "first contact")
    for tick in range(1, 6):
        before, now = snapshot(tick - 1), snapshot(tick, fought=tick > 2)
        story.note(now, 1)
        story.log += story.events(STEPS, before, now)
    assert [words["is"] for words in story.log] == ["said", "event"]
    story.cut(2, 1)
    assert [row[0] for row in story.curves] == [0, 1, 2]
    assert [words["is"] for words in story.log] == ["said"], "what was said stays"
    assert told(story, snapshot(2), snapshot(3, fought=True)) == [("contact", "first contact")], "it can happen again"


def test_steps_are_told_by_plan_wherever_they_change() -> None:
    """A plan that replaces another at one tick replaces its row; a branch drops the rows of plans that it drops."""
    story = Story((), snapshot(0), "first contact")
    for tick, plan, steps in ((0, 1, [1, 0]), (1, 1, [1, 0]), (2, 1, [2, 1]), (2, 2, [0]), (2, 2, [1]), (3, 2, [1])):
        story.note(snapshot(tick, steps=steps), plan)
    assert story.progress == [(0, 1, [1, 0]), (2, 1, [2, 1]), (2, 2, [1])]
    assert [row[0] for row in story.curves] == [0, 1, 2, 3]
    story.cut(2, 1)
    assert story.progress == [(0, 1, [1, 0]), (2, 1, [2, 1])]
    story.cut(0, 0)
    assert story.progress == []


def test_a_reel_without_room_keeps_the_ends_and_gives_the_tick_before_a_gap() -> None:
    one = sum(column.nbytes for column in snapshot(0).frame.columns.values())
    history = FrameHistory(most_bytes=10 * one)
    for tick in range(40):
        history.add(snapshot(tick))
    kept = sorted({history.at(tick).tick for tick in range(40)})
    assert kept[0] == 0 and kept[-4:] == [36, 37, 38, 39] and len(kept) <= 10
    assert all(history.at(tick).tick == max(each for each in kept if each <= tick) for tick in range(40))
    history.cut(kept[3])
    assert history.at(39).tick == kept[3]
    history.add(snapshot(2, own=3))
    assert history.at(39).alive[0] == [3, 0], "a tick that is shown again replaces it and what came after"


def test_a_tab_gets_the_newest_frame_when_it_has_drawn() -> None:
    """At most two frames are on the way; the ticks between are skipped, and each frame builds on the last one sent."""

    async def story() -> list[int]:
        audience, viewer = Audience(), Viewer(asyncio.get_running_loop())
        assert audience.join(viewer) == "commander"
        drawn: list[Frame] = []

        async def draw() -> None:
            for data in await viewer.next():
                if isinstance(data, bytes):
                    frame, number = decode(data, drawn[-1] if drawn else None, battle_columns(data, 4))
                    assert number == len(drawn)
                    drawn.append(frame)

        def show(tick: int) -> None:
            viewer.show(snapshot(tick).frame, {"is": "status", "tick": tick})

        for tick in (0, 1):
            show(tick)
            await draw()
        for tick in (2, 3, 4):
            show(tick)
        viewer.put({"is": "marked"})
        assert [json.loads(text)["is"] for text in await viewer.next()] == ["marked"], "texts wait for nothing"
        viewer.seen(1)
        await draw()
        show(5)
        await draw()
        for frame in drawn:
            assert all((frame.columns[name] == frame.tick).all() for name in COLUMNS)
        return [frame.tick for frame in drawn]

    assert asyncio.run(story()) == [0, 1, 4, 5]


def test_one_frame_of_a_tick_that_was_sent_twice_is_drawn_for_both() -> None:
    """An order shows the present tick again; a browser that draws only the second says so once."""

    async def story() -> None:
        viewer = Viewer(asyncio.get_running_loop())
        for _ in range(2):
            viewer.show(snapshot(3).frame, {"is": "status"})
            await viewer.next()
        viewer.seen(3)
        for tick in (4, 5):
            viewer.show(snapshot(tick).frame, {"is": "status"})
            assert any(isinstance(data, bytes) for data in await viewer.next())

    asyncio.run(story())


def test_a_tab_that_reads_nothing_is_given_up() -> None:
    async def story() -> bool:
        viewer = Viewer(asyncio.get_running_loop())
        for _ in range(20):
            viewer.put({"is": "checked", "text": "x" * 2**20})
        return viewer.lost

    assert asyncio.run(story())


class Silent:
    """A connection to a browser that sends nothing, and what happens when it is sent something."""

    def __init__(self, guard: Guard, fails: bool) -> None:
        self.headers, self.query_params = {"host": f"127.0.0.1:{guard.port}"}, {"token": guard.token}
        self._fails = fails

    async def accept(self) -> None: ...

    async def receive(self) -> None:
        await asyncio.Event().wait()

    async def send_text(self, text: str) -> None:
        if self._fails:
            raise ValueError("an error of ours")
        await asyncio.Event().wait()


@pytest.mark.parametrize("fails", [False, True])
def test_a_tab_that_can_be_sent_nothing_leaves(fails: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rule: it loses the command, and no longer keeps a game running."""
    monkeypatch.setattr(app, "_PATIENCE", 0.05)
    audience, guard = Audience(), Guard("token", 8321)

    def welcome(viewer: Viewer) -> None:
        audience.join(viewer)
        viewer.put({"is": "hello"})

    routes: Any = app.WebRoutes(SimpleNamespace(welcome=welcome), audience, guard)  # type: ignore[arg-type]
    with pytest.raises(ExceptionGroup) if fails else nullcontext():
        asyncio.run(asyncio.wait_for(routes.live(Silent(guard, fails)), 10))
    assert audience.alone() > 0


def test_the_host_of_a_request_has_the_port_unless_it_is_that_of_http() -> None:
    for port, host in ((8321, "localhost:8321"), (80, "localhost")):
        assert Guard("token", port).problem({"host": host, "origin": f"http://{host}"}) is None
        assert Guard("token", port + 1).problem({"host": host})


def test_the_command_goes_to_one_tab_at_a_time() -> None:
    async def story() -> None:
        audience = Audience()
        one, two = (Viewer(asyncio.get_running_loop()) for _ in range(2))
        assert [audience.join(each) for each in (one, two)] == ["commander", "viewer"]
        audience.take(two)
        assert [audience.role(each) for each in (one, two)] == ["viewer", "commander"], "no tab locks the command"
        told = [json.loads(words) for words in await one.next()]
        assert told == [{"is": "command", "role": "viewer", "free": False}]
        audience.leave(two)
        assert [audience.role(each) for each in (one, two)] == ["viewer", "viewer"]
        assert json.loads((await one.next())[0])["free"]
        audience.take(one)
        assert audience.role(one) == "commander"

    asyncio.run(story())


def test_saving_is_answered_at_once_and_its_recording_is_reported() -> None:
    """The rule: the first message names the folder; the work is reported behind it, and one run is saved at a time."""
    told: list[dict[str, Any]] = []
    gate, done = threading.Event(), threading.Event()

    def tell(words: dict[str, Any]) -> None:
        told.append(words)
        if words["is"] in ("saved", "refused"):
            done.set()

    def record(run: Run, folder: Path, watch: Watch) -> None:
        gate.wait(10)
        watch.stage("playing", 10, "tick")
        watch.update(4)

    saver = Saver(Save(lambda: Path("runs/one"), record), threading.Event())
    run: Any = object()
    saver.begin("s-1", lambda: run, tell)
    assert told == [{"is": "saving", "id": "s-1", "path": "runs/one", "doing": "", "done": 0, "total": 1}]
    with pytest.raises(UserError, match="is being saved already"):
        saver.begin("s-2", lambda: run, tell)
    gate.set()
    assert done.wait(10)
    assert {**told[0], "doing": "playing", "total": 10} in told
    assert told[-1] == {"is": "saved", "id": "s-1", "path": "runs/one"}


def test_a_run_that_is_being_saved_ends_with_the_game() -> None:
    """The rule: closing the game ends the recording at its next report, and waits for that."""
    told: list[dict[str, Any]] = []
    closed, began = threading.Event(), threading.Event()

    def record(run: Run, folder: Path, watch: Watch) -> None:
        watch.stage("playing", 10, "tick")
        began.set()
        closed.wait(10)
        watch.update(4)

    saver = Saver(Save(lambda: Path("runs/one"), record), closed)
    run: Any = object()
    saver.begin("s-1", lambda: run, told.append)
    assert began.wait(10)
    closed.set()
    saver.close()
    assert told[-1]["is"] == "refused" and "the server has ended" in told[-1]["why"]


def test_the_editor_begins_with_the_shipped_plan_or_a_template() -> None:
    """Both are plans without errors in their world."""
    one = session([])
    shipped = first_draft(one)
    assert shipped["origin"] == "shipped"
    assert dsl.check_plan(shipped["text"], "plan", one.dialogue.context).ok
    one.dialogue.topic = replace(one.dialogue.topic, plan=None)
    template = first_draft(one)
    assert template["origin"] == "template" and "objective: elimination all" in template["text"]
    assert dsl.check_plan(template["text"], "plan", one.dialogue.context).ok


def test_a_plan_that_the_log_lacks_is_no_plan_of_the_greeting() -> None:
    """A session file whose plan was changed by hand resumes; the page then shows none."""
    story = Story([], snapshot(0), "first contact")
    plan: Any = SimpleNamespace(text="x")
    assert story.plan([(0, plan)]) is None
