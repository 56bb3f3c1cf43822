"""Groups of drawn battles are played by the panel: few compiled programs, each of a batch of one shape.

Rules: docs/rules/sets.md 2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

import dsl
from bt import capacity
from dsl import PlanSyntax
from hive.engine.batch.capacities import Capacities
from hive.engine.batch.mixed import Entry, Shape, play_mixed
from hive.engine.batch.result import Result
from hive.engine.reading import compile_checked, read_plan
from hive.engine.types import PLAYER
from hive.experiments.panel.members import BUDGETS, GAMES, MOST_GAMES, PLAIN, SEARCH, SOLUTION, PanelRow, plain_plans
from hive.experiments.search.evolve import Search, SearchSettings
from hive.experiments.search.playing import LEAST, worths
from hive.experiments.search.site import site_of
from hive.kit.keep.places import read_text
from hive.worlds.battle.drawn.classes import read_name
from hive.worlds.battle.drawn.draw import Drawn, draw_with_facts
from hive.worlds.battle.drawn.sets import digest_of_files
from hive.worlds.battle.world import Battle

MANY = 32
"""Battles whose members without a search are one batch: the more games, the fewer lanes are idle at its end."""
_FEW = 8  # least capacity of such a batch, so that small ones share a program

_SETTINGS = SearchSettings(games=MOST_GAMES, plans=16, seeds=2, first_seeds=1)  # seeds of drawn battles differ little
_SEARCHED = replace(LEAST, lanes=_SETTINGS.batch, plans=_SETTINGS.most_plans, places=128)
_TESTED = replace(LEAST, lanes=GAMES, battles=1, plans=1)
_CAPACITIES = Capacities(_SEARCHED.plans, _SEARCHED.steps, _SEARCHED.groups, _SEARCHED.memberships, _SEARCHED.places)

Told = Callable[[PanelRow], None]
"""Called with each result as it comes."""


@dataclass
class Trial:
    """A battle of a group while the panel plays it.

    Attributes:
        name: Its name.
        rows: What was found out so far, by member.
    """

    name: str
    rows: dict[str, PanelRow] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Draw the battle."""
        self.drawn: Drawn = draw_with_facts(*read_name(self.name))
        self.digest = digest_of_files(self.drawn)
        self.world = Battle(self.drawn.scenario)
        self.plans = plain_plans(self.drawn)

    @property
    def won(self) -> bool:
        """Whether a member without a search wins."""
        return any(self.rows[member].won for member in PLAIN)

    @property
    def best(self) -> str:
        """The member without a search whose games were worth most; the later one of equals."""
        return max(PLAIN, key=lambda member: (self.rows[member].value, PLAIN.index(member)))

    def row(self, member: str, result: Result, **facts: Any) -> PanelRow:
        """Return what a member did, and keep it."""
        value = round(float(worths(self.world, result).mean()), 4)
        facts.setdefault("plan", self.plans.get(member))
        self.rows[member] = PanelRow(self.name, self.digest, member, result.outcomes["win"], value, **facts)
        return self.rows[member]


