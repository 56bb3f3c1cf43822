"""Pictures of the pages in a headless Chromium: `page.png`, `page.webp`, `typed.webp` and `replay.png` of `docs`."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PIL import Image

from tests.view.browser import Browser, find_chromium

DOCS = Path(__file__).resolve().parents[1]
ORDER = "Form up in five groups, spearmen in front, and hold."
TYPED = "send each type against the enemy that it beats"  # read by rules
FORWARD = ("(75, 40)", "(75, 50)")  # where the spearmen of the middle group stand in the first plan and in the second
SIZE = (1080, 675)  # of the live page, in CSS pixels
TICKS_PER_SECOND = 20
SPEED_UP = 2.5  # of the film, against the clock of the game
STEP, TYPED_STEP = 0.1, 0.14  # seconds of a film between two looks at the page
END = 2.0  # seconds that the film stands still at its end
RATIO, GAP = 0.8, 10  # of the four pictures in `page.png`: device pixels to a CSS pixel, and pixels between them

# A pointer for the film, since a picture of a page has none.
POINTER = """(() => {
  const svg = "<svg width='16' height='22' viewBox='0 0 16 22'><path d='M1 1v17l4-4 3 7 3-1-3-7h6z'"
    + " fill='#111' stroke='#fff' stroke-width='1.3'/></svg>";
  const pointer = document.createElement("div");
  pointer.style.cssText = "position:fixed;z-index:999;pointer-events:none;left:-30px;top:0";
  pointer.innerHTML = svg;
  document.body.append(pointer);
  addEventListener("mousemove", ({ clientX, clientY }) => {
    [pointer.style.left, pointer.style.top] = [`${clientX}px`, `${clientY}px`];
  }, true);
})()"""
SETTLE = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))"


def take_all() -> None:
    """Take the pictures and the film again; needs a Chromium and takes some minutes."""
    with tempfile.TemporaryDirectory() as made, Browser(find_chromium(), Path(made) / "profile", *SIZE) as browser:
        take_replay(browser, Path(made))
        with _serving(Path(made), "page", "coordinate") as address:
            take_page(browser, address)
        with _serving(Path(made), "film", "coordinate") as address:
            film(browser, address)
        with _serving(Path(made), "typed", "exploit_weakness", "--units", "100") as address:
            film_typing(browser, address)


def take_replay(browser: Browser, folder: Path) -> None:
    """Take the replay of the shipped plan of `coordinate` at tick 200, with the tip of an enemy."""
    import hive
    from hive.kit.view.pages import save_page
    from hive.worlds.battle.recorder import record
    from hive.worlds.battle.view.replay import make_page
    from hive.worlds.battle.world import load

    world = load("coordinate")
    recording = record(world, hive.read_plan("coordinate", world), 0, title="Coordinate: plan coordinate, seed 0")
    save_page(make_page(recording), folder / "replay.html")
    browser.resize(1280, 800)
    browser.open(folder / "replay.html")
    browser.wait("window.replay")
    browser.run("replay.seek(200)")
    _point_at_unit(browser, "replay", 1604)
    _save(_shot(browser), DOCS / "replay.png")


def take_page(browser: Browser, address: str) -> None:
    """Take an order and its plan, the battle, a plan being written, and the end with a look back in dark mode."""
    browser.resize(*SIZE, RATIO)
    _begin(browser, address)
    _mark(browser, {"A": (45, 80), "B": (105, 80)})
    _say(browser)
    _step(browser, 60)
    shots = [_shot(browser)]
    _step(browser, 200)
    _point_at_unit(browser, "live", 738)
    shots.append(_shot(browser))
    _amend(browser)
    shots.append(_shot(browser))
    _follow(browser)
    browser.press("#play")
    browser.wait("live.status.outcome !== 'running' && live.screen.now === live.status.tick", 120)
    browser.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    browser.press("#end-curves")
    browser.run("live.screen.pick(230)")
    browser.wait("!document.getElementById('past').hidden && live.screen.now === 230")
    shots.append(_shot(browser))
    browser.ask("Emulation.setEmulatedMedia", features=[])
    browser.resize(*SIZE)
    _save(_sheet(shots), DOCS / "page.png")


def film(browser: Browser, address: str) -> None:
    """Film an order, its plan, the battle, another plan, the win and a look back."""
    _begin(browser, address)
    browser.run(POINTER)
    reel = _Reel(browser)
    reel.wait(0.5)
    reel.press("#say")
    for part in re.findall(r"\S+\s*", ORDER):
        browser.write(part)
        reel.look()
    browser.key("Enter", 13, "\r")
    reel.until("live.game.plan && !document.getElementById('send').disabled")
    reel.wait(0.8)
    browser.run("document.activeElement.blur()")
    reel.point("#until")
    browser.run(
        "(() => { const until = document.getElementById('until'); until.value = 'loss';"
        "until.dispatchEvent(new Event('change')); })()"
    )
    reel.until("live.status.tick > 0 && live.screen.now === live.status.tick && !live.status.running")
    reel.press("#show-plan")
    reel.wait(0.4)
    _amend(browser)
    reel.wait(0.7)
    reel.press("#give")
    reel.until("live.game.plans.length === 2 && document.getElementById('give').disabled")
    reel.press("#show-progress")
    reel.press("#play")
    reel.until("live.status.outcome !== 'running' && live.screen.now === live.status.tick")
    reel.wait(1)
    last = browser.run("live.game.last")
    for tick in (*range(last - 5, 180, -5), 180):
        browser.run(f"live.screen.pick({tick})")
        reel.look()
    reel.save(DOCS / "page.webp")


def film_typing(browser: Browser, address: str) -> None:
    """Film one order in words, typed key by key, how it is read, and the game that it wins."""
    browser.resize(*SIZE, RATIO)
    _begin(browser, address)
    browser.run(POINTER)
    reel = _Reel(browser, TYPED_STEP)
    reel.wait(0.5)
    reel.press("#say")
    for letter in TYPED:
        browser.key(letter, text=letter)
        reel.look()
    reel.wait(0.5)
    browser.key("Enter", 13, "\r")
    reel.until("live.game.plan && !document.getElementById('send').disabled")
    browser.run("document.activeElement.blur()")
    reel.wait(2)
    reel.press("#play")
    reel.until("live.status.outcome !== 'running' && live.screen.now === live.status.tick")
    outcome = browser.run("live.status.outcome")
    if outcome != "win":
        raise AssertionError(f"the game of the typed order ended as {outcome}")
    reel.wait(0.5)
    reel.save(DOCS / "typed.webp", quality=38)
    browser.resize(*SIZE)


class _Reel:
    """Pictures of the page with the times at which they were taken, in seconds of the film."""

    def __init__(self, browser: Browser, step: float = STEP) -> None:
        self._browser, self._step, self._began = browser, step, time.monotonic()
        self._frames: list[tuple[float, Image.Image]] = []
        self._place = (SIZE[0] / 2, SIZE[1] / 2)
        self.look()

    def look(self) -> None:
        """Take a picture, not earlier than a step after the one before."""
        if self._frames:
            time.sleep(max(0.0, self._frames[-1][0] + self._step - self._now()) * SPEED_UP)
        now = self._now()
        self._frames.append((now, _shot(self._browser, settled=False)))

    def wait(self, seconds: float) -> None:
        """Film for some seconds of the film."""
        end = self._now() + seconds
        while self._now() < end:
            self.look()

    def until(self, condition: str) -> None:
        """Film until a condition of the page holds."""
        end = time.monotonic() + 180
        while not self._browser.run(f"Boolean({condition})"):
            if time.monotonic() > end:
                raise AssertionError(f"not true while the page was filmed: {condition}")
            self.look()

    def press(self, selector: str) -> None:
        """Move the pointer to an element and click it."""
        self.point(selector)
        self._browser.click(*self._place)

    def point(self, selector: str) -> None:
        """Move the pointer to an element."""
        box = "(({ left, top, width, height }) => [left + width / 2, top + height / 2])"
        x, y = self._browser.run(f"{box}(document.querySelector({json.dumps(selector)}).getBoundingClientRect())")
        (from_x, from_y), steps = self._place, 3
        for k in range(1, steps + 1):
            self._browser.mouse("mouseMoved", from_x + (x - from_x) * k / steps, from_y + (y - from_y) * k / steps)
            self.look()
        self._place = (x, y)

    def save(self, path: Path, quality: int = 62) -> None:
        """Write the film with a quality from 0 to 100; what did not change is one longer picture."""
        kept: list[tuple[float, Image.Image]] = []
        for at, picture in self._frames:
            if not kept or picture.tobytes() != kept[-1][1].tobytes():
                kept.append((at, picture))
        ends = [*(at for at, _ in kept[1:]), kept[-1][0] + END]
        lengths = [round(1000 * (end - at)) for (at, _), end in zip(kept, ends, strict=True)]
        first, *rest = [picture for _, picture in kept]
        first.save(path, save_all=True, append_images=rest, duration=lengths, loop=0, quality=quality, method=4)
        size = path.stat().st_size
        print(f"wrote {path}: {len(kept)} pictures, {sum(lengths) / 1000:.1f} s, {size:,} bytes")

    def _now(self) -> float:
        return (time.monotonic() - self._began) / SPEED_UP


@contextmanager
def _serving(folder: Path, name: str, *game: str) -> Iterator[str]:
    """Run `hive serve` for a game and give the link that it prints."""
    hive = str(Path(sys.executable).with_name("hive"))
    words = [hive, "serve", *game, "--session", str(folder / f"{name}.jsonl")]
    server = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=folder)
    try:
        assert server.stdout is not None
        said: list[str] = []
        for line in server.stdout:
            said.append(line)
            if found := re.search(r"http://\S+", line):
                yield found[0]
                break
        else:
            raise AssertionError(f"hive serve gave no link: {''.join(said)}")
    finally:
        server.terminate()
        server.wait(60)


def _begin(browser: Browser, address: str) -> None:
    """Open the page of a game without words, whose programs are compiled."""
    browser.visit(address)
    browser.wait("window.live", 120)
    browser.wait("!live.status.preparing", 300)
    browser.run(f"live.link.send('speed', {{ ticks_per_second: {TICKS_PER_SECOND} }})")
    browser.wait(f"live.status.asked_speed === {TICKS_PER_SECOND}")


def _mark(browser: Browser, places: dict[str, tuple[int, int]]) -> None:
    for letter, (x, y) in places.items():
        browser.run(f"live.link.send('mark', {{ letter: '{letter}', x: {x}, y: {y} }})")
        browser.wait(f"live.game.markers.{letter}")


def _say(browser: Browser) -> None:
    browser.press("#say")
    browser.write(ORDER)
    browser.key("Enter", 13, "\r")
    browser.wait("live.game.plan && !document.getElementById('send').disabled", 300)
    browser.run("document.activeElement.blur()")


def _step(browser: Browser, tick: int) -> None:
    """Play to a tick and wait until the page shows it."""
    browser.run(f"live.link.send('step', {{ ticks: {tick} - live.status.tick }})")
    browser.wait(f"live.status.tick === {tick} && !live.status.running && live.screen.now === {tick}", 300)


def _amend(browser: Browser) -> None:
    """Open the plan, send its middle group forward, and leave the cursor there."""
    browser.press("#show-plan")
    browser.wait(f"document.getElementById('text').value.includes('{FORWARD[0]}')")
    browser.run(
        f"(() => {{ const field = document.getElementById('text'), at = field.value.indexOf('{FORWARD[0]}');"
        f"field.focus(); field.setSelectionRange(at, at + {len(FORWARD[0])}); }})()"
    )
    browser.write(FORWARD[1])
    browser.wait("!document.getElementById('give').disabled && live.editor.groups.length && live.screen.field.draft")


def _follow(browser: Browser) -> None:
    browser.press("#give")
    browser.wait("live.game.plans.length === 2", 300)


def _point_at_unit(browser: Browser, page: str, unit: int) -> None:
    field = "replay.field" if page == "replay" else "live.screen.field"
    x, y = browser.run(
        f"(() => {{ const [x, y] = {field}.screenOf({unit}), at = document.getElementById('units')"
        ".getBoundingClientRect(); return [x + at.left, y + at.top]; })()"
    )
    browser.mouse("mouseMoved", x, y)
    browser.wait("!document.getElementById('tip').hidden")


def _shot(browser: Browser, settled: bool = True) -> Image.Image:
    """Return the page's picture; `settled` waits until the curves, drawn twice a second, are those of the tick."""
    if settled:
        time.sleep(1)
        browser.run(SETTLE)
    with tempfile.NamedTemporaryFile(suffix=".png") as file:
        browser.screenshot(Path(file.name))
        return Image.open(io.BytesIO(Path(file.name).read_bytes())).convert("RGB")


def _sheet(shots: Sequence[Image.Image]) -> Image.Image:
    """Lay four pictures out in two rows."""
    wide, high = shots[0].size
    sheet = Image.new("RGB", (2 * wide + 3 * GAP, 2 * high + 3 * GAP), "#6b6f76")
    for k, shot in enumerate(shots):
        sheet.paste(shot, (GAP + k % 2 * (wide + GAP), GAP + k // 2 * (high + GAP)))
    return sheet


def _save(picture: Image.Image, path: Path) -> None:
    """Write a PNG of 256 colours, in whose choice a rare colour counts more than by its share of the picture."""
    found = picture.getcolors(picture.width * picture.height) or []
    weighted: list[Any] = [colour for count, colour in found for _ in range(max(1, round(count**0.5)))]
    sample = Image.new("RGB", (len(weighted), 1))
    sample.putdata(weighted)
    palette = sample.quantize(256, kmeans=1)
    picture.quantize(palette=palette, dither=Image.Dither.NONE).save(path, optimize=True)
    print(f"wrote {path}: {path.stat().st_size:,} bytes")
