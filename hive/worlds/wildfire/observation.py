"""What each agent of a level sees, as the published vector of numbers (docs/rules/wildfire.md 6.2).

Slot 0 is the manager, which knows the task; the units follow in the order of their rows, and remaining slots are empty.
An agent sees a window, centred on itself, of its team's explored map, or of its own map where maps are not shared.
"""

from __future__ import annotations

from enum import IntEnum, auto
from typing import Any

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float
from numpy.typing import NDArray

from dsl import UserError
from hive.engine.crews.explored import Explored, cell_of
from hive.engine.crews.frames import CAPACITY, passengers
from hive.engine.crews.score import achieved
from hive.engine.types import CrewType, Params, State
from hive.worlds.wildfire.maps.host_places import Cell
from hive.worlds.wildfire.maps.site import Site
from hive.worlds.wildfire.task_text import known

SLOTS = 20  # least number of slots, as published
LENGTH = 3728  # numbers in a slot
RADIUS = np.array([10, 10, 25, 30])  # cells from the middle of a window to its side, by type

_WINDOW = (2 * int(RADIUS.max()) + 1) ** 2  # numbers reserved for a window of any size
_TOLD = 4  # index at which the task begins in the manager's slot


class SlotType(IntEnum):
    """Types of slots, numbered after the four of `CrewType`."""

    MANAGER = len(CrewType)
    EMPTY = auto()


def task_numbers(site: Site) -> NDArray[np.float32]:
    """Return the task of a level as the numbers of the manager's slot, `[3724]`, padded with -1.

    Places have the published order (docs/rules/wildfire.md 6.2), but those that the level keeps unknown are -1 here:
    the published vector reveals fires and civilians that have to be found.
    """
    facts, places, game = known(site), site.places, site.level.game

    def cell(told: Cell | None, there: Cell | None) -> Cell:
        return told or (-1, -1) if there else (0, 0)

    fire = cell(facts.fire, places.fire)
    water = cell(facts.water, places.water)
    clusters = [part for each in places.clusters for part in cell(each if each in facts.clusters else None, each)]
    told: list[int] = []
    if game == "cut":
        told = [int(bool(facts.lines)), len(facts.lines or facts.trees)]
        told += [part for each in (*facts.lines, *facts.trees) for part in each]
    elif game in ("transport", "rescue"):
        told = [*(facts.goal or ()), *clusters]
    elif game == "full":
        told = [*fire, *water, *clusters]
    else:
        told = [*fire, *(water if places.water else ())]
    numbers = np.full(LENGTH - _TOLD, -1, np.float32)
    numbers[: len(told)] = told
    return numbers


def observe(
    params: Params, state: State, told: Float[Array, " p"] | NDArray[np.float32], slots: int | None = None
) -> Float[Array, "s 3728"]:
    """Return the observation of every slot.

    Args:
        params: Parameters of a level.
        state: A state of that level.
        told: `[3724]` from `task_numbers`.
        slots: Number of slots; None: 20, or the number of units plus one if that is larger.

    Returns:
        `[slots, 3728]` float32. A slot of a living unit: type; its window of codes (`hive.engine.crews.explored`), row
        by row from the north, of 21 x 21 cells, 51 x 51 for a drone and 61 x 61 for a helicopter, 0 outside the map,
        then -1 up to index 3721; 0; x; y; civilians or firefighters that it carries; water; whether it is aboard. The
        manager: type, game (`hive.engine.crews.score_rules.LevelGame`), size of the map, score, task. A slot without a
        living unit: type 5, then -1.

    Raises:
        UserError: There are too few slots.
    """
    count = params.count
    slots = room_for(params, slots)
    units = jnp.concatenate(
        [params.units.type[:, None].astype(jnp.float32), _windows(params, state), _own(params, state)], axis=1
    )
    empty = jnp.full(LENGTH, -1, jnp.float32).at[0].set(SlotType.EMPTY)
    head = jnp.stack(
        [jnp.int32(SlotType.MANAGER), _game(params), jnp.int32(params.terrain.size), achieved(params, state)]
    ).astype(jnp.float32)
    manager = jnp.concatenate([head, jnp.asarray(told, jnp.float32)])
    rest = jnp.broadcast_to(empty, (slots - 1 - count, LENGTH))
    return jnp.concatenate([manager[None], jnp.where(state.alive[:, None], units, empty), rest])


