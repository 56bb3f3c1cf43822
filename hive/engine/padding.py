"""Rows that fill a capacity, so that battles with armies of different sizes share the shapes of their arrays."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

from hive.engine.types import NO_SIDE, Boxes, Params, Plan, State
from hive.engine.units.push import grain_of

_OF_UNITS = ("position", "health", "cooldown")  # fields of `State` with a row for each unit


def pad_units(params: Params, units: int) -> Params:
    """Return a battle with rows for so many units; the games of its real units stay the same, to the bit.

    The rows behind the last unit belong to no side. They are dead from the start, so that nothing counts, sees, pushes
    or commands them. Plans for the battle need as many columns: see `pad_plan_units`. Recordings and drawings are made
    of the battle as it was.

    Args:
        params: A battle.
        units: The capacity, at least the number of units.

    Raises:
        ValueError: The capacity is below the number of units, or so large that sums over units would be coarser than
            for the army as it is (docs/rules/battles.md 3.7); or the units are a crew.
    """
    count, cells = params.count, params.terrain.size**2
    if params.crews is not None:
        raise ValueError("the units of a crew cannot be padded")
    if units < count:
        raise ValueError(f"{count} units do not fit a capacity of {units}")
    if grain_of(units) != grain_of(count) or count * cells < 2**32 <= units * cells:
        raise ValueError(f"with a capacity of {units} units, games of {count} would no longer be the same")
    filler = {"side": NO_SIDE, "type": 0, "box": 0}
    columns: dict[str, Any] = {
        name: np.pad(np.asarray(getattr(params.units, name)), (0, units - count), constant_values=value)
        for name, value in filler.items()
    }
    names = np.concatenate([np.asarray(params.units.id), np.arange(count, units, dtype=np.int32)])
    return params.replace(
        units=jax.device_put(params.units.replace(id=names, **columns)), enemy=pad_plan_units(params.enemy, units)
    )


def pad_plan_units(plan: Plan, units: int) -> Plan:
    """Return a plan of either side for a battle that `pad_units` gave the same capacity; no padding is in a group.

    Raises:
        ValueError: The plan is for more units.
    """
    more = units - plan.foe.shape[-1]
    if more < 0:
        raise ValueError(f"a plan for {plan.foe.shape[-1]} units does not fit a capacity of {units}")
    if not more:
        return plan
    foe = np.pad(np.asarray(plan.foe), ((0, 0), (0, more)))
    member = np.pad(np.asarray(plan.member), ((0, 0), (0, more)), constant_values=-1)
    return plan.replace(**jax.device_put({"foe": foe, "member": member}))


def pad_state(state: State, units: int) -> State:
    """Return the state of a battle, on the host, with rows of dead units for one that `pad_units` gave a capacity."""
    more = units - state.position.shape[0]
    rows = {name: np.asarray(getattr(state, name)) for name in _OF_UNITS}
    return state.replace(
        **{name: np.pad(leaf, ((0, more), *[(0, 0)] * (leaf.ndim - 1))) for name, leaf in rows.items()}
    )


def unpad_state(state: State, count: int) -> State:
    """Return the state of a battle without the rows that `pad_units` added, on the host if there are any.

    Args:
        state: The battle now; units in the order of their ids.
        count: Its units.
    """
    if state.position.shape[0] == count:
        return state
    return state.replace(**{name: np.asarray(getattr(state, name))[:count] for name in _OF_UNITS})


def pad_boxes(boxes: Boxes, number: int, cells: int) -> Boxes:
    """Return start boxes with rows for so many boxes and cells each; no unit starts in the new ones.

    Raises:
        ValueError: There are more boxes, or more cells.
    """
    more = number - boxes.cell.shape[0], cells - boxes.cell.shape[1]
    if min(more) < 0:
        raise ValueError(f"start boxes of shape {boxes.cell.shape[:2]} do not fit a capacity of {(number, cells)}")
    cell = np.pad(np.asarray(boxes.cell), ((0, more[0]), (0, more[1]), (0, 0)), mode="edge")
    return Boxes(**jax.device_put({"cell": cell, "count": np.pad(np.asarray(boxes.count), (0, more[0]), mode="edge")}))
