"""What agents perceive, as a paragraph each: by a call of a model, or the world's own (docs/rules/teams.md 2)."""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeVar

from dsl import UserError
from hive.kit.agent_env import AgentEnv, Observation
from hive.players.llm.client import Image, Message, clean
from hive.players.teams.mail import one_line
from hive.players.teams.rules import LONGEST_ANSWER
from hive.players.teams.tags import spoken
from hive.players.teams.team import Ask, Team

Result = TypeVar("Result")

Asking = Generator[list[Ask], list[str], Result]
"""A part of a step: it yields calls that do not depend on each other, and receives their answers in the same order."""


def perceive(team: Team[AgentEnv]) -> Asking[None]:
    """Read what every living agent sees, busy or not."""
    if team.rules.direct_perception:
        team.perceptions = {agent: one_line(seen.paragraph) for agent, seen in team.observations.items()}
        return
    if not team.living:
        return
    asks = []
    for agent, seen in team.observations.items():
        messages, images = view_messages(seen, team.rules.perception)
        asks.append(Ask(agent, "perceive", messages, images=images))
    texts = yield asks
    for agent, text in zip(team.observations, texts, strict=True):
        paragraph = read_perception(text)
        if not paragraph:
            team.note(agent, "its perception is empty or too long; it perceives nothing")
        team.perceptions[agent] = paragraph or "What it sees could not be read."


def view_messages(seen: Observation, perception: str) -> tuple[tuple[Message, ...], tuple[Image, ...]]:
    """Return what a model is sent that turns what an agent perceives into a paragraph.

    Args:
        seen: What the agent perceives.
        perception: One of `PERCEPTIONS`; an agent that sees nothing that can be drawn is described by its text.

    Returns:
        The messages, and the pictures that belong to the last one.

    Raises:
        UserError: A picture is asked for, and the world draws none.
    """
    if perception != "text" and seen.draw is None:
        raise UserError("agents of this world draw no pictures of what they see\n  = help: let them read texts")
    picture = seen.draw(perception != "image") if perception != "text" and seen.draw else None
    if picture is None:
        return (Message("system", seen.role), Message("user", seen.view)), ()
    text = seen.view if perception == "both" else picture.facts
    messages = Message("system", seen.role), Message("user", f"{text}\n\n{picture.legend}")
    return messages, (Image("view.png", picture.png),)


def read_perception(text: str) -> str:
    """Return the paragraph of an answer; empty for one that is empty or too long."""
    return one_line(spoken(clean(text))) if len(text) <= LONGEST_ANSWER else ""
