"""The value of a game between 0 and 1, for searches and for rewards (docs/rules/rewards.md 1)."""

from __future__ import annotations

import numpy as np

from hive.engine.batch.result import Result
from hive.engine.objective import LOSSES, measured
from hive.engine.types import PLAYER, GoalKind
from hive.engine.world import EngineWorld


def values(world: EngineWorld, result: Result) -> np.ndarray:
    """Return the value of each game for the player's side (docs/rules/rewards.md 1).

    `hive.engine.episode.value` is the same inside compiled programs, in single precision.

    Args:
        world: What the games were played on.
        result: Games of one plan, all of them played.

    Returns:
        `[B]` from 0 to 1: 1 for a win, else by the continuous score, the closest approach to a place, or both.

    Raises:
        ValueError: A game was not played.
    """
    if not np.isfinite(result.ticks).all():
        raise ValueError("games that were not played have no value")
    return np.where(result.won, 1.0, np.clip(_parts(world, result), 0.0, 1.0))


def _parts(world: EngineWorld, result: Result) -> np.ndarray:
    params = world.params
    if params.crews is not None:
        best = int(params.crews.task.best)
        return result.score / best if best > 0 else LOSSES / (LOSSES + np.maximum(-result.score, 0.0))
    if params.goals.kind[PLAYER] != GoalKind.POSITION:
        return result.score
    first, least = result.way[:, PLAYER].T.astype(float)
    way = 1.0 - least / np.maximum(first, 1.0)
    return way if measured(params, PLAYER) else (way + result.score) / 2
