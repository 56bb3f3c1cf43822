"""Instances of a rescue: a map, its victims, and a team of agents (docs/rules/rescue.md 1, 2)."""

from __future__ import annotations

from dataclasses import dataclass

from hive.worlds.rescue.codes import RESOURCES, Act

MOST = 9
"""Most units of a resource that an agent carries."""


@dataclass(frozen=True)
class Victim:
    """One victim; `needs` says for each of `RESOURCES` whether one unit of it is needed."""

    name: str
    room: int
    needs: tuple[bool, bool, bool]
    urgent: bool


@dataclass(frozen=True)
class Agent:
    """One agent; `supplies` are units of each of `RESOURCES`."""

    name: str
    room: int
    supplies: tuple[int, int, int]


@dataclass(frozen=True)
class Instance:
    """A rescue before its first step.

    Attributes:
        name: Such as `map_7/agents-1`.
        rooms: Their names; elsewhere rooms are numbers into it.
        places: Where each room is drawn, x to the east and y to the south.
        doors: Pairs of different rooms, each pair once, the smaller number first.
        victims: In the order of the file, at most one a room.
        agents: In the order of their turns.
        about: What the instance tests, in a sentence; may be empty.
    """

    name: str
    rooms: tuple[str, ...]
    places: tuple[tuple[float, float], ...]
    doors: tuple[tuple[int, int], ...]
    victims: tuple[Victim, ...]
    agents: tuple[Agent, ...]
    about: str = ""

    @property
    def needs(self) -> tuple[int, ...]:
        """Units that all victims need together, of each resource."""
        return tuple(sum(victim.needs[kind] for victim in self.victims) for kind in range(len(RESOURCES)))

    @property
    def supplies(self) -> tuple[int, ...]:
        """Units that all agents carry together, of each resource."""
        return tuple(sum(agent.supplies[kind] for agent in self.agents) for kind in range(len(RESOURCES)))

    def call(self, action: int) -> str:
        """Return an action as the call of a tool; empty for `Act.NOTHING`."""
        if action < Act.GIVE_WATER:
            return f"navigate_to({self.rooms[action]})"
        return "" if action == Act.NOTHING else f"{Act(action).name.lower()}()"

    def neighbours(self, room: int) -> tuple[int, ...]:
        """Rooms next to a room, in order."""
        return tuple(sorted(b if a == room else a for a, b in self.doors if room in (a, b)))
