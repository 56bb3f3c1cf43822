"""A game at one tick, played again from its seed."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jaxtyping import Array, UInt

from hive.behaviours.decision import Decision
from hive.engine.deciding import decide
from hive.engine.episode import Game, advance, begin
from hive.engine.world import World
from hive.plan.arrays import make_orders
from hive.types import Orders, Params, Plan
from hive.units import draws


def game_at(world: World, plan: Plan, seed: int, tick: int) -> Game:
    """Play a game up to a tick.

    Args:
        world: What to play on.
        plan: The player's plan.
        seed: The game's seed.
        tick: Where to stop; a game that ends earlier stops there.

    Returns:
        The game.
    """
    params, key = world.params, jax.random.key(seed)
    orders = _orders(params, plan)
    game: Game = _begin(params, orders, key)
    return _until(params, orders, game, key, jnp.int32(tick)) if tick else game


def decision_at(world: World, plan: Plan, seed: int, tick: int) -> tuple[Game, Decision]:
    """Return `game_at` with the same arguments, and what every unit decides in its next tick."""
    params, key = world.params, jax.random.key(seed)
    game = game_at(world, plan, seed, tick)
    return game, _decide(params, _orders(params, plan), game, draws.tick_word(key, game.state.tick))


_orders, _begin, _until = jax.jit(make_orders), jax.jit(begin), jax.jit(advance)


@jax.jit
def _decide(params: Params, orders: Orders, game: Game, word: UInt[Array, ""]) -> Decision:
    return decide(params, orders, game.progress, game.state, word)
