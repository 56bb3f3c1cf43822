"""What was said and done in an episode: as a transcript, and as lines of its recording, which a replay shows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from hive.kit.agent_env import AgentEnv
from hive.kit.keep.dialogue import Line, LineKind
from hive.kit.transcript import EpisodeStep, EpisodeTranscript, ModelCall, replies_of, tags_of
from hive.players.teams.team import Team

_LOGGED = re.compile(r"step \d+, ([^:]+): (.*)", re.DOTALL)


def episode_of(seed: int, agents: int, rows: Sequence[Mapping[str, Any]]) -> EpisodeTranscript:
    """Return what a journal says of a finished episode; the score of a row is that before its step."""
    steps = [
        EpisodeStep(
            number=row["step"],
            score=after["score"],
            calls=tuple(_call(call) for call in row["asked"]),
            messages=tuple((mail["sender"], mail["to"], mail["text"]) for mail in row["mail"]),
            actions=tuple((act["agent"], act["words"]) for act in row["acts"]),
            log=tuple(row["log"]),
        )
        for row, after in pairwise(rows)
    ]
    return EpisodeTranscript(seed=seed, agents=agents, start=rows[0]["score"], steps=tuple(steps))


def _call(call: Mapping[str, Any]) -> ModelCall:
    return ModelCall(
        agent=call["agent"],
        purpose=call["purpose"],
        text=call["text"],
        sent=call["prompt"],
        received=call["reply"],
        seconds=call["seconds"],
    )


def step_lines(team: Team[AgentEnv], rows: Sequence[Mapping[str, Any]]) -> list[Line]:
    """Return what a team thought, said and began in each step, by the rows of its journal, in the order of time."""
    seats = team.env.seats
    return lines_of(episode_of(team.env.seed, len(seats), rows), [seat.name for seat in seats])


def lines_of(episode: EpisodeTranscript, agents: Sequence[str], plans: bool = False) -> list[Line]:
    """Return what the agents of an episode said, thought and began, in the order of time.

    Args:
        episode: What was said and done in it.
        agents: Names of all agents that may speak.
        plans: Whether replies are plans, which the recording holds already.
    """
    return [line for step in episode.steps for line in _lines(step, list(agents), plans)]


def _lines(step: EpisodeStep, agents: list[str], plans: bool) -> Iterator[Line]:
    """Yield the lines of a step; its frame is the one that the agents see."""
    tick = step.number - 1
    yield from (Line(tick, 0, LineKind.ASKED, note) for note in step.notes)
    for call in replies_of(step):
        if call.agent in agents and not plans and (thought := _thought(call)):
            yield Line(tick, agents.index(call.agent), LineKind.THOUGHT, thought)
    for sender, to, text in step.messages:
        if sender in agents:
            yield Line(tick, agents.index(sender), LineKind.SAY, f"to {to}: {text}")
    for agent, words in step.actions:
        if agent in agents:
            yield Line(tick, agents.index(agent), LineKind.ACT, words)
    for problem in step.log:
        found = _LOGGED.fullmatch(problem)
        if found and found[1] in agents:
            yield Line(tick, agents.index(found[1]), LineKind.PROBLEM, found[2])
        else:
            yield Line(tick, 0, LineKind.PROBLEM, problem)


def _thought(call: ModelCall) -> str:
    """Return a reply without its messages and actions, which have lines of their own."""
    tags = tags_of(call)
    own = [(name, text) for name, text in tags if text and not name.endswith(("action", "message"))]
    if not tags:
        return call.text.strip()
    return own[0][1] if len(own) == 1 else "\n".join(f"{name}: {text}" for name, text in own)
