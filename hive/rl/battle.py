"""A battle as an environment whose agents are the player's units (docs/rules/learning.md): a step is one tick."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jaxtyping import Array, Bool, Float, Int, Key

import dsl
from dsl import UserError
from hive.battle.world import Battle
from hive.engine.deciding import decide
from hive.engine.dynamics import pass_tick
from hive.engine.episode import Game, begin, goes_on
from hive.plan.arrays import compile_plan, make_orders
from hive.rl.env import STAND, Env, Turn, View
from hive.rl.observation import Nearby, look, observe, overview
from hive.types import ENEMY, PLAYER, Action, ActionKind, Orders, Outcome, Params, State
from hive.units import draws
from hive.world.exact import rounded, square

FIRST_MOVE, MOVES = 1, 8
FIRST_ATTACK = FIRST_MOVE + MOVES
_ANGLES = np.arange(MOVES) * (np.pi / 4)
NAMES = ("east", "north-east", "north", "north-west", "west", "south-west", "south", "south-east")
COMPASS = np.stack([np.cos(_ANGLES), np.sin(_ANGLES)], -1).round(12).astype(np.float32)  # from east, anticlockwise


class BattleEnv(Env, kw_only=True):
    """A battle in which a learner moves the player's units and the enemy follows its plan.

    Attributes:
        params: The battle.
        orders: The enemy's plan, and an empty one for the player.
        rows: `[n]` rows of the player's units, which the arrays of the environment follow.
        goal: `[2]` metres; where the units are told to go: the place of the objective, or the middle of the enemy's
            start boxes.
        nearest: Units of each side that an observation lists; also the number of attack actions.
        sparse: Whether only the end of a game is rewarded.
    """

    params: Params
    orders: Orders
    rows: Int[Array, " n"]
    goal: Float[Array, " 2"]
    nearest: int = struct.field(pytree_node=False, default=5)
    sparse: bool = struct.field(pytree_node=False, default=False)

    @property
    def agents(self) -> int:
        """Units that the learner moves."""
        return self.rows.shape[0]

    @property
    def actions(self) -> int:
        """Number of actions: stand, eight moves, and an attack on each listed enemy."""
        return FIRST_ATTACK + self.nearest

    @property
    def words(self) -> tuple[str, ...]:
        """Each action in words."""
        moves = tuple(f"move {name}" for name in NAMES)
        return ("stand", *moves, *(f"attack enemy {number + 1}" for number in range(self.nearest)))

    @property
    def features(self) -> int:
        """Length of an observation."""
        kinds = self.params.types.speed.shape[0]
        return (1 + kinds) + 7 + 2 * (self.nearest * (4 + kinds) + 3)

    @property
    def limit(self) -> int:
        """The battle's limit of ticks."""
        return int(self.params.rules.limit)

    def reset(self, key: Key[Array, ""]) -> tuple[Play, View]:
        """Begin a game."""
        return _see(self, begin(self.params, self.orders, key), key)

    def step(self, play: Play, actions: Int[Array, " n"]) -> tuple[Play, Turn]:
        """Play one tick.

        Args:
            play: Its state, from `reset` or `step`.
            actions: `[n]` one of `actions` for each unit: 0 stands, 1 to 8 move at full speed, from east
                anticlockwise, 9 on attack the listed enemy of that place. An action that is not available stands.

        Returns:
            The next state, and the turn.
        """
        params, before = self.params, play.game
        word = draws.tick_word(play.key, before.state.tick)
        action = self.decided(play, actions)
        after = goes_on(params, self.orders, before, pass_tick(params, before.state, action, word))
        running = before.outcome == Outcome.RUNNING
        game = jax.tree.map(lambda new, old: jnp.where(running, new, old), after, before)
        now, view = _see(self, game, play.key)
        reward = jnp.where(running, _reward(self, before, game), 0.0)
        won = game.outcome == Outcome.WIN
        return now, Turn(
            view=view,
            reward=jnp.broadcast_to(reward, self.rows.shape).astype(jnp.float32),
            terminated=won | (game.outcome == Outcome.LOSE),
            truncated=game.outcome == Outcome.TIMEOUT,
            won=won,
            score=_score(self, game),
        )

    def decided(self, play: Play, actions: Int[Array, " n"]) -> Action:
        """Return what all units of both sides do in a step; see `step`."""
        game = play.game
        word = draws.tick_word(play.key, game.state.tick)
        decision = decide(self.params, self.orders, game.progress, game.state, word)
        return _act(self, play, actions, decision.action)

    def overview(self, play: Play) -> Float[Array, " g"]:
        """Return the global state for critics; see `hive.rl.observation.overview`."""
        return overview(self.params, play.game.state)


class Play(struct.PyTreeNode, kw_only=True):
    """An environment's state: the game, and what step needs of the last look at it."""

    game: Game
    key: Key[Array, ""]  # the game's key, the same in every tick
    foes: Int[Array, "n k"]  # row of the enemy that each attack action strikes
    available: Bool[Array, "n a"]


