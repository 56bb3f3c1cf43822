"""A level as an environment for agents of any kind, with the published action tensors and observations.

All functions are pure. A batch is a `jax.vmap` of `reset` and `step` over keys, or over environments of one level on
the maps of several seeds, stacked leaf by leaf.
"""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from flax import struct
from jaxtyping import Array, Bool, Float, Int, Key
from numpy.typing import ArrayLike

from dsl import UserError
from dsl.vocabulary import CREW_TYPES
from hive.engine import spawning
from hive.engine.crews.frames import CODES, BulldozerCode, CrewCode, FirefighterCode, HelicopterCode
from hive.engine.crews.score import achieved, over
from hive.engine.dynamics import step as play
from hive.engine.types import Command, CrewType, Params, State
from hive.worlds.wildfire.observation import observe, room_for, task_numbers
from hive.worlds.wildfire.world import Fireground

ACTIONS: dict[str, dict[str, int]] = {
    kind: {code.name.lower(): code.value for table in (CrewCode, *own) for code in table}
    for kind, own in zip(CREW_TYPES, ((FirefighterCode,), (BulldozerCode,), (), (HelicopterCode,)), strict=True)
}
"""The actions of each type by name, with their codes (docs/rules/wildfire.md 6.1)."""

ILLEGAL = -2  # a code that no type has: the unit stands idle and is counted in `Crew.refused`


class LevelEnv(struct.PyTreeNode, kw_only=True):
    """A level on the map of one seed.

    Attributes:
        params: The level.
        told: See `hive.worlds.wildfire.observation.task_numbers`.
        slots: Number of slots in actions and observations.
        exact: Whether three numbers that sum to 0 mean "stop", as published; then no unit can be sent to (0, 0).
    """

    params: Params
    told: Float[Array, " p"]
    slots: int = struct.field(pytree_node=False)
    exact: bool = struct.field(pytree_node=False, default=False)


def make_env(world: Fireground, slots: int | None = None, exact: bool = False) -> LevelEnv:
    """Return the environment of a level that `load_level` gave.

    Raises:
        UserError: There are fewer slots than units and their manager.
    """
    params = world.params
    return LevelEnv(
        params=params, told=jnp.asarray(task_numbers(world.site)), slots=room_for(params, slots), exact=exact
    )


def reset(env: LevelEnv, key: Key[Array, ""]) -> tuple[State, Float[Array, "s 3728"]]:
    """Begin a game; see `step`."""
    state = spawning.reset(env.params, key)
    return state, observe(env.params, state, env.told, env.slots)


def step(
    env: LevelEnv, state: State, actions: Float[Array, "s 3"], key: Key[Array, ""]
) -> tuple[State, Float[Array, "s 3728"], Int[Array, ""], Bool[Array, ""]]:
    """Play one tick of 100 frames.

    Args:
        env: The level.
        state: The state before the tick.
        actions: See `commands`.
        key: The game's key, the same in every tick.

    Returns:
        State after the tick, observations of all slots, the score (docs/rules/wildfire.md 7.1; not the reward of one
        tick) and whether the game is over: best score reached, fire out, or the level's limit of ticks. Games do not
        restart automatically.
    """
    params = env.params
    state = play(params, state, commands(params, actions, env.exact), key)
    done = over(params, state) | (state.tick >= params.rules.limit)
    return state, observe(params, state, env.told, env.slots), achieved(params, state), done


def commands(params: Params, actions: Float[Array, "s 3"], exact: bool = False) -> Command:
    """Read the published action tensor (docs/rules/wildfire.md 6.1): a code, x and y in every slot.

    Illegal actions stay illegal in the command, so that `hive.engine.dynamics.step` lets the unit stand idle and counts
    it in `Crew.refused`: a code that is not a whole number or that the unit's type does not have, or a place outside
    the map for a code that refers to one. NaN is neither a code nor a place.

    Args:
        params: Parameters of a level.
        actions: `[slots, 3]` float. Slot 0, the manager's, and slots after the last unit are not read. Code -1 is idle.
            x and y may be any point of the cell.
        exact: See `LevelEnv`.

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
    inside = (place >= 0) & (place < params.terrain.size)
    if exact:
        number = jnp.where(rows.sum(1) == 0, CrewCode.IDLE, number)
    return Command(code=number, place=jnp.where(inside, place, -1).astype(jnp.int32))


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
