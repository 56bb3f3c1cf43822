"""A scenario as read and checked: frozen dataclasses, and those tables of its file that need no other form."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate

import numpy as np
from jaxtyping import UInt8

import dsl
from dsl.vocabulary import Feature
from hive.engine.plan.rescale import scale_bound
from hive.ground.features import features_of
from hive.ground.shapes import Shape, rasterise
from hive.worlds.battle.scenario.schema import ScenarioBlaze, ScenarioRules, UnitGroup, UnitType

HOLD = "hold"
"""The tree that plans of both sides may use in every scenario; prompts and learners know those that its file lists."""


@dataclass(frozen=True)
class ScenarioObjective:
    """What a side must reach: `elimination` of the other side, a `position`, or to `survive` until a tick.

    Rules: docs/rules/battles.md 4.3.
    """

    kind: str  # "elimination", "position" or "survive"
    places: tuple[tuple[float, float], ...] = ()  # metres, any one of them; given when, and only when, it is "position"
    until: int | None = None  # tick; given when, and only when, the kind is "survive"
    share: float | None = None  # of the units of the start that count; None: one unit is enough
    type: str | None = None  # of the units that count; None: all types

    @property
    def at(self) -> tuple[float, float] | None:
        """The first place; None where the objective names none."""
        return self.places[0] if self.places else None


@dataclass(frozen=True)
class Side:
    """One team: its default plan, the trees it may use, its units and its objective."""

    plan: str | None  # a shipped plan's name, an absolute path or a text; None: units stand until a plan is given
    behaviours: tuple[str, ...]  # names of trees in `scenarios/trees` or in `Scenario.trees`
    units: tuple[UnitGroup, ...]
    objective: ScenarioObjective

    @property
    def count(self) -> int:
        """Units of the side."""
        return sum(group.count for group in self.units)

    @property
    def counted(self) -> int:
        """Units of the side that its objective counts."""
        return sum(group.count for group in self.units if self.objective.type in (None, group.type))

    @property
    def needed(self) -> int:
        """Units that its objective needs, of those that it counts (docs/rules/battles.md 4.3)."""
        share = self.objective.share
        near = 1e-9  # 0.07 of 100 is 7 units, though the product of the floats is a little more
        return 1 if share is None else max(1, math.ceil(share * self.counted - near))

    def blocks(self, size: int) -> tuple[tuple[str, int], ...]:
        """Return type and excluded end of the ids of each group, for a plan that is written for a side of `size`."""
        ends = accumulate(group.count for group in self.units)
        return tuple(
            (group.type, scale_bound(end, self.count, size)) for group, end in zip(self.units, ends, strict=True)
        )


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

    @cached_property
    def features(self) -> tuple[Feature, ...]:
        """Its named features, which plans may name."""
        return features_of(self.kind, self.shapes)


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
            behaviours=tuple(dict.fromkeys((*own.behaviours, HOLD))),
            team_size=team,
            foe_size=foes,
            map_size=self.map.size,
            team_blocks=own.blocks(team),
            foe_blocks=foe.blocks(foes),
            markers=tuple(self.markers.items()),
            features=self.map.features,
        )