class PanelSearch:
    """The search for a plan in one battle."""

    def __init__(self, trial: Trial, most: int, member: str) -> None:
        """Begin with the plan of a member without a search.

        Args:
            trial: The battle.
            most: Most plans to try.
            member: The member.
        """
        self.trial, self.most = trial, most
        start = dsl.parse_plan(trial.plans[member], f"{member}.plan", trial.world.context())
        self.search = Search(start, site_of(trial.world, trial.world.sizes, _CAPACITIES), _SETTINGS)
        self._tested: int | None = None

    def advance(self) -> None:
        """Play one more generation."""
        self.search.advance(Evaluation(self.trial.world))

    @property
    def ended(self) -> bool:
        """Whether the games or the plans are used up: another generation could go beyond the most plans."""
        return self.search.over or (bool(self.search.generations) and self._next > self.most)

    @property
    def _next(self) -> int:
        """The plans after one more generation."""
        won = any(value >= 1 for values in self.search.values.values() for value in values)
        rows = _SETTINGS.batch // (_SETTINGS.seeds if won else _SETTINGS.first_seeds)
        return len(self.search.plans) + rows - len(self.search.generations[-1].kept)

    @property
    def due(self) -> bool:
        """Whether the best plan is to be tested: it is another one that won half of its games, or the last of a level.

        A longer search tests where a shorter one ends, so that the level does not depend on which was asked for.
        """
        values = self.search.values[self.search.best]
        promising = 2 * sum(value >= 1 for value in values) >= len(values)
        last = any(len(self.search.plans) <= most < self._next for most in BUDGETS.values())
        return self.ended or last or (promising and self._tested != self.search.best)

    @property
    def text(self) -> str:
        """The best plan."""
        return dsl.format_plan(self.search.plans[self.search.best]) + "\n"

    def take(self, result: Result) -> PanelRow | None:
        """Receive the test of the best plan; return what the search did once it is known."""
        self._tested = self.search.best
        if not self.ended and 2 * result.outcomes["win"] < GAMES:
            return None
        return self.trial.row(
            SEARCH,
            result,
            plan=self.text,
            plans=len(self.search.plans),
            budget=self.most,
            searched=self.search.games,
            over=self.search.over,
        )


def measure(trials: Sequence[Trial], most: int, told: Told, members: Sequence[str] = PLAIN) -> None:
    """Play battles of one side of the map: the members without a search, then searches where none wins.

    What is found about a battle does not depend on the others.

    Args:
        trials: The battles, best `MANY` of them; what members did in them already is not played again.
        most: Most plans of a search, which needs all members; 0: there is none.
        told: Called with each result as it comes.
        members: Those of `PLAIN` that play.
    """
    if due := [(trial, member) for trial in trials for member in members if member not in trial.rows]:
        battles = max(_FEW, capacity(len({trial.name for trial, _ in due})))
        rows = battles * len(PLAIN)
        shape = replace(LEAST, lanes=rows * GAMES, battles=battles, plans=rows)
        results = _play([(trial, trial.plans[member]) for trial, member in due], shape)
        for (trial, member), result in zip(due, results, strict=True):
            told(trial.row(member, result))
    for trial in trials:
        if most and not trial.won and SEARCH not in trial.rows:
            told(_searched(PanelSearch(trial, most, trial.best)))


def play_solution(trial: Trial, file: Path) -> PanelRow:
    """Return what the plan of a file does that somebody found for a battle.

    Raises:
        UserError: The plan has errors, or cannot be read.
    """
    entry = Entry(trial.world, read_plan(file, trial.world), range(GAMES))
    return trial.row(SOLUTION, *play_mixed([entry], shape=_TESTED), plan=read_text(file))


def _searched(search: PanelSearch) -> PanelRow:
    """Carry out a search and return what it did."""
    row = None
    while row is None:
        search.advance()
        if search.due:
            row = search.take(*_play([(search.trial, search.text)], _TESTED))
    return row


@dataclass(frozen=True)
class Evaluation:
    """Plays plans of one battle in batches of the shape of all searches; an `Evaluate` of `evolve`.

    Attributes:
        world: The battle.
    """

    world: Battle

    def __call__(self, plans: Sequence[PlanSyntax], seeds: Sequence[int]) -> Float[np.ndarray, "P S"]:
        """Return the value of each plan's game with each seed; a win adds the share of own units alive."""
        compiled = [compile_checked(plan, self.world, PLAYER) for plan in plans]
        capacities = replace(_CAPACITIES, plans=max(1, _SEARCHED.lanes // len(seeds)))
        found = [
            result
            for part in capacities.batches(compiled)
            for result in play_mixed([Entry(self.world, compiled[at], seeds) for at in part], shape=_SEARCHED)
        ]
        return np.stack([worths(self.world, result) for result in found])


def _play(plans: Sequence[tuple[Trial, str]], shape: Shape) -> list[Result]:
    """Play plans with the seeds of the panel, in batches of a shape; those of one battle stand together."""
    entries = [Entry(trial.world, read_plan(text, trial.world), range(GAMES)) for trial, text in plans]
    return play_mixed(entries, shape=shape)
