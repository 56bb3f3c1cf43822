"""The worlds that are measured: armies of any size at one density, scattered or in contact, open or in the woods.

Sizes count both sides together. The density is that of the paper's largest game, 4,000 units on 300 x 300 m, so a
larger army stands on a larger map and each unit meets as many neighbours. The trees are those of the published plan
of `coordinate`, one for each kind of group.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Key, UInt8

from hive.engine.episode import Game, begin_from
from hive.engine.plan.arrays import make_orders
from hive.engine.reading import read_plan
from hive.engine.types import ENEMY, Orders, Params, Plan, State
from hive.ground.shapes import Ground
from hive.ground.terrain import make_terrain
from hive.worlds.battle.scenario import parse_scenario
from hive.worlds.battle.world import Battle

_SIDE, _COUNT = 300.0, 4000  # metres and units that set the density
_BAND, _BAND_COUNT = (150.0, 30.0), 2000  # metres in which two armies of so many units meet
_FOREST = 0.3  # share of the cells
_WOOD = (4.0, 12.5)  # metres, radii of a wood
_LARGEST = 4096  # metres, the most that a scenario may ask for
_HEALTH = 1e6  # no unit dies while a tick is repeated, so that each run does all the work


@dataclass(frozen=True)
class MeasuredGame:
    """A running game at the instant that is measured."""

    params: Params
    orders: Orders
    game: Game
    key: Key[Array, ""]
    kind: UInt8[np.ndarray, "X Y"]  # of the ground


def side_of(units: int) -> int:
    """Metres of the map's side at which so many units stand at the density of 4,000 on 300 x 300.

    Above 740,000 units it is that of the largest map; 1,000,000 units are 1.34 times as dense there.
    """
    return min(max(8, round(_SIDE * math.sqrt(units / _COUNT))), _LARGEST)


def make_scene(units: int, layout: str = "scattered", ground: str = "open", side: int | None = None) -> MeasuredGame:
    """A game of so many units; the same each time.

    Args:
        units: Of both sides together, at least `rows.LEAST_UNITS`.
        layout: `scattered` over the map, both sides mixed; or in `contact`, two armies side by side in a band,
            2,000 units in 150 x 30 m and in proportion.
        ground: `open`, `forest` on 30% of the cells in woods of 8 to 25 m, or `walls`: woods on 15% and buildings.
        side: Metres; None: by the number of units.
    """
    side = side or side_of(units)
    world = _world(units, side)
    plan, enemy = (read_plan(_plan(number, world.sizes[number], side), world, side=number) for number in range(2))
    kind = make_ground(ground, side)
    params = world.params.replace(enemy=enemy, terrain=make_terrain(jnp.asarray(kind)))
    position = scatter(units, kind)[0] if layout == "scattered" else _line_up(world.sizes, side, kind)
    orders, game = _begin(params, plan, np.asarray(position, np.float32))
    return MeasuredGame(params, orders, game, jax.random.key(0), kind)


@jax.jit
def _begin(params: Params, plan: Plan, position: Float[Array, "n 2"]) -> tuple[Orders, Game]:
    """Both sides' orders, and a game at tick 0 with all units in their places."""
    orders = make_orders(params, plan)
    state = State(
        position=position,
        health=jnp.full(params.count, _HEALTH),
        cooldown=jnp.zeros(params.count, jnp.int32),
        tick=jnp.int32(0),
    )
    return orders, begin_from(params, orders, state)


