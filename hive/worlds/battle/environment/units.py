"""A battle as an environment whose agents are the player's units (docs/rules/learning.md): a step is one tick."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jaxtyping import Array, Bool, Float, Int, Key

from dsl import UserError
from hive.engine.deciding import decide
from hive.engine.dynamics import pass_tick
from hive.engine.episode import Game, begin, goes_on
from hive.engine.plan.arrays import make_orders
from hive.engine.types import ENEMY, PLAYER, Action, ActionKind, Orders, Outcome, Params, State
from hive.engine.units import draws
from hive.kit.environment.checks import check_world, is_whole
from hive.kit.environment.compass import COMPASS, DIRECTION_NAMES
from hive.kit.environment.env import STAND, EntityBlock, Env, LearnerView, TimeStep, available
from hive.kit.environment.rivals import Rival, RivalSeat
from hive.worlds.battle.environment.missions import (
    MISSION_SIZE,
    Mission,
    mission_of,
    observe_mission,
    state_of_missions,
)
from hive.worlds.battle.environment.observation import Nearby, global_state, in_reach, look, observe
from hive.worlds.battle.environment.recording import gather
from hive.worlds.battle.environment.scoring import reward, score, terminated, truncated, won
from hive.worlds.battle.environment.team import goal_of, no_plan, turn_of
from hive.worlds.battle.recording import BattleRecording
from hive.worlds.battle.world import Battle

FIRST_MOVE, MOVES = 1, len(COMPASS)
FIRST_ATTACK = FIRST_MOVE + MOVES


class Troop(struct.PyTreeNode, kw_only=True):
    """Units of one side that a learner or a policy moves.

    Attributes:
        rows: `[n]` their rows, which arrays over agents follow; an agent whose row is that of no unit, behind the last
            one, only fills a capacity: it is dead from the start.
        goal: `[2]` metres; see `hive.worlds.battle.environment.team.goal_of`.
        turn: `[2]` signs of the axes; see `hive.worlds.battle.environment.team.turn_of`.
        mission: What the side is asked to do; None: observations do not say it.
    """

    rows: Int[Array, " n"]
    goal: Float[Array, " 2"]
    turn: Float[Array, " 2"]
    mission: Mission | None = None

    def alive(self, state: State) -> Bool[Array, " n"]:
        """Return whether each agent is a living unit."""
        alive: Array = state.alive.at[self.rows].get(mode="fill", fill_value=False)
        return alive


class BattleEnv(Env["BattleEnvState"], kw_only=True):
    """A battle in which a learner moves the player's units, and a plan or policies the enemy's.

    Attributes:
        params: The battle.
        orders: The enemy's plan, and an empty one for the player.
        own: The player's units.
        rival: Policies that move the enemy's units; None: they follow their plan.
        theirs: The enemy's units.
        limit: Most ticks of a game; in a set of battles the most of any of them.
        nearest: Units of each side that an observation lists; also the number of attack actions.
        sparse: Whether only the end of a game is rewarded.
        detail: Whether observations also have ranks, readiness of weapons and the enemies that units call.
    """

    of_battle: ClassVar[tuple[str, ...]] = ("own", "theirs")  # where the battles of a set differ, besides `params`

    params: Params
    orders: Orders
    own: Troop
    theirs: Troop
    rival: Rival | None = None
    limit: int = struct.field(pytree_node=False)
    nearest: int = struct.field(pytree_node=False, default=5)
    sparse: bool = struct.field(pytree_node=False, default=False)
    detail: bool = struct.field(pytree_node=False, default=False)

    @property
    def num_agents(self) -> int:
        """Units that the learner moves."""
        return self.own.rows.shape[0]

    @property
    def num_actions(self) -> int:
        """Number of actions: stand, eight moves, and an attack on each listed enemy."""
        return FIRST_ATTACK + self.nearest

    @property
    def action_names(self) -> tuple[str, ...]:
        """Each action in words."""
        moves = tuple(f"move {name}" for name in DIRECTION_NAMES)
        return ("stand", *moves, *(f"attack enemy {number + 1}" for number in range(self.nearest)))

    @property
    def observation_size(self) -> int:
        """Length of an observation."""
        foes = self.entity_blocks[-1]
        mission = MISSION_SIZE if self.own.mission is not None else 0
        return foes.start + foes.rows * foes.size + 3 + mission

    @property
    def observation_form(self) -> Mapping[str, str]:
        """Detailed observations say of listed enemies which units call them."""
        return {"detail": "calls"} if self.detail else {}

    @property
    def entity_blocks(self) -> tuple[EntityBlock, ...]:
        """Where an observation lists units of its own side, and enemies."""
        kinds = self.params.types.speed.shape[0]
        own, friend, foe = (1 + kinds) + 7 + self.detail, 4 + kinds + self.detail, 4 + kinds + 2 * self.detail
        friends = EntityBlock(own, self.nearest, friend)
        return friends, EntityBlock(own + self.nearest * friend + 3, self.nearest, foe, targets=True)

    @property
    def max_steps(self) -> int:
        """The battle's limit of ticks."""
        return self.limit

    def reset(self, key: Key[Array, ""]) -> tuple[BattleEnvState, LearnerView]:
        """Begin a game."""
        seat = None if self.rival is None else self.rival.sit(key, self.theirs.rows.shape[0])
        return _see(self, begin(self.params, self.orders, key), key, seat)

    def step(self, state: BattleEnvState, actions: Int[Array, " n"]) -> tuple[BattleEnvState, TimeStep]:
        """Play one tick.

        Args:
            state: Its state, from `reset` or `step`.
            actions: `[n]` one of `actions` for each unit: 0 stands, 1 to 8 move at full speed, from east
                anticlockwise, 9 on attack the listed enemy of that place. An action that is not available stands.

        Returns:
            The next state, and the timestep.
        """
        params, before = self.params, state.game
        word = draws.tick_word(state.key, before.state.tick)
        action, seat = self._decide(state, actions)
        after = goes_on(params, self.orders, before, pass_tick(params, before.state, action, word))
        running = before.outcome == Outcome.RUNNING
        game = jax.tree.map(lambda new, old: jnp.where(running, new, old), after, before)
        if state.against is not None:
            seat = jax.tree.map(lambda new, old: jnp.where(running, new, old), seat, state.against.seat)
        now, view = _see(self, game, state.key, seat)
        gain = reward(params, before, game, PLAYER, self.sparse)
        return now, TimeStep(
            view=view,
            reward=jnp.broadcast_to(gain, (self.num_agents,)),
            terminated=terminated(game),
            truncated=truncated(game),
            won=won(game, PLAYER),
            score=score(params, game, PLAYER),
        )

    def record(
        self, world: Battle, states: BattleEnvState, actions: Int[Array, "t n"], steps: int, title: str
    ) -> BattleRecording:
        """Return a game that was played as a recording; it has the units of the world, without rows of a capacity."""
        before = jax.tree.map(lambda rows: rows[:-1], states)
        outcome, shown = int(states.game.outcome[steps]), jax.device_get(states.game.state)
        return gather(world, shown, _decided(self, before, actions), steps, outcome, self.own.goal, title)

    def against(self, rival: Rival) -> BattleEnv:
        """Return the environment with policies that move the enemy's units."""
        return self.replace(rival=rival)

    def decided(self, state: BattleEnvState, actions: Int[Array, " n"]) -> Action:
        """Return what all units of both sides do in a step; see `step`."""
        return self._decide(state, actions)[0]

    def _decide(self, state: BattleEnvState, actions: Int[Array, " n"]) -> tuple[Action, RivalSeat | None]:
        """Also return the rival's seat after the step."""
        params, game, seat = self.params, state.game, None
        if self.rival is None:
            word = draws.tick_word(state.key, game.state.tick)
            action = decide(params, self.orders, game.progress, game.state, word).action
        else:
            assert state.against is not None
            view = state.against.view
            seat, answers = self.rival.act(state.against.seat, view, state.key, game.state.tick)
            action = _act(params, self.theirs, state.against.foes, view.action_mask, answers, _idle(params))
        return _act(params, self.own, state.foes, state.action_mask, actions, action), seat

    def global_state(self, state: BattleEnvState) -> Float[Array, " g"]:
        """Return the global state for critics: `global_state` of `observation`, and the missions where units see them.

        See `hive.worlds.battle.environment.missions.state_of_missions`.
        """
        units = global_state(self.params, state.game.state)
        if self.own.mission is None:
            return units
        return jnp.concatenate([units, state_of_missions(self.params, state.game.state, self.own.mission)])


