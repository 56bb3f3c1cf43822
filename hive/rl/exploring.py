"""Games played in batch to learn what orders cost: squads with random orders, one after another."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import lax
from jaxtyping import Array, Bool, Float, Int, Key

import dsl
from dsl import UserError
from dsl.vocabulary import UNIT_TYPES
from dsl.wording import listing
from hive.engine.batch.lanes import AXES, make_table
from hive.engine.episode import Game, begin, tick
from hive.engine.plan.arrays import compile_plan, stack
from hive.engine.types import PLAYER, Orders, Params
from hive.engine.world import EngineWorld
from hive.ground.terrain import blocks_move
from hive.kit.seeds import check_seeds
from hive.rl.order_features import members, order_features

_STILL = ("stand", "hold")  # trees without a move
_PLACES = 64  # distinct targets of a call: each has a distance map


class OrderSamples(struct.PyTreeNode, kw_only=True):
    """Orders that were given in games; leaves `[m, ...]`."""

    features: Float[np.ndarray, "m f"]  # when the order was given
    ticks: Int[np.ndarray, " m"]  # until it was fulfilled; -1 if it was not while the game was played
    time: Int[np.ndarray, " m"]  # tick at which it was given


class _Log(struct.PyTreeNode, kw_only=True):
    """What is kept of each group of a game."""

    features: Float[Array, "g f"]
    begun: Int[Array, " g"]  # tick, -1: not yet
    ended: Int[Array, " g"]  # tick, -1: not yet
    lived: Bool[Array, " g"]  # whether a unit of the group was alive at its end


def check_units(world: EngineWorld) -> None:
    """Check that a world has units that fight.

    Raises:
        UserError: Its units are a crew.
    """
    if world.params.crews is not None:
        raise UserError(f"what orders cost is learned in battles, and {world.name} has a crew\n  = help: name a battle")


def columns(world: EngineWorld, behaviours: Sequence[str]) -> Int[np.ndarray, " t"]:
    """Return the place of each tree of a world among `behaviours`, -1 for one that is not there."""
    return np.array([behaviours.index(name) if name in behaviours else -1 for name in world.behaviours], np.int32)


def moving(world: EngineWorld) -> tuple[str, ...]:
    """Return the trees of the player under which a unit can reach a place: all but `stand` and `hold`."""
    return tuple(name for name in _own(world) if name not in _STILL)


def _own(world: EngineWorld) -> list[str]:
    """The trees that a plan of the player may use."""
    return [name for name in world.context(PLAYER).behaviours if name in world.behaviours]


def explore(
    world: EngineWorld,
    seeds: Sequence[int],
    *,
    behaviours: Sequence[str] | None = None,
    squads: int = 3,
    orders: int = 4,
    ticks: int | None = None,
) -> OrderSamples:
    """Play games in which squads get random orders, and keep every order that was given.

    The player's units are split into squads at random. An order sends a squad to a random place with a random tree and
    random target types; it is fulfilled when the squad stands there (docs/rules/plans.md 3.4), and the next one
    follows. The enemy follows its plan. An order under which all units of a squad die is left out.

    Args:
        world: The battle.
        seeds: One game each, 0 to 2^32 - 1.
        behaviours: Trees that orders are drawn from and that are told apart; None: `moving(world)`.
        squads: Squads of a game, at most the player's units.
        orders: Orders of a squad in a game.
        ticks: Ticks to play; None: up to the limit.

    Raises:
        UserError: The world is no battle, there are fewer units than squads, the player has no such tree, or a seed is
            out of range.
    """
    check_units(world)
    check_seeds(seeds)
    if not 1 <= squads <= world.sizes[PLAYER]:
        raise UserError(
            f"{world.sizes[PLAYER]} units cannot be split into {squads} squads\n"
            f"  = help: `squads` is 1 to {world.sizes[PLAYER]} here"
        )
    names = tuple(behaviours or moving(world))
    if lacking := set(names) - set(_own(world)):
        known = listing(sorted(_own(world)), "and")
        raise UserError(
            f"the player of {world.name} has no behaviour `{min(lacking)}`\n  = help: its behaviours are {known}"
        )
    random = np.random.default_rng([seeds[0], len(seeds)])
    places = _places(world, random)
    plans = [_random_plan(world, random, places, names, squads, orders) for _ in seeds]
    compiled = [compile_plan(plan, PLAYER, world.sizes, world.behaviours) for plan in plans]
    table = make_table(world.params, stack(compiled, _PLACES))
    keys = jax.vmap(jax.random.key)(np.asarray(seeds, np.uint32))
    most = world.limit if ticks is None else min(ticks, world.limit)
    groups = compiled[0].tree.shape[0]
    log = jax.device_get(_play(world.params, table, keys, columns(world, names), np.int32(most), groups, len(names)))
    kept = (log.begun >= 0) & ((log.ended < 0) | log.lived)
    took = np.where(log.ended >= 0, log.ended - log.begun, -1)
    return OrderSamples(features=log.features[kept], ticks=took[kept], time=log.begun[kept])


def _places(world: EngineWorld, random: np.random.Generator) -> list[tuple[int, int]]:
    """Random cells where units can walk; those that an enemy or a river cuts off stay unfulfilled orders."""
    free = np.argwhere(~np.asarray(blocks_move(world.params.terrain.word)))
    return [(int(x), int(y)) for x, y in free[random.choice(len(free), min(_PLACES, len(free)), replace=False)]]


def _random_plan(
    world: EngineWorld,
    random: np.random.Generator,
    places: list[tuple[int, int]],
    trees: Sequence[str],
    squads: int,
    orders: int,
) -> dsl.PlanSyntax:
    cuts = [0, *sorted(random.choice(np.arange(1, world.sizes[PLAYER]), squads - 1, replace=False)), None]
    steps = []
    for squad in range(squads):
        start, stop = cuts[squad], cuts[squad + 1]
        units = dsl.UnitList((dsl.UnitSlice(int(start), None if stop is None else int(stop)),))
        for order in range(orders):
            place = places[random.integers(len(places))]
            types = (str(random.choice(UNIT_TYPES)),) if random.random() < 0.3 else ("any",)
            group = dsl.Group(units=units, target=place, behaviour=str(random.choice(trees)), types=types)
            number = squad * orders + order
            steps.append(dsl.Step(number, (number - 1,) if order else (), dsl.Position(), (group,)))
    # A step that no battle achieves: the game does not end because all orders are fulfilled.
    return dsl.PlanSyntax((*steps, dsl.Step(squads * orders, (), dsl.Extinguish(), ())))


@partial(jax.jit, static_argnums=(5, 6))
def _play(
    params: Params,
    table: Orders,
    keys: Key[Array, " b"],
    column: Int[Array, " t"],
    ticks: Int[Array, ""],
    groups: int,
    behaviours: int,
) -> _Log:
    """Play a game of each row of the table; the logs of the player's groups `[B, G]`."""

    def one(orders: Orders, key: Key[Array, ""]) -> _Log:
        game = begin(params, orders, key)
        shape = jax.eval_shape(lambda state: order_features(params, orders, state, column, behaviours), game.state)
        never = jnp.full(groups, -1, jnp.int32)
        log = _Log(features=jnp.zeros((groups, shape.shape[1]), jnp.float32), begun=never, ended=never, lived=never > 0)

        def note(game: Game, log: _Log) -> _Log:
            step = orders.plan.step[:groups]
            some = members(params, orders, game.state)[:groups].any(1)
            new = game.progress.active[step] & (log.begun < 0) & some
            over = (game.progress.achieved[step] >= 0) & (log.begun >= 0) & (log.ended < 0)
            features = order_features(params, orders, game.state, column, behaviours)[:groups]
            return _Log(
                features=jnp.where(new[:, None], features, log.features),
                begun=jnp.where(new, game.state.tick, log.begun),
                ended=jnp.where(over, game.state.tick, log.ended),
                lived=jnp.where(over, some, log.lived),
            )

        def body_fn(_: Any, carry: tuple[Game, _Log]) -> tuple[Game, _Log]:
            game, log = carry
            return tick(params, orders, game, key)[0], note(game, log)

        game, log = lax.fori_loop(0, ticks, body_fn, (game, log))
        return note(game, log)

    return jax.vmap(one, (AXES, 0))(table, keys)
