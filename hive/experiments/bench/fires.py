"""Rows `fire`, `fires` and `crew`: the automaton on maps of several sizes, many small fires, a crew's tick."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, UInt

from hive.engine.episode import Game, begin, tick
from hive.engine.plan.arrays import make_orders
from hive.engine.reading import read_plan
from hive.engine.types import Orders, Params
from hive.experiments.bench.timing import build, measure, milliseconds, peak
from hive.ground.fire import Fire, Fuel, burn, make_fire, make_fuel
from hive.worlds.wildfire.maps.host_land import Map, make_map
from hive.worlds.wildfire.world import load_level

_TILE = 1_000  # cells a side of the map that larger ones repeat
OFFSET = 30  # of the levels where fire is fought
LIT = 1e-3  # share of the cells
BURNING = 10  # updates before the one that is timed
_CREW = np.array([14, 1, 3, 2])  # of twenty, by type
_PUBLISHED_MB = {  # tables 6 and 7 of CREW-Wildfire, by units and side
    **{(20, side): held for side, held in ((250, 206), (400, 262), (600, 353), (800, 482), (1000, 604))},
    **{(count, 100): held for count, held in ((20, 182), (100, 266), (500, 1034), (1000, 1990), (2000, 3835))},
}


def run(side: int) -> Iterator[dict[str, Any]]:
    """Time one update of a map with fires all over it, and one uniform draw for each of its cells."""
    ground = make_map(min(side, _TILE), 1, OFFSET)
    fuel, fire = alight(ground, -(-side // _TILE), LIT)
    word, key = jnp.uint32(1), jax.random.key(0)
    update = build(burn, fuel, fire, word)
    draw = build(lambda key: jax.random.uniform(key, fire.phase.shape), key)
    timings = measure(partial(update.call, fuel, fire, word), partial(draw.call, key), budget=4.0)
    yield {
        "side": side,
        "maps": 1,
        "alight": int(fire.burning.sum()),
        **milliseconds(timings[0], "update"),
        **milliseconds(timings[1], "draw"),
        "ratio": round(timings[0].median / timings[1].median, 3),
        **update.figures,
        **peak(),
    }


def run_many(maps: int, side: int) -> Iterator[dict[str, Any]]:
    """Time one update of many small maps in one batch."""
    ground = make_map(_TILE, 1, OFFSET)
    fuel, fire = alight(ground, 1, LIT)
    per_row = _TILE // side
    at = np.arange(maps) % per_row**2

    def cut(leaf: Any) -> Any:
        if np.ndim(leaf) < 2:
            return jnp.broadcast_to(leaf, (maps,))
        full = np.asarray(leaf)
        return jnp.asarray(
            np.stack(
                [
                    full[x * side : (x + 1) * side, y * side : (y + 1) * side]
                    for x, y in zip(at // per_row, at % per_row, strict=True)
                ]
            )
        )

    fuels, fires = jax.tree.map(cut, fuel), jax.tree.map(cut, fire)
    update = build(jax.vmap(burn, (0, 0, None)), fuels, fires, jnp.uint32(1))
    (timing,) = measure(partial(update.call, fuels, fires, jnp.uint32(1)), budget=3.0)
    yield {
        "side": side,
        "maps": maps,
        "alight": int(fires.burning.sum()),
        **milliseconds(timing, "update"),
        "updates_per_s": round(maps / timing.median),
        **update.figures,
        **peak(),
    }


def run_crew(units: int, side: int) -> Iterator[dict[str, Any]]:
    """Time one tick (100 frames) of a crew in motion: trees, frames, fire and explored map.

    Of twenty units fourteen are firefighters, one a bulldozer, three drones and two helicopters; all follow a plan.
    """
    params, orders, game, key = make_crew(units, side)
    program = build(tick, params, orders, game, key)
    for _ in range(BURNING):
        game, _ = program.call(params, orders, game, key)
    (timing,) = measure(partial(program.call, params, orders, game, key), budget=2.0)
    yield {
        "units": units,
        "side": side,
        **milliseconds(timing, "tick"),
        "frames_per_s": round(100 / timing.median),
        "published_mb": _PUBLISHED_MB.get((units, side)),
        **program.figures,
        **peak(),
    }


def make_crew(units: int, side: int) -> tuple[Params, Orders, Game, Array]:
    """Arguments of `tick` for a crew of twentieths by type at the start of a game; the key is a scalar."""
    firefighters, bulldozers, drones, helicopters = (int(n) for n in _CREW * units // _CREW.sum())
    world = load_level(
        "full_environment",
        1,
        size=side,
        firefighters=firefighters,
        bulldozers=bulldozers,
        drones=drones,
        helicopters=helicopters,
    )
    params, key = world.params, jax.random.key(0)
    plan = read_plan(_plan(firefighters, firefighters + bulldozers, units, side), world)
    orders = jax.jit(make_orders)(params, plan)
    return params, orders, jax.jit(begin)(params, orders, key), key


def alight(ground: Map, times: int, share: float) -> tuple[Fuel, Fire]:
    """A map, repeated, a while after so large a share of its cells was lit."""

    def wide(layer: Any) -> jax.Array:
        return jnp.asarray(np.tile(layer, (times, times, *[1] * (np.ndim(layer) - 2))))

    fuel = make_fuel(wide(ground.elevation), wide(ground.moisture), wide(ground.wind))
    start = np.random.default_rng(1).random(fuel.verdict.shape) < share
    fire = make_fire(wide(ground.burnable), wide(ground.trees), wide(ground.building), jnp.asarray(start))
    return fuel, _burn_on(fuel, fire)


@jax.jit
def _burn_on(fuel: Fuel, fire: Fire) -> Fire:
    def update(number: UInt[Array, ""], fire: Fire) -> Fire:
        return burn(fuel, fire, number)

    burnt: Fire = jax.lax.fori_loop(jnp.uint32(0), jnp.uint32(BURNING), update, fire)
    return burnt


def _plan(firefighters: int, ground_units: int, units: int, side: int) -> str:
    far = side - 2
    groups = [
        (f"[0:{firefighters}]", (1, far), "go_to"),
        (f"[{firefighters}:{ground_units}]", (far, 1), "clear_line"),
        (f"[{ground_units}:{units}]", (far, far), "scout"),
    ]
    lines = ["BEGIN PLAN", "Step 0:", "prerequisites: []", "objective: extinguish"]
    for who, (x, y), behaviour in groups:
        lines += [f"units: {who}", f"- target position: ({x}, {y})", f"- behavior: {behaviour}"]
    return "\n".join([*lines, "END PLAN"])
