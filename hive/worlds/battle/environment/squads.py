"""Squads and the orders that they can be given, as arrays (docs/rules/learning.md 11).

A squad is a group of the engine's orders whose tree, target types and target are replaced by each choice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jaxtyping import Array, Bool, Float, Int

import dsl
from dsl import UserError
from dsl.wording import listing
from hive.engine.behaviours.tables import ANY_TYPE, Behaviours
from hive.engine.plan.arrays import compile_plan
from hive.engine.types import PLAYER, Orders, Params, Plan, State
from hive.engine.units.leaves import UNIT_TYPES, UnitOp
from hive.ground.exact import divided, rounded
from hive.kit.environment.compass import COMPASS, DIRECTION_NAMES
from hive.kit.environment.env import available
from hive.worlds.battle.environment.missions import Mission, mission_of
from hive.worlds.battle.environment.team import ENDLESS, goal_of, turn_of
from hive.worlds.battle.world import Battle

KEEP = 0  # the choice that changes nothing
HERE, FIRST_WAY, WAYS, GOAL = 0, 1, 8, 9  # waypoints: here, eight directions from east anticlockwise, the goal
_WAY_NAMES = ("here", *DIRECTION_NAMES, "goal")
_SIGNS = COMPASS.round().astype(np.int32)  # one place of the grid
STAND_TREE = "stand"


@dataclass(frozen=True)
class SquadChoice:
    """A choice in words.

    Attributes:
        behaviour: Name of the tree; None for the choice that keeps the last order.
        way: Name of the waypoint; None where the tree reads none.
        types: The target types; empty where the tree reads none.
    """

    behaviour: str | None
    way: str | None = None
    types: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return it in one line."""
        if self.behaviour is None:
            return "keep the order"
        return " ".join([self.behaviour, *self.types, *([f"toward {self.way}"] if self.way else [])])


class ChoiceTable(struct.PyTreeNode, kw_only=True):
    """What each choice orders; the row of `KEEP` is not read."""

    tree: Int[Array, " c"]
    way: Int[Array, " c"]
    types: Int[Array, " c"]  # target types as bits


class Squads(struct.PyTreeNode, kw_only=True):
    """The squads of one side.

    Attributes:
        member: `[A, N]` by row: the units of each squad, all of one type.
        kind: `[A]` their type.
        table: The orders that a squad can be given.
        goal: `[2]` metres; see `hive.worlds.battle.environment.team.goal_of`.
        turn: `[2]` signs of the axes; see `hive.worlds.battle.environment.team.turn_of`.
        place: Index of the first waypoint in the joined orders.
        mission: What the side is asked to do; None: observations do not say it.
        side: PLAYER or ENEMY.
        foes: Unit types of the other side that it can see; all where squads are general.
        rows: What each choice orders, in words.
        group: Index of the first squad's group in the joined orders.
        grid: Waypoints along a side of the map; the last one of all is the goal.
    """

    member: Bool[Array, "a n"]
    kind: Int[Array, " a"]
    table: ChoiceTable
    goal: Float[Array, " 2"]
    turn: Float[Array, " 2"]
    place: Int[Array, ""]
    mission: Mission | None = None
    side: int = struct.field(pytree_node=False)
    foes: tuple[int, ...] = struct.field(pytree_node=False)
    rows: tuple[SquadChoice, ...] = struct.field(pytree_node=False)
    group: int = struct.field(pytree_node=False, default=0)
    grid: int = struct.field(pytree_node=False)


class SquadOrders(struct.PyTreeNode, kw_only=True):
    """The order that each squad follows."""

    tree: Int[Array, " a"]
    types: Int[Array, " a"]
    target: Int[Array, " a"]  # index of a waypoint


def choices(world: Battle, behaviours: Sequence[str], tables: Behaviours, targets: Sequence[str]) -> list[SquadChoice]:
    """Return all choices of a squad in their order: `KEEP`, then by tree, target types and waypoint.

    A tree that reads no target gets no waypoint, and one that reads no target types gets none.

    Args:
        world: The battle.
        behaviours: Trees that may be ordered.
        tables: Their tables, in the order of `trees_of(world)`.
        targets: Unit types that squads can be told to attack alone; one type is no choice.
    """
    single = [(name,) for name in targets] if len(targets) > 1 else []
    rows = [SquadChoice(None)]
    for name in behaviours:
        at = trees_of(world).index(name)
        walks = np.isin(np.asarray(tables.leaves.op[at]), (UnitOp.TOWARD, UnitOp.AWAY)).any()
        aims = np.asarray(tables.senses.written[at]).any()
        for types in (("any",), *single) if aims else ((),):
            rows += [SquadChoice(name, way, types) for way in (_WAY_NAMES if walks else (None,))]
    return rows