def published_observation(env: Any, state: Any, view: Any) -> Float[Array, "n 3728"]:
    """Return what units see as published, for `hive.rl.make(task, observation=published_observation)`.

    Args:
        env: A `hive.worlds.wildfire.environment.crews.CrewEnv`.
        state: Its state.
        view: What the environment itself would show; not used.

    Returns:
        The slots of `observe` without the manager's, divided so that all numbers are in [-1, 1]: types by 5, codes by
        15, places by the size of the map, loads by the most that a unit carries.
    """
    del view
    most = np.ones(LENGTH, np.float32)
    most[0], most[1 : 1 + _WINDOW] = SlotType.EMPTY, max(Explored)
    most[-5:-3], most[-3:-1] = env.params.terrain.size, CAPACITY
    told = jnp.full(LENGTH - _TOLD, -1, jnp.float32)
    slots = observe(env.params_of(state), state.game.state, told)
    return slots[1 : 1 + env.num_agents] * jnp.asarray(1 / most)[None]


def room_for(params: Params, slots: int | None) -> int:
    """Return the number of slots: at least one for each unit and one for the manager.

    Raises:
        UserError: There are too few slots.
    """
    least = params.count + 1
    if slots is not None and slots < least:
        raise UserError(f"{params.count} units and their manager need {least} slots, not {slots}")
    return max(SLOTS, least) if slots is None else slots


def carrying(state: State) -> Bool[Array, " n"]:
    """Whether each unit carries a civilian."""
    assert state.crew is not None
    bearer, count = state.crew.bearer, state.health.shape[0]
    return jnp.zeros(count, bool).at[jnp.where(bearer < 0, count, bearer)].set(True, mode="drop")


def _game(params: Params) -> Array:
    assert params.crews is not None
    return params.crews.task.game


def _own(params: Params, state: State) -> Float[Array, "n 6"]:
    crew = state.crew
    assert crew is not None
    burden = jnp.where(params.units.type == CrewType.FIREFIGHTER, carrying(state).astype(jnp.int32), passengers(state))
    zero = jnp.zeros_like(burden)
    x, y = jnp.moveaxis(cell_of(state), -1, 0)
    return jnp.stack([zero, x, y, burden, crew.water, (crew.aboard >= 0).astype(jnp.int32)], axis=1).astype(jnp.float32)


def _windows(params: Params, state: State) -> Float[Array, "n 3721"]:
    """All windows in one gather, at the unit's index in the padded map plus offsets that depend on its type."""
    assert state.crew is not None
    margin, size = int(RADIUS.max()), params.terrain.size
    side = size + 2 * margin
    seen = state.crew.seen.reshape(-1, size, size)
    padded = jnp.pad(seen, ((0, 0), (margin, margin), (margin, margin))).reshape(-1)
    own = jnp.arange(params.count) if state.crew.seen.ndim == 3 else 0
    x, y = jnp.moveaxis(cell_of(state) + margin, -1, 0)
    offset, inside = _offsets(side)
    kind = params.units.type
    place = ((own * side + x) * side + y)[:, None] + jnp.asarray(offset)[kind]
    return jnp.where(jnp.asarray(inside)[kind], padded[place].astype(jnp.float32), -1.0)


def _offsets(side: int) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """By type, the offset in a flat map of each number of a window from its middle, and whether the number is used."""
    offset, inside = np.zeros((len(RADIUS), _WINDOW), np.int32), np.zeros((len(RADIUS), _WINDOW), bool)
    for kind, radius in enumerate(RADIUS):
        along = np.arange(-radius, radius + 1)
        number = (along[None, :] * side + along[:, None]).reshape(-1)  # y outer, x inner
        offset[kind, : number.size], inside[kind, : number.size] = number, True
    return offset, inside
