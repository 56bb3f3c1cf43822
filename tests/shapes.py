"""Annotated shapes and types are checked while the tests run: at trace time, in the rooms that are pure functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from beartype import BeartypeConf, beartype

# In `engine`, the modules that take a `World` are left out: it is a protocol, which nothing can check at run time.
ENGINE = ("deciding", "dynamics", "episode", "metrics", "objective", "padding", "spawning", "swapping", "traces")
ROOMS = (
    *(
        "bt",
        "hive.engine.types",
        "hive.ground",
        "hive.engine.behaviours",
        "hive.engine.units",
        "hive.engine.crews",
        "hive.engine.plan",
    ),
    *(f"hive.engine.{module}" for module in ENGINE),
    *(f"hive.rl.{module}" for module in ("autoreset", "networks", "ppo")),
    *(f"hive.worlds.kitchen.{module}" for module in ("dynamics", "controller")),
    *(f"hive.worlds.rescue.{module}" for module in ("dynamics", "heuristic")),
    *(f"hive.worlds.household.{module}" for module in ("dynamics", "legality", "sight")),
)
CHECKER = f"{__name__}.check"

_check = beartype(conf=BeartypeConf(is_pep484_tower=True))  # an int is a float, as for mypy


def check(function: Callable[..., Any]) -> Callable[..., Any]:
    """Check every function, but no method: JAX fills structs with placeholders, and fetching them with NumPy arrays.

    An inner function is checked only if it states a shape: each call of the outer function would make its check anew,
    which takes milliseconds.
    """
    home = function.__qualname__.rpartition(".")[0].rpartition(".")[2]
    if home == "<locals>":
        return _check(function) if "jaxtyping." in repr(function.__annotations__) else function
    return function if home else _check(function)
