"""The tick at which the fire reached each cell: one picture of a game, with contours and the ways of the crews."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from hive.view import palette
from hive.view.battle.picture import Picture
from hive.view.lettering import font
from hive.view.wildfire import palette as fire_palette
from hive.view.wildfire.field import FireField, present
from hive.view.wildfire.picture import Sheet, caption
from hive.wildfire.recording import FireRecording

_STOPS = np.array([(255, 236, 150), (253, 174, 64), (227, 74, 40), (142, 24, 72), (62, 14, 72)], float)
_STEPS = (1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500)  # ticks between two contours
_MOST_CONTOURS = 8
_SMALL, _INSET = (
    0.3,
    0.38,
)  # shares of the map's side: a fire below the first is also shown enlarged to the second
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
    if burnt.any() and _extent(burnt)[2] < recording.size * _SMALL:
        _paste_inset(image, cells, band, _extent(burnt), field)
    return image


def _draw_contours(draw: ImageDraw.ImageDraw, band: NDArray[np.integer], scale: float, width: int) -> None:
    """Draw a line between neighbouring cells that caught fire in different bands; -1 never caught fire."""
    for axis in (0, 1):
        here, beside = np.delete(band, -1, axis), np.delete(band, 0, axis)
        for x, y in np.argwhere((here != beside) & (np.minimum(here, beside) >= 0)):
            start = np.array([x + (axis == 0), y + (axis == 1)]) * scale
            end = np.array([x + 1, y + 1]) * scale
            draw.line((*start, *end), palette.INK, width)


def _extent(burnt: NDArray[np.bool_]) -> tuple[int, int, int]:
    """Return the square around all burnt cells with a margin: its corner x, y and its side, in cells of the map."""
    size = len(burnt)
    low, high = np.argwhere(burnt).min(0), np.argwhere(burnt).max(0)
    side = min(int((high - low).max()) + 7, size)
    x, y = np.clip((low + high + 1 - side) // 2, 0, size - side).tolist()
    return x, y, side


def _paste_inset(
    image: Image.Image, cells: NDArray[np.uint8], band: NDArray[np.integer], extent: tuple[int, int, int],
    field: FireField,
) -> None:  # fmt: skip
    """Show a small fire enlarged, without units and signs, in the corner farthest from it."""
    x, y, side = extent
    part = np.s_[x : x + side, y : y + side]
    pixels = side * max(1, round(_INSET * field.side / side))
    shown = Image.fromarray(np.ascontiguousarray(cells[part].transpose(1, 0, 2)))
    shown = shown.resize((pixels, pixels), Image.Resampling.NEAREST)
    unit = field.unit / field.fine
    _draw_contours(ImageDraw.Draw(shown), band[part], pixels / side, max(1, round(1.4 * unit)))
    gap, edge = round(12 * unit), max(1, round(1.4 * unit))
    middle = (len(cells) - side) / 2
    left, top = (gap if at > middle else field.side - gap - pixels for at in (x, y))
    scale, draw = field.side / len(cells), ImageDraw.Draw(image)
    small = (x * scale, y * scale, (x + side) * scale, (y + side) * scale)
    draw.rectangle(small, outline=palette.INK, width=edge)
    image.paste(shown, (left, top))
    draw.rectangle((left - edge, top - edge, left + pixels + edge - 1, top + pixels + edge - 1), outline=palette.INK,
                   width=edge)  # fmt: skip


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
