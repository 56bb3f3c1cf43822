"""Several plans for one prompt: all are asked for, the plans without errors are played in one batch, the best is kept.

Each sample has a dialogue of its own, and the number of its draw as the seed of its requests, so that the requests of
the samples differ and a recording answers each with its own reply.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import Any

import dsl
from hive.engine.batch.capacities import Capacities
from hive.engine.batch.result import GameProgress
from hive.engine.reading import compile_text
from hive.engine.swapping import sizes_of
from hive.players.llm.campaign import FAILURES
from hive.players.llm.client import Image, ModelError
from hive.players.llm.dialogue import Answer, Dialogue
from hive.players.llm.rewards import Rewards, Score, capacities_for
from hive.players.llm.session import Session
from hive.players.llm.threads import side_by_side

_FIRST_TRIAL = 1_000_000  # seed of the first game that samples are compared by, far from the seeds that people choose

_WHY = {**FAILURES, "no_reply": "the request failed"}


@dataclass(frozen=True)
class Sample:
    """One of several answers to a prompt.

    Attributes:
        number: Its number, from 1.
        dialogue: What was said; a later prompt may continue it.
        answer: What came of the prompt; None when the request failed.
        error: Why the request failed.
        score: What its games were worth; None without a plan that can be played.
    """

    number: int
    dialogue: Dialogue = field(repr=False)
    answer: Answer | None
    error: str = ""
    score: Score | None = None

    @property
    def kind(self) -> str:
        """As in `hive.players.llm.dialogue.Answer`, or `no_reply`."""
        return self.answer.kind if self.answer else "no_reply"

    @property
    def why_not(self) -> str:
        """Return why it was not played, in words; empty for a plan that was."""
        if self.kind == "plan":
            return ""
        errors = self.answer.plan.report.diagnostics if self.answer and self.answer.plan else ()
        first = next((found.message for found in errors if found.severity == "error"), self.error.partition("\n")[0])
        return f"{_WHY[self.kind]}: {first}" if first else _WHY[self.kind]

    def json(self) -> dict[str, Any]:
        """Everything but the dialogue's earlier messages in plain values."""
        score = self.score
        return {
            "sample": self.number,
            "kind": self.kind,
            "why_not": self.why_not or None,
            "value": score.value if score else None,
            "wins": score.wins if score else None,
            "games": score.games if score else None,
            "requests": len(self.answer.replies) if self.answer else 0,
            "text": self.answer.text if self.answer else None,
        }


def ask_samples(
    session: Session,
    prompt: str,
    number: int,
    concurrent: int,
    heard: Callable[[Sample], None],
    images: Sequence[Image] = (),
) -> list[Sample]:
    """Ask for several plans with the same prompt, each in a copy of the session's dialogue.

    A request that fails stops nothing.

    Args:
        session: Its dialogue and its game stay as they are.
        prompt: What the player wants.
        number: How many plans are asked for.
        concurrent: Most requests at the same time.
        heard: Called in this thread with each sample as it comes.
        images: Pictures that belong to the prompt.

    Returns:
        The samples by number, not yet played.

    Raises:
        ModelError: No request succeeded.
        UserError: The game is over, or the prompt cannot be sent.
    """
    state = session.state_for(prompt)
    tasks = [partial(_ask, session.dialogue, prompt, state, images, at) for at in range(number)]
    samples = side_by_side(tasks, concurrent, heard)
    if all(sample.answer is None for sample in samples):
        raise ModelError(samples[0].error)
    return samples


def _ask(first: Dialogue, prompt: str, state: str, images: Sequence[Image], at: int) -> Sample:
    dialogue = replace(
        first,
        messages=list(first.messages),
        settings=replace(first.settings, seed=at),
        topic=replace(first.topic, number=at),
    )
    try:
        return Sample(at + 1, dialogue, dialogue.ask(prompt, state, images))
    except ModelError as error:
        return Sample(at + 1, dialogue, None, str(error))


def fresh_seeds(number: int, shown: Sequence[int]) -> list[int]:
    """Return seeds of the games that compare samples; none of them is one of the games that are shown."""
    return [seed for seed in range(_FIRST_TRIAL, _FIRST_TRIAL + number + len(shown)) if seed not in shown][:number]


def play_samples(
    session: Session, samples: Sequence[Sample], seeds: Sequence[int], progress: GameProgress | None = None
) -> list[Sample]:
    """Play the plans of the samples with the same seeds, in one batch as far as it holds them.

    Args:
        session: The world that the plans are for.
        samples: What was answered.
        seeds: Seeds of the games.
        progress: As in `hive.play`.

    Returns:
        The samples with their scores.
    """
    good = [sample for sample in samples if sample.kind == "plan" and sample.answer and sample.answer.plan]
    if not good:
        return list(samples)
    world, request = session.world, session.request
    plans = [sample.answer.plan for sample in good if sample.answer and sample.answer.plan]
    rewards = Rewards(
        world,
        seeds,
        capacities=_capacities(capacities_for(world), [sizes_of(compile_text(plan, world)) for plan in plans]),
        lenient=request.lenient,
        written_for=request.written_for,
    )
    scores = rewards.score([dsl.format_plan(plan.root) for plan in plans], progress)
    found = {sample.number: score for sample, score in zip(good, scores, strict=True)}
    return [replace(sample, score=found.get(sample.number)) for sample in samples]


def _capacities(usual: Capacities, sizes: Sequence[dict[str, int]]) -> Capacities:
    """Return the usual capacities of a batch, or larger ones where a plan needs them."""
    named = [each.name for each in fields(usual) if each.name != "plans"]
    needed = {name: max(getattr(usual, name), *(each[name] for each in sizes)) for name in named}
    return replace(usual, plans=len(sizes), **needed)


def best_of(samples: Sequence[Sample]) -> Sample | None:
    """Return the sample of the greatest value, the first of several; None when no plan was played."""
    played = [sample for sample in samples if sample.score and sample.score.games]
    return max(played, key=lambda sample: sample.score.value if sample.score else 0.0) if played else None


def follow(session: Session, sample: Sample) -> None:
    """Continue a session with the dialogue and the plan of a sample."""
    assert sample.answer and sample.answer.plan, "only a sample with a plan can be followed"
    session.dialogue = sample.dialogue
    session.order(sample.answer.plan)


def table(samples: Sequence[Sample], best: Sample | None) -> str:
    """Return a readable table of the samples: one line each."""
    lines = ["sample   value      wins"]
    for sample in samples:
        score = sample.score
        figures = f"{score.value:.3f} {f'{score.wins} of {score.games}':>9}" if score else f"{'-':>5} {'-':>9}"
        note = "  kept" if sample is best else f"  {sample.why_not}" if sample.why_not else ""
        lines.append(f"{sample.number:>6}   {figures}{note}")
    return "\n".join(lines)
