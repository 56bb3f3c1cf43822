"""The plan of a search, played in the kitchen itself: what proves the least times."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from hive.worlds.kitchen.codes import ActionKind
from hive.worlds.kitchen.controller import drive, remaining
from hive.worlds.kitchen.dynamics import idle, reset, step
from hive.worlds.kitchen.following import begin
from hive.worlds.kitchen.menu import encode
from hive.worlds.kitchen.optimum.play import Optimum
from hive.worlds.kitchen.setting import Setting
from hive.worlds.kitchen.snapshot import take_snapshot
from hive.worlds.kitchen.state import Primitives, State
from hive.worlds.kitchen.validator import Validator

_drive, _remaining, _step, _reset = jax.jit(drive), jax.jit(remaining), jax.jit(step), jax.jit(reset)


def replay(setting: Setting, optimum: Optimum) -> int | None:
    """Play a plan, each named action from the timestep at which it begins there.

    Args:
        setting: The kitchen.
        optimum: The plan.

    Returns:
        0-based timestep of the delivery; None without one, or if the validator refuses an action when it begins or
        its cook is not free then.
    """
    state = _reset(setting.arrays, jnp.int32(setting.book.code[optimum.order]))
    return _replay_moves(setting, optimum, state) if optimum.moves else _replay_actions(setting, optimum, state)


def _replay_moves(setting: Setting, optimum: Optimum, state: State) -> int | None:
    code = {"": 0, **setting.book.code}
    for timestep, moves in enumerate(optimum.moves):
        columns = np.array([(move, code[item]) for move, item in moves], np.int32).T
        state = _step(setting.arrays, state, Primitives(move=jnp.asarray(columns[0]), item=jnp.asarray(columns[1])))
        if bool(state.served):
            return timestep
    return None


def _replay_actions(setting: Setting, optimum: Optimum, state: State) -> int | None:
    validator = Validator(setting.book, setting.layout)
    doing = idle(setting.arrays)
    begins = [dict(each) for each in optimum.actions]
    for timestep in range(optimum.time + 1):
        snapshot = take_snapshot(setting.book, state)
        for cook, plan in enumerate(begins):
            if (action := plan.get(timestep)) is None:
                continue
            if int(doing.kind[cook]) != ActionKind.NOTHING or validator.check(snapshot, cook, action) is not None:
                return None
            doing = begin(doing, cook, encode(validator, [action]))
        state = _step(setting.arrays, state, _drive(setting.arrays, state, doing))
        doing = _remaining(doing, state.completed)
        if bool(state.served):
            return timestep
    return None
