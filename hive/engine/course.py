"""What commands the units of a game: the steps and groups of both sides' plans, and how far each step has come."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

import dsl
from hive.engine.types import ENEMY, PLAYER, Plan
from hive.engine.world import EngineWorld

_MOST_HIDDEN = 1 << 14  # groups of plans of the enemy that are not shown


class StepState(IntEnum):
    """How far a step of a plan has come."""

    WAITING = 0
    ACTIVE = 1
    ACHIEVED = 2


@dataclass(frozen=True)
class CourseStep:
    """One step of a side's plan.

    Attributes:
        side: 0 player, 1 enemy.
        number: As written in the plan.
        after: Numbers of the steps that it waits for.
        objective: As written in the plan, such as `position` or `elimination all`.
        achieved: Tick at which it was achieved, or -1.
        plan: Index of its plan among those that its side followed one after another, from 0.
    """

    side: int
    number: int
    after: tuple[int, ...]
    objective: str
    achieved: int
    plan: int = 0


@dataclass(frozen=True)
class CourseGroup:
    """One group of a step.

    Attributes:
        step: Index into the steps of the course.
        units: Ids in its own team, as written in the plan.
        target: Cell that it goes to.
        behaviour: Name of its tree, with the target types and the leash if the plan names any.
    """

    step: int
    units: str
    target: tuple[int, int]
    behaviour: str


@dataclass(frozen=True, eq=False)
class PlanTable:
    """What commands the units in a game under one plan, without the padding of the plans.

    Attributes:
        steps: Steps of both sides, the player's first; none is achieved.
        groups: Their groups.
        rows: Row of each step in the progress of a game, which has both sides' steps with their padding.
        numbers: Index into `groups` of each group of that progress; the last serves -1, no group.
    """

    steps: tuple[CourseStep, ...]
    groups: tuple[CourseGroup, ...]
    rows: NDArray[np.intp]
    numbers: NDArray[np.int32]

    @classmethod
    def of(
        cls,
        world: EngineWorld,
        plan: Plan,
        sizes: tuple[int, int],
        enemy: Plan | None = None,
        hidden: bool = False,
    ) -> PlanTable:
        """Describe the player's plan and the enemy's.

        Args:
            world: The world.
            plan: The player's plan, with its source.
            sizes: Steps and groups that frames hold for the player.
            enemy: The enemy's plan; None: the scenario's.
            hidden: Whether the enemy's plan is left out, whichever it is.
        """
        steps: list[CourseStep] = []
        groups: list[CourseGroup] = []
        rows: list[int] = []
        enemy = enemy or world.params.enemy
        numbers = np.full(sizes[1] + (_MOST_HIDDEN if hidden else enemy.tree.shape[0]) + 1, -1, np.int32)
        parts = ((PLAYER, plan, 0, 0), (ENEMY, enemy, *sizes))
        for side, part, first_step, number in parts[:1] if hidden else parts:
            assert part.source is not None, "a plan that was read has its source"
            for at, step in enumerate(part.source.steps, first_step):
                for group in step.groups:
                    numbers[number], number = len(groups), number + 1
                    words = dsl.format_behaviour(replace(group, types=group.types or ("any",)))
                    groups.append(CourseGroup(len(steps), dsl.format_chosen(group), group.target, words))
                steps.append(CourseStep(side, step.id, step.prerequisites, dsl.format_objective(step.objective), -1))
                rows.append(at)
        return cls(tuple(steps), tuple(groups), np.array(rows, np.intp), numbers)

    def words(self) -> dict[str, Any]:
        """Return steps and groups in plain values, as a page takes them."""
        return {"steps": [asdict(step) for step in self.steps], "groups": [asdict(group) for group in self.groups]}


def step_states(achieved: NDArray[Any], active: NDArray[Any]) -> NDArray[np.integer]:
    """Return the `StepState` of each step, `[..., P]` as both arguments.

    Args:
        achieved: `[..., P]` tick when the step was achieved; -1: not yet.
        active: `[..., P]` whether the step is active.
    """
    return np.where(achieved >= 0, StepState.ACHIEVED, np.where(active, StepState.ACTIVE, StepState.WAITING))
