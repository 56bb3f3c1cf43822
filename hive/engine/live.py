"""A running game on the host that pauses at a tick and is told new plans; nothing is compiled again for a new plan."""

from __future__ import annotations

import jax
import jax.numpy as jnp

import dsl
from dsl import UserError
from hive.contract import Description
from hive.engine.episode import Game
from hive.engine.instant import advance_game, begin_game, orders_of
from hive.engine.reading import compile_text
from hive.engine.swapping import swap, with_room
from hive.engine.world import EngineWorld
from hive.plan.text import PlanText
from hive.types import OUTCOMES, Orders, Plan, State


class LiveGame:
    """One game of a world; its plans and seed repeat it exactly, as `hive run --plan A --swap TICK=B --seed S` does.

    Attributes:
        world: What is played.
        seed: The game's seed.
        plans: Every plan with the tick from which it was followed, the first from 0.
    """

    def __init__(self, world: EngineWorld, plan: PlanText, seed: int = 0) -> None:
        """Begin a game at tick 0.

        Args:
            world: What is played.
            plan: The player's first plan, without errors.
            seed: The game's seed.

        Raises:
            DslError: The plan has errors.
        """
        self.world, self.seed = world, seed
        self.plans: list[tuple[int, PlanText]] = []
        self._key = jax.random.key(seed)
        self._params = world.params
        self._orders: Orders
        self._game: Game
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

    def play(self, ticks: int) -> int:
        """Play so many ticks, fewer if the game ends; return how many were played."""
        before = self.tick
        until = jnp.int32(min(before + max(ticks, 0), self.world.limit))
        self._game = advance_game(self._params, self._orders, self._game, self._key, until)
        return self.tick - before

    def order(self, plan: PlanText) -> None:
        """Follow another plan from now on; a plan that was given at this tick already is replaced.

        Raises:
            DslError: The plan has errors.
            UserError: The game is over.
        """
        if self.over:
            raise UserError(f"the game is over after {self.tick} ticks: {self.outcome}")
        if not self.tick:  # nothing was played yet
            self._begin(plan)
            return
        self._orders, self._game = swap(self._params, self._orders, self._game, _compiled(plan, self.world))
        if self.plans[-1][0] == self.tick:
            self.plans.pop()
        self.plans.append((self.tick, plan))

    def describe(self) -> Description:
        """Describe the game now in words, for a commander."""
        return self.world.describe(self.state)

    def _begin(self, plan: PlanText) -> None:
        self._orders = orders_of(self._params, with_room(_compiled(plan, self.world)))
        self._game = begin_game(self._params, self._orders, self._key)
        self.plans = [(0, plan)]


def _compiled(plan: PlanText, world: EngineWorld) -> Plan:
    if plan.failure:
        raise dsl.DslError(plan.report.diagnostics)
    return compile_text(plan, world)
