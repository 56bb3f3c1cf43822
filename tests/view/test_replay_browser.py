"""What a replay does in a real Chromium: it opens, plays, scrubs, zooms, tells of units, and needs no network."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from hive.kit.view.pages import save_page
from hive.kit.view.palette import unit_colour
from hive.worlds.battle.recording import BattleRecording
from hive.worlds.battle.view.replay import make_page
from tests.view.browser import Browser, find_chromium
from tests.view.replays import battle

SETTLE = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done())))"


@pytest.fixture(scope="module")
def seen() -> BattleRecording:
    return battle(units=40, frames=30)


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    program = find_chromium()
    with Browser(program, tmp_path_factory.mktemp("profile")) as browser:
        yield browser


@pytest.fixture(scope="module")
def file(seen: BattleRecording, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("replay") / "replay.html"
    save_page(make_page(seen), path)
    return path


@pytest.fixture
def page(chromium: Browser, file: Path) -> Browser:
    chromium.resize(1280, 800)
    chromium.open(file)
    chromium.wait("window.replay")
    chromium.run(SETTLE)  # until it is drawn, units may still move in the window
    return chromium


def spot(page: Browser, unit: int) -> tuple[float, float]:
    """Where a unit stands in the window."""
    x, y = page.run(
        f"(() => {{ const [x, y] = replay.field.screenOf({unit}), at = document.getElementById('units')"
        ".getBoundingClientRect(); return [x + at.left, y + at.top]; })()"
    )
    return float(x), float(y)


def test_it_opens_alone_with_all_frames_and_units_and_no_complaint(page: Browser, seen: BattleRecording) -> None:
    assert page.run("[replay.game.frames, replay.game.units]") == [seen.frames, seen.units]
    assert page.complaints() == []
    assert [address.rpartition("/")[2] for address in page.requests()] == ["replay.html"]
    assert page.run("document.getElementById('problem').hidden")


def test_it_unpacks_what_was_packed(page: Browser, seen: BattleRecording) -> None:
    parts = np.round(seen.position * 65535 / seen.metres)
    assert page.run("Array.from(replay.game.position)") == parts.astype(int).ravel().tolist()
    health = page.run("Array.from(replay.game.health, (rank) => replay.game.healthValues[rank])")
    assert health == seen.health.astype(np.float16).ravel().tolist()
    assert page.run("Array.from(replay.game.attack)") == (seen.attack + 1).ravel().tolist()
    assert seen.course is not None
    assert page.run("Array.from(replay.game.leaf)") == (seen.course.leaf + 1).ravel().tolist()


def test_play_advances_and_space_pauses(page: Browser) -> None:
    page.run("document.getElementById('play').click()")
    page.wait("replay.frame >= 3")
    page.key(" ", 32, " ")
    assert page.run("replay.playing") is False
    stopped = page.run("replay.now")
    page.run(SETTLE)
    assert page.run("replay.now") == stopped


def test_it_stops_at_the_end_and_plays_again_from_the_start(page: Browser, seen: BattleRecording) -> None:
    page.run(f"replay.setSpeed(16); replay.seek({seen.frames - 2}); replay.play()")
    page.wait("!replay.playing")
    assert page.run("replay.now") == seen.tick[-1]
    page.run("replay.setSpeed(0.25); replay.play()")
    assert page.run("replay.now") < 2
    page.run("replay.pause()")


@pytest.mark.parametrize("tick", [0, 17, 29])
def test_scrubbing_shows_the_live_counts_of_that_tick(page: Browser, seen: BattleRecording, tick: int) -> None:
    page.run(
        f"(() => {{ const scrub = document.getElementById('scrub'); scrub.value = {tick};"
        "scrub.dispatchEvent(new Event('input')); })()"
    )
    shown = [page.run(f"document.querySelector('#count-{side} b').textContent") for side in ("player", "enemy")]
    alive = seen.health[tick] > 0
    assert shown == [str(int((alive & (seen.side == side)).sum())) for side in (0, 1)]
    assert page.run("document.querySelector('#tick b').textContent") == str(tick)


def test_arrow_keys_step_by_frames_and_change_the_speed(page: Browser) -> None:
    for key, code in (("ArrowRight", 39), ("ArrowRight", 39), ("ArrowLeft", 37), ("ArrowUp", 38)):
        page.key(key, code)
    assert page.run("[replay.frame, replay.speed, document.getElementById('speed').value]") == [1, 2, "2"]


def test_between_ticks_units_glide(page: Browser, seen: BattleRecording) -> None:
    places = []
    for now in (4, 4.5, 5):
        page.run(f"replay.seek({now})")
        places.append(page.run("replay.field.screenOf(0)"))
    np.testing.assert_allclose(places[1], np.add(places[0], places[2]) / 2, atol=0.01)
    assert places[2][1] < places[0][1], "the player walks north, which is up"


def test_hovering_a_unit_tells_of_it(page: Browser, seen: BattleRecording) -> None:
    page.run("replay.seek(20)")
    unit = int(np.flatnonzero((seen.health[20] > 0) & (seen.side == 0))[3])
    page.mouse("mouseMoved", *spot(page, unit))
    page.run(SETTLE)
    told = page.run("document.getElementById('tip').innerText")
    assert not page.run("document.getElementById('tip').hidden")
    foe = (unit + 20) % 40
    types = ("spearmen", "archer", "cavalry")
    for words in (
        f"player {types[unit % 3]} {unit}", "of 24", "7 (elimination all), active", "(50, 80)", "attack_and_move any",
        "A(attack random any)", f"enemy {types[foe % 3]} {foe - 20}",
    ):  # fmt: skip
        assert words in told
    page.mouse("mouseMoved", 640, 5)
    page.run(SETTLE)
    assert page.run("document.getElementById('tip').hidden")


def test_a_clicked_unit_is_followed_until_escape(page: Browser) -> None:
    page.click(*spot(page, 2))
    page.mouse("mouseMoved", 640, 5)
    page.run("replay.seek(10)")
    assert page.run("[replay.followed, document.getElementById('tip').hidden]") == [2, False]
    page.key("Escape", 27)
    assert page.run("document.getElementById('tip').hidden")


def test_a_player_s_unit_is_blue_and_an_enemy_s_is_red(page: Browser, seen: BattleRecording) -> None:
    for unit in (1, 22):  # archers, on open ground
        side = int(seen.side[unit])
        assert seen.type[unit] == 1
        draw = "document.getElementById('units').getContext('2d')"
        pixel = page.run(
            f"(() => {{ const [x, y] = replay.field.screenOf({unit}).map(Math.round);"
            f"return Array.from({draw}.getImageData(x, y, 1, 1).data); }})()"
        )
        np.testing.assert_allclose(pixel, [*unit_colour(side, 1), 255], atol=12)


def test_the_wheel_zooms_about_the_pointer_and_the_button_shows_the_whole_map(page: Browser) -> None:
    x, y = spot(page, 5)
    page.mouse("mouseWheel", x, y, deltaX=0, deltaY=-400)
    page.wait("replay.field.zoom > 1.5")
    np.testing.assert_allclose(spot(page, 5), (x, y), atol=1.5)
    page.mouse("mousePressed", x, y, button="left", clickCount=1)
    page.mouse("mouseMoved", x + 30, y + 8, button="left", buttons=1)
    page.mouse("mouseMoved", x + 60, y + 8, button="left", buttons=1)
    page.mouse("mouseReleased", x + 60, y + 8, button="left", clickCount=1)
    assert spot(page, 5)[0] == pytest.approx(x + 60, abs=31)
    assert spot(page, 5)[0] > x + 20
    page.run("document.getElementById('zoom-fit').click()")
    np.testing.assert_allclose(spot(page, 5), (x, y), atol=0.5)


def test_steps_show_their_state_at_the_tick(page: Browser, seen: BattleRecording) -> None:
    states = "Array.from(document.querySelectorAll('.step'), (row) => row.querySelector('.state').textContent)"
    page.run("replay.seek(3)")
    assert page.run(states) == ["active", "waiting", "active"]
    page.run("replay.seek(15)")
    assert page.run(states) == ["done at 15", "active", "active"]
    numbers = page.run("Array.from(document.querySelectorAll('.step .number'), (node) => node.textContent)")
    assert numbers == ["3", "7", "0"]


def test_a_thinned_recording_plays_on_the_same_clock(chromium: Browser, seen: BattleRecording, tmp_path: Path) -> None:
    save_page(make_page(seen.thin(8)), tmp_path / "thin.html")
    chromium.open(tmp_path / "thin.html")
    chromium.wait("window.replay")
    assert chromium.run("[replay.game.frames, replay.game.last]") == [5, 29]
    chromium.run("replay.seek(26.5)")
    assert chromium.run("[replay.frame, replay.share]") == [3, 0.5]


def test_without_plans_the_page_still_plays(
    chromium: Browser, make_recording: Callable[..., BattleRecording], tmp_path: Path
) -> None:
    save_page(make_page(make_recording([[[1, 1], [2, 2]], [[1, 2], [2, 3]]])), tmp_path / "bare.html")
    chromium.open(tmp_path / "bare.html")
    chromium.wait("window.replay")
    chromium.run("replay.seek(1)")
    assert chromium.complaints() == []
    assert chromium.run("document.getElementById('plans').hidden && document.getElementById('score').hidden")


def test_a_policys_game_shows_its_outcome_and_score_and_keeps_units_on_the_map(
    chromium: Browser, seen: BattleRecording, tmp_path: Path
) -> None:
    """It follows no plan, so a unit's tooltip says nothing of orders; a unit at the border is drawn completely."""
    assert seen.course is not None
    frames, units = seen.frames, seen.units
    nothing = np.full((frames, units), -1)
    course = replace(seen.course, steps=(), groups=(), leaves=(), active=np.zeros((frames, 0), bool), group=nothing,
                     leaf=nothing, outcome="lose")  # fmt: skip
    places = seen.position.copy()
    places[:, :4] = [[0, 0], [0, 100], [100, 0], [100, 100]]
    save_page(make_page(replace(seen, course=course, position=places)), tmp_path / "policy.html")
    chromium.open(tmp_path / "policy.html")
    chromium.wait("window.replay")
    chromium.run(SETTLE)
    assert chromium.run("document.getElementById('outcome').textContent").startswith("lose after ")
    assert chromium.run("document.getElementById('plans').hidden")
    assert not chromium.run("document.getElementById('score').hidden")
    assert chromium.run("replay.field.places.length") == 2, "the places of the recording"
    shown, radius, ratio, left, origin, side = chromium.run(
        "(({ field: f }) => [[...f.spot].slice(0, 8), f.radius, f.ratio, f.left, f.origin, f.size * f.scale])(replay)"
    )
    for unit in range(4):
        x, y = (value / ratio for value in shown[2 * unit : 2 * unit + 2])
        r = radius[int(seen.type[unit])]
        assert left + r <= x <= left + side - r and origin - side + r <= y <= origin - r
    assert "orders" not in chromium.run("replay.describe(0, 3).map((part) => part.textContent).join(' ')")
    assert chromium.complaints() == []


