"""A rescue as display lists: rooms as boxes joined by doors, in them victims with needs and agents with supplies."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import pairwise

from hive.kit.view import palette
from hive.kit.view.display import Item, Line, Point, Polygon, Shape, Sprite, Symbol, Text, Tip
from hive.kit.view.palette import darken
from hive.worlds.rescue.codes import RESOURCES
from hive.worlds.rescue.instance import Instance
from hive.worlds.rescue.recording import RescueRecording
from hive.worlds.rescue.view import palette as rescue_palette
from hive.worlds.rescue.view.icons import icon, token

WIDTH = 688  # units of the width of a map
_SHARE = 0.84  # of the room between two neighbours that a box takes
_WIDEST, _HIGHEST = 0.3, 0.2  # of the width that a box takes at most
_ICON = 96  # pixels of an icon in the pictures of a page


class MapLayout:
    """Where everything of a map is.

    Attributes:
        height: Of the map.
        middles: Middle of each room.
        box: Width and height of a room.
    """

    def __init__(self, instance: Instance) -> None:
        """Lay a map out."""
        xs, ys = (sorted({place[axis] for place in instance.places}) for axis in (0, 1))
        across, down = _least(xs), _least(ys)
        columns, rows = (xs[-1] - xs[0]) / across + 1, (ys[-1] - ys[0]) / down + 1
        step = min(WIDTH / columns, _WIDEST * WIDTH / _SHARE)
        lift = min(max(step, 118), _HIGHEST * WIDTH / _SHARE)
        self.height = rows * lift
        self.box = _SHARE * step, _SHARE * lift
        left = (WIDTH - columns * step) / 2
        self.middles = tuple(
            (left + ((x - xs[0]) / across + 0.5) * step, ((y - ys[0]) / down + 0.5) * lift) for x, y in instance.places
        )


def _least(values: list[float]) -> float:
    """Return the least step between neighbours in a row of values; steps far below the widest are not kept apart."""
    steps = [after - before for before, after in pairwise(values)]
    return max(min(steps), (values[-1] - values[0]) / 12) if steps else 1.0


class RescueScene:
    """The map of each frame of one recording; agents are its movers."""

    width = float(WIDTH)

    def __init__(self, recording: RescueRecording) -> None:
        """Lay the map out."""
        self.recording, self.plan = recording, MapLayout(recording.instance)
        self.height = self.plan.height
        self._victims = {victim.room: number for number, victim in enumerate(recording.instance.victims)}
        self.symbols = {name: Symbol(partial(icon, name), _ICON) for name, _ in rescue_palette.LEGEND}
        self.symbols |= {f"{name} met": Symbol(partial(icon, name, faded=True), _ICON) for name in RESOURCES}
        for number, agent in enumerate(recording.instance.agents):
            letter = agent.name.strip()[:1].upper()
            for active, end in ((True, ""), (False, " ended")):
                self.symbols[f"agent {number}{end}"] = Symbol(partial(token, number, letter, active=active), _ICON)

    def back(self) -> list[Item]:
        """Return the doors."""
        doors = [tuple(self.plan.middles[room] for room in pair) for pair in self.recording.instance.doors]
        return [Line(ends, *look) for look in ((rescue_palette.DOOR, 9), (palette.PAGE, 4)) for ends in doors]

    def frame(self, t: int, still: bool) -> list[Item]:
        """Return rooms with victims, the walks of the last step, agents, and the tips of agents and rooms."""
        rooms, agents = range(len(self.plan.middles)), range(len(self.recording.instance.agents))
        items = [item for room in rooms for item in self._room(t, room)]
        if still and t:
            items += [item for agent in agents for item in self._walk(t, agent)]
        items += [item for agent in agents for item in self._agent(t, agent)]
        return [
            *items,
            *(self._tell_agent(t, agent) for agent in agents),
            *(self._tell_room(t, room) for room in rooms),
        ]

    def places(self, t: int) -> list[Point]:
        """Return where the agents' signs are."""
        return [self._place(t, agent)[0] for agent in range(len(self.recording.instance.agents))]

    def _room(self, t: int, room: int) -> Iterator[Item]:
        (x, y), (wide, high) = self.plan.middles[room], self.plan.box
        left, top = x - wide / 2, y - high / 2
        victim = self._victims.get(room)
        state = "" if victim is None else victim_state(self.recording, t, victim)
        ground = rescue_palette.GROUND.get(state, rescue_palette.ROOM)
        rim = _RIMS.get(state, rescue_palette.WALL)
        yield Shape((left, top, wide, high), ground, rim, 2.4 if state == "urgent" else 1.4, 7)
        size = min(0.13 * high, 0.17 * wide, 15)
        name, at = self.recording.instance.rooms[room], (x, top + 0.7 * size + 2)
        yield Text((name,), at, size, palette.FAINT_INK, bold=True, room=0.92 * wide)
        if victim is None:
            return
        side, each = min(0.34 * high, 0.34 * wide), self.recording.instance.victims[victim]
        yield Sprite(state, (left + 0.05 * wide, top + 0.6 * high, side, side))
        small, size = min(0.19 * wide, 0.22 * high, (0.88 * wide - side) / 3.2), min(0.1 * high, 0.125 * wide)
        x = left + 0.07 * wide + side
        yield Text((each.name,), (x, top + 0.66 * high), size, palette.INK, "left", room=0.9 * wide - side)
        for kind, resource in enumerate(RESOURCES):
            if each.needs[kind]:
                met = "" if self.recording.needs[t, victim, kind] else " met"
                yield Sprite(resource + met, (x, top + 0.74 * high, small, small))
                x += 1.08 * small

    def _walk(self, t: int, agent: int) -> Iterator[Item]:
        """An arrow along the door that an agent has just gone through."""
        before, now = (int(self.recording.position[frame, agent]) for frame in (t - 1, t))
        if before == now:
            return
        aside = (agent - 0.5 * (len(self.recording.instance.agents) - 1)) * 7
        (fx, fy), (tx, ty) = ([value + aside for value in self.plan.middles[room]] for room in (before, now))
        far = [(fx + (tx - fx) * share, fy + (ty - fy) * share) for share in (0.28, 0.72)]
        colour = rescue_palette.tint(agent)
        yield Line(tuple(far), colour, 3.4)
        long = max(((tx - fx) ** 2 + (ty - fy) ** 2) ** 0.5, 1)
        (x, y), dx, dy = far[1], (tx - fx) / long * 8, (ty - fy) / long * 8
        yield Polygon(((x + dx, y + dy), (x - 0.6 * dy, y + 0.6 * dx), (x + 0.6 * dy, y - 0.6 * dx)), colour)

    def _place(self, t: int, agent: int) -> tuple[Point, float, float]:
        """Return the middle of an agent's sign, next to those in its room, its side, and the room for its supplies."""
        position, (wide, high) = self.recording.position[t], self.plan.box
        here = [other for other, room in enumerate(position) if room == position[agent]]
        x, y = self.plan.middles[position[agent]]
        side = min(0.26 * high, 0.3 * wide, 0.86 * wide / len(here))
        across = (here.index(agent) - (len(here) - 1) / 2) * min(wide / len(here), 0.46 * wide)
        return (x + across, y - 0.3 * high + side / 2), side, min(wide / len(here), 0.62 * wide)

    def _agent(self, t: int, agent: int) -> Iterator[Item]:
        """An agent's sign in the upper part of its room; below it each unit that it carries, over others where many."""
        _, side, room = self._place(t, agent)
        ended = "" if self.recording.active[t, agent] else " ended"
        yield Sprite(f"agent {agent}{ended}", (-side / 2, -side / 2, side, side), mover=agent)
        units = supplies(self.recording, t, agent)
        small = min(0.135 * self.plan.box[1], 0.3 * room)
        step = min(1.04 * small, (room - small) / max(len(units) - 1, 1))
        left, top = -(step * (len(units) - 1) + small) / 2, side / 2 + 0.01 * self.plan.box[1]
        for place, kind in enumerate(units):
            yield Sprite(kind, (left + place * step, top, small, small), mover=agent)

    def _tell_agent(self, t: int, agent: int) -> Tip:
        recording, side = self.recording, self._place(t, agent)[1]
        facts = [
            ("in", recording.instance.rooms[recording.position[t, agent]]),
            ("did", last_action(recording, t, agent)),
            ("carries", carried(recording, t, agent)),
        ]
        if not recording.active[t, agent]:
            facts.append(("mission", "ended"))
        name = recording.instance.agents[agent].name
        return Tip((-side / 2, -side / 2, side, side), name, tuple(facts), mover=agent)

    def _tell_room(self, t: int, room: int) -> Tip:
        instance, (x, y), (wide, high) = self.recording.instance, self.plan.middles[room], self.plan.box
        doors = [pair[1] if pair[0] == room else pair[0] for pair in instance.doors if room in pair]
        facts = [("doors to", ", ".join(instance.rooms[each] for each in doors))]
        if room in self._victims:
            victim = instance.victims[self._victims[room]]
            needs = self.recording.needs[t, self._victims[room]]
            left = ", ".join(kind for kind, needed in zip(RESOURCES, needs, strict=True) if needed)
            urgent = "urgent" if victim.urgent else "can wait"
            facts.append((victim.name, f"{urgent}; {f'needs {left}' if left else 'is helped'}"))
        here = [agent.name for agent, at in zip(instance.agents, self.recording.position[t], strict=True) if at == room]
        if here:
            facts.append(("agents", ", ".join(here)))
        return Tip((x - wide / 2, y - high / 2, wide, high), instance.rooms[room], tuple(facts))


