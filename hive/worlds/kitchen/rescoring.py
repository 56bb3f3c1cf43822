"""Finished runs scored in other ways: with other time limits, and against annotated reference trajectories.

Rules: docs/rules/kitchen.md 11.6, 11.7.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from dsl.wording import columns
from hive.kit.intervals import wilson
from hive.worlds.kitchen.runs import Figures, KitchenRun, Standard, score, summarise, summarise_tasks

Limits = Mapping[float, Mapping[str, int]]
"""For each gamma the time limit of each task by its order."""


def sweep(runs: Sequence[KitchenRun], standards: Mapping[str, Standard], limits: Limits) -> list[dict[str, Any]]:
    """Return the figures of each level, and of all, with each gamma.

    Args:
        runs: Runs of one player, with their own limits, which are at least those of each gamma.
        standards: What the runs of each task are scored against, by its order.
        limits: The limits to apply.
    """
    rows = []
    for gamma, by_order in limits.items():
        scores = [score(replace(run, limit=by_order[run.task]), standards[run.task]) for run in runs]
        levels = sorted({each.run.level for each in scores})
        for level in [*levels, *([None] if len(levels) > 1 else [])]:
            some = [each for each in scores if level in (None, each.run.level)]
            figures = summarise(some) if level is None else summarise_tasks(some)
            limits_here = sorted({each.run.limit for each in some})
            rows.append({"level": level, "gamma": gamma, "limits": limits_here, **_row(figures)})
    return sorted(rows, key=lambda row: (row["level"] is None, row["level"] or 0))


def sweep_table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the rows of `sweep` as a table."""
    table = [["level", "gamma", "limit", "games", "SR", "95% interval", "PC", "95% interval"]]
    for row in rows:
        limits = row["limits"]
        table.append(
            [
                "all" if row["level"] is None else str(row["level"]),
                f"{row['gamma']:g}",
                str(limits[0]) if len(limits) == 1 else f"{limits[0]} to {limits[-1]}",
                str(row["games"]),
                *_cells(row, "sr"),
                *_cells(row, "pc"),
            ]
        )
    return columns(table, left=(0,))


def against_annotated(
    runs: Sequence[KitchenRun], standards: Mapping[str, Standard], annotated: Mapping[str, Standard]
) -> list[dict[str, Any]]:
    """Return the figures of each task that has annotated trajectories, against its own references and against these.

    Args:
        runs: Runs of one player.
        standards: What the runs of each task are scored against otherwise, by its order.
        annotated: The same with annotated trajectories.
    """
    rows = []
    for order, standard in annotated.items():
        some = [run for run in runs if run.task == order]
        for name, each in (("kitchen", standards[order]), ("annotated", standard)):
            lists = [len(alternatives) for alternatives in each.references]
            found = {"task": order, "references": name, "lists": lists}
            rows += [found | _row(summarise([score(run, each) for run in some]))] if some else []
    return rows


def annotated_table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the rows of `against_annotated` as a table."""
    table = [["task", "references", "lists", "games", "PC", "95% interval", "TES", "IC", "RC"]]
    for row in rows:
        tes = ", ".join(f"{each:.3f}" for each in row["tes"])
        lists = ", ".join(map(str, row["lists"]))
        shares = [f"{row[name]:.3f}" for name in ("ic", "rc")]
        table.append([row["task"], row["references"], lists, str(row["games"]), *_cells(row, "pc"), tes, *shares])
    return columns(table, left=(0, 1))


def _row(figures: Figures) -> dict[str, Any]:
    return {
        "games": figures.runs,
        **dict(_share("sr", figures.success_rate, figures.runs)),
        **dict(_share("pc", figures.pc, figures.runs)),
        "tes": list(figures.tes),
        "ic": figures.ic,
        "rc": figures.rc,
    }


def _share(name: str, mean: float, count: int) -> Iterator[tuple[str, float]]:
    low, high = wilson(min(mean, 1.0), count)
    yield from ((name, mean), (f"{name}_low", low), (f"{name}_high", high))


def _cells(row: Mapping[str, Any], name: str) -> list[str]:
    return [f"{row[name]:.3f}", f"{row[f'{name}_low']:.2f} to {row[f'{name}_high']:.2f}"]
