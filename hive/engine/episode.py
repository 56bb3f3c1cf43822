"""One game as one compiled loop: begin, tick, advance to a tick, rollout to the end, and what the game is worth."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from flax import struct
from jax import lax
from jaxtyping import Array, Bool, Float, Int, Key

from hive.engine.deciding import Decision, decide
from hive.engine.dynamics import pass_tick
from hive.engine.metrics import survivors
from hive.engine.objective import LOSSES, judge, measured, score, steps_left
from hive.engine.plan.arrays import check_units, make_orders
from hive.engine.plan.progress import advance as look
from hive.engine.plan.progress import start
from hive.engine.spawning import reset
from hive.engine.types import PLAYER, GoalKind, Orders, Outcome, Params, Plan, Progress, State
from hive.engine.units import draws

Tree = Any
Observer = Callable[[Params, Orders, "Game", Any], Tree]
"""Returns what to keep of a game after a tick, given its rules, orders, the game and the tick's `Decision`."""


class Game(struct.PyTreeNode, kw_only=True):
    """A game at one instant."""

    state: State
    progress: Progress
    outcome: Int[Array, ""]  # `Outcome`
    # [side, when]: steps on foot from the nearest live unit to the place of its side's objective, at the start and the
    # fewest so far; -1 where the objective names no place
    way: Int[Array, "2 2"]


class Episode(struct.PyTreeNode, kw_only=True):
    """A finished game.

    `score` depends on the player's objective. It is the distance in metres from the nearest place to the nearest live
    unit that counts, where one unit at a place is enough: lower is better, infinite when none lives. For all others
    higher is better: the share of enemies that are dead (an elimination), of the units needed that are at a place (a
    position for several), or of the ticks that have passed (a survival), each 0 to 1; the points of a level of
    wildfires, at most 0 in those against a fire. To average over worlds, take `value`: 0 to 1, higher is better, in all
    of them.
    """

    outcome: Int[Array, ""]  # index into `hive.engine.types.OUTCOMES`
    ticks: Int[Array, ""]
    score: Float[Array, ""]  # see `hive.engine.objective.score`
    survivors: Int[Array, "2 k"]  # by side and type
    achieved: Int[Array, " p"]  # tick of each of the player's steps, -1 if never
    way: Int[Array, "2 2"]  # see `Game`
    game: Game


def begin(params: Params, orders: Orders, key: Key[Array, ""]) -> Game:
    """Set up a game at tick 0; its plans are evaluated once.

    Args:
        params: The scenario.
        orders: Both sides' plans, from `make_orders` with the same scenario.
        key: The game's key, which every call of `advance` takes again.

    Returns:
        The game.

    Raises:
        UserError: The orders are for another number of units.
    """
    check_units(orders.plan, params.count)
    return begin_from(params, orders, reset(params, key))


def begin_from(params: Params, orders: Orders, state: State) -> Game:
    """Set up a game in a given state of the world; its plans are evaluated once."""
    progress = start(params, orders, state)
    way = jnp.broadcast_to(steps_left(params, orders, state)[:, None], (2, 2))
    return Game(state=state, progress=progress, outcome=judge(params, orders, progress, state), way=way)


def tick(params: Params, orders: Orders, game: Game, key: Key[Array, ""]) -> tuple[Game, Decision]:
    """Play one tick: trees, world, global objectives, plan objectives (docs/rules/battles.md 3.1).

    A game that has ended stays bit for bit as it is, so a `lax.scan` of ticks may run past the end.

    Args:
        params: The scenario.
        orders: Both sides' plans.
        game: The game before the tick.
        key: The game's key, the same in every tick.

    Returns:
        The game after the tick, and what the units decided in it; in a game that has ended all units stand.
    """
    after, decision = tick_running(params, orders, game, key)
    running = game.outcome == Outcome.RUNNING
    return jax.tree.map(lambda new, old: jnp.where(running, new, old), after, game), decision


def tick_running(params: Params, orders: Orders, game: Game, key: Key[Array, ""]) -> tuple[Game, Decision]:
    """Play one tick of a running game; the result for an ended game must be discarded, as loops do under `vmap`.

    The units of an ended game count as dead here, so that its share of the batch costs almost nothing.
    """
    state = game.state
    state = state.replace(health=jnp.where(game.outcome == Outcome.RUNNING, state.health, 0.0))
    word = draws.tick_word(key, state.tick)
    decision = decide(params, orders, game.progress, state, word)
    return goes_on(params, orders, game, pass_tick(params, state, decision.action, word)), decision


def goes_on(params: Params, orders: Orders, game: Game, state: State) -> Game:
    """Return the game with the state after a tick: its plans are updated and its end is tested."""
    progress = look(params, orders, game.progress, state)
    now = steps_left(params, orders, state)
    least = jnp.where((now >= 0) & (now < game.way[:, 1]), now, game.way[:, 1])
    way = jnp.stack([game.way[:, 0], least], 1)
    return Game(state=state, progress=progress, outcome=judge(params, orders, progress, state), way=way)


