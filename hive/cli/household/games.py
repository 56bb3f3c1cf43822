"""Teams of language agents play episodes of housework: all side by side, each with its journal, and how they went."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dsl.wording import columns, plural
from hive.contract import Watch
from hive.household.agents.stage import Estimate
from hive.household.agents.troupe import HouseTroupe
from hive.household.episode import AGENT_NAMES, HouseholdEpisode
from hive.household.policies.figures import Mean, mean_of
from hive.household.recording import HouseRecording
from hive.keep.fields import Line, LineKind
from hive.llm.client import Client
from hive.teams.frameworks.framework import Framework
from hive.teams.kept import episode_of, play_kept
from hive.teams.prompting import Prompts
from hive.teams.rules import TeamRules
from hive.teams.tags import Malformed, read_tags
from hive.teams.transcript import EpisodeTranscript

_LOGGED = re.compile(r"step \d+, (\w+): (.*)", re.DOTALL)


@dataclass(frozen=True, kw_only=True)
class HouseholdCell:
    """What is played.

    Attributes:
        episodes: Each of them is played once for each seed.
        seeds: Seeds of everything random.
        agents: Size of a team.
        framework: How the teams talk and decide.
        rules: How they are run.
        prompts: What they are asked with.
        estimate: Estimates the ticks of proposals from texts; None: proposals have their true ticks.
        tips: The shared list with which the teams begin.
        carry: Whether a team begins each episode with the list with which it ended the one before.
    """

    episodes: Sequence[HouseholdEpisode]
    seeds: Sequence[int]
    agents: int
    framework: Framework
    rules: TeamRules
    prompts: Prompts
    estimate: Estimate | None
    tips: str
    carry: bool


@dataclass(frozen=True, kw_only=True)
class HouseGame:
    """One finished episode.

    Attributes:
        episode: What was played.
        seed: With which seed.
        facts: How it ended.
        played: What was said and done.
        tips: The shared list at its end.
        briefing: The task in words.
        journal: The lines of its journal.
        recording: Every tick, with the messages.
    """

    episode: HouseholdEpisode
    seed: int
    facts: Mapping[str, Any]
    played: EpisodeTranscript
    tips: str
    briefing: str
    journal: str = field(repr=False)
    recording: HouseRecording = field(repr=False)

    @property
    def ticks(self) -> int:
        """Ticks until the goal was met, or the limit."""
        found: int = self.facts["ticks"] if self.facts["finished"] else self.facts["limit"]
        return found

    @property
    def messages(self) -> int:
        """Messages that were sent."""
        return sum(len(step.messages) for step in self.played.steps)

    def json(self) -> dict[str, Any]:
        """Return outcome and costs in plain values."""
        return {**self.facts, "messages": self.messages, "tips": self.tips, **self.played.costs()}


def play_houses(cell: HouseholdCell, client: Client, folder: Path, concurrent: int, show: Watch) -> list[HouseGame]:
    """Play every episode once for each seed; by default all of them side by side.

    Args:
        cell: What is played.
        client: Who answers for all agents.
        folder: Where finished ticks are saved: the same call after an interruption resumes there.
        concurrent: Most requests at the same time.
        show: Receives the progress.

    Raises:
        ModelError: A model could not be asked; all finished ticks are saved.
        UserError: The folder cannot be used.
    """
    if not cell.carry:
        lanes = [(episode, seed) for episode in cell.episodes for seed in cell.seeds]
        return _play(cell, lanes, [cell.tips] * len(lanes), client, folder, concurrent, show)
    tips, games = [cell.tips] * len(cell.seeds), list[HouseGame]()
    for episode in cell.episodes:
        games += _play(cell, [(episode, seed) for seed in cell.seeds], tips, client, folder, concurrent, show)
        tips = [game.tips for game in games[-len(cell.seeds) :]]
    return games


def _play(
    cell: HouseholdCell,
    lanes: Sequence[tuple[HouseholdEpisode, int]],
    tips: Sequence[str],
    client: Client,
    folder: Path,
    concurrent: int,
    show: Watch,
) -> list[HouseGame]:
    show.stage(f"compiling {plural(len(lanes), 'household')}", 1, "program")
    episodes, seeds = zip(*lanes, strict=True)
    troupe = HouseTroupe(
        episodes, cell.agents, seeds, estimate=cell.estimate, exact=cell.estimate is None, tips=list(tips)
    )
    show.stage(f"playing {plural(len(lanes), 'episode')}", max(each.limit for each in episodes), "step")
    names = [f"{episode.name}-{seed}" for episode, seed in lanes]
    live = play_kept(troupe, cell.framework, client, cell.rules, cell.prompts, names, folder, concurrent, show)
    return [
        HouseGame(
            episode=episode,
            seed=seed,
            facts=troupe.results(number),
            played=episode_of(seed, cell.agents, each.journal.rows),
            tips=each.team.tips,
            briefing=each.stage.task,
            journal=each.journal.text(),
            recording=troupe.recording(number, lines_of(each.journal.rows)),
        )
        for number, ((episode, seed), each) in enumerate(zip(lanes, live, strict=True))
    ]


def lines_of(rows: Sequence[Mapping[str, Any]]) -> list[Line]:
    """Return what a journal says as lines of a recording: messages, utterances, lists, and what went wrong."""
    found = []
    for row in rows:
        tick = row["step"] - 1
        for call in row.get("asked", ()):
            kind, tag = _TOLD.get(call["purpose"], (None, ""))
            tags = read_tags(call["text"], (), (tag,)) if kind is not None else Malformed("")
            if kind is not None and not isinstance(tags, Malformed) and tag in tags:
                found.append(Line(tick, AGENT_NAMES.index(call["agent"]), kind, tags[tag]))
        for mail in row.get("mail", ()):
            found.append(Line(tick, AGENT_NAMES.index(mail["sender"]), LineKind.SAY, mail["text"]))
        for log in row.get("log", ()):
            match = _LOGGED.fullmatch(log)
            if match and match[1] in AGENT_NAMES:
                found.append(Line(tick, AGENT_NAMES.index(match[1]), LineKind.PROBLEM, match[2]))
    return found


_TOLD = {"reflect": (LineKind.LESSON, "knowledge"), "talk": (LineKind.TALK, "say")}


def steps_of(games: Sequence[HouseGame]) -> Mean:
    """Return the mean steps; the plays of an episode are averaged first, and an unfinished one counts the limit."""
    by_episode: dict[str, list[int]] = {}
    for game in games:
        by_episode.setdefault(game.episode.name, []).append(game.ticks)
    return mean_of([sum(each) / len(each) for each in by_episode.values()])


def placed(games: Sequence[HouseGame]) -> float:
    """Return the share of the wanted objects that are where they are wanted, the transport rate."""
    return sum(game.facts["placed"] / game.facts["wanted"] for game in games) / len(games)


def table(games: Sequence[HouseGame]) -> str:
    """Return a readable table: a line for each episode, and one for all of them if there are several."""
    head = ["episode", "task", "games", "finished", "placed", "steps", "messages", "abandoned", "calls"]
    rows = [head]
    names = list(dict.fromkeys(game.episode.name for game in games))
    for name in names:
        mine = [game for game in games if game.episode.name == name]
        rows.append([name, mine[0].episode.task, *_cells(mine)])
    if len(names) > 1:
        rows.append(["all", "", *_cells(games)])
    return columns(rows, left=(0, 1))


def _cells(games: Sequence[HouseGame]) -> list[str]:
    count = len(games)
    return [
        str(count),
        str(sum(bool(game.facts["finished"]) for game in games)),
        f"{placed(games):.0%}",
        str(steps_of(games)),
        f"{sum(game.messages for game in games) / count:.1f}",
        f"{sum(game.facts['abandoned'] for game in games) / count:.1f}",
        f"{sum(game.played.calls for game in games) / count:.1f}",
    ]


def figures(games: Sequence[HouseGame]) -> dict[str, Any]:
    """Return the figures of all games, in plain values."""
    steps = steps_of(games)
    return {
        "steps": steps.value,
        "margin": steps.margin if len(games) > 1 and steps.count > 1 else None,
        "episodes": steps.count,
        "games": len(games),
        "finished": sum(bool(game.facts["finished"]) for game in games),
        "placed": placed(games),
    }
