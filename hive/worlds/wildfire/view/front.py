"""The tick at which the fire reached each cell: one picture of a game, with contours and the ways of the crews."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from hive.kit.view import palette
from hive.kit.view.lettering import font
from hive.kit.view.pictures import Picture
from hive.worlds.wildfire.recording import FireRecording
from hive.worlds.wildfire.view import palette as fire_palette
from hive.worlds.wildfire.view.field import FireField, present
from hive.worlds.wildfire.view.inset import Window, paste_inset, window_around
from hive.worlds.wildfire.view.picture import Sheet, caption

_STOPS = np.array([(255, 236, 150), (253, 174, 64), (227, 74, 40), (142, 24, 72), (62, 14, 72)], float)
_STEPS = (1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500)  # ticks between two contours
_MOST_CONTOURS = 8
_INSET = 0.38  # share of the map's side to which a small fire is enlarged
_PALE = 0.45  # share of white in the ground below


def draw_front(recording: FireRecording, size: int = 720) -> Picture:
    """Return the tick at which each cell caught fire, as colours with contours, over a pale map; uint8 [H, W, 3].

    Args:
        recording: The game.
        size: Pixels of the picture's width, 240 or more.
    """
    sheet = Sheet(size, recording.size, 46)
    field = FireField(recording, sheet.side, sheet.unit)
    last = recording.frames - 1
    caught = recording.caught()
    span = max(1, int(recording.tick[-1]))
    step = next((each for each in _STEPS if span / each <= _MOST_CONTOURS), _STEPS[-1])
    kept = {key for key in present(recording) if not key.startswith(("burning", "unseen", "civilian", "safe", "dead"))}
    page = sheet.draw(recording.title, caption(recording, -1), kept)
    sheet.head(page, caption(recording, last))
    page.paste(_draw_map(recording, field, caught, span, step), (sheet.left, sheet.top))
    page.paste(_draw_scale(span, step, sheet, int((caught >= 0).sum())), sheet.place_below)
    return np.asarray(page)


def front_colours(caught: NDArray[np.integer], span: int) -> NDArray[np.uint8]:
    """Return the colour of each tick `[...]`, `[..., 3]`: from pale yellow at 0 to dark violet at `span`."""
    share = np.clip(caught / span, 0, 1) * (len(_STOPS) - 1)
    return np.stack([np.interp(share, np.arange(len(_STOPS)), channel) for channel in _STOPS.T], -1).astype(np.uint8)


def _draw_map(
    recording: FireRecording, field: FireField, caught: NDArray[np.int32], span: int, step: int
) -> Image.Image:
    burnt = caught >= 0
    ground = np.where(burnt, recording.ground.start, recording.ground.at(recording.frames - 1))  # with what is felled
    colours = fire_palette.ground_colours()[ground, recording.land].astype(float)
    cells = np.round(colours + (255 - colours) * _PALE).astype(np.uint8)
    cells[burnt] = front_colours(caught[burnt], span)
    full = field.enlarge(cells)
    draw = ImageDraw.Draw(full)
    band = np.where(burnt, caught // step, -1)
    width = max(1, round(0.9 * field.unit))
    _draw_contours(draw, band, field.scale, width)
    last = recording.frames - 1
    field.draw_houses(draw, recording.ground.at(last))
    if field.paths:
        field.draw_paths(draw, last, recent=last)
    field.draw_task(draw, last)
    field.draw_crews(draw, last)
    image = full.reduce(field.fine)
    window = window_around(burnt)
    if window is not None:
        shown = _enlarged(cells, band, window, field)
        paste_inset(image, shown, window, recording.size, field.unit / field.fine)
    return image


def _draw_contours(draw: ImageDraw.ImageDraw, band: NDArray[np.integer], scale: float, width: int) -> None:
    """Draw a line between neighbouring cells that caught fire in different bands; -1 never caught fire."""
    for axis in (0, 1):
        here, beside = np.delete(band, -1, axis), np.delete(band, 0, axis)
        for x, y in np.argwhere((here != beside) & (np.minimum(here, beside) >= 0)):
            start = np.array([x + (axis == 0), y + (axis == 1)]) * scale
            end = np.array([x + 1, y + 1]) * scale
            draw.line((*start, *end), palette.INK, width)


def _enlarged(
    cells: NDArray[np.uint8], band: NDArray[np.integer], window: Window, field: FireField
) -> Image.Image:  # fmt: skip
    """Return a part of the map enlarged, without units and signs."""
    part = np.s_[window.x : window.x + window.cells, window.y : window.y + window.cells]
    pixels = window.cells * max(1, round(_INSET * field.side / window.cells))
    shown = Image.fromarray(np.ascontiguousarray(cells[part].transpose(1, 0, 2)))
    shown = shown.resize((pixels, pixels), Image.Resampling.NEAREST)
    width = max(1, round(1.4 * field.unit / field.fine))
    _draw_contours(ImageDraw.Draw(shown), band[part], pixels / window.cells, width)
    return shown


def _draw_scale(span: int, step: int, sheet: Sheet, cells: int) -> Image.Image:
    """Draw the colours of the ticks as a bar with the contours' ticks, and the number of cells that caught fire."""
    u, width = sheet.unit, sheet.side
    image = Image.new("RGB", (width, sheet.below), palette.PAGE)
    draw, small = ImageDraw.Draw(image), font(round(11 * u))
    words = f"tick at which a cell caught fire ({cells:,} did)"
    draw.text((0, 7 * u), words, palette.FAINT_INK, small, "lm")
    top, bottom = round(16 * u), round(28 * u)
    bar = front_colours(np.linspace(0, span, width).round().astype(int), span)
    image.paste(Image.fromarray(np.repeat(bar[None], bottom - top, 0)), (0, top))
    for tick in range(0, span + 1, step):
        x = tick / span * (width - 1)
        draw.line((x, top, x, bottom), palette.INK, max(1, round(0.8 * u)))
        anchor = "lt" if tick == 0 else "rt" if x > width - 12 * u else "mt"
        draw.text((x, bottom + 4 * u), f"{tick:,}", palette.INK, small, anchor)
    return image
