"""`hive train`: train policies on a task, with progress, metrics, checkpoints and a picture of the curves."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from dsl import UserError
from dsl.wording import plural
from hive.cli import names
from hive.cli.command import Command, argument, option
from hive.cli.learning.learners import TaskChanges, need
from hive.cli.options import Cache, JsonOnly, ResumedFolder
from hive.cli.printing import print_json, tell
from hive.cli.progress import watching
from hive.cli.values import BadValueError, count, device_count, games, named_number, named_numbers, real, seed
from hive.kit.contract import Watch
from hive.rl.algorithms import ALGORITHMS, DEFAULT, algorithm

if TYPE_CHECKING:
    from hive.rl.checkpoints import Checkpoints
    from hive.rl.training import MetricsRow, Trainer

_CHUNK = 10


@dataclass(frozen=True, kw_only=True)
class Train(TaskChanges, ResumedFolder, JsonOnly, Cache):
    """Settings of `hive train`."""

    task: Annotated[
        str | None,
        argument("a task, or a scenario file; without it the tasks are listed", "TASK", complete=names.TASK),
    ] = field(kw_only=False, default=None)
    algorithm: Annotated[
        str,
        option(
            "; ".join([*(f"{each.name}: {each.summary}" for each in ALGORITHMS.values()), f"default: {DEFAULT}"]),
            choices=tuple(ALGORITHMS),
        ),
    ] = DEFAULT
    recurrent: Annotated[bool, option("give the networks a memory (a GRU)")] = False
    steps: Annotated[
        int | None, option("environment steps of each policy; default: those of the task", "N", read=_steps)
    ] = None
    seed: Annotated[int, option("seed of the first policy; default: 0", "S", read=seed)] = 0
    seeds: Annotated[int, option("train K policies side by side, from --seed on; default: 1", "K", read=games)] = 1
    settings: Annotated[
        tuple[tuple[str, float], ...],
        option(
            "change a setting of the algorithm, as in `num_envs=128`; may be given several times",
            "NAME=VALUE",
            name="--setting",
            read=_setting,
        ),
    ] = ()
    vary: Annotated[
        tuple[tuple[str, list[float]], ...],
        option(
            "train with several values of a setting, side by side, as in `lr=0.001,0.0003`; may be repeated",
            "NAME=V,W,...",
            read=_values,
        ),
    ] = ()
    sparse: Annotated[bool, option("reward only wins")] = False
    every: Annotated[int, option(f"updates between two checkpoints; default: {_CHUNK}", "U", read=count)] = _CHUNK
    devices: Annotated[int | None, option("spread the environments over D devices", "D", read=device_count)] = None
    out: Annotated[Path | None, option("save the run in this folder; default: runs/TASK-ALGORITHM", "DIR")] = None


def _run(settings: Train) -> int:
    from hive.cli.learning.trained import keep, open_run
    from hive.kit.keep.finishing import check_results, is_finished
    from hive.kit.keep.runfolder import free_folder
    from hive.rl.checkpoints import Checkpoints
    from hive.rl.runs import CHECKPOINTS, identity

    settings.use_cache()
    task = settings.task
    if task is None:
        return _list(settings.json)
    trainer = _trainer(settings, task)
    name = f"{Path(task).stem}-{settings.algorithm}{'-recurrent' * settings.recurrent}"
    out = settings.out or free_folder(name, settings.overwrite, is_finished)
    check_results(out, settings.overwrite, settings.restart)
    decides = identity(trainer, task, settings.sparse, settings.changes())
    folder = open_run(out, decides, settings.restart)
    size, made = trainer.config.batch_size, trainer.config.num_updates
    if settings.steps and settings.steps != made * size:
        tell(f"training {made * size:,} of the {settings.steps:,} steps: {plural(made, 'whole update')} of {size:,}")
    with watching(quiet=settings.json) as watch, Checkpoints(folder / CHECKPOINTS) as checkpoints:
        began = time.monotonic()
        rows, speed = _train(trainer, folder, checkpoints, watch)
        report = {"task": task, **_report(trainer, rows, time.monotonic() - began, speed), "out": str(out)}
        if settings.json:
            print_json(report)
        else:
            watch.say(table(trainer, rows, speed))
        tell(keep(out, settings, decides, folder, trainer, rows, report))
    return 0


def _list(as_json: bool) -> int:
    from hive.rl.tasks import tasks

    if as_json:
        print_json({name: each.summary for name, each in tasks().items()})
        return 0
    wide = max(map(len, tasks()))
    for name, each in tasks().items():
        print(f"{name:<{wide}}  {each.summary}")
    return 0


def _trainer(settings: Train, task_name: str) -> Trainer:
    """Return the run that the command line asks for; everything is checked before anything is compiled."""
    need()
    from hive.engine.batch.devices import first_devices, mesh_of
    from hive.rl.settings import Config, read_settings, setting_name
    from hive.rl.tasks import make, task
    from hive.rl.training import Trainer, lanes_of

    chosen = algorithm(settings.algorithm)
    options = {"total_timesteps": "steps", "recurrent": "recurrent"} | dict.fromkeys(chosen.settings, "algorithm")
    given: dict[str, Any] = {} if settings.steps is None else {"total_timesteps": settings.steps}
    for word, value in settings.settings:
        if (name := setting_name(word)) in options:
            raise UserError(f"set `{word}` with --{options[name]}")
        given[name] = value
    vary: dict[str, list[float]] = {}
    for word, values in settings.vary:
        name = setting_name(word)
        if name in vary or name in given:
            raise UserError(
                f"the setting `{name}` is given twice\n  = help: give it once, with --setting or with --vary"
            )
        vary[name] = values
    lanes = lanes_of(range(settings.seed, settings.seed + settings.seeds), vary)
    usual = read_settings(task(task_name).settings)
    config = Config(**{**usual, **given, **chosen.settings, "recurrent": int(settings.recurrent)})
    mesh = mesh_of(first_devices(settings.devices)) if settings.devices else None
    env = make(task_name, sparse=settings.sparse, **settings.changes())
    return Trainer(env, settings.algorithm, config, lanes, settings.every, mesh)


def _train(
    trainer: Trainer, folder: Path, checkpoints: Checkpoints, watch: Watch
) -> tuple[list[MetricsRow], float | None]:
    """Make the updates that are left; after each chunk write the metrics and a checkpoint.

    Returns:
        The metrics of all updates, and the environment steps of all policies a second, without compilation; None if no
        update was left.

    Raises:
        NotFiniteError: A number is no longer finite; the newest checkpoint is that of the chunk before.
    """
    from hive.rl.runs import read_metrics, write_metrics
    from hive.rl.training import NotFiniteError, in_words

    config, done, rows, speed = trainer.config, checkpoints.newest or 0, [], None
    if done:
        tell(f"resuming after {plural(done, 'update')} of {config.num_updates:,} from {folder}")
        rows = read_metrics(folder, done)
    if done == config.num_updates:
        return rows, speed
    watch.stage(f"compiling {in_words(trainer)}", 1, "program")
    runner = checkpoints.restore(trainer.form()) if done else trainer.begin()
    advance = trainer.compile()
    watch.stage(f"training {in_words(trainer)}", config.num_updates * config.batch_size, "step")
    began, first = time.monotonic(), done
    while done < config.num_updates:
        after, metrics = advance(runner, done)
        try:
            rows += trainer.rows(done, metrics)
        except NotFiniteError as error:
            kept = f"the checkpoint of update {done:,} is kept in {folder}" if done else "there is no checkpoint yet"
            raise NotFiniteError(
                f"{error}\n  = help: {kept}; try a smaller `lr` or `max_grad_norm` with --restart"
            ) from None
        runner, done = after, rows[-1]["update"]
        write_metrics(folder, rows)
        checkpoints.save(done, runner)
        speed = (done - first) * config.batch_size * len(trainer.lanes) / max(time.monotonic() - began, 1e-9)
        watch.update(done * config.batch_size, _note(rows, len(trainer.lanes) * trainer.chunk, speed))
    return rows, speed


def _note(rows: list[MetricsRow], last: int, speed: float) -> str:
    games = sum(row["games"] for row in rows[-last:])
    won = f"won {sum(row['won'] for row in rows[-last:]) / games:.0%} of the last {games:,} games, " if games else ""
    return f"{won}{speed:,.0f} steps a second"


def table(trainer: Trainer, rows: list[MetricsRow], speed: float | None) -> str:
    """Return how each policy ended, as a readable table."""
    from hive.rl.training import learned

    lines = [("policy", "won", "mean score")]
    for lane in trainer.lanes:
        won, score = learned(rows, lane)
        lines.append((lane.label, f"{won:.1%}", f"{score:.2f}") if won == won else (lane.label, "-", "-"))
    wide = max(len(line[0]) for line in lines)
    shown = [f"{label:<{wide}}  {won:>6}  {score:>10}" for label, won, score in lines]
    last = f"share of games won and mean score in the last tenth of {plural(trainer.config.num_updates, 'update')}"
    shown.append(f"{last}, with drawn actions")
    if speed is not None:
        shown.append(f"{speed:,.0f} environment steps a second")
    return "\n".join(shown)


def _report(trainer: Trainer, rows: list[MetricsRow], spent: float, speed: float | None) -> dict[str, Any]:
    """Return how the run ended, in plain values."""
    from hive.rl.training import learned

    found = [(lane, *learned(rows, lane)) for lane in trainer.lanes]
    return {
        "algorithm": trainer.algorithm,
        "recurrent": bool(trainer.config.recurrent),
        "updates": trainer.config.num_updates,
        "steps": trainer.config.num_updates * trainer.config.batch_size,
        "policies": [
            {"seed": lane.seed, **lane.changes, "won": _plain(won), "score": _plain(score)}
            for lane, won, score in found
        ],
        "seconds": round(spent, 3),
        "steps_per_second": None if speed is None else round(speed),
    }


def _plain(number: float) -> float | None:
    return number if number == number else None


def _steps(text: str) -> int:
    try:
        number = real(text.replace(",", "").replace("_", ""))
    except ValueError:
        number = 0.5
    if not 1 <= number <= 1e12 or number != int(number):
        raise BadValueError(f"`{text}` is not a whole number of steps, as in `3000000` or `3e6`")
    return int(number)


def _setting(text: str) -> tuple[str, float]:
    return named_number(text, "NAME=VALUE with a number, as in `num_envs=128`")


def _values(text: str) -> tuple[str, list[float]]:
    form = "NAME=V,W,... with different numbers, as in `lr=0.001,0.0003`"
    name, found = named_numbers(text, form)
    if len(set(found)) < len(found):
        raise BadValueError(f"`{text}` is not of the form {form}")
    return name, found


COMMAND = Command(
    settings=Train,
    run=_run,
    about="""\
