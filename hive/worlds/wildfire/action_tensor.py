"""The published action tensor of a level, read as commands (docs/rules/wildfire.md 6.1).

    state = hive.step(params, state, commands(params, actions), key)

`hive.worlds.wildfire.observation` has the observations that belong to it.
"""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float
from numpy.typing import ArrayLike

from dsl import UserError
from dsl.vocabulary import CREW_TYPES
from hive.engine.crews.frames import CODES, BulldozerCode, CrewCode, FirefighterCode, HelicopterCode
from hive.engine.types import CrewAction, CrewType, Params
from hive.worlds.wildfire.observation import room_for

ACTIONS: dict[str, dict[str, int]] = {
    kind: {code.name.lower(): code.value for table in (CrewCode, *own) for code in table}
    for kind, own in zip(CREW_TYPES, ((FirefighterCode,), (BulldozerCode,), (), (HelicopterCode,)), strict=True)
}
"""The actions of each type by name, with their codes (docs/rules/wildfire.md 6.1)."""

ILLEGAL = -2  # a code that no type has: the unit stands idle and is counted in `Crew.refused`


def commands(params: Params, actions: Float[Array, "s 3"], exact: bool = False) -> CrewAction:
    """Read the published action tensor (docs/rules/wildfire.md 6.1): a code, x and y in every slot.

    Illegal actions stay illegal in the command, so that `hive.engine.dynamics.step` lets the unit stand idle and counts
    it in `Crew.refused`: a code that is not a whole number or that the unit's type does not have, or a place outside
    the map for a code that refers to one. NaN is neither a code nor a place.

    Args:
        params: Parameters of a level.
        actions: `[slots, 3]` float. Slot 0, the manager's, and slots after the last unit are not read. Code -1 is idle.
            x and y may be any point of the cell, or the side of the map, which means its last cell.
        exact: Whether three numbers that sum to 0 mean "stop", as published; then no unit can be sent to (0, 0).

    Raises:
        UserError: The tensor has another shape, or there are too few slots.
    """
    if actions.ndim != 2 or actions.shape[1] != 3:
        raise UserError(f"actions are numbers of shape (slots, 3), not {actions.shape}")
    room_for(params, actions.shape[0])
    rows = actions[1 : 1 + params.count]
    code, place = rows[:, 0], jnp.floor(rows[:, 1:])
    whole = (code == jnp.round(code)) & (jnp.abs(code) <= int(CODES.max()))
    number = jnp.where(whole, code, ILLEGAL).astype(jnp.int32)
    place = jnp.where(place == params.terrain.size, place - 1, place)
    inside = (place >= 0) & (place < params.terrain.size)
    if exact:
        number = jnp.where(rows.sum(1) == 0, CrewCode.IDLE, number)
    return CrewAction(code=number, place=jnp.where(inside, place, -1).astype(jnp.int32))


def check_actions(params: Params, actions: ArrayLike) -> None:
    """Check on the host for actions that `commands` would refuse; for callers that want an error, not an idle unit.

    Args:
        params: Parameters of a level.
        actions: `[slots, 3]`, as `commands` takes them.

    Raises:
        UserError: The tensor has another shape, or a unit has an illegal code or place; the first such unit is named.
    """
    numbers = np.asarray(actions, np.float32)
    command = commands(params, jnp.asarray(numbers))
    size = params.terrain.size
    for unit, (code, place) in enumerate(zip(np.asarray(command.code), np.asarray(command.place), strict=True)):
        kind = int(params.units.type[unit])
        given, x, y = numbers[unit + 1].tolist()
        who = f"slot {unit + 1}, a {CREW_TYPES[kind]},"
        if code != CrewCode.IDLE and not 0 <= code < CODES[kind]:
            raise UserError(
                f"{who} has no action {given:g}\n  = help: its actions are 0 to {CODES[kind] - 1}, and -1 is idle"
            )
        aims = (
            code == CrewCode.MOVE
            or (kind == CrewType.BULLDOZER and code != CrewCode.IDLE)
            or (kind == CrewType.FIREFIGHTER and code == FirefighterCode.SPRAY)
        )
        if aims and (place < 0).any():
            raise UserError(f"{who} is sent to ({x:g}, {y:g}), outside the map\n  = help: x and y are 0 to {size - 1}")