def trees_of(world: Battle) -> tuple[str, ...]:
    """Return the names of all trees of a world whose squads are ordered: those of its file, and one that stands."""
    return tuple(dict.fromkeys((*world.listed, STAND_TREE)))


def make_squads(
    world: Battle,
    tables: Behaviours,
    side: int,
    parts: int,
    stride: float,
    behaviours: Sequence[str] | None = None,
    *,
    general: bool = False,
) -> tuple[Squads, Plan]:
    """Divide a side into squads, and return the plan whose groups they are.

    Args:
        world: The battle.
        tables: The tables of `trees_of(world)`.
        side: PLAYER or ENEMY.
        parts: Squads of each group of units of the scenario; each has consecutive ids and nearly equal size.
        stride: Metres between two waypoints of the grid, about.
        behaviours: Trees that may be ordered; None: those that the scenario gives the side, and `stand`.
        general: Whether orders and observations mean the same in every battle: targets are of any type, those that are
            seen may be of each, and squads are told what their side is asked to do.

    Raises:
        UserError: A group has fewer units than parts, or a behaviour is none of the side's.
    """
    chosen = _orderable(world, side, behaviours)
    bounds, kinds = _divided(world, side, parts)
    grid = max(1, round(world.scenario.map.size / stride))
    foes = tuple(dict.fromkeys(group.type for group in world.side(1 - side).units))
    rows = choices(world, chosen, tables, () if general else foes)
    goal = goal_of(world, side)
    columns: Any = (
        _members(world, side, bounds),
        np.array(kinds, np.int32),
        np.array([trees_of(world).index(row.behaviour or STAND_TREE) for row in rows], np.int32),
        np.array([_WAY_NAMES.index(row.way or "here") for row in rows], np.int32),
        np.array([_bits(row.types) for row in rows], np.int32),
        _waypoints(world, grid, np.asarray(goal)),
        np.zeros((), np.int32),
    )
    member, kind, tree, way, types, place, first_place = jax.device_put(columns)
    squads = Squads(
        member=member,
        kind=kind,
        table=ChoiceTable(tree=tree, way=way, types=types),
        goal=goal,
        turn=turn_of(world, side),
        place=first_place,
        mission=mission_of(world, side) if general else None,
        side=side,
        foes=tuple(map(UNIT_TYPES.index, UNIT_TYPES if general else foes)),
        rows=tuple(rows),
        grid=grid,
    )
    plan = compile_plan(_standing(bounds), side, world.sizes, trees_of(world))
    return squads, plan.replace(place=place, source=None)


def _orderable(world: Battle, side: int, behaviours: Sequence[str] | None) -> tuple[str, ...]:
    """Return the trees that squads of a side may be ordered: the given ones, or all that it has and `stand`.

    Raises:
        UserError: One of them is none of the side's.
    """
    own = tuple(dict.fromkeys((*world.side(side).behaviours, STAND_TREE)))
    chosen = own if behaviours is None else tuple(behaviours)
    for name in chosen:
        if name not in own:
            raise UserError(f"a squad cannot be ordered `{name}`\n  = help: its trees are {listing(list(own), 'and')}")
    return chosen