Train policies on a task by proximal policy optimisation (PPO), one for each seed, side by side in one
program. All units of a team share one network. Between chunks of updates the run writes its metrics and a
checkpoint, and shows how many games were won. The same command resumes an interrupted run, with bit-identical
results. If a number is no longer finite, the run stops and keeps the last good checkpoint.""",
    examples=(
        "hive train                                              the tasks",
        "hive train skirmish_5v5                                 one policy, a million steps",
        "hive train skirmish_5v5 --seeds 3 --out runs/five       three seeds side by side",
        "hive train skirmish_10v10 --algorithm mappo --recurrent --steps 3e6",
        "hive train skirmish_5v5 --vary lr=0.001,0.0003          two learning rates side by side",
        "hive train my.toml --setting num_envs=128 --setting width=128",
    ),
    notes="""\
The progress is saved in DIR.progress. At the end that folder is removed and DIR is written atomically:
config.json (task, settings and versions), metrics.jsonl (one line for each update and policy), curve.png,
and checkpoints/ with the complete state of the run. `hive evaluate DIR` plays the policies. Settings are
fields of `hive.rl.settings.Config`, and each task has defaults of its own: num_envs, num_steps,
update_epochs, num_minibatches, width, pool, entry, and learning_rate (lr), gamma, gae_lambda (lam),
clip_eps, ent_coef (ent), vf_coef (vf), max_grad_norm, which can vary within a run.""",
)
