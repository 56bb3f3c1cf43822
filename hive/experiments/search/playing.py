"""Plans are evaluated by playing them: one batch of fixed capacities for each generation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from dsl import PlanSyntax
from hive.engine.batch.capacities import Capacities
from hive.engine.batch.mixed import Shape
from hive.engine.batch.playing import sweep
from hive.engine.batch.result import Result
from hive.engine.batch.value import values
from hive.engine.plan.arrays import with_extras
from hive.engine.reading import compile_checked
from hive.engine.types import PLAYER
from hive.engine.world import EngineWorld

LEAST = Shape(steps=16, groups=32, memberships=16, places=16)
"""Least capacities of one plan of a search."""

_GROWTH = 2  # room for a plan of the search, relative to the first plan


@dataclass(frozen=True)
class Arena:
    """Plays plans against the scenario's enemy; an `Evaluate` of `hive.experiments.search.evolve`.

    Attributes:
        world: What to play on.
        capacities: Of a batch, so that all generations run one program.
        games: Games of a batch: with more seeds for fewer plans, a batch stays as large.
        written_for: Team sizes that plans are written for; None: those that the world names.
        extras: Fields of `hive.engine.plan.arrays.EXTRAS` that all plans get, so that a generation in which a plan
            uses one runs the program of the others.
        progress: Called with the tick that the batch has reached.
    """

    world: EngineWorld
    capacities: Capacities
    games: int
    written_for: tuple[int, int] | None = None
    extras: tuple[str, ...] = ()
    progress: Callable[[int], None] | None = None

    def __call__(self, plans: Sequence[PlanSyntax], seeds: Sequence[int]) -> Float[np.ndarray, "P S"]:
        """Return the value of each plan's game with each seed; a win adds the share of own units alive."""
        compiled = [compile_checked(plan, self.world, PLAYER, self.written_for) for plan in plans]
        compiled[0] = with_extras(compiled[0], self.extras)
        progress = self.progress
        tell = (lambda tick, _: progress(tick)) if progress else None
        capacities = replace(self.capacities, plans=min(self.capacities.plans, max(1, self.games // len(seeds))))
        found = sweep(self.world, compiled, seeds, capacities=capacities, progress=tell)
        return np.stack([worths(self.world, result) for result in found.results])


def worths(world: EngineWorld, result: Result) -> Float[np.ndarray, " S"]:
    """Return the values of games of one plan for a search: of a win, 1 and the share of own units alive."""
    value = values(world, result).astype(float)
    return np.where(value < 1, value, 1.0 + result.survivors[:, PLAYER].sum(1) / world.sizes[PLAYER])


def capacities_for(plan: PlanSyntax, plans: int) -> Capacities:
    """Return capacities for a search that begins with a plan, twice as large as the plan, or more.

    Args:
        plan: The first plan.
        plans: Plans of a generation.
    """
    groups = [group for step in plan.steps for group in step.groups]
    return Capacities(
        plans=plans,
        steps=max(LEAST.steps, _GROWTH * len(plan.steps)),
        groups=max(LEAST.groups, _GROWTH * len(groups)),
        memberships=max(LEAST.memberships, _GROWTH * len(plan.steps)),
        places=plans * max(LEAST.places, _GROWTH * len({group.target for group in groups})),
    )
