"""What runs of a task are scored against: references, and what each cook is scored for (docs/rules/kitchen.md 11)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from dsl.wording import listing, plural
from hive.kit.errors import Problem, ScenarioError
from hive.kit.keep.reading import LARGEST
from hive.worlds.kitchen.action_text import read_action
from hive.worlds.kitchen.codes import ActionKind
from hive.worlds.kitchen.layout import COOKS
from hive.worlds.kitchen.optimum.references import references
from hive.worlds.kitchen.reading import read_text
from hive.worlds.kitchen.runs import Standard
from hive.worlds.kitchen.setting import Setting
from hive.worlds.kitchen.tasks import Task
from hive.worlds.kitchen.validator import Validator

Lists = tuple[tuple[tuple[str, ...], ...], ...]
"""For each cook, its alternatives: lists of canonical texts."""


def standard_of(setting: Setting, task: Task, lists: Lists | None = None) -> Standard:
    """Return the standard of a task.

    Args:
        setting: The kitchen; its switches say whether unknown actions are dropped.
        task: The order.
        lists: Reference trajectories of each cook; all that the kitchen has when None.

    Raises:
        UserError: The order cannot be made here.
    """
    if lists is None:
        found = references(setting, task.order).lists
        lists = tuple(tuple(tuple(map(str, actions)) for actions in cook) for cook in found)
    validator, cooks = Validator(setting.book, setting.layout), setting.layout.cooks
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
    found = []
    for action in validator.words.every_action():
        if action.kind == ActionKind.OPERATE:
            mine = validator.may_operate(cook, action.place)
        elif action.kind in (ActionKind.DELIVER, ActionKind.FILL):
            mine = validator.may_deliver(cook) and (not action.place or validator.reaches(cook, action.place))
        else:
            mine = action.kind != ActionKind.WAIT and (not action.place or validator.reaches(cook, action.place))
        if mine:
            found.append(str(action))
    return frozenset(found)


def read_references(path: Path, setting: Setting) -> Lists:
    """Read reference trajectories in the published form: `reference_1`, ... each with `agent_0` and `agent_1`.

    Equal alternatives of a cook are kept once.

    Args:
        path: A JSON file.
        setting: The kitchen, whose words the actions use.

    Raises:
        ScenarioError: The file cannot be read or a text in it is no action; all problems are listed with their places.
    """
    text = read_text(path)
    if len(text) > LARGEST:
        raise ScenarioError(str(path), [Problem("kitchen-long", f"at most {LARGEST:,} characters are read")])
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ScenarioError(str(path), [Problem("kitchen-references", f"the file is not JSON: {error}")]) from None
    problems: list[Problem] = []
    lists: list[dict[tuple[str, ...], None]] = [{} for _ in range(COOKS)]
    for name, body in data.items() if isinstance(data, dict) else ():
        for cook in range(COOKS):
            place, key = f"{name}.agent_{cook}", f"agent_{cook}"
            texts = body.get(key) if isinstance(body, dict) else None
            if not isinstance(texts, list) or not texts:
                problems.append(Problem("kitchen-references", "there must be a list of actions here", place))
                continue
            actions = list(_actions(setting, texts, place, problems))
            lists[cook][tuple(actions)] = None
    if not problems and not all(lists):
        problems.append(Problem("kitchen-references", "the file holds no reference trajectory"))
    if problems:
        raise ScenarioError(str(path), problems)
    return tuple(tuple(each) for each in lists)


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


def _actions(setting: Setting, texts: list[Any], place: str, problems: list[Problem]) -> Iterator[str]:
    words = Validator(setting.book, setting.layout).words
    for number, text in enumerate(texts):
        entry = read_action(text, words) if isinstance(text, str) else None
        if entry and entry.action and not entry.request:
            yield str(entry.action)
        else:
            message = entry.findings[-1].message if entry and entry.findings else "a text with one action is needed"
            problems.append(Problem("kitchen-references", message, f"{place}[{number}]"))
