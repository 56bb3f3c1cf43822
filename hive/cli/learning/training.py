"""`hive train`: train policies on a task, with progress, metrics, checkpoints and a picture of the curves."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dsl import UserError
from dsl.wording import columns, plural
from hive.cli.command import Command
from hive.cli.learning.learners import need, test_maps
from hive.cli.learning.settings import Train, check_once
from hive.cli.printing import print_json, tell
from hive.cli.progress import watching
from hive.cli.setting import folder_stem
from hive.kit.reporting import Watch
from hive.rl.algorithms import BEST, algorithm, split_checkpoint

if TYPE_CHECKING:
    from hive.rl.checkpoints import Checkpoints
    from hive.rl.holdout import Holdout
    from hive.rl.runs import Start
    from hive.rl.training import MetricsRow, Trainer


def _run(settings: Train) -> int:
    settings.use_cache()
    task = settings.task
    if task is None:
        return _list(settings.json)
    trainer = trainer_of(settings, task)
    out = settings.usable_folder(folder_name(settings, task))
    with watching(quiet=settings.json) as watch:
        report, words = train(settings, task, trainer, out, watch)
        settings.output(report, words, watch.say)
    return 0


def folder_name(settings: Train, task: str) -> str:
    """Return how the folder of a run is called."""
    kind, colon, name = task.rpartition(":")  # `orders:` may stand before a name or a file
    stem = Path(name).stem if name.endswith(".toml") else name
    return f"{folder_stem(f'{kind}{colon}{stem}')}-{settings.algorithm}{'-recurrent' * settings.recurrent}"


def train(settings: Train, task: str, trainer: Trainer, out: Path, watch: Watch) -> tuple[dict[str, Any], str]:
    """Make a run, or what is left of it, and write its folder.

    Args:
        settings: Of the command.
        task: Name of the task.
        trainer: The run, of `trainer_of`.
        out: The folder, of which `check_folder` has been asked.
        watch: Told of progress.

    Returns:
        How the run ended, in plain values and as a table.

    Raises:
        UserError: The folder cannot be written, or a number became non-finite.
    """
    from hive.cli.learning.trained import keep
    from hive.cli.progress_folder import open_progress
    from hive.rl.checkpoints import Checkpoints
    from hive.rl.runs import CHECKPOINTS, identity

    start = _start(settings, trainer)
    tests = held_out(settings, trainer)
    decides = identity(trainer, task, settings.sparse, settings.changes(), tests, start, settings.prune)
    holdout = holdout_of(trainer, decides)
    folder, _ = open_progress(out, decides, "run", settings.restart)
    size, made = trainer.config.batch_size, trainer.config.num_updates
    if settings.steps and settings.steps != made * size:
        tell(f"training {made * size:,} of the {settings.steps:,} steps: {plural(made, 'whole update')} of {size:,}")
    with Checkpoints(folder / CHECKPOINTS) as checkpoints:
        began = time.monotonic()
        rows, speed = _train(trainer, start, holdout, settings.prune, folder, checkpoints, watch)
        report = {"task": task, **_report(trainer, folder, rows, time.monotonic() - began, speed), "out": str(out)}
        keep(out, settings, decides, folder, trainer, rows, report)
    return report, table(trainer, rows, report)


def held_out(settings: Train, trainer: Trainer) -> dict[str, int]:
    """Return how many held-out games a run plays in a test, and the updates between two tests; {"games": 0} of none."""
    from hive.rl.holdout import TESTS

    every = settings.test_every or max(1, trainer.config.num_updates // TESTS)
    return {"games": settings.test_games, "every": every} if settings.test_games else {"games": 0}


def _start(settings: Train, trainer: Trainer) -> Start | None:
    """Return the networks that a run begins with; None: they are drawn.

    Raises:
        UserError: There is no such run, or its networks are others.
    """
    from hive.rl.runs import read_run, start_from

    if settings.start is None:
        return None
    place, which = split_checkpoint(settings.start)
    return start_from(read_run(Path(place)), which, trainer)


def holdout_of(trainer: Trainer, decides: Mapping[str, Any]) -> Holdout | None:
    """Return the held-out games of a run; None if there are none.

    Args:
        trainer: The run.
        decides: What decides it, as `hive.rl.runs.identity` says it.
    """
    from hive.rl.holdout import FIRST, Holdout
    from hive.rl.registry import make, task

    own, games = decides["task"], decides.get("held_out", {"games": 0})
    if not games["games"]:
        return None
    maps = test_maps(task(own["name"]), FIRST, games["games"])
    env = trainer.env if maps is None else make(own["name"], sparse=own["sparse"], seeds=maps, **own["changes"])
    return Holdout(trainer, env, games=games["games"], every=games["every"])


def _list(as_json: bool) -> int:
    from hive.rl.registry import tasks

    if as_json:
        print_json({name: each.summary for name, each in tasks().items()})
        return 0
    wide = max(map(len, tasks()))
    for name, each in tasks().items():
        print(f"{name:<{wide}}  {each.summary}")
    return 0


def trainer_of(settings: Train, task_name: str) -> Trainer:
    """Return the run that the command line asks for; everything is checked before anything is compiled.

    Raises:
        UserError: There is no such task, or a setting is wrong or given twice.
    """
    need()
    from hive.engine.batch.devices import first_devices, mesh_of
    from hive.rl.registry import make, task
    from hive.rl.settings import Config, read_settings, setting_name
    from hive.rl.training import Trainer, lanes_of

    chosen = algorithm(settings.algorithm)
    if settings.recurrent and "recurrent" in chosen.settings:
        raise UserError(f"`{chosen.name}` has a memory or none in any case\n  = help: leave out --recurrent")
    options = {"total_timesteps": "steps", "recurrent": "recurrent"} | dict.fromkeys(chosen.settings, "algorithm")
    steps = () if settings.steps is None else (("total_timesteps", settings.steps),)
    given: dict[str, Any] = dict(steps)
    for word, value in settings.settings:
        if (name := setting_name(word)) in options:
            raise UserError(f"set `{word}` with --{options[name]}")
        given[name] = value
    vary = {setting_name(word): values for word, values in settings.vary}
    check_once((*steps, *settings.settings, *settings.vary))
    lanes = lanes_of(range(settings.seed, settings.seed + settings.seeds), vary)
    usual = {**read_settings(task(task_name).settings), **chosen.usual, "recurrent": int(settings.recurrent)}
    config = Config(**{**usual, **given, **chosen.settings})
    chosen.check_read(given, {**vars(Config()), **usual})
    if settings.prune and (len(lanes) == settings.seeds or not settings.test_games or settings.devices):
        raise UserError(
            "--prune stops settings of --vary by held-out games\n"
            "  = help: give --vary with several values, and leave out --test-games 0 and --devices"
        )
    mesh = mesh_of(first_devices(settings.devices)) if settings.devices else None
    env = make(task_name, sparse=settings.sparse, **settings.changes())
    return Trainer(env, settings.algorithm, config, lanes, settings.every, mesh)


def _train(
    trainer: Trainer,
    start: Start | None,
    holdout: Holdout | None,
    prune: bool,
    folder: Path,
    checkpoints: Checkpoints,
    watch: Watch,
) -> tuple[list[MetricsRow], float | None]:
    """Make the updates that are left; after each chunk write the metrics and a checkpoint, at times test and keep.

    Returns:
        The metrics of all updates, and the environment steps of all policies a second, without compilation; None if no
        update was left.

    Raises:
        NotFiniteError: A number is no longer finite; the newest checkpoint is that of the chunk before.
    """
    from hive.rl.holdout import survivors
    from hive.rl.runs import add_metrics, read_held_out, read_metrics, write_metrics
    from hive.rl.training import NotFiniteError, in_words, put_back, taken

    config, done, rows = trainer.config, checkpoints.newest or 0, []
    if done:
        tell(f"resuming after {plural(done, 'update')} of {config.num_updates:,} from {folder}")
        rows = read_metrics(folder, done)
    if done == config.num_updates:
        return rows, None
    watch.stage(f"compiling {in_words(trainer)}", 1, "program")
    if done:
        runner, started = checkpoints.restore(trainer.form()), None
    else:
        runner, started = trainer.start(None if start is None else start.params)
    write_metrics(folder, rows)  # without those of updates behind the checkpoint
    part, spent, made = None, 0.0, 0
    while done < config.num_updates:
        going = survivors(trainer.lanes, read_held_out(folder, done) if prune else (), config.num_updates)
        if part is None or len(going) < len(part.lanes):
            part = trainer.part(going)
            advance = started if started and part is trainer else part.compile()
            watch.stage(f"training {in_words(part)}", config.num_updates * config.batch_size, "step")
        before, kept, after = done, len(rows), taken(runner, going)
        for most in (trainer.chunk,) if done else (1, trainer.chunk - 1):  # the first update shows its metrics at once
            began = time.monotonic()
            after, metrics = advance(after, done, most)
            try:
                rows += (new := part.rows(done, metrics))
            except NotFiniteError as error:
                last = f"the checkpoint of update {before:,} is kept in {folder}"
                raise NotFiniteError(
                    f"{error}\n  = help: {last if before else 'there is no checkpoint yet'}; "
                    "try a smaller `lr` or `max_grad_norm` with --restart"
                ) from None
            done = rows[-1]["update"]
            spent, made = spent + time.monotonic() - began, made + len(new) * config.batch_size
            watch.update(done * config.batch_size, _note(rows, len(going) * trainer.chunk, made / max(spent, 1e-9)))
        runner = put_back(runner, after, going)
        if holdout and holdout.due(before, done):  # these games are no steps of training
            _test(replace(holdout, trainer=part), trainer, going, folder, done, after.params)
        began = time.monotonic()
        add_metrics(folder, rows[kept:])
        checkpoints.save(done, runner)
        spent += time.monotonic() - began
    return rows, made / max(spent, 1e-9)


def _test(holdout: Holdout, trainer: Trainer, going: Sequence[int], folder: Path, done: int, params: Any) -> None:
    """Play held-out games of the lanes that go on; write their results, and the parameters that are the best so far."""
    from hive.rl.checkpoints import Checkpoints
    from hive.rl.holdout import better, no_best
    from hive.rl.runs import HELD_OUT, read_best, read_held_out, write_metrics
    from hive.rl.training import put_back, taken

    rows = holdout.test([done] * len(going), params)
    before = read_best(folder) or no_best(trainer)
    best, changed = better(taken(before, going), rows, params)
    if changed:
        with Checkpoints(folder / BEST) as kept:
            if kept.newest != done:  # a repeated chunk finds what it kept before
                kept.save(done, put_back(before, best, going))
    write_metrics(folder, [*read_held_out(folder, done - 1), *rows], HELD_OUT)


def _note(rows: list[MetricsRow], last: int, speed: float) -> str:
    games = sum(row["games"] for row in rows[-last:])
    won = f"won {sum(row['won'] for row in rows[-last:]) / games:.0%} of the last {games:,} games, " if games else ""
    return f"{won}{speed:,.0f} steps a second"


def table(trainer: Trainer, rows: list[MetricsRow], report: Mapping[str, Any]) -> str:
    """Return how each policy ended, as a readable table."""
    from hive.rl.training import learned

    lines = [("policy", "won", "mean score", "best in tests", "after steps")]
    for lane, policy in zip(trainer.lanes, report["policies"], strict=True):
        won, score = learned(rows, lane)
        last = (f"{won:.1%}", f"{score:.2f}") if won == won else ("-", "-")
        best = policy["best"]
        label = f"{lane.label}, stopped after {policy['stopped']:,} steps" if "stopped" in policy else lane.label
        lines.append((label, *last, *((f"{best['won']:.1%}", f"{best['steps']:,}") if best else ("-", "-"))))
    last_tenth = f"the last tenth of {plural(trainer.config.num_updates, 'update')}, with drawn actions"
    shown = [columns(lines, left=(0,)), f"share of games won and mean score in {last_tenth}"]
    if any(policy["best"] for policy in report["policies"]):
        shown.append("best in tests: share of held-out games that chose the best checkpoint, so it is rather too high")
    if (speed := report["steps_per_second"]) is not None:
        shown.append(f"{speed:,} environment steps a second")
    return "\n".join(shown)


def _report(
    trainer: Trainer, folder: Path, rows: list[MetricsRow], spent: float, speed: float | None
) -> dict[str, Any]:
    """Return how the run ended, in plain values."""
    return {
        "algorithm": trainer.algorithm,
        "recurrent": bool(trainer.config.recurrent),
        "updates": trainer.config.num_updates,
        "steps": trainer.config.num_updates * trainer.config.batch_size,
        "policies": policies_of(trainer, folder, rows),
        "seconds": round(spent, 3),
        "steps_per_second": None if speed is None else round(speed),
    }


def policies_of(trainer: Trainer, folder: Path, rows: Sequence[MetricsRow]) -> list[dict[str, Any]]:
    """Return how each policy ended, in plain values.

    Args:
        trainer: The run.
        folder: With its checkpoints.
        rows: Its metrics.

    Returns:
        Share of games won and mean score of the last tenth of the updates, the digest of the newest parameters, and
        where the best ones come from, with theirs; of one that was stopped early, after how many steps.
    """
    import jax

    from hive.rl.checkpoints import Checkpoints
    from hive.rl.policies import digest
    from hive.rl.runs import CHECKPOINTS, read_best
    from hive.rl.training import learned, rows_of

    with Checkpoints(folder / CHECKPOINTS) as kept:
        newest = jax.device_get(kept.restore(trainer.form()).params)
    best, found = read_best(folder), []
    for row, lane in enumerate(trainer.lanes):
        (won, score), own = map(_plain, learned(rows, lane)), None
        if best is not None:
            update, *shares = (leaf[row].item() for leaf in (best.update, best.won, best.score))
            own = {"update": update, "steps": update * trainer.config.batch_size}
            own |= dict(zip(("won", "score"), shares, strict=True))
            own["digest"] = digest(jax.tree.map(itemgetter(row), best.params))
        ended = {"seed": lane.seed, **lane.changes, "won": won, "score": score}
        steps = len(rows_of(rows, lane)) * trainer.config.batch_size
        early = {"stopped": steps} if steps < rows[-1]["steps"] else {}
        found.append({**ended, **early, "digest": digest(jax.tree.map(itemgetter(row), newest)), "best": own})
    return found


def _plain(number: float) -> float | None:
    return number if number == number else None


COMMAND = Command(
    settings=Train,
    run=_run,
    about="""\
