"""A plain (mu + lambda) search over plans: fresh seeds in each generation, on which the parents are played again.

The last games are a final of the plans that promise most, because the best of many plans is partly a lucky one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from jaxtyping import Float

import dsl
from dsl import Plan, UserError
from hive.batch.value import wilson
from hive.search.moves import mutate
from hive.search.site import Site

Evaluate = Callable[[Sequence[Plan], Sequence[int]], Float[np.ndarray, "P S"]]
"""Plays each plan with each seed; returns the games' values: below 1, or for a win 1 + the share of own units alive."""

FIRST_SEED = 2**31
"""The search plays the seeds from here on; those below are for tests of what it found."""
_SIGMAS = 1.96  # of the intervals by which plans are compared
_SEARCHES = 20_000  # searches of different seeds whose games have different seeds
_SURE = 0.9  # share of games that the best plan surely wins, by its interval, when a search ends early
_TRIES = 10  # of finding a change of a plan that the generation does not have


@dataclass(frozen=True)
class Settings:
    """What decides a search, apart from the plan, the scenario and how plans are evaluated.

    Attributes:
        games: Most games to play.
        plans: Plans of a generation, its parents included.
        parents: Plans that are kept from one generation to the next.
        seeds: Games of each plan in a generation.
        seed: Seed of all draws, and of the games.
        final: Share of the games for the final, in which no plan is changed any more; whole rounds as large as a
            generation.
        finalists: Plans of a round of the final, which divide the games of a generation.
    """

    games: int = 1000
    plans: int = 32
    parents: int = 6
    seeds: int = 2
    seed: int = 0
    final: float = 0.25
    finalists: int = 8

    def __post_init__(self) -> None:
        """Refuse a budget for less than one change of a plan.

        Raises:
            UserError: There are too few games.
        """
        least = 2 * self.seeds
        if self.games < least:
            raise UserError(
                f"a search of {self.games} games cannot compare two plans\n"
                f"  = help: each plan plays {self.seeds} games in a generation, so give it {least} games or more"
            )

    @property
    def batch(self) -> int:
        """Games of a generation, and of a round of the final."""
        return self.plans * self.seeds

    @property
    def before_final(self) -> int:
        """Games before the final."""
        return self.games - int(self.games * self.final) // self.batch * self.batch


@dataclass(frozen=True)
class Candidate:
    """A plan and its games in one generation.

    Attributes:
        id: Number of the plan; 0 is the plan that the search began with.
        values: Values of its games in this generation, in the order of the seeds, as `Evaluate` returned them.
        parent: Number of the plan that it was made from; None for the first plan.
        moves: Names of the moves that made it.
        text: The plan; empty where an earlier generation has it.
    """

    id: int
    values: tuple[float, ...]
    parent: int | None = None
    moves: tuple[str, ...] = ()
    text: str = ""


@dataclass(frozen=True)
class Generation:
    """Plans that were played with the same seeds.

    Attributes:
        number: From 0.
        first_seed: The seeds count up from here.
        games: Games of the search so far, this generation included.
        candidates: Every plan that was played.
        kept: Numbers of the plans that are kept, the best first.
    """

    number: int
    first_seed: int
    games: int
    candidates: tuple[Candidate, ...]
    kept: tuple[int, ...]

    def json(self) -> dict[str, Any]:
        """Return it in plain values."""
        return asdict(self)

    @classmethod
    def from_json(cls, found: dict[str, Any]) -> Generation:
        """Return the generation of `json`.

        Raises:
            ValueError: It is not one.
        """
        try:
            candidates = tuple(
                Candidate(**{**each, "values": tuple(map(float, each["values"])), "moves": tuple(each["moves"])})
                for each in found["candidates"]
            )
            generation = cls(**{**found, "candidates": candidates, "kept": tuple(found["kept"])})
            if not {each.id for each in candidates} >= set(generation.kept) > set():
                raise ValueError("a plan that is kept was not played")
            return generation
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"it is no generation of a search: {error}") from None