def make_env(world: Battle, *, nearest: int = 5, sparse: bool = False) -> BattleEnv:
    """Return the environment of a battle.

    Args:
        world: From `hive.load`; the enemy follows the plan that its file names.
        nearest: Units of each side that an observation lists, 1 to 32.
        sparse: Whether only the end of a game is rewarded, with 1 for a win.

    Raises:
        UserError: The world is no battle, or `nearest` is out of range.
    """
    if not isinstance(world, Battle):
        raise UserError(f"{world.name} is no battle\n  = help: hive.rl.make_crew_env makes the environment of a level")
    if not 1 <= nearest <= 32:
        raise UserError(f"an observation lists 1 to 32 units of each side, not {nearest}")
    params = world.params
    # One step that no battle achieves: the game does not end because the learner's side has no plan left.
    endless = dsl.Plan((dsl.Step(0, (), dsl.Extinguish(), ()),))
    nothing = compile_plan(endless, PLAYER, world.sizes, world.behaviours)
    side, box = np.asarray(params.units.side), np.asarray(params.units.box)
    if world.scenario.player.objective.at is not None:
        goal = np.asarray(params.goals.place[PLAYER])
    else:
        cells = [np.asarray(params.boxes.cell[at][: params.boxes.count[at]]) for at in box[side == ENEMY]]
        goal = np.mean([each.mean(0) for each in cells], axis=0)
    orders: Any = jax.jit(make_orders)(params, nothing)
    rows, place = jax.device_put((np.flatnonzero(side == PLAYER).astype(np.int32), goal.astype(np.float32)))
    return BattleEnv(params=params, orders=orders, rows=rows, goal=place, nearest=nearest, sparse=sparse)


def _see(env: BattleEnv, game: Game, key: Key[Array, ""]) -> tuple[Play, View]:
    params, state = env.params.now(game.state), game.state
    friends, foes = look(params, state, env.rows, env.nearest)
    alive = state.alive[env.rows]
    view = View(
        observation=observe(params, state, env.rows, env.goal, friends, foes),
        available=_available(env, state, foes),
        alive=alive,
    )
    return Play(game=game, key=key, foes=foes.unit, available=view.available), view


def _available(env: BattleEnv, state: State, foes: Nearby) -> Bool[Array, "n a"]:
    kinds, rows = env.params.units.type[env.rows], env.rows
    reach = env.params.types.reach[kinds][:, None]
    near = square(foes.offset[..., 0], foes.offset[..., 1]) <= reach * reach
    alive = state.alive[rows][:, None]
    strike = foes.there & near & (state.cooldown[rows] <= 0)[:, None]
    move = jnp.broadcast_to(env.params.types.speed[kinds][:, None] > 0, (rows.shape[0], MOVES))
    return jnp.concatenate([jnp.ones_like(alive), alive & move, alive & strike], axis=1)


def _act(env: BattleEnv, play: Play, actions: Int[Array, " n"], enemy: Action) -> Action:
    """The learner's actions for its units, and the enemy's decisions for its own."""
    params, rows = env.params, env.rows
    allowed = jnp.take_along_axis(play.available, actions[:, None], axis=1)[:, 0]
    actions = jnp.where(allowed, actions, STAND)
    struck = jnp.clip(actions - FIRST_ATTACK, 0, env.nearest - 1)
    target = params.units.id[jnp.take_along_axis(play.foes, struck[:, None], axis=1)[:, 0]]
    speed = params.types.speed[params.units.type[rows]]
    way = jnp.asarray(COMPASS)[jnp.clip(actions - FIRST_MOVE, 0, MOVES - 1)] * speed[:, None]
    kind = jnp.where(
        actions >= FIRST_ATTACK,
        ActionKind.ATTACK,
        jnp.where(actions >= FIRST_MOVE, ActionKind.MOVE, ActionKind.STAND),
    )
    return Action(
        kind=enemy.kind.at[rows].set(kind.astype(enemy.kind.dtype)),
        move=enemy.move.at[rows].set(way),
        target=enemy.target.at[rows].set(target),
    )


def _reward(env: BattleEnv, before: Game, after: Game) -> Float[Array, ""]:
    """docs/rules/learning.md 4."""
    won = (after.outcome == Outcome.WIN).astype(jnp.float32)
    if env.sparse:
        return won
    params = env.params
    full = params.types.max_health[params.units.type]

    def lost(side: int) -> Float[Array, ""]:
        own = params.units.side == side
        old, new, all_ = (jnp.where(own, each, 0.0).sum() for each in (before.state.health, after.state.health, full))
        return (old - new) / jnp.maximum(all_, old)  # a divisor of this game alone: see `hive.world.exact`

    way = after.way[PLAYER]
    nearer = (before.way[PLAYER, 1] - way[1]) / jnp.maximum(way[0], 1)
    return won + jnp.where(params.goals.eliminate[PLAYER], lost(ENEMY) - rounded(0.5 * lost(PLAYER)), nearer)


def _score(env: BattleEnv, game: Game) -> Float[Array, ""]:
    """docs/rules/learning.md 5."""
    params = env.params
    foe = params.units.side == ENEMY
    dead = (foe & ~game.state.alive).sum(dtype=jnp.float32)
    dead = dead / jnp.maximum(foe.sum(dtype=jnp.float32), dead)  # a divisor of this game alone: see `hive.world.exact`
    first, least = game.way[PLAYER]
    near = 1.0 - least / jnp.maximum(first, least)
    score = jnp.where(params.goals.eliminate[PLAYER], dead, jnp.where(first > 0, near, 1.0))
    return jnp.where(game.outcome == Outcome.WIN, 1.0, score).astype(jnp.float32)
