"""One game played again from its seed and kept for pictures, movies, replays and explanations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jaxtyping import Array, Bool, Float, Float16, Int, Key, UInt8, UInt16

import bt
import dsl
import scenarios
from hive import types
from hive.assembly import World, plan_text
from hive.episode import Game, advance, advance_watched, begin
from hive.objective import score
from hive.plan.arrays import make_orders
from hive.result import SCORE_IS, Progress
from hive.swapping import in_turn, swap
from hive.types import ATTACK, ENEMY, OUTCOMES, PLAYER, RUNNING, Orders, Params, Plan
from hive.units import draws
from hive.units.behaviours import ANY_TYPE
from hive.units.decide import Decision, decide
from hive.units.leaves import UNIT_TYPES
from hive.view.course import Course, Group, Step, join
from hive.view.recording import Recording, kept_frames
from hive.world.fire import CONDITIONS
from hive.world.layers import Layer

_SEGMENT = 64  # ticks kept on the device before the host takes them


class Frame(struct.PyTreeNode, kw_only=True):
    """One tick in compact form; indices are int16 where they fit."""

    position: UInt16[Array, "n 2"]  # parts of the map's side, 65535 to the whole
    health: Float16[Array, " n"]
    attack: Int[Array, " n"]  # id of the unit attacked in the tick, or -1
    group: Int[Array, " n"]  # group that commands the unit after the tick, or -1
    leaf: Int[Array, " n"]  # leaf that won in the tick, counted over all trees at their capacity, or -1
    active: Bool[Array, " p"]  # of both sides' steps
    score: Float[Array, ""]
    fire: UInt8[Array, "x y"] | None  # codes of `hive.view.recording`


def record(
    world: World, plan: Plan, seed: int, *, title: str = "", progress: Progress | None = None,
    numbers: Sequence[Sequence[int]] | None = None, every: int = 1, swaps: Sequence[tuple[int, Plan]] = (),
) -> Recording:  # fmt: skip
    """Play one game and keep its frames.

    Args:
        world: What to play on.
        plan: The player's plan.
        seed: The game's seed; the game is the same as in `hive.play`.
        title: Heading of the pictures.
        progress: As in `hive.play`.
        numbers: Of each plan of the player, the numbers of its steps as written; None: counted from 0.
        every: Ticks between two kept frames; the first and the last tick of each plan are always kept.
        swaps: As in `hive.play`.

    Returns:
        The recording, tick 0 included.

    Raises:
        ValueError: `every` is below 1.
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
            courses.append(_course(world, orders.plan, game, parts[-1], numbers[turn] if numbers else None))
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


def _course(world: World, both: Plan, game: Game, whole: Frame, numbers: Sequence[int] | None) -> Course:
    """Say in words what the arrays of both plans mean, and drop their padding."""
    both = jax.tree.map(np.asarray, both)
    real = np.flatnonzero(both.exists)
    mine = np.arange(len(both.exists)) < len(both.exists) - len(world.params.enemy.exists)
    written = [*(numbers if numbers is not None else range(int(mine[real].sum()))), *_enemy_numbers(world)]
    named = dict(zip(real.tolist(), written, strict=True))
    achieved = np.asarray(game.progress.achieved)
    steps = []
    for step in real:
        side = PLAYER if mine[step] else ENEMY
        after = tuple(named[int(other)] for other in np.flatnonzero(both.prerequisite[step]))
        objective = _objective(both, int(step), 1 - side, world.sizes)
        steps.append(Step(side, named[int(step)], after, objective, int(achieved[step])))
    groups: list[Group] = []
    renamed = np.full(len(both.step) + 1, -1, whole.group.dtype)  # the last entry serves index -1
    for group in range(len(both.step)):
        members = np.flatnonzero((both.member == group).any(0))
        if members.size:
            renamed[group] = len(groups)
            of = int(both.step[group])
            units = _units(members, PLAYER if mine[of] else ENEMY, world.sizes)
            x, y = both.place[both.target[group]].tolist()
            words = (world.behaviours[both.tree[group]], *_types(int(both.types[group])))
            groups.append(Group(int(np.searchsorted(real, of)), units, (x, y), " ".join(words)))
    capacity = world.params.behaviours.leaves.op.shape[1]
    leaves: list[tuple[str, str]] = []
    place = np.full(len(world.behaviours) * capacity + 1, -1, whole.leaf.dtype)
    for tree, name in enumerate(world.behaviours):
        texts = [dsl.format_tree(leaf) for leaf in bt.flatten(dsl.parse_tree(scenarios.tree(name), name)).leaves]
        place[tree * capacity : tree * capacity + len(texts)] = np.arange(len(texts)) + len(leaves)
        leaves += [(name, text) for text in texts]
    return Course(
        steps=tuple(steps),
        groups=tuple(groups),
        leaves=tuple(leaves),
        active=np.asarray(whole.active)[:, real],
        group=renamed[np.asarray(whole.group)],
        leaf=place[np.asarray(whole.leaf)],
        score=np.asarray(whole.score),
        score_is=SCORE_IS[world.scenario.player.objective.kind],
        outcome=OUTCOMES[int(game.outcome)],
    )