@dataclass
class Search:
    """A search, generation by generation; deterministic by its plan, site, settings and evaluation.

    Attributes:
        start: The plan to improve.
        site: The scenario that plans are changed for.
        settings: Budget, sizes and seed.
        generations: The generations so far; those of an interrupted search make this one resume it.
    """

    start: Plan
    site: Site
    settings: Settings
    generations: list[Generation] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Read the plans of earlier generations."""
        self.plans: dict[int, Plan] = {0: self.start}
        self.first: dict[int, Candidate] = {}
        self.values: dict[int, list[float]] = {}
        for generation in self.generations:
            self._note(generation)

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
        """Number of the best plan of all generations so far; see `surest`."""
        return surest(self.values) if self.values else 0

    def advance(self, evaluate: Evaluate) -> Generation:
        """Play one more generation and return it."""
        settings, number = self.settings, len(self.generations)
        new: dict[Candidate, Plan] = {}
        if self._comparable():
            old, seeds = list(self._parents()), settings.seeds
            new = self._children(old, self._rows() - len(old), np.random.default_rng([settings.seed, number]))
        else:
            old, seeds = self._finalists(), settings.batch // settings.finalists
        played = [*(self.first.get(each, Candidate(each, ())) for each in old), *new]
        plans = [*(self.plans[each] for each in old), *new.values()]
        first = FIRST_SEED + settings.seed % _SEARCHES * 100_000 + self.games
        values = evaluate(plans, range(first, first + seeds))
        candidates = tuple(
            Candidate(each.id, tuple(map(float, row)), each.parent, each.moves, each.text if each in new else "")
            for each, row in zip(played, values, strict=True)
        )
        games = self.games + len(played) * seeds
        generation = Generation(number, first, games, candidates, ())
        kept = self._rank(generation)[: settings.parents]
        generation = Generation(number, first, games, candidates, tuple(kept))
        self.generations.append(generation)
        self.plans |= {each.id: plan for each, plan in new.items()}
        self._note(generation)
        return generation

    def _parents(self) -> tuple[int, ...]:
        return self.generations[-1].kept if self.generations else (0,)

    def _rows(self) -> int:
        """Return how many plans the budget allows in the next generation."""
        return min(self.settings.plans, (self.settings.before_final - self.games) // self.settings.seeds)

    def _comparable(self) -> bool:
        """Whether the games before the final suffice to compare another plan."""
        return self._rows() > len(self._parents())

    def _in_final(self) -> bool:
        """Whether there are games for another round of the final."""
        return self.settings.final > 0 and self.settings.games - self.games >= self.settings.batch

    def _finalists(self) -> list[int]:
        """Return the plans that promise most: by their mean worth, with two games of a mean plan added to each.

        A plan that did well by luck loses its place after a round, to the next one. Equal plans: the older one first.
        """
        common = float(np.mean([worth(values).mean() for values in self.values.values()]))

        def expected(number: int) -> float:
            values = self.values[number]
            return float((worth(values).sum() + 2 * common) / (len(values) + 2))

        return sorted(self.values, key=lambda number: (-expected(number), number))[: self.settings.finalists]

    def _children(self, parents: Sequence[int], count: int, rng: np.random.Generator) -> dict[Candidate, Plan]:
        """Return changed plans, more of the better parents, none of them equal to another or to a parent."""
        found: dict[Candidate, Plan] = {}
        seen = [self.plans[number] for number in parents]
        weights = np.arange(len(parents), 0, -1) / (len(parents) * (len(parents) + 1) / 2)
        for _ in range(count):
            parent = parents[rng.choice(len(parents), p=weights)]
            for _ in range(_TRIES):
                plan, moves = mutate(self.plans[parent], self.site, rng)
                if moves and plan not in seen:
                    break
            else:
                continue
            seen.append(plan)
            number = max(self.plans) + 1 + len(found)
            found[Candidate(number, (), parent, moves, dsl.format_plan(plan))] = plan
        return found

    def _rank(self, generation: Generation) -> list[int]:
        """Return the plans of a generation, the best first.

        Plans are compared by the mean worth of all their games, less one standard error, so that a plan of few games
        does not win by luck. The spread of single games is that of the generation. Equal plans: the older one first.
        """
        spread = float(np.mean([np.std(worth(each.values)) for each in generation.candidates]))
        score = {}
        for each in generation.candidates:
            values = [*self.values.get(each.id, []), *each.values]
            score[each.id] = float(worth(values).mean()) - spread / np.sqrt(len(values))
        return sorted(score, key=lambda number: (-score[number], number))

    def _note(self, generation: Generation) -> None:
        for each in generation.candidates:
            if each.id not in self.plans:
                if not each.text:
                    raise UserError(f"generation {generation.number} of this search has no text of plan {each.id}")
                self.plans[each.id] = dsl.parse_plan(each.text, f"plan {each.id}", self.site.context)
            self.first.setdefault(each.id, each)
            self.values.setdefault(each.id, []).extend(each.values)


def surest(values: Mapping[int, Sequence[float]]) -> int:
    """Return the plan whose games are surely the best: whose mean worth has the highest lower end of its interval.

    Args:
        values: Values of the games of each plan, by its number.
    """
    return max(values, key=lambda number: (interval(worth(values[number]))[0], -number))


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
    """
    return wilson(float(np.mean(values)), len(values), _SIGMAS)
