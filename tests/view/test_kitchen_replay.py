"""A kitchen's page tells in a browser what was recorded, with the conversation up to the timestep that is shown."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest

from hive.kit.view.display import to_json
from hive.kit.view.pages import make_scene_page
from hive.worlds.kitchen.view.replay import kitchen_page
from hive.worlds.kitchen.view.scene import KitchenScene
from tests.kitchen.meals import meal
from tests.view.browser import Browser
from tests.view.shown import asks_for_nothing, shown


def test_a_page_asks_for_nothing_and_cannot_be_broken_by_words() -> None:
    recording = replace(meal(), title="</script><b>")
    page = make_scene_page(kitchen_page(recording), recording)
    assert asks_for_nothing(page)
    assert "</script><b>" not in page and "<b>cut" not in page


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with shown(meal(), tmp_path_factory.mktemp("kitchen")) as browser:
        yield browser


def test_the_page_holds_the_frames(page: Browser) -> None:
    assert page.complaints() == []
    assert [address.rpartition("/")[2] for address in page.requests()] == ["replay.html"]
    for t in (0, 13, 40):
        items = [to_json(item) for item in KitchenScene(meal()).frame(t, still=False)]
        assert page.run(f"replay.game.at({t}).items") == json.loads(json.dumps(items))


def test_scrubbing_shows_deeds_hands_and_the_conversation_so_far(page: Browser) -> None:
    said = "Array.from(document.querySelectorAll('#talk li:not(.later) p'), (p) => p.textContent)"
    page.run("replay.seek(5)")
    assert page.run(said) == [line.text for line in meal().lines[:4]]
    page.run("replay.seek(24)")
    assert page.run(said) == [line.text for line in meal().lines]
    assert "place_obj_on_counter() – done" in page.run("document.querySelector('#agent-1').innerText")
    assert page.run("document.querySelector('#tick').textContent") == "timestep 24 of 40"


def test_a_line_leads_to_its_timestep(page: Browser) -> None:
    page.run("replay.seek(30)")
    page.run("document.querySelectorAll('#talk .when')[4].click()")
    assert page.run("replay.now") == 12


def told_at(page: Browser, x: float, y: float) -> str:
    """What the page tells of a place, in tiles."""
    box = "(({ left, top }) => replay.field.toScreen(%s, %s).map((v, axis) => v + (axis ? top : left)))"
    page.mouse("mouseMoved", *page.run(box % (x, y) + "(replay.field.box.getBoundingClientRect())"))
    return str(page.run("document.getElementById('tip').innerText"))


def test_hovering_tells_about_cooks_and_utensils(page: Browser) -> None:
    page.run("replay.seek(33)")
    pot = told_at(page, 3.5, 0.5)
    assert all(word in pot for word in ("pot0", "makes", "mashed peanut stew", "2 of 3")), pot
    alice = told_at(page, 1.5, 2.5)
    assert all(word in alice for word in ("Alice", "east")), alice
    page.mouse("mouseMoved", 2, 2)


def test_what_happens_changes_the_map(page: Browser) -> None:
    looks = set()
    for t in (0, 8, 13, 33, 40):
        page.run(f"replay.seek({t})")
        looks.add(page.run("document.getElementById('units').toDataURL()"))
    assert len(looks) == 5
    assert page.complaints() == []
