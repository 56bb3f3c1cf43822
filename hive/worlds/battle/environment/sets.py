"""A set of drawn battles as one environment (docs/rules/learning.md 17): each game is of the battle that its key draws.

Its agents are units, or squads that are given orders. Maps, armies, missions and the enemy's plans are rows of tables,
as in `hive.engine.batch.tables`, so that one program plays all battles. A game is that of the environment of its
battle, in arrays that have room for the largest one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jaxtyping import Array, Float, Int, Key

from dsl import UserError
from dsl.wording import listing
from hive.engine.batch.mixed import Company, Entry, Shape, Tier, program_of
from hive.engine.batch.tables import battle_of, lane_orders, orders_of_rows
from hive.engine.types import ENEMY, PLAYER, Orders, Params, Plan
from hive.kit.environment.around import AroundEnv
from hive.kit.environment.env import Env, EnvState, LearnerView, TimeStep, stack
from hive.kit.environment.rivals import Rival
from hive.worlds.battle.drawn.sets import BattleSet
from hive.worlds.battle.environment.orders import OrdersEnv, check_orders, with_their_trees
from hive.worlds.battle.environment.squads import Squads, make_squads
from hive.worlds.battle.environment.team import no_plan
from hive.worlds.battle.environment.units import BattleEnv, Troop, check_nearest, troop_of
from hive.worlds.battle.world import Battle

if TYPE_CHECKING:
    from hive.kit.keep.recording import Recording

_DRAW = 0x53455453  # folded into the key of a game; the engine folds in ticks alone
_LEAST = Shape(steps=1, groups=1, memberships=1, places=1, extras=())  # the learner's side has no plan


@dataclass(frozen=True)
class LoadedSet:
    """A set with its battles.

    Attributes:
        found: The set.
        battles: Its battles in their order.
    """

    found: BattleSet
    battles: tuple[Battle, ...]


class BattleSetEnv(AroundEnv["BattleSetState"], kw_only=True):
    """A set of battles; each game is of one of them.

    Attributes:
        tables: The environment of a battle, with an axis of battles: in the fields `OF_BATTLE` of its parameters, in
            its fields `of_battle`, and in its orders, which are those of `orders_of_rows`; see
            `hive.engine.batch.tables`.
        agents: Units or squads of the player's side in the battle where they are most.
        names: Of the battles.
    """

    tables: BattleEnv | OrdersEnv
    agents: int = struct.field(pytree_node=False)
    names: tuple[str, ...] = struct.field(pytree_node=False)

    @property
    def num_agents(self) -> int:
        """Those of the battle where they are most; in the others, agents behind their last one are dead."""
        return self.agents

    @property
    def inside(self) -> Env:
        """The environment of a battle, whose actions and observations are the same in all of them."""
        return self.tables

    @property
    def variants(self) -> tuple[str, ...]:
        """Names of the battles."""
        return self.names

    def variant(self, key: Key[Array, ""]) -> Int[Array, ""]:
        """Return the number of the battle that the game with this key is of; each has the same chance."""
        return jax.random.randint(jax.random.fold_in(key, _DRAW), (), 0, len(self.names))

    def of(self, battle: Int[Array, ""]) -> Env:
        """Return the environment of one battle."""
        tables = self.tables
        own = {name: jax.tree.map(lambda leaf: leaf[battle], getattr(tables, name)) for name in tables.of_battle}
        params, orders = battle_of(tables.params, battle), lane_orders(tables.orders, battle, battle)
        return tables.replace(params=params, orders=orders, **own)

    def reset(self, key: Key[Array, ""]) -> tuple[BattleSetState, LearnerView]:
        """Begin a game of the battle that the key draws."""
        battle = self.variant(key)
        game, view = self.of(battle).reset(key)
        return BattleSetState(battle=battle, game=game), view

    def step(self, state: BattleSetState, actions: Int[Array, " n"]) -> tuple[BattleSetState, TimeStep]:
        """Play one step; see `BattleEnv.step` and `OrdersEnv.step`."""
        game, timestep = self.of(state.battle).step(state.game, actions)
        return state.replace(game=game), timestep

    def global_state(self, state: BattleSetState) -> Float[Array, " g"]:
        """Return the global state for critics; see `BattleEnv.global_state`."""
        return self.of(state.battle).global_state(state.game)

    def record(
        self, world: LoadedSet, states: BattleSetState, actions: Int[Array, "t n"], steps: int, title: str
    ) -> Recording:
        """Return a game that was played as a recording."""
        battle = int(np.asarray(states.battle).flat[0])
        return self.of(jnp.int32(battle)).record(world.battles[battle], states.game, actions, steps, title)

    def against(self, rival: Rival) -> BattleSetEnv:
        """Return the environment with policies that move the enemy's units.

        Raises:
            UserError: The agents are squads.
        """
        if isinstance(self.tables, OrdersEnv):
            raise UserError(
                "self-play is not for sets of battles whose squads are given orders\n"
                "  = help: train with --algorithm ippo, or on one battle"
            )
        return self.replace(tables=self.tables.against(rival))


class BattleSetState(struct.PyTreeNode, kw_only=True):
    """The battle of a game, and its state there."""

    battle: Int[Array, ""]
    game: EnvState  # of `BattleEnv` or `OrdersEnv`


def make_set_env(loaded: LoadedSet, *, nearest: int = 5, sparse: bool = False, mission: bool = True) -> BattleSetEnv:
    """Return the environment of a set of battles.

    Args:
        loaded: The set; its maps have one side.
        nearest: Units of each side that an observation lists, 1 to 32.
        sparse: Whether only the end of a game is rewarded, with 1 for a win.
        mission: Whether observations also say what the side is asked to do; those of most single battles do not.

    Raises:
        UserError: The maps have different sides, or `nearest` is out of range.
    """
    check_nearest(nearest)
    worlds, tier = loaded.battles, _tier(loaded)
    params, orders, _ = _tables(tier, [Entry(world, no_plan(world, PLAYER), [0]) for world in worlds])
    own, theirs = (
        _stack([troop_of(world, side, mission=mission) for world in worlds], tier.units) for side in (PLAYER, ENEMY)
    )
    stacked = BattleEnv(
        params=params,
        orders=orders,
        own=own,
        theirs=theirs,
        limit=max(world.limit for world in worlds),
        nearest=nearest,
        sparse=sparse,
    )
    return BattleSetEnv(tables=stacked, agents=own.rows.shape[1], names=tuple(world.name for world in worlds))


def make_set_orders_env(
    loaded: LoadedSet,
    *,
    parts: int = 1,
    every: int = 5,
    stride: float = 8.0,
    behaviours: Sequence[str] | None = None,
    nearest: int = 3,
    sparse: bool = False,
) -> BattleSetEnv:
    """Return the environment of a set of battles whose squads are given orders.

    Args:
        loaded: The set; its maps have one side.
        parts: As in `make_orders_env`, like all that follow.
        every: Likewise.
        stride: Likewise.
        behaviours: Likewise.
        nearest: Likewise.
        sparse: Likewise.

    Raises:
        UserError: The maps have different sides, squads would have other orders in some battles, or a number is out of
            range.
    """
    check_orders(parts=parts, every=every, nearest=nearest, stride=stride)
    worlds, tier = loaded.battles, _tier(loaded)
    trees, plans = with_their_trees(worlds, [world.params.enemy for world in worlds])
    made = [make_squads(world, trees, PLAYER, parts, stride, behaviours, general=True) for world in worlds]
    if len({squads.rows for squads, _ in made}) > 1:
        raise UserError(
            f"squads have other orders in some battles of {loaded.found.name}\n"
            "  = help: name `behaviours` that all battles give the player"
        )
    entries = [Entry(world, own, [0], enemy=plan) for world, (_, own), plan in zip(worlds, made, plans, strict=True)]
    params, orders, targets = _tables(tier, entries, np.stack([np.asarray(own.place) for _, own in made]))
    squads = _stack_squads([squads for squads, _ in made], tier.units, targets)
    stacked = OrdersEnv(
        params=params.replace(behaviours=trees),
        orders=orders,
        squads=squads,
        limit=max(world.limit for world in worlds),
        every=every,
        nearest=nearest,
        sparse=sparse,
    )
    return BattleSetEnv(tables=stacked, agents=squads.kind.shape[1], names=tuple(world.name for world in worlds))


def _tables(
    tier: Tier, entries: Sequence[Entry], place: Int[np.ndarray, "w p 2"] | None = None
) -> tuple[Params, Orders, int]:
    """Return the parameters and the orders of all battles, and how many targets each has in the bank of distance maps.

    Args:
        tier: That of the battles.
        entries: One of each.
        place: The targets of the player in each, where they are not those of its plan.

    Raises:
        UserError: The armies are too large, and too different, for one program.
    """
    try:
        tables: Any = Company(entries, tier, _LEAST).tables()
    except ValueError as error:
        raise UserError(
            f"these battles cannot be one environment: {error}\n"
            "  = help: ask for fewer units, or name a single battle of the set"
        ) from None
    plan: Plan = tables.plan
    if place is not None:
        cover = None if plan.cover is None else np.zeros(place.shape[:2], bool)
        plan = plan.replace(place=place, cover=cover)
    tables = jax.device_put(tables.replace(plan=plan))
    targets = plan.place.shape[1] + tables.params.enemy.place.shape[1]
    orders: Any = jax.jit(orders_of_rows)(tables)
    return tables.params.replace(enemy=None), orders, targets


def _stack_squads(squads: Sequence[Squads], units: int, targets: int) -> Squads:
    """Return the squads of all battles, with squads without units behind the last one.

    Args:
        squads: Those of each battle.
        units: Rows of units.
        targets: Targets of a battle in the bank of distance maps.
    """
    most = max(each.kind.shape[0] for each in squads)
    even = []
    for battle, each in enumerate(squads):
        more = most - each.kind.shape[0]
        member = np.pad(np.asarray(each.member), ((0, more), (0, units - each.member.shape[1])))
        kind = np.pad(np.asarray(each.kind), (0, more))
        even.append(each.replace(member=member, kind=kind, place=np.int32(battle * targets)))
    stacked: Squads = jax.device_put(stack(even))
    return stacked


def _tier(loaded: LoadedSet) -> Tier:
    """Return the tier that holds all battles of a set."""
    programs = [program_of(world) for world in loaded.battles]
    tiers, digests = [tier for tier, _ in programs], {digest for _, digest in programs}
    sides = sorted({tier.side for tier in tiers})
    if len(sides) > 1:
        raise UserError(
            f"the maps of {loaded.found.name} have sides of {listing(phrases=map(str, sides), joint='and')} m, and "
            "learners play battles on maps of one size\n"
            "  = help: `hive draw --set SET` prints the size of each map; make a set of those of one size"
        )
    assert len(digests) == 1, "drawn battles have the same unit types and trees"
    return Tier(
        side=sides[0],
        units=max(tier.units for tier in tiers),
        boxes=max(tier.boxes for tier in tiers),
        cells=max(tier.cells for tier in tiers),
    )


def _stack(troops: Sequence[Troop], units: int) -> Troop:
    """Return the troops of all battles, with rows behind the last of `units` for agents that only fill the capacity."""
    most = max(troop.rows.shape[0] for troop in troops)
    rows = [np.pad(troop.rows, (0, most - troop.rows.shape[0]), constant_values=units) for troop in troops]
    even = [troop.replace(rows=each) for troop, each in zip(troops, rows, strict=True)]
    stacked: Troop = jax.device_put(stack(even))
    return stacked
