"""Sets of measured battles: a part for tests with equally many battles of each level, and the rest.

Rules: docs/rules/sets.md 1.5.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from dsl.wording import is_whole
from hive.experiments.panel.table import Measured
from hive.worlds.battle.drawn.classes import CLASSES, read_name
from hive.worlds.battle.drawn.sets import LEVELS, SetBattle


def divide(found: Sequence[Measured], tests: int) -> tuple[list[SetBattle], list[SetBattle]]:
    """Divide the battles that have a level into those of a test and the rest, in the order of levels.

    In each level the classes take turns, each with its lowest seed that is left, until the test has its battles.

    Args:
        found: Measured battles; those without a level, and those that are unsolved, are left out.
        tests: Most battles of a level in the test; it has half of a level at most.

    Returns:
        The battles of the test, and the rest.
    """
    test, rest = [], []
    for level in range(LEVELS):
        own = [each.battle for each in found if is_whole(each.level) and int(each.level) == level]
        by_class = [sorted((name for name in own if read_name(name)[0] == each), key=_seed) for each in CLASSES]
        order = [SetBattle(name, level) for turn in zip_longest(*by_class) for name in turn if name]
        end = min(tests, len(order) // 2)
        test += order[:end]
        rest += order[end:]
    return test, rest


def _seed(name: str) -> int:
    return read_name(name)[1]
