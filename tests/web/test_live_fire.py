"""A wildfire level over the live connection: orders, branches, looks back, and a session that is taken up again."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hive.engine.live import LiveGame
from hive.kit.plan_text import PlanText
from hive.kit.view.frame import Frame
from hive.worlds import kind_of
from hive.worlds.wildfire.recording import idle_frame
from hive.worlds.wildfire.view.live import watch_crew
from tests.web.page_server import LEVEL, LEVEL_PLAN, serving_request
from tests.web.talking import Tab

pytestmark = pytest.mark.slow

ROOM = 16  # ticks of a segment, as the server plays them: no further program is compiled
LATER = LEVEL_PLAN.replace("(24, 20)", "(2, 27)")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("level")


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    with serving_request(LEVEL, folder) as found:
        yield found


def same(frame: Frame, *plans: tuple[int, str], tick: int) -> None:
    """A frame shows the crew and the map that the engine has at a tick of a game with these plans."""
    world: Any
    world, seed = kind_of(LEVEL.scenario).load(LEVEL)
    texts = [PlanText.read(text, world.context()) for _, text in plans]
    game = LiveGame(world, texts[0], seed)
    for (at, _), text in list(zip(plans, texts, strict=True))[1:]:
        game.play_watched(at - game.tick, watch_crew, ROOM)
        game.order(text)
    for _ in range(game.tick, tick, ROOM):
        game.play_watched(tick - game.tick, watch_crew, ROOM)
    wanted = idle_frame(world.params, game.state)
    assert (frame.tick, game.tick) == (tick, tick)
    found = np.stack([frame.columns["x"], frame.columns["y"]], -1)
    np.testing.assert_array_equal(found, np.asarray(wanted.position))
    for name in ("ground", "seen", "alive", "water"):
        column = np.asarray(getattr(wanted, name)).astype(int).ravel()
        np.testing.assert_array_equal(frame.columns[name].astype(int), column, err_msg=name)


def step(tab: Tab, ticks: int, to: int) -> Frame:
    tab.send("step", ticks=ticks)
    tab.status(tick=to, running=False)
    return tab.draw(to)


@pytest.mark.long
def test_a_session_that_is_taken_up_goes_on_as_the_game_would_have(address: str, folder: Path, tmp_path: Path) -> None:
    """The file as a killed server leaves it: the same tick, the same past, and the same ticks after it."""
    with Tab(address) as tab:
        tab.send("speed", ticks_per_second=1000)
        assert tab.ask("plan", text=LEVEL_PLAN)["kind"] == "plan"
        same(step(tab, 9, 9), (0, LEVEL_PLAN), tick=9)
        assert tab.ask("plan", text=LATER)["kind"] == "plan"
        same(step(tab, 8, 17), (0, LEVEL_PLAN), (9, LATER), tick=17)
        tab.send("branch", tick=12)
        tab.hear("line")
        same(step(tab, 4, 16), (0, LEVEL_PLAN), (9, LATER), tick=16)
        shutil.copy(folder / "session.jsonl", tmp_path)
        with serving_request(LEVEL, tmp_path) as again, Tab(again) as other:
            told = other.hello
            assert (told["status"]["tick"], told["status"]["plan"], told["line"]) == (16, 2, tab.frames[-1].line)
            with Tab(address) as beside:
                for name in ("log", "curves", "progress", "plan"):
                    assert told[name] == beside.hello[name], name
            for tick in (0, 5, 9, 13, 16):
                for column, values in tab.look(tick).columns.items():
                    np.testing.assert_array_equal(other.look(tick).columns[column], values, err_msg=column)
            other.send("speed", ticks_per_second=1000)
            same(step(other, 6, 22), (0, LEVEL_PLAN), (9, LATER), tick=22)
            other.send("branch", tick=4)
            other.hear("line")
            assert other.status(tick=4)["plan"] == 1
            same(step(other, 10, 14), (0, LEVEL_PLAN), tick=14)
        assert tab.ask("look", tick=17)["is"] == "refused", "the first server knows nothing of the second"
        same(tab.look(5), (0, LEVEL_PLAN), tick=5)
