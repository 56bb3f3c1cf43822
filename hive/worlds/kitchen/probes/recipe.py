"""A recipe as single actions of both cooks, and the probes that follow from it (docs/rules/kitchen.md 12.1, 12.3)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn

from dsl import UserError
from hive.worlds.kitchen.action import COUNTER, DISHES, INGREDIENTS, NamedAction
from hive.worlds.kitchen.codes import ActionKind
from hive.worlds.kitchen.setting import Setting
from hive.worlds.kitchen.tasks import Task

PLACE = NamedAction(ActionKind.PLACE)


@dataclass(frozen=True)
class Act:
    """One action of a recipe and the cook that does it."""

    cook: int
    action: NamedAction


@dataclass(frozen=True)
class Probe:
    """One collaborative action, and how the recipe is told when it is asked for.

    Attributes:
        experiment: `A`, `B` or `C`.
        task: The order.
        number: Number of the action, from 1.
        responder: The cook that does it.
        before: Actions that the responder has completed.
        action: The action that advances the order.
        lines: The recipe as single actions; empty where it is told as the task tells it.
    """

    experiment: str
    task: Task
    number: int
    responder: int
    before: tuple[NamedAction, ...]
    action: NamedAction
    lines: tuple[str, ...]

    @property
    def name(self) -> str:
        """Such as `A3`: the experiment, and the number of the action."""
        return f"{self.experiment}{self.number}"


def acts_of(setting: Setting, order: str) -> list[Act]:
    """Return what both cooks do to make and deliver an order, in the order of its recipe.

    Args:
        setting: The kitchen.
        order: An order that can be made there (`hive.worlds.kitchen.tasks.check_task`).
    """
    book, layout = setting.book, setting.layout
    makers = {step.product: _user(setting, step.utensil) for step in book.steps(order)}

    def give(item: str, source: str, user: int) -> Iterator[Act]:
        """The cook that reaches an item where it comes from takes it, and hands it over to one that does not."""
        if layout.reaches(user, layout.place[source]):
            yield Act(user, NamedAction(ActionKind.PICKUP, item, source))
        else:
            yield from (Act(1 - user, NamedAction(ActionKind.PICKUP, item, source)), Act(1 - user, PLACE))

    def bring(item: str, user: int) -> Iterator[Act]:
        """A cook gets an item that it can take, or that lies on a counter."""
        source = makers[item][1] if item in makers else DISHES if item == book.dish else INGREDIENTS
        reaches = layout.reaches(user, layout.place[source])
        if item not in makers or reaches:
            yield from give(item, source, user)
        if not reaches:
            yield Act(user, NamedAction(ActionKind.PICKUP, item, COUNTER))

    found: list[Act] = []
    deliverer = next(number for number, cook in enumerate(layout.cooks) if cook.delivers)
    steps = book.steps(order)
    for step in steps:
        cook, tool = makers[step.product]
        for item in step.inputs:
            found += [*bring(item, cook), Act(cook, NamedAction(ActionKind.PUT, place=tool))]
        operation = book.utensil[step.utensil].operation
        found.append(Act(cook, NamedAction(ActionKind.OPERATE, place=tool, operation=operation)))
        users = [makers[each.product][0] for each in steps if step.product in each.inputs]
        user = users[0] if users else deliverer
        if not layout.reaches(user, layout.place[tool]) and not book.needs_dish(step.product):
            found += give(step.product, tool, user)  # at once, so that the utensil is empty for the next step
    if book.needs_dish(order):
        cook, tool = makers[order]
        found += [*bring(book.dish, cook), Act(cook, NamedAction(ActionKind.FILL, place=tool))]
        if cook != deliverer:
            found += [Act(cook, PLACE), Act(deliverer, NamedAction(ActionKind.PICKUP, order, COUNTER))]
    else:
        found += bring(order, deliverer)
    return [*found, Act(deliverer, NamedAction(ActionKind.DELIVER))]


def probes_of(setting: Setting, task: Task, experiment: str) -> list[Probe]:
    """Return the probes of a task: the responder's actions until it hands over its first item.

    Args:
        setting: The kitchen.
        task: The order.
        experiment: A name of `hive.worlds.kitchen.probes.names.EXPERIMENTS`.

    Raises:
        UserError: The cook without the recipe does not begin the order, so there is nothing to ask it for.
    """

    def refuse(why: str) -> NoReturn:
        raise UserError(
            f"`{task.order}` cannot be probed in this kitchen: {why}\n --> {setting.layout.source}\n"
            "  = help: name an order whose first item the cook without the recipe prepares, such as those of level3"
        )

    knowing = [number for number, cook in enumerate(setting.layout.cooks) if cook.knows_recipe]
    if len(knowing) != 1:
        refuse("one cook alone must have the recipe")
    acts, responder = acts_of(setting, task.order), 1 - knowing[0]
    first = next((number for number, act in enumerate(acts) if act.action == PLACE or act.cook != responder), 0)
    chain = [act.action for act in acts[: first + 1]]
    if chain[-1] != PLACE or acts[first].cook != responder:
        refuse(f"{setting.layout.cooks[responder].name} hands nothing over before the other cook acts")
    found = []
    for number, action in enumerate(chain):
        lines = [str(act.action) for act in acts]
        if experiment == "C":
            lines.insert(0, lines.pop(number))
        found.append(
            Probe(
                experiment=experiment,
                task=task,
                number=number + 1,
                responder=responder,
                before=tuple(chain[:number]),
                action=action,
                lines=() if experiment == "A" else tuple(lines),
            )
        )
    return found


def _user(setting: Setting, kind: str) -> tuple[int, str]:
    """Return the first cook that can use a type of utensil, and the first such utensil that it reaches."""
    layout, operation = setting.layout, setting.book.utensil[kind].operation
    return next(
        (cook, tool)
        for tool in layout.instances_of(kind)
        for cook, each in enumerate(layout.cooks)
        if operation in each.operations and layout.reaches(cook, layout.place[tool])
    )
