"""Tables of the teams of `hive rescue play`: every instance and team, and the sums of each team."""

from __future__ import annotations

from collections.abc import Sequence

from dsl.wording import columns
from hive.cli.rescue.runs import RescueRun
from hive.rescue.scores import PUBLISHED_SCORES
from hive.rescue.shipped import names


def tables(runs: Sequence[RescueRun]) -> str:
    """Return two readable tables: every instance and team, and the sums of each team."""
    teams = list(dict.fromkeys(run.team.name for run in runs))
    instances = list(dict.fromkeys(run.instance.name for run in runs))
    found = {(run.instance.name, run.team.name): run for run in runs}
    rows = [["rescue", "victims", "optimum", *teams]]
    for name in instances:
        first = found[name, teams[0]]
        cells = [_cell(found[name, team]) for team in teams]
        rows.append([name, str(len(first.instance.victims)), str(first.least or "-"), *cells])
    text = columns(rows, left=(0,)) + "\n\n" + columns([_HEAD, *(_sums(runs, team) for team in teams)], left=(0,))
    if set(instances) != set(names()):
        return text
    published = ", ".join(f"{name} {helped:g}" for name, helped in PUBLISHED_SCORES.items())
    return f"{text}\n\npublished, of 35 victims on instances that are not public: {published}"


_HEAD = ["team", "helped", "of", "solved", "steps", "by optimum", "redundant", "meetings", "refused", "messages"]
_HEAD += ["level", "calls"]


def _sums(runs: Sequence[RescueRun], team: str) -> list[str]:
    mine = [run for run in runs if run.team.name == team]
    solved = [run for run in mine if run.ratio is not None]
    ratio = sum(run.ratio or 0.0 for run in solved) / len(solved) if solved else None
    levels = [run.coordination.level for run in mine if run.messages]
    sums = "total_redundant_agent_moves", "occurrences_2_or_more_agents_same_room"
    return [
        team,
        str(sum(run.facts["helped"] for run in mine)),
        str(sum(run.facts["victims"] for run in mine)),
        str(len(solved)),
        str(sum(run.facts["steps"] for run in mine)),
        "-" if ratio is None else f"{ratio:.3f}",
        *(str(sum(int(run.metrics[name] or 0) for run in mine)) for name in sums),
        str(sum(run.facts["refused"] for run in mine)),
        str(sum(run.messages for run in mine)),
        f"{sum(levels) / len(levels):.2f}" if levels else "-",
        str(sum(run.episode.calls for run in mine)),
    ]


def _cell(run: RescueRun) -> str:
    """Return the steps of a run, or how many victims it helped and how it ended."""
    if run.facts["success"]:
        return str(run.facts["steps"])
    return f"{run.facts['helped']} of {run.facts['victims']}, {_ENDS.get(run.facts['outcome'], run.facts['outcome'])}"


_ENDS = {"mission ended by the agents": "ended", "step limit": "limit"}
