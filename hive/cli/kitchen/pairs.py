"""Pairs of cooks play tasks of the kitchen: all games side by side, each with its journal, and what they are worth."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from dsl.wording import columns, plural
from hive.contract import Watch
from hive.keep.fields import Line, LineKind
from hive.kitchen.agents.troupe import KitchenTroupe
from hive.kitchen.optimum.play import time_limit
from hive.kitchen.recording import KitchenRecording
from hive.kitchen.runs import Figures, RunScore, by_level, score, summarise
from hive.kitchen.setting import Setting
from hive.kitchen.standard import standard_of
from hive.kitchen.talks import Conversation, Utterance
from hive.kitchen.tasks import Task
from hive.llm.client import Client
from hive.teams.frameworks.cook import FRAMEWORK, NO_MESSAGE
from hive.teams.kept import episode_of, play_kept
from hive.teams.prompting import Prompts
from hive.teams.rules import TeamRules
from hive.teams.team import Said, Team
from hive.teams.transcript import EpisodeTranscript


@dataclass(frozen=True, kw_only=True)
class KitchenGame:
    """One finished game.

    Attributes:
        task: What was ordered.
        number: Number of the game among those of its task, from 0.
        facts: How it ended, and what the cooks completed.
        score: Its metrics.
        episode: What was said and done.
        refused: Number of refused actions.
        briefing: The task in words.
        journal: The lines of its journal.
        recording: Every timestep, with the conversations.
    """

    task: Task
    number: int
    facts: Mapping[str, Any]
    score: RunScore
    episode: EpisodeTranscript
    refused: int
    briefing: str
    journal: str = field(repr=False)
    recording: KitchenRecording = field(repr=False)

    def json(self) -> dict[str, Any]:
        """Return outcome, metrics and costs in plain values."""
        found, capability = self.score, self.score.capability
        return {
            **self.facts,
            "level": self.task.level,
            "game": self.number,
            "success": found.run.success,
            "pc": found.pc,
            "tes": [each.tes for each in found.matches],
            "events": capability.events,
            "ic": capability.ic,
            "rc": capability.rc,
            "ic_required": _number(capability.ic_required),
            "rc_required": _number(capability.rc_required),
            "unknown": [list(each) for each in found.unknown],
            "refused": self.refused,
            **self.episode.costs(),
        }


def play_pairs(
    setting: Setting,
    tasks: Sequence[Task],
    games: int,
    client: Client,
    rules: TeamRules,
    prompts: Prompts,
    folder: Path,
    concurrent: int,
    show: Watch,
) -> list[KitchenGame]:
    """Play some games of each task.

    Args:
        setting: The kitchen.
        tasks: What is ordered.
        games: Games of each task.
        client: Who answers for both cooks.
        rules: How they are run.
        prompts: What they are asked with.
        folder: Where finished timesteps are saved: the same call after an interruption resumes there.
        concurrent: Most requests at the same time.
        show: Receives the progress.

    Raises:
        ModelError: A model could not be asked; all finished timesteps are saved.
        UserError: A task cannot be made in this kitchen, or the folder cannot be used.
    """
    standards = {task.order: standard_of(setting, task) for task in tasks}
    ordered = [task for task in tasks for _ in range(games)]
    limits = {task.order: time_limit(setting, task.order, show) for task in tasks}
    show.stage(f"compiling {plural(len(ordered), 'kitchen')}", 1, "program")
    troupe = KitchenTroupe(setting, ordered, [limits[task.order] for task in ordered])
    show.stage(f"playing {plural(len(ordered), 'game')}", max(stage.limit for stage in troupe.stages), "timestep")
    names = [f"{task.order}-{n % games}" for n, task in enumerate(ordered)]
    live = play_kept(troupe, FRAMEWORK, client, rules, prompts, names, folder, concurrent, show)
    return [
        KitchenGame(
            task=task,
            number=number % games,
            facts=troupe.results(number),
            score=score(troupe.run(number, talks_of(each.team.said)), standards[task.order]),
            episode=episode_of(number % games, len(each.stage.seats), each.journal.rows),
            refused=len(each.team.refusals),
            briefing=each.stage.task,
            journal=each.journal.text(),
            recording=troupe.recording(number, lines_of(each.team)),
        )
        for number, (task, each) in enumerate(zip(ordered, live, strict=True))
    ]


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


def lines_of(team: Team) -> list[Line]:
    """Return the conversations and refusals of a game as lines of its recording, in the order of time."""
    found = [Line(tick, agent, LineKind.PROBLEM, why) for tick, agent, why in team.refusals]
    for each in team.said:
        kinds = {LineKind.THOUGHT: each.analysis, LineKind.ACT: each.plan, LineKind.SAY: each.say}
        found += [
            Line(each.tick, each.speaker, kind, text)
            for kind, text in kinds.items()
            if kind != LineKind.SAY or text.upper() not in NO_MESSAGE
        ]
    return sorted(found, key=lambda line: line.tick)


def table(games: Sequence[KitchenGame]) -> str:
    """Return a readable table: a line for each task, and one for all of them if there are several."""
    rows = [["task", "level", "games", "SR", "delivered", "limit", "PC", "IC", "RC", "talks", "refused", "calls"]]
    levels = by_level([game.score for game in games])
    for level, tasks in levels.items():
        for name, figures in tasks.items():
            rows.append(
                [name, str(level or "-"), *_cells(figures, [game for game in games if game.task.order == name])]
            )
    if sum(map(len, levels.values())) > 1:
        cells = _cells(summarise([game.score for game in games]), games)
        rows.append(["all", "", *cells[:2], "", "", *cells[4:]])
    return columns(rows, left=(0,))


def _cells(figures: Figures, games: Sequence[KitchenGame]) -> list[str]:
    time = "-" if figures.delivery_mean is None else f"{figures.delivery_mean:.1f}".removesuffix(".0")
    count = len(games)
    return [
        str(figures.runs),
        f"{figures.success_rate:.2f}",
        time,
        str(games[0].facts["limit"]),
        *(f"{value:.3f}" for value in (figures.pc, figures.ic, figures.rc)),
        f"{sum(game.score.capability.events for game in games) / count:.1f}",
        f"{sum(game.refused for game in games) / count:.1f}",
        f"{sum(game.episode.calls for game in games) / count:.1f}",
    ]


def figures(games: Sequence[KitchenGame]) -> dict[str, Any]:
    """Return the figures of each task and of all, in plain values."""
    levels = by_level([game.score for game in games])
    return {
        "tasks": {name: _plain(each) for tasks in levels.values() for name, each in tasks.items()},
        "all": _plain(summarise([game.score for game in games])),
    }


def _plain(each: Figures) -> dict[str, Any]:
    return {key: _number(value) if isinstance(value, float) else value for key, value in asdict(each).items()}


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value
