"""Which steps are achieved, which are active, and which group commands each unit (docs/rules/plans.md 3)."""

from __future__ import annotations

import math
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Bool, Float, UInt32

from hive.engine.crews.objectives import crew_objectives_met
from hive.engine.types import ChoiceKind, ObjectiveKind, Orders, Params, Plan, Progress, State
from hive.engine.units.motion import at_gap
from hive.engine.units.senses import sees_foe
from hive.ground.exact import square
from hive.ground.flat import over_worlds
from hive.ground.sums import totals
from hive.ground.terrain import cell

_LARGEST = 62_500  # square centimetres, the square of the largest radius that a scenario may set


def fresh(params: Params, orders: Orders) -> Progress:
    """Return the progress of plans of which nothing has been evaluated: no step is active and no unit is assigned."""
    plan = orders.plan
    steps = plan.exists.shape[0]
    return Progress(
        achieved=jnp.full(steps, -1, jnp.int32),
        active=jnp.zeros(steps, bool),
        group=jnp.full(params.count, -1, jnp.int32),
        since=None if plan.figure is None else jnp.full(steps, -1, jnp.int32),
        chosen=None if plan.choice is None else jnp.zeros((plan.choice.shape[0], params.count), bool),
    )


def start(params: Params, orders: Orders, state: State) -> Progress:
    """Return the progress of plans that begin now: steps are evaluated once, before which no unit is assigned."""
    return advance(params, orders, fresh(params, orders), state)


