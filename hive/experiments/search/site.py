"""What the moves of a search know of a scenario: teams, capacities, behaviours, and places on the map."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Int

import dsl
from hive.engine.batch.capacities import Capacities
from hive.engine.reading import read_tree
from hive.experiments.search.ways import Cell, cover_cost, find_way
from hive.ground.shapes import Ground, rasterise
from hive.worlds.battle.scenario import Scenario
from hive.worlds.battle.scenario.model import HOLD
from hive.worlds.battle.world import Battle

_SIGHT = 15  # metres at which enemies are taken to watch open ground
BANK = 16
"""Metres from the middle of a bridge to the farthest of its places on the banks."""

_AROUND = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy]


@dataclass(frozen=True, eq=False)
class SearchSite:
    """The facts that moves draw from.

    Attributes:
        context: What plans are checked against: the sizes that they are written for.
        sizes: Units of player and enemy in the games.
        capacities: What every plan has to fit.
        behaviours: The behaviours that a group is given.
        words: Whether plans are also changed by moves with words of the second edition.
        typed: Those of them that a group's target types change.
        eliminates: Whether the player wins by eliminating all enemies, not by reaching a place.
        free: `[X, Y]` where units can walk.
        forest: `[X, Y]` where no unit is seen.
        watched: `[X, Y]` where enemies see from their starting places.
        places: Cells `[K, 2]` by kind: `bridge`, `forest`, `edge` of a forest, `marker`, `objective`, `start`.
        bridges: For each bridge its middle, then cells on its banks: `[K, 2]`.
        starts: For each block of the player's ids, its end, which is not included, and the centre of its box.
        foe_starts: The same for the enemy.
    """

    context: dsl.PlanContext
    sizes: tuple[int, int]
    capacities: Capacities
    behaviours: tuple[str, ...]
    words: bool
    typed: frozenset[str]
    eliminates: bool
    free: Bool[np.ndarray, "X Y"]
    forest: Bool[np.ndarray, "X Y"]
    watched: Bool[np.ndarray, "X Y"]
    places: Mapping[str, Int[np.ndarray, "K 2"]]
    bridges: Sequence[Int[np.ndarray, "K 2"]]
    starts: Sequence[tuple[int, Cell]]
    foe_starts: Sequence[tuple[int, Cell]]

    @property
    def team(self) -> int:
        """Size of the team that plans are written for."""
        assert self.context.team_size is not None, "the context of a scenario has the sizes of its teams"
        return self.context.team_size

    @property
    def foes(self) -> int:
        """Size of the other team that plans are written for."""
        assert self.context.foe_size is not None, "the context of a scenario has the sizes of its teams"
        return self.context.foe_size

    @property
    def side(self) -> int:
        """Metres along each side of the map."""
        return self.free.shape[0]

    @property
    def objectives(self) -> list[Cell]:
        """The places that either side has to reach."""
        return [(int(x), int(y)) for x, y in self.places.get("objective", ())]

    @property
    def types(self) -> tuple[str, ...]:
        """Unit types of the enemy."""
        return tuple(dict.fromkeys(name for name, _ in self.context.foe_blocks))

    def near(self, rng: np.random.Generator, cell: Cell, spread: float) -> Cell:
        """Return a free cell near another, at a distance with this standard deviation along each axis."""
        for _ in range(20):
            found = self.clipped(rng.normal(cell, spread))
            if self.free[found]:
                return found
        return cell

    def place(self, rng: np.random.Generator) -> Cell:
        """Return a place that the map suggests: a kind is drawn first, then one of its cells."""
        kinds = list(self.places)
        cells = self.places[kinds[rng.integers(len(kinds))]]
        x, y = cells[rng.integers(len(cells))]
        return int(x), int(y)

    def clipped(self, place: Sequence[float] | np.ndarray) -> Cell:
        """Return the cell of a place (x, y), in metres, or the nearest one on the map."""
        x, y = (int(min(max(round(float(value)), 0), self.side - 1)) for value in place)
        return x, y

    def way(self, start: Cell, goal: Cell, open_cost: float, watched_cost: float) -> list[Cell]:
        """Return a way on foot that prefers cover; see `hive.experiments.search.ways.cover_cost`."""
        cost = cover_cost(self.free, self.forest, self.watched, open_cost, watched_cost)
        return find_way(cost, start, goal, max(1, self.side // 100))


def site_of(
    world: Battle,
    sizes: tuple[int, int],
    capacities: Capacities,
    written_for: tuple[int, int] | None = None,
    *,
    words: bool = False,
) -> SearchSite:
    """Return the site of a battle.

    Args:
        world: The battle at its own size, so that the bounds of its blocks of one type are exact.
        sizes: Units of player and enemy in the games of the search.
        capacities: Of the batches.
        written_for: Team sizes (player, enemy) that plans are written for; None: those of the scenario's file.
        words: Whether plans are also changed by moves with words of the second edition, and may hold.
    """
    scenario = world.scenario
    behaviours = tuple(dict.fromkeys((*scenario.player.behaviours, *((HOLD,) if words else ()))))
    context = world.context(0, written_for)
    free = (world.kind & (Ground.WATER | Ground.BUILDING)) == 0
    forest = (world.kind & Ground.FOREST) != 0
    bridges = _bridges(scenario, free)
    known = {
        "bridge": np.concatenate(bridges) if bridges else np.zeros((0, 2), int),
        "forest": np.argwhere(forest),
        "edge": np.argwhere(_beside(forest) & free),
        "marker": np.array([*scenario.markers.values()], int).reshape(-1, 2),
        "objective": _objectives(scenario),
        "start": np.array([_centre(scenario, side, at) for side, at in _groups(scenario)], int),
    }
    return SearchSite(
        context=context,
        sizes=sizes,
        capacities=capacities,
        behaviours=behaviours,
        words=words,
        typed=frozenset(name for name in context.behaviours if _is_typed(read_tree(name, scenario.trees))),
        eliminates=scenario.player.objective.at is None,
        free=free,
        forest=forest,
        watched=_watched(scenario),
        places={name: cells for name, cells in known.items() if len(cells)},
        bridges=bridges,
        starts=[(end, _centre(scenario, 0, at)) for at, (_, end) in enumerate(context.team_blocks)],
        foe_starts=[(end, _centre(scenario, 1, at)) for at, (_, end) in enumerate(context.foe_blocks)],
    )


def _is_typed(node: dsl.Node) -> bool:
    """Whether a tree has a leaf that reads the target types of a group (docs/rules/trees.md 3.3)."""
    if isinstance(node, dsl.Leaf):
        return node.types == ("any",)
    return any(_is_typed(child) for child in node.children)


def _groups(scenario: Scenario) -> list[tuple[int, int]]:
    return [(0, at) for at in range(len(scenario.player.units))] + [(1, at) for at in range(len(scenario.enemy.units))]


def _box(scenario: Scenario, side: int, at: int) -> tuple[slice, slice]:
    return (scenario.player, scenario.enemy)[side].units[at].cells(scenario.map.size)


def _centre(scenario: Scenario, side: int, at: int) -> Cell:
    xs, ys = _box(scenario, side, at)
    return (xs.start + xs.stop - 1) // 2, (ys.start + ys.stop - 1) // 2


def _objectives(scenario: Scenario) -> Int[np.ndarray, "K 2"]:
    """Return the places that either side has to reach."""
    found = [side.objective.at for side in (scenario.player, scenario.enemy) if side.objective.at is not None]
    most = scenario.map.size - 1
    return np.array([(min(round(x), most), min(round(y), most)) for x, y in found], int).reshape(-1, 2)


def _watched(scenario: Scenario) -> Bool[np.ndarray, "X Y"]:
    """Return where enemies see from their starting places, as if nothing stood between."""
    seen = np.zeros((scenario.map.size, scenario.map.size), bool)
    for at in range(len(scenario.enemy.units)):
        xs, ys = _box(scenario, 1, at)
        seen[max(xs.start - _SIGHT, 0) : xs.stop + _SIGHT, max(ys.start - _SIGHT, 0) : ys.stop + _SIGHT] = True
    return seen


def _beside(cells: Bool[np.ndarray, "X Y"]) -> Bool[np.ndarray, "X Y"]:
    """Return the cells just outside of some cells."""
    padded = np.pad(cells, 1)
    around = padded[2:, 1:-1] | padded[:-2, 1:-1] | padded[1:-1, 2:] | padded[1:-1, :-2]
    return np.asarray(around & ~cells)


def _bridges(scenario: Scenario, free: Bool[np.ndarray, "X Y"]) -> list[Int[np.ndarray, "K 2"]]:
    """Return, for each shape of normal ground over water, its middle and free cells on both banks."""
    shapes, side = scenario.map.shapes, scenario.map.size
    found = []
    for number, shape in enumerate(shapes):
        if shape.terrain != "normal":
            continue
        before, after = (rasterise(side, shapes[:end]) for end in (number, number + 1))
        dry = (before & Ground.WATER != 0) & (after & Ground.WATER == 0)
        if not dry.any():
            continue
        middle = np.round(np.argwhere(dry).mean(0)).astype(int)
        cells = [middle]
        for away in (6, 9, 12, BANK):
            for dx, dy in _AROUND:
                x, y = np.round(middle + away * np.array([dx, dy]) / np.hypot(dx, dy)).astype(int)
                if 0 <= x < side and 0 <= y < side and free[x, y] and not dry[x, y]:
                    cells.append(np.array([x, y]))
        found.append(np.array(cells))
    return found
