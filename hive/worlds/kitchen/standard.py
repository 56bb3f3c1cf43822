"""What runs of a task are scored against: references, and what each cook is scored for (docs/rules/kitchen.md 11)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from dsl.wording import did_you_mean, listing, nearest, plural, quoted
from hive.kit.errors import Problem, ScenarioError
from hive.kit.keep.reading import LARGEST, read_text
from hive.worlds.kitchen.action import DISHES, INGREDIENTS, NamedAction
from hive.worlds.kitchen.action_text import read_action
from hive.worlds.kitchen.codes import ActionKind
from hive.worlds.kitchen.layout import COOKS
from hive.worlds.kitchen.optimum.references import references
from hive.worlds.kitchen.runs import Standard
from hive.worlds.kitchen.setting import Setting
from hive.worlds.kitchen.tasks import Task
from hive.worlds.kitchen.validator import Validator

Lists = tuple[tuple[tuple[str, ...], ...], ...]
"""For each cook, its alternatives: lists of canonical texts."""

_NO_ACTION = "a text with one action is needed"
_TASKS = "`hive kitchen tasks` lists them"
_DELIVER = NamedAction(ActionKind.DELIVER)


def standard_of(setting: Setting, task: Task, lists: Lists | None = None) -> Standard:
    """Return the standard of a task.

    Args:
        setting: The kitchen; its switches say whether unknown actions are dropped.
        task: The order.
        lists: Reference trajectories of each cook. None: those of the task, and where it has none, all that the kitchen
            has.

    Raises:
        UserError: The order cannot be made here.
    """
    validator, cooks = Validator(setting.book, setting.layout), setting.layout.cooks
    if lists is None and task.references:
        own = [(task.order, each) for each in task.references]
        lists = trajectories(setting, task.order, own, [cook.name for cook in cooks], lambda *problem: None)
    if lists is None:
        found = references(setting, task.order).lists
        lists = tuple(tuple(tuple(map(str, actions)) for actions in cook) for cook in found)
    return Standard(
        references=lists,
        universes=tuple(universe(validator, cook) for cook in range(COOKS)),
        required=task.collaborative_actions,
        words=validator.words,
        initiator=next((number for number, cook in enumerate(cooks) if cook.knows_recipe), 0),
        drop_unknown=setting.switches.drop_unknown,
    )


def universe(validator: Validator, cook: int) -> frozenset[str]:
    """Return the texts of the actions that a cook can be scored for (docs/rules/kitchen.md 11.3)."""
    words, found = validator.words, []
    foods, dispensers = (*words.ingredients, *words.products), (INGREDIENTS, DISHES)
    pickups = [NamedAction(ActionKind.PICKUP, food, place) for food in foods for place in dispensers]
    for action in (*words.every_action(), *pickups):
        if action.kind == ActionKind.OPERATE:
            mine = validator.may_operate(cook, action.place)
        elif action.kind in (ActionKind.DELIVER, ActionKind.FILL):
            mine = validator.may_deliver(cook) and (not action.place or validator.reaches(cook, action.place))
        elif action.item == words.dish and action.place in words.utensils:  # no utensil makes one
            mine = False
        else:
            mine = action.kind != ActionKind.WAIT and (not action.place or validator.reaches(cook, action.place))
        if mine:
            found.append(str(action))
    return frozenset(found)


def read_references(
    path: Path, setting: Setting, orders: Sequence[str] = (), warn: Callable[[str], None] = lambda line: None
) -> dict[str, Lists]:
    """Read reference trajectories in the published form: `reference_1`, ... each with `agent_0` and `agent_1`.

    A file for several tasks holds such a table under the name of each order; those of tasks that are not played are
    left out. Equal alternatives are kept once. A text that cannot be read as an action is kept, with a warning.

    Args:
        path: A JSON file.
        setting: The kitchen, whose words the actions use.
        orders: Tasks that the trajectories may be of: an item that an order does not need is a problem. Without any,
            the file is of one task, and items are not compared.
        warn: Receives a line about each text that cannot be read.

    Returns:
        The lists by order; those of a file without orders under the first of `orders`, or under an empty name.

    Raises:
        ScenarioError: The file cannot be read or used; all problems are listed with their places.
    """
    text = read_text(path, "kitchen-file")
    if len(text) > LARGEST:
        raise ScenarioError(str(path), [Problem("kitchen-long", f"at most {LARGEST:,} characters are read")])
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ScenarioError(str(path), [Problem("kitchen-references", f"the file is not JSON: {error}")]) from None
    problems: list[Problem] = []

    def add(message: str, place: str, help: str = "") -> None:
        problems.append(Problem("kitchen-references", message, place, help))

    def keep(message: str, place: str, help: str) -> None:
        warn(f"warning: {path}, {place}: {message}; the text is kept, and nothing that a cook does is equal to it")

    keys = [f"agent_{cook}" for cook in range(COOKS)]
    bodies = data if isinstance(data, dict) else {}
    found: dict[str, Lists] = {}
    if orders and bodies and not any(_has_lists(body, keys) for body in bodies.values()):
        known = setting.book.orders
        for order, body in bodies.items():
            if order not in known:
                add(f"no task has the order {quoted(order)}", order, did_you_mean(nearest(order, known)) or _TASKS)
            if order not in orders:
                continue
            rows = body.items() if isinstance(body, dict) else ()
            found[order] = trajectories(setting, order, [(f"{order}.{n}", b) for n, b in rows], keys, add, keep)
        if not found and not problems:
            add("the file holds no trajectory of a task that is played", "", f"tasks are {listing(orders, 'and')}")
    elif len(orders) > 1:
        add(
            f"the file holds trajectories of one task, and {len(orders)} tasks are played",
            "",
            f"put them under the name of the task, as in {{{json.dumps(orders[0])}: {{...}}}}, or play one task",
        )
    else:
        order = next(iter(orders), "")
        found[order] = trajectories(setting, order, bodies.items(), keys, add, keep)
    if problems:
        raise ScenarioError(str(path), problems)
    return found


def trajectories(
    setting: Setting,
    order: str,
    alternatives: Iterable[tuple[str, Any]],
    keys: Sequence[str],
    add: Callable[[str, str, str], None],
    unread: Callable[[str, str, str], None] | None = None,
) -> Lists:
    """Return the reference trajectories of a file, each alternative of a cook once.

    Args:
        setting: The kitchen, whose words the actions use.
        order: The task that they are of; empty: unknown, and items are not compared.
        alternatives: Place and content of each table of a file.
        keys: Name of the list of each cook in such a table.
        add: Receives message, place and help of every problem; with one, what is returned is of no use.
        unread: Receives the same of texts that cannot be read as an action; None: these are problems too.
    """
    lists: list[dict[tuple[str, ...], None]] = [{} for _ in keys]
    deliverers = [number for number, cook in enumerate(setting.layout.cooks) if cook.delivers]
    count = 0
    for name, body in alternatives:
        count += 1
        for cook, key in enumerate(keys):
            place, texts = f"{name}.{key}", body.get(key) if isinstance(body, dict) else None
            if not isinstance(texts, list | tuple) or not texts:
                add("there must be a list of actions here", place, "")
                continue
            actions = tuple(_actions(setting, order, texts, place, add, unread or add))
            if order and deliverers == [cook] and str(_DELIVER) not in actions:
                add(f"this trajectory does not deliver `{order}`", place, f"end it with `{_DELIVER}`")
            lists[cook][actions] = None
    if not count:
        add("the file holds no reference trajectory", "", "")
    return tuple(tuple(each) for each in lists)


def _has_lists(body: Any, keys: Sequence[str]) -> bool:
    return not isinstance(body, dict) or any(key in body for key in keys)


def differences(ours: Sequence[Sequence[str]], others: Sequence[Sequence[str]]) -> dict[tuple[str, ...], str]:
    """Return which reference trajectories of one cook are not among ours, with the reason in words.

    Args:
        ours: All trajectories of the fewest actions, as texts; all of one length.
        others: Trajectories from elsewhere, such as annotated ones.
    """
    known, fewest = {tuple(each) for each in ours}, len(ours[0])
    found = {}
    for each in others:
        needless = sorted({action for action in each if not any(action in mine for mine in ours)})
        if tuple(each) in known:
            continue
        if needless:
            found[tuple(each)] = f"no plan of the fewest actions has {listing(needless, 'and')}"
        elif len(each) != fewest:
            found[tuple(each)] = f"it has {plural(len(each), 'action')}, and {fewest} are the fewest"
        else:
            found[tuple(each)] = "no plan of the fewest actions of both cooks has this order"
    return found


def _actions(
    setting: Setting,
    order: str,
    texts: Sequence[Any],
    place: str,
    add: Callable[[str, str, str], None],
    unread: Callable[[str, str, str], None],
) -> Iterator[str]:
    words = Validator(setting.book, setting.layout).words
    needed = _items_of(setting, order) if order else set()
    for number, text in enumerate(texts):
        where = f"{place}[{number}]"
        if not isinstance(text, str):
            add(_NO_ACTION, where, "")
            continue
        entry = read_action(text, words)
        if not entry.action or entry.request:
            unread(entry.findings[-1].message if entry.findings else _NO_ACTION, where, "")
            yield "".join(text.split())
            continue
        item = entry.action.item
        if order and item and item not in needed:
            others = [each for each in setting.book.orders if item in _items_of(setting, each)]
            help = f"it belongs to an order such as `{others[0]}`" if others else "no order needs it"
            add(f"`{order}` needs no `{item}`, so this is a trajectory of another task", where, help)
        yield str(entry.action)


def _items_of(setting: Setting, order: str) -> set[str]:
    """Return everything that is picked up for an order."""
    book = setting.book
    made = {step.product for step in book.steps(order)}
    return {order, *book.ingredients_of(order), *made, *([book.dish] if book.needs_dish(order) else [])}
