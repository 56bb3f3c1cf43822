"""The map of a rescue: rooms as boxes joined by doors, in them victims with needs and agents with supplies."""

from __future__ import annotations

from itertools import pairwise

from PIL import Image, ImageDraw

from hive.rescue.codes import RESOURCES
from hive.rescue.instance import Instance
from hive.rescue.recording import RescueRecording
from hive.view import palette
from hive.view.lettering import fit, font
from hive.view.palette import darken
from hive.view.rescue import palette as rescue_palette
from hive.view.rescue.icons import icon, token

_SHARE = 0.84  # of the room between two neighbours that a box takes
_WIDEST, _HIGHEST = 0.3, 0.2  # of the picture's width that a box takes at most


class MapLayout:
    """Where everything of a map is, in pixels; pages draw the same plan.

    Attributes:
        width: Of the picture.
        height: Of the picture.
        middles: Middle of each room.
        box: Width and height of a room.
    """

    def __init__(self, instance: Instance, width: int, unit: float) -> None:
        """Lay a map out.

        Args:
            instance: What is drawn.
            width: Pixels.
            unit: Size of letters and lines, 1 for a picture 720 pixels wide.
        """
        xs, ys = (sorted({place[axis] for place in instance.places}) for axis in (0, 1))
        across, down = _least(xs), _least(ys)
        columns, rows = (xs[-1] - xs[0]) / across + 1, (ys[-1] - ys[0]) / down + 1
        step = min(width / columns, _WIDEST * width / _SHARE)
        lift = min(max(step, 118 * unit), _HIGHEST * width / _SHARE)
        self.width, self.height = width, round(rows * lift)
        self.box = round(_SHARE * step), round(_SHARE * lift)
        left = (width - columns * step) / 2
        self.middles = tuple(
            (left + ((x - xs[0]) / across + 0.5) * step, ((y - ys[0]) / down + 0.5) * lift) for x, y in instance.places
        )


def _least(values: list[float]) -> float:
    """Return the least step between neighbours in a row of values; steps far below the widest are not kept apart."""
    steps = [after - before for before, after in pairwise(values)]
    return max(min(steps), (values[-1] - values[0]) / 12) if steps else 1.0


