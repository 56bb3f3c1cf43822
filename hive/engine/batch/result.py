"""Results of games: the results of one plan, as a table and as plain values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dsl.vocabulary import SIDES
from dsl.wording import plural
from hive.engine.ending import Ending
from hive.engine.metrics import Metrics
from hive.engine.types import OUTCOMES
from hive.engine.units.leaves import UNIT_TYPES
from hive.engine.world import EngineWorld
from hive.kit.intervals import wilson

ENDS = (*OUTCOMES[1:], "invalid_plan", "no_plan")

GameProgress = Callable[[int, Sequence[str]], None]
"""Called between segments with the tick reached and the outcome of each game so far, `running` or a name of `ENDS`."""


@dataclass(frozen=True)
class Result:
    """Games of one plan, arrays over games `[B]`.

    Attributes:
        scenario: Name of the scenario.
        plan: Name of the plan.
        seed: `[B]`.
        outcome: `[B]` names of `ENDS`.
        ticks: `[B]` length of each game; NaN for a game that could not be played.
        score: `[B]` at the end, NaN for a game that could not be played. What it is depends on the player's objective,
            as `score_is` says. Metres from its nearest place to the nearest live unit that counts, where one unit at a
            place is enough: lower is better, infinite when none lives. For all others higher is better: the share of
            enemies that are dead (an elimination), of the units needed that are at a place (a position for several),
            or of the ticks that have passed (a survival), each 0 to 1; the points of a level of wildfires, at most 0 in
            those against a fire. To average over worlds, take `hive.engine.batch.value.values(world, result)`: 0 to 1,
            higher is better, in all of them.
        score_is: What the score measures.
        survivors: `[B, 2, K]` live units at the end by side and type.
        achieved: `[B, P]` tick at which each step of the plan was achieved, -1 if never.
        way: `[B, 2, 2]` steps on foot from each side's nearest live unit to the place of its objective: at tick 0, and
            the fewest over all ticks; -1 for a side whose objective names no place.
        seconds: Wall time of the batches that held the games, compilation included.
        metrics: For each game the metrics of every tick, leaves `[ticks, ...]`; empty for a sweep.
        types: Names of the K unit types.
        rules: The rules that a sweep changed for these games, by name; all other rules are the scenario's.
        endings: For each game why it ended and what to try; empty for a sweep.
    """

    scenario: str
    plan: str
    seed: np.ndarray
    outcome: tuple[str, ...]
    ticks: np.ndarray
    score: np.ndarray
    score_is: str
    survivors: np.ndarray
    achieved: np.ndarray
    way: np.ndarray
    seconds: float
    metrics: tuple[Metrics, ...] = field(repr=False)
    types: tuple[str, ...] = UNIT_TYPES
    rules: Mapping[str, float] = field(default_factory=dict)
    endings: tuple[Ending, ...] = ()

    @property
    def outcomes(self) -> dict[str, int]:
        """Number of games with each end."""
        return {end: self.outcome.count(end) for end in ENDS}

    @property
    def won(self) -> np.ndarray:
        """`[B]` whether each game was won."""
        return np.array([end == "win" for end in self.outcome])

    @property
    def win_rate(self) -> float:
        """Share of games that were won, 0 to 1."""
        return self.outcome.count("win") / len(self.outcome)

    @property
    def win_interval(self) -> tuple[float, float]:
        """The 95% interval of `win_rate` by Wilson's score, each end 0 to 1."""
        return wilson(self.win_rate, len(self.outcome))

    def json(self) -> dict[str, Any]:
        """Summary and games in plain values; None for an infinite score, and for score and ticks of unplayed games."""
        return {
            "scenario": self.scenario,
            "plan": self.plan,
            "games": len(self.seed),
            "outcomes": self.outcomes,
            "score": {"is": self.score_is} | summary_of(self.score),
            "ticks": summary_of(self.ticks),
            "seconds": round(self.seconds, 3),
            "results": self.games(),
        }

    def brief(self) -> dict[str, Any]:
        """Return `json` without the names of the scenario and the plan, and without the time that the games took."""
        return {key: value for key, value in self.json().items() if key not in ("scenario", "plan", "seconds")}

    def games(self) -> list[dict[str, Any]]:
        """Each game in plain values."""
        return [
            {
                "seed": int(self.seed[game]),
                "outcome": self.outcome[game],
                "ticks": int(self.ticks[game]) if np.isfinite(self.ticks[game]) else None,
                "score": _plain(self.score[game]),
                "survivors": {side: self._by_type(game, number) for number, side in enumerate(SIDES)},
                "achieved": [int(tick) if tick >= 0 else None for tick in self.achieved[game]],
                "steps_to_objective": {side: _steps(self.way[game, number]) for number, side in enumerate(SIDES)},
                **({"why": self.endings[game].why, "advice": self.endings[game].advice} if self.endings else {}),
            }
            for game in range(len(self.seed))
        ]

    def table(self) -> str:
        """A readable table: one line for each game and a line of totals; then why games were not won, what to try."""
        head = _LINE.format("seed", "outcome", "ticks", "score", "player", "enemy")
        return "\n".join([head, *self.rows(), self.total(), *hints([*zip(self.seed, self.endings, strict=False)])])

    def rows(self) -> list[str]:
        """The lines of the table, one for each game."""
        left = self.survivors.sum(2)
        columns = zip(self.seed, self.outcome, self.ticks, self.score, left[:, 0], left[:, 1], strict=True)
        return [_LINE.format(seed, end, ticks, f"{score:.3g}", *sides) for seed, end, ticks, score, *sides in columns]

    def total(self) -> str:
        """Summary of all games in one line."""
        ends = ", ".join(f"{count} {end.replace('_', ' ')}" for end, count in self.outcomes.items() if count)
        games = f"{len(self.seed)} game{'' if len(self.seed) == 1 else 's'}"
        return f"{games}: {ends}; score ({self.score_is}): {self._mean()}"

    def _mean(self) -> str:
        """The mean score of the games that have a finite one, and why others have none."""
        finite, lost = np.isfinite(self.score), int(np.isinf(self.score).sum())
        mean = f"mean {self.score[finite].mean():.3g}" if finite.any() else "no mean"
        return f"{mean}; without {plural(lost, 'game')} in which no unit was left" if lost else mean

    def _by_type(self, game: int, side: int) -> dict[str, int]:
        return {name: int(left) for name, left in zip(self.types, self.survivors[game, side], strict=True) if left}


