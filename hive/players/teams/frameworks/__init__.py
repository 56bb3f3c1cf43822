"""Ways in which a team talks and decides: one module each, and the table of all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hive.players.teams.frameworks import camon, coela, cook, embodied, hmas2, liet, nothing, proagent, roco, turns
from hive.players.teams.frameworks.framework import Framework
from hive.players.teams.rules import TeamRules

FRAMEWORKS = {
    each.name: each
    for each in (camon.FRAMEWORK, coela.FRAMEWORK, embodied.FRAMEWORK, hmas2.FRAMEWORK, nothing.FRAMEWORK)
}

PROPOSING = {
    "liet": liet.LIET,
    "liet_blind": liet.BLIND,
    "liet_guessed": liet.GUESSED,
    "liet_fixed": liet.FIXED,
    "liet_report": liet.REPORT,
    "liet_kept": liet.KEPT,
    "coela": liet.COELA,
    "proagent": proagent.FRAMEWORK,
    "roco": roco.FRAMEWORK,
    "roco_paid": roco.PAID,
}
"""Frameworks for worlds whose agents choose among proposals (`hive.kit.agent_env.ProposalAgentEnv`)."""


@dataclass(frozen=True, kw_only=True)
class Family:
    """The frameworks for worlds whose agents act in one way.

    Attributes:
        frameworks: By their names; the first one is the default.
        direct_perception: Whether agents of such a world are never asked to describe what they see.
        direct_execution: Whether they are never asked to translate an action that they wrote.
    """

    frameworks: Mapping[str, Framework[Any]]
    direct_perception: bool = False
    direct_execution: bool = False

    def rules(self) -> TeamRules:
        """Return how teams are run by default."""
        return TeamRules(direct_perception=self.direct_perception, direct_execution=self.direct_execution)


FAMILIES = {
    "actions": Family(frameworks=FRAMEWORKS),
    "steps": Family(frameworks=FRAMEWORKS, direct_perception=True, direct_execution=True),
    "plans": Family(frameworks={cook.FRAMEWORK.name: cook.FRAMEWORK}),
    "turns": Family(frameworks={turns.FRAMEWORK.name: turns.FRAMEWORK}),
    "proposals": Family(frameworks=PROPOSING, direct_perception=True),
}
"""By how agents of a world act: `AgentEnv` of `hive.kit.agent_env`, the same with actions of one step that have no
numbers (`hive.kit.environment.step_agent_env`), `PlanAgentEnv`, `TurnAgentEnv` or `ProposalAgentEnv`."""
