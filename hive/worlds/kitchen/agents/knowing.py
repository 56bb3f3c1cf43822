"""What the two cooks know from the beginning: the recipe, which one of them has, and the actions of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from dsl.wording import listing
from hive.worlds.kitchen.action import ACTION_NAMES, COUNTER, MAX_WAIT, WAIT_FOR
from hive.worlds.kitchen.action_text import REQUEST
from hive.worlds.kitchen.agents.views import words
from hive.worlds.kitchen.assembly import FAR
from hive.worlds.kitchen.codes import ActionKind, Place
from hive.worlds.kitchen.cookbook import UTENSIL_CAPACITY
from hive.worlds.kitchen.layout import Layout
from hive.worlds.kitchen.setting import Setting
from hive.worlds.kitchen.tasks import Task

KINDS = ("chef", "assistant")
"""Types of the two cooks, in their order."""

MOST_PLACES = 12
"""Stations that a cook reaches, in a kitchen whose times from place to place are listed."""


def knowledge(setting: Setting, task: Task, cook: int, lines: Sequence[str] = ()) -> str:
    """Return what a cook knows of an order and its teammate may not.

    Args:
        setting: The kitchen.
        task: The order.
        cook: 0 or 1.
        lines: Actions that are shown with their numbers in place of the recipe; none: the recipe of the task.
    """
    mate = setting.layout.cooks[1 - cook]
    order = task.order
    if not setting.layout.cooks[cook].knows_recipe:
        return words().fill("No recipe", order=order, mate=mate.name)
    return words().fill(
        "Recipe",
        order=order,
        mate=mate.name,
        has="has it too" if mate.knows_recipe else "does not have it",
        sentences="" if lines else "".join(f"{sentence}\n" for sentence in task.recipe),
        steps="\n".join([f"{n}. {line}" for n, line in enumerate(lines, 1)] or _steps(setting, order)),
    )


def _steps(setting: Setting, order: str) -> list[str]:
    """Return a line for each recipe that an order needs, and one for its delivery."""
    book, layout = setting.book, setting.layout
    lines = []
    utensil = ""
    for recipe in book.steps(order):
        utensil = layout.instances_of(recipe.utensil)[0]
        operation, inputs = book.utensil[recipe.utensil].operation, " + ".join(recipe.inputs)
        lines.append(words().fill("Step", operation=operation, inputs=inputs, utensil=utensil, product=recipe.product))
    if book.needs_dish(order):
        return [*lines, words().fill("Dish", order=order, utensil=utensil)]
    return [*lines, words().fill("Plain", order=order)]


def times(setting: Setting, costs: np.ndarray) -> list[str]:
    """Return how long an action takes from each place to each other one, for both cooks.

    Args:
        setting: The kitchen.
        costs: `[P, S]`, moves and turns from each pose until a station is faced.

    Returns:
        One text; none where a cook reaches more than `MOST_PLACES` stations, since the text would be very long.
    """
    layout = setting.layout
    if max(map(len, layout.reach)) > MOST_PLACES:
        return []
    rows = []
    for number, cook in enumerate(layout.cooks):
        for station in _ordered(layout, number):
            facing = [pose for pose in range(len(costs)) if not costs[pose, station]]
            least = np.min([costs[pose] for pose in facing], axis=0)
            rows.append(f"- {cook.name} from {_named(layout, station)}: {reach_times(layout, number, least)}")
    return [words().fill("Times", rows="\n".join(rows))]


def reach_times(layout: Layout, cook: int, costs: np.ndarray) -> str:
    """Return the timesteps in which a cook acts at each place, walking and the action included.

    Args:
        layout: The kitchen.
        cook: 0 or 1.
        costs: `[S]`, moves and turns until each station is faced.
    """
    found: dict[str, int] = {}
    for station in _ordered(layout, cook):
        name = _named(layout, station)
        found[name] = min(found.get(name, FAR), int(costs[station]) + 1)
    return ", ".join(f"{name}={timesteps}" for name, timesteps in found.items())


def _ordered(layout: Layout, cook: int) -> list[int]:
    """Return the stations that a cook uses: those of fixed names, then shared counters; its own ones are left out."""
    reached = [each for each in sorted(layout.reach[cook]) if layout.stations[each].place != Place.COUNTER]
    return [*sorted(reached, key=lambda each: -layout.stations[each].place), *layout.shared]


def _named(layout: Layout, station: int) -> str:
    """Return the name of a station; shared counters are numbered as they are shown."""
    name = layout.stations[station].name
    return f"{name} {layout.shared.index(station) + 1}" if station in layout.shared else name


def manual(setting: Setting, cook: int) -> str:
    """Return the actions of a cook, a line each."""
    mate, meanings = 1 - cook, words().table("Actions")
    asked = {
        "mate": setting.layout.cooks[mate].name,
        "places": listing(_places(setting.layout, mate), "and"),
        "forms": "; ".join(form for form, _, _ in _actions(setting, mate)),
    }
    actions = [*_actions(setting, cook), (f"{REQUEST}('pickup(item, {COUNTER})')", "request", asked)]
    return "\n".join(f"- {form}: {meanings[key].format(**values)}" for form, key, values in actions)


def _actions(setting: Setting, cook: int) -> Iterator[tuple[str, str, Mapping[str, object]]]:
    """Return the forms of a cook's actions, each with the key and the values of what is said about it."""
    layout, book, me = setting.layout, setting.book, setting.layout.cooks[cook]
    places = _places(layout, cook)
    tools = [name for name in places if name in layout.instances]
    yield f"pickup(item, {COUNTER})", "pickup", {"places": listing(places, "and")}
    yield "place_obj_on_counter()", "place_obj_on_counter", {}
    if tools:
        yield _each("put_obj_in_utensil", tools), "put_obj_in_utensil", {"capacity": UTENSIL_CAPACITY}
    for name in tools:
        kind = book.utensil[layout.utensils[layout.instances.index(name)]]
        if kind.operation in me.operations:
            yield f"{kind.operation}({name})", "operate", {"timesteps": kind.timesteps}
    if me.delivers and layout.reaches(cook, Place.DELIVERY):
        if tools:
            yield _each(ACTION_NAMES[ActionKind.FILL], tools), ACTION_NAMES[ActionKind.FILL], {}
        yield "deliver()", "deliver", {}
    yield "wait(n)", "wait", {"longest": MAX_WAIT}
    if setting.switches.wait_for:
        named = f" ({listing(tools)})" if tools else ""
        yield f"{WAIT_FOR}(item, {COUNTER})", WAIT_FOR, {"longest": MAX_WAIT, "tools": named}


def _places(layout: Layout, cook: int) -> list[str]:
    return [name for name, code in layout.place.items() if layout.reaches(cook, code)]


def _each(name: str, tools: Sequence[str]) -> str:
    """Return an action for each of some utensils, such as `fill_dish_with_food(pot0) or fill_dish_with_food(oven0)`."""
    return " or ".join(f"{name}({tool})" for tool in tools)
