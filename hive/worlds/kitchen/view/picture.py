"""Pictures of a kitchen's recording: one frame with what the cooks do and say, or a few moments side by side."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from PIL import Image, ImageDraw, ImageFont

from hive.kit.keep.dialogue import Line, LineKind
from hive.kit.view import palette
from hive.kit.view.display import Painter
from hive.kit.view.lettering import fit, font
from hive.kit.view.painter import ScenePainter, draw_swatches
from hive.kit.view.palette import Rgb
from hive.worlds.kitchen.recording import KitchenRecording
from hive.worlds.kitchen.view import palette as kitchen_palette
from hive.worlds.kitchen.view.items import draw_item
from hive.worlds.kitchen.view.scene import KitchenScene, in_hand, last_action, order_words, served

_SPOKEN = 3  # rows of conversation below the map
_LETTERS = 96  # of a row at every size


class KitchenPainter(ScenePainter[KitchenRecording]):
    """Draws any frame of one recording; see `ScenePainter`."""

    def __init__(self, recording: KitchenRecording, size: int = 720) -> None:
        """Prepare pictures `size` pixels wide; see `ScenePainter`."""
        super().__init__(recording, size)
        u = self._unit
        tile = (self._size - 2 * self._gap) // recording.layout.width
        self._scene = Painter(KitchenScene(recording), tile)
        self._left, self._top = (self._size - tile * recording.layout.width) // 2, round(70 * u)
        self._below = self._top + tile * recording.layout.height + round(8 * u)
        rows = 3 + (_SPOKEN if recording.lines else 0)
        height = self._below + round(rows * 22 * u) + round(8 * u)
        self._page = self._draw_page(height + height % 2)

    @property
    def colours(self) -> list[Rgb]:
        """Colours that a movie must keep exactly."""
        return kitchen_palette.colours()

    def _head(self, page: Image.Image, draw: ImageDraw.ImageDraw, t: int) -> None:
        u = self._unit
        draw.text((self._size - self._gap, 22 * u), caption(self.recording, t), palette.INK, font(round(15 * u)), "rm")

    def _rows(self, t: int) -> Iterator[tuple[str, Rgb, str]]:
        cooks, colours = self.recording.layout.cooks, kitchen_palette.COOKS
        for cook in range(2):
            yield cooks[cook].name, colours[cook], doing(self.recording, t, cook)
        for line, words in spoken(self.recording, t):
            yield f"{cooks[line.agent].name} says", colours[line.agent], words

    def _draw_page(self, height: int) -> Image.Image:
        """Return the page with what every frame has: the title and the order."""
        u, recording = self._unit, self.recording
        page = Image.new("RGB", (self._size, height), palette.PAGE)
        draw = ImageDraw.Draw(page)
        right = font(round(15 * u)).getlength("delivered in timestep 999 (too late)")
        room = self._size - 3 * self._gap - right
        title = next((each for each in _titles(u) if each.getlength(recording.title) <= room), _titles(u)[-1])
        draw.text((self._gap, 22 * u), fit(recording.title, title, room), palette.INK, title, "lm")
        icon = draw_item(recording.book, served(recording), round(30 * u))
        page.paste(icon, (self._gap, round(37 * u)), icon)
        words = f"order: {order_words(recording)}"
        draw.text((self._gap + 36 * u, 52 * u), words, palette.INK, font(round(14 * u)), "lm")
        draw_swatches(draw, kitchen_palette.LEGEND, (self._gap, height - 18 * u), font(round(12 * u)), u)
        return page


def _titles(unit: float) -> list[ImageFont.FreeTypeFont]:
    """The lettering of a title, the largest first."""
    return [font(round(pixels * unit), bold=True) for pixels in (17, 15, 13, 11)]


def caption(recording: KitchenRecording, t: int) -> str:
    """Return a line such as `5 timesteps, limit 24` for frame `t`, with the delivery once it happened."""
    tick = int(recording.tick[t])
    if recording.served[t]:
        return recording.outcome
    return f"after {tick} timestep{'' if tick == 1 else 's'}, limit {recording.limit}"


def doing(recording: KitchenRecording, t: int, cook: int) -> str:
    """Return what a cook did in the timestep before frame `t`, and what it holds."""
    return f"{last_action(recording, t, cook)}, {in_hand(recording, t, cook)}"


def spoken(recording: KitchenRecording, t: int) -> list[tuple[Line, str]]:
    """Return the last rows of conversation up to frame `t`: what was said, as much of it as there is room for."""
    said = [line for line in recording.lines if line.kind == LineKind.SAY and line.tick <= recording.tick[t]]
    rows = []
    for line in said[-_SPOKEN:]:
        words = " ".join(line.text.split())
        rows.append((line, textwrap.shorten(words, _LETTERS, placeholder=" …")))
    return rows
