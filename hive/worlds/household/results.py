"""What plays of households are worth: the figures of each and of all, and their table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from jaxtyping import Int

from dsl.wording import columns
from hive.kit.team_world import TeamGame
from hive.kit.unplanned import Unscored
from hive.worlds.household.agents.agent_env import HouseAgentEnv
from hive.worlds.household.policies.figures import Mean, mean_of
from hive.worlds.household.policies.trials import Trial


class HouseholdResults(Unscored):
    """Results of plays; see `hive.kit.team_world.TeamResults`."""

    def __init__(self, games: Sequence[TeamGame]) -> None:
        """Take plays, of several players too."""
        self._games = games
        self._players = list(dict.fromkeys(game.player for game in games))

    def rows(self) -> list[dict[str, Any]]:
        """Return the results of each play."""
        return [
            {
                "player": game.player,
                **game.facts,
                "messages": game.messages,
                "tips": game.tips,
                **game.transcript.costs(),
            }
            for game in self._games
        ]

    def json(self) -> dict[str, Any]:
        """Return the figures of all plays, by player if there are several, and the plays."""
        found = {player: figures(self._of(player)) for player in self._players}
        return {"figures": found if len(found) > 1 else found[self._players[0]], "games": self.rows()}

    def table(self) -> str:
        """Return a line for each episode and player, and one for all of a player's episodes if there are several."""
        several = len(self._players) > 1
        head = ["episode", "task", "games", "finished", "placed", "steps", "messages", "abandoned", "calls"]
        rows = [["player"] * several + head]
        for player in self._players:
            games = self._of(player)
            names = list(dict.fromkeys(_episode(game) for game in games))
            for name in names:
                mine = [game for game in games if _episode(game) == name]
                rows.append([player] * several + [name, _env(mine[0]).episode.task, *_cells(mine)])
            if len(names) > 1:
                rows.append([player] * several + ["all", "", *_cells(games)])
        return columns(rows, left=tuple(range(2 + several)))

    def _of(self, player: str) -> list[TeamGame]:
        return [game for game in self._games if game.player == player]


def figures(games: Sequence[TeamGame]) -> dict[str, Any]:
    """Return the figures of some plays, in plain values."""
    steps = steps_of(games)
    return {
        "steps": steps.value,
        "margin": steps.margin if len(games) > 1 and steps.count > 1 else None,
        "episodes": steps.count,
        "games": len(games),
        "finished": sum(bool(game.facts["finished"]) for game in games),
        "placed": placed(games),
    }


def steps_of(games: Sequence[TeamGame]) -> Mean:
    """Return the mean steps; the plays of an episode are averaged first, and an unfinished one counts the limit."""
    by_episode: dict[str, list[int]] = {}
    for game in games:
        by_episode.setdefault(_episode(game), []).append(_steps(game))
    return mean_of([sum(each) / len(each) for each in by_episode.values()])


def placed(games: Sequence[TeamGame]) -> float:
    """Return the share of the wanted objects that are where they are wanted, the transport rate."""
    return sum(game.facts["placed"] / game.facts["wanted"] for game in games) / len(games)


@dataclass(frozen=True, eq=False)
class TeamTrial(Trial):
    """How a team of agents did on some episodes; see `Trial`.

    Attributes:
        messages: `[E, S]` messages that were sent.
        calls: `[E, S]` requests to who answers.
    """

    messages: Int[np.ndarray, "e s"]
    calls: Int[np.ndarray, "e s"]


def trial_of(games: Sequence[TeamGame]) -> TeamTrial:
    """Return the plays of one player, each episode with the same seeds, in the order of the episodes and seeds."""
    episodes = list(dict.fromkeys(_episode(game) for game in games))
    seeds = sorted({game.env.seed for game in games})
    rows = {(_episode(game), game.env.seed): game for game in games}
    grid = [[rows[name, seed] for seed in seeds] for name in episodes]

    def table(value: Callable[[TeamGame], float]) -> np.ndarray:
        return np.array([[value(game) for game in row] for row in grid])

    return TeamTrial(
        ticks=table(_steps),
        finished=table(lambda game: bool(game.facts["finished"])),
        share=table(lambda game: game.facts["placed"] / game.facts["wanted"]),
        messages=table(lambda game: game.messages),
        calls=table(lambda game: game.transcript.calls),
    )


def _steps(game: TeamGame) -> int:
    steps: int = game.facts["ticks"] if game.facts["finished"] else game.facts["limit"]
    return steps


def _env(game: TeamGame) -> HouseAgentEnv:
    return cast(HouseAgentEnv, game.env)


def _episode(game: TeamGame) -> str:
    return _env(game).episode.name


def _cells(games: Sequence[TeamGame]) -> list[str]:
    count = len(games)
    return [
        str(count),
        str(sum(bool(game.facts["finished"]) for game in games)),
        f"{placed(games):.0%}",
        str(steps_of(games)),
        f"{sum(game.messages for game in games) / count:.1f}",
        f"{sum(game.facts['abandoned'] for game in games) / count:.1f}",
        f"{sum(game.transcript.calls for game in games) / count:.1f}",
    ]
