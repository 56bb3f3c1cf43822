"""The published tasks, and any other order as a task (docs/rules/kitchen.md 6)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from dsl import UserError
from dsl.wording import did_you_mean, nearest, quoted
from hive.kitchen.codes import Place
from hive.kitchen.cookbook import Cookbook, cookbook
from hive.kitchen.layout import Layout
from hive.kitchen.reading import Reader, shipped

LEVELS = range(1, 7)
HORIZON = 120
"""Timesteps of a game without a limit of its own (docs/rules/kitchen.md 6.2)."""


@dataclass(frozen=True, kw_only=True)
class Task:
    """One order to deliver.

    Attributes:
        order: Name of the item.
        title: Name for people.
        level: 1 to 6; 0 for an order that is none of the published tasks.
        published_time: 0-based timestep of the delivery in the published table; 0 where there is none.
        collaborative_actions: Published least number of collaborative actions; 0 where there is none.
        recipe: Sentences of the recipe that one cook knows; empty where there is none.
    """

    order: str
    title: str
    level: int = 0
    published_time: int = 0
    collaborative_actions: int = 0
    recipe: tuple[str, ...] = ()

    def limit(self, least: int | None = None) -> int:
        """Return the last 0-based timestep at which a delivery counts: 1.5 times a time, rounded down.

        Args:
            least: The time; the published one when None (docs/rules/kitchen.md 7.1).
        """
        time = self.published_time if least is None else least
        return 3 * time // 2 if time else HORIZON - 1


@cache
def tasks() -> dict[str, Task]:
    """Return the thirty published tasks by their orders."""
    reader = Reader("tasks", shipped("tasks.toml"))
    found = {}
    for place, body in reader.tables(reader.table, "tasks"):
        found[body["order"]] = Task(
            order=reader.value(body, "order", str, place),
            title=reader.value(body, "title", str, place),
            level=reader.value(body, "level", int, place),
            published_time=reader.value(body, "published_time", int, place),
            collaborative_actions=reader.value(body, "collaborative_actions", int, place),
            recipe=reader.texts(body, "recipe", place),
        )
    reader.finish()
    return found


def find_task(name: str, book: Cookbook | None = None) -> Task:
    """Return a published task, or the order of that name from a cookbook.

    Raises:
        UserError: Nothing of that name may be ordered.
    """
    book = book or cookbook()
    if name in tasks() and name in book.orders:
        return tasks()[name]
    if name in book.orders:
        return Task(order=name, title=name.replace("_", " ").title())
    help = did_you_mean(nearest(name, book.orders)) or "`orders` in the cookbook lists what may be ordered"
    raise UserError(f"there is no task {quoted(name)} in the kitchen\n  = help: {help}")


def check_task(order: str, book: Cookbook, layout: Layout) -> None:
    """Check that the cooks of a layout can make an order.

    Raises:
        UserError: A utensil, a dispenser, or a way between the cooks is missing.
    """
    operators = {
        name: [
            number
            for number, cook in enumerate(layout.cooks)
            if utensil.operation in cook.operations
            and any(layout.stations[each].name.rstrip("0123456789") == name for each in layout.reach[number])
        ]
        for name, utensil in book.utensil.items()
    }
    for recipe in book.steps(order):
        if not operators[recipe.utensil]:
            reason = f"no cook of this kitchen can use the {recipe.utensil} that `{recipe.product}` needs"
            raise UserError(f"`{order}` cannot be made: {reason}\n --> {layout.source}")
    needed = {Place.INGREDIENTS: "ingredient dispenser"}
    if book.needs_dish(order):
        needed[Place.DISHES] = "dish dispenser"
    for place, name in needed.items():
        if not any(layout.reaches(cook, place) for cook in range(len(layout.cooks))):
            raise UserError(f"`{order}` cannot be made: no cook reaches the {name}\n --> {layout.source}")
