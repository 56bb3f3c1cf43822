"""Competency of methods as tables, plain data and the files of a folder (docs/rules/wildfire_levels.md 5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dsl.wording import columns
from hive.experiments.plots.competency import label, save_behaviours, save_levels
from hive.kit.keep.csv_text import csv_text
from hive.kit.keep.json_text import pretty
from hive.kit.keep.runfolder import Content
from hive.worlds.wildfire.competency import BEHAVIOURS, UNPUBLISHED, Competency, carrying
from hive.worlds.wildfire.levels import levels

NOTE = """\
Competency is the mean normalised score of the levels that were run and need the behaviour.
Objective Prioritization is not among the published scores, because only one level needs it."""


def competency_json(methods: Sequence[Competency]) -> dict[str, Any]:
    """Return the competency of all methods in plain values."""
    return {"methods": [method.json() for method in methods], "behaviours": BEHAVIOURS, "unpublished": [*UNPUBLISHED]}


def behaviours_table(methods: Sequence[Competency]) -> str:
    """Return the competency by behaviour, with the number of levels in each mean."""
    rows = [["competency, levels run", *(label(method, methods) for method in methods)]]
    for code, title in BEHAVIOURS.items():
        scores = ["-" if (score := method.behaviours[code]) is None else f"{score:.3f}" for method in methods]
        counts = [f"{method.counts[code]:>2} of {len(carrying(code)):>2}" for method in methods]
        rows.append([f"{code} {title}", *(f"{score} {count}" for score, count in zip(scores, counts, strict=True))])
    return columns(rows, left=(0,))


def levels_table(methods: Sequence[Competency]) -> str:
    """Return the mean and the normalised score of each level that was run."""
    rows = [["mean score, normalised", "best", *(label(method, methods) for method in methods)]]
    for name, level in levels().items():
        if any(name in method.runs for method in methods):
            rows.append([name, str(level.best), *(_scores(method, name) for method in methods)])
    return columns(rows, left=(0,))


def competency_files(methods: Sequence[Competency]) -> dict[str, Content]:
    """Return `competency.json`, both tables as CSV and both pictures, by file name."""
    found = competency_json(methods)
    return {
        "competency.json": pretty(found),
        **{f"{what}.csv": csv_text(_rows(found, what)) for what in ("behaviours", "levels")},
        "levels.png": lambda path: save_levels(methods, path),
        "behaviours.png": lambda path: save_behaviours(methods, path),
    }


def _scores(method: Competency, level: str) -> str:
    return f"{method.runs[level].mean:.2f} {method.normalised[level]:.3f}" if level in method.runs else "-"


def _rows(found: dict[str, Any], what: str) -> list[dict[str, Any]]:
    """Return a row for each method, and behaviour or level."""
    return [
        {"method": method["method"], "published": method["published"], what[:-1]: name, **each}
        for method in found["methods"]
        for name, each in method[what].items()
    ]
