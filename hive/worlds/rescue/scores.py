"""Scores of runs next to their optimum, and what they add up to: victims rescued, urgency efficiency."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import jax
import numpy as np

from hive.kit.environment.env import unstack
from hive.worlds.rescue.codes import ROOMS, URGENT, Reason
from hive.worlds.rescue.instance import Instance
from hive.worlds.rescue.metrics import RescueMetrics, Trace, measure
from hive.worlds.rescue.state import Params, State

OF = 35
"""Victims of all instances of the study, and of all that are shipped."""

PUBLISHED_SCORES = {"heuristic": 34.0, "best model": 28.5, "mean of 8 models": 23.7, "lowest model": 20.0}
"""Victims of `OF` that the study's teams rescued, on instances that are not public (docs/rules/rescue.md 10.4)."""


@dataclass(frozen=True, kw_only=True)
class RescueScore:
    """One run of a team.

    Attributes:
        team: Who played.
        instance: What was played.
        served_at: For each victim the step in which it was served; None if it never was.
        limit: Most steps of a run.
        reason: Why the run ended, in a word.
        metrics: By their printed names; None for an average over no victim.
        least: Steps of the optimum; None if it is not known, or does not serve all victims.
        least_weighted: Value of the weighted optimum; None likewise.
        urgent_weight: Weight of an urgent victim in it.
        claims: Claims to have given something, and the false ones; None for a run without messages, or unknown.
        temperature: Of the model that played; None: no model did, or it is not known.
    """

    team: str
    instance: Instance
    served_at: tuple[int | None, ...]
    limit: int
    reason: str
    metrics: Mapping[str, float | int | None]
    least: int | None = None
    least_weighted: int | None = None
    urgent_weight: int = URGENT
    claims: tuple[int, int] | None = None
    temperature: float | None = None

    @property
    def served(self) -> int:
        """Victims that were served."""
        return sum(step is not None for step in self.served_at)

    @property
    def solved(self) -> bool:
        """Whether all victims were served."""
        return None not in self.served_at

    @property
    def steps(self) -> int:
        """Steps of the run."""
        return int(self.metrics["num_steps"] or 0)

    @property
    def weighted(self) -> int:
        """The weighted sum of steps, with the limit for victims that were not served."""
        return sum(
            (self.urgent_weight if victim.urgent else 1) * (self.limit if step is None else step)
            for victim, step in zip(self.instance.victims, self.served_at, strict=True)
        )

    @property
    def ratio(self) -> float | None:
        """Steps by those of the optimum; None unless all victims were served."""
        return self.steps / self.least if self.solved and self.least else None

    @property
    def weighted_ratio(self) -> float | None:
        """Weighted steps by those of the optimum; None unless all victims were served."""
        return self.weighted / self.least_weighted if self.solved and self.least_weighted else None

    def average(self, urgent: bool, limit: int | None = None) -> float | None:
        """Return the mean step in which victims of a kind were served; None if there are none.

        Args:
            urgent: Which kind.
            limit: The step with which a victim counts that was never served; None: it is left out.
        """
        steps = [
            limit if step is None else step
            for victim, step in zip(self.instance.victims, self.served_at, strict=True)
            if victim.urgent == urgent
        ]
        counted = [step for step in steps if step is not None]
        return sum(counted) / len(counted) if counted else None

    def json(self) -> dict[str, Any]:
        """Return the score in plain values."""
        names = [victim.name for victim in self.instance.victims]
        return {
            "team": self.team,
            **({} if self.temperature is None else {"temperature": self.temperature}),
            "instance": self.instance.name,
            "victims": len(self.served_at),
            "served": self.served,
            "served_at": dict(zip(names, self.served_at, strict=True)),
            "reason": self.reason,
            "limit": self.limit,
            "metrics": dict(self.metrics),
            "weighted": self.weighted,
            "optimum": self.least,
            "ratio": self.ratio,
            "weighted_optimum": self.least_weighted,
            "weighted_ratio": self.weighted_ratio,
            **({"claims": dict(zip(("made", "false"), self.claims, strict=True))} if self.claims else {}),
        }


def with_optimum(score: RescueScore, like: RescueScore) -> RescueScore:
    """Return a score with the optimum of another one of the same instance."""
    return replace(score, least=like.least, least_weighted=like.least_weighted, urgent_weight=like.urgent_weight)


