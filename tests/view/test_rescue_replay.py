"""A rescue's page tells in a browser what was recorded, with turns and messages up to the step that is shown."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from hive.kit.view.display import to_json
from hive.worlds.rescue.view.drawing import DRAWING
from hive.worlds.rescue.view.scene import RescueScene
from tests.rescue.episodes import spoken_run
from tests.view.browser import Browser
from tests.view.shown import asks_for_nothing, shown


def test_a_page_asks_for_nothing_and_cannot_be_broken_by_words() -> None:
    page = DRAWING.page(replace(spoken_run(), title="</script><b>"))
    assert asks_for_nothing(page)
    assert "</script><b>" not in page and "<b>it</b>" not in page


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with shown(spoken_run(), tmp_path_factory.mktemp("rescue")) as browser:
        yield browser


@pytest.mark.slow
def test_the_page_tells_the_recording(page: Browser) -> None:
    run = spoken_run()
    assert page.complaints() == []
    assert [address.rpartition("/")[2] for address in page.requests()] == ["replay.html"]
    scene = RescueScene(run)
    for t in (0, 3, 7):
        items = [to_json(item) for item in scene.frame(t, still=False)]
        assert page.run(f"replay.game.at({t}).items") == json.loads(json.dumps(items))
        assert page.run(f"Array.from(replay.game.at({t}).places)") == pytest.approx(np.ravel(scene.places(t)))
    said = "Array.from(document.querySelectorAll('#talk li:not(.later) p'), (p) => p.textContent)"
    looks = set()
    for t in (0, 1, 4, 7):
        page.run(f"replay.seek({t})")
        assert page.run(said) == [line.text for line in run.lines if line.tick <= t]
        looks.add(page.run("document.getElementById('units').toDataURL()"))
    assert len(looks) == 4
    assert page.run("document.querySelector('#tick').textContent") == "step 7 of 7"
    page.run("document.querySelectorAll('#talk .when')[0].click()")
    assert page.run("replay.now") == 1
    assert "give_food() – refused" in page.run("document.querySelector('#agent-0').innerText")


def told_at(page: Browser, number: int) -> str:
    """What the page tells of an agent, or of a room, whose numbers follow."""
    box = f"(({{ left, top }}) => replay.field.screenOf({number}).map((v, axis) => v + (axis ? top : left)))"
    page.mouse("mouseMoved", *page.run(box + "(replay.field.box.getBoundingClientRect())"))
    return str(page.run("document.getElementById('tip').innerText"))


@pytest.mark.slow
def test_hovering_tells_about_agents_rooms_and_victims(page: Browser) -> None:
    page.run("replay.seek(0)")
    alpha = told_at(page, 0)
    assert all(word in alpha for word in ("Alpha", "room1", "water 1, medicine 1")), alpha
    room = told_at(page, 2 + 2)
    assert all(word in room for word in ("room3", "room2, room4", "victim1", "urgent; needs water, food")), room
    page.mouse("mouseMoved", 2, 2)
