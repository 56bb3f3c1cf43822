"""The classes of drawn battles, the sides of their maps, and names such as `battle/rivers/17`.

Rules: docs/rules/drawn.md 1.
"""

from __future__ import annotations

from collections.abc import Mapping

from dsl.wording import did_you_mean, is_whole, listing, nearest
from hive.engine.batch.capacity import UNITS
from hive.kit.errors import Problem, ScenarioError
from hive.kit.seeds import SEEDS

PREFIX = "battle/"
CLASSES: Mapping[str, str] = {
    "open": "open country with a few copses, ponds and farms",
    "rivers": "rivers that are crossed by bridges",
    "islands": "islands that are joined by bridges",
    "forests": "belts of forest between the armies",
    "towns": "towns with streets and a market",
    "passes": "ridges of rock with passes through them",
    "mixed": "rivers, ridges, forests and towns together",
}
"""What the map of each class is like."""

CAPACITY = UNITS
"""Sides of maps in metres, and for each the most units that both sides have together."""

LIMIT: Mapping[int, int] = {80: 600, 150: 1000, 250: 1500, 400: 2200}
"""Ticks until a battle times out, by the side of its map."""


def name_of(class_name: str, seed: int) -> str:
    """Return the name of a drawn battle."""
    return f"{PREFIX}{class_name}/{seed}"


def is_drawn(name: str) -> bool:
    """Return whether a name is that of a drawn battle, which may not exist, and not the path of a file."""
    return name.startswith(PREFIX) and not name.endswith(".toml")


def read_name(name: str) -> tuple[str, int]:
    """Return the class and the seed of a name for which `is_drawn` holds.

    Raises:
        ScenarioError: There is no such class, or the seed is no whole number from 0 to 2^32 - 1 in its usual form.
    """
    class_name, slash, seed = name.removeprefix(PREFIX).partition("/")
    check_class(class_name, name)
    if not slash:
        raise _error(name, "scenario-unknown-name", f"`{name}` lacks a seed", f"for example {name_of(class_name, 17)}")
    if not (is_whole(seed) and len(seed) <= len(str(SEEDS)) and int(seed) < SEEDS):
        raise _error(
            name,
            "scenario-range",
            f"`{seed}` is not a seed of a drawn battle",
            f"a seed is a whole number from 0 to {SEEDS - 1}, as in {name_of(class_name, 17)}",
        )
    if seed != str(int(seed)):
        raise _error(
            name,
            "scenario-range",
            f"`{seed}` is not how a seed is written",
            f"write {name_of(class_name, int(seed))}, so that one battle has one name",
        )
    return class_name, int(seed)


def check_class(class_name: str, source: str) -> None:
    """Refuse a class that does not exist.

    Args:
        class_name: Its name.
        source: What named it, for the message.

    Raises:
        ScenarioError: There is no such class.
    """
    if class_name not in CLASSES:
        near = did_you_mean(nearest(class_name, tuple(CLASSES))) or ""
        known = f"{near} classes are {listing(CLASSES, 'and')}".strip()
        message = f"there is no class `{class_name}` of drawn battles"
        raise _error(source, "scenario-unknown-name", message, known)


def _error(name: str, code: str, message: str, help: str) -> ScenarioError:
    return ScenarioError(name, [Problem(code, message, "", help)])