def test_a_score_in_metres_is_written_as_such_and_may_be_missing(
    chromium: Browser, seen: BattleRecording, tmp_path: Path
) -> None:
    assert seen.course is not None
    metres = np.where(np.arange(30) < 20, 60.0 - np.arange(30), np.inf)
    course = replace(seen.course, score=metres, score_is="metres from the objective, lower is better")
    save_page(make_page(replace(seen, course=course)), tmp_path / "metres.html")
    chromium.open(tmp_path / "metres.html")
    chromium.wait("window.replay")
    told = []
    for tick in (5, 25):
        chromium.run(f"replay.seek({tick})")
        told.append(chromium.run("document.querySelector('#score b').textContent"))
    assert told == ["55.0 m", "none"]
    assert chromium.complaints() == []


def test_a_browser_that_cannot_unpack_says_so(chromium: Browser, file: Path, tmp_path: Path) -> None:
    page = file.read_text(encoding="utf-8").replace(
        "<style>", "<script>delete window.DecompressionStream</script><style>", 1
    )
    (tmp_path / "old.html").write_text(page, encoding="utf-8")
    chromium.open(tmp_path / "old.html")
    chromium.wait("!document.getElementById('problem').hidden")
    assert "no DecompressionStream" in chromium.run("document.getElementById('problem').textContent")


SIZES = [(1280, 800), (1000, 620), (600, 800), (360, 700)]


@pytest.mark.parametrize(
    ("width", "height"), [pytest.param(*size, marks=() if size in SIZES[::3] else pytest.mark.long) for size in SIZES]
)
def test_it_fits_the_window_without_sideways_scrolling(page: Browser, tmp_path: Path, width: int, height: int) -> None:
    page.resize(width, height)
    page.run(SETTLE)
    page.screenshot(tmp_path / "page.png")
    assert (tmp_path / "page.png").stat().st_size > 10_000
    assert page.run("document.documentElement.scrollWidth") <= width
    map_width, map_height = page.run(
        "(({ width, height }) => [width, height])(replay.field.box.getBoundingClientRect())"
    )
    assert min(map_width, map_height) > 250
