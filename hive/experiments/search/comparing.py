"""Which plan is the best: games are compared as sums of what the plan and what the seed is worth.

Some seeds are easy and some are hard, and plans of different generations do not play the same ones. Plans that are kept
play in several generations, so they connect the seeds, and a linear model tells both apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from hive.experiments.search.generation import Generation
from hive.kit.intervals import wilson

_SIGMAS = 1.96  # of the intervals by which plans are compared
_PLANS, _BIRTHS, _SEEDS = 1.0, 1.0, 3.0  # variance of a game over that of plans, of births and of seeds


class Strength(NamedTuple):
    """What a plan is worth on a mean seed, by all games of a search.

    Attributes:
        mean: The estimate; about 0 to 1.
        deviation: Its standard deviation.
    """

    mean: float
    deviation: float

    @property
    def surely(self) -> float:
        """What the plan is surely worth: the lower end of its 95% interval."""
        return self.mean - _SIGMAS * self.deviation


def strengths(generations: Sequence[Generation]) -> dict[int, Strength]:
    """Return the strength of each plan that was played, by its number.

    The worth of a game is the sum of a common mean, what its seed adds, what plans that are new in one generation have
    in common, what the plan adds, and chance. All of these are normal with mean 0 (a Bayesian linear model). So a plan
    of few games is judged like the plans that were new with it, unless its games say otherwise.

    Args:
        generations: All generations of a search so far, with one game at least.
    """
    birth: dict[int, int] = {}
    games = []
    for number, generation in enumerate(generations):
        for each in generation.candidates:
            born = birth.setdefault(each.id, number)
            values = worth(each.values)
            games += [(each.id, born, generation.first_seed + k, value) for k, value in enumerate(values)]
    played = sorted({plan for plan, *_ in games})
    seeds = sorted({seed for _, _, seed, _ in games})
    plan_at = {plan: k for k, plan in enumerate(played)}
    seed_at = {seed: k for k, seed in enumerate(seeds)}
    plans, births = len(played), len(generations)
    terms = np.zeros((len(games), plans + births + len(seeds)))
    for row, (plan, born, seed, _) in enumerate(games):
        terms[row, [plan_at[plan], plans + born, plans + births + seed_at[seed]]] = 1
    worths = np.array([value for *_, value in games])
    common = worths.mean()
    least = np.repeat([_PLANS, _BIRTHS, _SEEDS], [plans, births, len(seeds)])
    spread = np.linalg.inv(terms.T @ terms + np.diag(least))
    effects = spread @ (terms.T @ (worths - common))
    chance = np.sqrt(max((worths - common) @ (worths - common - terms @ effects), 0.0) / len(games))
    found = {}
    for plan, at in plan_at.items():
        own = [at, plans + birth[plan]]
        mean = common + effects[own].sum()
        found[plan] = Strength(float(mean), float(chance * np.sqrt(spread[np.ix_(own, own)].sum())))
    return found


def ranked(found: dict[int, Strength]) -> list[int]:
    """Return all plans by their estimated strength, the best first; of equal plans the older one is first."""
    return sorted(found, key=lambda plan: (-round(found[plan].mean, 9), plan))


def surest(found: dict[int, Strength]) -> int:
    """Return the plan that is surely worth most; of equal plans the older one."""
    return min(found, key=lambda plan: (-round(found[plan].surely, 9), plan))


def worth(values: Sequence[float]) -> Float[np.ndarray, " N"]:
    """Return what games count in the comparison of plans, 0 to 1.

    A game that is not won counts half its value: otherwise a plan that always leaves a few enemies alive would be as
    good as one that wins nine games of ten. A win counts 0.75 to 1, by the share of own units alive: of two plans that
    have won all their games, the one with fewer losses is the surer one.
    """
    found = np.asarray(values, float)
    return np.where(found >= 1, 0.5 + found / 4, found / 2)


def bounded(values: Sequence[float]) -> Float[np.ndarray, " N"]:
    """Return the values that people read: 1 for a win, whatever it cost."""
    return np.minimum(np.asarray(values, float), 1.0)


def interval(values: Sequence[float] | np.ndarray) -> tuple[float, float]:
    """Return the 95% interval of the mean of values between 0 and 1, by Wilson's score.

    The interval is that of a share of wins; other values between 0 and 1 vary less, so it is rather too wide for them.

    Args:
        values: `[games]`, one value for each game.

    Returns:
        The lower and the upper end.
    """
    return wilson(float(np.mean(values)), len(values), _SIGMAS)
