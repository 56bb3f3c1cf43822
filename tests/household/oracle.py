"""An independent interpreter of housework in plain Python, one agent after the other (docs/rules/household.md 3 to 5).

It knows nothing of arrays. Where chance decides, it takes the winner from the world that it is compared with.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from math import atan2, ceil, isqrt, pi

from hive.worlds.household.episode import HouseholdEpisode

Point = tuple[int, int]
Place = tuple[str, int]  # ("on", receptacle), ("floor", room) or ("held", agent)
Option = tuple[str, int]

ORDER = ("livingroom", "kitchen", "bedroom", "bathroom", "office")


def far(one: Point, other: Point) -> int:
    return isqrt((one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2)


def milli(point: tuple[float, float]) -> Point:
    return round(point[0] * 1_000), round(point[1] * 1_000)


@dataclass
class Agent:
    """One agent and what it knows."""

    room: int
    at: Point
    hands: list[int | None] = field(default_factory=lambda: [None, None])
    option: Option | None = None
    last: str = "EXPLORE"
    elapsed: int = 0
    result: str = "DONE"
    seen: dict[int, tuple[Place | None, int]] = field(default_factory=dict)  # place and clock; None: it is gone
    checked: set[int] = field(default_factory=set)
    visited: set[int] = field(default_factory=set)
    known: set[int] = field(default_factory=set)
    goal_known: bool = False
    mates: dict[int, tuple[int, int]] = field(default_factory=dict)
    facing: int = 0  # twelfths of a circle
    turned: int = 0  # ticks of looking round

    def face(self, at: Point) -> None:
        """Face a point; the nearest of twelve directions, and of two the first."""
        if at != self.at:
            self.facing = ceil(6 * atan2(at[1] - self.at[1], at[0] - self.at[0]) / pi - 0.5) % 12

    def views(self, at: Point) -> bool:
        """Whether a point is at most 45 degrees off the direction that is faced."""
        off = 6 * atan2(at[1] - self.at[1], at[0] - self.at[0]) / pi - self.facing
        return at == self.at or abs((off + 6) % 12 - 6) <= 1.5

    def place(self, thing: int) -> Place | None:
        return self.seen.get(thing, (None, -1))[0]


@dataclass
class Message:
    """What an agent tells, as sets of numbers."""

    objects: set[int]
    containers: set[int]
    rooms: set[int]


class Household:
    """The episode between two ticks."""

    def __init__(self, episode: HouseholdEpisode, agents: int) -> None:
        self.episode, self.home, self.goal = episode, episode.apartment, episode.goal_place
        starts = [episode.starts[number % len(episode.starts)] for number in range(agents)]
        self.agents = [Agent(each.room, milli(each.at)) for each in starts]
        self.places: list[Place] = [
            ("floor", each.room) if each.place is None else ("on", each.place) for each in episode.things
        ]
        self.open = {number for number, each in enumerate(self.home.receptacles) if not each.closes}
        self.clock = 0
        for agent in self.agents:
            agent.face(milli(self.home.rooms[agent.room].centre))
            self.look(agent, False)

    @property
    def finished(self) -> bool:
        there = Counter(
            thing.kind
            for thing, place in zip(self.episode.things, self.places, strict=True)
            if place == ("on", self.goal)
        )
        return all(there[kind] >= count for kind, count in self.episode.goals)

    def room_of(self, place: Place | None) -> int | None:
        if place is None:
            return None
        kind, number = place
        if kind == "on":
            return self.home.receptacles[number].room
        return self.agents[number].room if kind == "held" else number

    def hidden(self, place: Place | None) -> bool:
        return place is not None and place[0] == "on" and place[1] not in self.open

    def point(self, place: Place, thing: int) -> Point:
        if place[0] == "held":
            return self.agents[place[1]].at
        return milli(self.episode.things[thing].at if place[0] == "floor" else self.home.receptacles[place[1]].at)

    def sees(self, agent: Agent, place: Place | None, thing: int, whole: bool) -> bool:
        if place is None or self.room_of(place) != agent.room or self.hidden(place):
            return False
        return whole or not self.episode.turning or agent.views(self.point(place, thing))

    def look(self, agent: Agent, whole: bool) -> None:
        turning = self.episode.turning
        if whole or not turning:
            agent.visited.add(agent.room)
        agent.known.add(agent.room)
        for number, each in enumerate(self.home.receptacles):
            if each.room == agent.room:
                agent.goal_known |= number == self.goal
                if each.closes and (whole or not turning or agent.views(milli(each.at))):
                    if number in self.open:
                        agent.checked.add(number)
                    elif self.episode.closing:
                        agent.checked.discard(number)
        for thing, place in enumerate(self.places):
            if self.sees(agent, place, thing, whole):
                agent.seen[thing] = place, self.clock
            elif self.sees(agent, agent.place(thing), thing, whole):
                agent.seen[thing] = None, self.clock
        for number, other in enumerate(self.agents):
            if other.room == agent.room and (whole or not turning or agent.views(other.at)):
                agent.mates[number] = other.room, self.clock

    def shut(self, agent: Agent, place: Place | None) -> bool:
        """Whether agents close containers, and this one may be closed as far as the agent knows."""
        if not self.episode.closing or place is None or place[0] != "on":
            return False
        return self.home.receptacles[place[1]].closes and place[1] not in agent.checked

    def legal(self, number: int) -> set[Option]:
        agent = self.agents[number]
        held = [each for each in agent.hands if each is not None]
        if agent.option:
            return {("WAIT", 0)}
        if len(held) == 2:
            return {("PUT", 0)}
        found = {("WAIT", 0)} | ({("PUT", 0)} if held else set())
        if len(self.agents) > 1 and agent.last != "SEND":
            found.add(("SEND", 0))
        found |= {("EXPLORE", room) for room in range(len(self.home.rooms)) if room not in agent.visited}
        for each, furniture in enumerate(self.home.receptacles):
            if furniture.closes and furniture.room in agent.known:
                if each in agent.checked:
                    found |= {("CLOSE", each)} if self.episode.closing else set()
                elif each != self.goal:
                    found.add(("CHECK", each))
        found |= {("TURN_LEFT", 0), ("TURN_RIGHT", 0)} if self.episode.turning else set()
        wanted = Counter(dict(self.episode.goals))
        for thing, each in enumerate(self.episode.things):
            if agent.place(thing) in (("on", self.goal), ("held", number)):
                wanted[each.kind] -= 1
        for thing, each in enumerate(self.episode.things):
            place = agent.place(thing)
            if place and place[0] != "held" and place != ("on", self.goal) and wanted[each.kind] > 0:
                found |= set() if self.shut(agent, place) else {("GRAB", thing)}
        return found

    def target(self, agent: Agent) -> tuple[int, Point, int]:
        kind, number = agent.option or ("WAIT", 0)
        if kind == "PUT" and not agent.goal_known:
            entered = agent.known if self.episode.turning else agent.visited
            rooms = [each for each in range(len(self.home.rooms)) if each not in entered]
            number = min(rooms, key=lambda each: ORDER.index(self.home.rooms[each].kind))
        if kind == "EXPLORE" or (kind == "PUT" and not agent.goal_known):
            around = self.episode.turning and kind == "EXPLORE"
            return number, milli(self.home.rooms[number].centre), 1_000 if around else 0
        place = ("on", self.goal if kind == "PUT" else number)
        if kind == "GRAB":
            place = agent.place(number) or place
        if place[0] == "floor":
            thing = self.episode.things[number]
            return thing.room, milli(thing.at), 1_250
        return self.home.receptacles[place[1]].room, milli(self.home.receptacles[place[1]].at), 1_250

    def ways(self, room: int, end: int, passed: tuple[int, ...] = ()) -> list[list[tuple[int, int]]]:
        """All ways to a room that enter no room twice, as doors with the rooms behind them."""
        if room == end:
            return [[]]
        return [
            [(number, behind), *rest]
            for number, door in enumerate(self.home.doors)
            if room in door.rooms
            for behind in (set(door.rooms) - {room})
            if behind not in passed
            for rest in self.ways(behind, end, (*passed, room))
        ]

    def walk(self, agent: Agent, room: int, at: Point, reach: int) -> None:
        left = 1_000
        while left > 0 and not (agent.room == room and far(agent.at, at) <= reach):
            goal, behind = at, room
            if agent.room != room:
                centre = milli(self.home.rooms[room].centre)

                def span(way: list[tuple[int, int]], centre: Point = centre) -> int:
                    points = [agent.at, *(milli(self.home.doors[door].at) for door, _ in way), centre]
                    return sum(far(one, other) for one, other in pairwise(points))

                door, behind = min(self.ways(agent.room, room), key=span)[0]
                goal = milli(self.home.doors[door].at)
            length = far(agent.at, goal)
            pace = min(left, length)
            left -= pace
            if pace == length:
                agent.at, agent.room = goal, behind
            else:
                x, y = (a + (2 * (b - a) * pace + length) // (2 * length) for a, b in zip(agent.at, goal, strict=True))
                agent.at = x, y

    def tick(self, chosen: list[Option], messages: list[Message], won: set[int]) -> None:
        """Play one tick.

        Args:
            chosen: An option for each agent; only those of free agents count.
            messages: What each agent would tell.
            won: Agents that win what several use at once.
        """
        if self.finished:
            return
        for agent, option in zip(self.agents, chosen, strict=True):
            if not agent.option:
                agent.option, agent.last, agent.elapsed = option, option[0], 0
        told = [dict(agent.seen) for agent in self.agents]
        tells = [(set(agent.checked), set(agent.known), agent.goal_known) for agent in self.agents]
        deeds = [self.deed(agent) for agent in self.agents]
        self.use(deeds, won)
        self.clock += 1
        for agent, deed in zip(self.agents, deeds, strict=True):
            self.look(agent, deed == ("look", 12))
        for sender, message in enumerate(messages):
            if deeds[sender][0] == "send":
                self.deliver(sender, message, told[sender], tells[sender])
        for number, agent in enumerate(self.agents):
            self.end(number, agent, deeds[number])

    def deed(self, agent: Agent) -> tuple[str, int]:
        """Walk, or say what the agent does where it is."""
        kind, number = agent.option or ("WAIT", 0)
        if kind in ("WAIT", "SEND", "TURN_LEFT", "TURN_RIGHT"):
            agent.facing = (agent.facing + {"TURN_LEFT": 1, "TURN_RIGHT": -1}.get(kind, 0)) % 12
            return kind.lower(), 0
        room, at, reach = self.target(agent)
        there = agent.room == room and far(agent.at, at) <= reach
        if there and kind == "EXPLORE" and self.episode.turning:
            agent.facing, agent.turned = (agent.facing + 1) % 12, agent.turned % 12 + 1
            return "look", agent.turned
        if not there or kind == "EXPLORE" or (kind == "PUT" and not agent.goal_known):
            was, now = Agent(agent.room, agent.at, facing=agent.facing), agent
            self.walk(agent, room, at, reach)
            was.face(now.at)
            agent.facing = was.facing
            return "walk", 0
        agent.face(at)
        if kind == "PUT":
            shut = self.goal not in self.open and None in agent.hands
            return ("open", self.goal) if shut else ("put", 0)
        return {"CHECK": "open", "CLOSE": "close", "GRAB": "grab"}[kind], number

    def use(self, deeds: list[tuple[str, int]], won: set[int]) -> None:
        rivals = Counter(deed for deed in deeds if deed[0] in ("open", "close", "grab"))
        for number, (agent, deed) in enumerate(zip(self.agents, deeds, strict=True)):
            wins = rivals[deed] < 2 or number in won
            if deed[0] in ("open", "close") and wins:
                (self.open.add if deed[0] == "open" else self.open.discard)(deed[1])
            elif deed[0] == "grab" and wins:
                agent.hands[agent.hands.index(None)] = deed[1]
                self.places[deed[1]] = "held", number
            elif deed[0] == "put":
                hand = next(each for each in range(2) if agent.hands[each] is not None)
                thing, agent.hands[hand] = agent.hands[hand], None
                assert thing is not None
                self.places[thing] = "on", self.goal
                for witness in self.agents:
                    if witness.room == agent.room:
                        witness.seen[thing] = ("on", self.goal), self.clock + 1

    def deliver(
        self,
        sender: int,
        message: Message,
        told: dict[int, tuple[Place | None, int]],
        tells: tuple[set[int], set[int], bool],
    ) -> None:
        checked, known, goal_known = tells
        for number, agent in enumerate(self.agents):
            if number == sender:
                continue
            for thing in message.objects & told.keys():
                if told[thing][1] > agent.seen.get(thing, (None, -1))[1]:
                    agent.seen[thing] = told[thing]
            agent.checked |= message.containers & checked
            agent.known |= message.rooms & known
            agent.goal_known |= goal_known and self.home.receptacles[self.goal].room in message.rooms

    def end(self, number: int, agent: Agent, deed: tuple[str, int]) -> None:
        kind, argument = agent.option or ("WAIT", 0)
        agent.elapsed += 1
        agent.result = "GOES_ON"
        done = {
            "WAIT": True,
            "SEND": True,
            "EXPLORE": agent.room == argument and (not self.episode.turning or deed == ("look", 12)),
            "CHECK": argument in agent.checked,
            "CLOSE": argument not in agent.checked,
            "TURN_LEFT": True,
            "TURN_RIGHT": True,
            "GRAB": argument in agent.hands,
            "PUT": agent.hands == [None, None],
        }[kind]
        place = agent.place(argument) if kind == "GRAB" else None
        if done:
            agent.result, agent.option = "DONE", None
        elif kind == "GRAB" and (place is None or place[0] == "held" or self.shut(agent, place)):
            agent.result, agent.option = "ABANDONED", None
