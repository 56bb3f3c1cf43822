"""A wildfire's recording survives its file and its page, and the page tells in a browser what was recorded."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from dsl import UserError
from hive.ground.layers import Layer
from hive.kit.errors import DataError
from hive.kit.keep.dialogue import Line, LineKind
from hive.kit.keep.packing import format_of
from hive.kit.view.pages import save_page
from hive.worlds.battle.recording import BattleRecording
from hive.worlds.wildfire.recording import FireRecording
from hive.worlds.wildfire.view.replay import make_fire_page
from tests.view.browser import Browser, find_chromium
from tests.view.fires import FRAMES, SIZE, grounds, wildfire
from tests.view.replays import battle


def assert_same(one: FireRecording, other: FireRecording) -> None:
    for field in fields(one):
        mine, its = getattr(one, field.name), getattr(other, field.name)
        if isinstance(mine, Layer):
            for part in fields(mine):
                np.testing.assert_array_equal(getattr(mine, part.name), getattr(its, part.name))
        elif field.name == "position":
            np.testing.assert_allclose(mine, its, atol=SIZE / 65535)
        elif isinstance(mine, np.ndarray):
            np.testing.assert_array_equal(mine, its, field.name)
        else:
            assert mine == its, field.name


@settings(max_examples=40)
@given(arrays(np.uint8, st.tuples(st.integers(1, 5), st.just(4), st.just(4)), elements=st.integers(0, 3)))
def test_a_layer_is_every_map_that_it_was_made_of_and_survives_packing(stack: np.ndarray) -> None:
    """Cells may change often, in any frame, and not at all."""
    layer = Layer.of(stack)
    for t in range(len(stack)):
        np.testing.assert_array_equal(layer.at(t), stack[t])
    for kept in np.ndindex((2,) * len(stack)):  # thinning draws no frame, but gives the layer of the frames drawn
        if any(kept):
            thin, drawn = layer.thin(np.array(kept, bool)), Layer.of(stack[np.array(kept, bool)])
            for part in fields(Layer):
                np.testing.assert_array_equal(getattr(thin, part.name), getattr(drawn, part.name))
    stack = np.resize(stack, (FRAMES, SIZE, SIZE))
    whole = wildfire(ground=Layer.of(stack))
    assert_same(FireRecording.decode(whole.encode()), whole)


def test_a_recording_survives_its_file_and_differs_from_a_battle(tmp_path: Path) -> None:
    fire, fight = tmp_path / "fire.npz", tmp_path / "fight.npz"
    wildfire().save(fire)
    battle().save(fight)
    assert_same(FireRecording.load(fire), wildfire())
    assert (format_of(fire), format_of(fight)) == (FireRecording.format, BattleRecording.format)
    for load, path in (
        (FireRecording.load, fight),
        (BattleRecording.load, fire),
        (format_of, tmp_path / "none.npz"),
    ):
        with pytest.raises(UserError, match="recording"):
            load(path)


def test_a_page_asks_for_nothing_and_cannot_be_broken_by_words() -> None:
    page = make_fire_page(wildfire(title="</script><b>"))
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "").replace("http-equiv", "")
    assert "</script><b>" not in page and "first <b>" not in page


def test_a_conversation_is_read_back_and_a_wrong_one_is_refused() -> None:
    seen = team()
    arrays = seen.encode()
    assert FireRecording.decode(arrays).lines == seen.lines and FireRecording.decode(arrays).agents == seen.agents
    words = json.loads(arrays["words"].tobytes())
    for line in ([0, 2, 0, "no such agent"], [0, 0, 9, "no such kind"]):
        wrong = np.frombuffer(json.dumps(words | {"lines": [line]}).encode(), np.uint8)
        with pytest.raises(DataError, match="a line"):
            FireRecording.decode(arrays | {"words": wrong})


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with Browser(find_chromium(), tmp_path_factory.mktemp("profile")) as browser:
        yield browser


def test_the_page_of_a_team_shows_its_conversation_up_to_the_tick(browser: Browser, tmp_path: Path) -> None:
    """As the pages of kitchens, rescues and households do; without agents the page has no such card."""
    for name, seen in (("team", team()), ("plans", wildfire())):
        save_page(make_fire_page(seen), tmp_path / f"{name}.html")
    browser.open(tmp_path / "team.html")
    browser.wait("window.replay")
    seen_lines = "[...document.querySelectorAll('#talk li')].filter((line) => line.offsetHeight)"
    shown = f"{seen_lines}.map((line) => [...line.querySelectorAll('b, p')].map((part) => part.textContent))"
    for tick, count in ((0, 1), (3, 2), (5, 3)):
        browser.run(f"replay.seek({tick})")
        assert len(browser.run(shown)) == count
    assert browser.run(shown)[1] == ["AGENT_2 says", "to all: <b>Come."]
    browser.run("document.querySelector('#talk li:nth-child(2) button').click()")
    assert browser.run("replay.now") == 2 and browser.complaints() == []
    browser.open(tmp_path / "plans.html")
    browser.wait("window.replay")
    assert browser.run("document.getElementById('talk').offsetHeight") == 0 and browser.complaints() == []


def team() -> FireRecording:
    """Return the made-up fire with two agents that think, say and begin something."""
    lines = (
        Line(0, 0, LineKind.THOUGHT, "I wait."), Line(2, 1, LineKind.SAY, "to all: <b>Come."),
        Line(4, 0, LineKind.ACT, "wait"),
    )  # fmt: skip
    return wildfire(agents=("AGENT_1", "AGENT_2"), lines=lines)


@pytest.fixture
def page(browser: Browser, file: Path) -> Browser:
    browser.open(file)
    browser.wait("window.replay")
    return browser


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("fire") / "replay.html"
    assert save_page(make_fire_page(wildfire()), file) == file.stat().st_size
    return file


def test_the_page_holds_every_map_forwards_and_backwards(page: Browser) -> None:
    assert page.complaints() == []
    assert [address.rpartition("/")[2] for address in page.requests()] == ["replay.html"]
    for t in (0, 4, 5, 2):
        assert page.run(f"Array.from(replay.game.ground.at({t}))") == grounds()[t].ravel().tolist()
    assert page.run("Array.from(replay.game.burning)") == [1, 2, 3, 4, 4, 5]
    where = page.run("Array.from(replay.game.position)")
    np.testing.assert_allclose(np.reshape(where, (FRAMES, 5, 2)) * SIZE / 65535, wildfire().position, atol=1e-3)


def test_scrubbing_shows_score_losses_and_the_plan_of_that_tick(page: Browser) -> None:
    for tick, plan, bulldozers, score in ((5, "second", "0", "−126"), (1, "first <b>", "1", "−2")):
        page.run(f"replay.seek({tick})")
        assert plan in page.run("document.querySelector('#plans pre').textContent")
        assert page.run("document.querySelector('#count-bulldozer b').textContent") == bulldozers
        assert page.run("document.querySelector('#score b').textContent") == score


def test_north_is_up_and_hovering_a_unit_tells_what_it_does(page: Browser) -> None:
    page.run("replay.seek(4)")
    (x, y), (_, south) = page.run("[replay.field.toScreen(0, 2), replay.field.toScreen(0, 5)]")
    assert south > y
    x, y = page.run("(() => { const b = replay.field.box.getBoundingClientRect(), [x, y] = replay.field.screenOf(0); "
                    "return [x + b.left, y + b.top]; })()")  # fmt: skip
    page.mouse("mouseMoved", x, y)
    told = page.run("document.getElementById('tip').innerText")
    for words in ("firefighter 0", "(5, 4)", "0 of 5", "a civilian", "spray (6, 3)", "sprays towards (7, 8)"):
        assert words in told
    page.mouse("mouseMoved", 2, 2)


def test_layers_can_be_switched_off(page: Browser) -> None:
    """The team's view does not show what no unit has seen; the picture has to change with each box."""
    page.run("replay.seek(5)")
    seen = "['ground', 'units', 'signs'].map((id) => document.getElementById(id).toDataURL()).join()"
    boxes = page.run("document.querySelectorAll('#legend input').length")
    assert boxes == 5
    for box in range(boxes):
        before = page.run(seen)
        page.run(f"document.querySelectorAll('#legend input')[{box}].click()")
        assert page.run(seen) != before, f"box {box} changes nothing"
        page.run(f"document.querySelectorAll('#legend input')[{box}].click()")
        assert page.run(seen) == before
