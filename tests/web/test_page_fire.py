"""A wildfire level on the player's page in a real Chromium: a plan holds, and the map shows what the engine knows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import dsl
from hive.engine.live import LiveGame
from hive.kit.plan_text import PlanText
from hive.worlds import kind_of
from hive.worlds.wildfire.recording import idle_frame
from tests.view.browser import Browser, find_chromium
from tests.web.page_server import LEVEL, LEVEL_PLAN, serving_request

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving_request(LEVEL, tmp_path_factory.mktemp("level")) as found:
        yield found


@pytest.fixture
def page(address: str, tmp_path: Path) -> Iterator[Browser]:
    program = find_chromium()
    with Browser(program, tmp_path) as browser:
        browser.visit(address)
        browser.wait("window.live")
        yield browser
        assert browser.complaints() == []


def test_a_plan_moves_the_crew_and_the_map_is_that_of_the_engine(page: Browser, address: str) -> None:
    page.press("#show-plan")
    page.run("document.getElementById('text').select()")
    page.write(LEVEL_PLAN)
    page.wait("!document.getElementById('give').disabled && live.editor.groups.length === 2")
    page.press("#give")
    page.wait("live.game.plan", 120)
    page.run("live.link.send('step', { ticks: 12 })")
    page.wait("live.game.last === 12 && live.status.tick === 12 && !live.status.running", 60)
    world, seed = kind_of(LEVEL.scenario).load(LEVEL)
    report = dsl.check_plan(LEVEL_PLAN, "plan", world.context())
    live = LiveGame(world, PlanText("plan", LEVEL_PLAN, report, None), seed)
    live.play(12)
    frame = idle_frame(world.params, live.state)
    shown = "live.game.at(live.game.frames - 1)"
    assert page.run(f"Array.from({shown}.position)") == np.asarray(frame.position).ravel().tolist()
    for name in ("ground", "seen", "alive", "water"):
        wanted = np.asarray(getattr(frame, name)).astype(int).ravel().tolist()
        assert page.run(f"Array.from({shown}.{name})") == wanted, name
    page.press("#show-progress")
    assert "Step 0" in page.run("document.getElementById('plans').innerText")
    assert page.run("document.getElementById('markers').hidden")
    explored = page.run("live.game.explored")
    page.visit(address)
    page.wait("window.live")
    page.run("live.screen.seek(7)")
    page.wait("live.screen.now === 7 && live.game.tick.includes(7)")
    curve = page.run("live.game.explored")
    assert len(curve) == page.run("live.game.burning.length") == 13
    assert (curve[7], curve[12]) == (page.run("live.game.at(live.screen.frame).explored"), explored[-1])
