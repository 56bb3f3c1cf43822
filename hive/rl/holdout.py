"""Held-out games during training, by which the best checkpoint of each policy is kept (docs/rules/learning.md 13.1).

The games are played on the host's side of a run, between chunks, with the parameters alone: training draws the same
numbers with them and without.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jaxtyping import Float, Int

from hive.kit.environment.env import Env
from hive.rl.evaluation import play_policy, seeds_of
from hive.rl.policies import drawn_or_greedy
from hive.rl.training import Lane, MetricsRow, Trainer

FIRST = 3_000_000  # seed of the first game; `hive evaluate` and `hive baselines` play others
TESTS = 10  # of a run, unless the updates between them are given
WAYS = ("drawn", "greedy")
_RANK = ("won", "score")  # the better policy wins more, and then has the higher score

Tree = Any


class Best(struct.PyTreeNode, kw_only=True):
    """The best parameters of each policy of a run so far.

    Attributes:
        params: Leaves `[lanes, ...]`.
        update: Updates behind the parameters of each policy; 0: none was tested.
        won: Share of held-out games that each won, 0 to 1, mean of drawn and greedy.
        score: Their mean score, 0 to 1.
    """

    params: Tree
    update: Int[np.ndarray, " lanes"]
    won: Float[np.ndarray, " lanes"]
    score: Float[np.ndarray, " lanes"]


@dataclass(frozen=True)
class Holdout:
    """The held-out games of a run.

    Attributes:
        trainer: The run.
        env: Its environment; of a task with maps, with maps that training does not use.
        games: Of each policy in each test with drawn actions, and as many with the most probable ones.
        every: Updates between two tests.
    """

    trainer: Trainer
    env: Env
    games: int
    every: int

    def due(self, before: int, done: int) -> bool:
        """Return whether a test follows the chunk between two numbers of updates: the last one, or one that is due."""
        return done // self.every > before // self.every or done == self.trainer.config.num_updates

    def test(self, updates: Sequence[int], params: Tree) -> list[MetricsRow]:
        """Play the games of all policies.

        Args:
            updates: Behind the parameters of each policy.
            params: Leaves `[lanes, ...]`.

        Returns:
            A row in plain values for each policy.
        """
        rows, params = [], jax.device_get(params)
        for number, (lane, done) in enumerate(zip(self.trainer.lanes, updates, strict=True)):
            own, found = jax.tree.map(itemgetter(number), params), {}
            for way in WAYS:
                policy = self._policy.replace(params=(own, jnp.array(way == "greedy")))
                played = play_policy(self.env, policy, self._seeds, lane.label)
                found[f"{way}_won"], found[f"{way}_score"] = float(played.won.mean()), float(played.score.mean())
            steps = done * self.trainer.config.batch_size
            rows.append(
                {"update": done, "steps": steps, "seed": lane.seed, "settings": dict(lane.changes)}
                | {"games": len(self._seeds), **found}
            )
        return rows

    @cached_property
    def _policy(self) -> Any:
        return drawn_or_greedy(self.trainer.network)

    @cached_property
    def _seeds(self) -> list[int]:
        return seeds_of(self.env, FIRST, self.games)


def no_best(trainer: Trainer) -> Best:
    """Return the best parameters of a run before any test: of that form, and worse than all."""
    none = np.full(len(trainer.lanes), -1.0, np.float32)
    nothing = jax.tree.map(lambda leaf: np.zeros(leaf.shape, leaf.dtype), trainer.form().params)
    return Best(params=nothing, update=np.zeros(len(none), np.int32), won=none, score=none)


def survivors(lanes: Sequence[Lane], tests: Sequence[MetricsRow], updates: int) -> list[int]:
    """Return the numbers of the lanes that go on after some tests: successive halving (docs/rules/learning.md 13.2).

    Args:
        lanes: Of the run.
        tests: Rows of `Holdout.test` so far, in their order; lanes that were stopped have none.
        updates: Of the whole run.
    """
    going: list[Mapping[str, float]] = []
    for lane in lanes:
        going += [] if lane.changes in going else [lane.changes]
    for done, group in groupby(tests, itemgetter("update")):
        most, rows = 1, [*group]
        while done * 2 * most < updates:
            most *= 2
        ranks = [_rank([row for row in rows if row["settings"] == changes]) for changes in going]
        best = sorted(range(len(going)), key=ranks.__getitem__, reverse=True)[:most]
        going = [going[number] for number in sorted(best)]
    return [number for number, lane in enumerate(lanes) if lane.changes in going]


def _rank(rows: Sequence[MetricsRow]) -> tuple[float, ...]:
    return tuple(float(np.mean([row[f"{way}_{what}"] for row in rows for way in WAYS])) for what in _RANK)


def better(best: Best, rows: Sequence[MetricsRow], params: Tree) -> tuple[Best, bool]:
    """Return the best parameters after a test, and whether those of a policy have changed.

    A policy is better if it won more of the games, or as many with a higher or the same mean score.

    Args:
        best: Before the test.
        rows: Of `Holdout.test`.
        params: That were tested; leaves `[lanes, ...]`.
    """
    won, score = (
        np.array([np.mean([row[f"{way}_{what}"] for way in WAYS]) for row in rows], np.float32) for what in _RANK
    )
    update = np.array([row["update"] for row in rows], np.int32)
    which = (won > best.won) | ((won == best.won) & (score >= best.score))

    def chosen(new: Any, old: Any) -> np.ndarray:
        new, old = np.asarray(new), np.asarray(old)
        return np.where(which.reshape(-1, *[1] * (new.ndim - 1)), new, old)

    found = Best(params=params, update=update, won=won, score=score)
    return jax.tree.map(chosen, jax.device_get(found), best), bool(which.any())
