"""The competency of a method at each behaviour: level scores, normalised and averaged.

Rules: docs/rules/wildfire_levels.md 5.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from dsl import UserError
from hive.engine.crews.score_rules import COSTS
from hive.worlds.wildfire.levels import Level, find_level, levels
from hive.worlds.wildfire.score_files import DO_NOTHING, MethodRun

BEHAVIOURS = {
    "TD": "Task Designation",
    "AC": "Agent Capitalization",
    "SR": "Spatial Reasoning",
    "OS": "Observation Sharing",
    "RC": "Realtime Coordination",
    "PA": "Plan Adaptation",
    "OP": "Objective Prioritization",
}
UNPUBLISHED = ("OP",)  # the published scores leave it out, since only one level tests it


@dataclass(frozen=True, kw_only=True)
class Competency:
    """The scores of a method on the levels that it was run on, and its competency at each behaviour.

    Attributes:
        method: Name of the method.
        runs: Its runs by level, in the published order of levels.
        normalised: Normalised scores, 0 to 1, by level.
        behaviours: Mean normalised score over the levels that were run and test the behaviour, by its code; None where
            no such level was run.
        counts: Number of levels in each mean, by code; `carrying` gives all levels of a behaviour.
        published: Whether the runs are the published ones.
    """

    method: str
    runs: Mapping[str, MethodRun]
    normalised: Mapping[str, float]
    behaviours: Mapping[str, float | None]
    counts: Mapping[str, int]
    published: bool = False

    def json(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "method": self.method,
            "published": self.published,
            "behaviours": {
                code: {"score": score, "levels": self.counts[code], "of": len(carrying(code))}
                for code, score in self.behaviours.items()
            },
            "levels": {
                name: {
                    "mean": run.mean,
                    "deviation": run.deviation,
                    "seeds": run.seeds,
                    "normalised": self.normalised[name],
                }
                for name, run in self.runs.items()
            },
        }


def carrying(behaviour: str) -> tuple[str, ...]:
    """Return the ids of the levels that test a behaviour, in the published order."""
    return tuple(name for name, level in levels().items() if behaviour in level.behaviours)


def normalised_score(level: Level, score: float, nothing: float | None = None) -> float:
    """Return a final score on the scale 0 to 1 (docs/rules/wildfire_levels.md 5.1).

    Where a level counts achievements, this is the share of the highest score. Where it counts losses, the scale is
    logarithmic: 0 stands for the losses of Do Nothing plus all firefighters and bulldozers (never the civilians), 1 for
    no losses. Values outside are clipped.

    Args:
        level: The level.
        score: Final score, usually a mean over seeds.
        nothing: Score of Do Nothing on the same seeds, at most 0; only levels that count losses need it.

    Raises:
        UserError: The level counts losses and `nothing` is missing.
    """
    if not level.open_ended:
        return min(max(score / level.best, 0.0), 1.0)
    if nothing is None:
        raise _missing([level.id])
    crew = COSTS["firefighters"] * level.firefighters + COSTS["bulldozers"] * level.bulldozers
    baseline = nothing - crew
    return min(math.log2(max(1.0 + (score - baseline) / (level.best - baseline), 1.0)), 1.0)


def competency(runs: Iterable[MethodRun], published: bool = False) -> tuple[Competency, ...]:
    """Return the competency of each method, in the order of their first runs.

    Args:
        runs: Runs of one or more methods, including Do Nothing on each level that counts losses.
        published: Whether the runs are the published ones.

    Raises:
        UserError: A level does not exist, two runs have the same method and level, or a run of Do Nothing is missing.
    """
    known: dict[str, dict[str, MethodRun]] = {}
    for run in runs:
        find_level(run.level)
        first = known.setdefault(run.method, {}).setdefault(run.level, run)
        if first is not run:
            places = "".join(f"\n --> {place}" for place in (run.place, first.place) if place)
            raise UserError(f"`{run.method}` occurs twice on `{run.level}`{places}\n  = help: leave one of them out")
    nothing = known.get(DO_NOTHING, {})
    lacking = [n for n, level in levels().items() if level.open_ended and n not in nothing]
    lacking = [name for name in lacking if any(name in own for own in known.values())]
    if lacking:
        raise _missing(lacking)
    means = {name: run.mean for name, run in nothing.items()}
    return tuple(_summarise(method, own, means, published) for method, own in known.items())


def _summarise(method: str, runs: Mapping[str, MethodRun], nothing: Mapping[str, float], published: bool) -> Competency:
    ordered = {name: runs[name] for name in levels() if name in runs}
    normalised = {name: normalised_score(find_level(name), r.mean, nothing.get(name)) for name, r in ordered.items()}
    parts = {code: [normalised[name] for name in carrying(code) if name in normalised] for code in BEHAVIOURS}
    return Competency(
        method=method,
        runs=ordered,
        normalised=normalised,
        behaviours={code: statistics.fmean(scores) if scores else None for code, scores in parts.items()},
        counts={code: len(scores) for code, scores in parts.items()},
        published=published,
    )


def _missing(names: list[str]) -> UserError:
    where = ", ".join(f"`{name}`" for name in names)
    commands = [f"hive run wildfire/{name} --seeds published --commander nothing --json" for name in names]
    return UserError(
        f"there is no run of `{DO_NOTHING}` on {where}, the baseline for losses\n"
        "  = help: add the output of this command" + "".join(f"\n      {command}" for command in commands)
    )
