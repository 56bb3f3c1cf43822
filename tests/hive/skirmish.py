"""A small battle with plans of different sizes, for tests of batches."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from hive.engine.batch.result import Result
from hive.worlds.battle.world import Battle, load

SKIRMISH = """\
version = 1
title = "Skirmish"
summary = "two lines that meet at once"
[map]
size = 40
shapes = [{ terrain = "water", box = [18, 0, 22, 12] }]
[rules]
limit = 60
[player]
units = [
  { type = "spearmen", count = 8, box = [0.1, 0.3, 0.2, 0.4] },
  { type = "archer", count = 6, box = [0.1, 0.3, 0.2, 0.4] },
]
[enemy]
plan = "enemy.plan"
units = [{ type = "spearmen", count = 12, box = [0.5, 0.3, 0.2, 0.4] }]
"""
SMALL_PLAN = """\
Step 0:
prerequisites: []
objective: elimination all
units: all
- target position: (20, 20)
- behavior: attack_in_close_range
"""
LARGE_PLAN = """\
Step 0:
prerequisites: []
objective: position
units: [0:4]
- target position: (12, 30)
- behavior: follow_map
units: [4:8]
- target position: (12, 10)
- behavior: follow_map
units: [8:14]
- target position: (5, 20)
- behavior: stand

Step 1:
prerequisites: [0]
objective: elimination [0:6]
units: [0:8]
- target position: (20, 20)
- behavior: attack_and_move
units: [8:14]
- target position: (16, 22)
- behavior: attack_in_long_range spearmen

Step 2:
prerequisites: [0]
objective: elimination all
units: all
- target position: (26, 20)
- behavior: attack_in_long_range
"""


def skirmish(
    folder: Path, *, player: str = '"elimination"', enemy: str = '"elimination"', **overrides: float
) -> Battle:
    """The battle, from files in this folder, with these objectives."""
    text = SKIRMISH.replace("[player]", f"[player]\nobjective = {player}")
    (folder / "skirmish.toml").write_text(text.replace("[enemy]", f"[enemy]\nobjective = {enemy}"))
    (folder / "enemy.plan").write_text(SMALL_PLAN)
    return load(folder / "skirmish.toml", **overrides)


ARRAYS = ("seed", "ticks", "score", "survivors", "achieved", "way")  # of a result, over its games


def same_games(one: Result, other: Result) -> None:
    """Every array, to the bit; not the names, the time and the metrics."""
    assert one.outcome == other.outcome
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), strict=True)