class RivalView(struct.PyTreeNode, kw_only=True):
    """What a rival's step needs of the last look at the state."""

    seat: RivalSeat
    view: LearnerView
    foes: Int[Array, "m k"]  # as in `BattleEnvState`


class BattleEnvState(struct.PyTreeNode, kw_only=True):
    """An environment's state: the game, and what step needs of the last look at it."""

    game: Game
    key: Key[Array, ""]  # the game's key, the same in every tick
    foes: Int[Array, "n k"]  # row of the enemy that each attack action strikes
    action_mask: Bool[Array, "n a"]
    against: RivalView | None  # if there is a rival


def make_env(
    world: Battle,
    *,
    nearest: int = 5,
    sparse: bool = False,
    rival: Rival | None = None,
    mission: bool = False,
    detail: bool = False,
) -> BattleEnv:
    """Return the environment of a battle.

    Args:
        world: From `hive.load`; the enemy follows the plan that its file names.
        nearest: Units of each side that an observation lists, 1 to 32.
        sparse: Whether only the end of a game is rewarded, with 1 for a win.
        rival: Policies that move the enemy's units instead of its plan, such as earlier ones of the learner.
        mission: Whether observations also say what the side is asked to do, as those of sets of battles do.
        detail: Whether observations also say the rank of the unit, whether the weapons of listed units are ready, and
            which unit calls each listed enemy, so that targets can be spread.

    Raises:
        UserError: The world is no battle, or `nearest` is out of range.
    """
    check_world(world, Battle, "battle")
    check_nearest(nearest)
    params = world.params
    orders: Any = jax.jit(make_orders)(params, no_plan(world, PLAYER))
    return BattleEnv(
        params=params,
        orders=orders,
        own=troop_of(world, PLAYER, mission=mission),
        theirs=troop_of(world, ENEMY, mission=mission),
        rival=rival,
        limit=world.limit,
        nearest=nearest,
        sparse=sparse,
        detail=detail,
    )


