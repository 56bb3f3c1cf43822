"""Tasks by name: small battles, wildfire levels and kitchens for learners, with the settings of their environments.

The table of tasks is read without JAX; what makes worlds and environments is imported when one is made.
"""

from __future__ import annotations

import itertools
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from dsl import UserError
from dsl.wording import did_you_mean, listing, nearest

if TYPE_CHECKING:
    from hive.battle.world import Battle
    from hive.kitchen.setting import Setting
    from hive.rl.custom import ObservationFunction, RewardFunction
    from hive.rl.env import Env
    from hive.wildfire.world import Fireground

_FOLDER = resources.files("hive.rl") / "battles"


@dataclass(frozen=True)
class LearningTask:
    """A battle, a level or a kitchen to learn.

    Attributes:
        name: Name in `make` and on the command line.
        summary: One line.
        file: Its scenario, a file or a shipped name; None for a level or a kitchen.
        nearest: Units of each side, targets and team mates, or other squads, that an observation lists.
        level: Name of its wildfire level; None for a battle.
        maps: Maps on which the level is learnt.
        orders: Settings of `hive.rl.orders.make_orders_env`, where squads are ordered; None: units are moved.
        units: Size of the player's team unless it is given; None: that of the scenario.
        kitchen: Orders of its kitchen, of which each game draws one; empty for other worlds.
        settings: Settings of training that suit it: fields of `hive.rl.settings.Config`.
    """

    name: str
    summary: str
    file: Path | None
    nearest: int
    level: str | None = None
    maps: int = 1
    orders: Mapping[str, Any] | None = None
    units: int | None = None
    kitchen: tuple[str, ...] = ()
    settings: Mapping[str, float] = field(default_factory=dict)

    @property
    def planned(self) -> bool:
        """Whether its games can also be played by plans: those of battles."""
        return self.file is not None

    @property
    def mapped(self) -> bool:
        """Whether seeds give the maps of its games: those of levels."""
        return self.level is not None

    def world(self, **overrides: Any) -> Battle | Fireground | Setting:
        """Load its world; overrides as in `hive.load`, of which a kitchen has none but `limit`.

        Raises:
            UserError: An override is unknown.
        """
        if self.kitchen:
            return self.setting(**overrides)
        return self.fireground(**overrides) if self.mapped else self.battle(**overrides)

    def battle(self, **overrides: Any) -> Battle:
        """Load the world of a task that has a `file`; see `world`."""
        from hive.battle.world import load

        return load(cast(Path, self.file), **({"units": self.units} if self.units else {}) | overrides)

    def fireground(self, **overrides: Any) -> Fireground:
        """Load the world of a task that has a `level`; see `world`."""
        from hive.wildfire.world import load_level

        return load_level(cast(str, self.level), **overrides)

    def setting(self, **overrides: Any) -> Setting:
        """Load the world of a task that has a `kitchen`; see `world`.

        Raises:
            UserError: A setting other than `limit` is given.
        """
        from hive.kitchen.setting import load_setting

        for name in overrides.keys() - {"limit"}:
            raise UserError(f"a kitchen has no setting `{name}`\n  = help: `limit` is the only one")
        return load_setting()


@cache
def tasks() -> Mapping[str, LearningTask]:
    """Return all tasks by name."""
    rows = tomllib.loads((_FOLDER / "tasks.toml").read_text(encoding="utf-8"))
    found = {}
    for name, row in rows.items():
        level = row.get("level")
        own = Path(str(_FOLDER / f"{row.get('scenario', name)}.toml"))
        kitchen = tuple(row.get("kitchen", ()))
        file = None if level or kitchen else Path(row["shipped"]) if "shipped" in row else own
        settings = (
            row.get("nearest", 5),
            level,
            row.get("maps", 1),
            row.get("orders"),
            row.get("units"),
            kitchen,
            row.get("settings", {}),
        )
        found[name] = LearningTask(name, row["summary"], file, *settings)
    return found


def task(name: str) -> LearningTask:
    """Return a task: one of `tasks()`, or the battle of a scenario file.

    Raises:
        UserError: There is no such task.
    """
    if name.endswith(".toml"):
        return LearningTask(Path(name).stem, f"the battle of {name}", Path(name), 5)
    if name not in tasks():
        advice = [did_you_mean(nearest(name, tasks())) or "", f"tasks are {listing(list(tasks()), 'and')}"]
        raise UserError(f"there is no task `{name}`\n  = help: {' '.join(filter(None, advice))}")
    return tasks()[name]


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
        name: One of `tasks()`, or a path to a scenario file.
        sparse: Whether only the end of a game is rewarded.
        reward: A function that rewards instead of the task; see `hive.rl.custom`.
        observation: A function that says what agents observe; see `hive.rl.custom`.
        seeds: For levels: the seeds of the maps. None: as many as the task has, from 0 on, without the published seeds
            of the level, so that a policy meets those for the first time when it is tested.
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
    from hive.rl.battle import make_env
    from hive.rl.crews import make_crew_env
    from hive.rl.kitchens import make_kitchen_env
    from hive.rl.orders import make_orders_env

    if chosen.mapped:
        level = chosen.fireground(**overrides)
        seeds = training_seeds(level, chosen.maps) if seeds is None else seeds
        return make_crew_env(level, seeds, nearest=chosen.nearest, sparse=sparse)
    if seeds is not None:
        raise UserError(
            f"`{chosen.name}` has no maps: the key of a game draws what differs\n  = help: leave `seeds` out"
        )
    if chosen.kitchen:
        setting = chosen.setting(**overrides)
        return make_kitchen_env(chosen.kitchen, setting, sparse=sparse, limit=overrides.get("limit"))
    battle = chosen.battle(**overrides)
    if chosen.orders is not None:
        return make_orders_env(battle, nearest=chosen.nearest, sparse=sparse, **chosen.orders)
    return make_env(battle, nearest=chosen.nearest, sparse=sparse)


def training_seeds(world: Fireground, count: int) -> list[int]:
    """Return the first seeds that are not published ones of the level."""
    return list(islice((seed for seed in itertools.count() if seed not in world.site.level.seeds), count))
