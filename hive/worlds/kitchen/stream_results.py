"""What games with a stream of orders are worth: their deliveries (docs/rules/kitchen.md 5.3)."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, cast

from dsl.wording import columns
from hive.kit.team_world import TeamGame
from hive.kit.unplanned import Unscored
from hive.worlds.kitchen.agents.streaming import StreamAgentEnv


class StreamResults(Unscored):
    """Results of such games; see `hive.kit.team_world.TeamResults`."""

    def __init__(self, games: Sequence[TeamGame]) -> None:
        """Keep the games."""
        self._games = games

    def rows(self) -> list[dict[str, Any]]:
        """Return the results of each game."""
        return [
            {
                "player": game.player,
                **game.facts,
                "game": game.env.seed,
                "score": game.env.score,
                "refused": game.refused,
                **game.transcript.costs(),
            }
            for game in self._games
        ]

    def json(self) -> dict[str, Any]:
        """Return the figures of each player, and the games."""
        figures = {
            player: {
                "games": len(games),
                "deliveries": statistics.fmean(map(len, map(_deliveries, games))),
                "orders": dict(Counter(order for game in games for _, order in _deliveries(game))),
            }
            for player, games in self._by_player().items()
        }
        return {"figures": figures, "games": self.rows()}

    def table(self) -> str:
        """Return a line for each player: deliveries of a game with the fewest and the most, and timesteps of one."""
        head = ["player", "games", "timesteps", "deliveries", "fewest", "most", "timesteps each", "refused", "calls"]
        rows = [head]
        for player, games in self._by_player().items():
            counts = [len(_deliveries(game)) for game in games]
            gaps = [gap for game in games for gap in _gaps(game)]
            rows.append(
                [
                    player,
                    str(len(games)),
                    str(games[0].env.tick),
                    f"{statistics.fmean(counts):.2f}",
                    str(min(counts)),
                    str(max(counts)),
                    f"{statistics.fmean(gaps):.1f}" if gaps else "-",
                    f"{statistics.fmean(game.refused for game in games):.1f}",
                    f"{statistics.fmean(game.transcript.calls for game in games):.1f}",
                ]
            )
        return columns(rows, left=(0,))

    def _by_player(self) -> dict[str, list[TeamGame]]:
        names = dict.fromkeys(game.player for game in self._games)
        return {name: [game for game in self._games if game.player == name] for name in names}


def _deliveries(game: TeamGame) -> list[tuple[int, str]]:
    return cast(StreamAgentEnv, game.env).deliveries


def _gaps(game: TeamGame) -> list[int]:
    """The timesteps from each order to its delivery; the first one comes before timestep 0."""
    times = [-1, *(timestep for timestep, _ in _deliveries(game))]
    return [after - before for before, after in pairwise(times)]
