"""The player's page in a real Chromium: mark, order, watch, edit, swap, branch, win; errors, reload, second tab."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.view.browser import Browser, find_chromium
from tests.web.page_server import PLAN, serving

pytestmark = pytest.mark.slow

LOG = "Array.from(document.querySelectorAll('#log > li'), (row) => row.innerText.replace(/\\s+/g, ' ').trim())"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(tmp_path_factory.mktemp("meadow")) as found:
        yield found


def start(folder: pytest.TempPathFactory) -> Browser:
    program = find_chromium()
    return Browser(program, folder.mktemp("profile"))


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with start(tmp_path_factory) as browser:
        yield browser


@pytest.fixture
def page(chromium: Browser, address: str) -> Iterator[Browser]:
    """The page of a game that begins again, with the fastest clock; nothing may complain."""
    if not chromium.run("Boolean(window.live?.link.open)"):  # that of the test before may serve once more
        chromium.visit(address)
        chromium.wait("window.live")
    chromium.run("sessionStorage.clear(); live.link.send('pause'); live.link.send('again')")
    chromium.run("live.link.send('speed', { ticks_per_second: 1000 })")
    chromium.wait("!live.status.running && live.game.last === 0 && !live.game.plan && live.status.asked_speed === 1000")
    chromium.visit(address)
    chromium.wait("window.live && document.body.classList.contains('live')")
    yield chromium
    assert chromium.complaints() == []


def give(page: Browser, text: str) -> None:
    """Order, and wait for the answer."""
    page.press("#say")
    page.write(text)
    page.key("Enter", 13, "\r")
    page.wait("!document.getElementById('send').disabled && !document.getElementById('say').value")


def text_of(page: Browser, id: str) -> str:
    return str(page.run(f"document.getElementById('{id}').innerText"))


def test_an_order_becomes_a_plan_that_wins(page: Browser) -> None:
    """The commander's reply streams in, its plan holds, the clock runs to events and to the end."""
    assert "a commander for tests answers" in text_of(page, "commander")
    assert "Hold the meadow" in page.run("document.getElementById('brief').textContent")
    give(page, "Hold the meadow")
    page.wait("live.game.plan")
    log = " | ".join(page.run(LOG))
    assert "The archers hold." in log and "Plan 1 is followed from here: 2 steps, 3 groups" in log
    page.run("document.activeElement.blur()")
    page.run("(() => { const until = document.getElementById('until'); until.value = 'step';"
             "until.dispatchEvent(new Event('change')); })()")  # fmt: skip
    page.wait("live.status.tick > 0 && live.game.last === live.status.tick && !live.status.running")
    assert "step 0 is achieved: position" in page.run(LOG)[-1]
    achieved = page.run("live.game.last")
    assert page.run("live.game.course.steps.find(({ side, at }) => !side && at === 0).achieved") == achieved
    page.key(" ", 32, " ")
    page.wait("live.status.outcome !== 'running' && live.screen.now === live.status.tick")
    assert page.run("live.status.outcome") == "win"
    page.wait(r"document.getElementById('count-enemy').innerText.split('\n')[1].startsWith('0 of 8')")  # once drawn
    assert any("the game has ended: win" in row for row in page.run(LOG))


def test_the_page_shows_what_the_server_says_of_a_tick(page: Browser) -> None:
    """Counts of the frame are those of the status, and a unit's tip names its step, target and behaviour."""
    give(page, "Hold the meadow")
    page.run("live.link.send('step', { ticks: 4 })")
    page.wait("live.game.last === 4 && live.status.tick === 4 && !live.status.running && live.screen.now === 4")
    alive = page.run("live.status.alive")
    assert page.run("[0, 1].map((side) => live.game.living(live.game.frames - 1, side))") == [sum(row) for row in alive]
    x, y = page.run(
        "(() => { const [x, y] = live.screen.field.screenOf(2), at = document.getElementById('units')"
        ".getBoundingClientRect(); return [x + at.left, y + at.top]; })()"
    )
    page.mouse("mouseMoved", x, y)
    page.wait("!document.getElementById('tip').hidden")
    tip = text_of(page, "tip")
    for words in ("player archer", "0 (position)", "(14, 12)", "attack_in_long_range any", "A("):
        assert words in tip


