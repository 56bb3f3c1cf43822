"""docs/rules/plans.md 3 as plain Python over the syntax of a plan: what `hive.engine.plan.progress` must agree with."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

import dsl

RADIUS = {  # docs/rules/battles.md 2.1, exact
    "spearmen": Fraction(6, 10),
    "archer": Fraction(3, 10),
    "cavalry": Fraction(45, 100),
    "balista": Fraction(6, 10),
    "dragon": Fraction(6, 10),
    "civilian": Fraction(3, 10),
}


@dataclass
class Interpreter:
    """One side's plan in a game. Ids are the side's own; `foes` of a look are the other side's."""

    plan: dsl.PlanSyntax
    size: int
    foe_size: int
    achieved: dict[int, int] = field(default_factory=dict)  # step number to the tick
    active: list[int] = field(default_factory=list)
    order: dict[int, tuple[int, int]] = field(default_factory=dict)  # unit to (place of its step, of its group there)

    def look(self, tick: int, at: np.ndarray, types: list[str], alive: np.ndarray, foes_alive: np.ndarray) -> None:
        """One pass over the steps in text order, then the assignments."""
        self.active = []
        for step in self.plan.steps:
            if step.id in self.achieved or not all(other in self.achieved for other in step.prerequisites):
                continue
            if self.met(step, at, types, alive, foes_alive):
                self.achieved[step.id] = tick
            else:
                self.active.append(step.id)
        for place, step in enumerate(self.plan.steps):
            if step.id in self.active:
                for unit, group in self.members(step).items():
                    self.order[unit] = (place, group)

    def members(self, step: dsl.Step) -> dict[int, int]:
        """Unit to the place of its group in the step; of several the later one."""
        return {unit: number for number, group in enumerate(step.groups) for unit in group.units.ids(self.size)}

    def met(self, step: dsl.Step, at: np.ndarray, types: list[str], alive: np.ndarray, foes_alive: np.ndarray) -> bool:
        if isinstance(step.objective, dsl.Elimination):
            return not any(foes_alive[foe] for foe in step.objective.units.ids(self.foe_size))
        sent: dict[tuple[int, int], list[int]] = {}
        for unit, number in self.members(step).items():
            if alive[unit]:
                sent.setdefault(step.groups[number].target, []).append(unit)
        return all(
            math.dist(at[unit], target) <= radius([types[u] for u in units])
            for target, units in sent.items()
            for unit in units
        )


def radius(types: list[str]) -> int:
    """1 + ceil(sqrt(sum of r^2)), exactly."""
    area = sum(RADIUS[name] ** 2 for name in types)
    root = math.isqrt(math.floor(area))
    return 1 + (root if root * root == area else root + 1)
