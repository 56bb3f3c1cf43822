"""One game, replayed from its seed and recorded for pictures, movies, replays and explanations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jaxtyping import Array, Bool, Float, Float16, Int, Key, UInt8, UInt16

import bt
import dsl
from hive.batch.result import Progress
from hive.battle.course import Course, Group, Step, join
from hive.battle.recording import Recording, kept_frames
from hive.battle.world import Battle
from hive.engine.deciding import Decision
from hive.engine.episode import Game, advance_watched, begin
from hive.engine.objective import score
from hive.engine.reading import read_tree
from hive.engine.swapping import in_turn, swap
from hive.plan.arrays import make_orders
from hive.types import ATTACK, ENEMY, OUTCOMES, PLAYER, RUNNING, Orders, Params, Plan
from hive.world.fire import CONDITIONS
from hive.world.layers import Layer

_SEGMENT = 64  # ticks kept on the device before the host takes them


class Frame(struct.PyTreeNode, kw_only=True):
    """One tick in compact form; indices are int16 where they fit."""

    position: UInt16[Array, "n 2"]  # in units of the map's side / 65535
    health: Float16[Array, " n"]
    attack: Int[Array, " n"]  # id of the unit attacked in the tick, or -1
    group: Int[Array, " n"]  # group that commands the unit after the tick, or -1
    leaf: Int[Array, " n"]  # leaf that won in the tick, counted over all trees at their capacity, or -1
    active: Bool[Array, " p"]  # whether each step of both sides is active
    score: Float[Array, ""]
    fire: UInt8[Array, "x y"] | None  # codes of `hive.battle.recording`


def record(
    world: Battle, plan: Plan, seed: int, *, title: str = "", progress: Progress | None = None,
    every: int = 1, swaps: Sequence[tuple[int, Plan]] = (),
) -> Recording:  # fmt: skip
    """Play one game and keep its frames.

    Args:
        world: What to play on.
        plan: The player's plan.
        seed: The game's seed; the game is the same as in `hive.play`.
        title: Heading of the pictures.
        progress: As in `hive.play`.
        every: Ticks between two kept frames; the first and the last tick of each plan are always kept.
        swaps: As in `hive.play`.

    Returns:
        The recording, tick 0 included.

    Raises:
        ValueError: `every` is below 1, or a plan does not hold its source.
    """
    params, key = world.params, jax.random.key(seed)
    turns = in_turn(plan, swaps)
    orders = _orders(params, turns[0][0])
    game = _begin(params, orders, key)
    frames = [jax.tree.map(lambda leaf: np.asarray(leaf)[None], _first(params, orders, game))]
    ticks = [np.zeros(1, int)]
    parts: list[Frame] = []
    courses: list[Course] = []
    for turn, (now, end) in enumerate(turns):
        if turn:
            orders, game = swap(params, orders, game, now)
        while int(game.outcome) == RUNNING and int(game.state.tick) < end:
            game, log, rows = _advance(params, orders, game, key, jnp.int32(end))
            last = int(game.state.tick)
            tick = np.arange(last - int(rows), last) + 1
            kept = kept_frames(tick, every) | ((tick == last) & ((int(game.outcome) != RUNNING) | (last == end)))
            frames.append(jax.tree.map(lambda leaf, rows=tick.size, kept=kept: np.asarray(leaf)[:rows][kept], log))
            ticks.append(tick[kept])
            if progress:
                progress(last, (OUTCOMES[int(game.outcome)],))
        if frames:
            parts.append(jax.tree.map(lambda *leaves: np.concatenate(leaves), *frames))
            courses.append(_course(world, now, game, parts[-1]))
            frames = []
    whole: Frame = jax.tree.map(
        lambda *leaves: np.concatenate(leaves), *[part.replace(group=(), active=()) for part in parts]
    )
    side = params.terrain.size
    return Recording(
        title=title or world.scenario.title,
        kind=world.kind,
        side=np.asarray(params.units.side),
        type=np.asarray(params.units.type),
        tick=np.concatenate(ticks),
        position=np.asarray(whole.position, np.float32) * np.float32(side / 65535),
        health=np.asarray(whole.health),
        max_health=np.asarray(params.types.max_health[params.units.type]),
        attack=np.asarray(whole.attack),
        targets=list(dict.fromkeys((float(x), float(y), "") for now, _ in turns for x, y in np.asarray(now.place))),
        markers={letter: (float(x), float(y)) for letter, (x, y) in world.scenario.markers.items()},
        course=replace(join(courses), outcome=OUTCOMES[int(game.outcome)]),
        fire=None if whole.fire is None else Layer.of(np.asarray(whole.fire)),
    )


def _course(world: Battle, plan: Plan, game: Game, whole: Frame) -> Course:
    """Describe what commanded the units, without the padding of the plans."""
    steps: list[Step] = []
    groups: list[Group] = []
    real: list[int] = []  # rows of the joined plans that are steps
    achieved = np.asarray(game.progress.achieved)
    enemy = world.params.enemy
    numbers = np.full(plan.tree.shape[0] + enemy.tree.shape[0] + 1, -1, whole.group.dtype)  # the last serves index -1
    first_step = first_group = 0
    for side, part in ((PLAYER, plan), (ENEMY, enemy)):
        if part.source is None:
            raise ValueError("the plan does not hold its source: give the one that `hive.read_plan` returned")
        number = first_group
        for at, step in enumerate(part.source.steps, first_step):
            for group in step.groups:
                numbers[number], number = len(groups), number + 1
                words = (group.behaviour, *(group.types or ("any",)))
                groups.append(Group(len(steps), dsl.format_units(group.units), group.target, " ".join(words)))
            objective = dsl.format_objective(step.objective)
            steps.append(Step(side, step.id, step.prerequisites, objective, int(achieved[at])))
            real.append(at)
        first_step += part.exists.shape[0]
        first_group += part.tree.shape[0]
    leaves, place = _leaves(world, whole.leaf.dtype)
    return Course(
        steps=tuple(steps),
        groups=tuple(groups),
        leaves=leaves,
        active=np.asarray(whole.active)[:, real],
        group=numbers[np.asarray(whole.group)],
        leaf=place[np.asarray(whole.leaf)],
        score=np.asarray(whole.score),
        score_is=world.score_is,
        outcome=OUTCOMES[int(game.outcome)],
    )


def _leaves(world: Battle, dtype: np.dtype) -> tuple[tuple[tuple[str, str], ...], np.ndarray]:
    """Return behaviour and text of each leaf, and its index by the number in frames; -1 maps to -1."""
    capacity = world.params.behaviours.leaves.op.shape[1]
    leaves: list[tuple[str, str]] = []
    place = np.full(len(world.behaviours) * capacity + 1, -1, dtype)
    for tree, name in enumerate(world.behaviours):
        texts = [dsl.format_tree(leaf) for leaf in bt.flatten(read_tree(name, world.scenario.trees)).leaves]
        place[tree * capacity : tree * capacity + len(texts)] = np.arange(len(texts)) + len(leaves)
        leaves += [(name, text) for text in texts]
    return tuple(leaves), place


def _index(values: Array, top: int) -> Array:
    """Return indices from -1 to below `top` in the smallest type that holds them."""
    return values.astype(jnp.int16 if top <= 1 << 15 else jnp.int32)


def _frame(params: Params, orders: Orders, game: Game, attack: Array, leaf: Array) -> Frame:
    state = game.state
    fire = None
    if state.fire is not None:  # the conditions from `ignited` on
        fire = jnp.maximum(state.fire.condition, CONDITIONS.index("not_burnable")) - CONDITIONS.index("not_burnable")
    part = jnp.clip(jnp.round(state.position * (65535 / params.terrain.size)), 0, 65535)
    return Frame(
        position=part.astype(jnp.uint16),
        health=state.health.astype(jnp.float16),
        attack=_index(attack, params.count),
        group=_index(game.progress.group, orders.plan.tree.shape[0]),
        leaf=_index(leaf, params.behaviours.leaves.op.size),
        active=game.progress.active,
        score=score(params, state),
        fire=fire,
    )


@jax.jit
def _first(params: Params, orders: Orders, game: Game) -> Frame:
    nobody = jnp.full(params.count, -1, jnp.int32)
    return _frame(params, orders, game, nobody, nobody)


def _watch(params: Params, orders: Orders, game: Game, decision: Decision) -> Frame:
    action, winner = decision.action, decision.ticked.winner
    attack = jnp.where(action.kind == ATTACK, action.target, -1)
    leaf = decision.tree * params.behaviours.leaves.op.shape[1] + winner
    return _frame(
        params, orders, game, attack, jnp.where((winner >= 0) & decision.commanded & game.state.alive, leaf, -1)
    )


_orders, _begin = jax.jit(make_orders), jax.jit(begin)


@partial(jax.jit, donate_argnums=2)
def _advance(
    params: Params, orders: Orders, game: Game, key: Key[Array, ""], until: Int[Array, ""]
) -> tuple[Game, Frame, Array]:
    return advance_watched(params, orders, game, key, _watch, _SEGMENT, until)
