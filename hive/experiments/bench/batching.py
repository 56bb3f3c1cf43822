"""Rows `batch` and `games`: many small worlds at once, and complete games."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array

import hive
from hive.engine.episode import Game, advance
from hive.engine.types import Orders, Params
from hive.experiments.bench.timing import build, measure, milliseconds, peak
from hive.experiments.bench.worlds import MeasuredGame, make_scene, scatter
from hive.worlds.battle.abilities import ABILITIES

SIDE = 32  # metres of a small world
TICKS = 50  # of a run of small worlds
_GROUNDS = ("open", "walls")


def run(units: int, batches: Sequence[int]) -> Iterator[dict[str, Any]]:
    """Play batches of small worlds of so many units for fifty ticks, on open ground and among walls and woods.

    An environment step is one tick of one world. No unit dies, so that every step does all the work.
    """
    scenes = {ground: make_scene(units, ground=ground, side=SIDE) for ground in _GROUNDS}
    for batch in batches:
        given = {ground: place(scene, batch) for ground, scene in scenes.items()}
        program = build(advance_all, *given[_GROUNDS[0]])
        timings = measure(*(partial(program.call, *args) for args in given.values()), budget=2.0)
        for ground, timing in zip(_GROUNDS, timings, strict=True):
            yield {
                "units": units,
                "batch": batch,
                "ground": ground,
                "env_steps_per_s": round(batch * TICKS / timing.median),
                "unit_steps_per_s": round(units * batch * TICKS / timing.median),
                "ticks": TICKS,
                **milliseconds(timing, "run"),
                **program.figures,
                **peak(),
            }


def place(scene: MeasuredGame, worlds: int) -> tuple[Params, Orders, Game, Array]:
    """Arguments of `advance_all` for so many worlds of a scene, each with its units in other places.

    The game's arrays have a leading axis of worlds, and the keys are `[worlds]`.
    """
    position = jnp.asarray(scatter(scene.params.count, scene.kind, worlds))
    games = jax.vmap(partial(_placed, scene.game))(position)
    return scene.params, scene.orders, games, jax.vmap(jax.random.key)(jnp.arange(worlds))


def _placed(game: Game, position: Array) -> Game:
    return game.replace(state=game.state.replace(position=position))


def advance_all(params: Params, orders: Orders, games: Game, keys: Array) -> Game:
    """Play all worlds for `TICKS` ticks; games and `[worlds]` keys are those of `place`."""

    def one(game: Game, key: Array) -> Game:
        return advance(params, orders, game, key, jnp.int32(TICKS))

    return jax.vmap(one)(games, keys)


def run_games(batches: Sequence[int], units: int = 100) -> Iterator[dict[str, Any]]:
    """Play games of `coordinate` with so many units on each side, a batch of seeds in one call without a warm-up."""
    world = hive.load("coordinate", units=units)
    plan = hive.read_plan("coordinate", world)
    for batch in batches:
        args = (world.params, plan, jax.vmap(jax.random.key)(jnp.arange(batch)))
        program = build(jax.vmap(hive.rollout, (None, None, 0)), *args)
        began = time.perf_counter()
        played = jax.block_until_ready(program.call(*args))
        seconds = time.perf_counter() - began
        ticks = int(played.ticks.sum())
        yield {
            "units": sum(world.sizes),
            "batch": batch,
            "games_per_s": round(batch / seconds, 3),
            "env_steps_per_s": round(ticks / seconds),
            "ticks": ticks,
            "seconds": round(seconds, 3),
            **program.figures,
            **peak(),
        }


def run_abilities(seeds: int) -> Iterator[dict[str, Any]]:
    """Play the shipped plan of each ability with so many seeds in one batch, once to compile and once for the time."""
    for ability in ABILITIES:
        world = hive.load(ability.scenario)
        plan = hive.read_plan(ability.name, world)
        hive.play(world, plan, range(seeds))
        began = time.perf_counter()
        played = hive.play(world, plan, range(seeds))
        seconds = time.perf_counter() - began
        yield {
            "ability": ability.name,
            "units": sum(world.sizes),
            "batch": seeds,
            "wins": played.outcomes.get("win", 0),
            "games_per_s": round(seeds / seconds, 3),
            "env_steps_per_s": round(int(sum(played.ticks)) / seconds),
            "seconds": round(seconds, 3),
        }
