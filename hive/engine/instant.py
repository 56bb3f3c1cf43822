"""A game at one tick, replayed from its seed, as arrays and in words."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import jax
import jax.numpy as jnp
from jaxtyping import Array, Key, UInt

import dsl
from hive.engine.behaviours.decision import Decision
from hive.engine.deciding import decide
from hive.engine.episode import Game, advance, begin
from hive.engine.plan.arrays import make_orders
from hive.engine.reading import compile_text
from hive.engine.spawning import reset
from hive.engine.traces import jit_game
from hive.engine.types import Orders, Params, Plan, State
from hive.engine.units import draws
from hive.engine.world import EngineWorld
from hive.kit.plan_text import PlanText
from hive.kit.reporting import Description, Scene


def game_at(world: EngineWorld, plan: Plan, seed: int, tick: int) -> Game:
    """Play a game up to a tick.

    Args:
        world: What to play on.
        plan: The player's plan.
        seed: The game's seed.
        tick: Tick to stop at; a game that ends earlier stops at its end.

    Returns:
        The game.
    """
    return _game_at(world.params, orders_of(world.params, plan), jax.random.key(seed), tick)


def _game_at(params: Params, orders: Orders, key: Key[Array, ""], tick: int) -> Game:
    game: Game = begin_game(params, orders, key)
    return advance_game(params, orders, game, key, jnp.int32(tick)) if tick else game


def decision_at(world: EngineWorld, plan: Plan, seed: int, tick: int) -> tuple[Game, Decision]:
    """Return `game_at` of the same arguments, and what every unit decides in the next tick."""
    params, key = world.params, jax.random.key(seed)
    orders = orders_of(params, plan)
    game = _game_at(params, orders, key, tick)
    return game, _decide(params, orders, game, draws.tick_word(key, game.state.tick))


def state_at_start(world: EngineWorld, seed: int) -> State:
    """Return the units and the map of a game before its first tick."""
    state: State = _reset(world.params, jax.random.key(seed))
    return state


def scene(
    world: EngineWorld,
    text: PlanText | None,
    seed: int,
    tick: int,
    remarks: Sequence[str] = (),
    describe: Callable[[State], Description] | None = None,
) -> Scene:
    """Describe a game at a tick in words.

    Args:
        world: What to play on.
        text: The player's plan; None is allowed for tick 0 only.
        seed: The game's seed.
        tick: Ticks to play first.
        remarks: Remarks of the scene; warnings about the plan follow them.
        describe: Describes the state in words; None: `world.describe`.

    Raises:
        DslError: The plan cannot be played; the error holds every diagnostic.
    """
    if text and text.failure:
        raise dsl.DslError(text.report.diagnostics)
    if text and tick:
        state = game_at(world, compile_text(text, world), seed, tick).state
    else:
        state = state_at_start(world, seed)
    warnings = [dsl.render(text.report.diagnostics)] if text and text.report.diagnostics else []
    return Scene(world.name, seed, int(state.tick), (describe or world.describe)(state), [*warnings, *remarks])


_reset = jax.jit(reset)
orders_of, begin_game, advance_game = jit_game(make_orders), jit_game(begin), jit_game(advance)


@jax.jit
def _decide(params: Params, orders: Orders, game: Game, word: UInt[Array, ""]) -> Decision:
    return decide(params, orders, game.progress, game.state, word)
