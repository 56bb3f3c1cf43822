"""The map of a fire recording, frame after frame: ground, fire, places of the task, civilians and crews."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from hive.engine.crews.explored import Explored
from hive.engine.crews.frames import REACH
from hive.kit.view import palette
from hive.kit.view.pictures import grid_step
from hive.worlds.wildfire.maps import host_land as maps
from hive.worlds.wildfire.recording import FireRecording
from hive.worlds.wildfire.view import marks as fire_marks
from hive.worlds.wildfire.view import palette as fire_palette
from hive.worlds.wildfire.view.inset import Window

MapView = Literal["truth", "team"]
MOST_PATHS = 200  # units whose ways are drawn; more of them would cover the map

_RECENT = 15  # frames whose ways stand out
_MOST_HOUSES = 20_000  # drawn one by one


class FireField:
    """Draws the map area of a recording, (0, 0) in its north-western corner, without any page around it."""

    def __init__(
        self, recording: FireRecording, side: int, unit: float, view: MapView = "truth", window: Window | None = None
    ) -> None:
        """Prepare what does not change.

        Args:
            recording: What to draw.
            side: Pixels of a side of the map.
            unit: Size of signs, 1 for a picture 720 pixels wide.
            view: `truth`: the true map, paler where no unit has looked and nothing burns; `team`: the map as the team
                last saw it.
            window: The part of the map to draw; None: all of it.
        """
        self.recording, self.side, self.view = recording, side, view
        self.fine = 3 if side <= 1000 else 2
        self.window = window or Window(0, 0, recording.size)
        self.scale = side * self.fine / self.window.cells  # fine pixels of a cell
        self.unit = unit * self.fine
        units = len(recording.kind)
        self.radius = float(np.clip(0.2 * side / max(1, units) ** 0.5, 1.6, 5.4)) * self.unit
        self._colours = fire_palette.ground_colours()
        self._land = recording.land.astype(np.intp)
        self.paths = units <= MOST_PATHS

    def codes(self, t: int) -> NDArray[np.uint8]:
        """Return `[S, S]` the codes that frame `t` shows."""
        return (self.recording.ground if self.view == "truth" else self.recording.seen).at(t)

    def draw(self, t: int) -> Image.Image:
        """Return the map in frame `t`, RGB, north up."""
        full = self.ground(t)
        draw = ImageDraw.Draw(full)
        if self.paths:
            self.draw_paths(draw, t)
        self.draw_task(draw, t)
        self._draw_civilians(draw, t)
        self.draw_crews(draw, t)
        return full.reduce(self.fine)

    def ground(self, t: int) -> Image.Image:
        """Return land, fire, water and buildings of frame `t` at `fine` times the size."""
        code = self.codes(t)
        land = self._land if self.view == "truth" else np.full_like(self._land, maps.Land.BRUSH)
        image = self._colours[code, land]
        if self.view == "truth":
            fog = (self.recording.seen.at(t) == Explored.UNSEEN) & ~burning(code)
            pale = image[fog].astype(float)
            image[fog] = np.round(pale + (np.array(fire_palette.UNKNOWN) - pale) * fire_palette.FOG)
        full = self.enlarge(image)
        self.draw_houses(ImageDraw.Draw(full), code)
        return full

    def draw_houses(self, draw: ImageDraw.ImageDraw, code: NDArray[np.uint8]) -> None:
        """Draw the buildings on a map of codes `[S, S]`; of burnt buildings only the walls."""
        truth = self.view == "truth"
        for x, y in np.argwhere(self.recording.building if truth else code == Explored.BUILDING)[:_MOST_HOUSES]:
            burnt = truth and Explored.ON_FIRE <= code[x, y] <= Explored.BURNT
            fire_marks.draw_house(draw, self._box(x, y, x + 1, y + 1), bool(burnt))

    def enlarge(self, image: NDArray[np.uint8]) -> Image.Image:
        """Return the window's cells of `[S, S, 3]`, by `[x, y]`, as squares on a fine picture, under a faint grid."""
        inner, (left, top, cells) = self.side * self.fine, self.window
        rows = np.ascontiguousarray(image[left : left + cells, top : top + cells].transpose(1, 0, 2))
        full = np.array(Image.fromarray(rows).resize((inner, inner), Image.Resampling.NEAREST))
        thin = [(grid_step(self.recording.size), 0.93)]
        if self.scale >= 8 * self.fine:
            thin.append((1, 0.965))
        for step, share in thin:
            for start, lines in ((top, full), (left, full.swapaxes(0, 1))):
                along = np.arange(start + 1, start + cells)
                for at in np.round((along[along % step == 0] - start) * self.scale).astype(int):
                    line = lines[at : at + self.fine - 1]
                    line[:] = (line * np.float32(share)).astype(np.uint8)
        return Image.fromarray(full)

    def draw_paths(self, draw: ImageDraw.ImageDraw, t: int, recent: int = _RECENT) -> None:
        """Draw the way of every unit up to frame `t`, the last `recent` frames stronger.

        For a passenger, the way of its helicopter is drawn.
        """
        seen = self.recording
        spot = self._spot(seen.position[: t + 1])
        turn = max(0, t - recent)
        for start, end, share, wide in ((0, turn, 0.62, 1.1), (turn, t, 0.25, 1.6)):
            for unit, kind in enumerate(seen.kind):
                colour = palette.lighten(fire_palette.CREWS[kind], share)
                walks = seen.alive[start:end, unit] & (seen.aboard[start:end, unit] < 0)
                walks &= seen.aboard[start + 1 : end + 1, unit] < 0
                steps = np.flatnonzero(walks) + start
                for run in np.split(steps, np.flatnonzero(np.diff(steps) > 1) + 1):
                    if len(run):
                        line = [tuple(place) for place in spot[run[0] : run[-1] + 2, unit].tolist()]
                        draw.line(line, colour, max(2, round(wide * self.unit)), joint="curve")

    def draw_task(self, draw: ImageDraw.ImageDraw, t: int) -> None:
        """Draw the places of the task: cells to clear, the goal, and the reported places."""
        facts, u = self.recording.known, self.unit
        code = self.recording.ground.at(t)
        for x, y in self.recording.cells_to_cut:
            done = int(code[x, y]) in (Explored.DRY, Explored.WET) or Explored.IGNITED <= code[x, y] <= Explored.BURNT
            colour = fire_palette.DONE if done else fire_palette.TASK
            draw_tick = done and self.scale >= 7 * self.fine
            fire_marks.draw_box(draw, self._box(x, y, x + 1, y + 1), colour, min(1.4 * u, 0.16 * self.scale), draw_tick)
        if facts.goal is not None:
            x, y = facts.goal
            box = self._box(x - REACH, y - REACH, x + REACH + 1, y + REACH + 1)
            fire_marks.draw_box(draw, box, palette.INK, 1.8 * u)
            fire_marks.draw_label(draw, "goal", box[2], box[1], palette.INK, 11 * u, self.side * self.fine)
        places = [(facts.fire, "fire", fire_palette.FIRE_SIGN), (facts.water, "water", fire_palette.LAKE)]
        places += [(place, "civilians", palette.INK) for place in facts.clusters]
        for place, word, colour in places:
            if place is not None and self.window.holds(np.array(place)):
                east, south = self._spot(np.array(place) + 0.5).tolist()
                r = max(7 * u, 0.9 * self.scale)
                fire_marks.draw_ring(draw, east, south, r, colour, 1.6 * u)
                dark = palette.darken(colour, 0.25)
                fire_marks.draw_label(
                    draw, word, east + 0.4 * r, south - r - 6 * u, dark, 11 * u, self.side * self.fine
                )

    def draw_crews(self, draw: ImageDraw.ImageDraw, t: int) -> None:
        """Draw the dead units, then the living; several of one type in a cell are one mark with their number."""
        seen, r = self.recording, self.radius
        spot = self._inside(self._spot(seen.position[t]), r)
        for unit in np.flatnonzero(~seen.alive[t]):
            x, y = spot[unit]
            fire_marks.draw_fallen(draw, fire_palette.CREWS[seen.kind[unit]], x, y, 0.75 * r)
        shown = np.flatnonzero(seen.alive[t] & (seen.aboard[t] < 0) & self.window.holds(seen.position[t]))
        cells: dict[tuple[int, int], dict[int, list[int]]] = {}
        for unit, (x, y) in zip(shown, seen.position[t][shown].astype(int).tolist(), strict=True):
            cells.setdefault((x, y), {}).setdefault(int(seen.kind[unit]), []).append(int(unit))
        carrying = set(seen.bearer[t][seen.living[t]].tolist())
        for kinds in cells.values():
            for place, (kind, units) in enumerate(sorted(kinds.items())):
                x, y = spot[units].mean(0)
                if len(kinds) > 1:  # side by side round the middle of the cell
                    turn = 2 * np.pi * place / len(kinds) - np.pi / 2
                    x, y = x + 1.35 * r * np.cos(turn), y + 1.35 * r * np.sin(turn)
                fire_marks.draw_crew(draw, kind, x, y, r)
                if carrying.intersection(units):
                    fire_marks.draw_civilian(draw, "civilian", x, y + 0.1 * r, 0.42 * r)
                words = [f"×{len(units)}"] if len(units) > 1 else []
                lifted = int(np.isin(seen.aboard[t], units).sum())
                words += [f"+{lifted}"] if lifted else []
                if words and self.paths:
                    colour = palette.darken(fire_palette.CREWS[kind], 0.3)
                    text = " ".join(words)
                    fire_marks.draw_label(draw, text, x + 0.8 * r, y, colour, 9.5 * self.unit, self.side * self.fine)

    def _draw_civilians(self, draw: ImageDraw.ImageDraw, t: int) -> None:
        seen, r = self.recording, 0.95 * self.radius
        if self.view == "team":
            for x, y in self._spot(np.argwhere(self.codes(t) == Explored.CIVILIAN) + 0.5):
                fire_marks.draw_civilian(draw, "civilian", x, y, r)
            return
        states = civilian_states(seen, t)
        taken = {tuple(cell) for cell in seen.position[t][seen.alive[t]].astype(int).tolist()}
        for state in fire_palette.CIVILIANS:
            inside = self.window.holds(seen.civilian[t])
            own = [k for k, each in enumerate(states) if each == state and inside[k]]
            if not own:
                continue
            here, count = np.unique(seen.civilian[t][own], axis=0, return_counts=True)
            for cell, many in zip(here, count, strict=True):
                aside = (-1.5 * r, -0.9 * r) if tuple(cell.tolist()) in taken else (0, 0)  # so that no unit hides it
                x, y = self._inside(self._spot(cell + 0.5) + aside, r)
                fire_marks.draw_civilian(draw, state, x, y, r)
                if many > 1:
                    fire_marks.draw_label(
                        draw, f"×{many}", x + 0.7 * r, y, palette.INK, 9.5 * self.unit, self.side * self.fine
                    )

    def _box(self, left: float, top: float, right: float, bottom: float) -> tuple[float, float, float, float]:
        corners = self._spot(np.array([[left, top], [right, bottom]])).ravel().tolist()
        return corners[0], corners[1], corners[2], corners[3]

    def _spot(self, cells: NDArray[np.number]) -> NDArray[np.floating]:
        """Return the fine pixels `[..., 2]` of places `[..., 2]` in cells."""
        return (np.asarray(cells) - self.window[:2]) * self.scale

    def _inside(self, spot: NDArray[np.floating], r: float) -> NDArray[np.floating]:
        """Return the middles `[..., 2]` of marks of radius `r`, moved so that the border of the map cuts none."""
        if self.window.cells < self.recording.size:
            return spot
        reach = min(fire_marks.MARK_REACH * r, self.side * self.fine / 2)
        return np.clip(spot, reach, self.side * self.fine - reach)


