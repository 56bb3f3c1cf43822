"""From what a crew knows to its commands: the result of each leaf, the trees' verdict, and the winning leaf's action.

Leaves read only the explored map, the roster and the unit's own status.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int

import bt
from hive.engine.behaviours.decision import Decision, bit, pick
from hive.engine.crews import steering
from hive.engine.crews.explored import Explored, cell_of
from hive.engine.crews.frames import (
    CAPACITY,
    REACH,
    BulldozerCode,
    CrewCode,
    FirefighterCode,
    HelicopterCode,
    passengers,
)
from hive.engine.crews.leaves import NAMES_THING, NEARNESS, CrewOp, Thing, Way, way_of
from hive.engine.crews.lookout import NearestThings, look
from hive.engine.types import CrewAction, CrewType, Orders, Params, Progress, State
from hive.engine.units.leaves import UnitOp
from hive.ground.exact import length, rounded
from hive.ground.sizes import current

FLIGHT = 20  # cells that `go away_from` moves, at most to the border
DROP_REACH = 4.5  # cells that a helicopter's water reaches (docs/rules/wildfire.md 3.7)

_STRIDE = np.array([13, 9, 0, 0], np.int32)  # cells in a tick plus one, by type; units that fly need no check
_FELLING = 5  # the same for a bulldozer that fells

_CODES: dict[CrewOp, dict[CrewType, int]] = {  # code of each action; a leaf of another type never wins
    CrewOp.GO: dict.fromkeys(CrewType, CrewCode.MOVE),
    CrewOp.CLEAR: {CrewType.BULLDOZER: BulldozerCode.CLEAR},
    CrewOp.CUT: {CrewType.FIREFIGHTER: FirefighterCode.CUT},
    CrewOp.SPRAY: {CrewType.FIREFIGHTER: FirefighterCode.SPRAY, CrewType.HELICOPTER: HelicopterCode.DROP},
    CrewOp.REFILL: {CrewType.FIREFIGHTER: FirefighterCode.REFILL, CrewType.HELICOPTER: HelicopterCode.FILL},
    CrewOp.PICK_UP: {CrewType.FIREFIGHTER: FirefighterCode.CARRY, CrewType.HELICOPTER: HelicopterCode.LIFT},
    CrewOp.PUT_DOWN: {CrewType.FIREFIGHTER: FirefighterCode.CARRY, CrewType.HELICOPTER: HelicopterCode.DROP},
}


def command(params: Params, orders: Orders, progress: Progress, state: State) -> Decision:
    """Evaluate the tree of every unit of a crew on the same state.

    Args:
        params: Parameters with `crews`.
        orders: Plans; no distance map is read.
        progress: Which group commands each unit.
        state: The world before the tick.

    Returns:
        Commands of all units; dead units, passengers and unassigned units are idle.
    """
    crew = state.crew
    assert crew is not None
    commanded = progress.group >= 0
    group = jnp.maximum(progress.group, 0)
    tree, target = orders.plan.tree[group], orders.plan.place[orders.plan.target[group]]
    acts = commanded & state.alive & (crew.aboard < 0)
    view = look(params, state, target, jnp.where(acts, _asked(params)[tree], 0))
    ways = _ways(params, state, view, acts, tree)
    answers = _answer(params, state, view, ways, target, tree)
    program = bt.program(params.behaviours.trees, tree)
    ticked = bt.tick(program.on_success, program.on_failure, program.is_action, answers, current().leaves)
    action = _act(params, state, view, ways, tree, jnp.where(acts, ticked.winner, -1))
    return Decision(action=action, ticked=ticked, answers=answers, tree=tree, senses=None, commanded=commanded)


def _asked(params: Params) -> Int[Array, " t"]:
    """Things that each tree queries, as bits."""
    table = params.behaviours.leaves
    named = jnp.where((table.op >= CrewOp.GO) & (table.op <= NAMES_THING), 1 << table.bits, 0)
    people = 1 << Thing.CIVILIAN | 1 << Thing.FIREFIGHTER
    asked = jnp.where(table.op == CrewOp.PICK_UP, people, named)
    return jax.lax.reduce(asked, np.int32(0), jax.lax.bitwise_or, (1,))


def _ways(
    params: Params, state: State, view: NearestThings, acts: Bool[Array, " n"], tree: Int[Array, " n"]
) -> steering.WishedCells:
    """Return where each way of each unit's tree leads, `[M, N]`."""
    kind, at, size = params.units.type, cell_of(state), params.terrain.size
    way, thing = way_of(params.behaviours.moves.compass.T[:, tree])
    off = jnp.take_along_axis(view.way, thing[..., None], axis=0)
    long = jnp.maximum(length(off.astype(jnp.float32)), 1)
    flight = jnp.round(rounded(off.astype(jnp.float32) * (-FLIGHT / long)[..., None])).astype(jnp.int32)
    wish = jnp.clip(at[None] + jnp.where((way == Way.AWAY)[..., None], flight, off), 0, size - 1)
    felling = way == Way.ALONG
    stride = jnp.where(felling, _FELLING, jnp.asarray(_STRIDE)[kind][None])
    known = jnp.take_along_axis(view.known, thing, axis=0)
    looks = jnp.where(acts[None] & known, stride, 0)
    found = steering.steer(params, state, wish, looks, ~felling, thing == Thing.TARGET)
    own = felling & (off == 0).all(-1) & _wooded(_own_code(state))[None]
    return found.replace(free=known & (found.free | own))


