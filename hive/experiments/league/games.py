"""The games of a league: every pair of plans in both seats with the same seeds, in batches of one compiled shape.

Rules: docs/rules/league.md 2.1, 2.2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Float

import dsl
from bt import capacity
from hive.engine.batch.capacities import Capacities, places_of
from hive.engine.batch.playing import sweep
from hive.engine.batch.result import Result
from hive.engine.types import ENEMY, PLAYER, Plan
from hive.experiments.league.seats import seated
from hive.worlds.battle.world import Battle

ROWS = 16  # most pairs of plans of one batch, a power of two


@dataclass(frozen=True)
class LeagueGame:
    """One game of a league.

    Attributes:
        player: Index of the plan in the player's seat.
        enemy: Index of the plan in the enemy's seat.
        seed: Of the game.
        ended: Its outcome for the player: `win`, `lose` or `timeout`.
        ticks: Its length.
        alive: Live units at the end by type, of the player and of the enemy.
    """

    player: int
    enemy: int
    seed: int
    ended: str
    ticks: int
    alive: tuple[tuple[int, ...], tuple[int, ...]]

    @property
    def lead(self) -> int:
        """Live units of the player less those of the enemy; both teams are of one size."""
        return sum(self.alive[PLAYER]) - sum(self.alive[ENEMY])

    @property
    def points(self) -> float:
        """Points of the player: 1 for more live units than the enemy has, 1/2 for as many, else 0."""
        return 0.5 + 0.5 * float(np.sign(self.lead))


@dataclass(frozen=True)
class Fixture:
    """The games of some plans: each plan against each other one, in either seat with every seed.

    Attributes:
        world: The battle, with equal seats.
        plans: The plans, written from the player's side.
        seeds: Seeds of every pair.
        written_for: Team sizes that the plans were written for; None: the scenario's.
        only: The pairs that play, as indices of the plans in the player's and in the enemy's seat; None: all.
    """

    world: Battle
    plans: Sequence[dsl.PlanSyntax]
    seeds: Sequence[int]
    written_for: tuple[int, int] | None = None
    only: Sequence[tuple[int, int]] | None = None

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        """Indices of the plans in the player's and in the enemy's seat."""
        return pairs_of(len(self.plans)) if self.only is None else list(self.only)

    @cached_property
    def batches(self) -> list[list[tuple[int, int]]]:
        """The pairs of each batch, `rows` of them but in the last."""
        return [self.pairs[first : first + self.rows] for first in range(0, len(self.pairs), self.rows)]

    @cached_property
    def rows(self) -> int:
        """Pairs of one batch."""
        return min(ROWS, capacity(len(self.pairs)))

    @property
    def games(self) -> int:
        """Number of games."""
        return len(self.pairs) * len(self.seeds)

    def expected(self, number: int) -> list[tuple[int, int, int]]:
        """Return the indices of both plans and the seed of each game of a batch, in their order."""
        return [(*pair, int(seed)) for pair in self.batches[number] for seed in self.seeds]

    @cached_property
    def seats(self) -> tuple[list[Plan], list[Plan]]:
        """Every plan compiled for the player's seat, and for the enemy's."""
        player, enemy = (
            [seated(plan, self.world, side, self.written_for) for plan in self.plans] for side in (PLAYER, ENEMY)
        )
        return player, enemy

    @cached_property
    def capacities(self) -> Capacities:
        """Capacities that every batch has, so that one set of programs serves them all."""
        player, enemy = self.seats
        both = [*player, *enemy]
        return Capacities(
            plans=self.rows,
            steps=max(plan.exists.shape[0] for plan in both),
            groups=max(plan.tree.shape[0] for plan in both),
            memberships=max(plan.member.shape[0] for plan in both),
            places=max(len(set().union(*side)) for batch in self.batches for side in self._places(batch)),
        )

    def play(self, number: int, progress: Callable[[int, Sequence[str]], None] | None = None) -> list[LeagueGame]:
        """Play one batch; a game depends on its plans and its seed alone, not on the batch.

        Args:
            number: Index of the batch.
            progress: As in `hive.sweep`.

        Returns:
            Its games, pair by pair.
        """
        player, enemy = self.seats
        batch = self.batches[number]
        found = sweep(
            self.world,
            [player[one] for one, _ in batch],
            self.seeds,
            enemies=[enemy[other] for _, other in batch],
            capacities=self.capacities,
            progress=progress,
        )
        return [
            game
            for (one, other), result in zip(batch, found.results, strict=True)
            for game in _games(one, other, result)
        ]

    def _places(self, batch: Sequence[tuple[int, int]]) -> list[list[set[tuple[int, int, bool]]]]:
        """Return the targets of each plan of a batch, of the player's seat and of the enemy's."""
        player, enemy = self.seats
        return [[places_of(player[one]) for one, _ in batch], [places_of(enemy[other]) for _, other in batch]]


def pairs_of(count: int) -> list[tuple[int, int]]:
    """Return every ordered pair of plans, the two seats of a pair next to each other."""
    return [pair for one in range(count) for other in range(one) for pair in ((one, other), (other, one))]


def points_of(games: Sequence[LeagueGame], count: int) -> Float[np.ndarray, "n n"]:
    """Return the points of each plan (row) against each other one (column), over both seats."""
    points = np.zeros((count, count))
    for game in games:
        points[game.player, game.enemy] += game.points
        points[game.enemy, game.player] += 1.0 - game.points
    return points


def tally(games: Sequence[LeagueGame], count: int) -> np.ndarray:
    """Return `[n, 3]` wins, draws and losses of each plan, over both seats."""
    found = np.zeros((count, 3), int)
    for game in games:
        at = {1.0: 0, 0.5: 1, 0.0: 2}[game.points]
        found[game.player, at] += 1
        found[game.enemy, 2 - at] += 1
    return found


def closest(games: Sequence[LeagueGame]) -> LeagueGame:
    """Return the game with the smallest lead among those that ended before the limit, if there are any.

    Of equally close games the first one counts.
    """
    finished = [game for game in games if game.ended != "timeout"]
    return min(finished or games, key=lambda game: abs(game.lead))


def _games(one: int, other: int, result: Result) -> list[LeagueGame]:
    left: Any = result.survivors.tolist()
    return [
        LeagueGame(one, other, int(seed), end, int(ticks), (tuple(alive[PLAYER]), tuple(alive[ENEMY])))
        for seed, end, ticks, alive in zip(result.seed, result.outcome, result.ticks, left, strict=True)
    ]
