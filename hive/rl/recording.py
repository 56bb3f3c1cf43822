"""A game of a policy as a recording, for pictures, movies and replays."""

from __future__ import annotations

import jax
import numpy as np

from dsl import UserError
from hive.battle.recording import Recording
from hive.battle.world import Battle
from hive.rl.battle import BattleEnv
from hive.rl.env import Env
from hive.rl.evaluation import replay_states
from hive.rl.policies import Policy
from hive.types import ActionKind


def record(env: Env, world: object, policy: Policy, seed: int, title: str) -> Recording:
    """Play the game of a seed and keep its frames.

    Args:
        env: The environment.
        world: What it was made of.
        policy: What chooses the actions.
        seed: Of the game.
        title: Heading of the pictures.

    Raises:
        UserError: Games of this kind of environment cannot be recorded.
    """
    if not isinstance(env, BattleEnv) or not isinstance(world, Battle):
        raise UserError("only games whose agents are the units of a battle can be recorded so far")
    plays, actions, steps = replay_states(env, policy, seed)
    before = jax.tree.map(lambda rows: rows[:steps], plays)
    decided = jax.jit(jax.vmap(lambda play, chosen: env.decided(play, chosen)))(before, actions[:steps])
    state = jax.device_get(plays.game.state)
    params, frames = env.params, slice(0, steps + 1)
    attack = np.where(np.asarray(decided.kind) == ActionKind.ATTACK, np.asarray(decided.target), -1)
    kinds = np.asarray(params.units.type)
    attack = np.where(np.asarray(state.health)[:steps] > 0, attack, -1)
    x, y = (float(number) for number in np.asarray(env.goal))
    return Recording(
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