def test_a_plan_with_mistakes_is_explained_and_not_followed(page: Browser) -> None:
    give(page, "Wrong, please")
    assert page.run("live.game.plan") is None
    assert "is not followed: it has 1 mistake." in " ".join(page.run(LOG))
    page.press("#show-plan")
    page.run("document.getElementById('text').select()")
    page.write(PLAN.replace("(14, 12)", "(14, 512)"))
    page.wait("document.getElementById('verdict').textContent === '1 mistake'")
    assert page.run("document.getElementById('give').disabled")
    assert text_of(page, "findings").startswith("6:25") and "512" in text_of(page, "findings")
    wrong = page.run("Array.from(document.querySelectorAll('#colours .m-error'), (node) => node.textContent).join('')")
    assert wrong == "512"


def test_a_plan_that_is_too_long_for_a_message_is_said_so_and_the_page_stays(page: Browser) -> None:
    """The server ends the connection at a longer message, after which the page is loaded again, with the same text."""
    page.press("#show-plan")
    page.run("window.stays = true; live.editor.set('# long\\n'.repeat(10_000))")
    page.wait("document.getElementById('verdict').textContent.includes('at most 64 kB')")
    assert page.run("live.link.open && window.stays")


def test_a_plan_is_completed_coloured_and_drawn_while_it_is_written(page: Browser) -> None:
    page.press("#show-plan")
    page.run("document.getElementById('text').select()")
    text = PLAN.replace("BEGIN PLAN\n", "").replace("END PLAN", "").rstrip()
    page.write(text.removesuffix("attack_in_long_range any") + "attack_in_l")
    page.wait("live.editor.choices.length === 1")
    page.key("Tab", 9)
    page.wait("document.getElementById('text').value.endsWith('attack_in_long_range')")
    page.wait(
        "!live.editor.diagnostics.some(({ severity }) => severity === 'error') && live.editor.groups.length === 3"
    )
    kinds = page.run("live.editor.spans.filter(([from, to]) => document.getElementById('text').value.slice(from, to)"
                     " === 'attack_in_long_range').map(([, , kind]) => kind)")  # fmt: skip
    assert kinds == ["behaviour"] * 3
    page.run("(() => { const field = document.getElementById('text'), at = field.value.indexOf('(34, 12)');"
             "field.setSelectionRange(at, at); live.editor.moved(); })()")  # fmt: skip
    draft = page.run("({ units: Array.from(live.screen.field.draft.units), ways: live.screen.field.draft.ways })")
    assert draft["units"] == [0] * 5 + [1] * 5 + [0] * 8
    assert draft["ways"] == [{"ids": [[5, 10]], "x": 34, "y": 12}]


def test_another_plan_from_here_and_a_branch_from_an_earlier_tick(page: Browser) -> None:
    give(page, "Hold the meadow")
    page.run("live.link.send('step', { ticks: 12 })")
    page.wait("live.game.last === 12 && live.status.tick === 12 && !live.status.running")
    before = page.run("Array.from(live.game.at(live.game.frames - 1).position)")
    page.press("#show-plan")
    page.wait("document.getElementById('text').value.includes('Step 0')")
    page.run("live.editor.set(document.getElementById('text').value.replace('(14, 12)', '(40, 5)'))")
    page.wait("!document.getElementById('give').disabled")
    assert "from tick 12" in text_of(page, "give")
    page.press("#give")
    page.wait("live.game.plans.length === 2 && live.game.plan.tick === 12")
    page.run("live.link.send('step', { ticks: 18 })")
    page.wait("live.game.last === 30 && live.status.tick === 30 && !live.status.running")
    page.run("live.screen.pick(12)")
    if page.run("live.screen.frame !== live.game.tick.indexOf(12)"):
        pytest.fail("the page holds no frame of the tick at which it waited")
    assert "You see tick 12" in text_of(page, "past")
    page.press("#branch")
    page.wait("live.game.last === 12 && live.screen.following && live.game.frames")
    page.wait("live.status.tick === 12")
    assert page.run("Array.from(live.game.at(live.game.frames - 1).position)") == before
    assert page.run("live.game.ticks.at(-1)") == 12


