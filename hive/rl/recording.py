"""A game of a policy as a recording, for pictures, movies and replays."""

from __future__ import annotations

from typing import Any

from dsl import UserError
from hive.kit.environment.env import Env
from hive.kit.keep.recording import Recording
from hive.rl.evaluation import replay_states
from hive.rl.policies import Policy


def record(env: Env, world: Any, policy: Policy, seed: int, title: str) -> Recording:
    """Play the game of a seed and keep its frames.

    Args:
        env: The environment.
        world: What it was made of.
        policy: What chooses the actions.
        seed: Of the game.
        title: Heading of the pictures.

    Raises:
        UserError: Games of this kind of environment cannot be recorded; see `recordable`.
    """
    if not recordable(env):
        raise UserError("games of levels, and of environments of your own, cannot be recorded so far")
    return env.record(world, *replay_states(env, policy, seed), title)


def recordable(env: Env) -> bool:
    """Return whether games of an environment can be recorded: all but those of levels."""
    return type(env).record is not Env.record
