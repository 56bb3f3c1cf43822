"""The results of a league: ratings, wins and the table of every plan against every other one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from dsl.vocabulary import SIDES
from dsl.wording import columns
from hive.engine.units.leaves import UNIT_TYPES
from hive.experiments.league.games import LeagueGame, closest, points_of, tally
from hive.experiments.league.ratings import Ratings, first_beaten, rate


@dataclass(frozen=True)
class Standings:
    """The games of a league and their ratings.

    Attributes:
        scenario: Name of the scenario.
        names: Names of the n plans.
        games: All games.
        what: What plays, as the table and the keys of `json` call it.
    """

    scenario: str
    names: Sequence[str]
    games: Sequence[LeagueGame]
    what: str = "plan"

    @cached_property
    def points(self) -> Float[np.ndarray, "n n"]:
        """Points of each plan (row) against each other one (column)."""
        return points_of(self.games, len(self.names))

    @cached_property
    def ratings(self) -> Ratings:
        """The ratings, in the order of the names."""
        return rate(self.points)

    @cached_property
    def ends(self) -> Int[np.ndarray, "n 3"]:
        """Wins, draws and losses of each plan."""
        return tally(self.games, len(self.names))

    @cached_property
    def order(self) -> list[int]:
        """Indices of the plans, the best first; equal ones in the order of their names."""
        return sorted(
            range(len(self.names)), key=lambda each: (-round(float(self.ratings.rating[each]), 6), self.names[each])
        )

    @cached_property
    def shares(self) -> Float[np.ndarray, "n n"]:
        """Share of the points that each plan (row) won against each other one (column); NaN on the diagonal."""
        played = self.points + self.points.T
        return np.divide(self.points, played, out=np.full(played.shape, np.nan), where=played > 0)

    @cached_property
    def seats(self) -> Float[np.ndarray, "n 2"]:
        """Share of the points that each plan won in the player's and in the enemy's seat."""
        points, played = np.zeros((2, len(self.names), 2))
        for game in self.games:
            for plan, seat, won in ((game.player, 0, game.points), (game.enemy, 1, 1.0 - game.points)):
                points[plan, seat] += won
                played[plan, seat] += 1
        return points / np.maximum(played, 1)

    @property
    def closest(self) -> LeagueGame:
        """The closest game; see `hive.experiments.league.games.closest`."""
        return closest(self.games)

    def json(self) -> dict[str, Any]:
        """Ratings and counts of each plan, the best first, and all shares of points, in plain values."""
        beaten = first_beaten(self.ratings)
        return {
            "scenario": self.scenario,
            "games": len(self.games),
            "ratings": [
                {
                    "rank": rank,
                    self.what: self.names[each],
                    "rating": round(float(self.ratings.rating[each]), 3),
                    "low": round(float(self.ratings.low[each]), 3),
                    "high": round(float(self.ratings.high[each]), 3),
                    "wins": int(self.ends[each, 0]),
                    "draws": int(self.ends[each, 1]),
                    "losses": int(self.ends[each, 2]),
                    "share": {side: round(float(self.seats[each, at]), 6) for at, side in enumerate(SIDES)},
                    "below_first": bool(beaten[each]),
                }
                for rank, each in enumerate(self.order, 1)
            ],
            "against": {
                self.names[one]: {
                    self.names[other]: round(float(self.shares[one, other]), 6) for other in self.order if other != one
                }
                for one in self.order
            },
            "closest": self.game_json(self.closest),
        }

    def games_json(self) -> Iterator[dict[str, Any]]:
        """Each game in plain values."""
        for game in self.games:
            yield self.game_json(game)

    def game_json(self, game: LeagueGame) -> dict[str, Any]:
        """One game in plain values."""
        return {
            "player": self.names[game.player],
            "enemy": self.names[game.enemy],
            "seed": game.seed,
            "points": game.points,
            "ended": game.ended,
            "ticks": game.ticks,
            "alive": {
                side: {kind: left for kind, left in zip(UNIT_TYPES, game.alive[at], strict=True) if left}
                for at, side in enumerate(SIDES)
            },
        }

    def table(self) -> str:
        """A readable table: one line for each plan, the best first."""
        rows = [["", self.what, "rating", "95% interval", "wins", "draws", "losses", "points in either seat"]]
        for rank, each in enumerate(self.order, 1):
            rows.append(
                [
                    str(rank),
                    self.names[each],
                    f"{self.ratings.rating[each]:.0f}",
                    f"{self.ratings.low[each]:.0f} to {self.ratings.high[each]:.0f}",
                    *map(str, self.ends[each]),
                    f"{self.seats[each, 0]:.0%} and {self.seats[each, 1]:.0%}",
                ]
            )
        return columns(rows, left=(1,))
