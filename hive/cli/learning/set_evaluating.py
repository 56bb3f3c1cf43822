"""`hive evaluate` on a set of battles: plans of each battle to compare with, and results by class and level."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dsl.wording import columns
from hive.rl.evaluation import PlayerGames
from hive.worlds.battle.drawn.classes import read_name
from hive.worlds.battle.environment.sets import LoadedSet
from hive.worlds.battle.environment.tasks import tree_plans

_OWN = "the battles' own plans"


def set_plans(loaded: LoadedSet, prefix: str) -> dict[str, dict[str, str]]:
    """Return the plans to compare with: each tree that the player has in all battles, and the battles' own plans.

    Args:
        loaded: The set.
        prefix: Before the name of a tree.

    Returns:
        By name in tables, the plan of each battle.
    """
    trees = {battle.name: tree_plans(battle) for battle in loaded.battles}
    names = [name for name in next(iter(trees.values())) if all(name in own for own in trees.values())]
    found = {f"{prefix}{name}": {battle: own[name] for battle, own in trees.items()} for name in names}
    own = {battle.name: battle.plan for battle in loaded.battles if battle.plan is not None}
    return found | ({_OWN: own} if len(own) == len(loaded.battles) else {})


def set_table(loaded: LoadedSet, played: Sequence[PlayerGames]) -> str:
    """Return the share of games won by class and by level, as a readable table."""
    groups = [_groups_of(loaded, each) for each in played]
    heads = [*groups[0]]
    rows = [["won", *heads], ["games", *(str(len(groups[0][head])) for head in heads)]]
    rows += [
        [each.name, *(f"{own[head].mean():.0%}" for head in heads)] for each, own in zip(played, groups, strict=True)
    ]
    return columns(rows, left=(0,))


def groups_json(loaded: LoadedSet, played: PlayerGames) -> dict[str, Any]:
    """Return how many games of each class and of each level were won, in plain values."""
    return {
        name: {"games": len(won), "won": int(won.sum()), "share": float(won.mean())}
        for name, won in _groups_of(loaded, played).items()
    }


def _groups_of(loaded: LoadedSet, played: PlayerGames) -> dict[str, np.ndarray]:
    """Return for each class and each level which games were won, in the order of the games."""
    level = dict(zip(loaded.found.names, loaded.found.levels, strict=True))
    classes = np.array([read_name(name)[0] for name in played.world])
    levels = np.array([-1 if level[name] is None else level[name] for name in played.world])
    found = {name: played.won[classes == name] for name in dict.fromkeys(classes.tolist())}
    return found | {f"level {each}": played.won[levels == each] for each in np.unique(levels).tolist() if each >= 0}
