"""`hive sweep`: plans x rules x seeds in chunks, on all devices; an interrupted run can be resumed."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from dsl import UserError, render
from dsl.wording import plural
from hive.cli import names
from hive.cli.command import Command, option
from hive.cli.options import Cache, Changes, JsonOnly, Markers, ResumedFolder, Tuning, World
from hive.cli.printing import tell
from hive.cli.progress import duration, watching
from hive.cli.setting import load_battle, tell_rescaled
from hive.cli.subjects import BattlesAndSets
from hive.cli.values import device_count, games, index, named_numbers, seconds
from hive.kit.plan_text import PlanText
from hive.kit.reporting import Watch

if TYPE_CHECKING:
    import numpy as np

    from hive.cli.games.resuming import SweepProgress
    from hive.engine.batch.job import Ends, Job
    from hive.engine.batch.sweep import Sweep
    from hive.worlds.battle.world import Battle

_NOT_OF_SETS = (
    *("units", "numbers", "vary", "markers", "written_for", "out", "overwrite", "restart", "chunk"),
    *("coordinator", "processes", "process", "coordinator_timeout"),
)  # fields of options


def _values(text: str) -> tuple[str, list[float]]:
    return named_numbers(text, "RULE=A,B,C with numbers, as in `limit=300,600`")


@dataclass(frozen=True, kw_only=True)
class PlaySweep(World, Changes, Markers, ResumedFolder, JsonOnly, Tuning, Cache):
    """Settings of `hive sweep`."""

    plans: Annotated[
        tuple[str, ...],
        option(
            "the player's plans: names from `hive list`, files, folders of .plan files; default: the scenario's",
            "PLAN",
            complete=names.PLAN,
            several=True,
        ),
    ] = ()
    seeds: Annotated[
        int, option("number of games in each cell, with the seeds 0 to K - 1; default: 10", "K", read=games)
    ] = 10
    vary: Annotated[
        tuple[tuple[str, list[float]], ...],
        option("values to try for a rule, as in `limit=300,600`; several rules are combined", "RULE=A,B", read=_values),
    ] = ()
    out: Annotated[Path | None, option("save the sweep in this folder; an interrupted run resumes", "DIR")] = None
    chunk: Annotated[
        int | None, option("play at most G games at once; default: as many as fit into memory", "G", read=games)
    ] = None
    devices: Annotated[
        int | None,
        option("number of devices to use; a CPU is divided into as many; default: all", "D", read=device_count),
    ] = None
    coordinator: Annotated[
        str | None, option("for several hosts: the address of the first process", "HOST:PORT", complete=names.nothing)
    ] = None
    processes: Annotated[int | None, option("for several hosts: the number of processes", "N", read=games)] = None
    process: Annotated[int | None, option("for several hosts: the number of this process, from 0", "I", read=index)] = (
        None
    )
    coordinator_timeout: Annotated[
        int, option("seconds to wait until all processes have joined; default: 300", "S", read=seconds)
    ] = 300

    def __post_init__(self) -> None:
        """Check that no rule is given twice.

        Raises:
            UserError: One is.
        """
        given = {name for name, _ in self.numbers}
        for name, _ in self.vary:
            if name in given:
                raise UserError(f"the rule `{name}` is given twice: write --vary {name}=A,B once, without --set")
            given.add(name)


def _run(settings: PlaySweep) -> int:
    import jax

    from hive.cli.games.set_sweeping import sweep_set
    from hive.engine.batch.devices import connect, first_devices
    from hive.engine.batch.job import Job, seeds_of
    from hive.engine.reading import compile_text
    from hive.worlds.battle.drawn.sets import is_set

    settings.use_tuning()
    settings.use_cache()
    if is_set(settings.scenario):
        return sweep_set(settings, _sources(settings))
    connect(settings.coordinator, settings.processes, settings.process, settings.coordinator_timeout)
    devices = first_devices(settings.devices)  # before anything else begins JAX
    world = load_battle(settings.request())
    rows = world.rule_rows(dict(settings.vary))
    texts = _read_texts(settings, world)
    first = jax.process_index() == 0
    for text in texts:
        if first and text.report.diagnostics:
            tell(f"{text.name}:\n{render(text.report.diagnostics)}\n")
    good = [text for text in texts if not text.failure]
    if not good:
        raise UserError(
            f"none of the {plural(len(texts), 'plan')} can be played\n"
            "  = help: correct the errors above; `hive check` checks a plan without playing it"
        )
    if first:
        tell_rescaled(world, settings.written_for)
    job = Job(
        world=world,
        plans=[compile_text(text, world) for text in good],
        names=[text.name for text in good],
        seeds=seeds_of(range(settings.seeds)),
        rules=rows,
        devices=devices,
        chunk=settings.chunk,
    )
    kept, done = _resume(settings, world, job, texts)
    with watching() as watch:
        parts = _play(job, kept, done, watch)
        if first:
            _finish(settings, job, texts, parts, kept, watch)
    return 0


def _sources(settings: PlaySweep) -> list[str | None]:
    """Return where the plans are, those of a folder in the order of their names; None is the scenario's own."""
    sources: list[str | None] = []
    for source in settings.plans or [None]:
        if source is not None and Path(source).is_dir():
            inside = sorted(str(path) for path in Path(source).glob("*.plan"))
            if not inside:
                raise UserError(
                    f"the folder {source} holds no .plan file\n"
                    "  = help: name a folder with files such as mine.plan, or the files themselves"
                )
            sources += inside
        else:
            sources.append(source)
    return sources