def _objective(both: Plan, step: int, foe: int, sizes: tuple[int, int]) -> str:
    """Write the objective of a step against the side `foe` as a plan does."""
    x, y, *more = both.number[step].tolist()
    words: dsl.Objective = dsl.Position()
    match int(both.objective[step]):
        case types.ELIMINATION:
            return f"elimination {_units(np.flatnonzero(both.foe[step]), foe, sizes)}"
        case types.CUT:
            words = dsl.Cut(tuple((x, y) for of, x, y in both.cell.tolist() if of == step))
        case types.EXTINGUISH:
            words = dsl.Extinguish()
        case types.CONTAIN:
            words = dsl.Contain((x, y), more[0])
        case types.RESCUE:
            words = dsl.Rescue(more[0], (x, y))
        case types.TRANSPORT:
            words = dsl.Transport(more[0], (x, y))
        case types.SCOUT:
            words = dsl.Scout(((x, y), (more[0], more[1])))
        case types.SCOUT_FIRE:
            words = dsl.Scout(None)
    return dsl.format_objective(words)


def _enemy_numbers(world: World) -> list[int]:
    source = world.scenario.enemy.plan
    return (
        [] if source is None else [step.id for step in dsl.parse_plan(*plan_text(source), world.context(ENEMY)).steps]
    )


def _units(rows: np.ndarray, side: int, sizes: tuple[int, int]) -> str:
    """Write the ids of one side's units as a plan does."""
    ids = rows - sizes[PLAYER] * side
    if len(ids) == sizes[side]:
        return "all"
    runs = np.split(ids, np.flatnonzero(np.diff(ids) > 1) + 1)
    return f"[{', '.join(f'{run[0]}:{run[-1] + 1}' if len(run) > 1 else f'{run[0]}' for run in runs)}]"


def _types(bits: int) -> list[str]:
    return ["any"] if bits == ANY_TYPE else [name for kind, name in enumerate(UNIT_TYPES) if bits >> kind & 1]


def _index(values: Array, top: int) -> Array:
    """Indices from -1 to below `top` in few bytes."""
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


_orders, _begin, _until = jax.jit(make_orders), jax.jit(begin), jax.jit(advance)


@jax.jit
def _decide(params: Params, orders: Orders, game: Game, word: Any) -> Decision:
    return decide(params, orders, game.progress, game.state, word)


@partial(jax.jit, donate_argnums=2)
def _advance(
    params: Params, orders: Orders, game: Game, key: Key[Array, ""], until: Int[Array, ""]
) -> tuple[Game, Frame, Array]:
    return advance_watched(params, orders, game, key, _watch, _SEGMENT, until)
