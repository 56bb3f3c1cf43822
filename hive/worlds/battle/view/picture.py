"""Pictures of a recording: one frame with its heading, axes and legend, or a few moments side by side."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from PIL import Image, ImageDraw

from dsl.vocabulary import SIDES
from hive.kit.view import palette
from hive.kit.view.lettering import fit, font
from hive.kit.view.palette import Rgb
from hive.kit.view.pictures import Picture, grid_step
from hive.worlds.battle.recording import BattleRecording
from hive.worlds.battle.view.battlefield import Battlefield
from hive.worlds.battle.view.signs import draw_legend


class Painter:
    """Draws any frame of one recording; the parts that do not change between frames are drawn once, at the start."""

    def __init__(self, recording: BattleRecording, size: int = 720) -> None:
        """Prepare pictures `size` pixels wide; their height follows, and both are even.

        Raises:
            ValueError: The width is below 240.
        """
        if size < 240:
            raise ValueError(f"a picture is at least 240 pixels wide, not {size}")
        self.recording = recording
        size += size % 2
        self._unit = u = size / 720
        self._left, self._top = round(40 * u), round((66 if recording.units else 40) * u)
        self._side = size - self._left - round(16 * u)
        self._field = Battlefield(recording, self._side, u)
        self._page = self._draw_page(size)

    @property
    def frames(self) -> int:
        """Number of frames."""
        return self.recording.frames

    @property
    def colours(self) -> list[Rgb]:
        """Colours that a movie must keep exactly: those of page, terrain and units."""
        kinds = [(side, kind) for side in range(2) for kind in np.unique(self.recording.type)]
        exact = [palette.unit_colour(side, kind, forest) for side, kind in kinds for forest in (False, True)]
        exact += [palette.outline_colour(colour) for colour in exact] + [palette.corpse_colour(side) for side in (0, 1)]
        page = [palette.GROUND_COLOUR, palette.PAGE, palette.INK, palette.FAINT_INK, palette.RULE]
        terrain = [palette.FOREST_COLOUR, palette.WATER_COLOUR, palette.BUILDING_COLOUR]
        fire = palette.FIRE_COLOURS if self.recording.fire is not None else ()
        return list(dict.fromkeys([*page, *terrain, *fire, *exact]))

    def frame(self, t: int) -> Picture:
        """Return frame `t` (0 to T - 1, or from the end when negative) as a picture, uint8 [H, W, 3]."""
        page = self._page.copy()
        page.paste(self._field.draw(t), (self._left, self._top))
        draw, u = ImageDraw.Draw(page), self._unit
        tick = f"tick {int(self.recording.tick[t]):,}" if self.recording.units else f"{self.recording.metres} m"
        right = self._left + self._side
        draw.text((right, 20 * u), tick, palette.INK, font(round(15 * u)), "rm")
        if self.recording.units:
            _draw_strength(draw, self.recording, t, (self._left, round(36 * u), right), u)
        return np.asarray(page)

    def _draw_page(self, size: int) -> Image.Image:
        u, side, metres = self._unit, self._side, self.recording.metres
        legend = _legend_of(self.recording, side, u)
        bottom = self._top + side
        height = bottom + round(34 * u) + legend.height + round(12 * u)
        page = Image.new("RGB", (size, height + height % 2), palette.PAGE)
        draw = ImageDraw.Draw(page)
        title = font(round(17 * u), bold=True)
        heading = fit(self.recording.title, title, side - 110 * u)
        draw.text((self._left, 20 * u), heading, palette.INK, title, "lm")
        edge = max(1, round(u))
        draw.rectangle(
            (self._left - edge, self._top - edge, self._left + side + edge - 1, bottom + edge - 1),
            outline=palette.RULE, width=edge,
        )  # fmt: skip
        small, tooth = font(round(11 * u)), 4 * u
        for metre in range(0, metres + 1, grid_step(metres)):
            x, y = self._left + metre * side / metres, bottom - metre * side / metres
            draw.line((x, bottom, x, bottom + tooth), palette.RULE, edge)
            draw.line((self._left - 1 - tooth, y, self._left - 1, y), palette.RULE, edge)
            draw.text((x, bottom + 7 * u), f"{metre}", palette.FAINT_INK, small, "mt")
            draw.text((self._left - 8 * u, y), f"{metre}" if metre else "m", palette.FAINT_INK, small, "rm")
        page.paste(legend, (self._left, bottom + round(32 * u)))
        return page


def contact_sheet(
    recording: BattleRecording, ticks: Iterable[int] | None = None, panel: int = 330, columns: int = 4
) -> Picture:
    """Return a few moments of one game side by side as one picture, uint8 [H, W, 3].

    Args:
        recording: The game.
        ticks: Ticks to show, each as its nearest frame; by default `recording.moments(columns)`.
        panel: Pixels of a side of each map.
        columns: Maps in a row.

    Raises:
        ValueError: There is no tick to show.
    """
    frames = [recording.frame_at(tick) for tick in (recording.moments(columns) if ticks is None else ticks)]
    if not frames:
        raise ValueError("a contact sheet needs at least one tick")
    u = panel / 330
    gap, head, above = round(16 * u), round(46 * u), round((44 if recording.units else 22) * u)
    columns = min(columns, len(frames))
    rows = -(-len(frames) // columns)
    width = gap + columns * (panel + gap)
    legend = _legend_of(recording, width - 2 * gap, u)
    height = head + rows * (above + panel + gap) + legend.height + round(10 * u)
    page = Image.new("RGB", (width + width % 2, height + height % 2), palette.PAGE)
    draw = ImageDraw.Draw(page)
    title = font(round(18 * u), bold=True)
    draw.text((gap, head / 2), fit(recording.title, title, width - 2 * gap), palette.INK, title, "lm")
    field, edge = Battlefield(recording, panel, 0.8 * u), max(1, round(u))
    for k, t in enumerate(frames):
        left, top = gap + k % columns * (panel + gap), head + k // columns * (above + panel + gap)
        draw.text((left, top + 8 * u), f"tick {int(recording.tick[t]):,}", palette.INK, font(round(13 * u), True), "lm")
        if recording.units:
            _draw_strength(draw, recording, t, (left, round(top + 17 * u), left + panel), u)
        page.paste(field.draw(t), (left, top + above))
        frame = (left - edge, top + above - edge, left + panel + edge - 1, top + above + panel + edge - 1)
        draw.rectangle(frame, outline=palette.RULE, width=edge)
    page.paste(legend, (gap, head + rows * (above + panel + gap)))
    return np.asarray(page)


def _draw_strength(
    draw: ImageDraw.ImageDraw, recording: BattleRecording, t: int, box: tuple[int, int, int], u: float
) -> None:
    """Write the living units of each side, above a bar that shrinks towards the middle of `box` (left, top, right)."""
    left, top, right = box
    living, total, middle = recording.counts(t), recording.sizes(), (left + right) / 2
    words, thick, gap = font(round(12 * u)), max(2, round(4 * u)), max(1, round(2 * u))
    below = top + round(16 * u)
    for side, (outer, inner, anchor) in enumerate(((left, middle - gap, "lm"), (right - 1, middle + gap, "rm"))):
        text = f"{SIDES[side]} {living[side]:,} of {total[side]:,}"
        colour = palette.unit_colour(side, 1)
        draw.text((outer, top + 6 * u), text, palette.darken(colour, 0.25), words, anchor)
        end = inner + (outer - inner) * living[side] / max(1, total[side])
        for far, shade in ((outer, palette.lighten(colour, 0.82)), (end, colour)):
            if round(far) != round(inner):
                draw.rectangle((min(far, inner), below, max(far, inner), below + thick - 1), fill=shade)


def _legend_of(recording: BattleRecording, width: int, u: float) -> Image.Image:
    terrain = int(np.bitwise_or.reduce(recording.kind, axis=None))
    types, sides = ([int(v) for v in np.unique(part)] for part in (recording.type, recording.side))
    return draw_legend(width, u, types, sides, terrain, bool(recording.targets), bool(recording.markers),
                       recording.fire is not None)  # fmt: skip