def _read_texts(settings: PlaySweep, world: Battle) -> list[PlanText]:
    """Read and check every plan."""
    found: dict[str, PlanText] = {}
    from hive.worlds.battle.host import read_plan

    for source in _sources(settings):
        text = read_plan(replace(settings.request(), plan=source), world)
        if text.name in found:
            raise UserError(f"two plans are called `{text.name}`: rename one of the files")
        found[text.name] = text
    return list(found.values())


def _resume(
    settings: PlaySweep, world: Battle, job: Job, texts: Sequence[PlanText]
) -> tuple[SweepProgress | None, int]:
    """Return what is saved of the sweep (in the first process only) and how many chunks were played before."""
    import jax

    from hive.cli.games.resuming import resume
    from hive.engine.batch.devices import agree

    kept, trouble = None, None
    if settings.out and jax.process_index() == 0:
        try:
            settings.check_folder(settings.out)
            kept = resume(settings.out, world, job, texts, settings.restart)
        except UserError as error:
            trouble = error  # the other processes wait in `agree`, so this one answers before it stops
    done = agree(-1 if trouble else len(kept.chunks.found) if kept else 0)
    if trouble:
        raise trouble
    if done < 0:
        raise UserError("the first process stopped: see its message")
    if kept and done:
        tell(f"resuming after {done} of {plural(len(job.chunks), 'chunk')} from {kept.chunks.folder}")
    return kept, done


def _play(job: Job, kept: SweepProgress | None, done: int, watch: Watch) -> list[Ends]:
    """Play the remaining chunks and save each one when it ends; return all chunks, including earlier ones."""
    parts = list(kept.chunks.found) if kept else []
    before = sum(chunk.size for chunk in job.chunks[:done])
    some = f"{plural(job.games - before, 'game')} of {plural(sum(job.world.sizes), 'unit')}"
    watch.stage(f"playing {some} in {plural(len(job.chunks) - done, 'chunk')}", job.games, "game")
    began = time.monotonic()
    left = ""
    for number in range(done, len(job.chunks)):

        def on_progress(tick: int, outcome: np.ndarray, before: int = before, left: str = left) -> None:
            watch.update(before + int((outcome != 0).sum()), f"tick {tick}{left}")

        ends = job.play(number, on_progress)
        parts.append(ends)
        if kept:
            kept.chunks.add(ends)
        before += ends.outcome.size
        each = (time.monotonic() - began) / (number + 1 - done)
        left = f", about {duration(each * (len(job.chunks) - number - 1))} left"
    return parts


