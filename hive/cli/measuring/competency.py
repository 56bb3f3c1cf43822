"""`hive competency`: normalised scores of wildfire levels, and the competency of each behaviour."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from dsl.wording import columns
from hive.cli import names
from hive.cli.command import Command, argument, option
from hive.cli.options import Folder, Json
from hive.cli.printing import pretty, print_json, tell
from hive.cli.values import read_text

if TYPE_CHECKING:
    from hive.kit.keep.runfolder import Content
    from hive.worlds.wildfire.competency import Competency


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
    from hive.kit.keep.runfolder import check_writable, write_run
    from hive.worlds.wildfire.competency import competency
    from hive.worlds.wildfire.score_files import check_rules, published_runs, read_runs

    if settings.out:
        check_writable(settings.out, settings.overwrite)
    runs = [run for file in settings.files for run in read_runs(*read_text(file))]
    check_rules(runs)
    if settings.published and any(run.rules == "default" for run in runs):
        tell("note: the published methods played under other rules of the fire; `hive run --rules published` uses them")
    methods = list(competency(runs))
    if settings.published or not settings.files:
        methods += competency(published_runs(), published=True)
    found = _object(methods)
    if settings.json:
        print_json(found)
    else:
        print("\n\n".join([_behaviours_table(methods), _levels_table(methods), _NOTE]))
    if settings.out:
        files = _files(methods, found, settings)
        write_run(settings.out, files, settings.overwrite)
        tell(f"wrote {settings.out}: {', '.join(files)}")
    return 0


def _object(methods: Sequence[Competency]) -> dict[str, Any]:
    from hive.worlds.wildfire.competency import COMPETENCY_BEHAVIOURS, EXCLUDED

    return {"methods": [method.json() for method in methods], "behaviours": COMPETENCY_BEHAVIOURS, "excluded": EXCLUDED}


def _rows(found: dict[str, Any], what: str) -> list[dict[str, Any]]:
    """Return a row for each method, and behaviour or level."""
    return [
        {"method": method["method"], "published": method["published"], what[:-1]: name, **each}
        for method in found["methods"]
        for name, each in method[what].items()
    ]


def _behaviours_table(methods: Sequence[Competency]) -> str:
    """Return the competency by behaviour, with the number of levels in each mean."""
    from hive.experiments.plots.competency import label
    from hive.worlds.wildfire.competency import COMPETENCY_BEHAVIOURS, carrying

    rows = [["competency, levels run", *(label(method, methods) for method in methods)]]
    for code, title in COMPETENCY_BEHAVIOURS.items():
        scores = ["-" if (score := method.behaviours[code]) is None else f"{score:.3f}" for method in methods]
        counts = [f"{method.counts[code]:>2} of {len(carrying(code)):>2}" for method in methods]
        rows.append([f"{code} {title}", *(f"{score} {count}" for score, count in zip(scores, counts, strict=True))])
    return columns(rows, left=(0,))


def _levels_table(methods: Sequence[Competency]) -> str:
    """Return the mean and the normalised score of each level that was run."""
    from hive.experiments.plots.competency import label
    from hive.worlds.wildfire.levels import levels

    rows = [["mean score, normalised", "best", *(label(method, methods) for method in methods)]]
    for name, level in levels().items():
        if any(name in method.runs for method in methods):
            rows.append([name, str(level.best), *(_scores(method, name) for method in methods)])
    return columns(rows, left=(0,))


def _scores(method: Competency, level: str) -> str:
    return f"{method.runs[level].mean:.2f} {method.normalised[level]:.3f}" if level in method.runs else "-"


def _files(methods: Sequence[Competency], found: dict[str, Any], settings: CompareMethods) -> dict[str, Content]:
    from hive.experiments.plots.competency import save_behaviours, save_levels
    from hive.kit.keep.config import config_file
    from hive.kit.keep.csv_text import csv_text

    return {
        **config_file(settings.line, [], files=settings.files),
        "competency.json": pretty(found),
        **{f"{what}.csv": csv_text(_rows(found, what)) for what in ("behaviours", "levels")},
        "levels.png": lambda path: save_levels(methods, path),
        "behaviours.png": lambda path: save_behaviours(methods, path),
    }


_NOTE = """\
Competency is the mean normalised score of the levels that were run and need the behaviour.
Objective Prioritization is left out, as in the published scores, because only one level needs it."""

COMMAND = Command(
    settings=CompareMethods,
    run=_run,
    about="""\
Normalise scores of wildfire levels to a scale from 0 to 1, and average them for each behaviour that levels
need: Task Designation, Agent Capitalization, Spatial Reasoning, Observation Sharing, Realtime Coordination
and Plan Adaptation. Objective Prioritization is left out, as in the published scores. Without files, the
scores of the published teams are used.""",
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
folder is written atomically: config.json, competency.json, levels.png, behaviours.png.""",
)