def _own_code(state: State) -> Int[Array, " n"]:
    """Code of each unit's own cell on the explored map."""
    return _codes_at(state, cell_of(state))


def _codes_at(state: State, cells: Int[Array, "*k n 2"]) -> Int[Array, "*k n"]:
    """Codes of these cells on the explored map of each unit, 0 outside the map."""
    assert state.crew is not None
    seen = state.crew.seen
    inside = ((cells >= 0) & (cells < seen.shape[-1])).all(-1)
    x, y = jnp.moveaxis(jnp.clip(cells, 0, seen.shape[-1] - 1), -1, 0)
    code = seen[x, y] if seen.ndim == 2 else seen[jnp.arange(seen.shape[0]), x, y]
    return jnp.where(inside, code, Explored.UNSEEN).astype(jnp.int32)


def _wooded(code: Int[Array, " n"]) -> Bool[Array, " n"]:
    return (
        (code >= Explored.WET) & (code < Explored.IGNITED) & ((code - Explored.WET) % (Explored.DRY - Explored.WET) > 0)
    )


def _answer(
    params: Params,
    state: State,
    view: NearestThings,
    ways: steering.WishedCells,
    target: Int[Array, "n 2"],
    tree: Int[Array, " n"],
) -> Bool[Array, "l n"]:
    """`[L, N]` whether each leaf of each unit's tree succeeds; arbitrary for leaves that are not evaluated."""
    crew, kind = state.crew, params.units.type
    assert crew is not None and params.crews is not None
    table = jax.tree.map(lambda a: jnp.take(a.T, tree, axis=1, mode="clip"), params.behaviours.leaves)
    firefighter, helicopter = kind == CrewType.FIREFIGHTER, kind == CrewType.HELICOPTER
    x, y = cell_of(state).T
    near = [pick(view.known & (view.apart <= cells), table.bits) for cells in NEARNESS.values()]
    free = pick(ways.free, table.slot)
    load = _load(params, state)
    straight = jnp.square(view.way).sum(-1)
    hose = firefighter[None] & (straight > 0) & (straight <= REACH**2)
    drop = helicopter[None] & (straight.astype(jnp.float32) <= DROP_REACH**2)
    sprays = view.known & (crew.water > 0)[None] & (hose | drop)
    empty = (crew.water < CAPACITY) & (firefighter | helicopter & (load == 0))
    within = view.known & (straight < REACH**2)
    takes = firefighter & (load == 0) & within[Thing.CIVILIAN] & ~_delivered(state, view, target)
    lifts = helicopter & (load < CAPACITY) & (crew.water == 0) & within[Thing.FIREFIGHTER]
    rules = (
        (UnitOp.STAND, True),
        (CrewOp.GO, free),
        (CrewOp.CLEAR, (kind == CrewType.BULLDOZER)[None] & free),
        (CrewOp.SPRAY, pick(sprays, table.bits)),
        (CrewOp.NEAR, _by_value(near, table.value)),
        (CrewOp.ON, pick(view.known & (view.apart == 0), table.bits)),
        (CrewOp.SEEN, pick(view.known.at[Thing.TARGET].set(_codes_at(state, target) != Explored.UNSEEN), table.bits)),
        (CrewOp.CUT, firefighter & _wooded(_own_code(state))),
        (CrewOp.REFILL, empty & params.crews.water[x, y]),
        (CrewOp.PICK_UP, takes | lifts),
        (CrewOp.PUT_DOWN, load > 0),
        (CrewOp.HAS_WATER, crew.water > 0),
        (CrewOp.CARRIES, load > 0),
        (CrewOp.CREW_TYPE, bit(table.bits, kind[None])),
    )
    answers = jnp.zeros(table.op.shape, bool)
    for op, holds in rules:
        answers = jnp.where(table.op == op, holds, answers)
    return answers


