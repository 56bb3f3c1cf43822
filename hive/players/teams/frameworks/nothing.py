"""Do nothing: no calls, and agents without an action stand (docs/rules/teams.md 9)."""

from __future__ import annotations

from hive.kit.agent_env import AgentEnv
from hive.players.teams.frameworks.framework import Framework
from hive.players.teams.perception import Asking
from hive.players.teams.team import Team


def step(team: Team[AgentEnv]) -> Asking[None]:
    """Give no agent an action."""
    yield from ()


FRAMEWORK = Framework("nothing", "Do Nothing", "No agent acts, and no call is made.", False, step, lambda *_: 0)
