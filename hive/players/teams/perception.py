"""What agents perceive, as a paragraph each: by a call of a model, or the world's own (docs/rules/teams.md 2)."""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeVar

from hive.players.llm.client import Message, clean
from hive.players.teams.mail import one_line
from hive.players.teams.rules import LONGEST_ANSWER
from hive.players.teams.tags import spoken
from hive.players.teams.team import Ask, Team

Result = TypeVar("Result")

Asking = Generator[list[Ask], list[str], Result]
"""A part of a step: it yields calls that do not depend on each other, and receives their answers in the same order."""


def perceive(team: Team) -> Asking[None]:
    """Read what every living agent sees, busy or not."""
    if team.rules.direct_perception:
        team.perceptions = {agent: one_line(seen.paragraph) for agent, seen in team.observations.items()}
        return
    if not team.living:
        return
    texts = yield [
        Ask(agent, "perceive", (Message("system", seen.role), Message("user", seen.view)))
        for agent, seen in team.observations.items()
    ]
    for agent, text in zip(team.observations, texts, strict=True):
        paragraph = one_line(spoken(clean(text))) if len(text) <= LONGEST_ANSWER else ""
        if not paragraph:
            team.note(agent, "its perception is empty or too long; it perceives nothing")
        team.perceptions[agent] = paragraph or "What it sees could not be read."
