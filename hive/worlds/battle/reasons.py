"""Why a leaf of a unit's tree failed, as facts and in words, derived from the arrays of the engine's decision.

What a unit would have found without a leaf's limits on range, health or types is computed by the engine's own senses,
with wider queries.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int

from dsl.vocabulary import DIRECTIONS, UNIT_TYPES
from hive.engine.behaviours.decision import Decision
from hive.engine.behaviours.tables import ANY_TYPE, FOE_SHIFT, SenseOrder
from hive.engine.types import Params, State
from hive.engine.units.leaves import UnitOp
from hive.engine.units.senses import NOBODY, SenseQueries, sense

Reason = dict[str, Any]

_NO_RANGE = 1e6  # metres, as in `hive.engine.units.senses.ask`


def reasons(params: Params, state: State, decision: Decision, unit: int, failed: Sequence[int]) -> list[list[Reason]]:
    """Return why leaves of one unit's tree failed.

    Args:
        params: The rules of the world.
        state: The world before the tick.
        decision: The decision taken on that state.
        unit: The unit, in a world whose rows are ids.
        failed: Indices of the leaves in the tree; each was evaluated and failed.

    Returns:
        For each leaf its reasons in plain values, at least one. `reason` is a key of `WORDS`; other keys are its facts.
    """
    tree, table = int(decision.tree[unit]), params.behaviours.leaves
    rows = [
        {name: np.asarray(getattr(table, name))[tree, leaf] for name in ("op", "slot", "value", "bits")}
        for leaf in failed
    ]
    slots = [sense_slot(params, tree, leaf) for leaf in failed]
    found = np.asarray(decision.senses.unit)[:, unit]
    empty = [slot for slot in dict.fromkeys(slots) if slot >= 0 and found[slot] == NOBODY]
    unseen = dict(zip(empty, _look(params, state, decision, unit, empty), strict=True)) if empty else {}
    sight = float(params.types.sight[params.units.type[unit]])
    own = [_own(params, state, decision, unit, row, sight) for row in rows]
    return [reason + ([unseen[slot]] if slot in unseen else []) for reason, slot in zip(own, slots, strict=True)]


def sense_slot(params: Params, tree: int, leaf: int) -> int:
    """Return the sense slot that a leaf of a tree reads, or -1."""
    behaviours = params.behaviours
    op, slot = (int(column[tree, leaf]) for column in (behaviours.leaves.op, behaviours.leaves.slot))
    if op == UnitOp.STEP:
        return int(behaviours.moves.slot[tree, slot])
    return slot if op in (UnitOp.ATTACK, UnitOp.FOUND, UnitOp.ALL_ARMED) else -1


def apart(state: State, unit: int, other: int) -> float:
    """Return the distance of two units in metres, rounded for display."""
    return round(float(np.linalg.norm(np.asarray(state.position[unit] - state.position[other]))), 3)


def _own(
    params: Params, state: State, decision: Decision, unit: int, row: dict[str, Any], sight: float
) -> list[Reason]:
    """Return the reasons of a leaf that do not depend on the unit that its query found."""
    op, slot, looked = int(row["op"]), int(row["slot"]), decision.looked
    cooldown = int(state.cooldown[unit])
    kind = int(params.units.type[unit])
    if op == UnitOp.FAIL:
        return [{"reason": "always"}]
    if op in (UnitOp.ATTACK, UnitOp.ARMED):
        return [{"reason": "not_ready", "cooldown": cooldown}] if cooldown > 0 else []
    if op == UnitOp.STEP:
        sensed = int(params.behaviours.moves.slot[int(decision.tree[unit]), slot])
        if sensed >= 0 and int(decision.senses.unit[sensed, unit]) == NOBODY:
            return []
        tied = looked.strays is not None and bool(looked.strays[slot, unit])
        step = [round(float(part), 3) + 0.0 for part in looked.steps[slot, unit]]
        return [{"reason": "leash" if tied else "blocked", "step": step}]
    if op == UnitOp.TOWARD and looked.held is not None and bool(looked.held[unit]):
        return [{"reason": "behind", "distance": round(float(looked.here[unit]), 3)}]
    if op == UnitOp.AWAY and looked.strays is not None and bool(looked.strays[-1, unit]):
        return [{"reason": "leash"}]
    if op in (UnitOp.TOWARD, UnitOp.AWAY):
        reason = "near_target" if op == UnitOp.TOWARD else "far_from_target"
        here = round(float(looked.here[unit]), 3)
        return [{"reason": reason, "distance": here, "limit": round(float(row["value"]) * sight, 3)}]
    if op == UnitOp.ALL_ARMED:
        other = int(decision.senses.unit[slot, unit])
        waits = {"unit": other, "cooldown": int(state.cooldown[other])} if other != NOBODY else {}
        return [{"reason": "not_armed", **waits}] if waits else []
    if op == UnitOp.DYING:
        most = float(row["value"] * params.types.max_health[kind])
        return [{"reason": "healthy", "health": round(float(state.health[unit]), 3), "limit": round(most, 3)}]
    if op == UnitOp.TYPE:
        return [{"reason": "own_type", "type": UNIT_TYPES[kind]}]
    if op == UnitOp.FOREST:
        return [{"reason": "not_in_forest"}]
    if op == UnitOp.FLOCK:
        stands = int(looked.flocks[slot, unit])
        return [{"reason": "flock", "directions": [name for at, name in enumerate(DIRECTIONS) if stands >> at & 1]}]
    return []


def _look(params: Params, state: State, decision: Decision, unit: int, slots: Sequence[int]) -> list[Reason]:
    """Return why each of these slots of a unit found no unit."""
    asked: SenseQueries = decision.looked.asked
    own: SenseQueries = jax.tree.map(lambda leaf: np.asarray(leaf)[:, unit], asked)
    mask = own.mask[np.asarray(slots)]
    every = np.where(mask & ANY_TYPE, ANY_TYPE, 0) | np.where(mask >> FOE_SHIFT, ANY_TYPE << FOE_SHIFT, 0)
    seen = np.asarray(_closest(params, state, jnp.int32(unit), np.concatenate([mask, every])))
    return [
        _reason_of(params, state, unit, own, slot, int(seen[at]), int(seen[at + len(slots)]))
        for at, slot in enumerate(slots)
    ]


@jax.jit
def _closest(params: Params, state: State, unit: Int[Array, ""], mask: Int[Array, " s"]) -> Int[Array, " s"]:
    """Return the closest visible unit for each of these sides and types, at any distance and with any health."""
    shape = (mask.shape[0], params.count)
    zeros, integers = jnp.zeros(shape), jnp.zeros(shape, jnp.int32)
    wide = SenseQueries(
        mask=jnp.where(params.units.id == unit, mask[:, None], 0),
        base=zeros + _NO_RANGE,
        theirs=zeros,
        steps=zeros,
        health=zeros + jnp.inf,
        order=integers + SenseOrder.CLOSEST,
        flip=integers,
        flock=integers[:0],
    )
    return sense(params.now(state), state, wide, jnp.uint32(0)).unit[:, unit]


def _reason_of(
    params: Params, state: State, unit: int, own: SenseQueries, slot: int, fitting: int, other: int
) -> Reason:
    """Return why a slot found no unit.

    Args:
        params: The rules.
        state: The world.
        unit: The unit whose slot it is.
        own: Its slots `[S]`.
        slot: Index of the slot.
        fitting: The closest visible unit of the queried side and types, or NOBODY.
        other: The closest visible unit of that side, or NOBODY.
    """
    mask = int(own.mask[slot])
    side = 0 if mask & ANY_TYPE else 1
    wanted = mask >> FOE_SHIFT * side & ANY_TYPE
    facts: Reason = {
        "who": "friend" if side == int(params.units.side[unit]) else "foe",
        "types": [name for at, name in enumerate(UNIT_TYPES) if wanted >> at & 1] if wanted != ANY_TYPE else ["any"],
    }

    def nearest(number: int) -> Reason:
        kind = UNIT_TYPES[int(params.units.type[number])]
        return {"nearest": {"unit": number, "type": kind, "distance": apart(state, unit, number)}}

    if fitting != NOBODY:
        kind = params.units.type[fitting]
        if np.isfinite(own.health[slot]):
            return {"reason": "none_dying", **facts, **nearest(fitting), "share": float(own.health[slot])}
        theirs = params.types.reach[kind] + own.steps[slot] * params.types.speed[kind]
        limit = float(own.base[slot] + own.theirs[slot] * theirs)
        return {"reason": "out_of_range", **facts, **nearest(fitting), "range": round(limit, 3)}
    if other != NOBODY:
        return {"reason": "other_types", **facts, **nearest(other)}
    kinds, sides, alive = (np.asarray(each) for each in (params.units.type, params.units.side, state.alive))
    there = np.flatnonzero(alive & (sides == side) & (wanted >> kinds & 1 > 0) & (np.arange(params.count) != unit))
    if not there.size:
        return {"reason": "none_alive", **facts}
    away = np.linalg.norm(np.asarray(state.position)[there] - np.asarray(state.position[unit]), axis=1)
    sight = float(params.types.sight[params.units.type[unit]])
    return {"reason": "none_visible", **facts, **nearest(int(there[away.argmin()])), "sight": round(sight, 3)}


def _whom(reason: Reason) -> str:
    return f"{'' if reason['types'] == ['any'] else ' or '.join(reason['types']) + ' '}{reason['who']}"


def _which(reason: Reason) -> str:
    nearest = reason["nearest"]
    return f"unit {nearest['unit']} ({nearest['type']}), {nearest['distance']:.1f} m away"


def _hidden(reason: Reason) -> str:
    nearest = reason["nearest"]
    if nearest["distance"] > reason["sight"]:
        return f"the nearest is {_which(reason)}, and sight reaches {reason['sight']:g} m"
    return f"the nearest is {_which(reason)}, behind forest or a building"


WORDS: dict[str, Callable[[Reason], str]] = {
    "always": lambda r: "it always fails",
    "not_ready": lambda r: f"the weapon is not ready (cooldown {r['cooldown']})",
    "blocked": lambda r: "a building or water blocks the way by ({:.2f}, {:.2f})".format(*r["step"]),
    "leash": lambda r: "the step would end farther from the target than the leash allows",
    "behind": lambda r: f"the group ahead is not far enough on: {r['distance']:g} m to the target",
    "near_target": lambda r: (
        f"the target is near: distance {r['distance']:g}, limit {r['limit']:g}"
        if r["limit"]
        else "the target is reached"
    ),
    "far_from_target": lambda r: f"the target is far: distance {r['distance']:g}, limit {r['limit']:g}",
    "not_armed": lambda r: f"the weapon of unit {r['unit']} is not ready (cooldown {r['cooldown']})",
    "healthy": lambda r: f"health {r['health']:g} is above {r['limit']:g}",
    "own_type": lambda r: f"the unit is of type {r['type']}",
    "not_in_forest": lambda r: "the unit stands in no forest",
    "flock": lambda r: (
        f"they stand {' and '.join(r['directions'])}"
        if r["directions"]
        else "they stand in no one direction, or none is visible"
    ),
    "none_dying": lambda r: f"no visible {r['who']} has at most {r['share']:.0%} of its health",
    "out_of_range": lambda r: (
        f"no {_whom(r)} is in range: the nearest is {_which(r)}, and the range is {r['range']:.1f} m"
    ),
    "other_types": lambda r: f"no {_whom(r)} is visible: the nearest visible {r['who']} is {_which(r)}",
    "none_visible": lambda r: f"no {_whom(r)} is visible: {_hidden(r)}",
    "none_alive": lambda r: f"no {_whom(r)} is alive",
}
"""The text of each reason."""


def in_words(found: Sequence[Reason]) -> str:
    """Return the reasons of one leaf as readable text."""
    return "; ".join(WORDS[reason["reason"]](reason) for reason in found)
