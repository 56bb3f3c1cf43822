"""Tasks by name: worlds of all kinds for learners, with the settings of their environments.

The table of tasks is read without JAX; the environments of a kind are imported when a world or an environment is made.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dsl import UserError
from dsl.wording import did_you_mean, listing, nearest
from hive.kit.environment.tasks import ORDERS, LearningTask
from hive.kit.seeds import check_seeds
from hive.worlds import environments_of, kind_of, row_of, without_version

if TYPE_CHECKING:
    from hive.kit.environment.env import Env
    from hive.rl.custom import ObservationFunction, RewardFunction

_FOLDER = resources.files(__package__) / "battles"
_MAPS = 256  # of tasks that are one world by its name, where seeds give its maps
_SQUADS = ("orders", "every", "stride", "nearest")  # options of a shipped task of orders that others have, too


@cache
def tasks() -> Mapping[str, LearningTask]:
    """Return all shipped tasks by name."""
    rows = tomllib.loads((_FOLDER / "tasks.toml").read_text(encoding="utf-8"))
    found = {}
    for name, row in rows.items():
        own = str(_FOLDER / f"{row.pop('scenario', name)}.toml")
        kind, of = row.pop("kind", "battle"), tuple(row.pop("of", (own,)))
        settings, version = row.pop("settings", {}), row.pop("version", 1)
        found[name] = LearningTask(name, row.pop("summary"), kind, of, settings=settings, version=version, options=row)
    return found


def bare_name(name: str) -> str:
    """Return the name of a task or a world that may be given with its version: `skirmish_5v5` for `skirmish_5v5-v1`.

    Raises:
        UserError: This HIVE has another version of it; see `hive.worlds.without_version`.
    """
    if name.startswith(ORDERS):
        return ORDERS + bare_name(name.removeprefix(ORDERS))
    return without_version(name, {each.name: each.version for each in tasks().values()})


def task(name: str) -> LearningTask:
    """Return a task: one of `tasks()`, a world of `hive list`, a set of battles, or the battle of a scenario file.

    A name may end with a version, as in `skirmish_5v5-v1`. After `orders:` a name of a battle or of a set of battles
    stands for the same with squads as agents.

    Raises:
        UserError: There is no such task, or this HIVE has another version of it.
    """
    name = bare_name(name)
    if name in tasks():
        return tasks()[name]
    if name.startswith(ORDERS):
        return _ordered(name)
    kind = row_of(name)
    if (summary := kind_of(name).set_summary(name)) is not None:
        return LearningTask(name, summary, kind, (name,), {"set": True})
    if name.endswith(".toml"):
        return LearningTask(Path(name).stem, f"the {kind_of(name).noun} of {name}", kind, (name,))
    if name.startswith(f"{kind}/") or name in kind_of(name).names():
        short = name.removeprefix(f"{kind}/")
        host = kind_of(name)
        options = {"maps": _MAPS} if host.seeded else {}
        return LearningTask(name, f"{host.noun} {short}", kind, (short,), options, version=host.version(name))
    advice = [did_you_mean(nearest(name, tasks())) or "", f"tasks are {listing(list(tasks()), 'and')}"]
    more = f"every world of `hive list`, and battles and sets of them after `{ORDERS}`"
    raise UserError(f"there is no task `{name}`\n  = help: {' '.join(filter(None, advice))}, {more}")


def is_for_learners(name: str) -> bool:
    """Return whether a name stands for a task that is no single world: a shipped one, a set of battles, or squads."""
    return name in tasks() or name.startswith(ORDERS) or kind_of(name).set_summary(name) is not None


def _ordered(name: str) -> LearningTask:
    """Return the task of a battle or of a set of battles whose squads are given orders.

    Raises:
        UserError: There is none, it is another kind of world, or its agents are squads already.
    """
    try:
        of = task(name.removeprefix(ORDERS))
    except UserError as error:
        why = str(error).partition("\n")[0]
        help = f"after `{ORDERS}` comes a battle or a set of battles, as in `{ORDERS}battles-v1/train`"
        raise UserError(f"there is no task `{name}`: {why}\n  = help: {help}") from None
    if of.kind != "battle" or of.options.get("orders"):
        why = "its agents are squads already" if of.options.get("orders") else "it is no battle"
        raise UserError(f"there is no task `{name}`: {why}\n  = help: leave `{ORDERS}` out")
    usual = tasks()["orders_20v20"]
    own = {} if of.options.get("set") else {"general": True}  # as squads of sets always are
    options = {**of.options, **{each: usual.options[each] for each in _SQUADS}, **own}
    summary = f"orders for squads, {of.summary}"
    return replace(of, name=name, summary=summary, options=options, settings=usual.settings)


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
        name: One of `tasks()`, a world of `hive list` such as `rescue/map_7/agents-1`, a set of battles such as
            `battles-v0/train`, a path to the file of a scenario or of a set, or one of the last three after `orders:`.
        sparse: Whether only the end of a game is rewarded.
        reward: A function that rewards instead of the task; see `hive.rl.custom`.
        observation: A function that says what agents observe; see `hive.rl.custom`.
        seeds: For levels and generated worlds: the seeds of the maps. None: as many as the task has, from 0 on, without
            the published seeds of a level, so that a policy meets those for the first time when it is tested.
        **overrides: As in `hive.load`, such as `units` for another number of units. What is a setting of the
            environment, such as `nearest`, is given to `hive.rl.make_env` or one of its siblings with a loaded world.

    Raises:
        TypeError: `name` is no text; `hive.rl.make_env` and its siblings take a loaded world.
        UserError: There is no such task, an override is unknown, a seed is not a whole number from 0 to 2^32 - 1, or
            `reward` or `observation` is no function, or returns an array of another shape.
    """
    if not isinstance(name, str):
        raise TypeError("hive.rl.make takes a name of `hive list`; hive.rl.make_env and its siblings take a world")
    chosen = task(name)
    if seeds is not None and not chosen.mapped:
        why = f"`{chosen.name}` has no maps: the key of a game draws what differs"
        raise UserError(f"{why}\n  = help: leave `seeds` out")
    env = environments_of(chosen.kind).make_task_env(chosen, sparse=sparse, seeds=_maps(seeds), **overrides)
    if reward is None and observation is None:
        return env
    from hive.rl.custom import customise

    return customise(env, reward=reward, observation=observation)


def load_world(chosen: LearningTask, seeds: Sequence[int] | None = None, **overrides: Any) -> Any:
    """Load what a task is played on; see `hive.kit.environment.tasks.TaskKind.load_world`.

    Raises:
        UserError: An override is unknown, or a seed is not a whole number from 0 to 2^32 - 1.
    """
    return environments_of(chosen.kind).load_world(chosen, _maps(seeds), **overrides)


def _maps(seeds: Sequence[int] | None) -> list[int] | None:
    """Return seeds of maps as whole numbers, which stand in the names of generated worlds.

    Raises:
        UserError: One is not a whole number from 0 to 2^32 - 1, or there is none.
    """
    if seeds is None:
        return None
    check_seeds(seeds)
    return [int(seed) for seed in seeds]
