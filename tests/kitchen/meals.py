"""A run in the shipped kitchen that is played by the controller, for the tests of recordings and pictures.

It makes what the conformance scripts make, and no published task.
"""

from __future__ import annotations

from functools import cache

import jax
import jax.numpy as jnp
import numpy as np

from hive.kit.keep.dialogue import Line, LineKind
from hive.worlds.kitchen.action import NamedAction
from hive.worlds.kitchen.codes import ActionKind
from hive.worlds.kitchen.controller import drive
from hive.worlds.kitchen.dynamics import reset, step
from hive.worlds.kitchen.menu import encode
from hive.worlds.kitchen.recording import KitchenRecording, gather
from hive.worlds.kitchen.setting import load_setting
from hive.worlds.kitchen.snapshot import take_snapshot
from hive.worlds.kitchen.state import Actions
from hive.worlds.kitchen.tasks import find_task
from hive.worlds.kitchen.validator import Validator

ORDER = "sliced_beef_and_mashed_peanut_stew"
_INGREDIENTS, _BOARD, _BLENDER, _POT = "ingredient_dispenser", "chopping_board0", "blender0", "pot0"


def _take(item: str, place: str) -> NamedAction:
    return NamedAction(ActionKind.PICKUP, item, place)


def _use(utensil: str, operation: str) -> tuple[NamedAction, NamedAction]:
    return NamedAction(ActionKind.PUT, place=utensil), NamedAction(
        ActionKind.OPERATE, place=utensil, operation=operation
    )


_PLACE = NamedAction(ActionKind.PLACE)
SCRIPTS = (
    (
        *(_take("beef_slices", "counter"), NamedAction(ActionKind.PUT, place=_POT)),
        *(_take("mashed_peanut", "counter"), *_use(_POT, "cook")),
        *(_take("dish", "counter"), NamedAction(ActionKind.FILL, place=_POT), NamedAction(ActionKind.DELIVER)),
    ),
    (
        *(_take("beef", _INGREDIENTS), *_use(_BOARD, "cut"), _take("beef_slices", _BOARD), _PLACE),
        *(_take("peanut", _INGREDIENTS), *_use(_BLENDER, "stir"), _take("mashed_peanut", _BLENDER), _PLACE),
        *(_take("dish", "dish_dispenser"), _PLACE),
    ),
)
LINES = (
    Line(0, 0, LineKind.THOUGHT, "Only I know the recipe."),
    Line(0, 0, LineKind.ACT, 'request("pickup(beef,ingredient_dispenser)"); wait(3)'),
    Line(0, 0, LineKind.SAY, "We make a stew of beef slices and mashed peanut. Please <b>cut</b> a beef first."),
    Line(0, 1, LineKind.SAY, "I fetch a beef and cut it."),
    Line(12, 1, LineKind.PROBLEM, "P1: there is no beef on a counter"),
    Line(12, 1, LineKind.SAY, "The beef slices are on the counter. I go on with the peanut."),
)


@cache
def meal() -> KitchenRecording:
    """Return the run of the scripts: each cook begins its next action as soon as it may."""
    setting = load_setting()
    validator = Validator(setting.book, setting.layout)
    task = find_task(ORDER)
    kitchen = setting.arrays
    move = jax.jit(lambda state, acts: step(kitchen, state, drive(kitchen, state, acts)))
    state = reset(kitchen, jnp.asarray(setting.book.code[ORDER]))
    states, doing, done = [state], [], []
    codes = [jax.device_get(encode(validator, script)) for script in SCRIPTS]
    now, at = [False, False], [0, 0]
    while not bool(state.served) and len(doing) < 60:
        seen = take_snapshot(setting.book, state)
        for cook in range(2):
            if not now[cook] and at[cook] < len(SCRIPTS[cook]):
                now[cook] = not validator.check(seen, cook, SCRIPTS[cook][at[cook]])
        columns = {}
        for name in ("kind", "item", "place", "left"):
            each = [getattr(codes[cook], name)[at[cook]] if now[cook] else 0 for cook in range(2)]
            columns[name] = np.array(each, np.int32)
        acts = Actions(**columns)
        state = move(state, acts)
        for cook in np.flatnonzero(np.asarray(state.completed.kind)):
            now[cook], at[cook] = False, at[cook] + 1
        states.append(state)
        doing.append(acts)
        done.append(state.completed)
    return gather(setting, task, states, doing, done, LINES)
