"""The orders of a plan with what they cost, for people and for the prompts of language agents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from graphlib import TopologicalSorter

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from dsl import UserError
from dsl.formatter import format_behaviour, format_chosen, format_target
from dsl.nodes import Group, Step
from hive.engine.plan.arrays import make_orders
from hive.engine.spawning import reset
from hive.engine.types import Params, Plan, State
from hive.engine.world import EngineWorld
from hive.rl.exploring import check_units, columns
from hive.rl.order_features import members, order_features
from hive.rl.utility import OrderUtility


@dataclass(frozen=True)
class Cost:
    """An order of a plan and its cost.

    Attributes:
        step: Number of its step.
        order: The order in words: the units, the behaviour and the target.
        ticks: Estimated ticks from the start of its step until its living units stand at the target; None if the
            behaviour was not learned, or none of the units is alive.
        by: The same from the state that was asked about, when the steps that it waits for take as long as their orders.
            None if a cost before it is not known.
    """

    step: int
    order: str
    ticks: float | None
    by: float | None

    def __str__(self) -> str:
        """The order with its cost, on one line."""
        if self.ticks is None:
            return f"step {self.step}: {self.order}, for an unknown time"
        return f"step {self.step}: {self.order}, in about {self.ticks:.0f} ticks"


def annotate(
    utility: OrderUtility, world: EngineWorld, plan: Plan, state: State | None = None, *, seed: int = 0
) -> list[Cost]:
    """Estimate how long each order of the player's plan takes.

    The orders of a step without prerequisites are judged in the given state. For any other step, the units that its
    prerequisites name are taken to stand at the targets that those had.

    Args:
        utility: Learned costs.
        world: The battle.
        plan: From `hive.read_plan` for this world.
        state: The state to judge in; None: the start of the game with `seed`.
        seed: Of that start.

    Returns:
        One cost for each group, in the order of the plan.

    Raises:
        UserError: The world is no battle, the plan does not hold its own text, or the learned costs are those of other
            features.
    """
    check_units(world)
    if plan.source is None:
        raise UserError("this plan has no text\n  = help: read it with hive.read_plan")
    params, steps = world.params, plan.source.steps
    now = reset(params, jax.random.key(seed)) if state is None else state
    groups = [(step, group) for step in steps for group in step.groups]
    if not groups:
        return []
    number = {step.id: place for place, step in enumerate(steps)}
    column = jax.device_put(columns(world, utility.behaviours))
    named = np.asarray(_named(params, plan, now))
    starts = _starts(plan, named, np.asarray(now.position))
    at = jnp.asarray(np.stack([starts[step.id] for step in steps]))
    features, alive = jax.device_get(_features(params, plan, now, at, column, len(utility.behaviours)))
    if features.shape[-1] != len(utility.centre):
        raise UserError(
            f"these costs were learned from {len(utility.centre)} numbers, not {features.shape[-1]}\n"
            "  = help: learn the costs again"
        )
    rows = np.array([features[number[step.id], index] for index, (step, _) in enumerate(groups)])
    known = [group.behaviour in utility.behaviours and bool(alive[index]) for index, (_, group) in enumerate(groups)]
    ticks = [float(each) if sure else None for each, sure in zip(utility.ticks(rows), known, strict=True)]
    ends: dict[int, float | None] = {}
    begins: dict[int, float | None] = {}
    for each in TopologicalSorter({step.id: step.prerequisites for step in steps}).static_order():
        step = steps[number[each]]
        begins[each] = _latest([ends[before] for before in step.prerequisites])
        own = [ticks[index] for index, (owner, _) in enumerate(groups) if owner is step]
        ends[each] = _sum(begins[each], _latest(own))
    return [
        Cost(
            step.id,
            _order_words(step, group),
            ticks[index],
            _sum(begins[step.id], ticks[index]),
        )
        for index, (step, group) in enumerate(groups)
    ]


def _order_words(step: Step, group: Group) -> str:
    to = "" if group.behind else "to "
    return f"{format_chosen(group)} {format_behaviour(group)} {to}{format_target(group, step)}"


def _latest(times: list[float | None]) -> float | None:
    return None if None in times else max((time for time in times if time is not None), default=0.0)


def _sum(first: float | None, second: float | None) -> float | None:
    return None if first is None or second is None else first + second


def _starts(
    plan: Plan, named: Bool[np.ndarray, "g n"], position: Float[np.ndarray, "n 2"]
) -> Mapping[int, Float[np.ndarray, "n 2"]]:
    """Where the units stand when each step begins, if the orders before it have been fulfilled."""
    assert plan.source is not None
    steps = {step.id: step for step in plan.source.steps}
    index = {id(group): place for place, group in enumerate(g for step in steps.values() for g in step.groups)}
    begun: dict[int, np.ndarray] = {}
    ended: dict[int, np.ndarray] = {}
    for each in TopologicalSorter({number: step.prerequisites for number, step in steps.items()}).static_order():
        here = position.copy()
        for before in steps[each].prerequisites:
            moved = (ended[before] != position).any(1)
            here[moved] = ended[before][moved]
        begun[each] = here
        ended[each] = here.copy()
        for group in steps[each].groups:
            ended[each][named[index[id(group)]]] = group.target
    return begun


@jax.jit
def _named(params: Params, plan: Plan, state: State) -> Bool[Array, "g n"]:
    orders = make_orders(params, plan)
    return members(params, orders, state)[: plan.tree.shape[0]]


@partial(jax.jit, static_argnums=5)
def _features(
    params: Params, plan: Plan, state: State, at: Float[Array, "p n 2"], column: Int[Array, " t"], behaviours: int
) -> tuple[Float[Array, "p g f"], Bool[Array, " g"]]:
    """Features of all groups in each of several hypothetical states, and whether a group has a living unit."""
    orders, groups = make_orders(params, plan), plan.tree.shape[0]

    def seen(position: Float[Array, "n 2"]) -> Float[Array, "g f"]:
        return order_features(params, orders, state.replace(position=position), column, behaviours)[:groups]

    return jax.vmap(seen)(at), members(params, orders, state)[:groups].any(1)
