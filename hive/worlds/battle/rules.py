"""Rules of a battle to sweep over: every combination of the given values, checked."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

from hive.kit.errors import ScenarioError
from hive.worlds.battle.scenario.kinds import BAD, Problems, hint
from hive.worlds.battle.scenario.schema import RULES


def rule_rows(scenario: str, rules: Mapping[str, Sequence[float]]) -> list[dict[str, float]]:
    """Return every combination of values of rules, the last rule fastest.

    Args:
        scenario: Name of the scenario, for messages.
        rules: Values to try for each rule, by name.

    Raises:
        ScenarioError: A rule does not exist, or its values are missing, out of range or given twice.
    """
    problems = Problems()
    read: dict[str, list[float]] = {}
    for name, values in rules.items():
        if name not in RULES.keys:
            problems.add("unknown-override", name, f"there is no rule `{name}`", hint(name, tuple(RULES.keys)))
            continue
        read[name] = [RULES.keys[name].read(value, name, problems) for value in values]
        good = [value for value in read[name] if value is not BAD]
        if len(set(good)) < len(good):
            problems.add("range", name, "a value is given twice", "give each value once")
        if not len(values):
            problems.add("range", name, "there is no value to try", "give at least one value")
    if problems.found:
        raise ScenarioError(f"{scenario} (rules)", problems.found)
    return [dict(zip(read, row, strict=True)) for row in itertools.product(*read.values())]
