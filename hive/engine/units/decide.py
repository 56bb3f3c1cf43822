"""From senses to actions: the result of each leaf, the verdict of the trees, and the action of the winning leaf."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Bool, Float, Int, UInt

import bt
from hive.engine.behaviours.decision import Decision, bit, pick
from hive.engine.types import Action, ActionKind, Orders, Params, Progress, State
from hive.engine.units import motion
from hive.engine.units.leaves import UnitOp
from hive.engine.units.senses import NOBODY, SenseQueries, Senses, ask, sense
from hive.ground.exact import rounded
from hive.ground.sizes import current
from hive.ground.terrain import cell, in_forest, lookup


class Looked(struct.PyTreeNode, kw_only=True):
    """The inputs of leaves other than the senses; costs nothing where a program does not return them."""

    asked: SenseQueries
    steps: Float[Array, "m n 2"]  # straight steps of each unit's tree, metres
    free: Bool[Array, "m n"]  # whether each step is possible
    here: Float[Array, " n"]  # distance to the target on its map, with noise
    flocks: Int[Array, "f n"]  # bits of the directions in which each flock lies
    strays: Bool[Array, "s n"] | None = None  # steps that a leash forbids, the last one `away` along the map
    held: Bool[Array, " n"] | None = None  # whether the unit waits for the group ahead of its own


def decide(params: Params, orders: Orders, progress: Progress, state: State, word: UInt[Array, ""]) -> Decision:
    """Evaluate every unit's tree on the same state (docs/rules/battles.md 3.1 and docs/rules/trees.md 2).

    Args:
        params: Rules and tables.
        orders: Plans and distance maps.
        progress: Which group commands each unit.
        state: The world before the tick.
        word: Random word of the tick.

    Returns:
        Actions of all units; dead and unassigned units stand.
    """
    params = params.now(state)
    commanded = progress.group >= 0
    group = jnp.maximum(progress.group, 0)
    tree, types, target = orders.plan.tree[group], orders.plan.types[group], orders.plan.target[group]
    asked = ask(params, tree, types)
    senses = sense(params, state, asked, word)
    steps, free = motion.straight_steps(params, state, senses, tree)
    follow = motion.follow(params, orders, state, target, word)
    strays = motion.strays(orders, state, group, steps, follow.away)
    free = free if strays is None else free & ~strays[:-1]
    looked = Looked(
        asked=asked,
        steps=steps,
        free=free,
        here=follow.here,
        flocks=_flock_bits(senses),
        strays=strays,
        held=motion.held(params, orders, state, progress.group),
    )
    answers = _answer(params, state, senses, looked, tree)
    program = bt.program(params.behaviours.trees, tree)
    ticked = bt.tick(program.on_success, program.on_failure, program.is_action, answers, current().leaves)
    action = _act(params, state, senses, steps, follow, tree, ticked)
    acts = commanded & state.alive
    action = action.replace(kind=jnp.where(acts, action.kind, ActionKind.STAND))
    return Decision(
        action=action, ticked=ticked, answers=answers, tree=tree, senses=senses, commanded=commanded, looked=looked
    )


def _answer(
    params: Params,
    state: State,
    senses: Senses,
    looked: Looked,
    tree: Int[Array, " n"],
) -> Bool[Array, "l n"]:
    """`[L, N]` whether each leaf of each unit's tree succeeds; arbitrary for leaves that are not evaluated."""
    table = jax.tree.map(lambda a: jnp.take(a.T, tree, axis=1, mode="clip"), params.behaviours.leaves)
    kind = params.units.type
    ready = (state.cooldown <= 0)[None]
    sight = params.types.sight[kind][None]
    full = params.types.max_health[kind][None]
    here = looked.here[None]
    forest = in_forest(lookup(params.terrain, cell(state.position, params.terrain.size)))
    armed = senses.found & ((NOBODY - senses.key) <= 1 << 30)  # the slot holds the longest cooldown, flipped

    chosen = pick(senses.found, table.slot)
    rules = (
        (UnitOp.STAND, True),
        (UnitOp.NORTH, True),
        (UnitOp.ATTACK, ready & chosen),
        (UnitOp.STEP, pick(looked.free, table.slot)),
        (UnitOp.TOWARD, here > table.value * sight),
        (UnitOp.AWAY, here < jnp.where(jnp.isinf(table.value), jnp.inf, table.value * sight)),
        (UnitOp.FOUND, chosen),
        (UnitOp.ALL_ARMED, pick(armed, table.slot)),
        (UnitOp.DYING, state.health[None] <= rounded(table.value * full)),
        (UnitOp.ARMED, ready),
        (UnitOp.TYPE, bit(table.bits, kind[None])),
        (UnitOp.FOREST, forest),
    )
    answers = jnp.zeros(table.op.shape, bool)
    for op, holds in rules:
        answers = jnp.where(table.op == op, holds, answers)
    for op, forbidden in (
        (UnitOp.AWAY, None if looked.strays is None else looked.strays[-1:]),
        (UnitOp.TOWARD, None if looked.held is None else looked.held[None]),
    ):
        if forbidden is not None:
            answers = answers & ~((table.op == op) & forbidden)
    if looked.flocks.shape[0]:
        own = jnp.take_along_axis(looked.flocks, jnp.clip(table.slot, 0, looked.flocks.shape[0] - 1), axis=0)
        answers = jnp.where(table.op == UnitOp.FLOCK, bit(own, table.bits), answers)
    return answers


