"""Policies as functions, so that games are played with any of them: learned ones, and those that need no training."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Key

from hive.kit.environment.env import STAND, Choice, Env, EnvState, LearnerView, Policy, random_actions, sample_actions

Tree = Any


def _nothing(params: Tree, env: Env) -> Tree:
    return ()


def _random(params: Tree, env: Env, memory: Tree, state: EnvState, view: LearnerView, key: Key[Array, ""]) -> Choice:
    return memory, random_actions(key, view.action_mask)


def _stand(params: Tree, env: Env, memory: Tree, state: EnvState, view: LearnerView, key: Key[Array, ""]) -> Choice:
    return memory, jnp.full(env.num_agents, STAND, jnp.int32)


POLICIES: Mapping[str, Policy] = {"random": Policy((), _nothing, _random), "stand": Policy((), _nothing, _stand)}
"""Policies that need no training, for every environment: available actions with equal chances, and none at all."""


def with_baselines(policies: Mapping[str, Policy]) -> dict[str, Policy]:
    """Return policies of one form and, after them, `POLICIES`, so that one compiled program plays any of them.

    Args:
        policies: At least one; they differ in their parameters alone.
    """
    first = next(iter(policies.values()))
    form = _with_baselines(first.replace(params=()))

    def as_one(which: int, params: Tree) -> Policy:
        one: Policy = form.replace(params=(jnp.int32(which), params))
        return one

    own = {name: as_one(0, policy.params) for name, policy in policies.items()}
    return own | {name: as_one(which, first.params) for which, name in enumerate(POLICIES, 1)}


@cache  # programs are compiled for each function object
def _with_baselines(first: Policy) -> Policy:
    def begin(params: Tree, env: Env) -> Tree:
        return first.begin(params[1], env)

    def choose(params: Tree, env: Env, memory: Tree, state: EnvState, view: LearnerView, key: Key[Array, ""]) -> Choice:
        which, own = params
        branches = [partial(each.choose, own) for each in (first, *POLICIES.values())]
        found: Choice = lax.switch(which, branches, env, memory, state, view, key)
        return found

    return Policy((), begin, choose)


def digest(params: Tree) -> str:
    """Return a digest of the numbers of a network, in the order of their names: SHA-256 as 64 hexadecimal digits."""
    found = hashlib.sha256()
    for path, leaf in jax.tree_util.tree_leaves_with_path(jax.device_get(params)):
        found.update(f"{jax.tree_util.keystr(path)} {leaf.dtype} {leaf.shape}".encode())
        found.update(np.ascontiguousarray(leaf).tobytes())
    return found.hexdigest()


def learned(network: Any, params: Tree, *, greedy: bool = False) -> Policy:
    """Return the policy of a network.

    Args:
        network: Such as `hive.rl.ppo.network_of(env, config)`, or `network` of a `hive.rl.training.Trainer`.
        params: Of one lane; `policy.replace(params=...)` is another of the same form.
        greedy: Whether the most probable action is taken; else actions are drawn, as in training.
    """
    policy: Policy = _learned(network, greedy).replace(params=params)
    return policy


def drawn_or_greedy(network: Any) -> Policy:
    """Return the policy of a network that plays either way by one compiled program.

    Args:
        network: As in `learned`.

    Returns:
        A policy to give parameters to by `policy.replace(params=(params, greedy))`, where `greedy` is a flag: whether
        the most probable action is taken.
    """
    return _learned(network, None)


@cache  # programs are compiled for each function object
def _learned(network: Any, greedy: bool | None) -> Policy:
    """Return the policy of a network without its parameters; None: they say whether it is greedy."""

    def choose(params: Tree, env: Env, memory: Tree, state: EnvState, view: LearnerView, key: Key[Array, ""]) -> Choice:
        own, best = params if greedy is None else (params, greedy)
        shown = view.observation[None], view.action_mask[None], jnp.zeros((1, 1), bool)
        memory, logits, *_ = network.apply(own, memory, *shown)
        return memory, jnp.where(best, logits[0].argmax(-1).astype(jnp.int32), sample_actions(key, logits[0]))

    return Policy((), lambda params, env: network.initial_memory(agents=env.num_agents), choose)
