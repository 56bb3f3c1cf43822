"""Battlefields of one shape above the dense limit and one below it: units on rough ground in every awkward place."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

import dsl
import scenarios
from dsl.vocabulary import BATTLE_FORMS, CREW_BEHAVIOURS, UNIT_TYPES
from hive.engine.behaviours.tables import Behaviours, compile_behaviours
from hive.engine.leaves import encode
from hive.engine.types import Orders, Params, Plan, Progress, State
from hive.engine.units.leaves import type_bits
from hive.ground.distance import distance_maps
from hive.ground.shapes import Ground
from hive.ground.sizes import CPU
from tests.bt.reference import random_tree
from tests.engine.worlds import empty_plan, make_params, make_state

COUNT = CPU.dense + 24  # above the dense limit
FEW = 96  # all pairs meet at once
SIDE = 52  # metres; no multiple of a cell of the sweep
GROUPS = 16
TARGETS = ((5, 5), (26, 26), (45, 8), (10, 47))
TYPES = ((), ("spearmen",), ("archer", "cavalry"), ("any",))
LAYOUTS = ("scattered", "rough", "one cell", "one metre", "one side", "border", "mostly dead", "one point")


def terrain(rng: np.random.Generator, layout: str) -> np.ndarray:
    kind = np.zeros((SIDE, SIDE), np.uint8)
    if layout in ("scattered", "one side"):
        return kind
    for value, count, least, most in ((Ground.FOREST, 6, 3, 9), (Ground.BUILDING, 8, 1, 3), (Ground.WATER, 2, 2, 5)):
        for _ in range(count):
            x, y = rng.integers(0, SIDE, 2)
            w, h = rng.integers(least, most + 1, 2)
            kind[x : x + w, y : y + h] = value
    kind[:, 33:35] = Ground.WATER
    kind[20:24, 33:35] = 0  # a bridge
    return kind


def positions(rng: np.random.Generator, layout: str, kind: np.ndarray, count: int) -> np.ndarray:
    free = np.argwhere((kind & (Ground.BUILDING | Ground.WATER)) == 0)
    at = free[rng.integers(0, len(free), count)] + rng.uniform(0.01, 0.99, (count, 2))
    if layout == "one cell":
        at = np.array([26, 12]) + rng.uniform(0, 1, (count, 2))
    if layout == "one metre":
        at[:100] = np.array([14.6, 14.6]) + rng.uniform(0, 1, (len(at[:100]), 2))  # across the sweep's cells
    if layout == "one point":
        at[:40] = [30.25, 15.0]
    if layout == "border":
        edge = rng.integers(0, 4, count)
        at[edge == 0, 0], at[edge == 1, 0] = 0, SIDE
        at[edge == 2, 1], at[edge == 3, 1] = 0.001, SIDE - 0.001
    return at.astype(np.float32)


def battlefield(
    seed: int, layout: str, behaviours: Behaviours, count: int = COUNT, **rules: float
) -> tuple[Params, State]:
    """A random world: units of all types, of both sides, hurt, armed and dead ones, rows in no order of ids."""
    rng = np.random.default_rng([seed, LAYOUTS.index(layout)])
    kind = terrain(rng, layout)
    at = positions(rng, layout, kind, count)
    side, types = rng.integers(0, 2, count), rng.choice(6, count, p=(0.3, 0.3, 0.25, 0.05, 0.05, 0.05))
    if layout == "one side":
        side[:] = 0
    params = make_params(side, types, kind, behaviours, rng.permutation(count), **rules)
    full = np.asarray(params.types.max_health)[types]
    health = np.maximum(np.round(rng.uniform(0, 1, count) * full), 1)
    health[rng.random(count) < (0.9 if layout == "mostly dead" else 0.15)] = 0
    return params, make_state(at, health, rng.integers(-2, 2, count))


def contact(each: int = 500) -> tuple[Params, State]:
    """Two armies that have met: all on 16 x 8 metres, round a house and a wood, some dead, rows in no order of ids."""
    rng = np.random.default_rng(each)
    count = 2 * each
    kind = np.zeros((SIDE, SIDE), np.uint8)
    kind[22:24, 25:26], kind[28:31, 24:27] = Ground.BUILDING, Ground.FOREST
    side, types = rng.permutation(np.arange(count) % 2), rng.integers(0, 3, count)
    at = np.stack([rng.uniform(18, 34, count), 22 + 3.8 * side + rng.uniform(0, 4.2, count)], -1)
    params = make_params(
        side, types, kind, tables(published()), rng.permutation(count), movement_randomness=5, jitter=0.02, firmness=0.2
    )
    health = np.ceil(rng.uniform(0, 1, count) * np.asarray(params.types.max_health)[types])
    return params, make_state(at, np.where(rng.random(count) < 0.1, 0, health), rng.integers(-2, 2, count))


def orders_for(
    params: Params, groups: list[tuple[int, int, tuple[str, ...]]], targets: tuple[tuple[int, int], ...] = TARGETS
) -> Orders:
    """Orders of groups (tree, index into `targets`, target types), to be handed out by `Progress`."""
    plan: Plan = empty_plan(params.count, steps=GROUPS).replace(
        tree=jnp.asarray([g[0] for g in groups], jnp.int32),
        target=jnp.asarray([g[1] for g in groups], jnp.int32),
        types=jnp.asarray([type_bits(g[2]) for g in groups], jnp.int32),
        place=jnp.asarray(targets, jnp.int32),
    )
    maps = distance_maps(params.terrain, plan.place)
    return Orders(plan=plan, distance=maps, owner=jnp.zeros(GROUPS, jnp.int32))


def progress_of(group: np.ndarray) -> Progress:
    return Progress(
        achieved=jnp.full(GROUPS, -1, jnp.int32),
        active=jnp.ones(GROUPS, bool),
        group=jnp.asarray(group, jnp.int32),
    )


def published() -> list[dsl.Node]:
    return [dsl.parse_tree(scenarios.tree(name)) for name in scenarios.trees() if name not in CREW_BEHAVIOURS]


def mixed_trees(count: int = 25, leaves: int = 8) -> list[dsl.Node]:
    """The published trees and random ones that hold every form of every atomic of battles."""
    rng = np.random.default_rng(5)
    bag: list[dsl.Leaf] = []

    def draw() -> dsl.Leaf:
        if not bag:
            bag.extend(dsl.Leaf(role=form.role, name=form.name) for form in BATTLE_FORMS)
            forms = [BATTLE_FORMS[i] for i in rng.permutation(len(BATTLE_FORMS))]
            bag[:] = [
                dsl.Leaf(
                    role=form.role,
                    name=form.name,
                    args=tuple(str(rng.choice(slot)) for slot in form.slots),
                    types=_types(rng) if form.types else (),
                )
                for form in forms
            ]
        return bag.pop()

    def fill(node: dsl.Node) -> dsl.Node:
        return draw() if isinstance(node, dsl.Leaf) else type(node)(tuple(fill(child) for child in node.children))

    trees = published()
    return trees + [fill(random_tree(rng, leaves)) for _ in range(count - len(trees))]


def _types(rng: np.random.Generator) -> tuple[str, ...]:
    if rng.random() < 0.4:
        return ("any",)
    return tuple(str(t) for t in rng.choice(UNIT_TYPES[:3], rng.integers(0, 3), replace=False))


def tables(trees: list[dsl.Node]) -> Behaviours:
    return compile_behaviours(trees, encode)
