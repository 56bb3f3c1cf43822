"""A running game on the host that pauses at a tick and is told new plans; nothing is compiled again for a new plan."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int

import dsl
from dsl import UserError
from hive.engine.ending import Ending, explain_end, steps_at_end
from hive.engine.episode import Game, Observer, advance_watched
from hive.engine.instant import advance_game, begin_game, orders_of
from hive.engine.metrics import survivors
from hive.engine.reading import compile_text
from hive.engine.swapping import swap, with_room
from hive.engine.types import OUTCOMES, Orders, Params, Plan, State
from hive.engine.world import EngineWorld
from hive.kit.contract import Description
from hive.kit.plan_text import PlanText

_APART = 20  # ticks between two states that are kept to go back to


class LiveGame:
    """One game of a world; its plans and seed repeat it exactly, as `hive run --plan A --swap TICK=B --seed S` does.

    Attributes:
        world: What is played.
        seed: The game's seed.
        plans: Every plan with the tick from which it was followed, the first from 0.
    """

    def __init__(
        self, world: EngineWorld, plan: PlanText, seed: int = 0, room: Mapping[str, int] | None = None
    ) -> None:
        """Begin a game at tick 0.

        Args:
            world: What is played.
            plan: The player's first plan, without errors.
            seed: The game's seed.
            room: Least capacities for the plans to follow, as arguments of `with_room`; None: its defaults.

        Raises:
            DslError: The plan has errors.
        """
        self.world, self.seed, self._room = world, seed, dict(room or {})
        self.plans: list[tuple[int, PlanText]] = []
        self._key = jax.random.key(seed)
        self._params = world.params
        self._orders: Orders
        self._game: Game
        self._compiled: list[Plan] = []  # of each of `plans`
        self._kept: list[tuple[int, Orders, Game]] = []  # states to go back to, by tick; the first is that of tick 0
        self._program: tuple[Observer, int] | None = None  # with which `play_watched` was called
        self._begin(plan)

    @property
    def state(self) -> State:
        """Units and map now."""
        state: State = self._game.state
        return state

    @property
    def tick(self) -> int:
        """Ticks played."""
        return int(self.state.tick)

    @property
    def outcome(self) -> str:
        """How the game stands: `running`, or how it ended (docs/rules/battles.md 4)."""
        return OUTCOMES[int(self._game.outcome)]

    @property
    def over(self) -> bool:
        """Whether the game takes no more orders; one whose plan is finished does."""
        return self.outcome not in ("running", "plan_finished")

    @property
    def ending(self) -> Ending | None:
        """Why the game ended and what to try; None while it runs."""
        if self.outcome == "running":
            return None
        alive = np.asarray(survivors(self._params, self.state)).tolist()
        assert self.plan.source is not None, "a plan that was read keeps its source"
        steps = steps_at_end(self.plan.source, np.asarray(self._game.progress.achieved))
        return explain_end(self.world, self.outcome, self.tick, alive, steps)

    def play(self, ticks: int) -> int:
        """Play so many ticks, fewer if the game ends; return how many were played."""
        before = self.tick
        until = jnp.int32(min(before + max(ticks, 0), self.world.limit))
        self._game = advance_game(self._params, self._orders, self._game, self._key, until)
        return self.tick - before

    @property
    def plan(self) -> Plan:
        """The plan that is followed, with its source."""
        return self._compiled[-1]

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """Shapes of the orders; programs are compiled once for each."""
        return tuple(leaf.shape for leaf in jax.tree.leaves(self._orders))

    @property
    def own_sizes(self) -> tuple[int, int]:
        """Steps and groups that the orders hold for the player, padding included; those of the enemy follow them."""
        both, enemy = self._orders.plan, self._params.enemy
        return both.exists.shape[0] - enemy.exists.shape[0], both.tree.shape[0] - enemy.tree.shape[0]

    def look(self, watch: Observer) -> Any:
        """Return what `watch` returns for the game now, without a decision."""
        return _look(self._params, self._orders, self._game, watch=watch)

    def play_watched(self, ticks: int, watch: Observer, room: int) -> tuple[Any, Int[Array, ""]]:
        """Play so many ticks, fewer if the game ends, and keep what is seen of each.

        Args:
            ticks: At most `room`.
            watch: As in `hive.engine.episode.advance_watched`.
            room: Rows of the result; a program is compiled for each `watch` and `room`.

        Returns:
            What `watch` returned, with a leading axis of `room` rows, and how many rows are real.
        """
        self._program, tick = (watch, room), self.tick
        if tick >= self._kept[-1][0] + _APART:
            self._kept.append((tick, self._orders, self._game))
        until = jnp.int32(min(tick + min(ticks, room), self.world.limit))
        self._game, seen, count = _watched(
            self._params, self._orders, self._game, self._key, watch=watch, room=room, until=until
        )
        return seen, count

    def back(self, tick: int) -> None:
        """Go back to an earlier tick, and forget the plans that were given after it.

        Raises:
            ValueError: The game has not come so far.
        """
        if not 0 <= tick <= self.tick:
            raise ValueError(f"tick {tick} is none of those played, 0 to {self.tick}")
        while self.plans[-1][0] > tick:
            self.plans.pop()
            self._compiled.pop()
        while self._kept[-1][0] > tick:
            self._kept.pop()
        at, self._orders, self._game = self._kept[-1]
        if self._program is None:
            self.play(tick - at)
            return
        while self.tick < tick:  # the program that is compiled already
            self.play_watched(tick - self.tick, *self._program)

    def order(self, plan: PlanText) -> None:
        """Follow another plan from now on; a plan that was given at this tick already is replaced.

        Raises:
            DslError: The plan has errors.
            UserError: The game is over.
        """
        if self.over:
            raise UserError(f"the game is over after {self.tick} ticks: {self.outcome}\n  = help: begin another game")
        if not self.tick:  # nothing was played yet
            self._begin(plan)
            return
        compiled, tick = _compiled(plan, self.world), self.tick
        self._orders, self._game = swap(self._params, self._orders, self._game, compiled)
        if self.plans[-1][0] == tick:
            self.plans.pop()
            self._compiled.pop()
        self.plans.append((tick, plan))
        self._compiled.append(compiled)
        while self._kept[-1][0] >= tick:
            self._kept.pop()
        self._kept.append((tick, self._orders, self._game))

    def describe(self) -> Description:
        """Describe the game now in words, for a commander."""
        return self.world.describe(self.state)

    def _begin(self, plan: PlanText) -> None:
        compiled = _compiled(plan, self.world)
        self._orders = orders_of(self._params, with_room(compiled, **self._room))
        self._game = begin_game(self._params, self._orders, self._key)
        self.plans, self._compiled, self._kept = [(0, plan)], [compiled], [(0, self._orders, self._game)]


def _compiled(plan: PlanText, world: EngineWorld) -> Plan:
    if plan.failure:
        raise dsl.DslError(plan.report.diagnostics)
    return compile_text(plan, world)


_watched = jax.jit(advance_watched, static_argnames=("watch", "room"))


@partial(jax.jit, static_argnames="watch")
def _look(params: Params, orders: Orders, game: Game, watch: Observer) -> Any:
    return watch(params, orders, game, None)
