"""Teams play rescues: all instances of a team side by side, each with its journal, and what the runs are worth."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jax
import numpy as np

from dsl.wording import plural
from hive.contract import Watch
from hive.keep.fields import Line, LineKind
from hive.llm.client import Client
from hive.rescue.agents.policies import best_plan, heuristic
from hive.rescue.agents.stage import RescueStage
from hive.rescue.agents.troupe import RescueTroupe
from hive.rescue.codes import LITERAL
from hive.rescue.coordination import Coordination, coordination
from hive.rescue.instance import Instance
from hive.rescue.optimum.play import Optimum, optimum
from hive.rescue.recording import RescueRecording
from hive.rescue.scores import score_states
from hive.teams.calls import without_calls
from hive.teams.episode import TeamEpisode
from hive.teams.frameworks.framework import Framework
from hive.teams.frameworks.turns import FRAMEWORK, silent
from hive.teams.kept import episode_of, play_kept
from hive.teams.prompting import Prompts
from hive.teams.rules import TeamRules
from hive.teams.transcript import EpisodeTranscript

_LONGEST = 120  # characters of a folder

HEURISTIC, OPTIMAL, SPEAKER, MODEL = "heuristic", "optimal", "speaker", "model"


@dataclass(frozen=True, kw_only=True)
class RescueTeam:
    """Who plays.

    Attributes:
        kind: `HEURISTIC`, `OPTIMAL`, `SPEAKER` or `MODEL`; a variant of the heuristic as in `heuristic:recheck`.
        name: For tables and folders, unique in a command.
        client: Who answers; never asked by teams that ask nobody.
        rules: How the team is run.
    """

    kind: str
    name: str
    client: Client
    rules: TeamRules


@dataclass(frozen=True, kw_only=True)
class RescueRun:
    """One finished run.

    Attributes:
        team: Who played.
        instance: What was played.
        best: Its optimum.
        facts: How it ended.
        metrics: By their printed names; None for an average over no victim.
        episode: What was said and done.
        task: The task in words.
        journal: The lines of its journal.
        recording: Every step, with the messages.
    """

    team: RescueTeam
    instance: Instance
    best: Optimum
    facts: Mapping[str, Any]
    metrics: Mapping[str, float | int | None]
    episode: EpisodeTranscript
    task: str
    journal: str = field(repr=False)
    recording: RescueRecording = field(repr=False)

    @property
    def least(self) -> int | None:
        """Steps of the optimum; None if no plan helps all victims within the limit."""
        return self.best.steps if self.best.served == len(self.instance.victims) else None

    @property
    def ratio(self) -> float | None:
        """Steps by those of the optimum; None where a victim was not helped."""
        return self.facts["steps"] / self.least if self.facts["success"] and self.least else None

    @property
    def coordination(self) -> Coordination:
        """How the team coordinated, by rules (docs/rules/rescue.md 11)."""
        return coordination(self.recording)

    @property
    def messages(self) -> int:
        """Messages that were sent."""
        return sum(len(step.messages) for step in self.episode.steps)

    def json(self) -> dict[str, Any]:
        """Return outcome, metrics and costs in plain values."""
        return {
            "team": self.team.name,
            **self.facts,
            "optimum": self.least,
            "ratio": self.ratio,
            "metrics": dict(self.metrics),
            "messages": self.messages,
            "coordination": self.coordination.json() if self.messages else None,
            "costs": self.episode.costs(),
        }


def play_team(
    team: RescueTeam,
    instances: Sequence[Instance],
    best: Sequence[Optimum],
    limit: int,
    prompts: Prompts,
    folder: Path,
    concurrent: int,
    show: Watch,
) -> list[RescueRun]:
    """Play each instance once.

    Args:
        team: Who plays.
        instances: What is played.
        best: The optimum of each.
        limit: Most steps of a run.
        prompts: What agents are asked with.
        folder: Where finished steps are saved: the same call after an interruption resumes there.
        concurrent: Most requests at the same time.
        show: Receives the progress.

    Raises:
        ModelError: A model could not be asked; all finished steps are saved.
        UserError: The folder cannot be used.
    """
    show.stage(f"compiling {plural(len(instances), 'rescue')}", 1, "program")
    troupe = RescueTroupe(instances, limit, waits=not team.rules.published)
    show.stage(f"playing {plural(len(instances), 'rescue')} with {team.name}", limit, "step")
    names = [folder_name(instance.name) for instance in instances]
    framework = _framework(team.kind, troupe.stages, best)
    live = play_kept(troupe, framework, team.client, team.rules, prompts, names, folder, concurrent, show)
    params, states = (jax.tree.map(lambda *each: np.stack(each), *rows) for rows in _ended(troupe.stages))
    scores = score_states(team.name, instances, params, states)
    return [
        RescueRun(
            team=team,
            instance=instance,
            best=best[number],
            facts=troupe.results(number),
            metrics=scores[number].metrics,
            episode=episode_of(each.stage.seed, len(each.stage.seats), each.journal.rows),
            task=each.stage.task,
            journal=each.journal.text(),
            recording=troupe.recording(number, lines_of(each), f"{instance.name}: {team.name}"),
        )
        for number, (instance, each) in enumerate(zip(instances, live, strict=True))
    ]


def _ended(stages: Sequence[RescueStage]) -> Iterator[list[Any]]:
    """Yield the arrays and the last states of all runs, on the host."""
    yield [jax.device_get(stage.params) for stage in stages]
    yield [stage.state for stage in stages]


def optima(instances: Sequence[Instance], limit: int, show: Watch) -> list[Optimum]:
    """Search the optimum of each instance."""
    show.stage("searching the optimum", len(instances), "rescue")
    found = []
    for number, instance in enumerate(instances, 1):
        stage = RescueStage(instance, 0, limit)
        found.append(optimum(jax.device_get(stage.params)))
        show.update(number)
    return found


def lines_of(live: TeamEpisode) -> list[Line]:
    """Return what the agents of an episode thought, did and said as lines of its recording, turn by turn."""
    team = live.team
    lines = []
    for row in live.journal.rows[:-1]:
        for agent, seat in enumerate(live.stage.seats):
            step = int(row["step"])
            thoughts = [call for call in row["asked"] if call["agent"] == seat.name and call["purpose"] != "message"]
            said = [without_calls(call["text"]) for call in thoughts]
            lines += [Line(step, agent, LineKind.THOUGHT, text) for text in said if text]
            refused = any((tick + 1, who) == (step, agent) for tick, who, _ in team.refusals)
            kind = LineKind.PROBLEM if refused else LineKind.ACT
            lines += [Line(step, agent, kind, words) for tick, words in team.effects[agent] if tick + 1 == step]
            sent = [mail["text"] for mail in row["mail"] if mail["sender"] == seat.name]
            lines += [Line(step, agent, LineKind.SAY, text) for text in sent]
    return lines


def _framework(kind: str, stages: Sequence[RescueStage], best: Sequence[Optimum]) -> Framework:
    name, _, how = kind.partition(":")
    if name == HEURISTIC:
        return silent(kind, "Each agent follows the heuristic of the study.", heuristic(how or LITERAL))
    if kind == OPTIMAL:
        plans = list(zip(stages, best, strict=True))
        return silent(OPTIMAL, "The team follows a plan of the fewest steps.", best_plan(plans))
    return FRAMEWORK


def folder_name(text: str) -> str:
    """Return a name as that of a folder, such as `map_7-agents-1`; other signs than letters and digits become `-`.

    What is too long for a folder loses its end.
    """
    kept = "".join(sign if sign.isalnum() or sign in "_.-" else "-" for sign in text).strip(".-")
    return kept[:_LONGEST] or "unnamed"


def steps_text(run: RescueRun) -> str:
    """Return a line of JSON for the start and for each step."""
    return "".join(json.dumps(row) + "\n" for row in run.episode.rows())
