"""The places of a level's crew, targets, fire, water and civilians, drawn from its seed.

Rules: docs/rules/wildfire_levels.md 2.2.

One generator serves all draws of a level, in the published order; rejected cells also consume draws.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dsl import UserError
from hive.worlds.wildfire.levels import Level
from hive.worlds.wildfire.maps import place_rules as rules
from hive.worlds.wildfire.maps.dotnet import DotNetRandom
from hive.worlds.wildfire.maps.host_land import Map
from hive.worlds.wildfire.maps.place_rules import Area, Gap

Cell = tuple[int, int]
CellLine = tuple[int, int, int, int]  # both end cells, inclusive: x, y, x, y

_MOST_DRAWS = 100_000  # most draws for one place; published maps need a few dozen


@dataclass(frozen=True, kw_only=True)
class TaskPlaces:
    """The places that a level's task text gives; cells are (x, y), y south."""

    trees: tuple[Cell, ...] = ()  # single cells to cut
    lines: tuple[CellLine, ...] = ()  # lines to cut
    goal: Cell | None = None  # where firefighters or civilians are to be brought
    fire: Cell | None = None
    water: Cell | None = None
    clusters: tuple[Cell, ...] = ()  # where the civilians of each cluster start

    @property
    def cells_to_cut(self) -> tuple[Cell, ...]:
        """Every labelled cell in order; a cell that two lines share occurs twice."""
        along = ((x, y) for x0, y0, x1, y1 in self.lines for x in range(x0, x1 + 1) for y in range(y0, y1 + 1))
        return (*self.trees, *along)


@dataclass(frozen=True, kw_only=True)
class Places(TaskPlaces):
    """All places of a level, as drawn. Crew and civilians start exactly in the drawn cell."""

    spawn: Cell  # the published program puts crews one cell north-west of it on maps of even size


def place(level: Level, ground: Map, seed: int) -> Places:
    """Return the places of a level on its map.

    Args:
        level: The level; its `size` is that of the map.
        ground: The map of the seed, as generated.
        seed: Seed of the map.

    Raises:
        UserError: The map has no room for a place.
    """
    draw = _Draw(level.size, seed)
    spawn = draw.cell(rules.SPAWN)
    if level.game == "cut":
        lines, trees = _lines(draw, level, spawn), _trees(draw, level, ground, spawn)
        return Places(spawn=spawn, lines=lines, trees=trees)
    if level.game == "transport":
        goal = draw.until(
            "goal", rules.TRANSPORT_GOAL, lambda at: draw.apart(at, spawn, rules.TRANSPORT_GOAL_FROM_SPAWN)
        )
        return Places(spawn=spawn, goal=goal)
    if level.game == "rescue":
        return _rescue(draw, level, spawn)
    return _fire(draw, level, ground, spawn)


class _Draw:
    """Draws of cells, rounded as the published program rounds them."""

    def __init__(self, size: int, seed: int) -> None:
        self.size, self.seed = size, seed
        self.random = DotNetRandom(seed)

    def cell(self, area: Area) -> Cell:
        """Draw a cell of an area, x first."""
        width, start = rules.whole_cells(self.size, area.width), rules.whole_cells(self.size, area.margin)
        x, y = (start + self.random.below(width) for _ in range(2))
        return x, y

    def until(self, what: str, area: Area, fits: Callable[[Cell], bool]) -> Cell:
        """Draw cells until one fits, and return it."""
        for _ in range(_MOST_DRAWS):
            at = self.cell(area)
            if fits(at):
                return at
        raise UserError(
            f"the map of {self.size} x {self.size} cells and seed {self.seed} has no room for the level's {what}\n"
            "  = help: take another seed or a larger map"
        )

    def apart(self, one: Cell, other: Cell, gap: Gap) -> bool:
        """Whether two cells have a gap between them."""
        far = [abs(a - b) > rules.cells(self.size, gap.length) for a, b in zip(one, other, strict=True)]
        return all(far) if gap.both else any(far)


def _trees(draw: _Draw, level: Level, ground: Map, spawn: Cell) -> tuple[Cell, ...]:
    found: list[Cell] = []

    def fits(at: Cell) -> bool:
        return draw.apart(at, spawn, rules.TREE_FROM_SPAWN) and bool(ground.trees[at]) and at not in found

    for _ in range(level.trees):
        found.append(draw.until("trees to cut", rules.TREES, fits))
    return tuple(found)


def _lines(draw: _Draw, level: Level, spawn: Cell) -> tuple[CellLine, ...]:
    """Lines of exactly `line_length` cells, as in the published games; the published program has one cell more."""
    centres: list[Cell] = []
    lines: list[CellLine] = []

    def fits(at: Cell) -> bool:
        return draw.apart(at, spawn, rules.LINE_FROM_SPAWN) and at not in centres and level.line_length <= level.size

    for _ in range(level.lines):
        x, y = draw.until("lines to cut", rules.LINES, fits)
        centres.append((x, y))
        upright = draw.random.below(2) == 1
        start = min(max((y if upright else x) - level.line_length // 2, 0), level.size - level.line_length)
        end = start + level.line_length - 1
        lines.append((x, start, x, end) if upright else (start, y, end, y))
    return tuple(lines)


def _rescue(draw: _Draw, level: Level, spawn: Cell) -> Places:
    """Place civilians away from the goal and from the crew."""
    goal = draw.cell(rules.RESCUE_GOAL)

    def fits(at: Cell) -> bool:
        return draw.apart(at, goal, rules.CLUSTER_FROM_GOAL) and draw.apart(at, spawn, rules.CLUSTER_FROM_SPAWN)

    clusters = tuple(draw.until("civilians", rules.CLUSTERS, fits) for _ in range(level.clusters))
    return Places(spawn=spawn, goal=goal, clusters=clusters)


def _fire(draw: _Draw, level: Level, ground: Map, spawn: Cell) -> Places:
    """Place the fire away from the crew, then water anywhere else, then civilians away from the fire."""
    area, gap = rules.fire_rule(level)

    def starts(at: Cell) -> bool:
        # the published program starts no fire in the first row or column
        return draw.apart(at, spawn, gap) and min(at) > 0 and bool(ground.burnable[at])

    fire = draw.until("fire", area, starts)
    water = draw.until("water", rules.WATER, lambda at: at != fire) if level.water else None
    clusters = tuple(
        draw.until("civilians", rules.CLUSTERS, lambda at: draw.apart(at, fire, rules.CLUSTER_FROM_FIRE))
        for _ in range(level.clusters)
    )
    return Places(spawn=spawn, fire=fire, water=water, clusters=clusters)
