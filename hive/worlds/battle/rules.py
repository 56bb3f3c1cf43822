"""Rules of a battle to sweep over: every combination of the given values, checked."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hive.kit.keep.reading import Problems, hint, keys
from hive.worlds.battle.scenario import Scenario
from hive.worlds.battle.scenario.schema import ScenarioRules


def rule_rows(scenario: Scenario, rules: Mapping[str, Any]) -> list[dict[str, float]]:
    """Return every combination of values of rules, the last rule fastest.

    Args:
        scenario: The scenario that is played.
        rules: Values to try for each rule, by name.

    Raises:
        ScenarioError: A rule does not exist, or its values are missing, out of range or given twice; or a limit is
            earlier than the tick until which a side is to survive.
    """
    problems, known = Problems("scenario", f"{scenario.name} (rules)"), keys(ScenarioRules)
    read: dict[str, list[float]] = {}
    for name, values in rules.items():
        if name not in known:
            problems.add("unknown-override", f"there is no rule `{name}`", name, hint(name, known))
            continue
        if not isinstance(values, Sequence | np.ndarray):
            problems.add("type", "a rule has a list of values to try", name, f"write [{values}]")
            continue
        read[name] = [
            each for each in (problems.read(value, known[name], name) for value in values) if each is not None
        ]
        if len(set(read[name])) < len(read[name]):
            problems.add("range", "a value is given twice", name, "give each value once")
        if not len(values):
            problems.add("range", "there is no value to try", name, "give at least one value")
    last = max(side.objective.until or 0 for side in (scenario.player, scenario.enemy))
    for limit in read.get("limit", ()):
        if limit < last:
            early = f"the limit of {limit:,} ticks is before the tick {last:,} until which a side is to survive"
            problems.add("range", early, "limit", f"at least {last}")
    problems.finish()
    return [dict(zip(read, row, strict=True)) for row in itertools.product(*read.values())]
