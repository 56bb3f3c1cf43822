"""Short runs of rescues for the tests of agents, recordings and pictures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from hive.players.llm.client import Client
from hive.players.teams.episode import TeamEpisode
from hive.players.teams.frameworks.framework import Framework
from hive.players.teams.frameworks.turns import FRAMEWORK, lines
from hive.players.teams.playing import play
from hive.players.teams.rules import TeamRules
from hive.players.teams.speaking import ScriptedSpeaker
from hive.worlds.rescue.agents.agent_env import RescueAgentEnv
from hive.worlds.rescue.agents.episodes import RescueEpisodes
from hive.worlds.rescue.agents.speaker import answer
from hive.worlds.rescue.recording import RescueRecording
from hive.worlds.rescue.shipped import shipped


def env_of(name: str) -> RescueAgentEnv:
    return RescueAgentEnv(shipped(name), 0, 60)


def do(env: RescueAgentEnv, agent: int, tool: str, room: str = "") -> str:
    """Let an agent call a tool; return what it is told."""
    choice = env.call(agent, tool, {"room": room} if room else {})
    if isinstance(choice, str):
        return choice
    env.begin(agent, choice, True)
    return env.outcome(agent).words


def played(
    names: Sequence[str],
    client: Client | None = None,
    rules: TeamRules | None = None,
    framework: Callable[[RescueEpisodes], Framework] | None = None,
) -> tuple[RescueEpisodes, list[TeamEpisode]]:
    """Runs with the speaker, another client, or a framework that asks nobody."""
    episodes = RescueEpisodes([shipped(name) for name in names])
    chosen = framework(episodes) if framework else FRAMEWORK
    return episodes, play(episodes, chosen, client or ScriptedSpeaker(answer), rules)


@cache
def spoken_run() -> RescueRecording:
    """The scripted team in map_1/agents-1, where both victims are shared; its first call was refused by hand."""
    episodes, (episode,) = played(["map_1/agents-1"], client=ScriptedSpeaker(_first_wrong))
    return episodes.recording(0, lines(episode.team, episode.journal.rows))


def _first_wrong(system: str, texts: Sequence[str]) -> str:
    first = "This is step 1 of" in texts[0] and "Decide: call one tool" in texts[-1] and "You are Alpha" in system
    return "<think>no</think>I try <b>it</b>. <call>give_food()</call>" if first else answer(system, texts)
