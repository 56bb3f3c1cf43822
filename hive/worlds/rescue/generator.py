"""Instances drawn at random (docs/rules/rescue.md 2.4)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from hive.worlds.rescue.codes import AGENTS, RESOURCES, ROOMS, VICTIMS
from hive.worlds.rescue.instance import Agent, Instance, Victim

NAMES = ("Alpha", "Bravo", "Charlie", "Delta")
_SIDE = 5  # rooms lie on a grid of this many columns and rows


@dataclass(frozen=True, kw_only=True)
class InstanceRanges:
    """What is drawn; every pair is the least and the most, each number in between alike likely.

    Attributes:
        rooms: Rooms.
        victims: Victims; never more than rooms.
        agents: Agents.
        surplus: Chance that the team carries one or two units more than all victims need.
        together: Chance that all agents start in one room.
        split: Chance that every unit goes to any agent, so that victims may need several agents; else all that one
            victim needs goes to one agent, as far as there are victims for all agents.
    """

    rooms: tuple[int, int] = (4, 15)
    victims: tuple[int, int] = (1, 5)
    agents: tuple[int, int] = (2, 3)
    surplus: float = 0.2
    together: float = 0.5
    split: float = 0.5

    def __post_init__(self) -> None:
        """Check the ranges.

        Raises:
            ValueError: A pair is out of order or out of the range that the generator allows, or a chance is not one.
        """
        for name, most in (("rooms", ROOMS), ("victims", VICTIMS), ("agents", AGENTS)):
            low, high = getattr(self, name)
            least = 2 if name == "rooms" else 1
            if not least <= low <= high <= most:
                raise ValueError(f"{name} must be two numbers from {least} to {most} in order, not {low} and {high}")
        for name in ("surplus", "together", "split"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} must be a chance from 0 to 1, not {getattr(self, name)}")


STANDARD = InstanceRanges()


def generate(seed: int, count: int, recipe: InstanceRanges = STANDARD) -> Iterator[Instance]:
    """Draw instances; each is connected and solvable.

    Args:
        seed: Seed, 0 or more.
        count: Number of instances; the first of them do not depend on it.
        recipe: What is drawn.
    """
    return (draw(seed, number, recipe) for number in range(count))


def draw(seed: int, number: int, recipe: InstanceRanges = STANDARD) -> Instance:
    """Draw the instance of this number, named `generated/SEED-NUMBER`."""
    rng = Random(f"{seed}-{number}")
    places, doors = _map(rng, rng.randint(*recipe.rooms))
    rooms = len(places)
    victims = []
    for n, room in enumerate(rng.sample(range(rooms), min(rng.randint(*recipe.victims), rooms))):
        bits = rng.randrange(1, 2 ** len(RESOURCES))
        needs = bool(bits & 1), bool(bits & 2), bool(bits & 4)
        victims.append(Victim(f"victim{n + 1}", room, needs, rng.random() < 0.5))
    team = rng.randint(*recipe.agents)
    starts = [rng.randrange(rooms) for _ in range(team)]
    if rng.random() < recipe.together:
        starts = starts[:1] * team
    agents = []
    for n, (water, food, medicine) in enumerate(_share_out(rng, victims, team, recipe)):
        agents.append(Agent(NAMES[n], starts[n], (water, food, medicine)))
    names = tuple(f"room{n + 1}" for n in range(rooms))
    return Instance(f"generated/{seed}-{number}", names, places, doors, tuple(victims), tuple(agents))


def _map(rng: Random, rooms: int) -> tuple[tuple[tuple[float, float], ...], tuple[tuple[int, int], ...]]:
    """Grow a map on a grid, room by room next to a random room, and open some more doors between neighbours."""
    cells = [(rng.randrange(_SIDE), rng.randrange(_SIDE))]
    joined: set[tuple[tuple[int, int], tuple[int, int]]] = set()
    while len(cells) < rooms:
        x, y = cell = rng.choice(cells)
        east, south = rng.choice(((1, 0), (-1, 0), (0, 1), (0, -1)))
        new = x + east, y + south
        if new not in cells and 0 <= new[0] < _SIDE and 0 <= new[1] < _SIDE:
            cells.append(new)
            joined.add((min(cell, new), max(cell, new)))
    chance = rng.random()
    order = sorted(cells, key=lambda cell: (cell[1], cell[0]))
    for x, y in order:
        for other in ((x + 1, y), (x, y + 1)):
            if other in cells and rng.random() < chance:
                joined.add(((x, y), other))
    number = {cell: n for n, cell in enumerate(order)}
    doors = sorted((min(number[a], number[b]), max(number[a], number[b])) for a, b in joined)
    return tuple((float(x), float(y)) for x, y in order), tuple(doors)


def _share_out(rng: Random, victims: list[Victim], team: int, recipe: InstanceRanges) -> list[list[int]]:
    """Deal what victims need to the agents, units of each resource for each; with enough to deal, each gets some."""
    lots = [[kind for kind, needed in enumerate(victim.needs) if needed] for victim in victims]
    if rng.random() < recipe.split or len(victims) < team:
        lots = [[kind] for lot in lots for kind in lot]
    rng.shuffle(lots)
    holders = rng.sample(range(team), team)
    supplies = [[0] * len(RESOURCES) for _ in range(team)]
    for number, lot in enumerate(lots):
        holder = holders[number] if number < team else rng.randrange(team)
        for kind in lot:
            supplies[holder][kind] += 1
    if rng.random() < recipe.surplus:
        for _ in range(rng.randint(1, 2)):
            supplies[rng.randrange(team)][rng.randrange(len(RESOURCES))] += 1
    return supplies
