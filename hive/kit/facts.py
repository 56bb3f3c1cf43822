"""What a commander by rules knows of a game: its armies, its ground and its mission, as numbers and names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Bool, Float, Int, UInt8

import dsl

Cell = tuple[int, int]
Ids = Int[np.ndarray, " n"]


@dataclass(frozen=True)
class Army:
    """The units of one side, in the order of their ids.

    Attributes:
        types: Name of the type of each of the N units.
        position: `[N, 2]` metres.
        health: `[N]` share of full health; 0 is dead.
    """

    types: tuple[str, ...]
    position: Float[np.ndarray, "N 2"]
    health: Float[np.ndarray, " N"]

    @property
    def alive(self) -> Bool[np.ndarray, " N"]:
        """Whether each unit lives, `[N]`."""
        return self.health > 0


@dataclass(frozen=True)
class Feature:
    """A named part of the map.

    Attributes:
        name: Such as `North Bridge`.
        kind: `bridge`, `forest`, `water`, `building` or `normal`.
        cells: `[X, Y]` whether a cell belongs to it and has its ground.
        place: The cell nearest its middle that a unit can enter.
    """

    name: str
    kind: str
    cells: Bool[np.ndarray, "X Y"] = field(repr=False)
    place: Cell


@dataclass(frozen=True)
class UnitFacts:
    """What counts of a unit type: metres, and metres a tick."""

    reach: float
    speed: float


@dataclass(frozen=True)
class Running:
    """The plan that is followed now.

    Attributes:
        plan: The plan.
        achieved: Numbers of its steps that are achieved.
    """

    plan: dsl.PlanSyntax
    achieved: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Facts:
    """What is known of a game at one tick.

    Attributes:
        context: What plans are checked against, for the present sizes.
        ground: `[X, Y]` the kind of every cell, bits of `hive.ground.shapes.Ground`.
        features: Every name of the map once.
        own: The units that plans command.
        foe: The units of the other side; none in worlds without one.
        goal: The place that one unit must reach to win, if that is the mission.
        guarded: The place that the other side must not reach, if there is one.
        types: What counts of each type present.
        beats: Pairs of types present, of which the first beats the second.
        sight: Metres that units see.
    """

    context: dsl.PlanContext
    ground: UInt8[np.ndarray, "X Y"] = field(repr=False)
    features: tuple[Feature, ...]
    own: Army
    foe: Army
    goal: Cell | None
    guarded: Cell | None
    types: Mapping[str, UnitFacts]
    beats: tuple[tuple[str, str], ...]
    sight: float