def advance(params: Params, orders: Orders, progress: Progress, state: State) -> Progress:
    """Evaluate all steps in text order and assign units to groups.

    A step is achieved, permanently, when its prerequisites are achieved and its objective is met; a step achieved in
    this pass can activate a later one in the same pass. A unit in several active steps obeys the last one; a unit in
    none keeps its assignment. Choices of units follow the state until their step is active, and hold from then on.

    Args:
        params: Rules.
        orders: Both sides' plans.
        progress: Progress before this evaluation.
        state: The world now.

    Returns:
        Progress after the evaluation.
    """
    plan = orders.plan
    if plan.choice is not None:
        progress = progress.replace(
            chosen=choose(params, orders, progress, state, _may_begin(params, orders, progress, state))
        )
    met = objectives_met(params, orders, state, progress)

    before = np.tri(plan.exists.size, k=-1, dtype=bool)  # steps evaluated earlier in this pass
    old = progress.achieved >= 0

    def ready(now: Bool[Array, " p"]) -> Bool[Array, " p"]:
        return plan.exists & (jnp.where(before, now, old) | ~plan.prerequisite).all(1)

    def grow(passed: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        now, _, _ = passed
        may = ready(now)
        more = now | (may & met)
        return more, may, (more != now).any()

    achieved, may, _ = lax.while_loop(lambda passed: passed[2], grow, (old, old, jnp.bool_(True)))
    active = may & ~achieved  # the last turn changed nothing
    index = jnp.maximum(plan.member, 0)
    obeys = (plan.member >= 0 if plan.choice is None else members(plan, progress)) & active[plan.step[index]]
    group = progress.group
    for number in range(len(plan.member)):  # in the order of steps, so that the last active one stays
        group = jnp.where(obeys[number], plan.member[number], group)
    since = progress.since
    if since is not None:
        since = jnp.where(active & ~progress.active, state.tick, since)
    return Progress(
        achieved=jnp.where(achieved & (progress.achieved < 0), state.tick, progress.achieved),
        active=active,
        group=group,
        since=since,
        chosen=progress.chosen,
    )


def _may_begin(params: Params, orders: Orders, progress: Progress, state: State) -> Bool[Array, " p"]:
    """`[P]` steps that are not active and may become so in this pass: none waits for an active step that is not met.

    The objectives of active steps are known before units are chosen for others.
    """
    plan = orders.plan
    done = progress.achieved >= 0
    met = objectives_met(params, orders, state, progress, jnp.zeros(params.count, bool))
    may = done | met | ~progress.active
    if plan.sighting is not None:
        may |= plan.sighting
    return plan.exists & ~done & ~progress.active & (may[None] | ~plan.prerequisite).all(1)


def members(plan: Plan, progress: Progress | None) -> Bool[Array, "c n"]:
    """`[C, N]` which rows of `plan.member` count: those of groups whose choice, if any, took the unit.

    Of several such groups of one step the last one counts (docs/rules/plans.md 2.3, 3.8).
    """
    named = plan.member >= 0
    if plan.choice is None or progress is None or progress.chosen is None:
        return named
    index = jnp.maximum(plan.member, 0)
    groups, own = plan.tree.shape[0], plan.choice[:, 0]
    rows = jnp.arange(own.shape[0], dtype=jnp.int32)
    row_of = jnp.full(groups, -1, jnp.int32).at[jnp.where(own < 0, groups, own)].set(rows, mode="drop")[index]
    units = jnp.arange(plan.member.shape[1], dtype=jnp.int32)[None]
    counts = named & ((row_of < 0) | progress.chosen[jnp.maximum(row_of, 0), units])
    step, taken, kept = plan.step[index], jnp.full(plan.member.shape[1], -1, jnp.int32), []
    for here, number in zip(counts[::-1], step[::-1], strict=True):
        kept.append(here & (number != taken))
        taken = jnp.where(here, number, taken)
    return jnp.stack(kept[::-1])


def choose(
    params: Params, orders: Orders, progress: Progress, state: State, due: Bool[Array, " p"]
) -> Bool[Array, "h n"]:
    """`[H, N]` the units of each choice: now for steps that are due, else as they were (docs/rules/plans.md 3.8).

    The nearest are live units of the group in the order of their distance, and of their id where distances are equal.
    A box holds the live units in its cells.
    """
    plan, chosen = orders.plan, progress.chosen
    assert plan.choice is not None and chosen is not None
    own, kind, count, corners = plan.choice[:, 0], plan.choice[:, 1], plan.choice[:, 2], plan.choice[:, 3:]
    asked = (own >= 0) & due[plan.step[jnp.maximum(own, 0)]]
    could = (plan.member[None] == own[:, None, None]).any(1) & asked[:, None] & state.alive[None]
    place = corners[:, :2].astype(jnp.float32) + (0.0 if params.crews is None else 0.5)
    away = square(state.position[None, :, 0] - place[:, :1], state.position[None, :, 1] - place[:, 1:])
    ranks = asked & (kind == ChoiceKind.NEAREST)
    nearest = _nearest_flat((), (ranks.any(), jnp.where(could, away, jnp.inf), params.units.id, count))
    at = cell(state.position, params.terrain.size)[None]
    box = corners.reshape(-1, 1, 2, 2)
    inside = ((at >= box.min(2)) & (at <= box.max(2))).all(-1)
    fresh = could & jnp.where(ranks[:, None], nearest, inside)
    return jnp.where(asked[:, None], fresh, chosen)


def _nearest(_: Any, own: tuple[Array, ...]) -> Array:
    """`[W, H, N]` the first by distance and id of each choice; nothing is sorted if no world asks for it."""
    asked, away, unit, count = own

    def rank() -> Array:
        row = jnp.broadcast_to(jnp.arange(away.shape[2], dtype=jnp.int32)[None, None], away.shape)
        order = lax.sort((away, jnp.broadcast_to(unit[:, None], away.shape), row), dimension=2, num_keys=2)[2]
        world, choice = jnp.arange(away.shape[0])[:, None, None], jnp.arange(away.shape[1])[None, :, None]
        return jnp.zeros(away.shape, bool).at[world, choice, order].set(row < count[..., None])

    return lax.cond(asked.any(), rank, lambda: jnp.zeros(away.shape, bool))


_nearest_flat = over_worlds(_nearest)


def objectives_met(
    params: Params,
    orders: Orders,
    state: State,
    progress: Progress | None = None,
    sees: Bool[Array, " n"] | None = None,
) -> Bool[Array, " p"]:
    """`[P]` whether each step's own objective is met now, regardless of its prerequisites.

    Elimination: every listed enemy is dead. Position: every live unit of the step stands within the crowd radius of its
    target, or behind a group that has come, at its gap; if all are dead it is met. For crews, the target is the centre
    of its cell. Arrival: the given share of them does, and at least one. Time: the step has been active for so many
    ticks. Losses: the given share of the step's units, or of the other side's, is dead. Sighted: a live unit of the
    step sees a live enemy. The other kinds belong to crews and are never met in battles.

    Args:
        params: Rules.
        orders: Both sides' plans.
        state: The world now.
        progress: Since when steps are active, and which units are chosen; None: no step is, and all are.
        sees: Which units see an enemy, if that is known.
    """
    plan = orders.plan
    eliminated = ~(plan.foe & state.alive[None]).any(1)
    index = jnp.maximum(plan.member, 0)  # [C, N]
    listed = members(plan, progress)
    bound = listed & state.alive[None]
    radius = crowd_radius(params, orders, state, progress)[index]
    place = plan.place[plan.target].astype(jnp.float32)
    if params.crews is not None:
        place += 0.5
    east, north = (state.position[None, :, axis] - place[:, axis][index] for axis in (0, 1))
    away = bound & (square(east, north) > radius * radius)
    if plan.behind is not None:
        away = _not_near(params, orders, state, bound, away, radius)

    def total(which: Bool[Array, "c n"]) -> UInt32[Array, " p"]:
        return totals(which.astype(jnp.uint32), plan.step[index], plan.exists.size)

    far = total(away)
    missing = far > 0
    met = jnp.where(
        plan.objective == ObjectiveKind.ELIMINATION, eliminated, (plan.objective == ObjectiveKind.POSITION) & ~missing
    )
    if plan.figure is not None:
        share = plan.figure.astype(jnp.uint32)
        live, all_units = total(bound), total(listed)
        arrived = (live == 0) | (100 * (live - far) >= jnp.maximum(share * live, 1))
        foes = params.units.side[None] == 1 - orders.owner[:, None]
        dead = 100 * (foes & ~state.alive[None]).sum(1, dtype=jnp.uint32)
        for kind, answer in (
            (ObjectiveKind.ARRIVAL, arrived),
            (ObjectiveKind.LOSSES, 100 * (all_units - live) >= share * all_units),
            (ObjectiveKind.ENEMY_LOSSES, dead >= share * foes.sum(1, dtype=jnp.uint32)),
        ):
            met |= (plan.objective == kind) & answer
        if progress is not None and progress.since is not None:
            passed = (progress.since >= 0) & (state.tick - progress.since >= plan.figure)
            met |= (plan.objective == ObjectiveKind.TIME) & passed
    if plan.sighting is not None:
        done = jnp.zeros(plan.exists.shape, bool) if progress is None else progress.achieved >= 0
        asked = plan.sighting & plan.exists & ~done
        if sees is None:
            may = (done | met | asked)[None] | ~plan.prerequisite  # others cannot be achieved in this pass
            sees = sees_foe(params, state, (asked & may.all(1)).any())
        met |= asked & (total(bound & sees[None]) > 0)
    return met if state.crew is None else met | crew_objectives_met(params, plan, state)


def _not_near(
    params: Params,
    orders: Orders,
    state: State,
    bound: Bool[Array, "c n"],
    away: Bool[Array, "c n"],
    radius: Float[Array, "c n"],
) -> Bool[Array, "c n"]:
    """`[C, N]` which units are `away` from their targets and not at their gap either (docs/rules/plans.md 3.10).

    At its gap is who is within the gap and the crowd radius of a group ahead, at least half of whose live units are
    near.
    """
    plan = orders.plan
    assert plan.behind is not None
    groups, index = plan.tree.shape[0], jnp.maximum(plan.member, 0)
    close = bound & at_gap(params, orders, state, index, bound, plan.behind[index, 1] + radius.astype(jnp.int32))
    ahead, entry = jnp.maximum(plan.behind[index, 0], 0), jnp.where(bound, index, groups)

    def arrive(passed: tuple[Array, Array]) -> tuple[Array, Array]:
        still, _ = passed
        far, live = (totals(each.astype(jnp.uint32), entry, groups) for each in (still, bound))
        less = still & ~(close & (2 * far <= live)[ahead])
        return less, (less != still).any()

    return lax.while_loop(lambda passed: passed[1], arrive, (away, jnp.bool_(True)))[0]


def crowd_radius(params: Params, orders: Orders, state: State, progress: Progress | None = None) -> Float[Array, " g"]:
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
    pool = jnp.where(members(plan, progress), plan.pool[jnp.maximum(plan.member, 0)], groups)
    total = totals(area, pool, groups)
    return 1 + jnp.ceil(jnp.sqrt(total.astype(jnp.float32) / grain))[plan.pool]