Train policies on a task, one for each seed, side by side in one program: by proximal policy optimisation
(PPO) or by Q-learning. All units of a team share one network. Between chunks of updates the run writes its
metrics and a checkpoint, and shows how many games were won; at times it plays held-out games and keeps the
best checkpoint. The same command resumes an interrupted run, with bit-identical results. If a number is no
longer finite, the run stops and keeps the last good checkpoint.""",
    examples=(
        "hive train                                              the tasks",
        "hive train skirmish_5v5                                 one policy, a million steps",
        "hive train skirmish_5v5 --seeds 3 --out runs/five       three seeds side by side",
        "hive train skirmish_10v10 --algorithm mappo --recurrent --steps 3e6",
        "hive train skirmish_5v5 --vary lr=0.001,0.0003          two learning rates side by side",
        "hive train skirmish_5v5 --algorithm ippo_rnn            recurrent IPPO as JaxMARL has it for SMAX",
        "hive train my.toml --setting num_envs=128 --setting width=128",
        "hive train battles-v0/train                             one policy for all units of all battles of a set",
        "hive train orders:battles-v1/train                      one that gives orders to their squads",
        "hive train skirmish_27v30_detail --start runs/nine      goes on with the networks of another run",
    ),
    notes="""\
The progress is saved in DIR.progress. At the end that folder is removed and DIR is written atomically:
config.json (task, settings and versions), metrics.jsonl (one line for each update and policy), curve.png,
checkpoints/ with the complete state of the run, held_out.jsonl with the results of held-out games, and best/
with the parameters of each policy that won most of them. `hive evaluate DIR` plays the policies, and `hive
verify DIR` checks the checkpoints and plays the held-out games of both again. Settings are
fields of `hive.rl.settings.Config`, and each task has defaults of its own: num_envs, num_steps,
update_epochs, num_minibatches, width, attention, value_active_masks, anneal_lr, pool, entry, and
learning_rate (lr), gamma, gae_lambda (lam), clip_eps, ent_coef (ent), vf_coef (vf), max_grad_norm, which can
vary within a run. Those of pqn_vdn alone are rew_scale, eps_start, eps_finish and eps_decay.""",
)
