"""The training runs of a table of baselines: which it needs, and each read, or trained where it is not there."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

from dsl import UserError
from dsl.wording import differing
from hive.cli.learning.baseline_settings import MEMORIES, Baselines
from hive.cli.learning.settings import Train, check_once
from hive.cli.learning.training import folder_name, held_out, train, trainer_of
from hive.kit.keep.finishing import check_results, is_finished
from hive.kit.reporting import Watch
from hive.rl.algorithms import ALGORITHMS

if TYPE_CHECKING:
    from hive.rl.runs import TrainedRun
    from hive.rl.training import Trainer


@dataclass(frozen=True)
class WantedRun:
    """A training run of the table, as `hive train` would be asked for it.

    Attributes:
        words: The words of that command.
        shape: Settings by which it differs from other runs of the same algorithm and task: those that cannot vary
            within a run.
        folder: Of the runs.
    """

    words: Train
    shape: Mapping[str, float]
    folder: Path

    @property
    def task(self) -> str:
        """Name of the task."""
        return str(self.words.task)

    @property
    def name(self) -> str:
        """What the table calls the algorithm."""
        return f"{self.words.algorithm}{' recurrent' * self.words.recurrent}"

    @property
    def out(self) -> Path:
        """The folder of the run."""
        values = "".join(f"-{name}_{value:g}" for name, value in self.shape.items())
        return self.folder / f"{folder_name(self.words, self.task)}{values}"


def wanted_runs(settings: Baselines) -> list[WantedRun]:
    """Return the training runs of the table: for each task and algorithm one, or one for each shape that varies.

    Raises:
        UserError: A setting is wrong, two tasks share a name, or a folder holds another run.
    """
    if len(set(settings.tasks)) < len(settings.tasks):
        raise UserError("a task is named twice\n  = help: name each task once")
    read = {name: _read_by(name, settings) for name in settings.algorithms}
    varied = {name: _varied(own) for name, own in read.items()}
    found = [
        WantedRun(
            Train(
                task=task, algorithm=name, recurrent=recurrent, steps=settings.steps, seed=settings.seed,
                seeds=settings.seeds, settings=(*read[name].settings, *shape.items()), vary=within,
                prune=settings.prune and any(len(values) > 1 for _, values in within), line=settings.line,
            ),
            shape,
            settings.runs,
        )
        for task in settings.tasks
        for name, (within, shapes) in varied.items()
        for recurrent in ((False,) if "recurrent" in ALGORITHMS[name].settings else MEMORIES[settings.memory])
        for shape in shapes
    ]  # fmt: skip
    folders = Counter(each.out for each in found)
    if shared := [out.name for out, count in folders.items() if count > 1]:
        raise UserError(f"two tasks would share the folder `{shared[0]}`\n  = help: give one of the files another name")
    if settings.prune and not any(each.words.prune for each in found):
        raise UserError(
            "--prune stops settings of --vary that vary within a run\n"
            "  = help: give --vary with several values of such a setting, as in `lr=0.003,0.001`, or leave it out"
        )
    for each in found:  # everything is checked before anything is trained
        trainer = trainer_of(each.words, each.task)
        if _missing(each.out):
            check_results(each.out, overwrite=False, restart=False)
        else:
            _check_run(each, trainer)
    return found


def _read_by(name: str, settings: Baselines) -> Baselines:
    """Return the settings of the table for one algorithm: without those that only others of the table read.

    Raises:
        UserError: A setting is unknown.
    """
    from hive.rl.settings import setting_name

    rows = {each: ALGORITHMS[each] for each in settings.algorithms}
    unread = {each: {*row.unread, *row.settings} for each, row in rows.items()}  # and what an algorithm fixes
    others = {word for word in unread[name] if any(word not in words for words in unread.values())}
    given = tuple(each for each in settings.settings if setting_name(each[0]) not in others)
    return replace(
        settings, settings=given, vary=tuple(each for each in settings.vary if setting_name(each[0]) not in others)
    )


def _varied(settings: Baselines) -> tuple[tuple[tuple[str, list[float]], ...], list[dict[str, float]]]:
    """Return the settings that vary within runs, and all combinations of the others, each of which has runs of its own.

    Raises:
        UserError: A setting is unknown, or given twice.
    """
    from hive.rl.settings import VARYING, setting_name

    named = [(setting_name(word), values) for word, values in settings.vary]
    check_once((*settings.settings, *settings.vary))
    others = {name: values for name, values in named if name not in VARYING}
    shapes = [dict(zip(others, values, strict=True)) for values in product(*others.values())]
    return tuple((name, values) for name, values in named if name in VARYING), shapes


def trained_run(wanted: WantedRun, only_finished: bool, watch: Watch) -> TrainedRun:
    """Return a run of the table; it is made, or finished, if it is not there.

    Raises:
        UserError: It is not there, and may not be made.
    """
    trainer = trainer_of(wanted.words, wanted.task)
    if _missing(wanted.out):
        if only_finished:
            raise UserError(
                f"the training run {wanted.out} is not there\n"
                "  = help: put it back, or train it: leave out --no-training, or name its folder with --runs"
            )
        train(wanted.words, wanted.task, trainer, wanted.out, watch)
    return _check_run(wanted, trainer)


def _missing(out: Path) -> bool:
    """Return whether a run is not there, or a command that made it was interrupted at its very end."""
    try:
        return not out.is_dir() or is_finished(out)
    except OSError:  # such as a name that is too long, which writing it will say
        return True


def _check_run(wanted: WantedRun, trainer: Trainer) -> TrainedRun:
    """Read the folder of a run.

    Raises:
        UserError: It has another run, or none.
    """
    from hive.rl.runs import identity, read_run
    from hive.rl.settings import Config

    words, out = wanted.words, wanted.out
    run = read_run(out)
    kept = {**run.config, "settings": {**asdict(Config()), **run.config["settings"]}}  # which older runs lack in part
    tests = held_out(words, trainer)
    decides = identity(trainer, wanted.task, words.sparse, words.changes(), tests, prune=words.prune)
    decides = json.loads(json.dumps(decides | {"settings": asdict(trainer.config)}))
    kept.setdefault("held_out", decides["held_out"])  # older runs played none, and their newest checkpoint counts
    kept["task"] = {"version": decides["task"]["version"], **kept["task"]}  # which older runs do not say
    if other := [name for name in decides | run.identity if kept.get(name) != decides.get(name)]:
        settings = [name for name, value in decides["settings"].items() if kept["settings"][name] != value]
        named = [*(name for name in other if name != "settings"), *settings]
        raise UserError(
            f"{out} is another run: {differing(named)}\n"
            "  = help: give another --runs, or remove that folder to train again"
        )
    return run
