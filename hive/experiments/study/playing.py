"""What came of a study of commanders: the games of every reply, and its scores by condition and model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hive.engine.batch.result import ENDS, Result, unplayed
from hive.experiments.study.asking import Procedure, PromptResult, StudyCondition
from hive.worlds.battle.abilities import Ability, AbilityPlan, AbilityTrial, Scores, Watcher, run

STUDY_ENDS = (*ENDS, "cut_off", "no_reply")


@dataclass(frozen=True)
class Tried:
    """An answer and its games.

    Attributes:
        asked: The answer.
        result: Its games; where it holds no good plan, all of them have its kind as their outcome.
    """

    asked: PromptResult
    result: Result

    def json(self) -> dict[str, Any]:
        """Everything about one answer in plain values; its text is in the recording."""
        asked, games = self.asked, self.result.games()
        return {
            "ability": asked.condition.ability.name,
            "condition": asked.condition.label,
            "model": asked.model,
            "prompt": asked.number,
            "outcomes": list(self.result.outcome),
            "scores": [game["score"] for game in games],
            "ticks": [game["ticks"] for game in games],
            "requests": len(asked.replies),
            "tokens": {"prompt": asked.tokens("prompt"), "reply": asked.tokens("reply")},
            "characters": {"sent": asked.sent, "received": asked.received},
            "seconds": round(asked.seconds, 3),
            "finish": asked.replies[-1].finish if asked.replies else None,
            "diagnostics": [finding.message for finding in asked.findings],
            "error": asked.error or None,
        }


@dataclass(frozen=True)
class Study:
    """All answers of a study with their games.

    Attributes:
        conditions: What was asked about, in the order of tables and plots.
        tried: By model, condition and prompt.
        seeds: Games of each plan.
        seconds: Wall time of the games of each scenario and size, compilation included.
    """

    conditions: tuple[StudyCondition, ...]
    tried: tuple[Tried, ...]
    seeds: int
    seconds: dict[str, float]

    @property
    def models(self) -> list[str]:
        """Names of the models, in the order in which they were asked."""
        return list(dict.fromkeys(each.asked.model for each in self.tried))

    def of(self, condition: StudyCondition, model: str) -> list[Tried]:
        """The answers of a model in one condition, by prompt."""
        return [each for each in self.tried if each.asked.condition is condition and each.asked.model == model]

    def scores(self) -> Scores:
        """Return the games as a benchmark: the conditions are its abilities and the models its plans."""
        trials = []
        for condition in self.conditions:
            heading = Ability(condition.ability.name, condition.title, condition.world.name)
            for model in self.models:
                results = [each.result for each in self.of(condition, model)]
                trials.append(AbilityTrial(AbilityPlan(heading, model, "", ""), _join(results)))
        return Scores(tuple(trials), self.seconds, STUDY_ENDS)

    def json(self) -> dict[str, Any]:
        """Everything in plain values."""
        return {
            "models": self.models,
            "seeds": self.seeds,
            "conditions": [_plain(condition) for condition in self.conditions],
            "replies": [each.json() for each in self.tried],
            "seconds": {name: round(spent, 3) for name, spent in self.seconds.items()},
        }


def play_all(
    asked: Sequence[PromptResult], seeds: Sequence[int], procedure: Procedure, watcher: Watcher
) -> list[Tried]:
    """Play the plans of one world with every seed, in as few batches as memory allows.

    Args:
        asked: Answers about worlds that play alike, such as a group of `by_arena`.
        seeds: Seeds of the games.
        procedure: How the plans were asked for.
        watcher: Returns the receiver of progress, see `hive.worlds.battle.abilities.Watcher`.

    Returns:
        Each answer with its games, in their order.
    """
    world = asked[0].condition.world
    entries = [AbilityPlan(each.condition.ability, plan_name(each), "reply", each.text) for each in asked]
    good = [entry for entry, each in zip(entries, asked, strict=True) if each.kind == "plan"]
    written = procedure.written_for or world.sizes
    trials = iter(run(world, good, seeds, watcher, procedure.lenient, written) if good else ())
    return [
        Tried(each, next(trials).result if each.kind == "plan" else unplayed(world, entry.plan, seeds, each.kind))
        for entry, each in zip(entries, asked, strict=True)
    ]


def by_arena(asked: Sequence[PromptResult]) -> dict[str, list[PromptResult]]:
    """Return the answers by scenario and size, within which they differ only in what was asked and shown."""
    groups: dict[str, list[PromptResult]] = {}
    for each in asked:
        world = each.condition.world
        groups.setdefault(f"{world.name}, {sum(world.sizes):,} units", []).append(each)
    return groups


def plan_name(asked: PromptResult) -> str:
    """Return a name for the plan of an answer: label of the condition, model and number of the prompt, from 1."""
    return "_".join([part for part in (asked.condition.label, asked.model) if part] + [f"{asked.number + 1:02}"])


def _join(results: Sequence[Result]) -> Result:
    """Return the games of several plans as those of one, without what depends on a plan's steps and on unit types."""
    ends = tuple(end for result in results for end in result.outcome)
    empty = np.zeros((len(ends), 0), np.int32)
    return replace(
        results[0],
        seed=np.concatenate([result.seed for result in results]),
        outcome=ends,
        ticks=np.concatenate([result.ticks for result in results]),
        score=np.concatenate([result.score for result in results]),
        survivors=empty,
        achieved=empty,
    )


def _plain(condition: StudyCondition) -> dict[str, Any]:
    world, words = condition.world, condition.words
    return {
        "ability": condition.ability.name,
        "condition": condition.label,
        "title": condition.title,
        "scenario": world.name,
        "units": {"player": world.sizes[0], "enemy": world.sizes[1]},
        "information": "full" if condition.full else "compact",
        "characters": words.characters,
        "prompt": words.prompt,
        "prompts": len(condition.prompts),
        "images": [image.json() for image in condition.images],
    }
