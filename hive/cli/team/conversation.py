"""The conversation of an episode as lines of its recording, which the page of a replay shows next to the map."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from hive.keep.fields import Line, LineKind
from hive.teams.transcript import EpisodeStep, EpisodeTranscript, ModelCall, replies_of, tags_of
from hive.wildfire.recording import FireRecording

_LOGGED = re.compile(r"step \d+, ([^:]+): (.*)", re.DOTALL)


def with_conversation(
    recording: FireRecording, episode: EpisodeTranscript, agents: Sequence[str], plans: bool = False
) -> FireRecording:
    """Return a recording with what the agents said, thought and began, in the order of time.

    Args:
        recording: The game.
        episode: What was said and done in it.
        agents: Names of all agents that may speak.
        plans: Whether replies are plans, which the recording holds already.
    """
    lines = tuple(line for step in episode.steps for line in _lines(step, list(agents), plans))
    return replace(recording, agents=tuple(agents), lines=lines)


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
