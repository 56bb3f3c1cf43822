"""Sweeps over plans x rules x seeds: the results of all cells in one object."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from dsl.wording import columns
from hive.engine.batch.result import ENDS, Result, summary_of
from hive.kit.intervals import wilson


@dataclass(frozen=True)
class Sweep:
    """Games of several plans under several rules, with the same seeds.

    Attributes:
        results: One for each cell: plan by plan, and for each plan the combinations of rules, the last rule fastest.
            Each result names its plan and its rules.
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
                    "wins": _wins(cell),
                    "score": {"is": cell.score_is} | summary_of(cell.score),
                    "ticks": summary_of(cell.ticks),
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
        """A readable table: one line for each cell and a line of totals."""
        rules = list(self.results[0].rules)
        rows = [["plan", *rules, "wins", "95% interval", "mean score", "mean ticks"]]
        for cell in self.results:
            values = [f"{cell.rules[name]:g}" for name in rules]
            wins = f"{cell.outcomes['win']} of {len(cell.seed)}"
            share, means = _wins(cell), ["-", "-", "-"]  # a plan that was not played has neither
            if share["share"] is not None:
                interval = f"{share['low']:.1%} to {share['high']:.1%}"
                means = [interval, f"{cell.score.mean():.3g}", f"{cell.ticks.mean():.4g}"]
            rows.append([cell.plan, *values, wins, *means])
        ends = ", ".join(f"{count:,} {end.replace('_', ' ')}" for end, count in self.outcomes.items() if count)
        games = sum(len(cell.seed) for cell in self.results)
        return "\n".join([columns(rows, left=(0,)), f"{games:,} games: {ends}; score: {self.results[0].score_is}"])


def _wins(cell: Result) -> dict[str, float | None]:
    """Return the share of games won and its 95% interval; None for a plan that was not played."""
    if np.isnan(cell.score).all():
        return {"share": None, "low": None, "high": None}
    share = cell.outcomes["win"] / len(cell.seed)
    low, high = wilson(share, len(cell.seed))
    return {"share": share, "low": low, "high": high}