def _flock_bits(senses: Senses) -> Int[Array, "f n"]:
    """`[F, N]` bits of the directions in which each flock lies (docs/rules/trees.md 4.9, `is_flock`)."""
    x, y = senses.flock_sum[..., 0], senses.flock_sum[..., 1]
    sides = [y > jnp.abs(x), x > jnp.abs(y), -y > jnp.abs(x), -x > jnp.abs(y), senses.flock_quadrants == 0b1111]
    out = jnp.zeros(x.shape, jnp.int32)
    for number, holds in enumerate(sides):
        out = out | (holds.astype(jnp.int32) << number)
    return out


def _act(
    params: Params,
    state: State,
    senses: Senses,
    steps: Float[Array, "m n 2"],
    follow: motion.Follow,
    tree: Int[Array, " n"],
    ticked: bt.Ticked,
) -> Action:
    """Return the action of the winning leaf of each unit."""
    won = ticked.winner >= 0
    leaf = jnp.maximum(ticked.winner, 0)
    op = jnp.where(won, params.behaviours.leaves.op[tree, leaf], UnitOp.STAND)
    slot = params.behaviours.leaves.slot[tree, leaf][None]
    speed = params.types.speed[params.units.type]
    straight = jnp.take_along_axis(steps, jnp.minimum(slot, steps.shape[0] - 1)[..., None], axis=0)[0]
    north = jnp.stack([jnp.zeros_like(speed), speed], -1)
    move = jnp.zeros_like(state.position)
    for which, step in (
        (UnitOp.STEP, straight),
        (UnitOp.TOWARD, follow.toward),
        (UnitOp.AWAY, follow.away),
        (UnitOp.NORTH, north),
    ):
        move = jnp.where((op == which)[:, None], step, move)
    moves = (op == UnitOp.STEP) | (op == UnitOp.TOWARD) | (op == UnitOp.AWAY) | (op == UnitOp.NORTH)
    target = jnp.take_along_axis(senses.unit, jnp.minimum(slot, senses.unit.shape[0] - 1), axis=0)[0]
    attacks = op == UnitOp.ATTACK
    return Action(
        kind=jnp.where(attacks, ActionKind.ATTACK, jnp.where(moves, ActionKind.MOVE, ActionKind.STAND)),
        move=move,
        target=jnp.where(attacks, target, -1),
    )


__all__ = ["Decision", "Looked", "decide"]