def _divided(world: Battle, side: int, parts: int) -> tuple[list[tuple[int, int]], list[int]]:
    """Return the squads of a side: the first id of each and the one after its last, counted within the side, and types.

    Raises:
        UserError: A group has fewer units than parts.
    """
    bounds: list[tuple[int, int]] = []
    kinds: list[int] = []
    first = 0
    for group in world.side(side).units:
        if group.count < parts:
            raise UserError(
                f"{group.count} {group.type} are too few for {parts} squads\n"
                "  = help: ask for fewer squads or for more units"
            )
        edges = [first + group.count * part // parts for part in range(parts + 1)]
        bounds += list(pairwise(edges))
        kinds += [UNIT_TYPES.index(group.type)] * parts
        first += group.count
    return bounds, kinds


def _members(world: Battle, side: int, bounds: Sequence[tuple[int, int]]) -> Bool[np.ndarray, "a n"]:
    """Return by row which units belong to each squad."""
    units = world.params.units
    identity = np.asarray(units.id) - (0 if side == PLAYER else world.sizes[0])
    mine = np.asarray(units.side) == side
    return np.array([mine & (identity >= low) & (identity < high) for low, high in bounds])


def _waypoints(world: Battle, grid: int, goal: Float[np.ndarray, " 2"]) -> Int[np.ndarray, "d 2"]:
    """Return the cells of all waypoints: the middles of a grid over the map, and last the goal."""
    size = world.scenario.map.size
    cell = np.clip(goal.astype(np.int32), 0, size - 1)
    centres = (((np.arange(grid) + 0.5) * size) / grid).astype(np.int32)
    places = np.concatenate([np.stack(np.meshgrid(centres, centres, indexing="ij"), -1).reshape(-1, 2), cell[None]])
    return places.astype(np.int32)


def _standing(bounds: Sequence[tuple[int, int]]) -> dsl.PlanSyntax:
    """Return a plan without an end whose groups are the squads, in which all of them stand."""
    groups = tuple(dsl.Group(dsl.UnitList((dsl.UnitSlice(low, high),)), (0, 0), STAND_TREE, ()) for low, high in bounds)
    step = ENDLESS.steps[0]
    return dsl.PlanSyntax((dsl.Step(step.id, (), step.objective, groups),))


def first_order(squads: Squads) -> SquadOrders:
    """Return the order at the start of a game: all squads stand."""
    count = squads.kind.shape[0]
    return SquadOrders(
        tree=jnp.broadcast_to(squads.table.tree[KEEP], count),
        types=jnp.full(count, ANY_TYPE, jnp.int32),
        target=jnp.full(count, squads.grid**2, jnp.int32),
    )


def choose(params: Params, squads: Squads, state: State, order: SquadOrders, actions: Int[Array, " a"]) -> SquadOrders:
    """Return the orders after a choice of each squad; a squad without a living unit keeps its order.

    Args:
        params: The battle.
        squads: One side's squads.
        state: The state in which they choose: waypoints are counted from the middle of a squad.
        order: The orders so far.
        actions: `[A]` rows of the table; a number that is none keeps the order.
    """
    table, size = squads.table, params.terrain.size
    alive = (squads.member & state.alive[None]).any(1)
    options = jnp.broadcast_to(alive[:, None], (alive.shape[0], table.tree.shape[0]))
    actions = jnp.where(available(options, actions), actions, KEEP)
    at = jnp.clip((rounded(middles(params, squads, state) * squads.grid) / size).astype(jnp.int32), 0, squads.grid - 1)
    way = table.way[actions]
    sign = jnp.asarray(_SIGNS)[jnp.clip(way - FIRST_WAY, 0, WAYS - 1)] * squads.turn.astype(jnp.int32)[None]
    moves = (way >= FIRST_WAY) & (way < GOAL)
    there = jnp.clip(at + jnp.where(moves[:, None], sign, 0), 0, squads.grid - 1)
    target = jnp.where(way == GOAL, squads.grid**2, there[:, 0] * squads.grid + there[:, 1])
    new = SquadOrders(tree=table.tree[actions], types=table.types[actions], target=target)
    return jax.tree.map(lambda chosen, old: jnp.where(actions == KEEP, old, chosen), new, order)


def command(squads: Squads, orders: Orders, order: SquadOrders) -> Orders:
    """Return the engine's orders with those of the squads."""
    plan, at = orders.plan, slice(squads.group, squads.group + squads.kind.shape[0])
    return orders.replace(
        plan=plan.replace(
            tree=plan.tree.at[at].set(order.tree),
            types=plan.types.at[at].set(order.types),
            target=plan.target.at[at].set(order.target + squads.place),
        )
    )


def middles(params: Params, squads: Squads, state: State) -> Float[Array, "a 2"]:
    """Mean position of the living units of each squad, metres; 0 where there is none."""
    return mean(params, squads.member & state.alive[None], state.position)


def mean(params: Params, chosen: Bool[Array, "a n"], places: Float[Array, "n 2"]) -> Float[Array, "a 2"]:
    """Mean of the places of the chosen units, 0 where there is none; summed as integers, which no order changes."""
    grain = np.float32(2.0 ** min(8, 30 - int(np.ceil(np.log2(params.terrain.size * params.count)))))
    whole = jnp.round(places * grain).astype(jnp.int32)
    total = jnp.where(chosen[..., None], whole[None], 0).sum(1).astype(jnp.float32) / grain
    return divided(total, jnp.maximum(chosen.sum(1), 1).astype(jnp.float32))


def _bits(types: tuple[str, ...]) -> int:
    return ANY_TYPE if types in ((), ("any",)) else sum(1 << UNIT_TYPES.index(name) for name in types)
