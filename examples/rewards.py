"""A reward and an observation of your own: two functions for `hive.rl.make`, checked and then trained with."""

from __future__ import annotations

import argparse

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

import hive.rl
from hive.rl.ppo import make_train
from hive.rl.settings import Config


def careful(env: hive.rl.Env, before, after, timestep: hive.rl.TimeStep) -> Float[Array, ""]:
    """The reward of the task, less a hundredth of the health that the own team loses in the step."""
    mine = env.own.rows
    lost = before.game.state.health[mine].sum() - after.game.state.health[mine].sum()
    return timestep.reward[0] - 0.01 * lost
