"""Tasks by name: worlds of all kinds for learners, with the settings of their environments.

The table of tasks is read without JAX; the module of a kind is imported when a world or an environment is made.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module, resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from dsl import UserError
from dsl.wording import did_you_mean, listing, nearest, unit_words
from hive.worlds import kind_of, row_of

if TYPE_CHECKING:
    from hive.rl.custom import ObservationFunction, RewardFunction
    from hive.rl.env import Env

_FOLDER = resources.files("hive.rl") / "battles"
GENERATED = "generated"
"""Instead of names: as many generated worlds as the task has `maps`."""

_KINDS = {  # the module of each kind of task; see `TaskKind`
    "battle": "hive.rl.battle",
    "orders": "hive.rl.orders",
    "wildfire": "hive.rl.crews",
    "kitchen": "hive.rl.kitchens",
    "rescue": "hive.rl.rescues",
    "household": "hive.rl.households",
}


class TaskKind(Protocol):
    """A module that makes the environments of one kind of tasks."""

    def load_world(self, task: LearningTask, seeds: Sequence[int] | None = None, **overrides: Any) -> Any:
        """Load what a task is played on; overrides are those of `hive.load`, as far as the kind has them.

        Args:
            task: The task.
            seeds: Seeds of generated worlds; None: those of training. Other worlds have no use for them.
            **overrides: Settings by name.

        Raises:
            UserError: An override is unknown, or a number is out of range.
        """

    def make_task_env(self, task: LearningTask, *, sparse: bool, seeds: Sequence[int] | None, **overrides: Any) -> Env:
        """Make the environment; `seeds` are those of the maps, where `LearningTask.mapped`.

        Raises:
            UserError: An override is unknown, or a number is out of range.
        """

    def task_facts(self, task: LearningTask) -> list[tuple[str, str]]:
        """Return what a reader wants to know of a task: what is asked, and the answer."""


@dataclass(frozen=True)
class LearningTask:
    """A world to learn, or several.

    Attributes:
        name: Name in `make` and on the command line.
        summary: One line.
        kind: A key of `_KINDS`.
        of: Names of its worlds, of which each game draws one: a scenario, a level, orders, rescues or households;
            or `GENERATED`.
        options: Further arguments of its environment, such as `nearest`, and how many `maps` it has.
        settings: Settings of training that suit it: fields of `hive.rl.settings.Config`.
    """

    name: str
    summary: str
    kind: str = "battle"
    of: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, float] = field(default_factory=dict)

    @property
    def planned(self) -> bool:
        """Whether its games can also be played by plans: those of battles."""
        return self.kind in ("battle", "orders")

    @property
    def mapped(self) -> bool:
        """Whether seeds give the maps of its games: those of levels, and of generated worlds."""
        return self.kind == "wildfire" or self.of == (GENERATED,)

    @property
    def maps(self) -> int:
        """Number of maps on which it is learnt."""
        return int(self.options.get("maps", 1))

    def world(self, seeds: Sequence[int] | None = None, **overrides: Any) -> Any:
        """Load its world; see `TaskKind.load_world`.

        Raises:
            UserError: An override is unknown.
        """
        return self.by().load_world(self, seeds, **overrides)

    def by(self) -> TaskKind:
        """Return the module of its kind."""
        module: Any = import_module(_KINDS[self.kind])
        found: TaskKind = module
        return found


@cache
def tasks() -> Mapping[str, LearningTask]:
    """Return all shipped tasks by name."""
    rows = tomllib.loads((_FOLDER / "tasks.toml").read_text(encoding="utf-8"))
    found = {}
    for name, row in rows.items():
        own = str(_FOLDER / f"{row.pop('scenario', name)}.toml")
        kind, of = row.pop("kind", "battle"), tuple(row.pop("of", (own,)))
        found[name] = LearningTask(name, row.pop("summary"), kind, of, settings=row.pop("settings", {}), options=row)
    return found


def task(name: str) -> LearningTask:
    """Return a task: one of `tasks()`, a world of `hive list`, or the battle of a scenario file.

    Raises:
        UserError: There is no such task.
    """
    if name in tasks():
        return tasks()[name]
    kind = row_of(name)
    if name.endswith(".toml"):
        return LearningTask(Path(name).stem, f"the {kind_of(name).noun} of {name}", kind, (name,))
    if kind != "battle" or name in kind_of(name).names():
        short = name.removeprefix(f"{kind}/")
        return LearningTask(name, f"{kind_of(name).noun} {short}", kind, (short,), _OF_ONE.get(kind, {}))
    advice = [did_you_mean(nearest(name, tasks())) or "", f"tasks are {listing(list(tasks()), 'and')}"]
    raise UserError(
        f"there is no task `{name}`\n  = help: {' '.join(filter(None, advice))}, and every world of `hive list`"
    )


_OF_ONE = {"wildfire": {"maps": 256}}  # options of tasks that are one world by its name


def make(
    name: str,
    *,
    sparse: bool = False,
    reward: RewardFunction | None = None,
    observation: ObservationFunction | None = None,
    seeds: Sequence[int] | None = None,
    **overrides: Any,
) -> Env:
    """Return the environment of a task.

    Args:
        name: One of `tasks()`, a world of `hive list` such as `rescue/map_7/agents-1`, or a path to a scenario file.
        sparse: Whether only the end of a game is rewarded.
        reward: A function that rewards instead of the task; see `hive.rl.custom`.
        observation: A function that says what agents observe; see `hive.rl.custom`.
        seeds: For levels and generated worlds: the seeds of the maps. None: as many as the task has, from 0 on, without
            the published seeds of a level, so that a policy meets those for the first time when it is tested.
        **overrides: As in `hive.load`, such as `units` for another number of units.

    Raises:
        UserError: There is no such task, an override is unknown, or a function returns an array of another shape.
    """
    env = _make(task(name), sparse, seeds, overrides)
    if reward is None and observation is None:
        return env
    from hive.rl.custom import customise

    return customise(env, reward=reward, observation=observation)


def _make(chosen: LearningTask, sparse: bool, seeds: Sequence[int] | None, overrides: Mapping[str, Any]) -> Env:
    if seeds is not None and not chosen.mapped:
        raise UserError(
            f"`{chosen.name}` has no maps: the key of a game draws what differs\n  = help: leave `seeds` out"
        )
    return chosen.by().make_task_env(chosen, sparse=sparse, seeds=seeds, **overrides)


def only(name: str, overrides: Mapping[str, Any], known: Sequence[str]) -> None:
    """Refuse overrides that a kind of task does not have.

    Args:
        name: What messages call the world, with an article.
        overrides: What was given.
        known: The names of those that there are.

    Raises:
        UserError: There is another one.
    """
    for other in sorted(overrides.keys() - set(known)):
        there = f"{listing([f'`{each}`' for each in known], 'and')} can be set" if known else "there are none"
        raise UserError(f"{name} has no setting `{other}`\n  = help: {there}")


def count_units(groups: Iterable[tuple[str, int]]) -> str:
    """Return groups of units in words, those of one type together: `5 spearmen, 5 archers`."""
    total: dict[str, int] = {}
    for kind, count in groups:
        total[kind] = total.get(kind, 0) + count
    return ", ".join(f"{count} {unit_words(kind, count)}" for kind, count in total.items() if count)
