"""What runs of rescues are worth: their metrics next to the optimum, and tables of several teams."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast

import jax

from dsl.wording import columns
from hive.kit.environment.env import stack
from hive.kit.team_world import TeamGame
from hive.kit.unplanned import Unscored
from hive.worlds.rescue.agents.agent_env import RescueAgentEnv
from hive.worlds.rescue.claims import Claims, claims
from hive.worlds.rescue.coordination import Coordination, coordination
from hive.worlds.rescue.optimum.play import Optimum
from hive.worlds.rescue.recording import RescueRecording
from hive.worlds.rescue.scores import PUBLISHED_SCORES, RescueScore, score_states
from hive.worlds.rescue.shipped import names


@dataclass(frozen=True)
class _Run:
    """One finished run.

    Attributes:
        game: What was played.
        score: Its score next to the optimum of its instance.
    """

    game: TeamGame
    score: RescueScore

    @property
    def facts(self) -> Mapping[str, Any]:
        """How it ended."""
        return self.game.facts

    @cached_property
    def coordination(self) -> Coordination:
        """How the team coordinated, by rules (docs/rules/rescue.md 11)."""
        return coordination(cast(RescueRecording, self.game.recording))

    @cached_property
    def claims(self) -> Claims:
        """What agents said they gave, and what of it is false (docs/rules/rescue.md 13)."""
        return claims(cast(RescueRecording, self.game.recording))

    def row(self) -> dict[str, Any]:
        """Outcome, metrics and costs in plain values."""
        return {
            "team": self.game.player,
            **({} if self.game.temperature is None else {"temperature": self.game.temperature}),
            **self.facts,
            "optimum": self.score.least,
            "ratio": self.score.ratio,
            "metrics": dict(self.score.metrics),
            "messages": self.game.messages,
            "coordination": self.coordination.json() if self.game.messages else None,
            **({"claims": self.claims.json()} if self.game.messages else {}),
            "costs": self.game.transcript.costs(),
        }


class RescueResults(Unscored):
    """Results of runs of rescues; see `hive.kit.team_world.TeamResults`."""

    def __init__(self, games: Sequence[TeamGame], optima: Mapping[str, Optimum]) -> None:
        """Score runs.

        Args:
            games: The runs.
            optima: The optimum of each instance, by its name.
        """
        envs = [cast(RescueAgentEnv, game.env) for game in games]
        instances = [env.instance for env in envs]
        params = stack([jax.device_get(env.params) for env in envs])
        scores = score_states("", instances, params, stack([env.state for env in envs]))
        self._runs = []
        for game, score in zip(games, scores, strict=True):
            best = optima[score.instance.name]
            least = best.steps if best.served == len(score.instance.victims) else None
            self._runs.append(_Run(game, replace(score, least=least)))

    def rows(self) -> list[dict[str, Any]]:
        """Return the results of each run."""
        return [run.row() for run in self._runs]

    def json(self) -> dict[str, Any]:
        """Return the runs."""
        return {"runs": self.rows()}

    def table(self) -> str:
        """Return two tables: every instance and team, and the sums of each team."""
        teams = list(dict.fromkeys(run.game.player for run in self._runs))
        instances = list(dict.fromkeys(run.score.instance.name for run in self._runs))
        rows = [["rescue", "victims", "optimum", *teams]]
        for name in instances:
            mine = [run for run in self._runs if run.score.instance.name == name]
            cells = ["; ".join(_cell(run) for run in mine if run.game.player == team) for team in teams]
            rows.append([name, str(len(mine[0].score.instance.victims)), str(mine[0].score.least or "-"), *cells])
        sums = [_sums([run for run in self._runs if run.game.player == team], team) for team in teams]
        text = columns(rows, left=(0,)) + "\n\n" + columns([_HEAD, *sums], left=(0,))
        if set(instances) != set(names()):
            return text
        published = ", ".join(f"{name} {helped:g}" for name, helped in PUBLISHED_SCORES.items())
        return f"{text}\n\npublished, of 35 victims on instances that are not public: {published}"


_HEAD = ["team", "helped", "of", "solved", "steps", "by optimum", "redundant", "meetings", "refused", "messages"]
_HEAD += ["level", "false claims", "calls"]
_ENDS = {"mission ended by the agents": "ended", "step limit": "limit"}


def _sums(mine: Sequence[_Run], team: str) -> list[str]:
    solved = [run.score.ratio for run in mine if run.score.ratio is not None]
    ratio = sum(solved) / len(solved) if solved else None
    levels = [run.coordination.level for run in mine if run.game.messages]
    said = [run.claims for run in mine if run.game.messages]
    sums = "total_redundant_agent_moves", "occurrences_2_or_more_agents_same_room"
    return [
        team,
        str(sum(run.facts["helped"] for run in mine)),
        str(sum(run.facts["victims"] for run in mine)),
        str(len(solved)),
        str(sum(run.facts["steps"] for run in mine)),
        "-" if ratio is None else f"{ratio:.3f}",
        *(str(sum(int(run.score.metrics[name] or 0) for run in mine)) for name in sums),
        str(sum(run.facts["refused"] for run in mine)),
        str(sum(run.game.messages for run in mine)),
        f"{sum(levels) / len(levels):.2f}" if levels else "-",
        f"{sum(each.false for each in said)} of {sum(each.made for each in said)}" if said else "-",
        str(sum(run.game.transcript.calls for run in mine)),
    ]


def _cell(run: _Run) -> str:
    """Return the steps of a run, or how many victims it helped and how it ended."""
    if run.facts["success"]:
        return str(run.facts["steps"])
    return f"{run.facts['helped']} of {run.facts['victims']}, {_ENDS.get(run.facts['outcome'], run.facts['outcome'])}"
