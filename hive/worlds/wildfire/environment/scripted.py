"""Crews that follow a fixed rule with the actions of their environment (docs/rules/learning.md 13)."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jaxtyping import Array, Bool, Int, Key

from hive.engine.crews.explored import cell_of
from hive.engine.types import CrewType
from hive.kit.environment.env import STAND, LearnerView, Policy
from hive.worlds.wildfire.environment.actions import RINGS, ringed

Found = Bool[Array, ""]
"""Whether a unit has seen fire in this game; only scouts need to remember it."""


def scripted(env: Any) -> dict[str, Policy]:
    """Return the player by rules of a level; none for a level without a rule.

    Args:
        env: The environment, a `CrewEnv`.
    """
    level = env.level
    if level.game == "cut" and not level.bulldozers:
        rule = _cut
    elif level.game == "scout":
        rule = _scout
    elif ringed(level) and level.bulldozers:
        rule = _enclose
    else:
        return {}
    return {"rules": Policy((), _begin, rule)}


def _begin(params: tuple[()], env: Any) -> Found:
    return jnp.zeros((), bool)


def _number(env: Any, words: str) -> int:
    return next(number for number, choice in enumerate(env.choices) if choice.words == words)


def _cut(
    params: tuple[()], env: Any, found: Found, state: Any, view: LearnerView, key: Key[Array, ""]
) -> tuple[Found, Int[Array, " n"]]:
    """Go to the nearest listed cell that has trees, and cut there."""
    go = _number(env, "go to target 1")  # not available where a unit stands on it
    return found, jnp.where(view.action_mask[:, go], go, _number(env, "cut a tree here"))


def _scout(
    params: tuple[()], env: Any, found: Found, state: Any, view: LearnerView, key: Key[Array, ""]
) -> tuple[Found, Int[Array, " n"]]:
    """Go to the nearest unseen cell until a unit has seen fire, then to the nearest fire."""
    to_fire, to_unseen = (_number(env, f"go to the nearest {thing}") for thing in ("fire", "unseen"))
    found = found | view.action_mask[:, to_fire].any()
    return found, jnp.full(env.num_agents, jnp.where(found, to_fire, to_unseen))


def _enclose(
    params: tuple[()], env: Any, found: Found, state: Any, view: LearnerView, key: Key[Array, ""]
) -> tuple[Found, Int[Array, " n"]]:
    """Drive the bulldozers to the smaller ring round the start of the fire, and fell along it; others stand."""
    radius, fire = RINGS[0], env.maps.fire[state.map]
    place = f"the next corner of the ring {radius} cells round the fire's start"
    outside = jnp.abs(cell_of(state.game.state) - fire[None]).max(1) > radius
    drive = jnp.where(outside, _number(env, f"go to {place}"), _number(env, f"fell on the way to {place}"))
    return found, jnp.where(env.params.units.type == CrewType.BULLDOZER, drive, STAND)
