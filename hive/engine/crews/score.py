"""The score of a crew's game, and when the game is over (docs/rules/wildfire.md 7.1, 7.2)."""

from __future__ import annotations

import functools

import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Bool, Int

from hive.engine.crews.explored import cell_of
from hive.engine.crews.frames import near
from hive.engine.crews.score_rules import COSTS, OPEN_ENDED, LevelGame
from hive.engine.types import CrewType, Params, State
from hive.ground.fire import Condition, Phase


class Losses(struct.PyTreeNode, kw_only=True):
    """The terms of the score in games against a fire; a tree that the crew felled counts as lost too."""

    trees: Int[Array, ""]
    buildings: Int[Array, ""]
    civilians: Int[Array, ""]
    firefighters: Int[Array, ""]
    bulldozers: Int[Array, ""]


def losses(params: Params, state: State) -> Losses:
    """Count the losses so far."""
    assert state.fire is not None and state.crew is not None
    kind, dead = params.units.type, ~state.alive
    return Losses(
        trees=state.fire.trees_lost,
        buildings=state.fire.buildings_lost,
        civilians=(~state.crew.living).sum(dtype=jnp.int32),
        firefighters=(dead & (kind == CrewType.FIREFIGHTER)).sum(dtype=jnp.int32),
        bulldozers=(dead & (kind == CrewType.BULLDOZER)).sum(dtype=jnp.int32),
    )


def achieved(params: Params, state: State) -> Int[Array, ""]:
    """Return the score of a level, for any game; at most 0 in games against a fire."""
    fire, crew, crews = state.fire, state.crew, params.crews
    assert fire is not None and crew is not None and crews is not None
    task, kind, cell = crews.task, params.units.type, cell_of(state)
    cut = jnp.where(task.listed, 3 - fire.trees[task.cell[:, 0], task.cell[:, 1]].astype(jnp.int32), 0).sum()
    above = fire.condition[cell[:, 0], cell[:, 1]] >= Condition.ON_FIRE  # ignited does not count
    found = ((kind == CrewType.DRONE) & state.alive & above).sum()
    moved = ((kind == CrewType.FIREFIGHTER) & state.alive & near(cell, task.goal)).sum()
    safe = (crew.living & (crew.bearer < 0) & near(crew.civilian, task.goal)).sum()
    lost = losses(params, state)
    cost = sum(COSTS[name] * getattr(lost, name) for name in Losses.__dataclass_fields__)
    worth = jnp.stack([cut, jnp.minimum(found, 2), moved, -cost, safe, -cost])[task.game]
    return jnp.where(_open_ended(params), worth, jnp.minimum(worth, task.best)).astype(jnp.int32)


def over(params: Params, state: State) -> Bool[Array, ""]:
    """Return whether the highest score is reached; in games against a fire, whether it is permanently out.

    A fire that has burnt no tree does not end a game, and under the published rules no fire does.
    """
    assert params.crews is not None and params.blaze is not None and state.fire is not None
    reached = achieved(params, state) >= params.crews.task.best
    if params.blaze.fuel.in_place:
        return reached & ~_open_ended(params)
    fire = state.fire
    burnt = (params.blaze.start.trees > 0) & (fire.trees == 0) & (fire.phase >= Phase.ON_FIRE)
    return jnp.where(_open_ended(params), ~fire.alight & burnt.any(), reached)


def _open_ended(params: Params) -> Bool[Array, ""]:
    assert params.crews is not None
    game = params.crews.task.game
    return functools.reduce(jnp.logical_or, [game == LevelGame[name.upper()] for name in OPEN_ENDED])
