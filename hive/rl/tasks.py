"""Tasks by name: small battles for learners, each a scenario file with the settings of its environment."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from dsl import UserError
from dsl.wording import did_you_mean, listing, nearest
from hive.battle.world import Battle, load
from hive.rl.battle import make_env
from hive.rl.env import Env
from hive.rl.orders import make_orders_env

_FOLDER = resources.files("hive.rl") / "battles"


@dataclass(frozen=True)
class Task:
    """A battle to learn.

    Attributes:
        name: Name in `make` and on the command line.
        summary: One line.
        file: Its scenario.
        nearest: Units of each side, or other squads, that an observation lists.
        orders: Settings of `hive.rl.orders.make_orders_env`, where squads are ordered; None: units are moved.
    """

    name: str
    summary: str
    file: Path
    nearest: int
    orders: Mapping[str, Any] | None = None

    def world(self, **overrides: float) -> Battle:
        """Load its battle; overrides as in `hive.load`."""
        return load(self.file, **overrides)


@cache
def tasks() -> Mapping[str, Task]:
    """Return all tasks by name."""
    rows = tomllib.loads((_FOLDER / "tasks.toml").read_text(encoding="utf-8"))
    found = {}
    for name, row in rows.items():
        file = Path(str(_FOLDER / f"{row.get('scenario', name)}.toml"))
        found[name] = Task(name, row["summary"], file, row.get("nearest", 5), row.get("orders"))
    return found


def task(name: str) -> Task:
    """Return a task: one of `tasks()`, or the battle of a scenario file.

    Raises:
        UserError: There is no such task.
    """
    if name.endswith(".toml"):
        return Task(Path(name).stem, f"the battle of {name}", Path(name), 5)
    if name not in tasks():
        near = did_you_mean(nearest(name, tasks())) or ""
        raise UserError(
            f"there is no task `{name}`\n  = help: {near} tasks are {listing(list(tasks()), 'and')}".strip()
        )
    return tasks()[name]


def make(name: str, *, sparse: bool = False, **overrides: float) -> Env:
    """Return the environment of a task.

    Args:
        name: One of `tasks()`, or a path to a scenario file.
        sparse: Whether only a win is rewarded.
        **overrides: As in `hive.load`, such as `units` for another number of units.

    Raises:
        UserError: There is no such task, or an override is unknown.
    """
    chosen = task(name)
    if chosen.orders is not None:
        return make_orders_env(chosen.world(**overrides), nearest=chosen.nearest, sparse=sparse, **chosen.orders)
    return make_env(chosen.world(**overrides), nearest=chosen.nearest, sparse=sparse)