def test_markers_are_set_by_a_click_and_dragged(page: Browser) -> None:
    spot = (
        "(([x, y]) => { const at = document.getElementById('field').getBoundingClientRect();"
        "return [x + at.left + 1, y + at.top + 1]; })"
    )
    page.run("document.activeElement.blur()")
    page.key("a", 65, "a")
    page.click(*page.run(f"{spot}(live.screen.field.toScreen(20.5, 30.5))"))
    page.wait("live.game.markers.A")
    assert page.run("live.game.markers.A") == [20, 30]
    x, y = page.run(f"{spot}(live.screen.field.toScreen(20, 30))")
    to_x, to_y = page.run(f"{spot}(live.screen.field.toScreen(8.5, 6.5))")
    page.mouse("mousePressed", x, y - 12, button="left", clickCount=1)
    page.mouse("mouseMoved", (x + to_x) / 2, (y + to_y) / 2, button="left", buttons=1)
    page.mouse("mouseMoved", to_x, to_y, button="left", buttons=1)
    assert text_of(page, "place") == "A: x 8, y 6"
    page.mouse("mouseReleased", to_x, to_y, button="left", clickCount=1)
    page.wait("live.game.markers.A[0] === 8 && live.game.markers.A[1] === 6")
    page.press("#letters button")
    page.press("#mark-remove")
    page.wait("!live.game.markers.A")


