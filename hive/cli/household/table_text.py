"""The lines of `hive household table` as a readable table and as plain values, with paired differences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

from dsl.wording import plural

if TYPE_CHECKING:
    from hive.cli.household.trials import TableLine
    from hive.worlds.household.policies.figures import Mean
    from hive.worlds.household.policies.trials import Trial

PUBLISHED = {
    "LIET": "40.3 (GPT-4o), 50.4 (LLaMA 3.1-70B)",
    "LIET without the utility": "52.7 (GPT-4o)",
    "LIET with guessed costs": "57.6 (GPT-4o)",
    "LIET without evolving": "49.3 (GPT-4o)",
    "CoELA": "48.4, 58.8",
    "ProAgent": "61.0, 64.4",
    "RoCo": "64.7, 73.9",
    "MHP": "75",
    "LIET, three and four agents": "34.9, 33.1 (GPT-4o)",
}
"""Mean steps of the paper's tables 1, 3 and 4, symbolic observation, on the ten episodes of the real simulator."""

PUBLISHED_RATES = {
    "LIET": "87.1, 80.4",
    "CoELA": "84.6, 80.0",
    "ProAgent": "82.0, 79.6",
    "RoCo": "85.8, 80.4",
    "RHP": "75",
}
"""Transport rates in percent of the paper's table 2, with oracle perception."""

_SPOKEN = ("messages", "calls")
MEASURES = {"housework": "steps", "transport": "transport rate, %"}
"""What is measured, by the rules of the episodes."""

WARNING = (
    "The published values come from other simulators and from language models: orders of methods may be compared,"
    " numbers may not."
)


def table_text(rules: str, results: Sequence[TableLine]) -> str:
    """Return the lines of episodes with these rules as readable tables."""
    from dsl.wording import columns

    labels = [*results[0].trials]
    rate = rules == "transport"
    what = MEASURES[rules]
    head = ["policy", "agents"]
    for label in labels:
        counted = f"{len(results[0].trials[label].ticks)} {label}"
        head += [f"{counted}: {what}", *(["ticks"] if rate else []), "not finished"]
    lines = [[*head, "what it is"]]
    for line in results:
        cells = [line.name, str(line.agents)]
        for trial in line.trials.values():
            unfinished = f"{trial.unfinished} of {trial.ticks.size}"
            cells += [*([str(trial.rate)] if rate else []), str(trial.mean), unfinished]
        lines.append([*cells, line.about])
    notes = ["± half of the 95% interval of the mean over episodes. An episode that is not finished counts its limit."]
    for line in results:
        for label, mean in line.least.items():
            notes.append(
                f"planner, {plural(line.agents, 'agent')}, {label}: {mean.value:.1f} steps in the mean if all "
                "containers were open; the search found no straight tours that need fewer"
            )
    published = PUBLISHED_RATES if rate else PUBLISHED
    listed = "\n".join(f"  {name}: {value}" for name, value in published.items())
    told = "\n".join(notes)
    tables = [columns(lines, left=(0, len(head))), *_team_table(results), *_difference_table(rules, results)]
    return "\n\n".join([*tables, told, f"published {what}:\n{listed}\n{WARNING}"])


def _team_table(results: Sequence[TableLine]) -> list[str]:
    """Return the messages and calls of a play, for lines that are teams of agents."""
    from dsl.wording import columns
    from hive.worlds.household.results import TeamTrial

    rows = [["a play has", "agents", *(f"{label}: {what}" for label in results[0].trials for what in _SPOKEN)]]
    for line in results:
        trials = [trial for trial in line.trials.values() if isinstance(trial, TeamTrial)]
        cells = [f"{getattr(trial, what).mean():.1f}" for trial in trials for what in _SPOKEN]
        rows += [[line.name, str(line.agents), *cells]] if trials else []
    return [columns(rows, left=(0,))] if len(rows) > 1 else []


def _difference_table(rules: str, results: Sequence[TableLine]) -> list[str]:
    """Return the paired differences as a table, if there are any."""
    from dsl.wording import columns

    found = _differences(rules, results)
    if not found:
        return []
    labels = [*results[0].trials]
    rows = [[f"paired difference, {MEASURES[rules]}", "agents", "less", "agents", *labels]]
    for each, one, other in found:
        rows.append([one.name, str(one.agents), other.name, str(other.agents), *(str(each[label]) for label in labels)])
    return [columns(rows, left=(0, 2))]


def _differences(rules: str, results: Sequence[TableLine]) -> list[tuple[dict[str, Mean], TableLine, TableLine]]:
    """Return the mean differences of pairs of lines on the same episodes, by set, with the two lines.

    Each line is paired with the first one of its size, of players if there are any, and with its own smallest team.
    """
    from hive.worlds.household.policies.figures import difference
    from hive.worlds.household.results import TeamTrial

    def is_team(line: TableLine) -> bool:
        return all(isinstance(trial, TeamTrial) for trial in line.trials.values())

    ordered = sorted(results, key=lambda line: not is_team(line))
    found = []
    for line in results:
        same = next(other for other in ordered if other.agents == line.agents)
        smaller = min((other for other in results if other.name == line.name), key=lambda other: other.agents)
        for other in (same, smaller):
            if other is not line:
                pairs = {
                    label: difference(_each(rules, trial), _each(rules, other.trials[label]))
                    for label, trial in line.trials.items()
                }
                found.append((pairs, line, other))
    return found


def table_object(rules: str, results: Sequence[TableLine]) -> dict[str, Any]:
    """Return the same in plain values."""
    return {
        "rules": rules,
        "rows": [
            {
                "policy": line.name,
                "agents": line.agents,
                **{label: _figures(rules, trial) for label, trial in line.trials.items()},
                **({"least": {label: mean.value for label, mean in line.least.items()}} if line.least else {}),
            }
            for line in results
        ],
        **({"differences": pairs} if (pairs := _pairs(rules, results)) else {}),
        "published": PUBLISHED_RATES if rules == "transport" else PUBLISHED,
        "warning": WARNING,
    }


def _pairs(rules: str, results: Sequence[TableLine]) -> list[dict[str, Any]]:
    return [
        {
            "policy": one.name,
            "agents": one.agents,
            "less": other.name,
            "less_agents": other.agents,
            **{
                label: {"mean": mean.value, "margin": mean.margin if mean.count > 1 else None}
                for label, mean in each.items()
            },
        }
        for each, one, other in _differences(rules, results)
    ]


def _each(rules: str, trial: Trial) -> Float[np.ndarray, " e"]:
    """Return the measure of each episode; the seeds of an episode are averaged."""
    found: Float[np.ndarray, " e"] = (100 * trial.share if rules == "transport" else trial.ticks).mean(1)
    return found


def _figures(rules: str, trial: Trial) -> dict[str, Any]:
    from hive.worlds.household.results import TeamTrial

    mean = trial.rate if rules == "transport" else trial.mean
    return {
        "mean": mean.value,
        "margin": mean.margin if mean.count > 1 else None,
        "episodes": mean.count,
        "plays": trial.ticks.size,
        "unfinished": trial.unfinished,
        "ticks": trial.mean.value,
        "each": (trial.share if rules == "transport" else trial.ticks).mean(1).tolist(),
        **({what: float(getattr(trial, what).mean()) for what in _SPOKEN} if isinstance(trial, TeamTrial) else {}),
    }
