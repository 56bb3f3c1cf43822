"""Pictures of a rescue's recording: one frame with what the agents do and say, or a few moments side by side."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

import numpy as np
from PIL import Image, ImageDraw

from hive.rescue.codes import RESOURCES
from hive.rescue.instance import Instance
from hive.rescue.recording import Line, LineKind, RescueRecording, gather_start
from hive.view import palette
from hive.view.battle.picture import Picture
from hive.view.lettering import fit, font
from hive.view.palette import Rgb
from hive.view.rescue import palette as rescue_palette
from hive.view.rescue.icons import icon
from hive.view.rescue.scene import Scene
from hive.view.sheets import moments, tile

_LETTERS = 96  # of a message at every size


class RescuePainter:
    """Draws any frame of one recording; the parts that do not change between frames are drawn once, at the start."""

    def __init__(self, recording: RescueRecording, size: int = 720) -> None:
        """Prepare pictures.

        Args:
            recording: The run.
            size: Pixels of their width, 240 or more; the height follows, and both are even.
        """
        if size < 240:
            raise ValueError(f"a picture is at least 240 pixels wide, not {size}")
        self.recording = recording
        self._size = size + size % 2
        self._unit = u = self._size / 720
        self._gap = round(16 * u)
        self._scene = Scene(recording, self._size - 2 * self._gap, u)
        self._top = round((62 if recording.instance.about else 44) * u)
        self._below = self._top + self._scene.plan.height + round(8 * u)
        agents = len(recording.instance.agents)
        spoken = agents if any(line.kind == LineKind.SAY for line in recording.lines) else 0
        height = self._below + round((agents + spoken + 1) * 22 * u) + round(10 * u)
        self._page = self._draw_page(height + height % 2)

    @property
    def frames(self) -> int:
        """Number of frames."""
        return self.recording.frames

    @property
    def colours(self) -> list[Rgb]:
        """Colours that a movie must keep exactly."""
        return rescue_palette.colours()

    def frame(self, t: int) -> Picture:
        """Return frame `t` (0 to T - 1, or from the end when negative) as a picture, uint8 [H, W, 3]."""
        t %= self.recording.frames
        page, u = self._page.copy(), self._unit
        draw = ImageDraw.Draw(page)
        draw.text((self._size - self._gap, 22 * u), caption(self.recording, t), palette.INK, font(round(14 * u)), "rm")
        page.paste(self._scene.draw(t), (self._gap, self._top))
        y = self._below + 11 * u
        for agent in range(len(self.recording.instance.agents)):
            self._row(draw, agent, doing(self.recording, t, agent), y)
            y += 22 * u
        for line in spoken(self.recording, t):
            words = textwrap.shorten(one_line(line.text), _LETTERS, placeholder=" …")
            self._row(draw, line.agent, words, y, quoted=True)
            y += 22 * u
        return np.asarray(page)

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

    def _row(self, draw: ImageDraw.ImageDraw, agent: int, words: str, y: float, quoted: bool = False) -> None:
        """Write what an agent does or says after its name."""
        u, colour = self._unit, rescue_palette.AGENTS[agent % len(rescue_palette.AGENTS)]
        name = f"{self.recording.instance.agents[agent].name}{' says' if quoted else ''}"
        bold, plain = font(round(13 * u), bold=True), font(round(13 * u))
        x = self._gap + 14 * u
        draw.ellipse((self._gap, y - 5 * u, self._gap + 10 * u, y + 5 * u), colour)
        name = fit(name, bold, self._size / 3)
        draw.text((x, y), name, colour, bold, "lm")
        x += bold.getlength(name) + 8 * u
        draw.text((x, y), fit(words, plain, self._size - self._gap - x), palette.INK, plain, "lm")


def draw_rescue_frame(recording: RescueRecording, t: int, size: int = 720) -> Picture:
    """Return one frame as a picture, uint8 [H, W, 3]; for many frames keep a `RescuePainter`."""
    return RescuePainter(recording, size).frame(t)


def draw_instance(instance: Instance, size: int = 720) -> Picture:
    """Return an instance before its first step as a picture, uint8 [H, W, 3]."""
    return RescuePainter(gather_start(instance), size).frame(0)


def rescue_sheet(
    recording: RescueRecording, ticks: Iterable[int] | None = None, panel: int = 560, columns: int = 3
) -> Picture:
    """Return a few moments of one run side by side as one picture, uint8 [H, W, 3].

    Args:
        recording: The run.
        ticks: Steps to show, each as its nearest frame; by default six from the first to the last.
        panel: Pixels of the width of each picture.
        columns: Pictures in a row.

    Raises:
        ValueError: There is no step to show.
    """
    frames = moments(recording, ticks, 6)
    painter = RescuePainter(recording, panel)
    return tile([painter.frame(t) for t in frames], columns)


def caption(recording: RescueRecording, t: int) -> str:
    """Return a line such as `step 5 of 60, 1 of 2 helped` for frame `t`, with the end in the last one."""
    victims = len(recording.instance.victims)
    now = f"step {int(recording.tick[t])} of {recording.limit}, {recording.helped(t)} of {victims} helped"
    return f"{now}: {recording.outcome}" if t == recording.frames - 1 and recording.frames > 1 else now


def doing(recording: RescueRecording, t: int, agent: int) -> str:
    """Return what an agent did in the step before frame `t`, and what it carries."""
    deed = int(recording.doing[t, agent])
    did = recording.deeds[deed] if deed >= 0 else ("has no turn" if t else "starts")
    if recording.refused[t, agent]:
        did += " – refused"
    supplies = recording.supplies[t, agent]
    carried = ", ".join(f"{kind} {int(units)}" for kind, units in zip(RESOURCES, supplies, strict=True) if units)
    ended = "" if recording.active[t, agent] else ", has ended its mission"
    return f"{did}, carries {carried or 'nothing'}{ended}"


def one_line(text: str) -> str:
    """Return a text without line breaks, which a row of a picture cannot show."""
    return " ".join(text.split())


def spoken(recording: RescueRecording, t: int) -> list[Line]:
    """Return the messages of the step before frame `t`."""
    return [line for line in recording.lines if line.kind == LineKind.SAY and line.tick == recording.tick[t]]
