"""A household as display lists: open containers, objects, agents and what they hold on a plan. Units are metres."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import pairwise

from hive.kit.view.display import Box, Item, Line, Point, Shape, Sprite, Symbol, Text, Tip
from hive.kit.view.palette import INK, Rgb, darken
from hive.worlds.household.codes import DELIVERED, FLOOR, INSIDE
from hive.worlds.household.recording import HouseRecording
from hive.worlds.household.view import palette
from hive.worlds.household.view.floor import ITEM, SHORT_NAMES, Floor
from hive.worlds.household.view.items import draw_item

AGENT = 0.42  # of an agent's radius
TRAIL = 10  # frames of the path that is shown behind an agent
BADGE = 0.19  # of the radius of a number at a container
_APART = 0.3  # between the middles of agents at one place
_HAND = 0.36  # of the radius of the disc behind what is held
_WIDTH, _ITEM = 1400, 96  # pixels of the plan and of an object in the pictures of a page
_WHITE: Rgb = (255, 255, 255)


def carries(recording: HouseRecording) -> bool:
    """Return whether some object is in a container that agents carry, at any time."""
    return bool(((recording.place >= INSIDE) & (recording.place < DELIVERED)).any())


class HouseScene:
    """The apartment in each frame of one recording; agents are its movers."""

    def __init__(self, recording: HouseRecording) -> None:
        """Lay the plan out."""
        self.recording, episode = recording, recording.episode
        self.floor = Floor(episode.apartment, _WIDTH, _WIDTH)
        self.width, self.height = self.floor.metres
        plan = Symbol(lambda wide: Floor(episode.apartment, wide).draw(), self.floor.size[0])
        kinds = dict.fromkeys(each.kind for each in episode.things)
        self.symbols = {"plan": plan} | {f"item {kind}": Symbol(partial(draw_item, kind), _ITEM) for kind in kinds}

    def back(self) -> list[Item]:
        """Return the plan with the furniture that never closes."""
        plan = Sprite("plan", (0, 0, self.width, self.height))
        surfaces = [
            number for number, each in enumerate(self.recording.episode.apartment.receptacles) if not each.closes
        ]
        return [plan, *(item for number in surfaces for item in self._furniture(number, palette.SURFACE))]

    def frame(self, t: int, still: bool) -> list[Item]:
        """Return containers, objects, agents with their paths, and the tips of agents and furniture."""
        agents, furniture = range(len(self.recording.agents)), range(len(self.recording.episode.apartment.receptacles))
        items = [item for number in furniture for item in self._container(t, number)]
        items += [item for number in furniture for item in self._inside(t, number)]
        for m, place in enumerate(self.recording.place[t]):
            if FLOOR <= place < FLOOR + len(self.recording.episode.apartment.rooms):
                items += self._item(t, m, self.floor.map(self.recording.episode.things[m].at))
        items += [item for agent in agents for item in self._trail(t, agent, still)]
        items += [item for agent in agents for item in self._agent(t, agent, still)]
        return items + [self._tell_furniture(t, number) for number in furniture]

    def places(self, t: int) -> list[Point]:
        """Return where the agents are; those at one place stand next to each other."""
        own = [self._at(t, agent) for agent in range(len(self.recording.agents))]
        alike = [own[:agent].count(at) for agent, at in enumerate(own)]
        return [(x + 2 * _APART * many, y + _APART * many) for (x, y), many in zip(own, alike, strict=True)]

    def _at(self, t: int, agent: int) -> Point:
        x, y = self.recording.at[t, agent]
        return self.floor.map((x / 1000, y / 1000))

    def _box(self, number: int, grow: float = 0.0) -> Box:
        pixels = self.floor.box(self.recording.episode.apartment.receptacles[number])
        left, top, right, bottom = (value / self.floor.scale for value in pixels)
        return left - grow, top - grow, right - left + 2 * grow, bottom - top + 2 * grow

    def _furniture(self, number: int, colour: Rgb, ink: Rgb = palette.EDGE) -> Iterator[Item]:
        """A piece of furniture with its letters; the goal place has a frame."""
        each = self.recording.episode.apartment.receptacles[number]
        yield Shape(self._box(number), colour, palette.EDGE, 0.05)
        if number == self.recording.episode.goal_place:
            yield Shape(self._box(number, 0.1), None, palette.GOAL, 0.1)
        x, y = (value / self.floor.scale for value in self.floor.letters(each))
        yield Text((SHORT_NAMES.get(each.kind, each.kind[:2].upper()),), (x, y), 0.34, ink, bold=True)

    def _container(self, t: int, number: int) -> Iterator[Item]:
        if self.recording.episode.apartment.receptacles[number].closes:
            look = (palette.OPEN, palette.EDGE) if self.recording.open[t, number] else (palette.CLOSED, _WHITE)
            yield from self._furniture(number, *look)

    def _inside(self, t: int, number: int) -> Iterator[Item]:
        """Objects in or on a piece of furniture; those in a closed one are faint."""
        inside = [m for m, place in enumerate(self.recording.place[t]) if place == number]
        each = self.recording.episode.apartment.receptacles[number]
        alpha = 0.4 if each.closes and not self.recording.open[t, number] else 1.0
        for m, (x, y) in zip(inside, self.floor.spots(number, len(inside)), strict=True):
            yield from self._item(t, m, (x / self.floor.scale, y / self.floor.scale), alpha)

    def _item(self, t: int, m: int, at: Point, alpha: float = 1.0, mover: int = -1) -> Iterator[Item]:
        """An object, with the number of things in it."""
        (x, y), kind = at, self.recording.episode.things[m].kind
        yield Sprite(f"item {kind}", (x - ITEM / 2, y - ITEM / 2, ITEM, ITEM), alpha, mover)
        count = len(self.recording.inside(t, m))
        if count:
            x, y = x + 0.42 * ITEM, y - 0.42 * ITEM
            yield _disc(x, y, BADGE, INK, _WHITE, 0.04, mover)
            yield Text((str(count),), (x, y), 1.4 * BADGE, _WHITE, bold=True, mover=mover)

    def _trail(self, t: int, agent: int, still: bool) -> Iterator[Item]:
        path = [self._at(frame, agent) for frame in range(max(0, t - TRAIL), t + 1)]
        bends = (path[0], *(at for before, at in pairwise(path) if at != before))
        if len(bends) > 1:
            yield Line(bends, palette.AGENTS[agent], 0.08 if still else 0.07, 1.0 if still else 0.7)

    def _agent(self, t: int, agent: int, still: bool) -> Iterator[Item]:
        """An agent as a disc with its initial, and what it holds on both sides."""
        colour = palette.AGENTS[agent]
        yield _disc(0, 0, AGENT, colour, darken(colour, 0.4) if still else _WHITE, 0.06, agent)
        yield self._tell_agent(t, agent)
        yield Text((self.recording.agents[agent][:1],), (0, 0), 0.5, _WHITE, bold=True, mover=agent)
        for hand, m in enumerate(self.recording.hands[t, agent]):
            if m >= 0:
                x, y = (2 * hand - 1) * 1.2 * AGENT, -0.7 * AGENT
                yield _disc(x, y, _HAND, _WHITE, colour, 0.06, agent)
                yield from self._item(t, int(m), (x, y), mover=agent)

    def _tell_agent(self, t: int, agent: int) -> Tip:
        recording = self.recording
        facts = (
            ("in", room_of(recording, t, agent)),
            ("did", last_action(recording, t, agent)),
            ("hands", in_hands(recording, t, agent)),
        )
        return Tip((-AGENT, -AGENT, 2 * AGENT, 2 * AGENT), recording.agents[agent], facts, 0.06, agent)

    def _tell_furniture(self, t: int, number: int) -> Tip:
        recording, each = self.recording, self.recording.episode.apartment.receptacles[number]
        facts = [("is", "open" if recording.open[t, number] else "closed")] if each.closes else []
        inside = [recording.named(t, m) for m, place in enumerate(recording.place[t]) if place == number]
        facts.append(("holds", ", ".join(inside) or "nothing"))
        if number == recording.episode.goal_place:
            facts.append(("is", "the goal place"))
        return Tip(self._box(number), each.name, tuple(facts))


def room_of(recording: HouseRecording, t: int, agent: int) -> str:
    """Return the name of the room where an agent is."""
    return recording.episode.apartment.rooms[int(recording.room[t, agent])].name


def last_action(recording: HouseRecording, t: int, agent: int) -> str:
    """Return what an agent was doing in the tick before frame `t`."""
    done = int(recording.doing[t, agent])
    return recording.deeds[done] if done >= 0 else "nothing yet"


def in_hands(recording: HouseRecording, t: int, agent: int) -> str:
    """Return what an agent holds, such as `holds cupcake_1`."""
    held = [recording.named(t, m) for m in recording.hands[t, agent].tolist() if m >= 0]
    return f"holds {' and '.join(held)}" if held else "hands empty"


def _disc(x: float, y: float, r: float, fill: Rgb, rim: Rgb, line: float, mover: int) -> Shape:
    return Shape((x - r, y - r, 2 * r, 2 * r), fill, rim, line, r, mover)
