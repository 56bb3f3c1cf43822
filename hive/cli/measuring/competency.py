"""`hive competency`: normalised scores of wildfire levels, and the competency of each behaviour."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from hive.cli import names
from hive.cli.command import Command, argument, option
from hive.cli.options import Folder, Json
from hive.cli.printing import tell
from hive.cli.values import read_text


@dataclass(frozen=True, kw_only=True)
class CompareMethods(Folder, Json):
    """Settings of `hive competency`."""

    files: Annotated[
        tuple[str, ...],
        argument(
            "JSON of runs, - for standard input; default: the published table of scores",
            "FILE",
            complete=names.ANY_FILE,
            dash=True,
        ),
    ] = field(kw_only=False, default=())
    published: Annotated[bool, option("add the five published methods to those of the files")] = False
    out: Annotated[Path | None, option("save the scores and their pictures in this folder", "DIR")] = None


def _run(settings: CompareMethods) -> int:
    from hive.experiments.plots.competency_tables import (
        NOTE,
        behaviours_table,
        competency_files,
        competency_json,
        levels_table,
    )
    from hive.kit.keep.config import config_file
    from hive.worlds.wildfire.competency import competency
    from hive.worlds.wildfire.score_files import check_rules, published_runs, read_runs

    settings.check_folder(settings.out)
    runs = [run for file in settings.files for run in read_runs(*read_text(file))]
    check_rules(runs)
    if settings.published and any(run.rules == "default" for run in runs):
        tell("note: the published methods played under other rules of the fire; `hive run --rules published` uses them")
    methods = list(competency(runs))
    if settings.published or not settings.files:
        methods += competency(published_runs(), published=True)
    settings.output(competency_json(methods), "\n\n".join([behaviours_table(methods), levels_table(methods), NOTE]))
    if settings.out:
        files = {**config_file(settings.line, [], files=settings.files), **competency_files(methods)}
        settings.save_folder(settings.out, files)
    return 0


COMMAND = Command(
    settings=CompareMethods,
    run=_run,
    about="""\
Normalise scores of wildfire levels to a scale from 0 to 1, and average them for each behaviour that levels
need: Task Designation, Agent Capitalization, Spatial Reasoning, Observation Sharing, Realtime Coordination,
Plan Adaptation and Objective Prioritization. The last one is not among the published scores, because only
one level needs it. Without files, the scores of the published teams are used.""",
    examples=(
        "hive competency                                the published teams and Do Nothing",
        "hive competency mine.json nothing.json         my runs, and those of Do Nothing",
        "hive competency runs.json --published --out competency",
    ),
    notes="""\
A file contains an object, a list of objects, or one object per line, as `hive run wildfire/LEVEL --json`
prints them, with `level`, `method` and `scores`, a list of the final score of each seed; `mean` may replace
`scores`. Other keys are ignored. On levels that count losses (suppress_... and full_environment) the scale
depends on the losses without any orders, so the files must contain runs of the method `Do Nothing` on these
levels with the same seeds:

  hive run wildfire/LEVEL --seeds published --commander nothing --json

Levels that were not run are left out of the means, and the table says how many were run. With --out a
folder is written atomically: config.json, competency.json, behaviours.csv, levels.csv, levels.png
and behaviours.png.""",
)