def make_ground(name: str, side: int) -> UInt8[np.ndarray, "X Y"]:
    """Kinds of the cells of a map."""
    kind = np.full((side, side), Ground.NORMAL, np.uint8)
    if name == "open":
        return kind
    random = np.random.default_rng(side)
    if name == "walls":
        for _ in range(max(2, side * side // 500)):
            x, y = random.integers(0, side, 2)
            long, wide = (6, 1) if random.random() < 0.5 else (1, 6)
            kind[x : x + long, y : y + wide] = Ground.BUILDING
    share = _FOREST if name == "forest" else _FOREST / 2
    wanted = share * side * side
    while wanted > 0:
        centre, radius = random.uniform(0, side, 2), random.uniform(*_WOOD) * min(1.0, side / 100)
        low = np.maximum(np.floor(centre - radius).astype(int), 0)
        high = np.ceil(centre + radius).astype(int)
        part = kind[low[0] : high[0], low[1] : high[1]]
        x, y = np.indices(part.shape) + 0.5 + low[:, None, None]
        grows = ((x - centre[0]) ** 2 + (y - centre[1]) ** 2 <= radius**2) & (part == Ground.NORMAL)
        part[grows] = Ground.FOREST
        wanted -= grows.sum()
    return kind


def scatter(units: int, kind: UInt8[np.ndarray, "X Y"], worlds: int = 1) -> Float[np.ndarray, "w n 2"]:
    """Places all over the map, for several worlds, but none in a building; metres."""
    places = np.random.default_rng(1).uniform(0.01, len(kind) - 0.01, (worlds * units, 2))
    return _settle(places, kind).reshape(worlds, units, 2).astype(np.float32)


def _line_up(sizes: tuple[int, int], side: int, kind: UInt8[np.ndarray, "X Y"]) -> Float[np.ndarray, "n 2"]:
    """The player's army in the southern half of the band, the enemy's in the northern."""
    random = np.random.default_rng(1)
    wide, deep = (min(edge * math.sqrt(sum(sizes) / _BAND_COUNT), side - 1) for edge in _BAND)
    west, south = (side - wide) / 2, (side - deep) / 2
    armies = [
        np.stack([random.uniform(west, west + wide, size), random.uniform(low, low + deep / 2, size)], -1)
        for size, low in zip(sizes, (south, south + deep / 2), strict=True)
    ]
    return _settle(np.concatenate(armies), kind)


def _settle(position: Float[np.ndarray, "n 2"], kind: UInt8[np.ndarray, "X Y"]) -> Float[np.ndarray, "n 2"]:
    """Move each unit that stands in a building to a free cell nearby."""
    random = np.random.default_rng(2)

    def stuck() -> Bool[np.ndarray, " n"]:
        cell = position.astype(int)
        return kind[cell[:, 0], cell[:, 1]] == Ground.BUILDING

    while (bad := stuck()).any():
        moved = position[bad] + random.uniform(-3, 3, (int(bad.sum()), 2))
        position[bad] = np.clip(moved, 0.01, len(kind) - 0.01)
    return position


def _world(units: int, side: int) -> Battle:
    player, enemy = units - units // 2, units // 2
    return Battle(
        parse_scenario(
            f"""
version = 1
title = "Bench"
summary = "what is measured"
map = {{ size = {side} }}
rules = {{ limit = 1000000 }}
[player]
behaviours = ["attack_and_move", "attack_in_long_range"]
units = [
  {{ type = "spearmen", count = {player - player // 2}, box = [0.5, 0.5, 0.01, 0.01] }},
  {{ type = "archer", count = {player // 2}, box = [0.5, 0.5, 0.01, 0.01] }},
]
[enemy]
behaviours = ["attack_in_close_range"]
units = [{{ type = "spearmen", count = {enemy}, box = [0.5, 0.5, 0.01, 0.01] }}]
""",
            "bench",
        )
    )


def _plan(side: int, size: int, edge: int) -> str:
    """Text of a plan of two steps and four groups, in the manner of the published plans of `coordinate`."""
    half = size - size // 2
    bounds = [0, half // 2, half, half + (size - half) // 2, size]
    trees = ["attack_in_close_range"] * 4 if side == ENEMY else ["attack_and_move"] * 2 + ["attack_in_long_range"] * 2
    lines = ["BEGIN PLAN"]
    for step, objective, north in ((0, "position", 0.3), (1, "elimination all", 0.5)):
        north = 1 - north if side == ENEMY else north
        lines += [f"Step {step}:", f"prerequisites: {[0] if step else []}", f"objective: {objective}"]
        for number, tree in enumerate(trees):
            place = (round((0.2 + 0.2 * number) * edge), round(north * edge))
            lines += [
                f"units: [{bounds[number]}:{bounds[number + 1]}]",
                f"- target position: ({place[0]}, {place[1]})",
                f"- behavior: {tree} any",
            ]
    return "\n".join([*lines, "END PLAN"])
