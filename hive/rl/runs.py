"""What is kept of a training run: its settings, metrics, newest and best checkpoint, in a folder."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter
from pathlib import Path
from typing import Any

import jax
import numpy as np

from dsl import UserError
from dsl.wording import differing, listing, plural
from hive.kit.environment.env import Env
from hive.kit.errors import DataError
from hive.kit.keep.json_text import json_lines
from hive.kit.keep.layout import NamedValues, check_words
from hive.kit.keep.lines import split_lines
from hive.kit.keep.places import reason
from hive.kit.keep.runfolder import whole_file
from hive.kit.keep.versions import versioned
from hive.rl import registry
from hive.rl.algorithms import ALGORITHMS, BEST, NEWEST
from hive.rl.checkpoints import OTHER_FORM, Checkpoints, nested
from hive.rl.holdout import Best
from hive.rl.policies import Policy, digest, learned
from hive.rl.registry import bare_name, make
from hive.rl.settings import NAMES, VARYING, Config
from hive.rl.training import Lane, MetricsRow, Trainer, fingerprint, rows_of

FORMAT = "hive-training/2"
_AGAIN = "name another run, or train again"
CHECKPOINTS, METRICS = "checkpoints", "metrics.jsonl"
HELD_OUT = "held_out.jsonl"


def identity(
    trainer: Trainer,
    task: str,
    sparse: bool,
    changes: Mapping[str, float],
    held_out: Mapping[str, int],
    start: Start | None = None,
    prune: bool = False,
) -> dict[str, Any]:
    """Return what decides a run, in plain values.

    Args:
        trainer: The run.
        task: Name of its task.
        sparse: Whether only a win is rewarded.
        changes: Overrides of the task, as in `hive.rl.make`.
        held_out: `games` of a test during training and updates between two (`every`); `games` is 0 where it has none.
        start: The networks that it begins with; None: they are drawn.
        prune: Whether settings that win least are stopped early.
    """
    return {  # names as in `_DECIDES`
        "format": FORMAT,
        "task": {
            "name": task,
            "version": registry.task(task).version,
            "sparse": sparse,
            "changes": dict(changes),
            **facts(trainer.env),
        },
        "algorithm": trainer.algorithm,
        "settings": trainer.config.json(),
        "lanes": [{"seed": lane.seed, **lane.changes} for lane in trainer.lanes],
        "every": trainer.chunk,
        "held_out": dict(held_out),
        **({} if start is None else {"start": start.policies}),
        **({"prune": True} if prune else {}),
    }


_DECIDES = ("format", "task", "algorithm", "settings", "lanes", "every", "held_out", "start", "prune")


def read_lanes(rows: Sequence[Mapping[str, Any]]) -> tuple[Lane, ...]:
    """Return the policies of a run from what `identity` says of them."""
    return tuple(Lane(row["seed"], {name: row[name] for name in row if name != "seed"}) for row in rows)


_NUMBERS = {  # names in `config.json`, and those of the environment's properties
    "agents": "num_agents",
    "actions": "num_actions",
    "features": "observation_size",
    "limit": "max_steps",
}


def facts(env: Env) -> dict[str, Any]:
    """Return what a policy must agree with an environment on, and the hash of its arrays."""
    numbers = {name: int(getattr(env, of)) for name, of in _NUMBERS.items()}
    return {**numbers, "arrays": fingerprint(env), **env.observation_form}


def _more_listed(env: Env, actions: int) -> int:
    """Return by how much an observation would be longer if as many entities were listed as give so many actions.

    There is an action for each listed entity of a block of targets, and all blocks list equally many.
    """
    targets = sum(block.targets for block in env.entity_blocks)
    rows = (actions - env.num_actions) // targets if targets else 0
    return sum(rows * block.size for block in env.entity_blocks)


def write_metrics(folder: Path, rows: Sequence[MetricsRow], name: str = METRICS) -> None:
    """Write rows of all updates so far, atomically."""
    with whole_file(folder / name) as path:
        path.write_text(json_lines(rows), encoding="utf-8")


def add_metrics(folder: Path, rows: Sequence[MetricsRow]) -> None:
    """Append rows of further updates to the metrics; when this returns they are on the disk.

    Raises:
        UserError: The file cannot be written.
    """
    path = folder / METRICS
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(json_lines(rows))
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise UserError(f"cannot write {path}: {reason(error)}") from None


def read_held_out(folder: Path, until: int) -> list[MetricsRow]:
    """Return the results of held-out games up to `until` updates; none where there is no file.

    Raises:
        UserError: The file is damaged.
    """
    return _rows(folder / HELD_OUT, until, _ROW) if (folder / HELD_OUT).exists() else []


_ROW = {"update": int, "seed": int, "settings": NamedValues(float), "games": int}  # what is read of each row
_METRICS_ROW = {**_ROW, "won": float, "score": float}


def _rows(path: Path, until: int, form: Mapping[str, Any], *, grows: bool = False) -> list[MetricsRow]:
    """Return the rows of a file up to `until` updates, without a line that a crash cut off where the file grows."""
    try:
        text = path.read_text(encoding="utf-8")
        rows = [json.loads(line) for line in split_lines(text[: text.rfind("\n") + 1] if grows else text)]
        for number, row in enumerate(rows, 1):
            check_words(row, form, f"line {number}", others=True)
        return [row for row in rows if row["update"] <= until]
    except (OSError, ValueError, DataError, RecursionError) as error:
        raise UserError(f"cannot read {path}: {error}\n  = help: {_AGAIN}") from None


def read_metrics(folder: Path, until: int) -> list[MetricsRow]:
    """Return the metrics of the first `until` updates; a crash may have cut off the last line of later ones.

    Raises:
        UserError: They are missing or damaged.
    """
    kept = _rows(folder / METRICS, until, _METRICS_ROW, grows=True)
    if (kept[-1]["update"] if kept else 0) < until:
        raise UserError(f"{folder / METRICS} ends before update {until}, which the checkpoint has\n  = help: {_AGAIN}")
    return kept


@dataclass(frozen=True)
class Checkpoint:
    """The networks of a run at its newest or its best checkpoint.

    Attributes:
        which: `best` or `newest`.
        params: Leaves `[lanes, ...]`.
        updates: Behind the parameters of each policy.
        size: Environment steps of an update.
    """

    which: str
    params: Any
    updates: tuple[int, ...]
    size: int

    def json(self, lanes: Sequence[Lane]) -> list[dict[str, Any]]:
        """Return which parameters each policy has, in plain values, with a digest of their numbers."""
        return [
            {
                "seed": lane.seed, **lane.changes, "checkpoint": self.which, "update": update,
                "steps": update * self.size, "digest": digest(jax.tree.map(itemgetter(row), self.params)),
            }
            for row, (lane, update) in enumerate(zip(lanes, self.updates, strict=True))
        ]  # fmt: skip

    def in_words(self, lanes: Sequence[Lane]) -> list[str]:
        """Return the same as a line for each policy."""
        return [
            checkpoint_words({**row, "player": lane.label}) for lane, row in zip(lanes, self.json(lanes), strict=True)
        ]


def checkpoint_words(row: Mapping[str, Any]) -> str:
    """Return a line that names the parameters of a policy.

    Args:
        row: Of `Checkpoint.json`; `player`, how tables call the policy; and `policies`, of how many it is the first.
    """
    first = f"seed {row['seed']}, the first of {row['policies']} policies, " if row.get("policies", 1) > 1 else ""
    after = plural(row["steps"], "environment step")
    return f"{row['player']}: {first}{row['checkpoint']} checkpoint, after {after}, digest {row['digest'][:12]}"


@dataclass(frozen=True)
class TrainedRun:
    """A folder that `hive train` wrote, finished or not.

    Attributes:
        folder: The folder.
        config: Its `config.json`.
    """

    folder: Path
    config: Mapping[str, Any]

    @property
    def task(self) -> str:
        """Name of its task."""
        return str(self.config["task"]["name"])

    @cached_property
    def lanes(self) -> tuple[Lane, ...]:
        """The policies that it trained."""
        return read_lanes(self.config["lanes"])

    @property
    def identity(self) -> dict[str, Any]:
        """What decides it, as `identity` returned it when it was trained."""
        return {name: self.config[name] for name in _DECIDES if name in self.config}

    def changed(self, task: str | None, changes: Mapping[str, Any]) -> dict[str, Any]:
        """Return the changes of a task as the policies play it: of their own task those of training, then `changes`.

        Args:
            task: Name of the task; None: its own.
            changes: As in `hive.rl.make`, instead of those that it was trained with.
        """
        return {**(self.config["task"]["changes"] if self._is_own(task) else {}), **changes}

    def _is_own(self, task: str | None) -> bool:
        """Whether this is the task of the run, with or without its version."""
        return task is None or bare_name(task) == bare_name(self.task)

    def make_env(self, task: str | None = None, seeds: Sequence[int] | None = None, **changes: Any) -> Env:
        """Make the environment of its task, or of another task that its policies can play.

        Args:
            task: Name of the other task; None: its own.
            seeds: For levels: the seeds of the maps; None: those of training.
            **changes: See `changed`.

        Raises:
            UserError: The policies cannot play it, or this HIVE has another version of their own task.
        """
        own = self._is_own(task)
        if own:
            self._check_version()
        changed = self.changed(task, changes)
        env = make(task or self.task, sparse=self.config["task"]["sparse"], seeds=seeds, **changed)
        self.check(env, task or "this version of it")
        if own and seeds is None and not changes:
            self._check_same(env)
        return env

    def _check_version(self) -> None:
        """Check that its task has the version of training; runs of before versions were kept have none to compare.

        Raises:
            UserError: It has another one.
        """
        has = registry.task(self.task).version
        trained = self.config["task"].get("version", has)
        if trained != has:
            before, now = versioned(self.task, trained), versioned(self.task, has)
            raise UserError(
                f"{self.folder} was trained on {before}, and this is {now}, which plays differently\n"
                "  = help: train again, or use the version of HIVE, or of the world's package, that it was trained with"
            )

    def _check_same(self, env: Env) -> None:
        """Check that an environment is that of training.

        Raises:
            UserError: The task has changed since.
        """
        own, now = self.config["task"], facts(env)
        if differ := [name for name in now if now[name] != own.get(name)]:
            raise UserError(
                f"{self.folder} was trained on another version of {self.task}: {differing(differ)}\n"
                "  = help: train again, or use the version of HIVE that its config.json names"
            )

    def check(self, env: Env, which: str) -> None:
        """Check that its policies can play an environment; with attention it may list another number of entities.

        Args:
            env: The environment.
            which: What a message calls its task.

        Raises:
            UserError: They cannot.
        """
        own = self.config["task"]
        found = {"actions": env.num_actions, "features": env.observation_size, **env.observation_form}
        if self.settings.attention:
            more = _more_listed(env, own["actions"])
            found |= {"actions": own["actions"], "features": env.observation_size + more}
        other = [
            f"{value} {name} instead of {own.get(name)}" for name, value in found.items() if own.get(name) != value
        ]
        if other:
            raise UserError(
                f"{self.folder} was trained on {self.task}, and {which} has {listing(other, 'and')}\n"
                "  = help: train a policy for it with `hive train`"
            )

    def policy(self, kept: Checkpoint, env: Env, *, greedy: bool = False) -> Policy:
        """Return the policy of the first seed in an environment that `check` accepts.

        Args:
            kept: A checkpoint.
            env: The environment.
            greedy: Whether the most probable action is taken; else actions are drawn, as in training.

        Raises:
            UserError: The checkpoint is of other networks.
        """
        return learned(self.network(kept, env), jax.tree.map(itemgetter(0), kept.params), greedy=greedy)

    def network(self, kept: Checkpoint, env: Env) -> Any:
        """Return the network of the policies in an environment that `check` accepts.

        Args:
            kept: A checkpoint, whose parameters it takes.
            env: The environment.

        Raises:
            UserError: The checkpoint is of other networks.
        """
        trainer = self._trainer(env)
        own, wanted = (
            {jax.tree_util.keystr(path): leaf.shape for path, leaf in jax.tree_util.tree_leaves_with_path(tree)}
            for tree in (kept.params, trainer.form().params)
        )
        # a centralised critic, which does not play, reads as much as the environment of training has
        if own.keys() != wanted.keys() or (own != wanted and not self.settings.centralised):
            raise UserError(f"cannot read the checkpoint of {self.folder}: {OTHER_FORM}\n  = help: {_AGAIN}")
        return trainer.network

    @cached_property
    def settings(self) -> Config:
        """Its settings."""
        return Config(**self.config["settings"])

    @cached_property
    def trainer(self) -> Trainer:
        """The run that the folder is of.

        Raises:
            UserError: The task has changed since.
        """
        self._check_version()
        own = self.config["task"]
        env = make(self.task, sparse=own["sparse"], **own["changes"])
        self._check_same(env)
        return self._trainer(env)

    def _trainer(self, env: Env) -> Trainer:
        return Trainer(env, self.config["algorithm"], self.settings, self.lanes, self.config["every"])

    @cached_property
    def updates(self) -> int:
        """Updates behind its checkpoint."""
        with Checkpoints(self.folder / CHECKPOINTS) as kept:
            return kept.newest or 0

    @cached_property
    def reached(self) -> tuple[int, ...]:
        """Updates of each policy: fewer of those that were stopped early.

        Raises:
            UserError: The metrics are missing or damaged.
        """
        if not self.config.get("prune"):
            return (self.updates,) * len(self.lanes)
        rows = read_metrics(self.folder, self.updates)
        return tuple(len(rows_of(rows, lane)) for lane in self.lanes)

    def checkpoint(self, which: str | None = None) -> Checkpoint:
        """Return the networks of its newest or its best checkpoint.

        Args:
            which: `newest`; `best`, by held-out games; None: the best one if there is one, else the newest one.

        Raises:
            UserError: There is no such checkpoint, or it cannot be read.
        """
        size = self.settings.batch_size
        best = None if which == NEWEST else read_best(self.folder)
        if best is not None:
            return Checkpoint(BEST, best.params, tuple(best.update.tolist()), size)
        if which == BEST:
            raise UserError(
                f"{self.folder} has kept no best checkpoint: it played no held-out games\n"
                "  = help: take its newest one, or train with --test-games"
            )
        with Checkpoints(self.folder / CHECKPOINTS) as kept:
            params = nested(kept.arrays(), "params")
        return Checkpoint(NEWEST, params, self.reached, size)


@dataclass(frozen=True)
class Start:
    """The networks with which a run begins.

    Attributes:
        params: Leaves `[lanes, ...]`.
        policies: Where those of each lane come from, in plain values: the task, and a row of `Checkpoint.json`.
    """

    params: Any
    policies: Sequence[Mapping[str, Any]]


def start_from(run: TrainedRun, which: str | None, trainer: Trainer) -> Start:
    """Return the networks of a trained run for another one: of its only policy for all lanes, else lane by lane.

    Args:
        run: Whose networks they are.
        which: As in `TrainedRun.checkpoint`.
        trainer: The run that begins with them.

    Raises:
        UserError: Its networks are others, it has neither one policy nor as many as the other run, it has no such
            checkpoint, or the other run is one of self-play, whose past policies would still be drawn.
    """
    if trainer.algorithm == "selfplay":
        raise UserError(
            "a run of self-play cannot begin with other networks: its first opponents would be untrained\n"
            "  = help: begin a run of another algorithm with them"
        )
    lanes = len(trainer.lanes)
    if len(run.lanes) not in (1, lanes):
        raise UserError(
            f"{run.folder} has {len(run.lanes)} policies, and this run trains {lanes}\n"
            "  = help: start from a run of one policy, or of as many"
        )
    kept = run.checkpoint(which)
    rows = np.zeros(lanes, int) if len(run.lanes) == 1 else np.arange(lanes)
    params = jax.tree.map(lambda leaf: np.asarray(leaf)[rows], kept.params)
    own, new = (jax.tree.map(lambda leaf: (leaf.shape, leaf.dtype), tree) for tree in (params, trainer.form().params))
    if own != new:
        raise UserError(
            f"{run.folder} has other networks than this run\n"
            f"  = help: it was trained on {run.task} by {run.config['algorithm']}; observations, actions, algorithm, "
            "`width`, `recurrent` and `attention` are to be the same"
        )
    found = kept.json(run.lanes)
    return Start(params, [{"task": run.task, **found[row]} for row in rows.tolist()])


def read_best(folder: Path) -> Best | None:
    """Return the best parameters that a run has kept; None if it has kept none.

    Raises:
        UserError: They cannot be read.
    """
    if not (folder / BEST).is_dir():
        return None
    with Checkpoints(folder / BEST) as kept:
        if kept.newest is None:
            return None
        arrays = jax.device_get(kept.arrays())
    others = {name: arrays[f".{name}"] for name in ("update", "won", "score")}
    return Best(params=nested(arrays, "params"), **others)


def read_run(folder: str | Path) -> TrainedRun:
    """Read the folder of a run, or of one that is not finished.

    Raises:
        UserError: It is none, or another version of HIVE wrote it.
    """
    folder = Path(folder)
    if not folder.is_dir() and folder.with_name(f"{folder.name}.progress").is_dir():
        folder = folder.with_name(f"{folder.name}.progress")
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        found = config.get("format", "") if isinstance(config, dict) else ""
    except (OSError, ValueError, RecursionError):
        if (folder / CHECKPOINTS).is_dir():
            raise UserError(f"{folder} is damaged: its config.json cannot be read\n  = help: {_AGAIN}") from None
        raise UserError(f"{folder} is not the folder of a training run\n  = help: make one with `hive train`") from None
    if found != FORMAT:
        if not str(found).startswith("hive-training/"):
            raise UserError(f"{folder} is not the folder of a training run\n  = help: make one with `hive train`")
        raise UserError(f"{folder} has the format {found}, and this version of HIVE reads {FORMAT}\n  = help: {_AGAIN}")
    missing = [name for name in ("task", "algorithm", "settings", "lanes", "every") if name not in config]
    if missing or not (folder / CHECKPOINTS).is_dir():
        lacks = listing([*missing] or [CHECKPOINTS], "and")
        raise UserError(f"{folder} is damaged: it lacks {lacks}\n  = help: {_AGAIN}")
    try:
        _check(config)
    except DataError as error:
        raise UserError(
            f"{folder} is damaged: its config.json is not that of a run ({error})\n  = help: {_AGAIN}"
        ) from None
    return TrainedRun(folder, config)


def _check(config: Mapping[str, Any]) -> None:
    """Check the settings of a run.

    Raises:
        DataError: A value is missing or of the wrong kind, or a name is unknown.
    """
    own = {"name": str, "version?": int, "sparse": bool, "changes": NamedValues(float), **dict.fromkeys(_NUMBERS, int)}
    check_words(config["task"], own, "task", others=True)
    rest = {"algorithm": str, "settings": NamedValues(float), "lanes": [NamedValues(float)], "every": int}
    check_words({name: config[name] for name in rest}, rest, "config")
    held_out = config.get("held_out", {"games": 0})
    check_words(held_out, {"games": int, "every?": int}, "held_out")
    if held_out["games"] < 0 or held_out.get("every", 0) < (held_out["games"] > 0):
        raise DataError("the number of its held-out games, or of the updates between their tests, is too small")
    if config.get("prune", True) is not True:
        raise DataError("`prune` is not true")
    lanes = config["lanes"]
    for wrong in (name for name in config["settings"] if name not in NAMES):
        raise DataError(f"there is no setting {wrong[:40]!a}")
    for lane in lanes:
        if type(lane.get("seed")) is not int or not lane.keys() <= {"seed", *VARYING}:
            raise DataError("a lane has no seed, or a setting that cannot vary")
    if config["algorithm"] not in ALGORITHMS or not lanes or config["every"] < 1:
        raise DataError("its algorithm is unknown, it has no lane, or its chunks are empty")
