"""A game that tabs command over the live connection is the game that the engine plays, and every tab sees it."""

from __future__ import annotations

import json
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from websockets.exceptions import ConnectionClosed

from dsl import UserError
from hive.engine.live import LiveGame
from hive.engine.page_view import Snapshot
from hive.kit.plan_text import PlanText
from hive.kit.planned_world import Request
from hive.kit.view.frame import Frame
from hive.players.llm.session import DialogueConfig, Session
from hive.web import journal
from hive.web.audience import Audience
from hive.web.game import WebGame
from hive.web.keeping import Save
from hive.web.messages import BrowserMessage
from hive.worlds import kind_of
from tests.web.hostile import messages
from tests.web.page_server import BROKEN, PLAN, Commander, serving
from tests.web.talking import Tab

pytestmark = pytest.mark.slow

LATER = PLAN.replace("(14, 12)", "(4, 4)").replace("(34, 12)", "(44, 4)")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("meadow")


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    with serving(folder) as found:
        yield found


@pytest.fixture
def tab(address: str) -> Iterator[Tab]:
    """A tab that commands a game at tick 0 without a plan."""
    with Tab(address) as found:
        if found.hello["role"] != "commander":  # the tab of the test before is not gone yet
            found.until(lambda words: words["is"] == "command" and words["free"])
            found.send("command")
        found.send("pause")
        found.send("again")
        found.hear("line")
        found.status(tick=0, plan=0, running=False)
        found.send("speed", ticks_per_second=1000)
        yield found


def straight(folder: Path, *plans: tuple[int, str], tick: int) -> Frame:
    """What the engine has at a tick of a game with these plans, in the columns of a frame."""
    request = Request(scenario=str(folder / "meadow.toml"), seed=1)
    world: Any = kind_of(request.scenario).load(request)[0]
    texts = [PlanText.read(text, world.context()) for _, text in plans]
    game = LiveGame(world, texts[0], 1)
    for (at, _), text in list(zip(plans, texts, strict=True))[1:]:
        game.play(at - game.tick)
        game.order(text)
    game.play(tick - game.tick)
    state = game.state
    side = len(world.kind)
    part = np.round(np.asarray(state.position) * np.float32(65535 / side)).astype(np.uint16)
    most = np.asarray(world.params.types.max_health)[np.asarray(world.params.units.type)]
    share = np.ceil(np.asarray(state.health).astype(np.float16).astype(np.float32) * (255 / most)).astype(np.uint8)
    return Frame(0, tick, {"x": part[:, 0], "y": part[:, 1], "health": share})


def same(frame: Frame, wanted: Frame) -> None:
    assert frame.tick == wanted.tick
    for name, column in wanted.columns.items():
        np.testing.assert_array_equal(frame.columns[name], column, err_msg=name)


def test_a_plan_a_swap_and_a_branch_are_the_games_of_the_engine(tab: Tab, folder: Path) -> None:
    """The engine runs ahead of what is shown, and orders hold from the tick that is shown all the same."""
    assert tab.ask("plan", text=PLAN)["kind"] == "plan"
    tab.send("step", ticks=25)
    tab.status(tick=25, running=False)
    same(tab.draw(25), straight(folder, (0, PLAN), tick=25))
    assert tab.ask("plan", text=LATER)["kind"] == "plan"
    given = [words for words in tab.told if words["is"] == "plan"][-1]
    assert (given["number"], given["tick"]) == (2, 25)
    tab.send("step", ticks=30)
    tab.status(tick=55, running=False)
    same(tab.draw(55), straight(folder, (0, PLAN), (25, LATER), tick=55))
    tab.send("branch", tick=10)
    assert tab.hear("line")["tick"] == 10
    assert tab.status(tick=10)["plan"] == 1
    tab.send("step", ticks=25)
    tab.status(tick=35, running=False)
    same(tab.draw(35), straight(folder, (0, PLAN), tick=35))
    assert tab.frames[-1].line == tab.told[-1]["line"]


