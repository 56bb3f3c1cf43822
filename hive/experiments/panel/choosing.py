"""Sets of measured battles: a part for tests with equally many battles of each level, and the rest.

Rules: docs/rules/sets.md 1.5.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import zip_longest

from dsl.wording import is_whole
from hive.experiments.panel.table import Measured
from hive.worlds.battle.drawn.classes import CLASSES, read_name
from hive.worlds.battle.drawn.sets import LEVELS, SetBattle


def divide(
    found: Sequence[Measured],
    tests: int,
    most: int | None = None,
    before: tuple[Collection[str], Collection[str]] = ((), ()),
    *,
    half: bool = True,
    total: int | None = None,
) -> tuple[list[SetBattle], list[SetBattle]]:
    """Divide the battles that have a level into those of a test and the rest, in the order of levels.

    In each level the classes take turns, each with its lowest seed that is left, until the part is full.

    Args:
        found: Measured battles; those without a level, and those that are unsolved, are left out.
        tests: Most battles of a level in the test.
        most: Most battles of a level in the rest; None: all that are left.
        before: Names of battles of an earlier test and of its rest. They come first in the same part, and none of them
            goes to the other one.
        half: Whether the test has half of a level at most.
        total: Most battles of the rest, spread over the levels as evenly as their numbers allow; None: any number.

    Returns:
        The battles of the test, and the rest.
    """
    test: list[SetBattle] = []
    rests: list[list[SetBattle]] = []
    for level in range(LEVELS):
        own = [each.battle for each in found if is_whole(each.level) and int(each.level) == level]
        most_tests = min(tests, len(own) // 2 if half else len(own))
        chosen = _turns([name for name in own if name not in before[1]], before[0])[:most_tests]
        left = [name for name in _turns(own, before[1]) if name not in (*chosen, *before[0])]
        test += [SetBattle(name, level) for name in chosen]
        rests.append([SetBattle(name, level) for name in left[:most]])
    shares = [len(own) for own in rests]
    while total is not None and sum(shares) > total:
        shares[max(range(LEVELS), key=lambda level: shares[level])] -= 1
    return test, [each for own, share in zip(rests, shares, strict=True) for each in own[:share]]


def _turns(names: Sequence[str], first: Collection[str]) -> list[str]:
    """Return battles with the classes in turn, in each class first those of `first`, then by seed."""

    def place(name: str) -> tuple[bool, int]:
        return name not in first, read_name(name)[1]

    by_class = [sorted((name for name in names if read_name(name)[0] == each), key=place) for each in CLASSES]
    return [name for turn in zip_longest(*by_class) for name in turn if name]
