"""One episode of a team or a commander as results: the score and the cost of every step, and a transcript to read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dsl.wording import plural

_TAG = re.compile(r"<([\w-]+)>(.*?)</\1>", re.DOTALL)
_PERCEIVE, _TRANSLATE = "perceive", "translate"  # purposes of calls, in `hive.players.teams`


@dataclass(frozen=True, kw_only=True)
class ModelCall:
    """One request to a model that brought a reply.

    Attributes:
        agent: For which agent it was made, such as `AGENT_2`.
        purpose: What was asked for, such as `perceive` or `plan`.
        text: The reply.
        sent: Tokens of the request, as they were counted; None where they were not.
        received: Tokens of the reply.
        seconds: Wall time; for a recorded reply, that of the recording.
    """

    agent: str
    purpose: str
    text: str
    sent: int | None
    received: int | None
    seconds: float


@dataclass(frozen=True, kw_only=True)
class EpisodeStep:
    """One finished step of an episode.

    Attributes:
        number: From 1.
        score: The score after it.
        calls: All requests, in the order in which they were made.
        messages: Sender, recipients and text of each message that was sent.
        actions: Agent and words of each action that was chosen.
        notes: What a reader should know, in sentences.
        log: What went wrong, in sentences.
    """

    number: int
    score: float
    calls: tuple[ModelCall, ...] = ()
    messages: tuple[tuple[str, str, str], ...] = ()
    actions: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    log: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class EpisodeTranscript:
    """One finished episode.

    Attributes:
        seed: Its seed.
        agents: Number of agents at the start.
        start: The score before the first step.
        steps: All steps.
    """

    seed: int
    agents: int
    start: float
    steps: tuple[EpisodeStep, ...]

    @property
    def calls(self) -> int:
        """Requests of all steps."""
        return sum(len(step.calls) for step in self.steps)

    def tokens(self, which: str) -> int | None:
        """Tokens that were `sent` or `received` in all steps; None if those of a call were not counted."""
        counts = [getattr(call, which) for step in self.steps for call in step.calls]
        return None if None in counts else sum(counts)

    @property
    def seconds(self) -> float:
        """Wall time of all requests, added up."""
        return sum(call.seconds for step in self.steps for call in step.calls)

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for the start and one for each step, whose costs are cumulative (docs/rules/teams.md 4.2)."""
        rows: list[dict[str, Any]] = [
            {"step": 0, "score": self.start, "calls": 0, "input_tokens": 0, "output_tokens": 0, "seconds": 0.0}
        ]
        for at, step in enumerate(self.steps, 1):
            so_far = EpisodeTranscript(seed=self.seed, agents=self.agents, start=self.start, steps=self.steps[:at])
            rows.append(
                {
                    "step": step.number,
                    "score": step.score,
                    "calls": so_far.calls,
                    "input_tokens": so_far.tokens("sent"),
                    "output_tokens": so_far.tokens("received"),
                    "seconds": round(so_far.seconds, 3),
                }
            )
        return rows

    def costs(self) -> dict[str, Any]:
        """Return the costs of the episode in plain values."""
        return {
            "steps": len(self.steps),
            "calls": self.calls,
            "purposes": dict(Counter(call.purpose for step in self.steps for call in step.calls)),
            "input_tokens": self.tokens("sent"),
            "output_tokens": self.tokens("received"),
            "seconds": round(self.seconds, 3),
            "log_lines": sum(len(step.log) for step in self.steps),
        }


def per_step(episodes: Sequence[EpisodeTranscript]) -> dict[str, float | None]:
    """Return calls and tokens of one step, on average over all steps of some episodes."""
    return {
        "calls": _rate(episodes, [each.calls for each in episodes]),
        "input_tokens": _rate(episodes, [each.tokens("sent") for each in episodes]),
        "output_tokens": _rate(episodes, [each.tokens("received") for each in episodes]),
    }


def _rate(episodes: Sequence[EpisodeTranscript], counts: Sequence[int | None]) -> float | None:
    steps = sum(len(each.steps) for each in episodes)
    known = [count for count in counts if count is not None]
    return sum(known) / steps if steps and len(known) == len(counts) else None


def transcript(episode: EpisodeTranscript, title: str, task: str, who: str) -> str:
    """Return an episode as Markdown for a reader: what was said, what was done, and the score of each step.

    Calls that only translate an action are left out.

    Args:
        episode: The episode.
        title: Heading.
        task: The task in words.
        who: Who answered.
    """
    parts = [f"# {title}\n", f"{who[:1].upper()}{who[1:]}.\n", f"**Task.** {task}\n"]
    parts.append(f"Score before the first step: {episode.start:g}.\n")
    for step in episode.steps:
        parts.append(f"## Step {step.number}\n")
        parts += [f"{note}\n" for note in step.notes]
        seen = [call for call in step.calls if call.purpose == _PERCEIVE]
        parts += [f"> {call.agent} sees: {_line(call.text)}\n" for call in seen]
        parts += [_told(call) for call in replies_of(step)]
        happened = [f"- {sender} to {to}: {_line(text)}" for sender, to, text in step.messages]
        happened += [f"- {agent} begins: {_line(words)}" for agent, words in step.actions]
        happened += [f"- Problem: {_line(line)}" for line in step.log]
        parts += ["Sent and begun:\n", *happened, ""] if happened else []
        parts.append(f"Score {step.score:g} after {plural(len(step.calls), 'call')}.\n")
    return "\n".join(parts)


def replies_of(step: EpisodeStep) -> list[ModelCall]:
    """Return the calls of a step that a reader wants to see: not those that perceive, or only translate an action."""
    return [call for call in step.calls if call.purpose not in (_PERCEIVE, _TRANSLATE)]


def tags_of(call: ModelCall) -> list[tuple[str, str]]:
    """Return name and text of each tag of a reply, each text on one line."""
    return [(name, _line(text)) for name, text in _TAG.findall(call.text)]


def _told(call: ModelCall) -> str:
    """Return a reply as a list of its tags; one without tags as it is."""
    head = f"**{call.agent}, {call.purpose}**\n"
    tags = tags_of(call)
    if tags:
        return "\n".join([head, *(f"- {name}: {text}" for name, text in tags if text), ""])
    lines = [f"    {line}".rstrip() for line in call.text.strip().splitlines()]
    return "\n".join([head, *lines, ""])


def _line(text: str) -> str:
    return " ".join(text.split())
