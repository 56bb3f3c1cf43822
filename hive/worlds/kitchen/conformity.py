"""Conformance scripts: lists of named actions with the timesteps at which the published program completed them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dsl.wording import listing, quoted
from hive.worlds.kitchen.action_text import read_action
from hive.worlds.kitchen.following import Followed, follow
from hive.worlds.kitchen.setting import Setting
from hive.worlds.kitchen.validator import Validator

FORMAT = "kitchen-scripts/1"
_KEYS = ("id", "order", "scripts", "delivery", "notices", "left")
_LONGEST = 10_000
_AFTER = 3
"""Timesteps that are played after the last action of a script, so that nothing that comes late is missed."""


def problems(setting: Setting, data: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Return the place and the description of everything that keeps a file of this format from being played."""
    cases = data.get("cases")
    if not isinstance(cases, list) or not cases:
        yield "cases", "the file has no list of cases"
        return
    for number, case in enumerate(cases):
        place = f"cases[{number}]"
        lacking = [key for key in _KEYS if not isinstance(case, dict) or key not in case]
        if lacking:
            yield place, f"the case lacks {listing(lacking, 'and')}"
            continue
        if not isinstance(case["id"], str):
            yield f"{place}.id", "the id must be a text"
        if not isinstance(case["order"], str) or case["order"] not in setting.book.orders:
            yield f"{place}.order", f"{quoted(str(case['order']))} cannot be ordered"
        yield from _script_problems(setting, case["scripts"], f"{place}.scripts")


def _script_problems(setting: Setting, scripts: Any, place: str) -> Iterator[tuple[str, str]]:
    words = Validator(setting.book, setting.layout).words
    if not isinstance(scripts, list) or len(scripts) != len(setting.layout.cooks) or not any(scripts):
        yield (
            place,
            f"there must be a list for each of the {len(setting.layout.cooks)} cooks, one with an action",
        )
        return
    for cook, script in enumerate(scripts):
        for number, entry in enumerate(script if isinstance(script, list) else [script]):
            where = f"{place}[{cook}][{number}]"
            match entry:
                case [str(text), int(timestep)] if 0 <= timestep < _LONGEST:
                    read = read_action(text, words, where)
                    if read.action is None or read.request:
                        yield where, next((each.message for each in read.findings), "a request is no action")
                case _:
                    yield where, f"an entry is an action and its timestep, 0 to {_LONGEST - 1:,}"


def compare(setting: Setting, case: dict[str, Any]) -> Iterator[str]:
    """Play one case and return every difference from what it records.

    Args:
        setting: The kitchen.
        case: One of the file's `cases`, in which `problems` finds nothing.
    """
    words = Validator(setting.book, setting.layout).words
    wanted = [
        [(timestep, action) for text, timestep in each if (action := read_action(text, words).action)]
        for each in case["scripts"]
    ]
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
