"""A training run as the host sees it: chunks of updates, with progress, metrics and a checkpoint after each.

A chunk is one compiled program for all lanes of a run. A lane is a seed and settings of its own; all lanes play and
learn side by side.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, partial
from itertools import product
from types import ModuleType
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from jaxtyping import Array, Int, Key

from dsl import UserError
from dsl.wording import listing, plural
from hive.kit.environment.env import Env
from hive.kit.seeds import check_seeds
from hive.rl.algorithms import algorithm
from hive.rl.ppo import Runner, TrainingMetrics
from hive.rl.settings import VARYING, Config, Hyper

_GAMES = ("env_state", "view", "memory", "starts", "returns", "lengths")  # fields of a `Runner` with environments
MetricsRow = dict[str, Any]
Advance = Callable[..., tuple[Runner, TrainingMetrics]]


class NotFiniteError(UserError):
    """Training produced a number that is not finite."""


@dataclass(frozen=True)
class Lane:
    """One policy that a run trains.

    Attributes:
        seed: Of its networks, games and actions.
        changes: Its own settings, names of `hive.rl.settings.Hyper`.
    """

    seed: int
    changes: Mapping[str, float] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """How tables and pictures call it."""
        return ", ".join([f"seed {self.seed}", *(f"{name} {value:g}" for name, value in self.changes.items())])


def lanes_of(seeds: Sequence[int], vary: Mapping[str, Sequence[float]]) -> tuple[Lane, ...]:
    """Return a lane for each combination of settings and each seed.

    Raises:
        UserError: A setting cannot differ between the lanes of a run, a seed is not a whole number from 0 to 2^32 - 1,
            or there is none.
    """
    check_seeds(seeds)
    for name in vary:
        if name not in VARYING:
            raise UserError(f"the setting `{name}` cannot vary within a run\n  = help: {listing(VARYING, 'and')} can")
    rows = [dict(zip(vary, values, strict=True)) for values in product(*vary.values())]
    return tuple(Lane(seed, row) for row in rows for seed in seeds)


@dataclass(frozen=True)
class Trainer:
    """A run: an environment, an algorithm with its settings, and lanes.

    Attributes:
        env: The environment.
        algorithm: Name of one of `hive.rl.algorithms.ALGORITHMS`.
        config: Settings of all lanes.
        lanes: The policies that are trained.
        chunk: Updates of a chunk.
        mesh: Devices that share the environments; None: one device.
    """

    env: Env
    algorithm: str
    config: Config
    lanes: tuple[Lane, ...]
    chunk: int = 10
    mesh: Mesh | None = None

    @cached_property
    def module(self) -> ModuleType:
        """The module of the algorithm."""
        return algorithm(self.algorithm).load()

    @cached_property
    def network(self) -> Any:
        """The network whose parameters are trained."""
        return self.module.network_of(self.env, self.config)

    def part(self, numbers: Sequence[int]) -> Trainer:
        """Return the run of some of its lanes alone, by their numbers."""
        return self if len(numbers) == len(self.lanes) else replace(self, lanes=tuple(self.lanes[n] for n in numbers))

    def begin(self, params: Any = None) -> Runner:
        """Return the state before the first update; leaves `[lanes, ...]`.

        Args:
            params: Of the networks, leaves `[lanes, ...]`; None: they are drawn.
        """
        return self._begun(self._lowered().compile(), params)

    def start(self, params: Any = None) -> tuple[Runner, Advance]:
        """Return what `begin` and `compile` return, sooner than one after the other.

        XLA does not hold Python's lock while it compiles. So the program of the first state is compiled, and run, on
        another thread while this one traces the updates.
        """
        lowered = self._lowered()
        with ThreadPoolExecutor(1) as beside:
            first = beside.submit(lambda: self._begun(lowered.compile(), params))
            advance = self.compile()
            return first.result(), advance

    def _lowered(self) -> Any:
        return _begin.lower(self.module, self.config, self.env, *self._own)

    def _begun(self, program: Callable[..., Runner], params: Any) -> Runner:
        runner = program(self.env, *self._own)
        if params is not None:
            runner = runner.replace(params=jax.tree.map(jnp.asarray, params))
        return runner if self.mesh is None else jax.device_put(runner, self._places(runner))

    def form(self) -> Runner:
        """Return the shapes of the state, and where its parts lie."""
        form: Runner = jax.eval_shape(partial(_begin, self.module, self.config), self.env, *self._own)
        if self.mesh is None:
            return form
        return jax.tree.map(
            lambda leaf, place: jax.ShapeDtypeStruct(leaf.shape, leaf.dtype, sharding=place), form, self._places(form)
        )

    def compile(self) -> Advance:
        """Compile a chunk.

        Returns:
            `advance(runner, done, most)`: the state after the next `most` updates, by default those of a chunk, where
            `done` updates were made before, and the metrics, leaves `[lanes, updates]`. The last chunk may be shorter.
        """
        form = self.form()
        places: dict[str, Any] = {} if self.mesh is None else {"out_shardings": (self._places(form), None)}
        chunk = jax.jit(_advance, static_argnums=(0, 1, 2), **places)  # another such run compiles nothing
        program = chunk.lower(self.module, self.config, self.chunk, self.env, form, np.int32(0)).compile()

        def advance(runner: Runner, done: int, most: int = self.chunk) -> tuple[Runner, TrainingMetrics]:
            left = min(most, self.config.num_updates - done)
            runner, metrics = program(self.env, runner, np.int32(left))
            return runner, jax.tree.map(lambda leaf: np.moveaxis(np.asarray(leaf)[:left], 0, 1), metrics)

        return advance

    def rows(self, done: int, metrics: TrainingMetrics) -> list[MetricsRow]:
        """Return the metrics of a chunk in plain values, update by update.

        Args:
            done: Updates before the chunk.
            metrics: Of the chunk.

        Raises:
            NotFiniteError: A lane's loss or parameters are no longer finite.
        """
        wrong = np.argwhere(~metrics.finite.T)
        if len(wrong):
            update, lane = wrong[0]
            raise NotFiniteError(
                f"training became non-finite at update {done + int(update) + 1} of {self.config.num_updates:,} "
                f"({self.lanes[lane].label})"
            )
        names = [name for name in TrainingMetrics.__dataclass_fields__ if name != "finite"]
        numbers = {name: getattr(metrics, name) for name in names}
        return [
            {
                "update": done + at + 1,
                "steps": (done + at + 1) * self.config.batch_size,
                "seed": lane.seed,
                "settings": dict(lane.changes),
                **{name: values[row, at].item() for name, values in numbers.items()},
            }
            for at in range(metrics.games.shape[1])
            for row, lane in enumerate(self.lanes)
        ]

    def _places(self, runner: Runner) -> Runner:
        """Where each leaf lies: games are split over the devices, networks are copied to each."""
        assert self.mesh is not None, "one device needs no places"
        copied = NamedSharding(self.mesh, PartitionSpec())
        split = NamedSharding(self.mesh, PartitionSpec(None, *self.mesh.axis_names))
        every: Runner = jax.tree.map(lambda leaf: copied, runner)
        games = {name: jax.tree.map(lambda leaf: split, getattr(runner, name)) for name in _GAMES}
        return every.replace(**games)

    @cached_property
    def _own(self) -> tuple[Key[Array, " r"], Hyper]:
        keys = jax.vmap(jax.random.key)(np.asarray([lane.seed for lane in self.lanes], np.uint32))
        usual = {name: getattr(self.config, name) for name in VARYING}
        rows = [{**usual, **lane.changes} for lane in self.lanes]
        columns: dict[str, Any] = {name: np.asarray([row[name] for row in rows], np.float32) for name in usual}
        return keys, Hyper(**columns)

    def __post_init__(self) -> None:
        """Check that the lanes' settings are in range and those that the algorithm reads, and what it fixes.

        Raises:
            UserError: One is not, or there is no such algorithm.
        """
        for name, number in algorithm(self.algorithm).settings.items():
            if getattr(self.config, name) != number:
                raise UserError(f"`{name}` is {number} with the algorithm {self.algorithm}\n  = help: leave it out")
        for lane in self.lanes:
            Config(**{**asdict(self.config), **lane.changes})
            algorithm(self.algorithm).check_read(lane.changes)
        if self.mesh is not None and self.config.num_envs % self.mesh.size:
            raise UserError(
                f"{self.config.num_envs} environments cannot be split over {plural(self.mesh.size, 'device')}\n"
                f"  = help: `num_envs` is a multiple of {self.mesh.size} here"
            )


def taken(tree: Any, numbers: Sequence[int]) -> Any:
    """Return the rows of some lanes of a tree with leaves `[lanes, ...]`; the tree itself if they are all."""
    return tree if _all(tree, numbers) else jax.tree.map(lambda leaf: leaf[np.array(numbers)], tree)


def put_back(tree: Any, part: Any, numbers: Sequence[int]) -> Any:
    """Return a tree with leaves `[lanes, ...]` in which the lanes of these numbers have the rows of `part`."""
    if _all(tree, numbers):
        return part
    return jax.tree.map(lambda leaf, own: jnp.asarray(leaf).at[np.array(numbers)].set(own), tree, part)


def _all(tree: Any, numbers: Sequence[int]) -> bool:
    return len(numbers) == len(jax.tree.leaves(tree)[0])


def fingerprint(env: Env) -> str:
    """Return a hash of all arrays of an environment: a changed battle or another version of it has another one."""
    found = hashlib.sha256()
    for path, leaf in jax.tree_util.tree_flatten_with_path(env)[0]:
        array = np.asarray(jax.random.key_data(leaf) if jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key) else leaf)
        found.update(f"{jax.tree_util.keystr(path)} {array.dtype} {array.shape} ".encode())
        found.update(array.tobytes())
    return found.hexdigest()[:16]


def rows_of(rows: Sequence[MetricsRow], lane: Lane) -> list[MetricsRow]:
    """Return the metrics of one lane."""
    return [row for row in rows if row["seed"] == lane.seed and row["settings"] == lane.changes]


def learned(rows: Sequence[MetricsRow], lane: Lane) -> tuple[float, float]:
    """Return the share of games won and the mean score in the last tenth of a lane's updates; NaN without a game."""
    own = rows_of(rows, lane)
    last = own[-max(1, math.ceil(len(own) / 10)) :]
    games = sum(row["games"] for row in last)
    if not games:
        return math.nan, math.nan
    return sum(row["won"] for row in last) / games, sum(row["score"] * row["games"] for row in last) / games


