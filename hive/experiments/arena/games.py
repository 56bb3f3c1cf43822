"""The games of an arena: every pair of commanders in both seats of every battle, and what they add up to.

Rules: docs/arena.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from dsl.wording import columns
from hive.experiments.commanders.moments import tokens_of
from hive.experiments.commanders.playing import Account, CommandedGame
from hive.experiments.league.games import LeagueGame, pairs_of
from hive.experiments.league.standings import Standings

_POINTS = {"win": 1.0, "lose": 0.0}


@dataclass(frozen=True)
class ArenaGame(LeagueGame):
    """One game of an arena; the outcome decides, since armies and missions of both sides may differ.

    Attributes:
        battle: Name of the battle.
        accounts: What the commander of the player and that of the enemy spent.
    """

    battle: str
    accounts: tuple[Account, Account]

    @property
    def points(self) -> float:
        """Points of the player: 1 for a win, 0 for a loss, 1/2 when time runs out."""
        return _POINTS.get(self.ended, 0.5)


@dataclass(frozen=True)
class Pairing:
    """One game to be played: indices of both commanders, the battle and the seed."""

    player: int
    enemy: int
    battle: str
    seed: int

    def result(self, duel: CommandedGame) -> ArenaGame:
        """Return the game after it was played."""
        return ArenaGame(
            self.player, self.enemy, self.seed, duel.outcome, duel.ticks, duel.alive, self.battle, duel.accounts
        )


def pairings(commanders: int, battles: Sequence[str], seeds: Sequence[int]) -> list[Pairing]:
    """Return all games, battle by battle, with the two seats of a pair next to each other."""
    return [
        Pairing(one, other, battle, seed) for battle in battles for one, other in pairs_of(commanders) for seed in seeds
    ]


@dataclass(frozen=True)
class ArenaStandings:
    """The results of an arena.

    Attributes:
        names: Names of the commanders.
        battles: Names of the battles.
        games: All games.
    """

    names: Sequence[str]
    battles: Sequence[str]
    games: Sequence[ArenaGame]

    @cached_property
    def rated(self) -> Standings:
        """Ratings with intervals, wins and shares of points, by the model of the league."""
        return Standings(", ".join(self.battles), self.names, self.games, "commander")

    def costs(self) -> list[Account]:
        """What each commander spent in all its games, in the order of the names."""
        found = [Account() for _ in self.names]
        for game in self.games:
            for who, account in zip((game.player, game.enemy), game.accounts, strict=True):
                found[who] += account
        return found

    def json(self) -> dict[str, Any]:
        """Ratings, shares of points and costs, in plain values."""
        found = self.rated.json()
        costs = {name: account.json() for name, account in zip(self.names, self.costs(), strict=True)}
        rows = [row | {"costs": costs[row["commander"]]} for row in found["ratings"]]
        return {
            "battles": list(self.battles),
            "games": found["games"],
            "ratings": rows,
            "against": found["against"],
        }

    def games_json(self) -> Iterator[dict[str, Any]]:
        """Each game in plain values."""
        for game in self.games:
            yield self.game_json(game)

    def game_json(self, game: ArenaGame) -> dict[str, Any]:
        """One game in plain values."""
        costs = {"player": game.accounts[0].json(), "enemy": game.accounts[1].json()}
        return {"battle": game.battle, **self.rated.game_json(game), "costs": costs}

    def table(self) -> str:
        """Two readable tables, ratings and costs, the best commander first."""
        costs = self.costs()
        rows = [["commander", "asked", "new plans", "silent", "out of budget", "calls", "tokens", "seconds"]]
        for each in self.rated.order:
            spent = costs[each]
            numbers = (spent.moments, spent.plans, spent.silent, spent.spent, spent.cost.calls)
            cost = (tokens_of(spent.cost), f"{spent.cost.seconds:.1f}")
            rows.append([self.names[each], *(f"{number:,}" for number in numbers), *cost])
        return f"{self.rated.table()}\n\n{columns(rows)}"
