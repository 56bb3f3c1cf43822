"""Conformance scripts: lists of named actions with the timesteps at which the published program completed them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dsl.diagnostics import DslError
from hive.kitchen.action import Action
from hive.kitchen.action_text import read_action
from hive.kitchen.following import Followed, follow
from hive.kitchen.setting import Setting
from hive.kitchen.validator import Validator

FORMAT = "kitchen-scripts/1"
_AFTER = 3
"""Timesteps that are played after the last action of a script, so that nothing that comes late is missed."""


def compare(setting: Setting, case: dict[str, Any]) -> Iterator[str]:
    """Play one case and return every difference from what it records.

    Args:
        setting: The kitchen.
        case: One of the file's `cases`; it must have all its keys.

    Raises:
        DslError: A text of the case is no action.
        KeyError: The case lacks a key, or its order does not exist.
    """
    wanted = [[(timestep, _read(setting, text, case["id"])) for text, timestep in each] for each in case["scripts"]]
    last = max(timestep for each in wanted for timestep, _ in each)
    played = follow(setting, case["order"], [[action for _, action in each] for each in wanted], last + 1 + _AFTER)
    for cook, (expected, history) in enumerate(zip(wanted, played.histories, strict=True)):
        yield from _differences(setting.layout.cooks[cook].name, [(t, str(action)) for t, action in expected], history)
    if played.delivery != case["delivery"]:
        yield f"the order should be delivered at {case['delivery']}, was delivered at {played.delivery}"
    notices, left = _notices(setting, played), _left(setting, played)
    if notices != case["notices"]:
        yield f"the notices should be {case['notices']}, are {notices}"
    if left != case["left"]:
        yield f"{case['left']} should be left in the kitchen, {left} is"


def _read(setting: Setting, text: str, name: str) -> Action:
    entry = read_action(text, Validator(setting.book, setting.layout).words, name)
    if entry.action is None:
        raise DslError(entry.findings)
    return entry.action


def _differences(name: str, wanted: list[tuple[int, str]], got: list[tuple[int, str]]) -> Iterator[str]:
    for each in wanted:
        if each not in got:
            yield f"{name} should complete {each[1]} at {each[0]}"
    for each in got:
        if each not in wanted:
            yield f"{name} completed {each[1]} at {each[0]}"


def _notices(setting: Setting, played: Followed) -> list[list[Any]]:
    return [
        [clock, name]
        for clock, snapshot in enumerate(played.snapshots)
        for name, utensil in zip(setting.layout.instances, snapshot.utensils, strict=True)
        if utensil.notice
    ]


def _left(setting: Setting, played: Followed) -> list[str]:
    snapshot = played.snapshots[-1]
    inside = [item for utensil in snapshot.utensils for item in (*utensil.contents, utensil.product)]
    return [setting.book.name(item) for item in (*snapshot.held, *snapshot.counters, *inside) if item]
