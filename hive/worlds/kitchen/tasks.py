"""The published tasks, and any other order as a task (docs/rules/kitchen.md 6)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from fractions import Fraction
from functools import cache
from math import floor
from typing import Annotated, NoReturn

from msgspec import Meta

from dsl import UserError
from dsl.wording import did_you_mean, nearest, quoted
from hive.kit.keep.reading import Line, Reader, Record
from hive.worlds.kitchen.codes import Place
from hive.worlds.kitchen.cookbook import Cookbook, cookbook
from hive.worlds.kitchen.layout import Layout
from hive.worlds.kitchen.reading import shipped

LEVELS = range(1, 7)
ACTING = "plans"  # how agents of these worlds act, see `hive.kit.team_world.TeamWorld`
GAMMA = 1.5
"""Published factor: a delivery counts until so many times the published time (docs/rules/kitchen.md 6.2)."""

LONGEST = 1_000
"""Most timesteps of a time in a file of tasks."""

HORIZON = 120
"""Timesteps of a game without a limit of its own (docs/rules/kitchen.md 6.2)."""


class Task(Record, frozen=True, kw_only=True):
    """One order to deliver.

    Attributes:
        order: Name of the item.
        title: Name for people.
        level: 1 to 6; 0 for an order that is none of the published tasks.
        published_time: 0-based timestep of the delivery in the published table; 0 where there is none.
        collaborative_actions: Published least number of collaborative actions; 0 where there is none.
        recipe: Sentences of the recipe that one cook knows; empty where there is none.
        references: Reference trajectories, each with the actions of both cooks by their names; empty: all that the
            kitchen has (docs/rules/kitchen.md 8.3).
    """

    order: str
    title: Line
    level: Annotated[int, Meta(ge=0, le=99)] = 0
    published_time: Annotated[int, Meta(ge=0, le=LONGEST)] = 0
    collaborative_actions: Annotated[int, Meta(ge=0, le=LONGEST)] = 0
    recipe: tuple[Line, ...] = ()
    references: tuple[dict[str, tuple[str, ...]], ...] = ()

    def limit(self, least: int | None = None, gamma: float = GAMMA) -> int:
        """Return the last 0-based timestep at which a delivery counts: `gamma` times a time, rounded down.

        Args:
            least: The time; the published one when None (docs/rules/kitchen.md 7.1).
            gamma: So many times the time.
        """
        time = self.published_time if least is None else least
        return floor(Fraction(str(gamma)) * time) if time else HORIZON - 1


class TasksFile(Record, frozen=True):
    """A file of tasks."""

    tasks: Annotated[tuple[Task, ...], Meta(min_length=1)]


@cache
def tasks() -> dict[str, Task]:
    """Return the thirty published tasks by their orders."""
    return {each.order: each for each in Reader("kitchen", "tasks", shipped("tasks.toml")).table(TasksFile).tasks}


def find_task(name: str, book: Cookbook | None = None, own: Mapping[str, Task] | None = None) -> Task:
    """Return a task of one's own or a published one, or the order of that name from a cookbook.

    Args:
        name: Name of the order.
        book: The cookbook; the shipped one when None.
        own: Tasks of a file by their orders (`hive.worlds.kitchen.task_files`).

    Raises:
        UserError: Nothing of that name may be ordered.
    """
    book = book or cookbook()
    if own and name in own:
        return own[name]
    if name in tasks() and name in book.orders:
        return tasks()[name]
    if name in book.orders:
        return Task(order=name, title=name.replace("_", " ").title())
    help = (
        did_you_mean(nearest(name, book.orders))
        or "`hive list orders` has the shipped ones; a cookbook has its own under `orders`"
    )
    raise UserError(f"there is no task {quoted(name)} in the kitchen\n  = help: {help}")


def tasks_of(words: Iterable[str], book: Cookbook | None = None, own: Mapping[str, Task] | None = None) -> list[Task]:
    """Return the tasks that some words mean, each once: an order, `level1` to `level6` for five tasks, or `all`.

    Args:
        words: The words.
        book: The cookbook; the shipped one when None.
        own: Tasks of a file by their orders: levels and `all` then mean these alone.

    Raises:
        UserError: Nothing of a name may be ordered.
    """
    book = book or cookbook()
    here = [*own.values()] if own else [task for name, task in tasks().items() if name in book.orders]
    levels = {f"level{level}": level for level in (sorted({task.level for task in here}) if own else LEVELS)}
    found: dict[str, Task] = {}
    for word in words:
        if word == "all" or word in levels:
            some = [task for task in here if word == "all" or task.level == levels[word]]
        elif word not in book.orders and (near := nearest(word, levels)):
            raise UserError(f"there is no level {quoted(word)} in the kitchen\n  = help: {did_you_mean(near)}")
        else:
            some = [find_task(word, book, own)]
        found |= {task.order: task for task in some}
    return [*found.values()]


def check_task(order: str, book: Cookbook, layout: Layout) -> None:
    """Check that the cooks of a layout can make an order and hand over what only one of them can get.

    Raises:
        UserError: A utensil, a dispenser, or a way between the cooks is missing.
    """
    cooks = range(len(layout.cooks))
    holders: dict[str, set[int]] = {}  # the cooks that can ever hold each item

    def refuse(reason: str) -> NoReturn:
        raise UserError(
            f"`{order}` cannot be made: {reason}\n --> {layout.source}\n"
            "  = help: change the layout, or name another order"
        )

    def hold(item: str, first: Collection[int]) -> None:
        holders[item] = set(cooks) if first and layout.shared else set(first)

    def supply(item: str, place: Place, name: str) -> None:
        first = [cook for cook in cooks if layout.reaches(cook, place)]
        if not first:
            refuse(f"no cook reaches the {name}")
        hold(item, first)

    for ingredient in book.ingredients_of(order):
        supply(ingredient, Place.INGREDIENTS, "ingredient dispenser")
    if book.needs_dish(order):
        supply(book.dish, Place.DISHES, "dish dispenser")
    for recipe in book.steps(order):
        places = [layout.place[name] for name in layout.instances_of(recipe.utensil)]
        near = [{cook for cook in cooks if layout.reaches(cook, place)} for place in places]
        operation = book.utensil[recipe.utensil].operation
        used = [each for each in near if any(operation in layout.cooks[cook].operations for cook in each)]
        if not used:
            refuse(f"no cook of this kitchen can use the {recipe.utensil} that `{recipe.product}` needs")
        if (made := recipe.product) != order and book.needs_dish(made):
            refuse(f"`{made}` leaves the {recipe.utensil} in a dish only, and no dish goes into another utensil")
        inputs = (*recipe.inputs, book.dish) if book.needs_dish(made) else recipe.inputs
        for item in inputs:
            if not any(each & holders[item] for each in used):
                refuse(f"no cook can bring `{item}` to the {recipe.utensil} that `{recipe.product}` needs")
        takers = set().union(*used)
        hold(made, takers & holders[book.dish] if book.needs_dish(made) else takers)
    if not any(layout.cooks[cook].delivers for cook in holders[order]):
        refuse(f"no cook can bring `{order}` to a delivery location")
