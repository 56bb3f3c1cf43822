"""Results of the games of a level, as plain values and as tables."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dsl.wording import columns
from hive.engine.batch.result import hints
from hive.engine.ending import Ending
from hive.worlds.wildfire.games import Played
from hive.worlds.wildfire.levels import Level, levels
from hive.worlds.wildfire.score_files import published_runs


@dataclass(frozen=True, kw_only=True)
class LevelGameResult:
    """One finished game: the contents of `Played` without the world and the log of ticks."""

    seed: int
    score: int
    outcome: str
    ticks: int
    losses: Mapping[str, int]
    scores: tuple[int, ...]
    plans: tuple[tuple[int, str], ...]
    ending: Ending | None = None

    @classmethod
    def of(cls, played: Played) -> LevelGameResult:
        """Return the result of a played game."""
        return cls(
            seed=played.world.site.seed,
            score=played.score,
            outcome=played.outcome,
            ticks=played.ticks,
            losses=played.losses,
            scores=tuple(played.scores.tolist()),
            plans=played.plans,
            ending=played.ending,
        )


@dataclass(frozen=True, kw_only=True)
class LevelResult:
    """Games of one level under one method.

    Attributes:
        name: Name of the level, `wildfire/` included.
        level: The level as it was played.
        method: Name of the method that commanded.
        changes: Changed settings of the level, by name.
        games: One game for each seed, at least one.
        seconds: Wall time, compilation included.
        explained: Whether the table says why games ended: the plans are the user's, so the user can change them.
    """

    name: str
    level: Level
    method: str
    changes: Mapping[str, float]
    games: tuple[LevelGameResult, ...]
    seconds: float
    explained: bool = False

    @property
    def mean(self) -> float:
        """Mean final score."""
        return statistics.fmean(game.score for game in self.games)

    @property
    def deviation(self) -> float | None:
        """Sample standard deviation of the final scores; None for a single game."""
        return statistics.stdev(game.score for game in self.games) if len(self.games) > 1 else None

    def json(self) -> dict[str, Any]:
        """Return all but the plans as plain data; `hive.worlds.wildfire.score_files` reads it."""
        return {
            "scenario": self.name,
            "level": self.level.id,
            "method": self.method,
            "rules": self.level.rules,
            "changes": dict(self.changes),
            "seeds": [game.seed for game in self.games],
            "scores": [game.score for game in self.games],
            "mean": self.mean,
            "deviation": self.deviation,
            "max": self.level.best,
            "outcomes": [game.outcome for game in self.games],
            "ticks": [game.ticks for game in self.games],
            "limit": self.level.limit,
            "losses": [dict(game.losses) for game in self.games],
            "seconds": round(self.seconds, 3),
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each game, for tables."""
        return [
            {
                "level": self.level.id,
                "method": self.method,
                "seed": game.seed,
                "outcome": game.outcome,
                "score": game.score,
                "ticks": game.ticks,
                "losses": dict(game.losses),
            }
            for game in self.games
        ]

    def table(self) -> str:
        """Return a readable table: one line for each game, then the mean next to those of the published teams."""
        head = f"{self.name}: best score {self.level.best:,}, at most {self.level.limit:,} ticks"
        lines = [self._games_table()]
        if self.explained:
            lines += hints([(game.seed, game.ending) for game in self.games if game.ending])
        return "\n\n".join([head, "\n".join(lines), methods_table([self])])

    def _games_table(self) -> str:
        terms = self._terms()
        rows = [["seed", "outcome", "ticks", "score", *terms]]
        for game in self.games:
            lost = [f"{game.losses[term]:,}" for term in terms]
            rows.append([str(game.seed), game.outcome, str(game.ticks), f"{game.score:,}", *lost])
        return columns(rows, left=(1,))

    def _terms(self) -> list[str]:
        """Return the kinds of losses that the level counts; for crews and civilians, only kinds that it has."""
        if not self.level.open_ended:
            return []
        level = self.level
        there = {"civilians": level.clusters, "firefighters": level.firefighters, "bulldozers": level.bulldozers}
        return [term for term in self.games[0].losses if there.get(term, 1)]

    def row(self) -> list[str]:
        """Return the cells of a table of methods: name, mean, deviation, and how many seeds were played."""
        return [self.method, *_mean_and_deviation(self.mean, self.deviation), self._whose()]

    def _whose(self) -> str:
        seeds = tuple(game.seed for game in self.games)
        number = f"{len(seeds)} seed{'' if len(seeds) == 1 else 's'}"
        return f"{number}, the published ones" if seeds == levels()[self.level.id].seeds else number


def methods_table(results: Sequence[LevelResult]) -> str:
    """Return a table of the means on one level, next to those of the published teams where the level is unchanged."""
    first = results[0]
    teams = [] if first.changes else [run for run in published_runs() if run.level == first.level.id]
    rows = [[run.method, *_mean_and_deviation(run.mean, run.deviation), "published"] for run in teams]
    return columns([["method", "mean", "deviation", ""], *(each.row() for each in results), *rows], left=(0, 3))


def summary(results: Sequence[LevelResult]) -> str:
    """Return a readable summary with one line for each level."""
    rows = [["level", "method", "games", "mean", "deviation", "best"]]
    for each in results:
        scores = [*_mean_and_deviation(each.mean, each.deviation), f"{each.level.best:,}"]
        rows.append([each.level.id, each.method, str(len(each.games)), *scores])
    return columns(rows, left=(0, 1))


def _mean_and_deviation(mean: float, deviation: float | None) -> list[str]:
    return [f"{mean:,.2f}", "-" if deviation is None else f"{deviation:,.2f}"]
