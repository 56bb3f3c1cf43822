"""A scenario as read and checked: frozen dataclasses on the host. `reader` builds them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate

import numpy as np
from jaxtyping import UInt8

import dsl
from hive.engine.plan.rescale import scale_bound
from hive.ground.shapes import Shape, rasterise


@dataclass(frozen=True)
class UnitType:
    """Attributes of one unit type. Distances are centre to centre; `<=` counts as inside.

    Rules: docs/rules/battles.md 2.1.
    """

    name: str
    speed: float  # metres a step
    max_health: float
    damage: float  # a hit, a multiple of 1/256
    reach: float  # metres
    sight: float  # metres
    cooldown: int  # steps between two attacks, excluding both
    radius: float  # metres, for pushing


@dataclass(frozen=True)
class UnitGroup:
    """`count` units of one type that start in one box; ids of a side follow the order of its groups."""

    type: str
    count: int
    box: tuple[float, float, float, float]  # x, y, width, height in fractions of the map

    def cells(self, size: int) -> tuple[slice, slice]:
        """Return the cells of the start box on a map of side `size`, as slices of an `[x, y]` raster.

        Rules: docs/rules/battles.md 2.4.

        Both ends count, so a box of width 0.1 on a map of 150 is 16 cells wide, clipped to the map.
        """
        x, y, width, height = self.box
        return _cells(x, width, size), _cells(y, height, size)


@dataclass(frozen=True)
class ScenarioObjective:
    """What a side must reach: `elimination` of the other side, or one unit at a `position`.

    Rules: docs/rules/battles.md 4.3.
    """

    kind: str  # "elimination" or "position"
    at: tuple[float, float] | None = None  # metres; set when, and only when, the kind is "position"


@dataclass(frozen=True)
class Side:
    """One team: its default plan, the trees it may use, its units and its objective."""

    plan: str | None  # a shipped plan's name or an absolute path; None: no default, units stand until a plan is given
    behaviours: tuple[str, ...]  # names of trees in `scenarios/trees` or in `Scenario.trees`
    units: tuple[UnitGroup, ...]
    objective: ScenarioObjective

    @property
    def count(self) -> int:
        """Units of the side."""
        return sum(group.count for group in self.units)

    def blocks(self, size: int) -> tuple[tuple[str, int], ...]:
        """Return type and excluded end of the ids of each group, for a plan that is written for a side of `size`."""
        ends = accumulate(group.count for group in self.units)
        return tuple(
            (group.type, scale_bound(end, self.count, size)) for group, end in zip(self.units, ends, strict=True)
        )


@dataclass(frozen=True)
class ScenarioRules:
    """Settings of the engine that a scenario may choose. Changing one never recompiles."""

    movement_randomness: float  # steps of noise on the distance map (docs/rules/trees.md 5.3)
    jitter: float  # metres, standard deviation per axis and step, live units only (docs/rules/battles.md 3.5)
    firmness: float  # strength of the push (docs/rules/battles.md 3.7)
    goal_radius: float  # metres round a global position objective (docs/rules/battles.md 4.3)
    limit: int  # steps until timeout


@dataclass(frozen=True)
class ScenarioBlaze:
    """Fire in the forest, by the automaton of `hive.ground.fire` on level ground."""

    start: tuple[tuple[int, int], ...]  # cells that are lit at tick 0
    wind: tuple[float, float]  # direction that it blows to; its strength has no effect
    period: int  # ticks between two updates
    harm: float  # health that a unit loses a tick in a burning cell
    chance: float | None  # per unit of ratio; None: the thresholds of docs/rules/wildfire.md 2.3 decide


@dataclass(frozen=True)
class ScenarioMap:
    """A square map of `size` metres and cells; later shapes are drawn over earlier ones."""

    size: int
    shapes: tuple[Shape, ...]

    @cached_property
    def kind(self) -> UInt8[np.ndarray, "X Y"]:
        """The kind of every cell, indexed [x, y]; drawn once and cached, so do not write to it."""
        kind = rasterise(self.size, self.shapes)
        kind.setflags(write=False)
        return kind


@dataclass(frozen=True)
class Scenario:
    """Everything that a game needs except the player's plan and the seed."""

    name: str
    version: int  # rises when the results of the scenario would change
    title: str
    summary: str  # one line
    briefing: str  # text for the commander
    map: ScenarioMap
    rules: ScenarioRules
    types: tuple[UnitType, ...]  # six, in the order of `dsl.vocabulary.UNIT_TYPES`
    player: Side
    enemy: Side
    written_for: tuple[int, int]  # team sizes (player, enemy) that the scenario's plans were written for
    fire: ScenarioBlaze | None = None  # None: nothing burns
    trees: Mapping[str, str] = field(default_factory=dict, hash=False)  # texts of trees that are not shipped, by name
    markers: Mapping[str, tuple[int, int]] = field(default_factory=dict, hash=False)  # A to Z, in that order; metres

    def context(self, side: int, sizes: tuple[int, int] | None = None) -> dsl.PlanContext:
        """Return the context in which a plan of a side is checked.

        Args:
            side: 0 for the player, 1 for the enemy.
            sizes: Units of player and enemy that the plan was written for; None: those of the scenario's file.
        """
        own, foe = (self.player, self.enemy)[side], (self.player, self.enemy)[1 - side]
        written = sizes or self.written_for
        team, foes = written[side], written[1 - side]
        return dsl.PlanContext(
            behaviours=own.behaviours,
            team_size=team,
            foe_size=foes,
            map_size=self.map.size,
            team_blocks=own.blocks(team),
            foe_blocks=foe.blocks(foes),
            markers=tuple(self.markers.items()),
        )


def _cells(start: float, length: float, size: int) -> slice:
    near = 1e-9  # 0.07 of 100 is 7 cells, though the product of the floats is a little more
    first = min(math.floor(start * size + near), size - 1)
    last = min(first + math.ceil(length * size - near), size - 1)
    return slice(first, last + 1)
