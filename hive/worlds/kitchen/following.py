"""Play lists of named actions: each cook begins its next action as soon as the validator allows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import jax
import jax.numpy as jnp

from hive.worlds.kitchen.action import NamedAction
from hive.worlds.kitchen.codes import ActionKind
from hive.worlds.kitchen.controller import drive, remaining
from hive.worlds.kitchen.dynamics import idle, reset, step
from hive.worlds.kitchen.menu import decode, encode
from hive.worlds.kitchen.setting import Setting
from hive.worlds.kitchen.snapshot import Snapshot, take_snapshot
from hive.worlds.kitchen.state import Actions
from hive.worlds.kitchen.validator import Validator

_drive, _step, _remaining = jax.jit(drive), jax.jit(step), jax.jit(remaining)


@dataclass
class Followed:
    """What happened when lists of actions were played.

    Attributes:
        histories: For each cook, timestep (from 0) and text of every completed action.
        delivery: Timestep of the correct delivery; None when there was none.
        snapshots: The kitchen before each timestep, and at the end.
        waiting: For each cook, the code of the refusal that its next action had at the end; None without one.
    """

    histories: tuple[list[tuple[int, str]], ...]
    delivery: int | None = None
    snapshots: list[Snapshot] = field(default_factory=list)
    waiting: tuple[str | None, ...] = ()


def follow(setting: Setting, order: str, lists: Sequence[Sequence[NamedAction]], timesteps: int) -> Followed:
    """Play one list of actions for each cook, until the order is delivered or the time is over.

    An idle cook checks its next action in every timestep. If the action is valid, it begins in that timestep;
    otherwise the cook stays. Both decide on the same state.

    Args:
        setting: The kitchen.
        order: Name of the item to deliver.
        lists: The actions of each cook, in order.
        timesteps: Most timesteps that are played.
    """
    validator = Validator(setting.book, setting.layout)
    kitchen = setting.arrays
    state = jax.jit(reset)(kitchen, jnp.int32(setting.book.code[order]))
    doing = idle(kitchen)
    queues = [list(each) for each in lists]
    result = Followed(tuple([] for _ in lists))
    for timestep in range(timesteps):
        snapshot = take_snapshot(setting.book, state)
        result.snapshots.append(snapshot)
        for cook, queue in enumerate(queues):
            free = int(doing.kind[cook]) == ActionKind.NOTHING
            if free and queue and validator.code(snapshot, cook, queue[0]) is None:
                doing = begin(doing, cook, encode(validator, [queue.pop(0)]))
        state = _step(kitchen, state, _drive(kitchen, state, doing))
        doing = _remaining(doing, state.completed)
        for cook, action in enumerate(completed(setting, state.completed)):
            if action is not None:
                result.histories[cook].append((timestep, str(action)))
        if bool(state.served):
            result.delivery = timestep
            break
    result.snapshots.append(last := take_snapshot(setting.book, state))
    waiting = [validator.code(last, cook, queue[0]) if queue else None for cook, queue in enumerate(queues)]
    result.waiting = tuple(waiting)
    return result


def begin(doing: Actions, cook: int, action: Actions) -> Actions:
    """Return what both cooks do after one of them begins an action, `[1]` as `encode` returns it."""
    return jax.tree.map(lambda column, new: column.at[cook].set(new[0]), doing, action)


def completed(setting: Setting, done: Actions) -> tuple[NamedAction | None, ...]:
    """Return the named action that each cook completed in a timestep, None where there was none."""
    rows = zip(*(column.tolist() for column in (done.kind, done.item, done.place)), strict=True)
    return tuple(_logged(setting, decode(setting, *row)) for row in rows)


def _logged(setting: Setting, action: NamedAction | None) -> NamedAction | None:
    """Return an action as histories name it (docs/rules/kitchen.md 7.1)."""
    if action is None or action.kind != ActionKind.FILL or not setting.switches.oven_fill_is_put:
        return action
    return (
        NamedAction(ActionKind.PUT, place=action.place)
        if action.place in setting.layout.instances_of("oven")
        else action
    )
