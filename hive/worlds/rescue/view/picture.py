"""Pictures of a rescue's recording: one frame with what the agents do and say, or a few moments side by side."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from PIL import Image, ImageDraw

from hive.kit.keep.dialogue import Line, LineKind
from hive.kit.view import palette
from hive.kit.view.display import Painter
from hive.kit.view.lettering import fit, font
from hive.kit.view.painter import ScenePainter
from hive.kit.view.palette import Rgb
from hive.kit.view.pictures import Picture
from hive.worlds.rescue.instance import Instance
from hive.worlds.rescue.recording import RescueRecording, gather_start
from hive.worlds.rescue.view import palette as rescue_palette
from hive.worlds.rescue.view.icons import icon
from hive.worlds.rescue.view.scene import RescueScene, carried, last_action

_LETTERS = 96  # of a message at every size


class RescuePainter(ScenePainter[RescueRecording]):
    """Draws any frame of one recording; see `ScenePainter`."""

    def __init__(self, recording: RescueRecording, size: int = 720) -> None:
        """Prepare pictures `size` pixels wide; see `ScenePainter`."""
        super().__init__(recording, size)
        u = self._unit
        scene = RescueScene(recording)
        self._scene = Painter(scene, (self._size - 2 * self._gap) / scene.width)
        self._left, self._top = self._gap, round((62 if recording.instance.about else 44) * u)
        self._below = self._top + self._scene.size[1] + round(8 * u)
        agents = len(recording.instance.agents)
        spoken = agents if any(line.kind == LineKind.SAY for line in recording.lines) else 0
        height = self._below + round((agents + spoken + 1) * 22 * u) + round(10 * u)
        self._page = self._draw_page(height + height % 2)

    @property
    def colours(self) -> list[Rgb]:
        """Colours that a movie must keep exactly."""
        return rescue_palette.colours()

    def _head(self, page: Image.Image, draw: ImageDraw.ImageDraw, t: int) -> None:
        u = self._unit
        draw.text((self._size - self._gap, 22 * u), caption(self.recording, t), palette.INK, font(round(14 * u)), "rm")

    def _rows(self, t: int) -> Iterator[tuple[str, Rgb, str]]:
        for agent in range(len(self.recording.instance.agents)):
            yield *self._named(agent), doing(self.recording, t, agent)
        for line in spoken(self.recording, t):
            words = textwrap.shorten(one_line(line.text), _LETTERS, placeholder=" …")
            yield *self._named(line.agent, " says"), words

    def _named(self, agent: int, verb: str = "") -> tuple[str, Rgb]:
        """Return the name of an agent, shortened where it is long, and its colour."""
        bold = font(round(13 * self._unit), bold=True)
        name = fit(f"{self.recording.instance.agents[agent].name}{verb}", bold, self._size / 3)
        return name, rescue_palette.tint(agent)

    def _draw_page(self, height: int) -> Image.Image:
        """Return the page with what every frame has: the title and the legend."""
        u, recording = self._unit, self.recording
        page = Image.new("RGB", (self._size, height), palette.PAGE)
        draw = ImageDraw.Draw(page)
        right = font(round(14 * u)).getlength(f"step 99 of 99, 9 of 9 helped: {recording.outcome}")
        title = font(round(16 * u), bold=True)
        words = fit(one_line(recording.title), title, self._size - 3 * self._gap - right)
        draw.text((self._gap, 22 * u), words, palette.INK, title, "lm")
        about = fit(one_line(recording.instance.about), font(round(12 * u)), self._size - 2 * self._gap)
        draw.text((self._gap, 45 * u), about, palette.FAINT_INK, font(round(12 * u)), "lm")
        x, y, small, side = float(self._gap), height - 17 * u, font(round(12 * u)), round(16 * u)
        for name, meaning in rescue_palette.LEGEND:
            drawn = icon(name, side)
            page.paste(drawn, (round(x), round(y - side / 2)), drawn)
            draw.text((x + side + 5 * u, y), meaning, palette.FAINT_INK, small, "lm")
            x += side + 22 * u + small.getlength(meaning)
        return page


def draw_instance(instance: Instance, size: int = 720) -> Picture:
    """Return an instance before its first step as a picture, uint8 [H, W, 3]."""
    return RescuePainter(gather_start(instance), size).frame(0)


def caption(recording: RescueRecording, t: int) -> str:
    """Return a line such as `step 5 of 60, 1 of 2 helped` for frame `t`, with the end in the last one."""
    victims = len(recording.instance.victims)
    now = f"step {int(recording.tick[t])} of {recording.limit}, {recording.helped(t)} of {victims} helped"
    return f"{now}: {recording.outcome}" if t == recording.frames - 1 and recording.frames > 1 else now


def doing(recording: RescueRecording, t: int, agent: int) -> str:
    """Return what an agent did in the step before frame `t`, and what it carries."""
    ended = "" if recording.active[t, agent] else ", has ended its mission"
    return f"{last_action(recording, t, agent)}, carries {carried(recording, t, agent)}{ended}"


def one_line(text: str) -> str:
    """Return a text without line breaks, which a row of a picture cannot show."""
    return " ".join(text.split())


def spoken(recording: RescueRecording, t: int) -> list[Line]:
    """Return the messages of the step before frame `t`."""
    return [line for line in recording.lines if line.kind == LineKind.SAY and line.tick == recording.tick[t]]
