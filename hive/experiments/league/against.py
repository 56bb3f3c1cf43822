"""How well plans do against given opponents, as the evaluation of a search.

Rules: docs/rules/league.md 2.3.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from jaxtyping import Float

import dsl
from bt import capacity
from hive.engine.batch.capacities import Capacities, places_of
from hive.engine.batch.playing import sweep
from hive.engine.batch.result import Result
from hive.engine.swapping import sizes_of
from hive.engine.types import ENEMY, PLAYER, Plan
from hive.experiments.league.seats import seated
from hive.worlds.battle.world import Battle

ROWS = 128  # pairs of plans of one batch


@dataclass(frozen=True)
class Against:
    """Plays plans against each opponent in both seats.

    Attributes:
        world: The battle, with equal seats.
        opponents: Their plans, written from the player's side.
        most: Capacities of one of the plans that are tried.
        written_for: Team sizes that all plans were written for; None: the scenario's.
        progress: Called with the number of games of this call that have ended.
    """

    world: Battle
    opponents: Sequence[dsl.PlanSyntax]
    most: Capacities
    written_for: tuple[int, int] | None = None
    progress: Callable[[int], None] | None = None

    @property
    def games(self) -> int:
        """Games of one plan with one seed."""
        return 2 * len(self.opponents)

    def __call__(self, plans: Sequence[dsl.PlanSyntax], seeds: Sequence[int]) -> Float[np.ndarray, "P S"]:
        """Return the mean result of each plan with each seed, from 0 to 1.

        The result of a game is the mean of its points and of (1 + lead) / 2, where the lead is the share of the own
        units alive less the share of the opponent's.
        """
        mine, theirs = ([self._seat(plan, side) for plan in plans] for side in (PLAYER, ENEMY))
        south, north = self._seats
        players = [each for plan in mine for each in (*[plan] * len(north), *south)]
        enemies = [each for plan in theirs for each in (*north, *[plan] * len(south))]
        progress = self.progress
        tell = (lambda _, ends: progress(len(ends) - list(ends).count("running"))) if progress else None
        found = sweep(self.world, players, seeds, enemies=enemies, capacities=self._capacities, progress=tell)
        results = np.array([self._results(result) for result in found.results])  # [P * 2 * O, S]
        results = results.reshape(len(plans), 2, len(north), len(seeds))
        results[:, 1] = 1.0 - results[:, 1]
        return np.asarray(results.mean((1, 2)))

    def _results(self, result: Result) -> Float[np.ndarray, " S"]:
        alive = result.survivors.sum(2) / np.array(self.world.sizes)
        lead = alive[:, PLAYER] - alive[:, ENEMY]
        return np.asarray((0.5 + 0.5 * np.sign(lead) + 0.5 + 0.5 * lead) / 2)

    def _seat(self, plan: dsl.PlanSyntax, side: int) -> Plan:
        return seated(plan, self.world, side, self.written_for)

    @cached_property
    def _seats(self) -> tuple[list[Plan], list[Plan]]:
        south, north = ([self._seat(plan, side) for plan in self.opponents] for side in (PLAYER, ENEMY))
        return south, north

    @cached_property
    def _capacities(self) -> Capacities:
        """Capacities for the opponents and for plans of the given capacities with one step more."""
        known = [sizes_of(plan) for side in self._seats for plan in side]
        least = {name: max(each[name] for each in known) for name in known[0]}
        held = 2 + ROWS // self.games  # plans that are tried in one batch
        places = max(len(set().union(*map(places_of, side))) for side in self._seats)
        return replace(
            self.most,
            plans=ROWS,
            steps=max(least["steps"], capacity(self.most.steps + 1)),
            groups=max(least["groups"], self.most.groups),
            memberships=max(least["memberships"], self.most.memberships),
            places=held * self.most.places + places,
        )
