"""What games of the kitchen are worth: the metrics of each, the figures of each task and of all, and their table."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, cast

from dsl.wording import columns
from hive.kit.agent_env import Said
from hive.kit.team_world import TeamGame
from hive.kit.unplanned import Unscored
from hive.worlds.kitchen.agents.agent_env import KitchenAgentEnv
from hive.worlds.kitchen.agents.episodes import run_of
from hive.worlds.kitchen.rescoring import Limits, against_annotated, annotated_table, sweep, sweep_table
from hive.worlds.kitchen.runs import (
    Figures,
    KitchenRun,
    RunScore,
    Standard,
    by_level,
    score,
    summarise,
    summarise_tasks,
)
from hive.worlds.kitchen.talks import MISTAKES, OUTCOMES, Conversation, Utterance, confusion


@dataclass(frozen=True)
class _Scored:
    """A game and its metrics."""

    game: TeamGame
    score: RunScore

    @property
    def env(self) -> KitchenAgentEnv:
        """The game as its cooks know it."""
        return cast(KitchenAgentEnv, self.game.env)

    def row(self) -> dict[str, Any]:
        """Outcome, metrics and costs in plain values."""
        found, capability = self.score, self.score.capability
        return {
            "player": self.game.player,
            **self.game.facts,
            "level": self.env.order.level,
            "game": self.env.seed,
            "success": found.run.success,
            "pc": found.pc,
            "tes": list(found.tes),
            "events": capability.events,
            "ic": capability.ic,
            "rc": capability.rc,
            "ic_required": _number(capability.ic_required),
            "rc_required": _number(capability.rc_required),
            "unknown": [list(each) for each in found.unknown],
            "refused": self.game.refused,
            **self.game.transcript.costs(),
        }


class KitchenResults(Unscored):
    """Results of games of the kitchen; see `hive.kit.team_world.TeamResults`."""

    def __init__(
        self,
        games: Sequence[TeamGame],
        standards: Mapping[str, Standard],
        limits: Limits | None = None,
        annotated: Mapping[str, Standard] | None = None,
        levels: Collection[int] = (),
    ) -> None:
        """Score games.

        Args:
            games: The games.
            standards: What those of each task are scored against, by its order.
            limits: Time limits with which they are scored besides their own; None: none.
            annotated: The same as `standards` with annotated reference trajectories, which are compared; None: none.
            levels: Those of which all tasks are played, which have figures of their own.
        """
        self._levels = levels
        self._standards, self._limits, self._annotated = standards, limits or {}, annotated or {}
        self._games = [
            _Scored(game, score(run_of(cast(KitchenAgentEnv, game.env), talks_of(game.said)), standards[order]))
            for game in games
            for order in [game.facts["task"]]
        ]

    def rows(self) -> list[dict[str, Any]]:
        """Return the results of each game."""
        return [each.row() for each in self._games]

    def json(self) -> dict[str, Any]:
        """Return the figures of each task, of each whole level and of all, and the games."""
        players = list(dict.fromkeys(each.game.player for each in self._games))
        found = {name: self._figures([each for each in self._games if each.game.player == name]) for name in players}
        again = {
            "gamma": {name: rows for name in players if (rows := self._sweep(name))},
            "annotated": {name: rows for name in players if (rows := self._compared(name))},
        }
        more = {key: rows[players[0]] if len(players) == 1 else rows for key, rows in again.items() if rows}
        return {"figures": found[players[0]] if len(players) == 1 else found, **more, "games": self.rows()}

    def table(self) -> str:
        """Return a line for each task, each whole level and all tasks of a player; then the further tables.

        These have the outcomes of conversations, and the scores with other limits and annotated trajectories.
        """
        head = ["task", "level", "games", "SR", "delivered", "limit", "PC", "IC", "RC", "talks", "refused", "calls"]
        players = list(dict.fromkeys(each.game.player for each in self._games))
        rows = [["player"] * (len(players) > 1) + head]
        for player in players:
            mine = [each for each in self._games if each.game.player == player]
            rows += [[player] * (len(players) > 1) + row for row in self._rows(mine)]
        tables = [columns(rows, left=(0, 1) if len(players) > 1 else (0,)), self._talks(players)]
        for player in players:
            title = f"{player}\n" if len(players) > 1 else ""
            again = sweep_table(self._sweep(player)), annotated_table(self._compared(player))
            tables += [title + table for table in again if "\n" in table]
        return "\n\n".join(filter(None, tables))

    def _runs(self, player: str) -> list[KitchenRun]:
        return [run_of(each.env, talks_of(each.game.said)) for each in self._games if each.game.player == player]

    def _sweep(self, player: str) -> list[dict[str, Any]]:
        return sweep(self._runs(player), self._standards, self._limits)

    def _compared(self, player: str) -> list[dict[str, Any]]:
        return against_annotated(self._runs(player), self._standards, self._annotated)

    def _talks(self, players: Sequence[str]) -> str:
        """Return the confusion matrix of each player that talked, and its wrong initiations by kind."""
        rows = []
        for player in players:
            events = [event for each in self._games if each.game.player == player for event in each.score.events]
            kinds = [sum(event.mistake == kind for event in events) for kind in MISTAKES]
            if events:
                rows.append([player, str(len(events)), *map(str, confusion(events).values()), *map(str, kinds)])
        return columns([["player", "conversations", *OUTCOMES, *MISTAKES], *rows], left=(0,)) if rows else ""

    def _figures(self, games: Sequence[_Scored]) -> dict[str, Any]:
        levels = by_level([each.score for each in games])
        whole = {
            str(level): _plain(summarise_tasks([each.score for each in games if each.score.run.level == level]))
            for level in levels
            if level in self._levels
        }
        return {
            "tasks": {name: _plain(each) for tasks in levels.values() for name, each in tasks.items()},
            **({"levels": whole} if whole else {}),
            "all": _plain(summarise([each.score for each in games])),
        }

    def _rows(self, games: Sequence[_Scored]) -> list[list[str]]:
        rows = []
        levels = by_level([each.score for each in games])
        for level, tasks in levels.items():
            here = [each for each in games if each.score.run.level == level]
            for name, figures in tasks.items():
                mine = [each for each in here if each.env.order.order == name]
                rows.append([name, str(level or "-"), *_cells(figures, mine)])
            if level in self._levels:
                cells = _cells(summarise_tasks([each.score for each in here]), here)
                rows.append([f"level{level}", str(level), *cells])
        if sum(map(len, levels.values())) > 1:
            cells = _cells(summarise([each.score for each in games]), games)
            rows.append(["all", "", *cells[:2], "", "", *cells[4:]])
        return rows


def talks_of(said: Sequence[Said]) -> list[Conversation]:
    """Return the conversations of a game, for the metrics."""
    found: list[Conversation] = []
    for each in said:
        utterance = Utterance(each.speaker, each.say, each.plan)
        if each.opens:
            found.append(Conversation(each.tick, (utterance,)))
        else:
            found[-1] = Conversation(found[-1].timestep, (*found[-1].utterances, utterance))
    return found


def _cells(figures: Figures, games: Sequence[_Scored]) -> list[str]:
    time = "-" if figures.delivery_mean is None else f"{figures.delivery_mean:.1f}".removesuffix(".0")
    count, limits = len(games), {str(each.game.facts["limit"]) for each in games}
    return [
        str(figures.runs),
        f"{figures.success_rate:.2f}",
        time,
        limits.pop() if len(limits) == 1 else "",
        *(f"{value:.3f}" for value in (figures.pc, figures.ic, figures.rc)),
        f"{sum(each.score.capability.events for each in games) / count:.1f}",
        f"{sum(each.game.refused for each in games) / count:.1f}",
        f"{sum(each.game.transcript.calls for each in games) / count:.1f}",
    ]


def _plain(each: Figures) -> dict[str, Any]:
    return {key: _number(value) if isinstance(value, float) else value for key, value in asdict(each).items()}


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value
