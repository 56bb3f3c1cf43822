"""Plans x rules x seeds: which rules to try, and the results of all cells as one."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hive.errors import ScenarioError
from hive.result import ENDS, Result, spread
from hive.scenario.kinds import BAD, Report, hint
from hive.scenario.schema import RULES


@dataclass(frozen=True)
class Sweep:
    """Games of several plans under several rules, with the same seeds.

    Attributes:
        results: One for each cell: plan by plan, and for each plan the combinations of rules, the last rule fastest.
            Each says its plan and its rules.
        seconds: Wall time of all games, compilation included.
    """

    results: tuple[Result, ...]
    seconds: float

    @property
    def outcomes(self) -> dict[str, int]:
        """Number of games with each end, over all cells."""
        return {end: sum(cell.outcomes[end] for cell in self.results) for end in ENDS}

    def json(self) -> dict[str, Any]:
        """Summary and cells in plain values; the games are `games()`."""
        first = self.results[0]
        return {
            "scenario": first.scenario,
            "games": sum(len(cell.seed) for cell in self.results),
            "outcomes": self.outcomes,
            "seconds": round(self.seconds, 3),
            "cells": [
                {
                    "plan": cell.plan,
                    "rules": dict(cell.rules),
                    "games": len(cell.seed),
                    "outcomes": cell.outcomes,
                    "score": {"is": cell.score_is} | spread(cell.score),
                    "ticks": spread(cell.ticks),
                }
                for cell in self.results
            ],
        }

    def games(self) -> Iterator[dict[str, Any]]:
        """Each game in plain values, with its plan and its rules."""
        for cell in self.results:
            for game in cell.games():
                yield {"plan": cell.plan, "rules": dict(cell.rules), **game}

    def table(self) -> str:
        """One line a cell and a line of totals, for a person."""
        rules = list(self.results[0].rules)
        rows = [["plan", *rules, "wins", "mean score", "mean ticks"]]
        for cell in self.results:
            values = [f"{cell.rules[name]:g}" for name in rules]
            wins = f"{cell.outcomes['win']} of {len(cell.seed)}"
            # A plan that was not played has neither.
            means = (
                ["-", "-"] if np.isnan(cell.score).all() else [f"{cell.score.mean():.3g}", f"{cell.ticks.mean():.4g}"]
            )
            rows.append([cell.plan, *values, wins, *means])
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [_line(row, widths) for row in rows]
        ends = ", ".join(f"{count:,} {end.replace('_', ' ')}" for end, count in self.outcomes.items() if count)
        games = sum(len(cell.seed) for cell in self.results)
        return "\n".join([*lines, f"{games:,} games: {ends}; score: {self.results[0].score_is}"])


def rule_rows(scenario: str, rules: Mapping[str, Sequence[float]]) -> list[dict[str, float]]:
    """Return every combination of values of rules, the last rule fastest.

    Args:
        scenario: Its name, for messages.
        rules: Values to try for each rule, by name.

    Raises:
        ScenarioError: There is no such rule, or a value is out of its range or given twice, or there is none.
    """
    report = Report()
    read: dict[str, list[float]] = {}
    for name, values in rules.items():
        if name not in RULES.keys:
            report.add("unknown-override", name, f"there is no rule `{name}`", hint(name, tuple(RULES.keys)))
            continue
        read[name] = [RULES.keys[name].read(value, name, report) for value in values]
        good = [value for value in read[name] if value is not BAD]
        if len(set(good)) < len(good):
            report.add("range", name, "a value is given twice", "give each value once")
        if not len(values):
            report.add("range", name, "there is no value to try", "give one value at least")
    if report.problems:
        raise ScenarioError(f"{scenario} (rules)", report.problems)
    return [dict(zip(read, row, strict=True)) for row in itertools.product(*read.values())]


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    """Return a line with the plan to the left and all else to the right."""
    first, *others = (
        f"{cell:<{width}}" if not at else f"{cell:>{width}}"
        for at, (cell, width) in enumerate(zip(row, widths, strict=True))
    )
    return "  ".join([first, *others])
