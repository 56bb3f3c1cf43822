"""`hive baselines`: a table of algorithms on tasks, trained where it lacks runs, with held-out games and references."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hive.cli.command import Command
from hive.cli.learning.baseline_games import (
    Beside,
    Cell,
    count_games,
    play_cell,
    play_references,
    worlds_and_players,
)
from hive.cli.learning.baseline_report import curves_of, marl_eval_of, report_of, rows_of, table
from hive.cli.learning.baseline_runs import WantedRun, trained_run, wanted_runs
from hive.cli.learning.baseline_settings import Baselines
from hive.cli.learning.learners import need
from hive.cli.progress import watching
from hive.kit.keep.csv_text import csv_text
from hive.kit.keep.json_text import pretty

if TYPE_CHECKING:
    from hive.kit.keep.runfolder import Content
    from hive.rl.runs import TrainedRun


def _run(settings: Baselines) -> int:
    from hive.kit.keep.record import games_folder

    need()
    settings.use_cache()
    settings.check_folder(settings.out)
    wanted = wanted_runs(settings)
    with watching(quiet=settings.json) as watch:
        rows: dict[tuple[str, str], list[tuple[WantedRun, TrainedRun]]] = {}
        for each in wanted:
            run = trained_run(each, settings.no_training, watch)
            rows.setdefault((each.task, each.name), []).append((each, run))
        watch.stage("playing held-out games", len(rows) + len(settings.tasks), "part")
        cells: list[Cell] = []
        beside: dict[str, Beside] = {}
        for (task, name), runs in rows.items():
            cells.append(play_cell(name, runs, settings))
            watch.update(len(cells) + len(beside), f"{task}, {name}")
        for task in settings.tasks:
            beside[task] = play_references(task, settings.episodes)
            watch.update(len(cells) + len(beside), task)
        report = report_of(settings, cells, {task: each.games for task, each in beside.items()})
        settings.output(report, table(report), watch.say)
        if settings.out:
            files: dict[str, Content] = {
                "results.json": pretty(report),
                "results.csv": csv_text(rows_of(report)),
                "marl_eval.json": pretty(marl_eval_of(cells)),
                "curves.png": curves_of(cells),
            }  # fmt: skip
            again, (worlds, players) = settings.again(settings.out), worlds_and_players(cells, beside)
            facts = {"games": count_games(cells, beside), "arguments": {"runs": str(settings.runs)}}
            files = games_folder(settings.line, again, worlds, players, report["seeds"], files, **facts)
            settings.save_folder(settings.out, files)
    return 0


COMMAND = Command(
    settings=Baselines,
    run=_run,
    repeats="--no-training",
    about="""\
Compare algorithms on tasks: train a few policies of each, and play held-out games with them, with drawn and
with the most probable actions, next to random actions, standing still, scripted players of the world if it
has some, the best tree and the scenario's own plan on the same seeds. Training runs are folders of `hive
train`: a run that is there is not made again, an interrupted one goes on, so the same command with more tasks
or algorithms extends a table. With --vary each algorithm gets the settings that win most on each task, in
held-out games that the table does not use.""",
    examples=(
        "hive baselines skirmish_5v5                                    IPPO and MAPPO, three seeds each",
        "hive baselines skirmish_5v5 kitchen_two_orders --memory both --seeds 10 --out runs/table",
        "hive baselines skirmish_5v5 --algorithms ippo --vary lr=0.003,0.001,0.0003 --vary num_steps=16,64",
    ),
    notes="""\
With --out a folder is written: config.json, results.csv and results.json (all shares, means and intervals,
and what was tried with --vary), marl_eval.json (results in the form of the package id-marl-eval) and
curves.png (shares of games won in training over steps and over time). `hive verify` makes the table again
from the runs, which it finds where they were, and trains none. The interquartile mean leaves a
quarter of the policies out at each end, of fewer than four none.""",
)
