"""The results of a table of baselines: in plain values, as text, as rows for each policy, and as curves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dsl.wording import columns, listing, plural
from hive.cli.learning.baseline_games import Cell
from hive.cli.learning.baseline_settings import Baselines
from hive.cli.learning.evaluating import FIRST
from hive.cli.learning.references import TREE

if TYPE_CHECKING:
    from hive.rl.evaluation import PlayerGames


def report_of(
    settings: Baselines, cells: Sequence[Cell], beside: Mapping[str, Sequence[PlayerGames]]
) -> dict[str, Any]:
    """Return the results of all tasks, and of each algorithm over all of them, in plain values."""
    from hive.rl.baselines import bootstrap, interquartile_mean

    tasks = [
        {
            "task": task,
            "algorithms": {cell.name: cell.json() for cell in cells if cell.task == task},
            "references": [
                {name: value for name, value in each.json().items() if name != "results"} for each in beside[task]
            ],
        }
        for task in settings.tasks
    ]
    overall: dict[str, Any] = {}
    for name in dict.fromkeys(cell.name for cell in cells):
        own = [cell for cell in cells if cell.name == name]
        overall[name] = {
            way: {"iqm": interquartile_mean(shares), "interval": list(bootstrap(shares))}
            for way, shares in (
                ("drawn", np.stack([cell.drawn.won for cell in own], axis=1)),
                ("greedy", np.stack([cell.greedy.won for cell in own], axis=1)),
            )
        }
    seeds = [*range(settings.seed, settings.seed + settings.seeds)]
    return {"seeds": seeds, "episodes": settings.episodes, "first": FIRST, "tasks": tasks, "overall": overall}


def table(report: Mapping[str, Any]) -> str:
    """Return the report of the command as a readable table."""
    heads = ("won, drawn", "95% interval", "won, greedy", "95% interval", "length", "steps", "time")
    lines = [("task", "player", *heads)]
    for task in report["tasks"]:
        for name, cell in task["algorithms"].items():
            chosen = f", {_settings(cell['settings'])}" if cell["settings"] else ""
            spent = "-" if cell["seconds"] is None else f"{cell['seconds']:,.0f} s"
            length = f"{np.mean(cell['drawn']['ticks']):.1f}"
            lines.append((task["task"], name + chosen, *_shown(cell), length, f"{cell['steps']:,}", spent))
        for each in _top(task["references"]):
            low, high = each["interval"]
            shares = f"{each['share']:.1%}", f"{low:.1%} to {high:.1%}"
            lines.append((task["task"], each["name"], *shares, "", "", f"{each['ticks']:.1f}", "", ""))
    if len(report["tasks"]) > 1:
        lines += [("all tasks", name, *_shown(own), "", "", "") for name, own in report["overall"].items()]
    words = [
        columns(lines, left=(0, 1)),
        *_tried(report),
        f"of algorithms: interquartile mean over {plural(len(report['seeds']), 'seed')} and its stratified bootstrap "
        "interval;",
        *_checkpoints(report),
        f"of references: share of games and Wilson's interval, of trees the best; {plural(report['episodes'], 'game')} "
        "of each player;",
        "length: mean of the drawn games, in ticks or turns of the world",
    ]
    return "\n".join(words)


def _tried(report: Mapping[str, Any]) -> list[str]:
    """Return the settings that were tried, as a readable table; none where none vary."""
    lines = [("task", "player", "settings tried", "won, drawn", "won, greedy", "length")]
    for task in report["tasks"]:
        for name, cell in task["algorithms"].items():
            for each in cell["candidates"]:
                shown = [f"{each[way]['iqm']:.1%}" for way in ("drawn", "greedy")]
                length = f"{np.mean(each['drawn']['ticks']):.1f}"
                lines.append((task["task"], name, _settings(each["settings"]), shown[0], shown[1], length))
            for each in cell.get("stopped", ()):
                early = f"{_settings(each['settings'])}, stopped after {each['steps']:,} steps"
                lines.append((task["task"], name, early, "-", "-", "-"))
    return [columns(lines, left=(0, 1, 2)), "settings were chosen by games of their own;"] if len(lines) > 1 else []


def _settings(rows: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {value:g}" for name, value in rows.items())


def _checkpoints(report: Mapping[str, Any]) -> list[str]:
    """Return lines that say which policies of the table are those of best, and of newest checkpoints."""
    found: dict[str, list[str]] = {}
    for task in report["tasks"]:
        for name, cell in task["algorithms"].items():
            found.setdefault(cell["checkpoint"], []).append(f"{name} on {task['task']}")
    if len(found) == 1:
        return [f"policies: the {next(iter(found))} checkpoint of each"]
    return [f"{which} checkpoints: {listing(joint='and', phrases=names)}" for which, names in found.items()]


def rows_of(report: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Return a row for each policy: task, algorithm, seed, and what it won and scored in the test games."""
    for task in report["tasks"]:
        for name, cell in task["algorithms"].items():
            for at, lane in enumerate(cell["seeds"]):
                won = {f"{way}_won": cell[way]["won"][at] for way in ("drawn", "greedy")}
                score = {f"{way}_score": cell[way]["score"][at] for way in ("drawn", "greedy")}
                ticks = {f"{way}_ticks": cell[way]["ticks"][at] for way in ("drawn", "greedy")}
                yield {"task": task["task"], "algorithm": name, "seed": lane, **won, **score, **ticks}


def _shown(found: Mapping[str, Any]) -> tuple[str, str, str, str]:
    cells: list[str] = []
    for way in ("drawn", "greedy"):
        low, high = found[way]["interval"]
        cells += [f"{found[way]['iqm']:.1%}", f"{low:.1%} to {high:.1%}"]
    return cells[0], cells[1], cells[2], cells[3]


def _top(references: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Of the trees only the best."""
    trees = [each for each in references if each["name"].startswith(TREE)]
    top = max(trees, key=lambda each: (each["won"], each["score"]), default=None)
    return [each for each in references if each not in trees or each is top]


def marl_eval_of(cells: Sequence[Cell]) -> dict[str, Any]:
    """Return the results in the form of the package id-marl-eval."""
    from hive.rl.baselines import Scored, marl_eval

    return marl_eval(
        [
            Scored(cell.task, cell.name, cell.seeds, cell.rows, cell.drawn.won.tolist(), cell.drawn.score.tolist())
            for cell in cells
        ]
    )


def curves_of(cells: Sequence[Cell]) -> Callable[[Path], None]:
    """Return what saves the curves of training as a picture."""
    from hive.experiments.plots.learning import Curve, save_table_curves

    rows = [Curve(cell.task, cell.name, cell.rows, cell.steps, cell.seconds) for cell in cells]
    return lambda path: save_table_curves(rows, path)