class RescueRenderer:
    """Draws the map of any frame of one recording."""

    def __init__(self, recording: RescueRecording, width: int, unit: float) -> None:
        """Prepare pictures `width` pixels wide; `unit` is 1 for a picture 720 pixels wide."""
        self.recording, self.unit = recording, unit
        self.plan = MapLayout(recording.instance, width, unit)
        self._empty = self._draw_doors()

    def draw(self, t: int) -> Image.Image:
        """Return the map of frame `t`."""
        image = self._empty.copy()
        draw = ImageDraw.Draw(image)
        instance = self.recording.instance
        victims = {victim.room: number for number, victim in enumerate(instance.victims)}
        for room in range(len(instance.rooms)):
            self._room(image, draw, t, room, victims.get(room))
        self._walks(draw, t)
        for room in range(len(instance.rooms)):
            self._agents(image, draw, t, room)
        return image

    def _draw_doors(self) -> Image.Image:
        image = Image.new("RGB", (self.plan.width, self.plan.height), palette.PAGE)
        draw = ImageDraw.Draw(image)
        for one, other in self.recording.instance.doors:
            ends = self.plan.middles[one], self.plan.middles[other]
            draw.line(ends, rescue_palette.DOOR, max(3, round(9 * self.unit)))
            draw.line(ends, palette.PAGE, max(1, round(4 * self.unit)))
        return image

    def _room(self, image: Image.Image, draw: ImageDraw.ImageDraw, t: int, room: int, victim: int | None) -> None:
        (x, y), (wide, high), u = self.plan.middles[room], self.plan.box, self.unit
        left, top = round(x - wide / 2), round(y - high / 2)
        state = None if victim is None else victim_state(self.recording, t, victim)
        ground = rescue_palette.GROUND[state] if state else rescue_palette.ROOM
        rim = rescue_palette.WALL if state in (None, "waits") else _RIMS[state or ""]
        frame = (left, top, left + wide, top + high)
        draw.rounded_rectangle(frame, 7 * u, ground, rim, max(1, round((2.4 if state == "urgent" else 1.4) * u)))
        size = max(7, round(min(0.13 * high, 0.17 * wide, 15 * u)))
        name = fit(self.recording.instance.rooms[room], font(size, bold=True), 0.92 * wide)
        draw.text((x, top + 0.7 * size + 2 * u), name, palette.FAINT_INK, font(size, bold=True), "mm")
        if victim is not None and state:
            self._victim(image, draw, t, victim, state, (left, top))

    def _victim(
        self, image: Image.Image, draw: ImageDraw.ImageDraw, t: int, victim: int, state: str, corner: tuple[int, int]
    ) -> None:
        """A victim in the lower part of its room: who it is, and its needs; met ones are pale."""
        (left, top), (wide, high) = corner, self.plan.box
        each = self.recording.instance.victims[victim]
        side = round(min(0.34 * high, 0.34 * wide))
        image.paste(icon(state, side), (left + round(0.05 * wide), top + round(0.6 * high)), icon(state, side))
        small = round(min(0.19 * wide, 0.22 * high, (0.88 * wide - side) / 3.2))
        size = max(6, round(min(0.1 * high, 0.125 * wide)))
        x: float = left + round(0.07 * wide) + side
        room = wide - round(0.1 * wide) - side
        name = fit(each.name, font(size), room)
        draw.text((x, top + 0.66 * high), name, palette.INK, font(size), "lm")
        for kind, resource in enumerate(RESOURCES):
            if each.needs[kind]:
                drawn = icon(resource, small, not self.recording.needs[t, victim, kind])
                image.paste(drawn, (round(x), top + round(0.74 * high)), drawn)
                x += 1.08 * small

    def _walks(self, draw: ImageDraw.ImageDraw, t: int) -> None:
        """A line along each door that an agent has just gone through."""
        if t == 0:
            return
        recording, u = self.recording, self.unit
        for agent in range(len(recording.instance.agents)):
            before, now = int(recording.position[t - 1, agent]), int(recording.position[t, agent])
            if before != now:
                aside = (agent - 0.5 * (len(recording.instance.agents) - 1)) * 7 * u
                begin, end = (_aside(self.plan.middles[each], aside) for each in (before, now))
                inner = [_between(begin, end, share) for share in (0.28, 0.72)]
                colour = rescue_palette.AGENTS[agent % len(rescue_palette.AGENTS)]
                draw.line(inner, colour, max(2, round(3.4 * u)))
                (fx, fy), (tx, ty) = inner
                long = max(((tx - fx) ** 2 + (ty - fy) ** 2) ** 0.5, 1)
                dx, dy = (tx - fx) / long * 8 * u, (ty - fy) / long * 8 * u
                draw.polygon(
                    [(tx + dx, ty + dy), (tx - 0.6 * dy, ty + 0.6 * dx), (tx + 0.6 * dy, ty - 0.6 * dx)], colour
                )

    def _agents(self, image: Image.Image, draw: ImageDraw.ImageDraw, t: int, room: int) -> None:
        """The agents of a room in its upper part, what each carries below its sign."""
        recording, (wide, high) = self.recording, self.plan.box
        here = [agent for agent in range(len(recording.instance.agents)) if recording.position[t, agent] == room]
        x, y = self.plan.middles[room]
        side = round(min(0.26 * high, 0.3 * wide, 0.86 * wide / max(len(here), 1)))
        for place, agent in enumerate(here):
            middle = x + (place - (len(here) - 1) / 2) * min(wide / len(here), 0.46 * wide)
            name = recording.instance.agents[agent].name
            sign = token(agent, name.strip()[:1].upper(), side, bool(recording.active[t, agent]))
            image.paste(sign, (round(middle - side / 2), round(y - 0.3 * high)), sign)
            self._supplies(image, t, agent, middle, y - 0.3 * high + side, min(wide / len(here), 0.62 * wide))

    def _supplies(self, image: Image.Image, t: int, agent: int, x: float, y: float, room: float) -> None:
        """One small picture for each unit, in a row around x; they overlap where there are many."""
        kinds = [
            kind for number, kind in enumerate(RESOURCES) for _ in range(int(self.recording.supplies[t, agent, number]))
        ]
        if not kinds:
            return
        side = max(5, round(min(0.135 * self.plan.box[1], 0.3 * room)))
        step = min(1.04 * side, (room - side) / max(len(kinds) - 1, 1))
        left = x - (step * (len(kinds) - 1) + side) / 2
        for place, kind in enumerate(kinds):
            drawn = icon(kind, side)
            image.paste(drawn, (round(left + place * step), round(y + 0.01 * self.plan.box[1])), drawn)


def victim_state(recording: RescueRecording, t: int, victim: int) -> str:
    """Return `helped`, `urgent` or `waits`."""
    if not recording.needs[t, victim].any():
        return "helped"
    return "urgent" if recording.instance.victims[victim].urgent else "waits"


_RIMS = {"urgent": rescue_palette.URGENT, "helped": darken(rescue_palette.HELPED, 0.1)}


def _aside(place: tuple[float, float], far: float) -> tuple[float, float]:
    return place[0] + far, place[1] + far


def _between(one: tuple[float, float], other: tuple[float, float], share: float) -> tuple[float, float]:
    return one[0] + (other[0] - one[0]) * share, one[1] + (other[1] - one[1]) * share
