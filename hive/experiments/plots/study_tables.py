"""A study of commanders as tables: wins, outcomes, and what the replies cost (docs/rules/scenarios.md 2.2, 2.5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

from hive.experiments.plots.ability_tables import markdown, mean_score, wins_table
from hive.experiments.plots.study import tokens_counted
from hive.experiments.study.pairing import paired
from hive.experiments.study.playing import STUDY_ENDS, Study


def study_tables(study: Study, beside: Mapping[str, Mapping[str, int]] | None = None) -> list[str]:
    """Return all tables; the first has the form of the paper's Table I, with published wins `beside` ours if given."""
    tables = [wins_table(study.scores(), beside), ends_table(study), costs_table(study)]
    return [*tables, pairs_table(study)] if len(study.models) > 1 else tables


def ends_table(study: Study) -> str:
    """Return how the games of each condition and model ended."""
    rows = [["games that ended with", "", *(end.replace("_", " ") for end in STUDY_ENDS)]]
    for trial in study.scores().trials:
        counts = [str(trial.result.outcome.count(end)) for end in STUDY_ENDS]
        rows.append([trial.entry.ability.title, trial.entry.plan, *counts])
    return markdown(rows, words=2)


def costs_table(study: Study) -> str:
    """Return the mean score, and medians over the replies: wall time, and tokens or else characters."""
    counted = tokens_counted(study)
    what = "tokens" if counted else "characters"
    rows = [["mean score, and medians of a reply", "", "score", "seconds", f"{what} sent", f"{what} received"]]
    trials = iter(study.scores().trials)
    for condition in study.conditions:
        for model in study.models:
            asked = [each.asked for each in study.of(condition, model) if each.asked.replies]
            sent = [each.tokens("prompt") or 0 if counted else each.sent for each in asked]
            received = [each.tokens("reply") or 0 if counted else each.received for each in asked]
            seconds = f"{median(each.seconds for each in asked):.1f}" if asked else "-"
            rows.append(
                [condition.title, model, mean_score(next(trials).result), seconds, _middle(sent), _middle(received)]
            )
    return markdown(rows, words=2)


def pairs_table(study: Study) -> str:
    """Return each pair of models, game by game: the same prompt and the same seed."""
    rows = [["won, by prompt and seed", "A", "B", "prompts", "both", "only A", "only B", "neither", "A - B", "95%"]]
    for pair in paired(study):
        counts = map(str, (pair.prompts, pair.both, pair.only_one, pair.only_other, pair.neither))
        interval = f"{pair.low:+.0%} to {pair.high:+.0%}"
        rows.append([pair.title, pair.one, pair.other, *counts, f"{pair.difference:+.0%}", interval])
    return markdown(rows, words=3)


def _middle(values: Sequence[int]) -> str:
    return f"{median(values):,.0f}" if values else "-"
