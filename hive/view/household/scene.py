"""One moment of a household on its floor plan: open containers, objects, agents and what they hold."""

from __future__ import annotations

from itertools import pairwise

from PIL import Image, ImageDraw

from hive.household.codes import DELIVERED, FLOOR, INSIDE
from hive.household.recording import HouseRecording
from hive.view.household import palette
from hive.view.household.floor import ITEM, Floor
from hive.view.household.items import draw_item
from hive.view.lettering import font
from hive.view.palette import INK, darken

AGENT = 0.42  # metres of an agent's radius
TRAIL = 10  # frames of the path that is shown behind an agent
BADGE = 0.19  # metres of the radius of a number at a container
_APART = 0.3  # metres between the middles of agents at one place


def carries(recording: HouseRecording) -> bool:
    """Return whether some object is in a container that agents carry, at any time."""
    return bool(((recording.place >= INSIDE) & (recording.place < DELIVERED)).any())


class HouseRenderer:
    """Draws frames of one recording; what never changes is drawn once."""

    def __init__(self, recording: HouseRecording, width: int, height: int | None = None) -> None:
        """Prepare pictures at most that wide and high, in pixels."""
        self.recording, self.floor = recording, Floor(recording.episode.apartment, width, height)
        self._page = self.floor.draw(recording.episode.goal_place)
        self._kinds = [each.kind for each in recording.episode.things]

    def draw(self, t: int) -> Image.Image:
        """Return frame `t`."""
        page = self._page.copy()
        self._furniture(page, t)
        for agent in range(len(self.recording.agents)):
            self._trail(page, t, agent)
        for agent in range(len(self.recording.agents)):
            self._agent(page, t, agent)
        return page

    def _furniture(self, page: Image.Image, t: int) -> None:
        """Draw open containers, and all objects that no agent holds; those in closed containers are faint."""
        recording, floor = self.recording, self.floor
        draw = ImageDraw.Draw(page)
        furniture = recording.episode.apartment.receptacles
        for number, each in enumerate(furniture):
            if each.closes and recording.open[t, number]:
                floor.furniture(draw, each, is_open=True, goal=number == recording.episode.goal_place)
        for number, each in enumerate(furniture):
            inside = [m for m, place in enumerate(recording.place[t]) if place == number]
            for m, (x, y) in zip(inside, floor.spots(number, len(inside)), strict=True):
                self._item(page, t, m, x, y, faint=each.closes and not recording.open[t, number])
        for m, place in enumerate(recording.place[t]):
            if FLOOR <= place < FLOOR + len(recording.episode.apartment.rooms):
                self._item(page, t, m, *floor.at(recording.episode.things[m].at))

    def _item(self, page: Image.Image, t: int, m: int, x: float, y: float, faint: bool = False) -> None:
        """Draw an object, with the number of things in it."""
        side = max(8, round(ITEM * self.floor.scale))
        icon = draw_item(self._kinds[m], side)
        mask = icon.getchannel("A").point(lambda value: value * 2 // 5) if faint else icon
        page.paste(icon, (round(x - side / 2), round(y - side / 2)), mask)
        count = len(self.recording.inside(t, m))
        if count:
            draw, r = ImageDraw.Draw(page), max(5, BADGE * self.floor.scale)
            x, y = x + 0.42 * side, y - 0.42 * side
            draw.ellipse((x - r, y - r, x + r, y + r), INK, (255, 255, 255), max(1, round(0.04 * self.floor.scale)))
            draw.text((x, y), str(count), (255, 255, 255), font(max(8, round(1.4 * r)), bold=True), "mm")

    def _trail(self, page: Image.Image, t: int, agent: int) -> None:
        path = [self._pixel(frame, agent) for frame in range(max(0, t - TRAIL), t + 1)]
        draw = ImageDraw.Draw(page)
        for one, other in pairwise(path):
            if one != other:
                draw.line((*one, *other), palette.AGENTS[agent], max(1, round(0.08 * self.floor.scale)))

    def _agent(self, page: Image.Image, t: int, agent: int) -> None:
        """Draw an agent as a disc with its initial, and what it holds on both sides."""
        scale = self.floor.scale
        x, y = self._pixel(t, agent)
        alike = [other for other in range(agent) if self._pixel(t, other) == (x, y)]
        x, y = x + len(alike) * _APART * scale * 2, y + len(alike) * _APART * scale
        r, colour = AGENT * scale, palette.AGENTS[agent]
        draw = ImageDraw.Draw(page)
        draw.ellipse((x - r, y - r, x + r, y + r), colour, darken(colour, 0.4), max(1, round(0.06 * scale)))
        lettering = font(max(8, round(0.5 * scale)), bold=True)
        draw.text((x, y), self.recording.agents[agent][:1], (255, 255, 255), lettering, "mm")
        for hand, m in enumerate(self.recording.hands[t, agent]):
            if m >= 0:
                px, py = x + (1.5 * hand - 0.75) * 1.6 * r, y - 0.7 * r
                back = 0.36 * scale
                draw.ellipse(
                    (px - back, py - back, px + back, py + back), (255, 255, 255), colour, max(1, round(0.06 * scale))
                )
                self._item(page, t, int(m), px, py)

    def _pixel(self, t: int, agent: int) -> tuple[float, float]:
        x, y = self.recording.at[t, agent]
        return self.floor.at((x / 1000, y / 1000))


__all__ = ["HouseRenderer", "carries"]