def _by_value(near: list[Array], value: Array) -> Array:
    """Return the result for the nearness that a leaf holds."""
    out = near[-1]
    for holds, cells in reversed(list(zip(near, NEARNESS.values(), strict=True))):
        out = jnp.where(value <= cells, holds, out)
    return out


def _load(params: Params, state: State) -> Int[Array, " n"]:
    """Civilians that a firefighter carries, or firefighters aboard a helicopter."""
    crew = state.crew
    assert crew is not None
    bearer = jnp.where(crew.bearer < 0, params.count, crew.bearer)
    return passengers(state).at[bearer].add(1, mode="drop")


def _delivered(state: State, view: NearestThings, target: Int[Array, "n 2"]) -> Bool[Array, " n"]:
    """Whether a civilian in the target's box is at most as far as the nearest outside, and would be picked up."""
    reach = range(1 - REACH, REACH)
    window = np.array([(x, y) for x in reach for y in reach], np.int32)
    cells = cell_of(state)[None] + window[:, None]
    boxed = (jnp.abs(cells - target[None]) <= REACH).all(-1) & (_codes_at(state, cells) == Explored.CIVILIAN)
    closer = (window**2).sum(1)[:, None] <= jnp.square(view.way[Thing.CIVILIAN]).sum(-1)[None]
    return (boxed & closer).any(0)


def _act(
    params: Params,
    state: State,
    view: NearestThings,
    ways: steering.WishedCells,
    tree: Int[Array, " n"],
    winner: Int[Array, " n"],
) -> CrewAction:
    """Return the command of each unit's winning leaf; without one, the unit is idle."""
    kind, table = params.units.type, params.behaviours.leaves
    row = jnp.maximum(winner, 0)
    op = jnp.where(winner >= 0, table.op[tree, row], UnitOp.STAND)
    moves = (op == CrewOp.GO) | (op == CrewOp.CLEAR)
    led = jnp.take_along_axis(ways.place, table.slot[tree, row][None, :, None], axis=0, mode="clip")[0]
    aim = jnp.take_along_axis(view.way, table.bits[tree, row][None, :, None], axis=0, mode="clip")[0]
    at = cell_of(state)
    code = jnp.full(op.shape, CrewCode.IDLE.value, jnp.int32)
    for which, codes in _CODES.items():
        by_type = jnp.asarray([codes.get(each, CrewCode.IDLE) for each in CrewType], jnp.int32)
        code = jnp.where(op == which, by_type[kind], code)
    place = jnp.where(moves[:, None], led, at + jnp.where((op == CrewOp.SPRAY)[:, None], aim, 0))
    return CrewAction(code=code, place=place)


__all__ = ["DROP_REACH", "FLIGHT", "command"]
