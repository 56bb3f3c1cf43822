"""Crews once more, unit by unit and frame by frame in plain Python, from docs/rules/wildfire.md 3 to 5, 6.1 alone.

Positions are float32 in the order of operations of the formulas; all else is integers and sets. Fire is the
plain version of `tests.world.fire_oracle`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from tests.world.fire_oracle import Map

F, B, D, H = range(4)
ACTIONS = (5, 2, 1, 4)
SPEED = (0.12, 0.08, 0.20, 0.30)
VIEW = (5, 5, 15, 20)
FRAMES, WIND_UP = 100, 50
f32 = np.float32

Cell = tuple[int, int]


@dataclass
class Civilian:
    cell: Cell
    living: bool = True
    walking: bool = True
    bearer: int = -1


@dataclass
class Unit:
    kind: int
    x: np.float32
    y: np.float32
    alive: bool = True
    water: int = 0
    aboard: int = -1
    code: int = -1
    place: Cell = (0, 0)
    heading: tuple[np.float32, np.float32] = (f32(0), f32(0))
    trees: int = 0  # in its cell, as it found them there

    @property
    def cell(self) -> Cell:
        return int(self.x), int(self.y)


@dataclass
class World:
    """One world; `ground` is changed as the game goes on."""

    ground: Map
    units: list[Unit]
    civilians: list[Civilian]
    wells: set[Cell]
    period: int  # ticks
    walk: int  # ticks
    safe: Cell | None  # centre of the square in which civilians stop
    burnt_kills: bool
    shared: bool
    tick: int = 0
    refused: int = 0
    seen: np.ndarray = field(init=False)
    stood: set[tuple[int, int, Cell]] = field(init=False, default_factory=set)  # map, radius, cell
    happened: set[str] = field(init=False, default_factory=set)

    def __post_init__(self) -> None:
        self.size = len(self.ground.trees)
        self.buildings = self.ground.building.copy()
        self.seen = np.zeros((1 if self.shared else len(self.units), self.size, self.size), int)
        self.stand()
        self.mark()

    def play(self, orders: list[tuple[int, Cell]], draws: np.ndarray) -> None:
        """One tick: a code and a cell for each unit; a draw in [0, 1) for each civilian."""
        for unit, (code, place) in zip(self.units, orders, strict=True):
            unit.code, unit.place = self.allowed(unit, code, place), place
        self.at_once()
        for unit in self.units:
            unit.heading = heading(unit)
        self.stand()
        for number in range(FRAMES):
            if number == WIND_UP:
                self.wind_up()
            if number in (0, WIND_UP):
                self.fell()
                self.look()
            self.frame()
            self.stand()
        self.wander(draws)
        self.mark()
        if (self.tick + 1) % self.period == 0:
            self.ground.update()
        self.deaths()
        self.stand()
        self.mark()
        self.tick += 1

    def allowed(self, unit: Unit, code: int, place: Cell) -> int:
        if not unit.alive or unit.aboard >= 0 or code == -1:
            return -1
        aims = code == 0 or (unit.kind == B and code == 1) or (unit.kind == F and code == 3)
        if not 0 <= code < ACTIONS[unit.kind] or (aims and not self.inside(place)):
            self.refused += 1
            return -1
        return code

    def inside(self, cell: Cell) -> bool:
        return all(0 <= part < self.size for part in cell)

    def at_once(self) -> None:
        """What needs no time (6.4, 6.7): civilians, then passengers, then water."""
        for row, unit in enumerate(self.units):
            if unit.kind == F and unit.code == 2:
                self.toggle(row, unit)
        for row, unit in enumerate(self.units):
            if unit.kind == H and unit.code == 3:
                for other in self.units:
                    if other.aboard == row:
                        other.aboard = -1
                        self.happened.add("set down")
        for row, unit in enumerate(self.units):
            if unit.kind == H and unit.code == 1 and unit.water == 0:
                for other in self.units:
                    near = other.kind == F and other.alive and other.aboard < 0 and math.dist(other.cell, unit.cell) < 3
                    if near and self.load(row) < 5:
                        other.aboard, other.code = row, other.code if other.code in (2, 4) else -1
                        self.happened.add("lifted")
        for row, unit in enumerate(self.units):
            fills = (unit.kind == F and unit.code == 4) or (unit.kind == H and unit.code == 2 and not self.load(row))
            if fills and unit.cell in self.wells:
                unit.water = 5
                self.happened.add("filled")
            if unit.kind == H and unit.code == 3 and unit.water:
                unit.water -= 1
                self.happened.add("dropped water")
                self.splash([cell for cell in self.cells() if math.dist(cell, unit.cell) <= 4.5])

    def load(self, helicopter: int) -> int:
        return sum(unit.aboard == helicopter for unit in self.units)

    def toggle(self, row: int, unit: Unit) -> None:
        own = [each for each in self.civilians if each.bearer == row]
        free = [c for c in self.civilians if c.living and c.bearer < 0 and math.dist(c.cell, unit.cell) < 3]
        if own:
            own[0].bearer = -1
            self.happened.add("put down")
        elif free:
            nearest = min(free, key=lambda each: math.dist(each.cell, unit.cell))
            nearest.bearer, nearest.walking = row, False
            self.happened.add("picked up")

    def cells(self) -> list[Cell]:
        return [(x, y) for x in range(self.size) for y in range(self.size)]

    def splash(self, cells: list[Cell]) -> None:
        for cell in cells:
            if self.ground.condition[cell] in (2, 3, 4):
                self.happened.add("put out")
            self.ground.spray(cell)

    def frame(self) -> None:
        for unit in self.units:
            if unit.alive and unit.aboard < 0 and (unit.code == 0 or (unit.kind == B and unit.code == 1)):
                move(unit)
        for unit in self.units:
            if unit.aboard >= 0:
                unit.x, unit.y = self.units[unit.aboard].x, self.units[unit.aboard].y
        self.burns()
        self.look()
        self.fell()
        self.follow()

    def fell(self) -> None:
        """Bulldozers fell all trees where they are, the cell that they start in too (6.5)."""
        for unit in self.units:
            if unit.alive and unit.kind == B and unit.code == 1:
                self.ground.cut(unit.cell, 3)

    def look(self) -> None:
        """Units see the trees of their cells, before those fall that a bulldozer fells in this frame."""
        for unit in self.units:
            unit.trees = int(self.ground.trees[unit.cell])

    def burns(self) -> None:
        """Who stands in fire dies (6.3)."""
        for unit in self.units:
            lethal = self.ground.condition[unit.cell] in (2, 3, 4)
            burnt = self.ground.condition[unit.cell] == 5 and (self.burnt_kills or unit.kind == B)
            if unit.alive and unit.kind in (F, B) and unit.aboard < 0 and (lethal or burnt):
                unit.alive = False
                self.happened.add("burnt")

    def follow(self) -> None:
        for each in self.civilians:
            if each.bearer >= 0:
                each.cell = self.units[each.bearer].cell
                if not self.units[each.bearer].alive:
                    each.bearer = -1
                    self.happened.add("bearer died")

    def wind_up(self) -> None:
        """A tree falls, then water flies (6.4); nothing of who died meanwhile."""
        able = [unit for unit in self.units if unit.kind == F and unit.alive and unit.aboard < 0]
        for unit in able:
            if unit.code == 1:
                self.ground.cut(unit.cell, 1)
        wet: list[Cell] = []
        for unit in able:
            if unit.code == 3 and unit.water:
                unit.water -= 1
                self.happened.add("sprayed")
                wet += [cell for cell in self.cells() if in_cone(unit, cell)]
        self.splash(sorted(set(wet)))

    def wander(self, draws: np.ndarray) -> None:
        for each, draw in zip(self.civilians, draws, strict=True):
            if self.safe and max(abs(a - b) for a, b in zip(each.cell, self.safe, strict=True)) <= 3:
                each.walking = False
            x, y = each.cell
            beside = [(x + 1, y), (x, y + 1), (x - 1, y), (x, y - 1)]
            free = [c for c in beside if min(c) >= 0 and max(c) <= self.size - 2 and self.ground.condition[c] < 2]
            if (self.tick + 1) % self.walk == 0 and each.walking and each.living and each.bearer < 0 and free:
                each.cell = free[int(draw * len(free))]
                self.happened.add("wandered")

    def deaths(self) -> None:
        self.burns()
        self.follow()
        for each in self.civilians:
            if each.living and each.bearer < 0 and self.ground.condition[each.cell] >= 2:
                each.living = False
                self.happened.add("civilian died")

    def stand(self) -> None:
        for row, unit in enumerate(self.units):
            if unit.alive:
                self.stood.add((0 if self.shared else row, VIEW[unit.kind], unit.cell))

    def mark(self) -> None:
        waiting = {each.cell for each in self.civilians if each.living and each.bearer < 0}
        now = np.array([15 if cell in waiting else self.code(cell) for cell in self.cells()]).reshape(
            self.seen[0].shape
        )
        for which, radius, (x, y) in self.stood:
            view = np.s_[max(x - radius, 0) : x + radius + 1, max(y - radius, 0) : y + radius + 1]
            self.seen[which][view] = now[view]
        self.stood = set()

    def code(self, cell: Cell) -> int:
        """docs/rules/wildfire.md 5, without civilians."""
        if self.buildings[cell]:
            return 14
        if cell in self.wells:
            return 13
        if self.ground.condition[cell] >= 2:
            return int(self.ground.condition[cell]) + 7
        return (1 if self.ground.wet[cell] else 5) + int(self.ground.trees[cell])


def heading(unit: Unit) -> tuple[np.float32, np.float32]:
    """To the centre of the place, of length 1 at most."""
    x, y = f32(unit.place[0] + 0.5) - unit.x, f32(unit.place[1] + 0.5) - unit.y
    length = np.sqrt(x * x + y * y)
    share = f32(1) / length  # as the engine's compiler divides: by one reciprocal
    return (x * share, y * share) if length > 1 else (x, y)


def move(unit: Unit) -> None:
    x, y = f32(unit.place[0] + 0.5) - unit.x, f32(unit.place[1] + 0.5) - unit.y
    if unit.heading[0] * x + unit.heading[1] * y < 0:
        return
    speed = f32(SPEED[unit.kind])
    if unit.kind == B and unit.code == 1:
        speed = speed * f32(0.5)
    if unit.kind == F:
        speed = speed * (f32(5 - unit.trees) * f32(0.2))
    unit.x, unit.y = unit.x + unit.heading[0] * speed, unit.y + unit.heading[1] * speed


def in_cone(unit: Unit, cell: Cell) -> bool:
    dx, dy = cell[0] - unit.cell[0], cell[1] - unit.cell[1]
    aim = unit.place[0] + 0.5 - float(unit.x), unit.place[1] + 0.5 - float(unit.y)
    far = math.hypot(dx, dy)
    return 0 < far <= 3 and math.hypot(*aim) > 0 and (aim[0] * dx + aim[1] * dy) >= far * math.hypot(*aim) / 2
