"""A battle whose agents are squads (docs/rules/learning.md 11): a step is one order of each, and some ticks."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import chain, groupby
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import lax
from jaxtyping import Array, Float, Int, Key

from dsl import UserError
from hive.engine.behaviours.tables import Behaviours
from hive.engine.deciding import Decision
from hive.engine.episode import Game, begin, tick
from hive.engine.plan.arrays import make_orders
from hive.engine.reading import read_behaviours
from hive.engine.types import ENEMY, PLAYER, Action, Orders, Outcome, Params, Plan, State
from hive.kit.environment.checks import check_world, is_whole
from hive.kit.environment.env import Env, LearnerView, TimeStep
from hive.kit.environment.rivals import Rival, RivalSeat
from hive.worlds.battle.environment.missions import state_of_missions
from hive.worlds.battle.environment.observation import global_state
from hive.worlds.battle.environment.recording import gather
from hive.worlds.battle.environment.scoring import reward, score, terminated, truncated, won
from hive.worlds.battle.environment.squads import (
    SquadOrders,
    Squads,
    choose,
    command,
    first_order,
    make_squads,
    trees_of,
)
from hive.worlds.battle.environment.survey import features_of, survey
from hive.worlds.battle.environment.team import no_plan
from hive.worlds.battle.recording import BattleRecording
from hive.worlds.battle.world import Battle

Tree = Any


class OrdersEnv(Env["OrdersEnvState"], kw_only=True):
    """A battle in which a learner orders the squads of one side, and a plan or policies command the other.

    Attributes:
        params: The battle.
        orders: Both sides' plans; the groups of squads are rewritten at each step.
        squads: Those of the learner.
        rival: Policies that order the squads of the other side; None: it follows its plan, or stands.
        theirs: Its squads; None: it follows its plan.
        facing: The same battle with squads on both sides, for a rival.
        alone: Why there is none; None: there is one, or this is it.
        limit: Most ticks of a game.
        every: Ticks of a step.
        nearest: Other squads that an observation lists.
        sparse: Whether only the end of a game is rewarded.
    """

    of_battle: ClassVar[tuple[str, ...]] = ("squads",)  # where the battles of a set differ, besides `params`

    params: Params
    orders: Orders
    squads: Squads
    rival: Rival | None = None
    theirs: Squads | None = None
    facing: OrdersEnv | None = None
    alone: str | None = struct.field(pytree_node=False, default=None)
    limit: int = struct.field(pytree_node=False)
    every: int = struct.field(pytree_node=False, default=5)
    nearest: int = struct.field(pytree_node=False, default=3)
    sparse: bool = struct.field(pytree_node=False, default=False)

    @property
    def num_agents(self) -> int:
        """Number of squads."""
        return self.squads.kind.shape[0]

    @property
    def num_actions(self) -> int:
        """Number of orders, and 0, which keeps the last one."""
        return len(self.squads.rows)

    @property
    def action_names(self) -> tuple[str, ...]:
        """Each action in words."""
        return tuple(str(row) for row in self.squads.rows)

    @property
    def observation_size(self) -> int:
        """Length of an observation."""
        return features_of(self.params, self.squads, self.nearest)

    @property
    def max_steps(self) -> int:
        """The battle's limit of ticks, in steps."""
        return -(-self.limit // self.every)

    @property
    def action_table(self) -> tuple[tuple[str, str], ...]:
        """The orders in words; those that differ in their waypoint alone are one entry."""
        found, first = [], 0
        for (behaviour, types), rows in groupby(self.squads.rows, key=lambda row: (row.behaviour, row.types)):
            ways = [row.way for row in rows]
            last = first + len(ways) - 1
            words = " ".join([f"`{behaviour}`" if behaviour else "keep the order", *types])
            names = [way for way in ways if way]
            found.append(
                (f"{first}" if first == last else f"{first}-{last}", f"{words}; {', '.join(names)}".rstrip("; "))
            )
            first = last + 1
        return tuple(found)

    def reset(self, key: Key[Array, ""]) -> tuple[OrdersEnvState, LearnerView]:
        """Begin a game; all squads stand until they are ordered."""
        state = OrdersEnvState(
            game=begin(self.params, self.orders, key),
            key=key,
            order=first_order(self.squads),
            against=None if self.theirs is None else first_order(self.theirs),
            seat=None if self.rival is None or self.theirs is None else self.rival.sit(key, self.theirs.kind.shape[0]),
        )
        return state, _see(self, state)

    def step(self, state: OrdersEnvState, actions: Int[Array, " n"]) -> tuple[OrdersEnvState, TimeStep]:
        """Order all squads and play `every` ticks, or fewer where the game ends.

        Args:
            state: Its state, from `reset` or `step`.
            actions: `[A]` one of `actions` for each squad: see `squads.rows`.

        Returns:
            The next state, and the timestep.
        """
        after, _ = self.watched(state, actions, lambda game, decision: None)
        before, game, params = state.game, after.game, self.params
        side = self.squads.side
        gain = reward(params, before, game, side, self.sparse)
        return after, TimeStep(
            view=_see(self, after),
            reward=jnp.broadcast_to(gain, (self.num_agents,)),
            terminated=terminated(game),
            truncated=truncated(game),
            won=won(game, side),
            score=score(params, game, side),
        )

    def watched(
        self, state: OrdersEnvState, actions: Int[Array, " n"], watch: Callable[[Game, Decision], Tree]
    ) -> tuple[OrdersEnvState, Tree]:
        """Do `step`, and keep what `watch` returns of the game and of what all units decided in each of its ticks.

        Returns:
            The next state, and what was kept, leaves `[every, ...]`; the ticks after the end of a game repeat its end.
        """
        before, params = state.game, self.params
        order = choose(params, self.squads, before.state, state.order, actions)
        orders, against, seat = command(self.squads, self.orders, order), state.against, state.seat
        if self.rival is not None:
            assert self.theirs is not None and against is not None and seat is not None
            view = survey(params, self.theirs, before.state, against, self.nearest)
            seat, answers = self.rival.act(seat, view, state.key, before.state.tick)
            against = choose(params, self.theirs, before.state, against, answers)
            orders = command(self.theirs, orders, against)

        def body_fn(game: Game, _: None) -> tuple[Game, Tree]:
            game, decision = tick(params, orders, game, state.key)
            return game, watch(game, decision)

        game, kept = lax.scan(body_fn, before, None, length=self.every)
        running = before.outcome == Outcome.RUNNING
        after = state.replace(game=game, order=order, against=against, seat=seat)
        return jax.tree.map(lambda new, old: jnp.where(running, new, old), after, state), kept

    def record(
        self, world: Battle, states: OrdersEnvState, actions: Int[Array, "t n"], steps: int, title: str
    ) -> BattleRecording:
        """Return a game that was played as a recording; it has a frame for each tick."""
        before = jax.tree.map(lambda rows: rows[:-1], states)
        first: Any = jax.device_get(states.game.state)
        kept = _kept(self, before, actions)
        flat = jax.tree.map(lambda rows: np.asarray(rows).reshape(-1, *rows.shape[2:]), kept)
        ticks = int(first.tick[steps])  # the last step may be cut short by the end of the game
        after, decided = jax.tree.map(lambda rows: rows[:ticks], flat)
        shown = jax.tree.map(lambda first, rows: np.concatenate([first[:1], rows]), first, after)
        outcome = int(states.game.outcome[steps])
        return gather(world, shown, decided, ticks, outcome, self.squads.goal, title)

    def against(self, rival: Rival) -> OrdersEnv:
        """Return the environment with policies that order the other side's squads.

        Raises:
            UserError: The other side cannot have such squads, or the sides have different tables of orders.
        """
        if self.alone:
            raise UserError(f"the other side cannot be ordered: {self.alone}")
        facing = self.facing or self
        if facing.theirs is None or facing.theirs.rows != facing.squads.rows:
            raise UserError(
                "one policy cannot order both sides of this battle, since their squads have different orders\n"
                "  = help: give both sides the same behaviours and the same types of units, enough for their squads"
            )
        return facing.replace(rival=rival)

    def global_state(self, state: OrdersEnvState) -> Float[Array, " g"]:
        """Return the global state for critics: `global_state` of `observation`, and the missions where squads see them.

        See `hive.worlds.battle.environment.missions.state_of_missions`.
        """
        units = global_state(self.params, state.game.state)
        if self.squads.mission is None:
            return units
        return jnp.concatenate([units, state_of_missions(self.params, state.game.state, self.squads.mission)])


class OrdersEnvState(struct.PyTreeNode, kw_only=True):
    """An environment's state: the game and the orders that squads follow."""

    game: Game
    key: Key[Array, ""]  # the game's key, the same in every tick
    order: SquadOrders
    against: SquadOrders | None  # of the other side's squads, if there is a rival
    seat: RivalSeat | None  # of the rival


def make_orders_env(
    world: Battle,
    *,
    side: int = PLAYER,
    parts: int = 1,
    every: int = 5,
    stride: float = 8.0,
    behaviours: Sequence[str] | None = None,
    nearest: int = 3,
    sparse: bool = False,
    plan: Plan | None = None,
    rival: Rival | None = None,
    general: bool = False,
) -> OrdersEnv:
    """Return the environment of a battle whose squads are ordered.

    Args:
        world: From `hive.load`.
        side: PLAYER or ENEMY: the side of the learner.
        parts: Squads of each group of units of the scenario.
        every: Ticks between two orders, 1 to 1000.
        stride: Metres between two waypoints, about; at least 1.
        behaviours: Trees that squads may be ordered; None: those that the scenario gives their side, and `stand`.
        nearest: Other squads that an observation lists, 1 to 32.
        sparse: Whether only the end of a game is rewarded, with 1 for a win.
        plan: The other side's plan; None: the enemy's of the scenario, and none for the player.
        rival: Policies that order the other side's squads instead.
        general: Whether orders and observations mean the same in every battle, as in sets of battles: targets are of
            any type, those that are seen may be of each, and squads are told what their side is asked to do.

    Raises:
        UserError: The world is no battle, the plan is not compiled, or a number is out of range.
    """
    check_world(world, Battle, "battle")
    if side not in (PLAYER, ENEMY):
        raise UserError(f"`side` is {side}: it is {PLAYER}, the player's, or {ENEMY}, the enemy's")
    if not isinstance(plan, Plan | None):
        raise UserError(
            f"`plan` is a {type(plan).__name__}, and no compiled plan\n"
            "  = help: `hive.engine.reading.read_plan(plan, world, side=...)` compiles one for the other side"
        )
    check_orders(parts=parts, every=every, nearest=nearest, stride=stride)
    if plan is None:
        plan = world.params.enemy if side == PLAYER else no_plan(world, PLAYER)
    tables, (plan,) = with_their_trees([world], [plan])
    squads, own = make_squads(world, tables, side, parts, stride, behaviours, general=general)

    def moved(behind: Squads, first: Plan) -> Squads:
        return behind.replace(group=first.tree.shape[0], place=jax.device_put(np.int32(first.place.shape[0])))

    def made(theirs: Squads | None, other: Plan) -> OrdersEnv:
        player, enemy = (own, other) if side == PLAYER else (other, own)
        params = world.params.replace(behaviours=tables, enemy=enemy)
        return OrdersEnv(
            params=params,
            orders=_make_orders(params, player),
            squads=moved(squads, player) if side == ENEMY else squads,
            theirs=moved(theirs, player) if theirs is not None and side == PLAYER else theirs,
            limit=world.limit,
            every=every,
            nearest=nearest,
            sparse=sparse,
        )

    env = made(None, plan)
    try:
        env = env.replace(
            facing=made(*make_squads(world, tables, 1 - side, parts, stride, behaviours, general=general))
        )
    except UserError as error:  # `against` says so if it is asked
        env = env.replace(alone=str(error))
    return env if rival is None else env.against(rival)


def check_orders(*, parts: int, every: int, nearest: int, stride: float) -> None:
    """Check the numbers of `make_orders_env`.

    Raises:
        UserError: One is out of range.
    """
    for name, number, most in (("parts", parts, 1000), ("every", every, 1000), ("nearest", nearest, 32)):
        if not is_whole(number, 1, most):
            raise UserError(f"`{name}` is {number}: it is a whole number from 1 to {most}")
    if not 1 <= stride < math.inf:
        raise UserError(f"`stride` is {stride:g} m: it is at least 1, and finite")


def with_their_trees(worlds: Sequence[Battle], plans: Sequence[Plan]) -> tuple[Behaviours, list[Plan]]:
    """Return the trees of squads and those that only the other side's plans name, and these plans with their indices.

    Plans of listed trees add none, so that squads have the same observations against each of them.

    Args:
        worlds: Battles with the same listed trees.
        plans: The other side's plan of each.
    """
    used = [
        [world.behaviours[tree] for tree in np.asarray(plan.tree)] for world, plan in zip(worlds, plans, strict=True)
    ]
    names = tuple(dict.fromkeys((*trees_of(worlds[0]), *chain.from_iterable(used))))
    trees = [jax.device_put(np.array([names.index(name) for name in each], np.int32)) for each in used]
    moved = [plan.replace(tree=tree) for plan, tree in zip(plans, trees, strict=True)]
    return read_behaviours(names, worlds[0].scenario.trees), moved


_make_orders = jax.jit(make_orders)


def _see(env: OrdersEnv, state: OrdersEnvState) -> LearnerView:
    return survey(env.params, env.squads, state.game.state, state.order, env.nearest)


def _watch(game: Game, decision: Decision) -> tuple[State, Action]:
    return game.state, decision.action


@jax.jit
def _kept(env: OrdersEnv, states: OrdersEnvState, actions: Int[Array, "t n"]) -> tuple[State, Action]:
    """Return the states after the ticks of all steps of a game, and what all units decided in them."""
    return jax.vmap(lambda state, chosen: env.watched(state, chosen, _watch)[1])(states, actions)
