"""Recording of one game while it is played, for pictures, movies and replays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jaxtyping import Array, Bool, Float, Float16, Int, UInt8, UInt16
from numpy.typing import NDArray

import bt
import dsl
from hive.engine.batch.playing import play_recorded
from hive.engine.batch.result import GameProgress
from hive.engine.course import PlanTable
from hive.engine.deciding import Decision
from hive.engine.episode import Game, Observer
from hive.engine.objective import score
from hive.engine.reading import read_tree
from hive.engine.recorder import source_of
from hive.engine.swapping import Turn, in_turn
from hive.engine.types import OUTCOMES, ActionKind, Orders, Outcome, Params, Plan
from hive.ground.layers import Layer
from hive.worlds.battle.burning import fire_codes
from hive.worlds.battle.course import Course, join
from hive.worlds.battle.recording import BattleRecording, kept_frames
from hive.worlds.battle.world import Battle

_OF_UNITS = ("position", "health", "attack", "group", "leaf")  # fields of a frame with a column for each unit


class BattleFrame(struct.PyTreeNode, kw_only=True):
    """One tick in compact form; indices are int16 where they fit."""

    tick: Int[Array, ""]
    outcome: Int[Array, ""]
    achieved: Int[Array, " p"]  # tick of each of both sides' steps, -1 if not yet
    position: UInt16[Array, "n 2"]  # in units of the map's side / 65535
    health: Float16[Array, " n"]
    attack: Int[Array, " n"]  # id of the unit attacked in the tick, or -1
    group: Int[Array, " n"]  # group that commands the unit after the tick, or -1
    leaf: Int[Array, " n"]  # leaf that won in the tick, counted over all trees at their capacity, or -1
    active: Bool[Array, " p"]  # whether each step of both sides is active
    score: Float[Array, ""]
    fire: UInt8[Array, "x y"] | None  # codes of `hive.worlds.battle.recording`


class GameRecorder:
    """Records the first game that `hive.play` plays, without playing it a second time; pass it as `recorder`."""

    def __init__(
        self,
        world: Battle,
        plan: Plan,
        swaps: Sequence[tuple[int, Plan]] = (),
        *,
        every: int = 1,
        enemy_swaps: Sequence[tuple[int, Plan]] = (),
    ) -> None:
        """Prepare to record a game.

        Args:
            world: The world that is played.
            plan: The player's plan.
            swaps: As in `hive.play`.
            every: Ticks between two kept frames; the first and the last tick of each plan are always kept.
            enemy_swaps: As in `hive.play`.

        Raises:
            ValueError: `every` is below 1, a plan does not hold its source, or swaps are out of order.
        """
        kept_frames(np.zeros(0, int), every)  # refuses a wrong `every` before the game
        self._world, self._every = world, every
        self._turns = in_turn(plan, swaps, world.params.enemy, enemy_swaps)
        for part in (plan, world.params.enemy, *(each for _, each in (*swaps, *enemy_swaps))):
            source_of(part)  # raises
        self._frames: list[list[BattleFrame]] = [[] for _ in self._turns]
        self._turn, self._outcome = 0, int(Outcome.RUNNING)

    @property
    def watch(self) -> Observer:
        """The function that returns the `BattleFrame` of a tick."""
        return watch_tick

    def take(self, turn: int, seen: BattleFrame) -> None:
        """Take the frames of some ticks under plan number `turn`."""
        tick = np.asarray(seen.tick)
        if not tick.size:
            return
        self._outcome = int(seen.outcome[-1])
        ends = self._outcome != Outcome.RUNNING or tick[-1] == self._turns[turn].until
        kept = kept_frames(tick, self._every) | ((tick == tick[-1]) & ends)
        if turn != self._turn:  # the frame that a later plan begins with is the last of the plan before
            self._turn, kept[0] = turn, False
        if kept.any():
            frames: BattleFrame = jax.tree.map(lambda leaf: np.asarray(leaf)[kept], seen)
            units = {name: getattr(frames, name)[:, : self._world.params.count] for name in _OF_UNITS}
            self._frames[turn].append(frames.replace(**units))

    def recording(self, title: str = "") -> BattleRecording:
        """Return the game, tick 0 included, once it has been played.

        Args:
            title: Heading of the pictures; empty: that of the scenario.
        """
        world, params, turns = self._world, self._world.params, self._turns
        parts: list[BattleFrame] = []
        courses: list[Course] = []
        for turn, frames in zip(turns, self._frames, strict=True):
            if frames:
                parts.append(jax.tree.map(lambda *leaves: np.concatenate(leaves), *frames))
                courses.append(_course(world, turn, parts[-1]))
        merged: BattleFrame = jax.tree.map(
            lambda *leaves: np.concatenate(leaves),
            *[part.replace(group=(), active=(), achieved=()) for part in parts],
        )
        side, unit = params.terrain.size, np.asarray(params.units.type)
        return BattleRecording(
            title=title or world.scenario.title,
            kind=world.kind,
            side=np.asarray(params.units.side),
            type=unit,
            tick=np.asarray(merged.tick, int),
            position=np.asarray(merged.position, np.float32) * np.float32(side / 65535),
            health=np.asarray(merged.health),
            max_health=np.asarray(params.types.max_health)[unit],
            attack=np.asarray(merged.attack),
            targets=list(
                dict.fromkeys((float(x), float(y), "") for turn in turns for x, y in np.asarray(turn.player.place))
            ),
            markers={letter: (float(x), float(y)) for letter, (x, y) in world.scenario.markers.items()},
            course=replace(join(courses, [turn.begins for turn in turns]), outcome=OUTCOMES[self._outcome]),
            fire=None if merged.fire is None else Layer.of(np.asarray(merged.fire)),
            radius=np.asarray(params.types.radius),
        )


def record(
    world: Battle, plan: Plan, seed: int, *, title: str = "", progress: GameProgress | None = None,
    every: int = 1, swaps: Sequence[tuple[int, Plan]] = (), enemy_swaps: Sequence[tuple[int, Plan]] = (),
) -> BattleRecording:  # fmt: skip
    """Play one game and keep its frames.

    Args:
        world: What to play on.
        plan: The player's plan.
        seed: The game's seed; the game is the same as in `hive.play`.
        title: Heading of the pictures.
        progress: As in `hive.play`.
        every: Ticks between two kept frames; the first and the last tick of each plan are always kept.
        swaps: As in `hive.play`.
        enemy_swaps: As in `hive.play`.

    Returns:
        The recording, tick 0 included.

    Raises:
        ValueError: `every` is below 1, a plan does not hold its source, or as in `hive.play`.
    """
    recorder = GameRecorder(world, plan, swaps, every=every, enemy_swaps=enemy_swaps)
    play_recorded(world, plan, seed, recorder, swaps=swaps, enemy_swaps=enemy_swaps, progress=progress)
    return recorder.recording(title)


def _course(world: Battle, turn: Turn, merged: BattleFrame) -> Course:
    """Describe what commanded the units."""
    plan = turn.player
    table = PlanTable.of(world, plan, (plan.exists.shape[0], plan.tree.shape[0]), turn.enemy)
    achieved = merged.achieved[-1, table.rows]
    leaves, place = leaf_table(world)
    return Course(
        steps=tuple(replace(step, achieved=int(at)) for step, at in zip(table.steps, achieved, strict=True)),
        groups=table.groups,
        leaves=leaves,
        active=np.asarray(merged.active)[:, table.rows],
        group=table.numbers.astype(merged.group.dtype)[np.asarray(merged.group)],
        leaf=place.astype(merged.leaf.dtype)[np.asarray(merged.leaf)],
        score=np.asarray(merged.score),
        score_is=world.score_is,
        outcome=OUTCOMES[int(merged.outcome[-1])],
    )


def leaf_table(world: Battle) -> tuple[tuple[tuple[str, str], ...], NDArray[np.int32]]:
    """Return behaviour and text of each leaf, and `[trees * capacity + 1]` its index by the number in frames.

    The last entry, where the number -1 leads, is -1.
    """
    capacity = world.params.behaviours.leaves.op.shape[1]
    leaves: list[tuple[str, str]] = []
    place = np.full(len(world.behaviours) * capacity + 1, -1, np.int32)
    for tree, name in enumerate(world.behaviours):
        texts = [dsl.format_tree(leaf) for leaf in bt.flatten(read_tree(name, world.scenario.trees)).leaves]
        place[tree * capacity : tree * capacity + len(texts)] = np.arange(len(texts)) + len(leaves)
        leaves += [(name, text) for text in texts]
    return tuple(leaves), place


def _index(values: Array, top: int) -> Array:
    """Return indices from -1 to below `top` in the smallest type that holds them."""
    return values.astype(jnp.int16 if top <= 1 << 15 else jnp.int32)


def _frame(params: Params, orders: Orders, game: Game, attack: Array, leaf: Array) -> BattleFrame:
    state = game.state
    fire = None if state.fire is None else fire_codes(state.fire.condition)
    part = jnp.clip(jnp.round(state.position * (65535 / params.terrain.size)), 0, 65535)
    return BattleFrame(
        tick=state.tick,
        outcome=game.outcome,
        achieved=game.progress.achieved,
        position=part.astype(jnp.uint16),
        health=state.health.astype(jnp.float16),
        attack=_index(attack, params.count),
        group=_index(game.progress.group, orders.plan.tree.shape[0]),
        leaf=_index(leaf, params.behaviours.leaves.op.size),
        active=game.progress.active,
        score=score(params, state),
        fire=fire,
    )


def watch_tick(params: Params, orders: Orders, game: Game, decision: Decision | None) -> BattleFrame:
    """Return what a recording keeps of a tick; an `Observer`. Without a decision no unit attacks and no leaf wins."""
    if decision is None:
        nothing = jnp.full(params.count, -1, jnp.int32)
        return _frame(params, orders, game, nothing, nothing)
    action, winner = decision.action, decision.ticked.winner
    attack = jnp.where(action.kind == ActionKind.ATTACK, action.target, -1)
    leaf = decision.tree * params.behaviours.leaves.op.shape[1] + winner
    return _frame(
        params, orders, game, attack, jnp.where((winner >= 0) & decision.commanded & game.state.alive, leaf, -1)
    )
