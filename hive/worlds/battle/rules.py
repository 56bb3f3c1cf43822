"""Rules of a battle to sweep over: every combination of the given values, checked."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

from hive.kit.keep.reading import Problems, hint, keys
from hive.worlds.battle.scenario.schema import ScenarioRules


def rule_rows(scenario: str, rules: Mapping[str, Sequence[float]]) -> list[dict[str, float]]:
    """Return every combination of values of rules, the last rule fastest.

    Args:
        scenario: Name of the scenario, for messages.
        rules: Values to try for each rule, by name.

    Raises:
        ScenarioError: A rule does not exist, or its values are missing, out of range or given twice.
    """
    problems, known = Problems("scenario", f"{scenario} (rules)"), keys(ScenarioRules)
    read: dict[str, list[float]] = {}
    for name, values in rules.items():
        if name not in known:
            problems.add("unknown-override", f"there is no rule `{name}`", name, hint(name, known))
            continue
        read[name] = [
            each for each in (problems.read(value, known[name], name) for value in values) if each is not None
        ]
        if len(set(read[name])) < len(read[name]):
            problems.add("range", "a value is given twice", name, "give each value once")
        if not len(values):
            problems.add("range", "there is no value to try", name, "give at least one value")
    problems.finish()
    return [dict(zip(read, row, strict=True)) for row in itertools.product(*read.values())]
