"""The page of a small world tells in a browser what was recorded, with what was said up to the step that is shown."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from hive.kit.view.display import to_json
from hive.kit.view.drawing import Drawing
from hive.worlds.household.codes import INSIDE
from hive.worlds.household.view.drawing import DRAWING as HOUSEHOLD
from hive.worlds.kitchen.view.drawing import DRAWING as KITCHEN
from hive.worlds.rescue.view.drawing import DRAWING as RESCUE
from tests.household.chores import chores
from tests.kitchen.meals import meal
from tests.rescue.episodes import spoken_run
from tests.tiers import tiers
from tests.view.browser import Browser
from tests.view.shown import asks_for_nothing, shown


class Small(NamedTuple):
    """A recording of a world, and what its page shows.

    `looks` are frames that look different; `says` are frames, parts of the page and their words; `tips` are frames,
    places on the map and what is told of them.
    """

    make: Callable[[], Any]
    drawing: Drawing
    looks: tuple[int, ...]
    line: int  # one of the conversation, by its number
    says: tuple[tuple[int, str, str], ...]
    tips: tuple[tuple[int, str, tuple[str, ...]], ...]


Open = tuple[Small, Browser]
WORLDS = {
    "kitchen": Small(
        meal,
        KITCHEN,
        (0, 8, 13, 33, 40),
        4,
        ((24, "#agent-1", "place_obj_on_counter() – done"), (24, "#tick", "timestep 24 of 40")),
        (
            (33, "toScreen(3.5, 0.5)", ("pot0", "makes", "mashed peanut stew", "2 of 3")),
            (33, "toScreen(1.5, 2.5)", ("Alice", "east")),
        ),
    ),
    "rescue": Small(
        spoken_run,
        RESCUE,
        (0, 1, 4, 7),
        0,
        ((7, "#tick", "step 7 of 7"), (1, "#agent-0", "give_food() – refused")),
        (
            (0, "screenOf(0)", ("Alpha", "room1", "water 1, medicine 1")),
            (
                0,
                "screenOf(4)",
                ("room3", "room2, room4", "victim1", "urgent; needs water, food"),
            ),  # rooms follow agents
        ),
    ),
    "household": Small(
        chores,
        HOUSEHOLD,
        (0, 2, 3, 5),
        0,
        (
            (3, "#agent-0", "holds cupcake_1"),
            (3, "#order", "cupcake 0 of 1"),
            (5, "#order", "cupcake 1 of 1"),
            (5, "#agent-0", "hands empty"),
        ),
        (
            (0, "screenOf(0)", ("Alice", "bathroom")),
            (0, "screenOf(2)", ("kitchencabinet_1", "closed")),
        ),
    ),
}
SOME = tiers(WORLDS, quick=["kitchen"])


@pytest.mark.parametrize("world", WORLDS)
def test_a_page_asks_for_nothing_and_cannot_be_broken_by_words(world: str) -> None:
    page = WORLDS[world].drawing.page(replace(WORLDS[world].make(), title="</script><b>"))
    assert asks_for_nothing(page)
    assert "</script><b>" not in page and "<b>cut" not in page and "<b>it</b>" not in page


@pytest.fixture(scope="module", params=SOME)
def open_page(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Small, Browser]]:
    small = WORLDS[request.param]
    with shown(small.make(), tmp_path_factory.mktemp(request.param)) as browser:
        yield small, browser


def text(page: Browser, selector: str) -> str:
    return str(page.run(f"document.querySelector('{selector}').innerText"))


def test_the_page_holds_the_frames(open_page: Open) -> None:
    small, page = open_page
    assert page.complaints() == []
    assert [address.rpartition("/")[2] for address in page.requests()] == ["replay.html"]
    scene = small.drawing.scene_page(small.make()).scene
    for t in small.looks:
        items = [to_json(item) for item in scene.frame(t, still=False)]
        assert page.run(f"replay.game.at({t}).items") == json.loads(json.dumps(items))
        assert page.run(f"Array.from(replay.game.at({t}).places)") == pytest.approx(np.ravel(scene.places(t)))


def test_scrubbing_shows_the_map_what_was_done_and_what_was_said_so_far(open_page: Open) -> None:
    small, page = open_page
    recording, looks = small.make(), set()
    said = "Array.from(document.querySelectorAll('#talk li:not(.later) p'), (p) => p.textContent)"
    for t in small.looks:
        page.run(f"replay.seek({t})")
        looks.add(page.run("document.getElementById('units').toDataURL()"))
        assert page.run(said) == [line.text for line in recording.lines if line.tick <= recording.tick[t]]
    assert len(looks) == len(small.looks)
    for t, selector, words in small.says:
        page.run(f"replay.seek({t})")
        assert words in text(page, selector)
    assert page.complaints() == []


def test_a_line_leads_to_its_step(open_page: Open) -> None:
    small, page = open_page
    page.run("replay.seek(replay.game.frames - 1)")
    page.run(f"document.querySelectorAll('#talk .when')[{small.line}].click()")
    assert page.run("replay.now") == small.make().lines[small.line].tick


def test_hovering_tells_about_agents_and_places(open_page: Open) -> None:
    small, page = open_page
    for t, place, words in small.tips:
        page.run(f"replay.seek({t})")
        at = f"(({{ left, top }}) => replay.field.{place}.map((v, axis) => v + (axis ? top : left)))"
        page.mouse("mouseMoved", *page.run(at + "(replay.field.box.getBoundingClientRect())"))
        tip = str(page.run("document.getElementById('tip').innerText"))
        assert all(word in tip for word in words), tip
    page.mouse("mouseMoved", 2, 2)


@pytest.mark.slow
def test_a_carried_container_tells_what_is_in_it(tmp_path: Path) -> None:
    """As a number on the map, and by name next to it."""
    place = chores().place.copy()
    place[4:, 1:3] = INSIDE
    recording = replace(chores(), place=place)
    names = [each.name for each in recording.episode.things]
    with shown(recording, tmp_path) as page:
        page.run("replay.seek(4)")
        assert f"holds {names[0]} ({names[1]}, {names[2]})" in text(page, "#agent-0")
        assert "number: things in a carried container" in text(page, "#legend")
        assert page.run("replay.game.at(4).items.some(([kind, words]) => kind === 'text' && words[0] === '2')")
        assert page.complaints() == []
