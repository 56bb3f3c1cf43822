"""A plain (mu + lambda) search over plans: fresh seeds in each generation, on which the parents are played again.

The best of many plans is partly a lucky one. So there are rounds in which no plan is changed and the strongest play
more games: when all kept plans have won every game, and at the end of the budget.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from jaxtyping import Float

import dsl
from dsl import PlanSyntax, UserError
from hive.experiments.search.comparing import Strength, bounded, interval, ranked, strengths, surest
from hive.experiments.search.generation import Candidate, Generation
from hive.experiments.search.moves import change
from hive.experiments.search.site import SearchSite

Evaluate = Callable[[Sequence[PlanSyntax], Sequence[int]], Float[np.ndarray, "P S"]]
"""Plays each plan with each seed; returns the games' values: below 1, or for a win 1 + the share of own units alive."""

FIRST_SEED = 2**31
"""The search plays the seeds from here on; those below are for tests of what it found."""
_SEARCHES = 20_000  # searches of different seeds whose games have different seeds
_SURE = 0.9  # share of games that the best plan surely wins, by its interval, when a search ends early
_TRIES = 10  # of finding a change of a plan that the generation does not have
_DAMAGED = "its files are damaged, so begin the search again; `hive improve --restart` does so"


@dataclass(frozen=True)
class SearchSettings:
    """What decides a search, apart from the plan, the scenario and how plans are evaluated.

    Attributes:
        games: Most games to play.
        plans: Plans of a generation, its parents included.
        parents: Plans that are kept from one generation to the next.
        seeds: Games of each plan in a generation.
        first_seeds: The same before any game was won; a generation then has more plans and as many games.
        seed: Seed of all draws, and of the games.
        final: Share of the games for the final, in which no plan is changed any more; whole rounds as large as a
            generation.
        finalists: Plans of a round of the final, which divide the games of a generation.
    """

    games: int = 1000
    plans: int = 16
    parents: int = 4
    seeds: int = 4
    first_seeds: int = 2
    seed: int = 0
    final: float = 0.25
    finalists: int = 8

    def __post_init__(self) -> None:
        """Refuse a budget for less than one change of a plan.

        Raises:
            UserError: There are too few games.
        """
        least = 2 * self.first_seeds
        if self.games < least:
            raise UserError(
                f"a search of {self.games} games cannot compare two plans\n"
                f"  = help: each plan plays {self.first_seeds} games in a generation, so give it {least} games or more"
            )

    @property
    def batch(self) -> int:
        """Games of a generation, and of a round of the final."""
        return self.plans * self.seeds

    @property
    def most_plans(self) -> int:
        """Plans of the largest generation."""
        return self.batch // min(self.seeds, self.first_seeds)

    @property
    def before_final(self) -> int:
        """Games before the final."""
        return self.games - int(self.games * self.final) // self.batch * self.batch


@dataclass(frozen=True)
class Round:
    """Plans of the next generation of a search, each of which plays the same seeds.

    Attributes:
        plans: The plans.
        seeds: The seeds.
        candidates: The plans as candidates, without values.
        new: Those that no earlier generation played.
    """

    plans: tuple[PlanSyntax, ...]
    seeds: range
    candidates: tuple[Candidate, ...]
    new: Mapping[Candidate, PlanSyntax]


