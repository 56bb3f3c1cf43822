"""Checks of what environments are made of: loaded worlds of their kind, and whole numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from dsl import UserError

_HELP = "hive.rl.make takes a name of `hive list`, of a world of any kind"


def check_world(world: Any, kind: type, noun: str) -> None:
    """Check what an environment is made of.

    Args:
        world: What was given.
        kind: The class that it should have.
        noun: What messages call one of them.

    Raises:
        UserError: It is something else, such as a name.
    """
    if not isinstance(world, kind):
        raise UserError(f"{_what(world)} no {noun}\n  = help: {_HELP}")


def check_worlds(worlds: Any, kind: type, noun: str) -> None:
    """Check what an environment of several worlds is made of.

    Args:
        worlds: What was given.
        kind: The class that each should have.
        noun: What messages call one of them.

    Raises:
        UserError: It is no list of these, such as a name, or one of them alone.
    """
    if isinstance(worlds, str) or not isinstance(worlds, Iterable):
        raise UserError(f"{_what(worlds)} no list of {noun}s\n  = help: put one alone into brackets; {_HELP}")
    for world in worlds:
        check_world(world, kind, noun)


def is_whole(number: Any, least: int, most: float = math.inf) -> bool:
    """Return whether a number is a whole one of a range."""
    return isinstance(number, int | np.integer) and bool(least <= number <= most)


def _what(given: Any) -> str:
    if isinstance(given, str):
        return f"`{given:.80}` is a name, and"
    return f"{getattr(given, 'name', f'something of type {type(given).__name__}')} is"