def hints(games: Sequence[tuple[int, Ending]]) -> list[str]:
    """Return a line for each outcome but a win: why the first game with this outcome ended so, and what to try.

    Args:
        games: Seed and end of each game.
    """
    found: dict[str, list[tuple[int, Ending]]] = {}
    for seed, ending in games:
        if ending.outcome != "win":
            found.setdefault(ending.outcome, []).append((seed, ending))
    return [
        f"seed {seed}{' (and ' + plural(len(rest), 'other game') + ')' if rest else ''}: {ending}"
        for (seed, ending), *rest in found.values()
    ]


_LINE = "{:>8}  {:<13} {:>6} {:>8} {:>8} {:>8}"


def _steps(way: np.ndarray) -> dict[str, int] | None:
    """Steps to the place of an objective; None where it names none."""
    return {"at_start": int(way[0]), "fewest": int(way[1])} if way[0] >= 0 else None


def _plain(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def summary_of(values: np.ndarray) -> dict[str, float | None]:
    """Mean, least and greatest of an array of any shape in plain values; None where infinite or unknown."""
    return {"mean": _plain(values.mean()), "min": _plain(values.min()), "max": _plain(values.max())}


def unplayed(
    world: EngineWorld, name: str, seeds: Sequence[int], end: str, rules: Mapping[str, float] | None = None
) -> Result:
    """The games of a plan that could not be played: `end` is `invalid_plan` or `no_plan`; no score and no ticks."""
    number = len(seeds)
    return Result(
        scenario=world.name,
        plan=name,
        seed=np.asarray(seeds, np.uint32),
        outcome=(end,) * number,
        ticks=np.full(number, np.nan),
        score=np.full(number, np.nan),
        score_is=world.score_is,
        survivors=np.zeros((number, len(SIDES), len(UNIT_TYPES)), np.int32),
        achieved=np.zeros((number, 0), np.int32),
        way=np.full((number, 2, 2), -1, np.int32),
        seconds=0.0,
        metrics=(),
        rules=rules or {},
    )
