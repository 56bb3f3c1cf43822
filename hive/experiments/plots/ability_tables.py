"""The scores of a benchmark as tables: Markdown with aligned columns, readable as plain text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from hive.engine.batch.result import Result
from hive.worlds.battle.abilities import AbilityTrial, Scores


def wins_table(scores: Scores, beside: Mapping[str, Mapping[str, int]] | None = None) -> str:
    """Return the wins by ability and plan, in the form of the paper's Table I (docs/rules/scenarios.md 2.2).

    Args:
        scores: The games.
        beside: Published wins of ten games by name and ability, for further columns.
    """
    plans = list(dict.fromkeys(trial.entry.plan for trial in scores.trials))
    others = beside or {}
    rows = [["wins", *plans, *(f"{name} (published)" for name in others)]]
    for ability in scores.abilities:
        by_plan = {trial.entry.plan: trial for trial in scores.of(ability)}
        wins = [_wins([by_plan[plan]]) if plan in by_plan else "" for plan in plans]
        rows.append([ability.title, *wins, *(f"{found[ability.name]} of 10" for found in others.values())])
    totals = [_wins([t for t in scores.trials if t.entry.plan == plan]) for plan in plans]
    names = [ability.name for ability in scores.abilities]
    totals += [f"{sum(found[name] for name in names)} of {10 * len(names)}" for found in others.values()]
    return markdown([*rows, ["Total", *totals]], words=1)


def outcomes_table(scores: Scores) -> str:
    """Return how the games of each ability ended."""
    rows = [["games that ended with", *(end.replace("_", " ") for end in scores.ends)]]
    rows += [[ability.title, *map(str, scores.outcomes(ability).values())] for ability in scores.abilities]
    return markdown(rows, words=1)


def plans_table(scores: Scores) -> str:
    """Return a table with a line for each plan: where it was played, its wins, and means over its games."""
    rows = [["ability", "scenario", "plan", "games", "wins", "mean score", "mean ticks"]]
    for trial in scores.trials:
        result, ability = trial.result, trial.entry.ability
        means = [mean_score(result), f"{result.ticks.mean():.0f}"] if trial.played else ["not played", ""]
        counts = [str(len(result.seed)), str(trial.wins)]
        rows.append([ability.name, ability.scenario, trial.entry.plan, *counts, *means])
    return markdown(rows, words=3)


def _wins(trials: Sequence[AbilityTrial]) -> str:
    return f"{sum(trial.wins for trial in trials)} of {sum(len(trial.result.seed) for trial in trials)}"


def mean_score(result: Result) -> str:
    """Return the mean over the games that were played, with its unit.

    Games in which no unit is left have no distance and are counted separately.
    """
    here = result.score[np.isfinite(result.score)]
    if result.score_is.startswith("share"):
        return f"{here.mean():.1%} eliminated" if len(here) else "not played"
    gone = int(np.isinf(result.score).sum())
    words = [f"{here.mean():.1f} m away"] if len(here) else []
    return ", ".join([*words, *([f"no unit left in {gone}"] if gone else [])]) or "not played"


def markdown(rows: Sequence[Sequence[str]], words: int) -> str:
    """Return a table with aligned columns, the first row its head; the first `words` columns are words, not numbers."""
    wide = [max(map(len, column)) for column in zip(*rows, strict=True)]

    def line(row: Sequence[str]) -> str:
        cells = [f"{cell:{'<' if at < words else '>'}{wide[at]}}" for at, cell in enumerate(row)]
        return f"| {' | '.join(cells)} |"

    rule = "|".join("-" * (width + 1) + ("-" if at < words else ":") for at, width in enumerate(wide))
    return "\n".join([line(rows[0]), f"|{rule}|", *map(line, rows[1:])])
