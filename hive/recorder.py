"""One game played again from its seed and kept for pictures, movies and explanations."""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jaxtyping import Array, Int, Key, UInt16

from hive.assembly import World
from hive.batch import Progress
from hive.episode import Game, advance, advance_watched, begin
from hive.plan.arrays import make_orders
from hive.types import ATTACK, OUTCOMES, RUNNING, Action, Orders, Params, Plan
from hive.units import draws
from hive.units.decide import Decision, decide
from hive.view.recording import Recording

_SEGMENT = 64  # ticks kept on the device before the host takes them


class Frame(struct.PyTreeNode, kw_only=True):
    """One tick in compact form."""

    position: UInt16[Array, "n 2"]  # parts of the map's side, 65535 to the whole
    health: Array  # float16 `[N]`
    attack: Int[Array, " n"]  # id of the unit attacked in the tick, or -1


def record(world: World, plan: Plan, seed: int, *, title: str = "", progress: Progress | None = None) -> Recording:
    """Play one game and keep every tick.

    Args:
        world: What to play on.
        plan: The player's plan.
        seed: The game's seed; the game is the same as in `hive.play`.
        title: Heading of the pictures.
        progress: As in `hive.play`.

    Returns:
        The recording, tick 0 included.
    """
    params, key = world.params, jax.random.key(seed)
    orders = _orders(params, plan)
    game = _begin(params, orders, key)
    frames = [jax.tree.map(lambda leaf: np.asarray(leaf)[None], _frame(params, game, None))]
    while int(game.outcome) == RUNNING:
        game, log, rows = _advance(params, orders, game, key)
        count = int(rows)
        frames.append(jax.tree.map(lambda leaf, n=count: np.asarray(leaf)[:n], log))
        if progress:
            progress(int(game.state.tick), (OUTCOMES[int(game.outcome)],))
    whole: Frame = jax.tree.map(lambda *leaves: np.concatenate(leaves), *frames)
    side = params.terrain.size
    place = np.asarray(plan.place)
    targets = list(dict.fromkeys((float(x), float(y), "") for x, y in place))
    return Recording(
        title=title or world.scenario.title,
        kind=world.kind,
        side=np.asarray(params.units.side),
        type=np.asarray(params.units.type),
        tick=np.arange(len(whole.attack)),
        position=np.asarray(whole.position, np.float32) * np.float32(side / 65535),
        health=np.asarray(whole.health),
        max_health=np.asarray(params.types.max_health[params.units.type]),
        attack=np.asarray(whole.attack),
        targets=targets,
    )


def decision_at(world: World, plan: Plan, seed: int, tick: int) -> tuple[Game, Decision]:
    """Play a game up to a tick.

    Args:
        world: What to play on.
        plan: The player's plan.
        seed: The game's seed.
        tick: Where to stop; a game that ends earlier stops there.

    Returns:
        The game, and what every unit decides in its next tick.
    """
    params, key = world.params, jax.random.key(seed)
    orders = _orders(params, plan)
    game = _until(params, orders, _begin(params, orders, key), key, jnp.int32(tick))
    return game, _decide(params, orders, game, draws.tick_word(key, game.state.tick))


def _frame(params: Params, game: Game, action: Action | None) -> Frame:
    state = game.state
    part = jnp.clip(jnp.round(state.position * (65535 / params.terrain.size)), 0, 65535)
    nobody = jnp.full(params.count, -1, jnp.int32)
    attack = nobody if action is None else jnp.where((action.kind == ATTACK), action.target, -1)
    return Frame(position=part.astype(jnp.uint16), health=state.health.astype(jnp.float16), attack=attack)


def _watch(params: Params, orders: Orders, game: Game, action: Action) -> Frame:
    del orders
    return _frame(params, game, action)


_orders, _begin, _until = jax.jit(make_orders), jax.jit(begin), jax.jit(advance)


@jax.jit
def _decide(params: Params, orders: Orders, game: Game, word: Any) -> Decision:
    return decide(params, orders, game.progress, game.state, word)


@partial(jax.jit, donate_argnums=2)
def _advance(params: Params, orders: Orders, game: Game, key: Key[Array, ""]) -> tuple[Game, Frame, Array]:
    return advance_watched(params, orders, game, key, _watch, _SEGMENT)
