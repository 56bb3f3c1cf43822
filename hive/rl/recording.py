"""A game of a policy as a recording, for pictures, movies and replays."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import jax
import numpy as np

from dsl import UserError
from hive.battle.recording import BattleRecording
from hive.battle.world import Battle
from hive.behaviours.decision import Decision
from hive.engine.episode import Game
from hive.kitchen.recording import KitchenRecording, gather
from hive.kitchen.setting import Setting
from hive.kitchen.tasks import Task, find_task
from hive.rl.battle import BattleEnv
from hive.rl.env import Env
from hive.rl.evaluation import replay_states
from hive.rl.kitchens import KitchenEnv
from hive.rl.orders import OrdersEnv
from hive.rl.policies import Policy
from hive.types import Action, ActionKind, Params, State


@singledispatch
def record(env: Env, world: Any, policy: Policy, seed: int, title: str) -> BattleRecording | KitchenRecording:
    """Play the game of a seed and keep its frames; below there is a function for each kind of environment.

    Args:
        env: The environment.
        world: What it was made of.
        policy: What chooses the actions.
        seed: Of the game.
        title: Heading of the pictures.

    Raises:
        UserError: Games of this kind of environment cannot be recorded; see `recordable`.
    """
    raise UserError("only games of battles and kitchens can be recorded so far")


def recordable(env: Env) -> bool:
    """Return whether games of an environment can be recorded: those of battles and kitchens, not of levels."""
    return record.dispatch(type(env)) is not record.dispatch(Env)


@record.register
def _(env: BattleEnv, world: Battle, policy: Policy, seed: int, title: str) -> BattleRecording:
    plays, actions, steps = replay_states(env, policy, seed)
    before = jax.tree.map(lambda rows: rows[:steps], plays)
    decided = jax.jit(jax.vmap(lambda play, chosen: env.decided(play, chosen)))(before, actions[:steps])
    return _of_battle(world, env.params, jax.device_get(plays.game.state), decided, steps, env.own.goal, title)


@record.register
def _(env: OrdersEnv, world: Battle, policy: Policy, seed: int, title: str) -> BattleRecording:
    plays, actions, steps = replay_states(env, policy, seed)
    before = jax.tree.map(lambda rows: rows[:steps], plays)
    first: Any = jax.device_get(plays.game.state)
    kept = jax.jit(jax.vmap(lambda play, chosen: env.watched(play, chosen, _watch)[1]))(before, actions[:steps])
    flat = jax.tree.map(lambda rows: np.asarray(rows).reshape(-1, *rows.shape[2:]), kept)
    ticks = int(first.tick[steps])  # the last step may be cut short by the end of the game
    after, decided = jax.tree.map(lambda rows: rows[:ticks], flat)
    state = jax.tree.map(lambda first, rows: np.concatenate([first[:1], rows]), first, after)
    return _of_battle(world, env.params, state, decided, ticks, env.squads.goal, title)


@record.register
def _(env: KitchenEnv, world: Setting, policy: Policy, seed: int, title: str) -> KitchenRecording:
    plays, actions, steps = replay_states(env, policy, seed)
    before = jax.tree.map(lambda rows: rows[:steps], plays)
    _, doing, done = jax.device_get(jax.jit(jax.vmap(env.carried))(before, actions[:steps]))
    states: Any = jax.device_get(plays.state)
    name = world.book.name(int(states.order[0]))
    task: Task = find_task(name, world.book)

    def rows(tree: Any, count: int) -> list[Any]:
        return [jax.tree.map(lambda leaf, t=t: leaf[t], tree) for t in range(count)]

    return gather(world, task, rows(states, steps + 1), rows(doing, steps), rows(done, steps), title=title)


def _of_battle(
    world: Battle, params: Params, state: Any, decided: Action, ticks: int, goal: Any, title: str
) -> BattleRecording:
    """Return a battle's states, one more than ticks, and what its units did in each tick as a recording."""
    frames, kinds = slice(0, ticks + 1), np.asarray(params.units.type)
    attack = np.where(np.asarray(decided.kind) == ActionKind.ATTACK, np.asarray(decided.target), -1)
    attack = np.where(np.asarray(state.health)[:ticks] > 0, attack, -1)
    x, y = (float(number) for number in np.asarray(goal))
    return BattleRecording(
        title=title,
        kind=world.kind,
        side=np.asarray(params.units.side),
        type=kinds,
        tick=np.asarray(state.tick)[frames].astype(int),
        position=np.asarray(state.position)[frames],
        health=np.asarray(state.health)[frames],
        max_health=np.asarray(params.types.max_health)[kinds],
        attack=np.concatenate([np.full((1, len(kinds)), -1), attack]).astype(np.int32),
        targets=[(x, y, "")],
    )


def _watch(game: Game, decision: Decision) -> tuple[State, Action]:
    return game.state, decision.action