def test_any_tick_of_the_game_can_be_looked_at(tab: Tab, address: str, folder: Path) -> None:
    """A tab that has just come sees each tick as the engine had it, and how far the steps of each plan were then."""
    before = len(tab.told)
    tab.ask("plan", text=PLAN)
    tab.send("step", ticks=12)
    tab.status(tick=12, running=False)
    tab.ask("plan", text=LATER)
    tab.send("step", ticks=8)
    steps = [(words["tick"], words["plan"], words["steps"]) for words in tab.told[before:] if words["is"] == "status"]
    steps += [(20, 2, tab.status(tick=20, running=False)["steps"])]
    with Tab(address) as late:
        for tick in (0, 5, 12, 13, 20):
            plans = ((0, PLAN), (12, LATER)) if tick > 12 else ((0, PLAN),)
            same(late.look(tick), straight(folder, *plans, tick=tick))
        assert [row[0] for row in late.hello["curves"]] == list(range(21))
        for tick, plan, wanted in steps:
            known = [row for row in late.hello["progress"] if row[0] <= tick and row[1] == plan]
            assert not plan or known[-1][2] == wanted
        assert late.ask("look", tick=21)["why"].startswith("the game has come to tick 20")
        tab.send("branch", tick=5)
        tab.status(tick=5)
        assert late.ask("look", tick=6)["is"] == "refused"
        assert late.look(3).line == tab.told[-1]["line"]


def test_an_order_to_the_commander_holds_from_the_tick_that_is_shown(tab: Tab) -> None:
    """A question changes nothing; a plan holds, and a game that ran goes on."""
    assert tab.ask("say", text="Where?")["kind"] == "no_plan"
    assert tab.ask("say", text="Fail")["text"] == "the model does not answer"
    assert tab.ask("say", text="Wrong")["diagnostics"][0]["message"] == "y is 512, but the map ends at 47"
    assert tab.ask("run")["why"].startswith("there is no plan yet")
    assert tab.ask("say", text="Hold")["kind"] == "plan"
    assert "".join(words["text"] for words in tab.told if words["is"] == "piece").endswith(
        f"The archers hold.\n\n{PLAN}"
    )
    tab.send("speed", ticks_per_second=50)
    tab.send("run")
    tab.until(lambda words: words["is"] == "status" and words["tick"] >= 5)
    assert tab.ask("say", text="Hold")["kind"] == "plan"
    assert tab.status(running=True)["tick"] >= 5, "the same plan goes on, and the clock with it"
    tab.send("pause")
    tab.status(running=False)


def test_an_order_leaves_the_end_of_a_step_where_it_was(tab: Tab) -> None:
    """The clock that stood for an answer goes on to the tick at which it was to stop."""
    tab.ask("plan", text=LATER)
    tab.send("speed", ticks_per_second=10)
    tab.send("step", ticks=40)
    tab.until(lambda words: words["is"] == "status" and words["tick"] >= 2)
    tab.send("say", text="Hold the meadow.")
    tab.hear("answer")
    tab.send("speed", ticks_per_second=1000)
    tab.status(running=True, asked_speed=1000, plan=2)
    assert tab.status(running=False)["tick"] == 40


@pytest.mark.parametrize("event", ["step", "contact", "loss"])
def test_the_clock_runs_to_an_event(tab: Tab, event: str) -> None:
    tab.ask("plan", text=PLAN)
    tab.send("until", event=event)
    tab.status(running=True)
    end = tab.status(running=False)
    happened = [words for words in tab.told if words["is"] == "event"]
    assert happened[-1]["tick"] == end["tick"]
    assert [words["event"] for words in happened].count(event) == 1 or event == "loss"
    assert event in {words["event"] for words in happened if words["tick"] == end["tick"]}


def test_a_plan_with_errors_changes_nothing(tab: Tab) -> None:
    answer = tab.ask("plan", text=BROKEN)
    assert answer["kind"] == "invalid_plan"
    found = answer["diagnostics"][0]
    assert found["severity"] == "error" and found["line"] and "512" in found["message"]
    assert tab.ask("run")["is"] == "refused"


def test_another_tab_watches_until_it_takes_the_command(tab: Tab, address: str) -> None:
    tab.ask("plan", text=PLAN)
    with Tab(address) as other:
        assert other.hello["role"] == "viewer"
        assert [words["is"] for words in other.hello["log"]][-1] == "plan"
        assert other.hello["plan"]["text"].startswith("BEGIN PLAN")
        assert other.ask("run")["why"].startswith("another tab has the command")
        assert other.ask("check", text=BROKEN)["diagnostics"]
        tab.send("step", ticks=5)
        other.draw(5)
        other.send("command")
        assert other.hear("command")["role"] == "commander"
        assert tab.hear("command") == {"is": "command", "role": "viewer", "free": False}
        assert tab.ask("run")["is"] == "refused"
        tab.leave()
        other.send("step", ticks=3)
        other.status(tick=8, running=False)