def victim_state(recording: RescueRecording, t: int, victim: int) -> str:
    """Return `helped`, `urgent` or `waits`."""
    if not recording.needs[t, victim].any():
        return "helped"
    return "urgent" if recording.instance.victims[victim].urgent else "waits"


def last_action(recording: RescueRecording, t: int, agent: int) -> str:
    """Return what an agent did in the step before frame `t`."""
    done = int(recording.doing[t, agent])
    did = recording.deeds[done] if done >= 0 else ("has no turn" if t else "starts")
    return f"{did} – refused" if recording.refused[t, agent] else did


def carried(recording: RescueRecording, t: int, agent: int) -> str:
    """Return what an agent carries, such as `water 1, medicine 1`."""
    units = zip(RESOURCES, recording.supplies[t, agent], strict=True)
    return ", ".join(f"{kind} {int(count)}" for kind, count in units if count) or "nothing"


def supplies(recording: RescueRecording, t: int, agent: int) -> list[str]:
    """Return the kind of each unit that an agent carries."""
    units = zip(RESOURCES, recording.supplies[t, agent], strict=True)
    return [kind for kind, count in units for _ in range(int(count))]


_RIMS = {"urgent": rescue_palette.URGENT, "helped": darken(rescue_palette.HELPED, 0.1)}