def efficiency(
    scores: Sequence[RescueScore], baseline: Sequence[RescueScore], urgent: bool, censored: bool
) -> float | None:
    """Return the urgency efficiency of a team: its average steps by those of the baseline (docs/rules/rescue.md 10.3).

    Averages of instances are weighted by how many victims of the kind they have.

    Args:
        scores: Runs of the team.
        baseline: Runs of the baseline; instances that both played count.
        urgent: Which kind of victims.
        censored: Whether a victim that was never served counts with the limit, the larger one if the two runs of an
            instance have different limits; else an instance counts only if both served a victim of the kind in it.

    Returns:
        Below 1 if the team needs fewer steps; None if no instance counts.
    """
    theirs = {score.instance.name: score for score in baseline}
    above = below = 0.0
    for score in scores:
        other = theirs.get(score.instance.name)
        limit = max(score.limit, other.limit) if other and censored else None
        mine = score.average(urgent, limit)
        least = other.average(urgent, limit) if other else None
        if mine is not None and least is not None:
            count = sum(victim.urgent == urgent for victim in score.instance.victims)
            above, below = above + count * mine, below + count * least
    return above / below if below else None


def score_states(team: str, instances: Sequence[Instance], params: Params, states: State) -> list[RescueScore]:
    """Score finished runs.

    Args:
        team: Who played.
        instances: What was played.
        params: Their arrays, with a leading axis.
        states: The final states, with the same axis.
    """
    metrics = jax.device_get(measure_many(traces(params, states)))
    served, reasons, limits = jax.device_get((states.served_at, states.reason, params.limit))
    return [
        RescueScore(
            team=team,
            instance=instance,
            served_at=tuple(int(step) if step >= 0 else None for step in served[row, : len(instance.victims)]),
            limit=int(limits[row]),
            reason=Reason(int(reasons[row])).words,
            metrics=plain(mine),
        )
        for row, (instance, mine) in enumerate(zip(instances, unstack(metrics), strict=True))
    ]


def traces(params: Params, states: State) -> Trace:
    """Return what metrics are computed from, of final states; any leading axes."""
    return Trace(
        positions=states.trail,
        served_at=states.served_at,
        steps=states.step,
        agent_there=params.agent_there,
        victim_there=params.victim_there,
        urgent=params.urgent,
        limit=params.limit,
    )


def plain(metrics: RescueMetrics) -> dict[str, float | int | None]:
    """Return metrics of one run by their names; None for an average over no victim."""
    values = {name: np.asarray(value).item() for name, value in vars(metrics).items()}
    return {name: None if isinstance(value, float) and math.isnan(value) else value for name, value in values.items()}


measure_many: Callable[[Trace], RescueMetrics] = jax.jit(jax.vmap(lambda trace: measure(trace, ROOMS)))
"""`measure` for traces with a leading axis."""


_WARM = re.compile(r"(.+) T=([0-9.e+-]+)( \[.*\])?")


def of_model(team: str) -> tuple[str, float | None]:
    """Return the name of a team without the temperature of its model, and that temperature; None if it has none."""
    found = _WARM.fullmatch(team)
    return (found[1] + (found[3] or ""), float(found[2])) if found else (team, None)


def by_model(teams: Mapping[str, Sequence[RescueScore]]) -> dict[str, list[tuple[float | None, int]]]:
    """Return the temperature and the victims of each team that a model played as, by the model's name.

    Teams without a model have their own names, and None for the temperature.
    """
    found: dict[str, list[tuple[float | None, int]]] = {}
    for team, scores in teams.items():
        served = sum(score.served for score in scores)
        found.setdefault(of_model(team)[0], []).append((scores[0].temperature, served))
    return found


def by_temperature(teams: Mapping[str, Sequence[RescueScore]]) -> dict[str, dict[str, int]]:
    """Return totals over all models at each temperature (docs/rules/rescue.md 10.5)."""
    found: dict[str, dict[str, int]] = {}
    for scores in teams.values():
        temperature = scores[0].temperature
        if temperature is not None:
            total = found.setdefault(f"{temperature:g}", dict.fromkeys(("teams", "served", "victims"), 0))
            total["teams"] += 1
            total["served"] += sum(score.served for score in scores)
            total["victims"] += sum(len(score.served_at) for score in scores)
    return dict(sorted(found.items(), key=lambda each: float(each[0])))


def by_team(scores: Iterable[RescueScore]) -> dict[str, list[RescueScore]]:
    """Return the scores of each team, in the order of their first run."""
    found: dict[str, list[RescueScore]] = {}
    for score in scores:
        found.setdefault(score.team, []).append(score)
    return found
