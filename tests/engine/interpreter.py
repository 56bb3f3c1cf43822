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
    since: dict[int, int] = field(default_factory=dict)  # step number to the tick at which it became active
    chosen: dict[int, list[set[int]]] = field(default_factory=dict)  # step number to the units of each of its groups

    def look(
        self,
        tick: int,
        at: np.ndarray,
        types: list[str],
        alive: np.ndarray,
        foes_alive: np.ndarray,
        sees: np.ndarray | None = None,
    ) -> None:
        """One pass over the steps in text order, then the assignments; `sees` says which units see a foe."""
        self.active, before = [], set(self.since)
        for step in self.plan.steps:
            if step.id in self.achieved or not all(other in self.achieved for other in step.prerequisites):
                continue
            if step.id not in before:
                self.chosen[step.id] = [self.choose(step, number, at, alive) for number in range(len(step.groups))]
            if self.met(step, tick, at, types, alive, foes_alive, sees):
                self.achieved[step.id] = tick
            else:
                self.active.append(step.id)
                self.since.setdefault(step.id, tick)
        for place, step in enumerate(self.plan.steps):
            if step.id in self.active:
                for unit, group in self.members(step).items():
                    self.order[unit] = (place, group)

    def choose(self, step: dsl.Step, number: int, at: np.ndarray, alive: np.ndarray) -> set[int]:
        """The units of a group that obey it when its step becomes active, if no other group of the step has them."""
        group = step.groups[number]
        units = set(group.units.ids(self.size))
        live = [unit for unit in units if alive[unit]]
        match group.choice:
            case dsl.Nearest(count, place):
                away = np.square(at - np.float32(place), dtype=np.float32).sum(1)
                return set(sorted(live, key=lambda unit: (away[unit], unit))[:count])
            case dsl.Inside(one, other):
                low, high = np.minimum(one, other), np.maximum(one, other)
                return {
                    unit for unit in live if (low <= np.floor(at[unit])).all() and (np.floor(at[unit]) <= high).all()
                }
        return units

    def members(self, step: dsl.Step) -> dict[int, int]:
        """Unit to the place of its group in the step: of several choices the last, else of several groups the last."""
        chosen = sorted(enumerate(self.chosen[step.id]), key=lambda item: step.groups[item[0]].choice is not None)
        return {unit: number for number, units in chosen for unit in units}

    def met(
        self,
        step: dsl.Step,
        tick: int,
        at: np.ndarray,
        types: list[str],
        alive: np.ndarray,
        foes_alive: np.ndarray,
        sees: np.ndarray | None,
    ) -> bool:
        objective, members = step.objective, self.members(step)
        live = [unit for unit in members if alive[unit]]
        match objective:
            case dsl.Elimination(units):
                return not any(foes_alive[foe] for foe in units.ids(self.foe_size))
            case dsl.Time(ticks):
                return step.id in self.since and tick >= self.since[step.id] + ticks
            case dsl.Losses(percent):
                return 100 * (len(members) - len(live)) >= percent * len(members)
            case dsl.EnemyLosses(percent):
                return 100 * int((~foes_alive).sum()) >= percent * len(foes_alive)
            case dsl.Sighted():
                assert sees is not None
                return any(sees[unit] for unit in live)
        sent: dict[tuple[int, int], list[int]] = {}
        for unit in live:
            sent.setdefault(step.groups[members[unit]].target, []).append(unit)
        room = {target: radius([types[u] for u in units]) for target, units in sent.items()}
        near = [
            sum(self.near(step, members, number, unit, at, alive, room) for unit in live if members[unit] == number)
            for number in range(len(step.groups))
        ]
        there = sum(near)
        if isinstance(objective, dsl.Arrival):
            return not live or (there > 0 and 100 * there >= objective.percent * len(live))
        return there == len(live)

    def near(
        self,
        step: dsl.Step,
        members: dict[int, int],
        number: int,
        unit: int,
        at: np.ndarray,
        alive: np.ndarray,
        room: dict[tuple[int, int], int],
    ) -> bool:
        """Whether a unit has come: near its target, or on open ground at its gap behind a group half of which has."""
        group = step.groups[number]
        if math.dist(at[unit], group.target) <= room[group.target]:
            return True
        ahead = [u for u in members if group.behind and alive[u] and members[u] == group.behind.group]
        if not group.behind or not ahead:
            return False
        steps = [int(np.abs(np.floor(at[u]) - group.target).sum()) for u in (unit, *ahead)]
        if steps[0] > sum(steps[1:]) // len(ahead) + group.behind.gap + room[group.target]:
            return False
        come = sum(self.near(step, members, group.behind.group, u, at, alive, room) for u in ahead)
        return 2 * come >= len(ahead)


def radius(types: list[str]) -> int:
    """1 + ceil(sqrt(sum of r^2)), exactly."""
    area = sum(RADIUS[name] ** 2 for name in types)
    root = math.isqrt(math.floor(area))
    return 1 + (root if root * root == area else root + 1)
