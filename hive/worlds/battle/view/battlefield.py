"""The map of one recording with its units, frame after frame, over a background that is drawn once."""

from __future__ import annotations

import numpy as np
from PIL import Image

from hive.kit.view import palette
from hive.worlds.battle.recording import BattleRecording
from hive.worlds.battle.view.ground import draw_ground
from hive.worlds.battle.view.signs import draw_signs
from hive.worlds.battle.view.stamps import SHAPE_REACH, Stamps, draw_streaks, pack, unit_radii

_STREAK_PALENESS = 0.4


def grid_step(metres: int, parts: int = 8) -> int:
    """Return a round number of metres that divides a map into at most `parts`, without remainder where possible."""
    steps = [digit * 10**power // 10 for power in range(8) for digit in (10, 20, 25, 50)]
    enough = [step for step in steps if step * parts >= metres]
    return next((step for step in enough[:3] if metres % step == 0), enough[0])


class Battlefield:
    """Draws the map area of a recording, without any page around it."""

    def __init__(self, recording: BattleRecording, side: int, unit: float, lines: bool = True) -> None:
        """Prepare the background and the stamps.

        Args:
            recording: What to draw.
            side: Pixels of a side of the map.
            unit: Size of signs, 1 for a picture 720 pixels wide.
            lines: Whether faint lines stand at round numbers of metres.
        """
        self.recording, self.side = recording, side
        self._fine = 3 if side <= 1000 else 2
        scale = side / recording.metres
        radii = unit_radii(recording.radius, scale, side, recording.units)
        reach = Stamps(1, self._fine, radii).reach
        self._rim = -(-reach // self._fine) * self._fine
        inner = side * self._fine
        self._row = inner + 2 * self._rim
        self._stamps = Stamps(self._row, self._fine, radii)
        pale = [palette.lighten(palette.unit_colour(i, 1), _STREAK_PALENESS) for i in (0, 1)]
        self._streaks = pack(np.array(pale, np.uint8))
        self._inset = SHAPE_REACH * self._fine * np.array(radii)[recording.type, None]
        self._width = max(self._fine - 1, round(0.09 * max(radii) * self._fine))
        self._scale = scale * self._fine
        step = grid_step(recording.metres) if lines else recording.metres
        ground = draw_ground(recording.kind, inner, self._fine, step)
        canvas = np.zeros((self._row, self._row), np.uint32)
        canvas[self._rim : self._rim + inner, self._rim : self._rim + inner] = pack(ground)
        self._ground = canvas.ravel()
        cells = np.arange(inner) * recording.metres // inner
        self._cells = np.ix_(cells[::-1], cells)  # by row and column of a pixel: y and x of its cell
        self._burning = pack(np.array([(0, 0, 0), *palette.FIRE_COLOURS], np.uint8))
        self._signs: Image.Image | None = None
        if recording.targets or recording.markers:
            self._signs = draw_signs(side, scale, unit, recording.targets, recording.markers)
        self._order = np.random.default_rng(0).permutation(recording.units)  # so that neither side hides the other

    def draw(self, t: int) -> Image.Image:
        """Return the map in frame `t`, RGB, north up: fire, corpses, living units, attack streaks, then signs."""
        seen, canvas = self.recording, self._ground.copy()
        inner = self.side * self._fine
        if seen.fire is not None:
            code = seen.fire.at(t).T[self._cells]
            area = canvas.reshape(self._row, self._row)[self._rim : self._rim + inner, self._rim : self._rim + inner]
            area[code > 0] = self._burning[code[code > 0]]
        spot = seen.position[t].astype(float) * self._scale
        spot[:, 1] = inner - spot[:, 1]
        # A unit at the border is moved inwards, so that the frame does not cut it.
        spot = np.clip(spot, self._inset, inner - 1 - self._inset) + self._rim
        pixel = spot.astype(np.intp)
        at, alive, forest = pixel[:, 1] * self._row + pixel[:, 0], seen.alive(t), seen.in_forest(t)
        for some in (~alive, alive):
            who = self._order[some[self._order]]
            self._stamps.press(canvas, at[who], seen.side[who], seen.type[who], forest[who], alive[who])
        attacker = np.flatnonzero(seen.attack[t] >= 0)
        start, end = spot[attacker], spot[seen.attack[t][attacker]]
        draw_streaks(canvas, self._row, start, end, self._streaks[seen.side[attacker]], self._width)
        full = Image.frombuffer("RGBX", (self._row, self._row), canvas, "raw", "RGBX", 0, 1)
        last = self._rim + inner
        image = full.reduce(self._fine, (self._rim, self._rim, last, last)).convert("RGB")
        if self._signs is not None:
            image.paste(self._signs, (0, 0), self._signs)
        return image