def check_nearest(nearest: int) -> None:
    """Check how many units of each side an observation lists.

    Raises:
        UserError: There are too few or too many, or it is no whole number.
    """
    if not is_whole(nearest, 1, 32):
        raise UserError(f"an observation lists 1 to 32 units of each side, not {nearest}")


def troop_of(world: Battle, side: int, *, mission: bool) -> Troop:
    """Return all units of a side, with its mission if observations say it."""
    rows: Any = np.flatnonzero(np.asarray(world.params.units.side) == side).astype(np.int32)
    return Troop(
        rows=jax.device_put(rows),
        goal=goal_of(world, side),
        turn=turn_of(world, side),
        mission=mission_of(world, side) if mission else None,
    )


_decided = jax.jit(jax.vmap(BattleEnv.decided, (None, 0, 0)))


def _see(env: BattleEnv, game: Game, key: Key[Array, ""], seat: RivalSeat | None) -> tuple[BattleEnvState, LearnerView]:
    view, foes = _look(env, game.state, env.own)
    against = None
    if seat is not None:
        seen, targets = _look(env, game.state, env.theirs)
        against = RivalView(seat=seat, view=seen, foes=targets)
    return BattleEnvState(game=game, key=key, foes=foes, action_mask=view.action_mask, against=against), view


def _look(env: BattleEnv, state: State, troop: Troop) -> tuple[LearnerView, Int[Array, "n k"]]:
    """Return what the units of a side observe, and the row of the enemy that each of their attack actions strikes."""
    params, rows, alive = env.params.now(state), troop.rows, troop.alive(state)
    friends, foes = look(params, state, rows, env.nearest)
    observation = observe(params, state, rows, troop.goal, troop.turn, friends, foes, env.detail)
    if troop.mission is not None:
        mission = observe_mission(params, state, rows, troop.turn, troop.mission)
        observation = jnp.concatenate([observation, mission], axis=1)
    view = LearnerView(
        observation=jnp.where(alive[:, None], observation, 0.0),
        action_mask=_available(params, state, rows, alive, foes),
        alive=alive,
    )
    return view, foes.unit


def _available(
    params: Params, state: State, rows: Int[Array, " n"], living: Bool[Array, " n"], foes: Nearby
) -> Bool[Array, "n a"]:
    kinds, alive = params.units.type[rows], living[:, None]
    strike = in_reach(params, rows, foes) & (state.cooldown[rows] <= 0)[:, None]
    move = jnp.broadcast_to(params.types.speed[kinds][:, None] > 0, (rows.shape[0], MOVES))
    return jnp.concatenate([jnp.ones_like(alive), alive & move, alive & strike], axis=1)


def _act(
    params: Params,
    troop: Troop,
    foes: Int[Array, "n k"],
    action_mask: Bool[Array, "n a"],
    actions: Int[Array, " n"],
    others: Action,
) -> Action:
    """Return what all units do: those of the troop by the actions that were chosen for them, the others as given."""
    rows = troop.rows
    actions = jnp.where(available(action_mask, actions), actions, STAND)
    struck = jnp.clip(actions - FIRST_ATTACK, 0, foes.shape[1] - 1)
    target = params.units.id[jnp.take_along_axis(foes, struck[:, None], axis=1)[:, 0]]
    speed = params.types.speed[params.units.type[rows]]
    way = troop.turn[None] * jnp.asarray(COMPASS)[jnp.clip(actions - FIRST_MOVE, 0, MOVES - 1)] * speed[:, None]
    kind = jnp.where(
        actions >= FIRST_ATTACK,
        ActionKind.ATTACK,
        jnp.where(actions >= FIRST_MOVE, ActionKind.MOVE, ActionKind.STAND),
    )
    return Action(
        kind=others.kind.at[rows].set(kind.astype(others.kind.dtype)),
        move=others.move.at[rows].set(way),
        target=others.target.at[rows].set(target),
    )


def _idle(params: Params) -> Action:
    """All units stand."""
    nothing = jnp.zeros(params.count, jnp.int32)
    return Action(kind=nothing, move=jnp.zeros((params.count, 2)), target=nothing - 1)
