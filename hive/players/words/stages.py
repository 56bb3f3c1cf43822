"""Stages of a plan before it is written: squads with places and behaviours, and what they wait for."""

from __future__ import annotations

from dataclasses import dataclass, field

import dsl
from hive.kit.facts import Cell, Ids
from hive.players.words.scene import GAP

SPACING = 15  # metres between the squads of a line: about what units see
MOST_SQUADS = 16  # that units are spread, or stand, in


@dataclass(eq=False)
class Squad:
    """Units of a stage with a place and a behaviour."""

    ids: Ids
    cell: Cell
    behaviour: str
    types: tuple[str, ...] = ()
    leash: int | None = None
    cover: bool = False
    front: Squad | None = None  # whom they stay behind
    gap: int = GAP


@dataclass(eq=False)
class Stage:
    """A step of the plan before it is written: what it waits for are numbers of earlier stages."""

    squads: list[Squad]
    after: set[int] = field(default_factory=set)
    objective: dsl.Objective = field(default_factory=dsl.Position)
    ends: bool = False  # whether its objective was said, or is that of an attack
    general: bool = False  # whether it was said of everyone

    def units(self) -> set[int]:
        """All units of the stage."""
        return {unit for squad in self.squads for unit in squad.ids.tolist()}
