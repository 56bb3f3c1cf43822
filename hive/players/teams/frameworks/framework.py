"""What a framework is: how a team plays one step, and how many calls that takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from hive.kit.agent_env import AgentEnv
from hive.kit.keep.dialogue import Line
from hive.players.teams.conversation import step_lines
from hive.players.teams.perception import Asking
from hive.players.teams.rules import TeamRules
from hive.players.teams.team import Team

NeededEnv = TypeVar("NeededEnv", bound=AgentEnv, contravariant=True)
"""The form of episodes that a framework needs; it also plays those that offer more."""


@dataclass(frozen=True)
class Framework(Generic[NeededEnv]):
    """One way in which a team talks and decides.

    Attributes:
        name: Short name, such as `camon`.
        title: Name for tables, such as `CAMON`.
        about: What it does, in a sentence.
        single: Whether actions last a single step.
        step: Plays one step: it yields lists of calls that do not depend on each other, receives their answers, and
            gives agents their actions.
        calls: Calls of a step by rules, living agents and idle agents, where each call is answered as it should be, no
            agent is bound, CAMON's leader is idle and replaces no action, no COELA agent sends its message, and every
            agent accepts HMAS-2's first plan.
        lines: What a team thought, said and did, by the rows of its journal, as lines of its recording.
    """

    name: str
    title: str
    about: str
    single: bool
    step: Callable[[Team[NeededEnv]], Asking[None]]
    calls: Callable[[TeamRules, int, int], int]
    lines: Callable[[Team[NeededEnv], Sequence[Mapping[str, Any]]], list[Line]] = step_lines


def perceptions(rules: TeamRules, living: int) -> int:
    """Return the calls of a step that perceive."""
    return 0 if rules.direct_perception else living


def translations(rules: TeamRules, actions: int) -> int:
    """Return the calls of a step that translate."""
    return 0 if rules.direct_execution else actions