def _finish(
    settings: PlaySweep,
    job: Job,
    texts: Sequence[PlanText],
    parts: Sequence[Ends],
    kept: SweepProgress | None,
    watch: Watch,
) -> None:
    """Print and save the results of the sweep, including the plans that could not be played."""
    from hive.engine.batch.result import Result, unplayed
    from hive.engine.batch.sweep import Sweep

    played: dict[str, list[Result]] = {}
    for result in job.collect(parts):
        played.setdefault(result.plan, []).append(result)
    cells: list[Result] = []
    for text in texts:
        end = text.failure
        cells += (
            [unplayed(job.world, text.name, range(settings.seeds), end, row) for row in job.rules]
            if end
            else played[text.name]
        )
    sweep = Sweep(tuple(cells), sum(float(part.seconds[0]) for part in parts))
    settings.output(sweep.json(), f"\n{sweep.table()}", watch.say)
    if kept and settings.out:
        from hive.cli.games.resuming import keep

        again, facts = _again(settings, texts), _facts(settings, job, texts, sweep, kept.commit)
        keep(kept, settings.out, settings, again, facts, job, texts, sweep)


def _again(settings: PlaySweep, texts: Sequence[PlanText]) -> list[str]:
    """Return the words after `hive` that play the sweep again inside its folder."""
    from hive.cli.keeping import words_of

    files = [f"{text.name}.plan" for text in texts]
    plans = ["plans"] if files == sorted(files) else [f"plans/{file}" for file in files]
    same = ("seeds", "vary", "written_for", "lenient")
    return words_of("sweep", settings, same, scenario="scenario.toml", plans=plans)


def _facts(
    settings: PlaySweep, job: Job, texts: Sequence[PlanText], sweep: Sweep, commit: str | None
) -> dict[str, Any]:
    """Return what `config.json` holds about the sweep."""
    return {
        "scenario": job.world.name,
        "plans": [text.name for text in texts],
        "vary": dict(settings.vary),
        "lenient": settings.lenient,
        "games": len(texts) * len(job.rules) * settings.seeds,
        "seconds": round(sweep.seconds, 3),
        "begun_at_commit": commit,
        "arguments": {"units": settings.units, "rules": dict(settings.numbers), "chunks": len(job.chunks)},
    }


COMMAND = Command(
    settings=PlaySweep,
    run=_run,
    repeats=True,
    subjects=BattlesAndSets(_NOT_OF_SETS),
    about="""\
Play every plan under every combination of rules with the same seeds, and print a line for each such
cell: wins with their 95% interval, mean score, mean ticks. Games are played in chunks, each one a compiled
batch over all devices. On one kind of device the results are bit-identical for any chunks, any number of
devices, and after any interruption. A plan with errors counts as `invalid_plan` in all its games and a file
without a plan as `no_plan`; the other plans are still played. SCENARIO may be a set of drawn battles: then
every plan, or each battle's own, is played in all of them, many battles in one batch; nothing is kept then,
and the battles are as they are (`hive study --by plans:DIR --out` keeps such games).""",
    examples=(
        "hive sweep coordinate --vary movement_randomness=0,5,10    one plan, three values of a rule, ten seeds",
        "hive sweep coordinate --plans mine/ --out runs/mine        a folder of plans; save the results",
        "hive sweep coordinate --units 20 --seeds 500 --devices 2   small games, half of them on each core",
        "srun hive sweep coordinate --plans mine/ --out runs/mine   in a Slurm job: in all its tasks",
    ),
    notes="""\
With --out each finished chunk is saved in DIR.progress, and the same command resumes from there. At the end
that folder is removed and DIR is written atomically: config.json, table.txt, sweep.png (wins with
intervals), cells.json and results.jsonl (one line per game), both also as .csv, scenario.toml and the plans.
For several hosts see docs/devices.md.""",
)
