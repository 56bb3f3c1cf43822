"""A household's page tells in a browser what was recorded, with the messages up to the step that is shown."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from hive.kit.view.display import to_json
from hive.worlds import kept
from hive.worlds.household.codes import INSIDE
from hive.worlds.household.view.replay import make_house_page
from hive.worlds.household.view.scene import HouseScene
from tests.household.chores import FRAMES, chores
from tests.view.browser import Browser, find_chromium
from tests.view.shown import asks_for_nothing, shown

pytestmark = pytest.mark.slow


def test_a_page_asks_for_nothing_and_cannot_be_broken_by_words() -> None:
    page = make_house_page(replace(chores(), title="</script><b>"))
    assert asks_for_nothing(page)
    assert "</script><b>" not in page


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with shown(chores(), tmp_path_factory.mktemp("house")) as browser:
        yield browser


def test_the_page_holds_the_frames(page: Browser) -> None:
    assert page.complaints() == []
    for t in range(FRAMES):
        items = [to_json(item) for item in HouseScene(chores()).frame(t, still=False)]
        assert page.run(f"replay.game.at({t}).items") == json.loads(json.dumps(items))


def test_scrubbing_shows_deeds_hands_goal_and_messages_so_far(page: Browser) -> None:
    said = "Array.from(document.querySelectorAll('#talk li:not(.later) p'), (p) => p.textContent)"
    page.run("replay.seek(3)")
    assert page.run(said) == [line.text for line in chores().lines[:2]]
    assert "holds cupcake_1" in page.run("document.querySelector('#agent-0').innerText")
    assert "cupcake 0 of 1" in page.run("document.querySelector('#order').innerText")
    page.run("replay.seek(5)")
    assert "cupcake 1 of 1" in page.run("document.querySelector('#order').innerText")
    assert "hands empty" in page.run("document.querySelector('#agent-0').innerText")


def test_a_carried_container_tells_what_is_in_it(tmp_path: Path) -> None:
    """As a number on the map, and by name next to it."""
    place = chores().place.copy()
    place[4:, 1:3] = INSIDE
    recording = replace(chores(), place=place)
    names = [each.name for each in recording.episode.things]
    recording.save(tmp_path / "recording.npz")
    kept.write_page(tmp_path / "recording.npz", tmp_path / "replay.html")
    with Browser(find_chromium(), tmp_path / "profile") as browser:
        browser.open(tmp_path / "replay.html")
        browser.wait("window.replay")
        browser.run("replay.seek(4)")
        assert f"holds {names[0]} ({names[1]}, {names[2]})" in browser.run(
            "document.querySelector('#agent-0').innerText"
        )
        assert "number: things in a carried container" in browser.run("document.getElementById('legend').innerText")
        assert browser.run("replay.game.at(4).items.some(([kind, words]) => kind === 'text' && words[0] === '2')")
        assert browser.complaints() == []


def test_hovering_tells_about_agents_and_furniture(page: Browser) -> None:
    page.run("replay.seek(0)")
    for number, words in ((0, ("Alice", "bathroom")), (2, ("kitchencabinet_1", "closed"))):
        box = f"(({{ left, top }}) => replay.field.screenOf({number}).map((v, axis) => v + (axis ? top : left)))"
        page.mouse("mouseMoved", *page.run(box + "(replay.field.box.getBoundingClientRect())"))
        tip = str(page.run("document.getElementById('tip').innerText"))
        assert all(word in tip for word in words), tip
    page.mouse("mouseMoved", 2, 2)


def test_what_happens_changes_the_map(page: Browser) -> None:
    looks = set()
    for t in (0, 2, 3, 5):
        page.run(f"replay.seek({t})")
        looks.add(page.run("document.getElementById('units').toDataURL()"))
    assert len(looks) == 4 and page.complaints() == []