def in_words(trainer: Trainer) -> str:
    """Return what a run does, in one line."""
    kind = "recurrent " if trainer.config.recurrent else ""
    policies = "one policy" if len(trainer.lanes) == 1 else f"{len(trainer.lanes)} policies"
    return f"{policies} by {kind}{trainer.algorithm.upper()}"


@partial(jax.jit, static_argnums=(0, 1))
def _begin(module: ModuleType, config: Config, env: Env, keys: Key[Array, " r"], hyper: Hyper) -> Runner:
    runner: Runner = jax.vmap(partial(module.begin, env, config))(keys, hyper)
    return runner


def _advance(
    module: ModuleType, config: Config, chunk: int, env: Env, runner: Runner, left: Int[Array, ""]
) -> tuple[Runner, TrainingMetrics]:
    """Make `left` updates of all lanes, at most `chunk`; metrics `[chunk, lanes]`, zeros after the last."""
    update = jax.jit(jax.vmap(partial(module.update, env, config)), inline=True)  # traced once for both uses
    nothing = jax.tree.map(lambda leaf: jnp.zeros(leaf.shape, leaf.dtype), jax.eval_shape(update, runner)[1])

    def body_fn(runner: Runner, number: Int[Array, ""]) -> tuple[Runner, TrainingMetrics]:
        return lax.cond(number < left, update, lambda same: (same, nothing), runner)

    return lax.scan(body_fn, runner, jnp.arange(chunk))
