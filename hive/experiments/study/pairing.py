"""Two models of a study compared prompt by prompt and seed by seed (docs/rules/scenarios.md 2.5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

import numpy as np

from hive.experiments.study.playing import Study, Tried
from hive.kit.intervals import paired_difference


@dataclass(frozen=True)
class ModelPair:
    """How often two models won the same games. Prompts to which one of them has no reply are left out.

    Attributes:
        title: The condition, or `all`.
        one: Name of a model.
        other: Name of another one.
        prompts: Prompts that both replied to.
        both: Games, each a prompt and a seed, that both won.
        only_one: Games that only `one` won.
        only_other: Games that only `other` won.
        neither: Games that neither won.
        difference: Share of wins of `one` minus that of `other`.
        low: Lower end of the 95% interval of `difference`; games of one prompt count as one observation.
        high: Upper end.
    """

    title: str
    one: str
    other: str
    prompts: int
    both: int
    only_one: int
    only_other: int
    neither: int
    difference: float
    low: float
    high: float

    def json(self) -> dict[str, Any]:
        """Everything in plain values."""
        return asdict(self)


def paired(study: Study) -> list[ModelPair]:
    """Return each pair of models in each condition, and in all conditions together where there are several."""
    found = []
    parts = [(condition.title, [condition]) for condition in study.conditions]
    parts += [("all", list(study.conditions))] if len(study.conditions) > 1 else []
    for one, other in combinations(study.models, 2):
        for title, conditions in parts:
            mine, theirs = ([each for c in conditions for each in study.of(c, model)] for model in (one, other))
            good = [(a, b) for a, b in zip(mine, theirs, strict=True) if a.asked.replies and b.asked.replies]
            if good:
                found.append(_pair(title, one, other, good))
    return found


def _pair(title: str, one: str, other: str, pairs: Sequence[tuple[Tried, Tried]]) -> ModelPair:
    won = np.array([[each.result.won for each in pair] for pair in pairs])
    first, second = won[:, 0], won[:, 1]
    both, only_one, only_other, neither = (
        int(games.sum()) for games in (first & second, first & ~second, ~first & second, ~first & ~second)
    )
    difference, low, high = paired_difference(first.mean(axis=1), second.mean(axis=1))
    return ModelPair(title, one, other, len(pairs), both, only_one, only_other, neither, difference, low, high)