@dataclass
class Search:
    """A search, generation by generation; deterministic by its plan, site, settings and evaluation.

    Attributes:
        start: The plan to improve.
        site: The scenario that plans are changed for.
        settings: Budget, sizes and seed.
        generations: The generations so far; those of an interrupted search make this one resume it.
    """

    start: PlanSyntax
    site: SearchSite
    settings: SearchSettings
    generations: list[Generation] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Read the plans of earlier generations."""
        self.plans: dict[int, PlanSyntax] = {0: self.start}
        self.first: dict[int, Candidate] = {}
        self.values: dict[int, list[float]] = {}
        self.strengths: dict[int, Strength] = {}
        for generation in self.generations:
            self._note(generation)
        if self.generations:
            self.strengths = strengths(self.generations)

    @property
    def games(self) -> int:
        """Games played so far."""
        return self.generations[-1].games if self.generations else 0

    @property
    def over(self) -> bool:
        """Whether the games are used up, or the best plan surely wins nine games of ten.

        It surely does where the 95% interval of its wins lies above 0.9: after 35 games, if it has won all of them.
        """
        won = [float(value >= 1) for value in self.values.get(self.best, [])]
        return (bool(won) and interval(won)[0] >= _SURE) or not (self._comparable() or self._in_final())

    @property
    def best(self) -> int:
        """Number of the best plan so far: the one that is surely worth most."""
        return surest(self.strengths) if self.strengths else 0

    def json(self) -> dict[str, Any]:
        """Return what was played and the best plan with its value, in plain values."""
        values = bounded(self.values[self.best])
        return {
            "games": self.games,
            "plans": len(self.plans),
            "generations": len(self.generations),
            "best": self.best,
            "value": {"mean": float(values.mean()), "interval": interval(values), "games": len(values)},
            "improved": dsl.format_plan(self.plans[self.best]),
        }

    def advance(self, evaluate: Evaluate) -> Generation:
        """Play one more generation and return it."""
        played = self.propose()
        return self.take(played, evaluate(played.plans, played.seeds))

    def propose(self) -> Round:
        """Return what the next generation plays; the search is as before until `take`."""
        settings, number = self.settings, len(self.generations)
        new: dict[Candidate, PlanSyntax] = {}
        if self._to_be_proven() or not self._comparable():
            old = ranked(self.strengths)[: settings.finalists]
            seeds = settings.batch // settings.finalists
        else:
            old, seeds = list(self._parents()), self._seeds()
            new = self._children(old, self._rows() - len(old), np.random.default_rng([settings.seed, number]))
        first = FIRST_SEED + settings.seed % _SEARCHES * 100_000 + self.games
        played = [*(self.first.get(each, Candidate(each, ())) for each in old), *new]
        plans = [*(self.plans[each] for each in old), *new.values()]
        return Round(tuple(plans), range(first, first + seeds), tuple(played), new)

    def take(self, played: Round, values: Float[np.ndarray, "P S"]) -> Generation:
        """Receive the values of the games of `propose` and return the generation."""
        candidates = tuple(
            Candidate(each.id, tuple(map(float, row)), each.parent, each.moves, each.text if each in played.new else "")
            for each, row in zip(played.candidates, values, strict=True)
        )
        games = self.games + len(played.plans) * len(played.seeds)
        generation = Generation(len(self.generations), played.seeds.start, games, candidates, ())
        self.strengths = strengths([*self.generations, generation])
        generation = replace(generation, kept=tuple(ranked(self.strengths)[: self.settings.parents]))
        self.generations.append(generation)
        self.plans |= {each.id: plan for each, plan in played.new.items()}
        self._note(generation)
        return generation

    def _parents(self) -> tuple[int, ...]:
        return self.generations[-1].kept if self.generations else (0,)

    def _seeds(self) -> int:
        """Return the games of each plan in the next generation.

        Before the first win games differ little by chance, so more plans play fewer games.
        """
        won = any(value >= 1 for values in self.values.values() for value in values)
        return self.settings.seeds if won else self.settings.first_seeds

    def _rows(self) -> int:
        """Return how many plans the next generation has, or the budget allows."""
        return min(self.settings.batch, self.settings.before_final - self.games) // self._seeds()

    def _comparable(self) -> bool:
        """Whether the games before the final suffice to compare another plan."""
        return self._rows() > len(self._parents())

    def _in_final(self) -> bool:
        """Whether there are games for another round of the final."""
        return self.settings.final > 0 and self.settings.games - self.games >= self.settings.batch

    def _to_be_proven(self) -> bool:
        """Whether all kept plans have won every game, so that only more games can tell them apart."""
        return self._in_final() and all(
            value >= 1 for each in self._parents() for value in self.values.get(each, [0.0])
        )

    def _children(self, parents: Sequence[int], count: int, rng: np.random.Generator) -> dict[Candidate, PlanSyntax]:
        """Return changed plans, more of the better parents, none of them equal to another or to a parent.

        Each may take orders of another parent.
        """
        found: dict[Candidate, PlanSyntax] = {}
        seen = [self.plans[number] for number in parents]
        weights = np.arange(len(parents), 0, -1) / (len(parents) * (len(parents) + 1) / 2)
        for _ in range(count):
            parent = parents[rng.choice(len(parents), p=weights)]
            for _ in range(_TRIES):
                other = parents[int(rng.integers(len(parents)))]
                plan, moves = change(self.plans[parent], self.plans[other], self.site, rng)
                if moves and plan not in seen:
                    break
            else:
                continue
            seen.append(plan)
            number = max(self.plans) + 1 + len(found)
            found[Candidate(number, (), parent, moves, dsl.format_plan(plan))] = plan
        return found

    def _note(self, generation: Generation) -> None:
        for each in generation.candidates:
            if each.id not in self.plans:
                if not each.text:
                    raise UserError(
                        f"generation {generation.number} of this search has no text of plan {each.id}\n"
                        f"  = help: {_DAMAGED}"
                    )
                self.plans[each.id] = dsl.parse_plan(each.text, f"plan {each.id}", self.site.context)
            self.first.setdefault(each.id, each)
            self.values.setdefault(each.id, []).extend(each.values)
        if unknown := [each for each in generation.kept if each not in self.values]:
            raise UserError(
                f"generation {generation.number} of this search keeps plan {unknown[0]}, which was not played\n"
                f"  = help: {_DAMAGED}"
            )
