"""Pictures of a fire recording: one frame with its heading, axes, legend and score, or a few moments side by side."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from PIL import Image, ImageDraw

from hive.engine.crews.score_rules import COSTS
from hive.kit.view import palette
from hive.kit.view.lettering import fit, font
from hive.kit.view.palette import Rgb
from hive.kit.view.pictures import Picture, grid_step
from hive.kit.view.sheets import moments
from hive.worlds.wildfire.recording import LOSSES, FireRecording
from hive.worlds.wildfire.view import palette as fire_palette
from hive.worlds.wildfire.view.field import FireField, MapView, burning, present
from hive.worlds.wildfire.view.inset import paste_inset, window_around
from hive.worlds.wildfire.view.marks import draw_compass, legend_icon, legend_items

_INSET = 0.42  # share of a map's side to which a small fire is enlarged on a sheet


class FirePainter:
    """Draws any frame of one recording; the parts that do not change between frames are drawn once, at the start."""

    def __init__(self, recording: FireRecording, size: int = 720, view: MapView = "truth") -> None:
        """Prepare pictures.

        Args:
            recording: The game.
            size: Pixels of their width, 240 or more; the height follows, and both are even.
            view: `truth` or `team`; see `FireField`.
        """
        self.recording = recording
        self._sheet = Sheet(size, recording.size, 104)
        self._field = FireField(recording, self._sheet.side, self._sheet.unit, view)
        self._page = self._sheet.draw(recording.title, caption(recording, -1), present(recording, view))

    @property
    def frames(self) -> int:
        """Number of frames."""
        return self.recording.frames

    @property
    def colours(self) -> list[Rgb]:
        """Colours that a movie must keep exactly."""
        return fire_palette.colours()

    def frame(self, t: int) -> Picture:
        """Return frame `t` (0 to T - 1, or from the end when negative) as a picture, uint8 [H, W, 3]."""
        t %= self.recording.frames
        page, sheet = self._page.copy(), self._sheet
        page.paste(self._field.draw(t), (sheet.left, sheet.top))
        sheet.head(page, caption(self.recording, t))
        page.paste(_draw_chart(self.recording, t, sheet.side, sheet.below, sheet.unit), sheet.place_below)
        return np.asarray(page)


class Sheet:
    """The page around one map: a heading, axes, room below the map, and the legend."""

    def __init__(self, size: int, cells: int, below: int) -> None:
        """Lay out a page `size` pixels wide; `below` is the height of the room below the map at a width of 720.

        Raises:
            ValueError: The width is below 240.
        """
        if size < 240:
            raise ValueError(f"a picture is at least 240 pixels wide, not {size}")
        self.size, self.cells = size + size % 2, cells
        self.unit = u = self.size / 720
        self.left, self.top = round(40 * u), round(44 * u)
        self.side = self.size - self.left - round(16 * u)
        self.below = round(below * u)
        self.place_below = self.left, self.top + self.side + round(34 * u)

    def draw(self, title: str, words: str, keys: set[str]) -> Image.Image:
        """Return the page with its title, axes and legend; `words` are about as long as `head` will write."""
        u, side = self.unit, self.side
        legend = draw_legend(keys, side, u)
        low = self.place_below[1] + self.below + round(8 * u)
        height = low + legend.height + round(12 * u)
        page = Image.new("RGB", (self.size, height + height % 2), palette.PAGE)
        draw = ImageDraw.Draw(page)
        room = side - font(round(15 * u)).getlength(words) - 16 * u
        sizes = [font(round(pixels * u), bold=True) for pixels in (17, 15, 13.5, 12)]
        lettering = next((each for each in sizes if each.getlength(title) <= room), sizes[-1])
        draw.text((self.left, 22 * u), fit(title, lettering, room), palette.INK, lettering, "lm")
        bottom, edge = self.top + side, max(1, round(u))
        _frame(draw, self.left, self.top, side, edge)
        small, tooth = font(round(11 * u)), 4 * u
        for cell in range(0, self.cells, grid_step(self.cells)):
            x, y = self.left + cell * side / self.cells, self.top + cell * side / self.cells
            draw.line((x, bottom, x, bottom + tooth), palette.RULE, edge)
            draw.line((self.left - 1 - tooth, y, self.left - 1, y), palette.RULE, edge)
            draw.text((x, bottom + 7 * u), f"{cell}" if cell else "x", palette.FAINT_INK, small, "mt")
            draw.text((self.left - 8 * u, y), f"{cell}" if cell else "y", palette.FAINT_INK, small, "rm")
        draw_compass(draw, self.left + side - 26 * u, bottom + 15 * u, u)
        page.paste(legend, (self.left, low))
        return page

    def head(self, page: Image.Image, words: str) -> None:
        """Write the right half of the heading."""
        place = (self.left + self.side, 22 * self.unit)
        ImageDraw.Draw(page).text(place, words, palette.INK, font(round(15 * self.unit)), "rm")


def fire_sheet(
    recording: FireRecording, ticks: Iterable[int] | None = None, panel: int = 330, columns: int = 4,
    view: MapView = "truth",
) -> Picture:  # fmt: skip
    """Return a few moments of one game side by side as one picture, uint8 [H, W, 3].

    A fire that is small on its map is also shown enlarged, in a corner of each map on which it burns.

    Args:
        recording: The game.
        ticks: Ticks to show, each as its nearest frame; by default the first, the last and two evenly between them.
        panel: Pixels of a side of each map.
        columns: Maps in a row.
        view: `truth` or `team`.

    Raises:
        ValueError: There is no tick to show.
    """
    frames = moments(recording, ticks, columns)
    u = panel / 330
    gap, head, above = round(16 * u), round(46 * u), round(22 * u)
    columns = min(columns, len(frames))
    rows = -(-len(frames) // columns)
    width = gap + columns * (panel + gap)
    field = FireField(recording, panel, 0.8 * u, view)
    window = window_around(np.any([burning(field.codes(t)) for t in frames], axis=0))
    close = None if window is None else FireField(recording, round(_INSET * panel), 0.8 * u, view, window)
    legend = draw_legend(present(recording, view), width - 2 * gap, u)
    height = head + rows * (above + panel + gap) + legend.height + round(10 * u)
    page = Image.new("RGB", (width + width % 2, height + height % 2), palette.PAGE)
    draw, title = ImageDraw.Draw(page), font(round(18 * u), bold=True)
    draw.text((gap, head / 2), fit(recording.title, title, width - 2 * gap), palette.INK, title, "lm")
    for k, t in enumerate(frames):
        left, top = gap + k % columns * (panel + gap), head + k // columns * (above + panel + gap)
        draw.text((left, top + 8 * u), caption(recording, t), palette.INK, font(round(13 * u), True), "lm")
        image = field.draw(t)
        if close is not None and burning(field.codes(t)).any():
            paste_inset(image, close.draw(t), close.window, recording.size, 0.8 * u)
        page.paste(image, (left, top + above))
        _frame(draw, left, top + above, panel, max(1, round(u)))
    page.paste(legend, (gap, head + rows * (above + panel + gap)))
    return np.asarray(page)


def caption(recording: FireRecording, t: int) -> str:
    """Return a line such as `tick 40 of 100, score −213` for frame `t`."""
    score, last = int(recording.score[t]), int(recording.tick[-1])
    best = "" if recording.counts_losses else f" of {recording.best:,}"
    return f"tick {int(recording.tick[t]):,} of {last:,}, score {score:,}{best}".replace("-", "−")


def losses_line(recording: FireRecording, t: int) -> list[tuple[str, Rgb]]:
    """Return the losses of frame `t` in words, each with its colour; only units that the level has are listed."""
    words = []
    there = {"civilians": recording.civilian.shape[1], "firefighters": int((recording.kind == 0).sum()),
             "bulldozers": int((recording.kind == 1).sum())}  # fmt: skip
    for name, count, colour in zip(LOSSES, recording.losses[t], fire_palette.LOSS_COLOURS, strict=True):
        most = there.get(name)
        if most != 0 and (name != "buildings" or recording.building.any()):
            words.append((f"{int(count):,}{f' of {most:,}' if most else ''} {name}", colour))
    return words


def _frame(draw: ImageDraw.ImageDraw, left: int, top: int, side: int, edge: int) -> None:
    box = (left - edge, top - edge, left + side + edge - 1, top + side + edge - 1)
    draw.rectangle(box, outline=palette.RULE, width=edge)


def _draw_chart(recording: FireRecording, t: int, width: int, height: int, u: float) -> Image.Image:
    """Draw the score over time, up to now in full colour; where losses are counted, also the cost of each kind."""
    fine = 2
    image = Image.new("RGB", (width * fine, height * fine), palette.PAGE)
    draw, small, v = ImageDraw.Draw(image), font(round(11 * u * fine)), u * fine
    words = "lost: " if recording.counts_losses else "felled, burnt or lost: "
    draw.text((0, 7 * v), words, palette.FAINT_INK, small, "lm")
    x = small.getlength(words)
    for text, colour in losses_line(recording, t):
        draw.rectangle((x, 3 * v, x + 8 * v, 11 * v), fill=colour)
        draw.text((x + 11 * v, 7 * v), text, palette.INK, small, "lm")
        x += 22 * v + small.getlength(text)
    left, right, top, bottom = 0.0, width * fine - 1.0, 18 * v, height * fine - 3 * v
    span = max(1, int(recording.tick[-1] - recording.tick[0]))
    across = left + (recording.tick - recording.tick[0]) / span * (right - left)
    low, high = float(recording.score.min()), float(max(recording.score.max(), recording.best))
    low, high = (low, 0.0) if recording.counts_losses else (0.0, high)
    depth = max(high - low, 1.0)

    def down(value: float) -> float:
        return top + (high - value) / depth * (bottom - top)

    if recording.counts_losses:
        total = np.zeros(len(across))
        for count, cost, colour in zip(recording.losses.T, COSTS.values(), fire_palette.LOSS_COLOURS, strict=True):
            floor = total + count * cost
            for end, shade in ((len(across), palette.mix(colour, palette.PAGE, 0.72)), (t + 1, colour)):
                if end > 1 and count[end - 1]:
                    upper = [(x, down(-value)) for x, value in zip(across[:end], total[:end], strict=True)]
                    lower = [(x, down(-value)) for x, value in zip(across[:end], floor[:end], strict=True)]
                    draw.polygon([*upper, *reversed(lower)], shade)
            total = floor
    for value in {low, high}:
        draw.line((left, down(value), right, down(value)), palette.RULE, round(v))
        y = min(max(down(value), top + 7 * v), bottom - 7 * v)
        text = f"{value:,.0f}".replace("-", "−")
        draw.text((right - 4 * v if value == high else left + 4 * v, y), text, palette.INK, small,
                  "rm" if value == high else "lm", stroke_width=round(2 * v), stroke_fill=palette.PAGE)  # fmt: skip
    line = [(x, down(score)) for x, score in zip(across.tolist(), recording.score.tolist(), strict=True)]
    for end, shade in ((len(line), palette.RULE), (t + 1, palette.INK)):
        if end > 1:
            draw.line(line[:end], shade, round(1.6 * v), joint="curve")
    draw.line((across[t], top - 2 * v, across[t], bottom + 2 * v), palette.INK, round(v))
    draw.ellipse((line[t][0] - 3 * v, line[t][1] - 3 * v, line[t][0] + 3 * v, line[t][1] + 3 * v), fill=palette.INK)
    return image.reduce(fine)


def draw_legend(keys: set[str], width: int, u: float) -> Image.Image:
    """Draw the legend of marks and colours, wrapped to `width` pixels."""
    lettering, box = font(round(12 * u)), round(16 * u)
    places, x, y = [], 0.0, 0
    for key, name in legend_items(keys):
        icon = legend_icon(key, box)
        wide = icon.width + 4 * u + lettering.getlength(name)
        if x and x + wide > width:
            x, y = 0.0, y + box + round(6 * u)
        places.append((icon, name, round(x), y))
        x += wide + 12 * u
    image = Image.new("RGB", (width, y + box), palette.PAGE)
    draw = ImageDraw.Draw(image)
    for icon, name, left, top in places:
        image.paste(icon, (left, top), icon)
        draw.text((left + icon.width + 4 * u, top + box / 2), name, palette.INK, lettering, "lm")
    return image