def advance(
    params: Params,
    orders: Orders,
    game: Game,
    key: Key[Array, ""],
    until: Int[Array, ""],
    stops: Callable[[Game], Bool[Array, ""]] | None = None,
) -> Game:
    """Continue until the game ends or its tick reaches `until` (traced, so segments of any length share a program).

    Args:
        params: The scenario.
        orders: Both sides' plans.
        game: The game to continue.
        key: The game's key.
        until: Tick to stop at.
        stops: Returns after each tick whether to stop there; None: it is never asked.
    """
    first = game.state.tick

    def cond_fn(game: Game) -> Array:
        goes = (game.outcome == Outcome.RUNNING) & (game.state.tick < until)
        return goes if stops is None else goes & ((game.state.tick == first) | ~stops(game))

    return lax.while_loop(cond_fn, lambda game: tick_running(params, orders, game, key)[0], game)


def advance_watched(
    params: Params,
    orders: Orders,
    game: Game,
    key: Key[Array, ""],
    watch: Observer,
    room: int,
    until: Int[Array, ""] | None = None,
) -> tuple[Game, Tree, Int[Array, ""]]:
    """Continue for at most `room` ticks and keep what `watch` returns for each.

    Args:
        params: The scenario.
        orders: Both sides' plans.
        game: The game to continue.
        key: The game's key.
        watch: `watch(params, orders, game, decision)`, called with the game after a tick and its decision; any pytree.
        room: Most ticks (static).
        until: Tick to stop at, if that comes sooner (traced).

    Returns:
        The game, the pytree with a leading axis of `room` rows, and how many rows are real.
    """
    before = game.state.tick
    last = before + room if until is None else jnp.minimum(before + room, until)
    shape = jax.eval_shape(lambda g: watch(params, orders, *tick_running(params, orders, g, key)), game)
    log = jax.tree.map(lambda leaf: jnp.zeros((room, *leaf.shape), leaf.dtype), shape)

    def cond_fn(carry: tuple[Game, Tree]) -> Array:
        return (carry[0].outcome == Outcome.RUNNING) & (carry[0].state.tick < last)

    def body_fn(carry: tuple[Game, Tree]) -> tuple[Game, Tree]:
        game, log = carry
        row = game.state.tick - before
        game, decision = tick_running(params, orders, game, key)
        seen = watch(params, orders, game, decision)
        return game, jax.tree.map(lambda rows, now: lax.dynamic_update_index_in_dim(rows, now, row, 0), log, seen)

    game, log = lax.while_loop(cond_fn, body_fn, (game, log))
    return game, log, game.state.tick - before


def finish(params: Params, orders: Orders, game: Game, steps: int) -> Episode:
    """Summarise a game; `steps` is the capacity of the player's plan."""
    return Episode(
        outcome=game.outcome,
        ticks=game.state.tick,
        score=score(params, game.state),
        survivors=survivors(params, game.state),
        achieved=game.progress.achieved[:steps],
        way=game.way,
        game=game,
    )


def rollout(params: Params, plan: Plan, key: Key[Array, ""]) -> Episode:
    """Play a complete game on the device.

    Pure and unbatched: `jax.jit(jax.vmap(hive.rollout, (None, None, 0)))` plays a plan with many keys. `hive.sweep`
    plays several plans in one batch, padded to common capacities.

    Args:
        params: The scenario, with the enemy's plan.
        plan: The player's plan.
        key: The game's key, `jax.random.key(seed)`.

    Returns:
        The finished game.

    Raises:
        UserError: The plan was read for another number of units.
    """
    orders = make_orders(params, plan)
    game = begin(params, orders, key)
    game = advance(params, orders, game, key, params.rules.limit)
    return finish(params, orders, game, plan.exists.shape[0])


def value(params: Params, episode: Episode) -> Float[Array, ""]:
    """Return the value of a finished game for the player's side (docs/rules/rewards.md 1).

    Pure and unbatched, as `rollout`; `hive.engine.batch.value.values` is the same of a `Result`, in double precision.

    Args:
        params: The scenario that was played.
        episode: The game, from `rollout`.

    Returns:
        0 to 1, higher is better in every scenario: 1 for a win, else by the continuous score, the closest approach to a
        place, or both.
    """
    reached = episode.score
    if params.crews is not None:
        best = jnp.maximum(params.crews.task.best, 1).astype(jnp.float32)
        share = reached / jnp.maximum(best, reached)  # its own divisor in each game of a batch: see `hive.ground.exact`
        part = jnp.where(params.crews.task.best > 0, share, LOSSES / (LOSSES + jnp.maximum(-reached, 0.0)))
    else:
        first, least = episode.way[PLAYER]
        way = 1.0 - least / jnp.maximum(first, 1)
        near = jnp.where(measured(params, PLAYER), way, (way + reached) / 2)
        part = jnp.where(params.goals.kind[PLAYER] == GoalKind.POSITION, near, reached)
    return jnp.where(episode.outcome == Outcome.WIN, 1.0, jnp.clip(part, 0.0, 1.0))