def test_a_game_is_paused_when_the_last_tab_is_closed(
    tab: Tab, address: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tab that comes back in time finds the game running; later it finds it paused, and the session says where."""
    tab.ask("plan", text=PLAN)
    tab.send("speed", ticks_per_second=10)
    tab.send("run")
    tab.status(running=True)
    tab.leave()
    with Tab(address) as back:
        assert back.hello["status"]["running"]
        assert "alone" not in {words.get("event") for words in back.hello["log"]}
        back.status(running=True)
    monkeypatch.setattr("hive.web.game.GRACE", 0.1)
    kept = folder / "session.jsonl"
    for _ in range(600):
        entries = [json.loads(line) for line in kept.read_text().splitlines()[1:]]
        if entries[-1]["is"] == "at" and entries[-2].get("event") == "alone":
            break
        time.sleep(0.05)
    with Tab(address) as late:
        status = late.hello["status"]
        assert not status["running"] and status["outcome"] == "running"
        assert [words.get("event") for words in late.hello["log"]].count("alone") == 1
        assert late.hello["log"][-1]["tick"] == status["tick"] == entries[-1]["tick"]
        late.send("step", ticks=1)
        late.status(tick=status["tick"] + 1, running=False)


def test_a_tab_that_does_not_draw_skips_frames_and_stalls_nothing(tab: Tab, address: str) -> None:
    """Two frames are on the way at most; the game goes on, and the next frame is the newest."""
    with Tab(address, draws=False) as slow:
        tab.ask("plan", text=PLAN)
        tab.send("step", ticks=40)
        tab.status(tick=40, running=False)
        slow.until(lambda words: words["is"] == "status" and words["tick"] == 40)
        assert len(slow.frames) == 2
        for frame in list(slow.frames):
            slow.send("seen", tick=frame.tick)
        slow.ask("check", text="")
        slow.ask("check", text="")
        assert slow.frames[-1].tick == 40 and len(slow.frames) == 3
        same(slow.frames[-1], Frame(0, 40, {name: tab.draw(40).columns[name] for name in ("x", "y", "health")}))


def test_markers_are_told_to_all_and_to_the_commander(tab: Tab) -> None:
    tab.send("mark", letter="B", x=7, y=9)
    assert tab.hear("marked")["markers"]["B"] == [7, 9]
    assert tab.ask("mark", letter="B", x=700, y=9)["is"] == "refused"
    tab.send("mark", letter="B", x=None)
    assert "B" not in tab.hear("marked")["markers"]
    assert tab.ask("mark", letter="B")["is"] == "refused"


def test_the_game_is_kept_once_something_was_played(tab: Tab, address: str, folder: Path) -> None:
    assert tab.ask("save")["why"].startswith("there is nothing to keep yet")
    tab.ask("plan", text=PLAN)
    tab.send("step", ticks=12)
    tab.status(tick=12, running=False)
    assert tab.ask("save") == {
        "is": "saving",
        "id": 3,
        "path": str(folder / "kept"),
        "doing": "",
        "done": 0,
        "total": 1,
    }
    assert tab.hear("saved")["path"] == str(folder / "kept")
    with urllib.request.urlopen(address.replace("/?", "/plan.plan?")) as answer:
        assert answer.read().decode() == next(words["text"] for words in tab.told if words["is"] == "plan")


@pytest.mark.long
def test_a_replay_shows_the_game_so_far(tab: Tab, address: str) -> None:
    tab.ask("plan", text=PLAN)
    tab.send("step", ticks=12)
    tab.status(tick=12, running=False)
    with urllib.request.urlopen(address.replace("/?", "/replay.html?")) as answer:
        page = answer.read().decode()
    assert '"outcome": "timeout"' in page and '"frames": 13' in page and "Meadow" in page


def test_requests_need_the_token_and_come_from_the_page(address: str) -> None:
    """Another site in the same browser cannot reach the game, whatever name it gives this machine."""
    wrong = address[:-4] + "aaaa"
    host = address.split("/")[2]
    for path, headers in (
        (wrong, {}),
        (address.split("token")[0], {}),
        (address, {"Host": "elsewhere.example:80"}),
        (address, {"Origin": "http://elsewhere.example"}),
        (address, {"Origin": "http://["}),
        (address, {"Origin": f"https://{host}.elsewhere.example"}),
    ):
        for page in ("/?", "/plan.plan?", "/replay.html?"):
            request = urllib.request.Request(path.replace("/?", page), headers=headers)
            with pytest.raises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(request)
            assert refused.value.code == 403
            refused.value.close()
    for bad in (wrong, address.split("token")[0]):
        with pytest.raises(ConnectionClosed) as closed:
            Tab(bad)
        assert closed.value.rcvd is not None and closed.value.rcvd.code == 1008 and "token" in closed.value.rcvd.reason
    with pytest.raises(ConnectionClosed) as closed:
        Tab(address, origin="http://elsewhere.example")
    assert closed.value.rcvd is not None and "another page" in closed.value.rcvd.reason


TICKS = 30


def told(tab: Tab, text: str | bytes) -> str:
    """What the server says to a message: `refused`, or `answer` for a plan that cannot be used."""
    tab.send_text(text)
    words = tab.hear("refused", "answer")
    assert words["is"] == "refused" or words["kind"] == "invalid_plan"
    assert words["is"] == "answer" or 0 < len(words["why"]) < 600
    return str(words["is"])


def play(tab: Tab) -> dict[str, list[int]]:
    tab.send("step", ticks=TICKS)
    tab.status(tick=TICKS, running=False)
    return {name: column.tolist() for name, column in tab.draw(TICKS).columns.items()}


def test_messages_that_wait_do_not_hold_up_the_engine(address: str, folder: Path, tmp_path: Path) -> None:
    """The rule: the engine hands over its ticks even where no room is left for messages of browsers."""
    request = Request(scenario=str(folder / "meadow.toml"), seed=1)
    talk = Session(request, kind_of(request.scenario), Commander(), DialogueConfig())
    kept = journal.begin(tmp_path / "session.jsonl", talk)
    game = WebGame(talk, Audience(), kept, Save(lambda: tmp_path, lambda *given: None))  # its thread is not begun
    pause = BrowserMessage("pause", None, {})
    with pytest.raises(UserError, match="too many messages are waiting"):
        for _ in range(10_000):
            game.post(pause, lambda words: None)
    played: Future[list[Snapshot]] = Future()
    engine = threading.Thread(target=played.set_result, args=([],), daemon=True)
    played.add_done_callback(game._arrived)
    engine.start()
    engine.join(10)
    assert not engine.is_alive()
    kept.close()


@pytest.mark.parametrize("count", [100, pytest.param(10_000, marks=pytest.mark.long)])
def test_the_game_goes_on_as_if_nothing_had_been_said(count: int, tab: Tab, address: str) -> None:
    """Each message is refused with a reason, and the game is the same as without them."""
    tab.send("speed", ticks_per_second=1000)
    tab.ask("plan", text=PLAN)
    wanted = play(tab)
    tab.send("branch", tick=0)
    tab.status(tick=0, running=False)
    half = messages(seed=2, count=count)
    tab.send("speed", ticks_per_second=2)
    tab.send("step", ticks=TICKS)
    tab.status(running=True)
    said = [told(tab, text) for text in half]
    assert len(said) == count and said.count("refused") > count // 2
    for large in ("x" * 70_000, json.dumps({"do": "check", "text": "x" * 10_000_000})):
        with Tab(address) as other, pytest.raises(ConnectionClosed) as closed:
            other.send_text(large)
            other.hear("answer")
        rcvd = closed.value.rcvd  # None where the connection ended while the message was still being sent
        assert rcvd is None or rcvd.code == 1009
    for path in ("/page/../app.py", "/page/%2e%2e/app.py", "/page/app.py", "/etc/passwd", "//etc/passwd", "/live"):
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(address.replace("/?", f"{path}?"))
        assert refused.value.code in (403, 404)
        refused.value.close()
    tab.send("speed", ticks_per_second=1000)
    tab.status(tick=TICKS, running=False)
    found = {name: column.tolist() for name, column in tab.draw(TICKS).columns.items()}
    assert found == wanted