def burning(code: NDArray[np.integer]) -> NDArray[np.bool_]:
    """Return which codes of a map are of cells that burn or have burnt; the shape is that of `code`."""
    return (code >= Explored.IGNITED) & (code <= Explored.BURNT)


def civilian_states(recording: FireRecording, t: int) -> list[str]:
    """Return the state of each civilian in frame `t`: a key of `palette.CIVILIANS`, or empty while it is carried."""
    goal = recording.known.goal
    states = []
    for cell, living, bearer in zip(recording.civilian[t], recording.living[t], recording.bearer[t], strict=True):
        if not living:
            states.append("dead")
        elif bearer >= 0:
            states.append("")
        else:
            safe = goal is not None and (np.abs(cell - goal) <= REACH).all()
            states.append("safe" if safe else "civilian")
    return states


def present(seen: FireRecording, view: MapView = "truth") -> set[str]:
    """Return the keys of `marks.legend_items` that a frame of the recording may show."""
    layer = seen.ground if view == "truth" else seen.seen
    codes = {*np.unique(layer.start).tolist(), *np.unique(layer.code).tolist()}
    keys = {f"crew {kind}" for kind in np.unique(seen.kind)}
    keys |= {"path"} if len(seen.kind) <= MOST_PATHS else set()
    keys |= {"lost"} if not seen.alive.all() else set()
    keys |= {"trees"} if codes & {Explored.DRY + 1, Explored.DRY + 2, Explored.DRY + 3} else set()
    keys |= {"wet"} if codes & {Explored.WET, Explored.WET + 1, Explored.WET + 2, Explored.WET + 3} else set()
    keys |= {f"burning {k}" for k in range(4) if Explored.IGNITED + k in codes}
    keys |= {name for code, name in ((Explored.UNSEEN, "unseen"), (Explored.WATER, "water")) if code in codes}
    if view == "truth":
        keys |= {"house"} if seen.building.any() else set()
        keys |= {"unseen"} if (seen.seen.at(seen.frames - 1) == Explored.UNSEEN).any() else set()
        keys |= {
            name for land, name in ((maps.Land.BRUSH, "brush"), (maps.Land.ROCK, "rock")) if (seen.land == land).any()
        }
        felled = np.isin(seen.ground.code, (Explored.DRY, Explored.WET)) & (
            seen.land.ravel()[seen.ground.cell] < maps.Land.ROCK
        )
        keys |= {"cleared"} if felled.any() else set()
        keys |= {state for t in {0, seen.frames - 1} for state in civilian_states(seen, t) if state}
    else:
        keys |= {"brush"}
        keys |= {
            name for code, name in ((Explored.BUILDING, "house"), (Explored.CIVILIAN, "civilian")) if code in codes
        }
    facts = seen.known
    keys |= {"task", "done"} if seen.cells_to_cut else set()
    keys |= {"goal"} if facts.goal else set()
    keys |= {"fire sign"} if facts.fire else set()
    return keys | ({"group"} if facts.clusters else set())
