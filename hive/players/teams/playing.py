"""Episodes of one world side by side: their calls go out together, and their worlds step in one batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from hive.kit.agent_env import AgentEnv, Episodes
from hive.players.llm.client import Client, Reply
from hive.players.llm.threads import side_by_side
from hive.players.teams.episode import TeamEpisode
from hive.players.teams.frameworks.framework import Framework
from hive.players.teams.journal import Journal
from hive.players.teams.prompting import Prompts
from hive.players.teams.rules import TeamRules
from hive.players.teams.team import Ask

Watch = Callable[[Sequence[TeamEpisode]], None]
"""Receives all episodes after each step of those that play."""

Answered = Callable[[TeamEpisode, Ask, Reply], None]
"""Receives each answer as it arrives, in the thread that plays."""


def play(
    episodes: Episodes[AgentEnv],
    framework: Framework[Any],
    client: Client,
    rules: TeamRules | None = None,
    *,
    prompts: Prompts | None = None,
    journals: Sequence[Journal] | None = None,
    concurrent: int = 4,
    watch: Watch | None = None,
    answered: Answered | None = None,
) -> list[TeamEpisode]:
    """Play all episodes to their end.

    An interrupt or an error leaves in the journals every step that an episode has finished; playing the same episodes
    again with these journals resumes there.

    Args:
        episodes: The episodes, at their beginning.
        framework: How the teams talk and decide.
        client: The model that is asked.
        rules: How the teams are run; None: the published rules.
        prompts: None: the shipped prompts.
        journals: One for each episode; None: in memory.
        concurrent: Most calls at the same time.
        watch: Receives the episodes after each step.
        answered: Receives each answer.

    Returns:
        The episodes, ended.

    Raises:
        ModelError: A call brought no answer.
        UserError: A journal is of another episode, or cannot be written.
    """
    rules, prompts = rules or TeamRules(), prompts or Prompts()
    journals = [Journal() for _ in episodes.envs] if journals is None else journals
    played = [
        TeamEpisode(env, framework, rules, prompts, journal, client.name)
        for env, journal in zip(episodes.envs, journals, strict=True)
    ]
    _end(played)
    while playing := [number for number, episode in enumerate(played) if not episode.over]:
        for number in playing:
            played[number].begin_step()
        while waiting := [played[number] for number in playing if played[number].pending]:
            _ask(client, waiting, concurrent, answered)
        episodes.step(playing)
        _end(played)
        if watch:
            watch(played)
    return played


def _end(episodes: Sequence[TeamEpisode]) -> None:
    for episode in episodes:
        if episode.over:
            episode.end()


def _ask(client: Client, waiting: Sequence[TeamEpisode], concurrent: int, answered: Answered | None) -> None:
    """Ask all pending calls of all episodes at the same time, and hand the answers back."""
    asks = [(episode, ask) for episode in waiting for ask in episode.pending]

    def complete(episode: TeamEpisode, ask: Ask) -> tuple[TeamEpisode, Ask, Reply]:
        return episode, ask, client.complete(episode.request(ask))

    def heard(found: tuple[TeamEpisode, Ask, Reply]) -> None:
        if answered:
            answered(*found)

    found = side_by_side([partial(complete, *each) for each in asks], concurrent, heard)
    for episode in waiting:
        episode.hear([reply for owner, _, reply in found if owner is episode])
