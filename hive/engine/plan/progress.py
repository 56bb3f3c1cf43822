"""Which steps are achieved, which are active, and which group commands each unit (docs/rules/plans.md 3)."""

from __future__ import annotations

import math

import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Bool, Float, Int, UInt32

from hive.engine.crews.objectives import crew_objectives_met
from hive.engine.types import ObjectiveKind, Orders, Params, Progress, State
from hive.ground.exact import square
from hive.ground.sizes import current

_LARGEST = 62_500  # square centimetres, the square of the largest radius that a scenario may set


def start(params: Params, orders: Orders, state: State) -> Progress:
    """Return the progress of plans that begin now: steps are evaluated once, before which no unit is assigned."""
    steps = orders.plan.exists.shape[0]
    fresh = Progress(
        achieved=jnp.full(steps, -1, jnp.int32),
        active=jnp.zeros(steps, bool),
        group=jnp.full(params.count, -1, jnp.int32),
    )
    return advance(params, orders, fresh, state)


def advance(params: Params, orders: Orders, progress: Progress, state: State) -> Progress:
    """Evaluate all steps in text order and assign units to groups.

    A step is achieved, permanently, when its prerequisites are achieved and its objective is met; a step achieved in
    this pass can activate a later one in the same pass. A unit in several active steps obeys the last one; a unit in
    none keeps its assignment.

    Args:
        params: Rules.
        orders: Both sides' plans.
        progress: Progress before this evaluation.
        state: The world now.

    Returns:
        Progress after the evaluation.
    """
    plan = orders.plan
    met = objectives_met(params, orders, state)

    before = jnp.tril(jnp.ones_like(plan.prerequisite), -1)  # steps evaluated earlier in this pass
    old = progress.achieved >= 0

    def ready(now: Bool[Array, " p"]) -> Bool[Array, " p"]:
        return plan.exists & (jnp.where(before, now, old) | ~plan.prerequisite).all(1)

    def grow(passed: tuple[Array, Array]) -> tuple[Array, Array]:
        now, _ = passed
        more = now | (ready(now) & met)
        return more, (more != now).any()

    achieved, _ = lax.while_loop(lambda passed: passed[1], grow, (old, jnp.bool_(True)))
    active = ready(achieved) & ~achieved
    group = progress.group
    for row in plan.member:  # in the order of steps, so that the last active one stays
        group = jnp.where((row >= 0) & active[plan.step[jnp.maximum(row, 0)]], row, group)
    return Progress(
        achieved=jnp.where(achieved & (progress.achieved < 0), state.tick, progress.achieved),
        active=active,
        group=group,
    )


def objectives_met(params: Params, orders: Orders, state: State) -> Bool[Array, " p"]:
    """`[P]` whether each step's own objective is met now, regardless of its prerequisites.

    Elimination: every listed enemy is dead. Position: every live unit of the step stands within the crowd radius of its
    target; if all are dead it is met. For crews, the target is the centre of its cell. The other kinds belong to crews
    and are never met in battles.
    """
    plan = orders.plan
    eliminated = ~(plan.foe & state.alive[None]).any(1)
    index = jnp.maximum(plan.member, 0)  # [C, N]
    bound = (plan.member >= 0) & state.alive[None]
    radius = crowd_radius(params, orders, state)[index]
    place = plan.place[plan.target].astype(jnp.float32)
    if params.crews is not None:
        place += 0.5
    east, north = (state.position[None, :, axis] - place[:, axis][index] for axis in (0, 1))
    away = bound & (square(east, north) > radius * radius)
    missing = _totals(away.astype(jnp.uint32), plan.step[index], plan.exists.size) > 0
    met = jnp.where(
        plan.objective == ObjectiveKind.ELIMINATION, eliminated, (plan.objective == ObjectiveKind.POSITION) & ~missing
    )
    return met if state.crew is None else met | crew_objectives_met(params, plan, state)


def crowd_radius(params: Params, orders: Orders, state: State) -> Float[Array, " g"]:
    """Radius of each group's target, which grows with the number of units sent there (docs/rules/plans.md 3.4).

    Returns:
        `[G]` metres: 1 + ceil(sqrt(sum of r^2)) over the live units of all groups of the step with that target.
    """
    plan = orders.plan
    groups = plan.tree.shape[0]
    # Integer sums do not depend on the order of units: square centimetres, coarser where those might overflow.
    grain = np.float32(10_000 / 2 ** max(0, math.ceil(math.log2(params.count * _LARGEST / 2**32))))
    area = jnp.round(grain * params.types.radius[params.units.type] ** 2).astype(jnp.uint32)
    area = jnp.broadcast_to(jnp.where(state.alive, area, 0), plan.member.shape)
    pool = jnp.where(plan.member >= 0, plan.pool[jnp.maximum(plan.member, 0)], groups)
    total = _totals(area, pool, groups)
    return 1 + jnp.ceil(jnp.sqrt(total.astype(jnp.float32) / grain))[plan.pool]


def _totals(value: UInt32[Array, "c n"], entry: Int[Array, "c n"], entries: int) -> UInt32[Array, " e"]:
    """Add each value to its entry of a table; entries outside the table count nowhere."""
    copies = -(-value.shape[1] // current().adders)
    copy = jnp.broadcast_to(jnp.arange(value.shape[1], dtype=jnp.int32) % copies, value.shape)
    table = jnp.zeros((entries, copies), jnp.uint32)
    return table.at[entry.reshape(-1), copy.reshape(-1)].add(value.reshape(-1), mode="drop").sum(1, dtype=jnp.uint32)
