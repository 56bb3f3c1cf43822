"""Games of a team on any world: played side by side in rounds, each with its journal, and kept as they finish."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from dsl.wording import plural
from hive.kit.agent_env import AgentEnv
from hive.kit.keep.runfolder import EXCHANGES
from hive.kit.reporting import Watch
from hive.kit.team_world import Cast, Round, TeamGame, TeamWorld
from hive.players.llm.client import Client
from hive.players.teams.conversation import episode_of
from hive.players.teams.episode import TeamEpisode
from hive.players.teams.frameworks import FRAMEWORKS
from hive.players.teams.frameworks.framework import Framework
from hive.players.teams.kept import play_kept
from hive.players.teams.prompting import Prompts
from hive.players.teams.rules import TeamRules

Seen = Callable[[Round[AgentEnv], Sequence[TeamEpisode]], None]
"""Receives the games of a round before the first step, without episodes, and after each step with them."""


@dataclass(frozen=True, kw_only=True)
class TeamPlayer:
    """Who plays: how a team decides, and who answers for its agents.

    Attributes:
        name: For tables and folders, unique in a run.
        about: Who answers, in words.
        plays: Name of the framework among those of its family.
        framework: How the team talks and decides.
        client: Who answers; never asked by a framework that asks nobody.
        rules: How the team is run.
        prompts: What its agents are asked with.
        title: Name of the method in results; empty: the name of the player.
        unit: What tokens are counted as.
    """

    name: str
    about: str
    plays: str
    framework: Framework[Any]
    client: Client
    rules: TeamRules
    prompts: Prompts
    title: str = ""
    unit: str = "tokens"

    def identity(self) -> list[object]:
        """Return what decides how it plays, in plain values."""
        return [self.name, self.framework.name, self.client.name, self.rules.json(), self.prompts.source]

    def manner(self) -> dict[str, Any]:
        """Return the rules by which the team is run and its prompts, in plain values."""
        return {**self.rules.json(), "prompts": self.prompts.source}

    def calls(self, agents: int) -> tuple[int, int] | None:
        """Return the calls of a step in which no agent is idle, and of one in which all are (docs/rules/teams.md 4.1).

        The second has all planning rounds of HMAS-2; neither has assignments of CAMON's leader. None for a framework
        without such a formula.
        """
        framework, rules = self.framework, self.rules
        if FRAMEWORKS.get(self.plays) is not framework:
            return None
        replans = (rules.planning_rounds - 1) * (1 + agents) if framework.name == "hmas2" else 0
        return framework.calls(rules, agents, 0), framework.calls(rules, agents, agents) + replans

    def play(
        self,
        world: TeamWorld,
        seeds: Sequence[int],
        folder: Path,
        concurrent: int,
        watch: Watch,
        seen: Seen | None = None,
    ) -> list[TeamGame]:
        """Play every world with every seed.

        Args:
            world: What is played.
            seeds: Of each world.
            folder: Where finished steps are saved: the same call after an interruption resumes there.
            concurrent: Most requests at the same time.
            watch: Receives the progress.
            seen: Receives the games step by step; what it raises ends the games.

        Returns:
            The games in the order of the worlds and seeds.

        Raises:
            ModelError: A model could not be asked; all finished steps are saved.
            UserError: The folder cannot be used.
        """
        games: list[TeamGame] = []
        rounds = world.rounds(Cast(self.name, self.plays), seeds, folder, watch)
        found = next(rounds, None)
        while found is not None:
            played = _play(world, found, self, folder, concurrent, watch, seen)
            games += played
            try:
                found = rounds.send(played)
            except StopIteration:
                found = None
        return games


def exchanges_of(folders: Sequence[Path]) -> str:
    """Return all exchanges that games saved in some folders, a recording that repeats them."""
    kept = [path for folder in folders for path in sorted(folder.glob(f"*{EXCHANGES}"))]
    return "".join(path.read_text(encoding="utf-8") for path in kept)


def _play(
    world: TeamWorld,
    found: Round[AgentEnv],
    player: TeamPlayer,
    folder: Path,
    concurrent: int,
    watch: Watch,
    seen: Seen | None,
) -> list[TeamGame]:
    envs = found.episodes.envs
    limit = min(max(env.limit for env in envs), player.rules.steps or max(env.limit for env in envs))
    watch.stage(f"playing {plural(len(envs), world.noun)} with {player.name}", limit, "step")
    names = [name.replace("/", "-") for name in found.names]
    if seen:
        seen(found, ())
    live = play_kept(
        found.episodes,
        player.framework,
        player.client,
        player.rules,
        player.prompts,
        names,
        folder,
        concurrent,
        watch,
        partial(seen, found) if seen else None,
    )
    modelled = player.unit == "tokens"
    return [
        TeamGame(
            name=found.names[number],
            player=player.name,
            framework=player.plays,
            method=player.title or player.name,
            temperature=min(each.temperatures) if modelled and len(each.temperatures) == 1 else None,
            env=each.env,
            facts=found.episodes.results(number),
            transcript=episode_of(each.env.seed, len(each.env.seats), each.journal.rows),
            said=tuple(each.team.said),
            refused=len(each.team.refusals),
            tips=each.team.tips,
            journal=each.journal.text(),
            recording=found.episodes.recording(number, player.framework.lines(each.team, each.journal.rows)),
        )
        for number, each in enumerate(live)
    ]
