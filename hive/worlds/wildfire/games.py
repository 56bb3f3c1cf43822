"""A level played by a commander: it reads a report, writes a plan, and does so again every few ticks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from numpy.typing import NDArray

from hive.engine.crews.score import Losses, achieved, losses
from hive.engine.deciding import Decision
from hive.engine.ending import Ending, explain_end, steps_at_end
from hive.engine.episode import Game, Observer, advance_watched, begin
from hive.engine.plan.arrays import make_orders
from hive.engine.reading import read_plan
from hive.engine.spawning import reset
from hive.engine.swapping import swap, with_room
from hive.engine.traces import jit_game
from hive.engine.types import OUTCOMES, Orders, Outcome, Params
from hive.worlds.wildfire.reports import Commander, report
from hive.worlds.wildfire.world import Fireground

ROOM = {"steps": 32, "groups": 32, "memberships": 4, "places": 32, "cells": 64}
"""Capacities of a game whose later plans compile nothing."""


@dataclass(frozen=True, kw_only=True)
class Played:
    """A finished game of a level.

    Attributes:
        world: The level that was played.
        score: At the end (docs/rules/wildfire.md 7.1).
        scores: `[ticks + 1]` score at the start and after each tick.
        losses: Terms of the score, by name.
        outcome: A name of `OUTCOMES`.
        ticks: Number of ticks played.
        plans: Tick and text of each plan that differs from the one before.
        ending: Why the game ended, and what to try; None where it is not said.
        log: The results of `watch`, with a leading axis of ticks; None without `watch`.
    """

    world: Fireground
    score: int
    scores: NDArray[np.int64]
    losses: dict[str, int]
    outcome: str
    ticks: int
    plans: tuple[tuple[int, str], ...]
    ending: Ending | None = None
    log: Any = None


def play_level(
    world: Fireground,
    commander: Commander,
    *,
    watch: Observer | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Played:
    """Play one game to its end; the result depends on the world and the commander only.

    Args:
        world: From `load_level`; its seed also draws how the civilians walk.
        commander: Writes the plans.
        watch: What to keep of every tick in addition to the score; see `hive.engine.episode.advance_watched`.
        progress: Called with the tick reached and the score after each plan.

    Returns:
        The finished game.

    Raises:
        DslError: A plan has errors; the error holds every diagnostic of its text.
        UserError: Each unit of the world has its own explored map.
    """
    params, key = world.params, jax.random.key(world.site.seed)
    text = first_plan(world, commander)
    plans = [(0, text)]
    plan = read_plan(text, world)
    orders = _orders(params, with_room(plan, **ROOM))
    game: Game = _begin(params, orders, key)
    scores, logs = [np.array([int(_achieved(params, game.state))])], []
    while int(game.outcome) == Outcome.RUNNING:
        game, log, rows = _advance(params, orders, game, key, watch, commander.every)
        scores.append(np.asarray(log[0])[: int(rows)])
        logs.append(jax.tree.map(lambda leaf, rows=int(rows): np.asarray(leaf)[:rows], log[1:]))
        tick = int(game.state.tick)
        if progress:
            progress(tick, int(scores[-1][-1]))
        if int(game.outcome) == Outcome.RUNNING:
            text = commander.plan(report(world, game.state))
            if text != plans[-1][1]:
                plans.append((tick, text))
                plan = read_plan(text, world)
                orders, game = swap(params, orders, game, plan)
    lost = losses(params, game.state)
    outcome, tick = OUTCOMES[int(game.outcome)], int(game.state.tick)
    assert plan.source is not None, "a plan that was read keeps its source"
    steps = steps_at_end(plan.source, np.asarray(game.progress.achieved))
    return Played(
        world=world,
        score=int(scores[-1][-1]) if len(scores) > 1 else int(scores[0][0]),
        scores=np.concatenate(scores).astype(np.int64),
        losses={name: int(getattr(lost, name)) for name in Losses.__dataclass_fields__},
        outcome=outcome,
        ticks=tick,
        plans=tuple(plans),
        ending=explain_end(world, outcome, tick, ([int(game.state.alive.sum())], []), steps),
        log=jax.tree.map(lambda *leaves: np.concatenate(leaves), *logs)[0] if watch and logs else None,
    )


def first_plan(world: Fireground, commander: Commander) -> str:
    """Return the text of the plan that a commander writes before the first tick.

    Raises:
        UserError: Each unit of the world has its own explored map.
    """
    return commander.plan(report(world, _reset(world.params, jax.random.key(world.site.seed))))


_reset, _orders, _begin, _achieved = jit_game(reset), jit_game(make_orders), jit_game(begin), jit_game(achieved)


@jit_game(static_argnums=(4, 5))
def _advance(params: Params, orders: Orders, game: Game, key: Any, watch: Observer | None, room: int) -> Any:
    def keep(params: Params, orders: Orders, game: Game, decision: Decision) -> Any:
        return achieved(params, game.state), watch(params, orders, game, decision) if watch else ()

    return advance_watched(params, orders, game, key, keep, room)