@pytest.fixture
def phone(page: Browser, address: str) -> Iterator[Browser]:
    """The page on a phone's screen, with fingers."""
    page.ask("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=2)
    page.resize(400, 800)
    page.visit(address)
    page.wait("window.live")
    page.run("document.getElementById('field').scrollIntoView({ block: 'start' })")
    yield page
    page.ask("Emulation.setTouchEmulationEnabled", enabled=False)
    page.resize(1280, 800)


def test_two_fingers_zoom_and_move_the_map(phone: Browser) -> None:
    """What was under the fingers stays under them, and the finger that stays moves the map on; the page stays."""
    left, top = phone.run(
        "(({ left, top }) => [left + 1, top + 1])(document.getElementById('field').getBoundingClientRect())"
    )
    spot = f"live.screen.field.toMap(%f - {left}, %f - {top})"
    view = "[live.screen.field.zoom, visualViewport.scale, scrollY]"
    before = phone.run(view)
    (x, y), (to_x, to_y) = one, other = (120.0, top + 150), (180.0, top + 190)
    under = [phone.run(spot % place) for place in (one, other)]
    phone.touch("touchStart", {0: one})
    phone.touch("touchStart", {0: one, 1: other})
    for part in (0.25, 0.5, 0.75, 1):
        phone.touch("touchMove", {0: (x - 60 * part, y - 40 * part), 1: (to_x + 60 * part, to_y + 40 * part)})
    assert phone.run(view) == [pytest.approx(3 * before[0]), *before[1:]]
    phone.touch("touchMove", {0: (x - 50, y - 20), 1: (to_x + 70, to_y + 60)})
    assert phone.run(spot % (x - 50, y - 20)) == pytest.approx(under[0], abs=0.02)
    assert phone.run(spot % (to_x + 70, to_y + 60)) == pytest.approx(under[1], abs=0.02)
    phone.touch("touchEnd", {1: (to_x + 70, to_y + 60)})
    phone.touch("touchMove", {0: (x - 20, y - 10)})
    assert phone.run(spot % (x - 20, y - 10)) == pytest.approx(under[0], abs=0.02)
    phone.touch("touchEnd", {})
    assert phone.run("[live.screen.dragging, live.screen.followed]") == [None, -1]
    assert phone.run(view)[1:] == before[1:]


def test_one_finger_scrolls_the_page_and_drags_a_marker(phone: Browser) -> None:
    left, top = phone.run(
        "(({ left, top }) => [left + 1, top + 1])(document.getElementById('field').getBoundingClientRect())"
    )
    phone.run("live.link.send('mark', { letter: 'A', x: 20, y: 30 })")
    phone.wait("live.game.markers.A")
    x, y = phone.run("live.screen.field.toScreen(20, 30)")
    to_x, to_y = phone.run("live.screen.field.toScreen(10.5, 9.5)")
    scrolled = phone.run("scrollY")
    phone.touch("touchStart", {0: (left + x, top + y - 12)})
    for part in (0.3, 0.6, 1):
        phone.touch("touchMove", {0: (left + x + part * (to_x - x), top + y - 12 + part * (to_y - y + 12))})
    phone.touch("touchEnd", {})
    phone.wait("live.game.markers.A.join() === '10,9'")
    assert phone.run("scrollY") == scrolled
    phone.run("live.link.send('mark', { letter: 'A', x: null })")
    phone.wait("!live.game.markers.A")
    phone.touch("touchStart", {0: (left + 200, top + 300)})
    for down in (20, 60, 120, 180):
        phone.touch("touchMove", {0: (left + 200, top + 300 - down)})
    phone.touch("touchEnd", {})
    phone.wait(f"scrollY > {scrolled + 60}")
    assert phone.run("live.screen.field.zoom") == 1


def test_a_model_that_does_not_answer_is_told_and_the_game_waits(page: Browser) -> None:
    give(page, "Hold the meadow")
    page.run("live.link.send('step', { ticks: 5 })")
    page.wait("live.game.last === 5 && live.status.tick === 5 && !live.status.running")
    give(page, "Fail now")
    assert "the model does not answer" in page.run(LOG)[-1]
    assert page.run("[live.status.running, live.status.tick]") == [False, 5]


def test_an_order_that_is_begun_before_the_answer_stays(page: Browser) -> None:
    page.run("(() => { const link = live.link, ask = link.ask.bind(link); link.ask = (is, words) =>"
             "is === 'say' ? new Promise((done) => { window.answer = done; }) : ask(is, words); })()")  # fmt: skip
    page.press("#say")
    page.write("Hold")
    page.key("Enter", 13, "\r")
    page.write(" the bridge")
    page.run("window.answer({ is: 'answer', kind: 'no_plan' })")
    page.wait("!document.getElementById('send').disabled")
    assert page.run("document.getElementById('say').value") == "Hold the bridge"


def test_a_question_that_yes_answers_has_a_button_until_something_else_is_said(page: Browser) -> None:
    words = {"id": 9, "kind": "no_plan", "text": "Is this what you mean?\n`yes` carries it out.", "diagnostics": []}
    page.run(f"live.chat.hear({json.dumps({'is': 'said', 'id': 9, 'tick': 0, 'text': 'Hold'})})")
    page.run(f"live.chat.hear({json.dumps({'is': 'answer', **words})})")
    said = page.run("document.querySelectorAll('#log .said').length")
    page.press("#log .yes")
    page.wait(f"document.querySelectorAll('#log .said').length === {said + 1}")
    assert page.run("[...document.querySelectorAll('#log .said .text')].pop().textContent") == "yes"
    assert page.run("document.querySelectorAll('#log .yes').length") == 0


def test_a_reload_in_the_middle_loses_nothing(page: Browser, address: str) -> None:
    give(page, "Hold the meadow")
    page.run("live.link.send('step', { ticks: 9 })")
    page.wait("live.game.last === 9 && live.status.tick === 9 && !live.status.running")
    log = page.run(LOG)
    page.press("#say")
    page.write("and then")
    page.visit(address)
    page.wait("window.live")
    assert page.run(LOG) == log
    assert page.run("[live.game.last, live.game.plan.number, live.game.ticks.length]") == [9, 1, 10]
    assert page.run("document.getElementById('say').value") == "and then"


FRAME = (
    "JSON.stringify(live.game.at(live.screen.frame), (_, value) => (ArrayBuffer.isView(value) ? [...value] : value))"
)
SLIDE = (
    "(() => { const scrub = document.getElementById('scrub');"
    " scrub.value = %d; scrub.dispatchEvent(new Event('input')); })()"
)


def test_a_page_that_is_reloaded_looks_back_at_the_whole_game(page: Browser, address: str) -> None:
    """The slider reaches ticks that were played before, as they were drawn then, and the branch begins there."""
    give(page, "Hold the meadow")
    page.run("live.link.send('until', { event: 'step' })")
    page.wait("live.status.tick > 0 && !live.status.running && live.screen.now === live.status.tick")
    last = page.run("live.status.tick")
    page.run("live.screen.seek(7)")
    page.wait("live.screen.now === 7")
    drawn, achieved = page.run(FRAME), page.run("live.game.course.steps.map((step) => step.achieved)")
    page.visit(address)
    page.wait("window.live")
    assert page.run("live.game.tick") == [last]
    assert page.run("live.game.course.steps.map((step) => step.achieved)") == achieved and last in achieved
    assert page.run("live.game.ticks") == list(range(last + 1))
    for tick in (2, 7):
        page.run(SLIDE % tick)
    page.wait("live.screen.now === 7 && live.game.tick.includes(7)")
    assert page.run(FRAME) == drawn
    assert "You see tick 7" in text_of(page, "past")
    page.run("document.activeElement.blur()")
    page.key("ArrowLeft", 37)
    page.wait("live.game.tick.includes(6) && live.screen.now === 6")
    page.press("#branch")
    page.wait("live.status.tick === 6 && live.game.last === 6")
    page.run("live.link.send('step', { ticks: 1 })")
    page.wait("live.game.last === 7 && live.screen.now === 7")
    position = "[...live.game.at(live.screen.frame).position]"
    assert page.run(position) == json.loads(drawn)["position"]


def test_a_second_tab_watches_and_takes_the_command(
    page: Browser, address: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The rule: any tab may take the command at any time, so no tab locks the game."""
    with start(tmp_path_factory) as other:
        other.visit(address)
        other.wait("window.live")
        assert other.run("document.getElementById('send').disabled && document.getElementById('play').disabled")
        assert "this tab only watches" in text_of(other, "role")
        give(page, "Hold the meadow")
        page.run("live.link.send('step', { ticks: 3 })")
        other.wait("live.game.plan && live.game.last === 3")
        assert any("Hold the meadow" in row for row in other.run(LOG))
        other.press("#take")
        other.wait("document.getElementById('role').hidden && !document.getElementById('play').disabled")
        page.wait("!document.getElementById('role').hidden && document.getElementById('play').disabled")
        other.run("live.link.send('step', { ticks: 2 })")
        other.wait("live.game.last === 5")
        other.visit("about:blank")
        page.wait("document.getElementById('role-words').textContent.includes('No tab has the command')")
        page.press("#take")
        page.wait("document.getElementById('role').hidden")


def test_the_plan_tab_begins_with_the_shipped_plan(page: Browser) -> None:
    """It can be followed as it stands, and what a user wrote stays."""
    page.press("#show-plan")
    assert page.run("document.getElementById('text').value") == PLAN
    page.wait("!document.getElementById('give').disabled")
    assert "shipped with this game" in text_of(page, "verdict")
    assert page.run("document.getElementById('play').disabled"), "there is no plan to run yet"
    page.press("#give")
    page.wait("live.game.plan && !document.getElementById('play').disabled")
    page.wait("document.getElementById('verdict').textContent === 'This plan is followed.'")


def test_the_end_of_a_game_is_a_summary_and_a_branch_takes_it_back(page: Browser) -> None:
    """Outcome, reason and advice; the clock is off; routine events are one entry; a branch removes what it drops."""
    give(page, "Hold the meadow")
    page.run("live.link.send('run')")
    page.wait("live.status.outcome === 'win' && live.screen.now === live.status.tick")
    last = page.run("live.status.tick")
    summary = text_of(page, "summary")
    assert f"You won at tick {last}" in summary and "All 8 enemy units are dead" in summary and "Try next:" in summary
    off = "['play', 'forth', 'until'].map((id) => document.getElementById(id).disabled)"
    assert page.run(off) == [True, True, True] and not page.run("document.getElementById('back').disabled")
    assert page.run("[scrub.max, scrub.value].map(Number)") == [400, last]
    folds = "document.querySelectorAll('#log > .routine')"
    assert page.run(f"{folds}.length") == 1 and "events, the last: " in page.run(f"{folds}[0].innerText")
    assert not page.run(f"{folds}[0].querySelector('details').open")
    events = "Array.from(document.querySelectorAll('#log .event'), (row) => row.tick)"
    assert max(page.run(events)) == last
    page.run("live.screen.seek(25)")
    page.wait("!document.getElementById('past').hidden && !document.getElementById('forth').disabled")
    page.run(SLIDE % 399)
    page.wait("live.screen.following")
    assert page.run("Number(scrub.value)") == last, "no tick after the present can be shown"
    page.run("live.link.send('branch', { tick: 25 })")
    page.wait("live.status.tick === 25 && document.getElementById('summary').hidden")
    assert max(page.run(events)) == 25 and page.run(off) == [False, False, False]
    assert "The game continues from tick 25" in page.run(LOG)[-1]
    page.run("live.link.send('again')")
    page.wait("live.status.tick === 0 && !live.game.plan")
    assert not any(page.run(events)) and page.run("!document.querySelector('#log .given:not(.dropped)')")


def test_saving_shows_its_progress_and_its_end(page: Browser) -> None:
    give(page, "Hold the meadow")
    page.run("live.link.send('step', { ticks: 3 })")
    page.wait("live.status.tick === 3 && !live.status.running")
    page.run("live.saved({ is: 'saving', id: 'save-9', path: 'runs/x', doing: 'playing', done: 2, total: 4 })")
    assert text_of(page, "save") == "Saving: 50 %" and page.run("document.getElementById('save').disabled")
    page.run("live.saved({ is: 'saved', id: 'save-9', path: 'runs/x' })")
    assert text_of(page, "save") == "Save run"
    page.press("#save")
    page.wait("document.getElementById('toast').textContent.startsWith('Saved in')")


def test_a_compilation_is_announced_with_its_time_so_far(page: Browser) -> None:
    page.run("live.screen.statusCame({ ...live.status, preparing: { words: 'took 14 s last time', seconds: 3 } })")
    assert text_of(page, "outcome").startswith("compiling (took 14 s last time): 3 s")


SHADE = (
    "(() => { const one = make('canvas', { width: 1, height: 1 }).getContext('2d', { willReadFrequently: true });"
    " const { canvas } = live.screen.field.ground;"
    " one.drawImage(canvas, canvas.width / 2, canvas.height / 2, 1, 1, 0, 0, 1, 1);"
    " const [r, g, b] = one.getImageData(0, 0, 1, 1).data; return (r + g + b) / 3; })()"
)
"""Brightness of the middle of the ground, 0 to 255."""


def test_the_map_follows_dark_mode_and_nothing_lies_over_it(page: Browser) -> None:
    """Also while the page is open; the scale stands below the map."""
    page.wait(f"{SHADE} > 200")
    page.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    page.wait(f"{SHADE} < 60")
    page.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "light"}])
    page.wait(f"{SHADE} > 200")
    below = "scale.getBoundingClientRect().top >= field.getBoundingClientRect().bottom - 4"
    assert page.run(below) and text_of(page, "scale").endswith(" m")


SMALL = """
Array.from(document.querySelectorAll('button, select, a, summary, textarea, input, #legend label')).filter((node) => {
  const { width, height } = node.getBoundingClientRect();
  if (node.closest('#editor, dialog, .skip') || node.matches('.skip, label input') || !width) return false;
  return width < 44 || height < 44;
}).map((node) => node.id || node.className || node.textContent)
"""


def test_a_phone_has_room_for_fingers_and_a_box_for_orders_at_its_bottom(phone: Browser) -> None:
    """Targets of touch are 44 px, the order box stays in sight at any place of the page, and buttons leave the map."""
    give(phone, "Hold the meadow")
    phone.run("live.link.send('run')")
    phone.wait("live.status.outcome === 'win'")
    phone.run("document.querySelectorAll('details').forEach((fold) => { fold.open = true; })")
    for tab in ("command", "plan", "progress"):
        phone.run(f"live.tabs.open('{tab}')")
        assert phone.run(SMALL) == [], tab
        for place in (0, 300, 10_000):
            phone.run(f"scrollTo(0, {place})")
            box = phone.run("(({ bottom, height }) => [bottom, height])($('say-form').getBoundingClientRect())")
            assert abs(box[0] - 800) <= 9 and box[1] > 44, (tab, place)
    for id in ("letters", "zoom"):
        assert not phone.run(f"document.getElementById('field').contains($('{id}'))")
    phone.resize(1280, 800)
    phone.wait("$('field').contains($('zoom')) && $('speaking').contains($('say-form'))")


def test_the_page_asks_its_own_server_alone_and_needs_the_token(page: Browser, address: str) -> None:
    host = address.split("/?")[0]
    assert all(asked.startswith((host, host.replace("http", "ws"))) for asked in page.requests())
    page.visit(address.split("token")[0])
    assert "no token" in page.run("document.body.innerText")
    page.visit("about:blank")
    page.events.clear()  # the refusal itself is in the log of the browser, and that it has no icon


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (1100, 690), (360, 740)])
def test_it_fits_the_window_without_sideways_scrolling(page: Browser, width: int, height: int) -> None:
    """On a computer all controls are in the window too, also while the task is open."""
    page.resize(width, height)
    page.run("document.getElementById('brief-card').open = true")
    for id in ("send", "say", "legend"):
        bottom = page.run(f"document.getElementById('{id}').getBoundingClientRect().bottom")
        assert width < 900 or bottom <= height
    for tab in ("command", "plan", "progress"):
        page.run(f"live.tabs.open('{tab}')")
        assert page.run("document.documentElement.scrollWidth") <= width
    page.resize(1280, 800)


def test_every_control_has_a_name(page: Browser) -> None:
    """What a screen reader says of a control is its text, its label or its title."""
    nameless = page.run(
        "Array.from(document.querySelectorAll('button, input, select, textarea, a'), (node) => node).filter((node) =>"
        " !(node.getAttribute('aria-label') || node.textContent.trim() || node.labels?.length)).map((node) => node.id)"
    )
    assert nameless == []
