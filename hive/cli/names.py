"""The shipped names that a shell offers where an argument takes one. Loads no JAX."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from glob import escape, glob
from pathlib import Path

import scenarios

Complete = Callable[[str], Iterable[str]]


def or_files(names: Callable[[], Iterable[str]], ending: str) -> Complete:
    """Return what offers names, and folders and files that continue the beginning of a path.

    Args:
        names: Returns the names.
        ending: Of the files; empty: any.
    """

    def offer(begun: str) -> list[str]:
        found = [Path(each) for each in glob(f"{escape(begun)}*")]
        folders = [f"{each}/" for each in found if each.is_dir()]
        files = [str(each) for each in found if each.is_file() and ending in ("", each.suffix)]
        return [*names(), *folders, *files]

    return offer


def planned() -> list[str]:
    """Return the worlds that plans command."""
    return [*_worlds(True), "wildfire/all"]


def played() -> list[str]:
    """Return the worlds that plans command and those that agents play alone."""
    return [*planned(), *_worlds(False)]


def described() -> list[str]:
    """Return all that can be described: worlds of both sorts and tasks for learners."""
    return [*played(), *tasks()]


def of_kind(name: str) -> list[str]:
    """Return the shipped worlds of one kind."""
    from hive.worlds import kinds

    return [*kinds()[name].names()]


def tasks() -> list[str]:
    """Return the tasks for learners."""
    from hive.rl.registry import tasks

    return list(tasks())


def classes(begun: str) -> list[str]:
    """Return the classes of drawn battles."""
    from hive.worlds.battle.drawn.classes import CLASSES

    return [*CLASSES]


def rows(begun: str) -> list[str]:
    """Return the rows of `hive bench`."""
    from hive.experiments.bench.rows import ROWS

    return list(ROWS)


def orders(begun: str) -> list[str]:
    """Return the orders of the kitchen, the levels of difficulty and `all`."""
    from hive.worlds.kitchen.tasks import LEVELS, tasks

    return [*tasks(), *(f"level{level}" for level in LEVELS), "all"]


def nothing(begun: str) -> tuple[()]:
    """Return nothing, for a value that is no file either."""
    return ()


def _worlds(by_plans: bool) -> list[str]:
    from hive.worlds import kinds

    return [name for kind in kinds().values() if kind.planned == by_plans for name in kind.names()]


WORLD = or_files(planned, ".toml")
PLAYED = or_files(played, ".toml")
WORLD_OR_SET = or_files(lambda: [*planned(), *scenarios.sets()], ".toml")
TASK = or_files(tasks, ".toml")
PLAN = or_files(scenarios.plans, ".plan")
ANY_FILE = or_files(list, "")
DESCRIBED = or_files(described, ".toml")
SET = or_files(scenarios.sets, ".toml")
RESCUE = or_files(lambda: [*of_kind("rescue"), "all"], ".toml")
HOUSEHOLD = or_files(lambda: of_kind("household"), ".toml")
