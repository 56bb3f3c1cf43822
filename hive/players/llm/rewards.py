"""Rewards for texts that a model wrote: each text is checked, and all plans among them are played in one batch.

Rules: docs/rules/rewards.md 2.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import dsl
from dsl import Diagnostic, UserError
from dsl.wording import plural
from hive.engine.batch.capacities import Capacities
from hive.engine.batch.job import seeds_of
from hive.engine.batch.playing import sweep
from hive.engine.batch.result import GameProgress
from hive.engine.batch.value import values
from hive.engine.reading import check_written_for, compile_text
from hive.engine.types import Plan
from hive.engine.world import EngineWorld
from hive.kit.plan_text import PlanText
from hive.players.llm.client import Reply
from hive.players.llm.dialogue import read_reply
from hive.worlds import load

REWARD_FLOOR = -1.0  # the reward of a text that holds no plan to play (docs/rules/rewards.md 2.2)
MOST_CHARACTERS = 200_000  # of a text that is read (docs/rules/rewards.md 2.2)

CAPACITIES = Capacities()  # docs/rules/rewards.md 2.4
CELLS = 128  # that a plan for crews may list

Kind = Literal["plan", "no_plan", "invalid_plan", "too_long", "too_large"]


@dataclass(frozen=True)
class Score:
    """What a text is worth.

    Attributes:
        value: The reward: the mean value of the plan's games, 0 to 1, or the floor.
        kind: `plan` for a plan that was played; `no_plan`; `invalid_plan`; `too_long`, a text of more than
            `MOST_CHARACTERS`; `too_large`, a plan that exceeds the capacities.
        reason: Why the text has the floor, in a sentence; empty for a plan that was played.
        wins: Games won.
        games: Games played.
        findings: Errors and warnings of the plan's check.
        plan: The plan as it was read; None without one.
    """

    value: float
    kind: Kind
    reason: str = ""
    wins: int = 0
    games: int = 0
    findings: tuple[Diagnostic, ...] = field(default=(), repr=False)
    plan: PlanText | None = field(default=None, repr=False, compare=False)

    def json(self) -> dict[str, Any]:
        """Everything but the plan in plain values."""
        return {
            "reward": self.value,
            "kind": self.kind,
            "reason": self.reason or None,
            "wins": self.wins,
            "games": self.games,
            "diagnostics": [finding.message for finding in self.findings],
        }


@dataclass(frozen=True)
class Checked:
    """Texts that were read, before anything is played.

    Attributes:
        read: For each text its score; that of a plan that is to be played has no value yet.
        plans: The plans to play, by their canonical text, which equal plans share.
    """

    read: Mapping[str, Score]
    plans: Mapping[str, Plan]

    def scores(self, texts: Sequence[str], played: Mapping[str, tuple[float, int]], games: int) -> list[Score]:
        """Return the scores of texts, given the mean value and the wins of each plan in so many games."""
        return [self._score(self.read[text], played, games) for text in texts]

    def _score(self, read: Score, played: Mapping[str, tuple[float, int]], games: int) -> Score:
        if read.kind != "plan" or read.plan is None:
            return read
        value, wins = played[_canonical(read.plan)]
        return replace(read, value=value, wins=wins, games=games)


class Rewards:
    """Rewards of one scenario; keeps its world, so that a batch of other texts compiles nothing.

        rewards = Rewards("coordinate", seeds=range(4), units=40)
        scores = rewards.score(texts)

    An instance is a reward function of trainers that call `function(prompts, completions, **columns)`, such as TRL's.

    Attributes:
        world: What is played.
        seeds: The seeds of every plan's games.
        capacities: Of a batch.
        floor: The reward of a text that holds no plan to play.
        lenient: Whether a unit may stand in two groups of a step.
        written_for: Team sizes (player, enemy) that plans are written for.
    """

    def __init__(
        self,
        scenario: str | Path | EngineWorld,
        seeds: Sequence[int],
        *,
        units: int | None = None,
        capacities: Capacities | None = None,
        floor: float = REWARD_FLOOR,
        lenient: bool = False,
        written_for: tuple[int, int] | None = None,
    ) -> None:
        """Load the world. Nothing is compiled yet.

        Args:
            scenario: Name of a scenario or level, path of a file, or a loaded world.
            seeds: Seeds of the games of each plan, 0 to 2^32 - 1; at least one.
            units: Size of the player's team; None: the scenario's. Only with a name or path.
            capacities: Of a batch; None: those of `capacities_for`.
            floor: The reward of a text that holds no plan to play; a finite number, at most 0.
            lenient: Whether a unit may stand in two groups of a step (docs/rules/plans.md 2.3).
            written_for: Team sizes (player, enemy) that plans are written for; None: those of the scenario's file.

        Raises:
            UserError: Anything is wrong with the arguments.
        """
        if not (math.isfinite(floor) and floor <= 0):
            raise UserError(f"the floor of a reward is a number up to 0, not {floor}\n  = help: valid plans get 0 to 1")
        if not isinstance(scenario, str | Path) and units is not None:
            raise UserError("units are given with the name of a scenario: load the world with them")
        given = {} if units is None else {"units": units}
        self.world: EngineWorld = load(scenario, **given) if isinstance(scenario, str | Path) else scenario
        check_written_for(written_for)
        self.seeds = _seeds(seeds)
        self.capacities = capacities or capacities_for(self.world)
        self.floor, self.lenient = float(floor), lenient
        self.written_for = written_for or self.world.written_for
        self._context = self.world.context(0, self.written_for)
        self.__name__ = f"hive_{self.world.name.replace('/', '_')}"  # what trainers call a function in their logs

    def score(self, texts: Sequence[str], progress: GameProgress | None = None) -> list[Score]:
        """Check all texts and play the plans among them; a text's score depends on no other text.

        Args:
            texts: What a model wrote, each with a plan between `BEGIN PLAN` and `END PLAN`, or a plan alone.
            progress: As in `hive.play`.

        Returns:
            A score for each text, in their order.

        Raises:
            TypeError: A text is not a string.
        """
        checked = self.check(texts)
        return checked.scores(texts, self._play(checked.plans, progress), len(self.seeds))

    def check(self, texts: Sequence[str]) -> Checked:
        """Read all texts, and return the plans among them that are to be played.

        Raises:
            TypeError: A text is not a string.
        """
        check_several("texts", texts)
        read = {text: self._read(text) for text in texts}
        good = {text: score.plan for text, score in read.items() if score.kind == "plan" and score.plan}
        compiled = {canonical: compile_text(plan, self.world) for canonical, plan in _distinct(good.values()).items()}
        why = {canonical: self.capacities.why_not(plan) for canonical, plan in compiled.items()}
        for text, plan in good.items():
            if reason := why[_canonical(plan)]:
                read[text] = replace(read[text], kind="too_large", reason=f"the plan is too large: {reason}")
        return Checked(read, {canonical: plan for canonical, plan in compiled.items() if not why[canonical]})

    def __call__(self, prompts: Sequence[Any] | None, completions: Sequence[Any], **columns: Any) -> list[float | None]:
        """Return the rewards of completions, as trainers ask for them.

        Args:
            prompts: Not read.
            completions: Texts, or lists of chat messages of which the last counts.
            **columns: Columns of the data set. With a column `scenario`, completions of other scenarios get None.
                With functions `log_metric` and `log_extra`, as TRL gives them, the share of valid plans, the share of
                games won and the reasons are logged.

        Returns:
            A reward for each completion, in their order.

        Raises:
            TypeError: A completion is neither a text nor a list of chat messages.
        """
        names = columns.get("scenario") or [self.world.name] * len(completions)
        mine = [at for at, name in enumerate(names) if name == self.world.name]
        scores = dict(zip(mine, self.score([text_of(completions[at]) for at in mine]), strict=True))
        log(self.__name__, [scores.get(at) for at in range(len(names))], len(self.seeds), columns)
        return [scores[at].value if at in scores else None for at in range(len(names))]

    def _read(self, text: str) -> Score:
        """Find and check the plan of a text; a score of kind `plan` still has no value."""
        if not isinstance(text, str):
            raise TypeError(f"a text is a string, not {type(text).__name__}")
        if len(text) > MOST_CHARACTERS:
            why = f"the text has {len(text):,} characters, and {MOST_CHARACTERS:,} are read"
            return Score(self.floor, "too_long", why)
        kind, plan = read_reply(Reply(text, ""), self._context, self.lenient, self.written_for)
        if plan is None:
            return Score(self.floor, "no_plan", "the text holds no plan")
        findings = plan.report.diagnostics
        if kind != "plan":
            return Score(self.floor, "invalid_plan", _first_error(findings), findings=findings, plan=plan)
        return Score(self.floor, "plan", findings=findings, plan=plan)

    def _play(self, plans: Mapping[str, Plan], progress: GameProgress | None) -> dict[str, tuple[float, int]]:
        """Return the mean value and the wins of each plan."""
        if not plans:
            return {}
        games = sweep(self.world, list(plans.values()), self.seeds, capacities=self.capacities, progress=progress)
        return {
            text: (float(values(self.world, result).mean(dtype=float)), result.outcomes["win"])
            for text, result in zip(plans, games.results, strict=True)
        }


def reward(scenario: str | Path | EngineWorld, texts: Sequence[str], seeds: Sequence[int]) -> list[float]:
    """Return the reward of each text: the mean value of its plan's games, or `REWARD_FLOOR` (docs/rules/rewards.md 2).

    For more than one batch keep a `Rewards`, which loads the world once.

    Args:
        scenario: Name of a scenario or level, path of a file, or a loaded world.
        texts: What a model wrote.
        seeds: Seeds of the games of each plan, 0 to 2^32 - 1; at least one.

    Raises:
        UserError: Anything is wrong with the scenario or the seeds.
    """
    return [score.value for score in Rewards(scenario, seeds).score(texts)]


def log(name: str, scores: Sequence[Score | None], games: int, columns: Mapping[str, Any]) -> None:
    """Log what a trainer asks for: the share of valid plans, that of games won, and the reasons of floors.

    Args:
        name: Of the reward function.
        scores: Of all completions of a call; None for those of other functions.
        games: Of a plan.
        columns: What the trainer gave: `log_metric` and `log_extra` are functions that it may have.
    """
    mine = [score for score in scores if score]
    if mine and (log_metric := columns.get("log_metric")):
        valid = [score for score in mine if score.kind == "plan"]
        log_metric(f"{name}/valid", len(valid) / len(mine))
        log_metric(f"{name}/won", sum(score.wins for score in valid) / (len(mine) * games))
    if mine and (log_extra := columns.get("log_extra")):
        log_extra(f"{name}/reason", [score.reason if score else "" for score in scores])


def capacities_for(world: EngineWorld) -> Capacities:
    """Return the usual capacities of a batch of model-written plans (docs/rules/rewards.md 2.4)."""
    return CAPACITIES if world.params.crews is None else replace(CAPACITIES, cells=CELLS)


def text_of(completion: Any) -> str:
    """Return the text of a completion: a string, or the content of the last of its chat messages.

    Raises:
        TypeError: It is neither.
    """
    if isinstance(completion, str):
        return completion
    if isinstance(completion, Sequence) and all(isinstance(message, Mapping) for message in completion):
        content: Any = completion[-1].get("content") if completion else ""
        if isinstance(content, Sequence) and not isinstance(content, str):  # parts, of which pictures have no text
            content = "".join(part.get("text") or "" for part in content)
        if content is None or isinstance(content, str):
            return content or ""
    raise TypeError(f"a completion is a text or a list of chat messages, not {completion!r:.80}")


def check_several(name: str, texts: Sequence[str]) -> None:
    """Check that texts are not one string, whose letters would each be a text.

    Raises:
        TypeError: They are one string.
    """
    if isinstance(texts, str):
        raise TypeError(f"{name} are a list of strings, not one string")


def _seeds(seeds: Sequence[int]) -> tuple[int, ...]:
    return tuple(seeds_of(seeds).tolist())


def _canonical(plan: PlanText) -> str:
    """Return the text of a plan in its canonical form."""
    return dsl.format_plan(plan.root)


def _distinct(plans: Iterable[PlanText]) -> dict[str, PlanText]:
    return {_canonical(plan): plan for plan in plans}


def _first_error(findings: Sequence[Diagnostic]) -> str:
    first, *others = (finding for finding in findings if finding.severity == "error")
    more = f" (and {plural(len(others), 'other error')})" if others else ""
    return f"line {first.span.line}: {first.message}{more}"
