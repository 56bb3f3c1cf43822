"""A running game on the host that pauses at a tick and is told new plans; nothing is compiled again for a new plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int, Key

import dsl
from dsl import UserError
from hive.engine.ending import Ending, explain_end, steps_at_end
from hive.engine.episode import Game, Observer, advance, advance_watched
from hive.engine.instant import advance_game, begin_game, orders_of, state_at_start
from hive.engine.metrics import survivors
from hive.engine.padding import pad_plan_units, unpad_state
from hive.engine.reading import compile_text
from hive.engine.swapping import swap_sides, with_room
from hive.engine.traces import jit_game
from hive.engine.types import ENEMY, OUTCOMES, PLAYER, Orders, Params, Plan, State
from hive.engine.world import EngineWorld
from hive.kit.plan_text import PlanText
from hive.kit.reporting import Description

_APART = 20  # ticks between two states that are kept to go back to


Stops = Callable[[Params, Orders, Game, Any], Bool[Array, ""]]
"""Returns whether a game stops after a tick, given its rules, orders, the game and arrays of its own."""


class _Moment(NamedTuple):
    """A game between two segments."""

    params: Params  # with the plan that the enemy follows
    orders: Orders
    game: Game


class Opponent(Protocol):
    """Commands the enemy of a running game. The same ticks and states in the same order have the same plans."""

    @property
    def every(self) -> int:
        """Ticks between two moments at which it is asked, 1 or more."""

    def plan(self, tick: int, state: State, achieved: frozenset[int]) -> PlanText | None:
        """Return the enemy's plan from a tick on, without errors; None: the present one goes on.

        It is called again for an earlier tick when a game goes back.

        Args:
            tick: Ticks played.
            state: Units and map now.
            achieved: Ids of the steps of the enemy's present plan that are achieved.
        """


class LiveGame:
    """One game of a world; its plans and seed repeat it exactly, as `hive run --plan A --swap TICK=B --seed S` does.

    Attributes:
        world: What is played.
        seed: The game's seed.
        params: The arrays that are played, with the scenario's plan of the enemy.
        plans: Every plan of the player with the tick from which it was followed, the first from 0.
        enemy_plans: Every plan that the enemy was given, with the tick from which it was followed; before the first
            one, if that is not from 0, the enemy follows the scenario's.
    """

    def __init__(
        self,
        world: EngineWorld,
        plan: PlanText,
        seed: int = 0,
        room: Mapping[str, int] | None = None,
        enemy: PlanText | None = None,
        *,
        both: bool = False,
        opponent: Opponent | None = None,
        params: Params | None = None,
    ) -> None:
        """Begin a game at tick 0.

        Args:
            world: What is played.
            plan: The player's first plan, without errors.
            seed: The game's seed.
            room: Least capacities for the plans to follow, as arguments of `with_room`; None: its defaults.
            enemy: The enemy's first plan, without errors; None: the scenario's.
            both: Whether there is such room for plans of the enemy too, so that those compile nothing.
            opponent: Commands the enemy; None: only `order` does.
            params: The arrays of the world in larger shapes (`hive.engine.padding`), so that games of several worlds
                share their programs; None: as they are. Observers and `stops` then see padded rows too: units
                beyond those of the world, which are never alive. `state` and `alive` leave them out.

        Raises:
            DslError: The plan has errors.
        """
        self.world, self.seed, self._room, self._both = world, seed, dict(room or {}), both
        self.params = world.params if params is None else params
        self.plans: list[tuple[int, PlanText]] = []
        self.enemy_plans: list[tuple[int, PlanText]] = []
        self._key = jax.random.key(seed)
        self._now: _Moment
        self._before: _Moment | None = None  # this tick before any plan was given at it; None: nobody was given one
        self._compiled: list[Plan] = []  # of each of `plans`
        # States to go back to, by tick, as in `_now` and `_before`; the first is that of tick 0.
        self._kept: list[tuple[int, _Moment, _Moment | None]] = []
        self._program: tuple[Observer, int] | None = None  # with which `play_watched` was called
        self._opponent, self._decided = opponent, 0  # and the tick at which it was asked last
        if opponent is not None:
            enemy = opponent.plan(0, state_at_start(world, seed), frozenset()) or enemy
        self._begin(plan, enemy)

    @property
    def state(self) -> State:
        """Units and map now."""
        return unpad_state(self._now.game.state, sum(self.world.sizes))

    @property
    def tick(self) -> int:
        """Ticks played."""
        return int(self._now.game.state.tick)

    @property
    def outcome(self) -> str:
        """How the game stands: `running`, or how it ended (docs/rules/battles.md 4)."""
        return OUTCOMES[int(self._now.game.outcome)]

    @property
    def over(self) -> bool:
        """Whether the game takes no more orders; one whose plan is finished does."""
        return self.outcome not in ("running", "plan_finished")

    @property
    def ending(self) -> Ending | None:
        """Why the game ended and what to try; None while it runs."""
        if self.outcome == "running":
            return None
        assert self.plan.source is not None, "a plan that was read keeps its source"
        steps = steps_at_end(self.plan.source, np.asarray(self._now.game.progress.achieved))
        return explain_end(self.world, self.outcome, self.tick, self.alive, steps)

    @property
    def alive(self) -> list[list[int]]:
        """Live units of both sides, by type."""
        found: list[list[int]] = np.asarray(survivors(self._now.params, self._now.game.state)).tolist()
        return found

    def play(self, ticks: int) -> int:
        """Play so many ticks, fewer if the game ends; return how many were played."""
        before = self.tick
        last = min(before + max(ticks, 0), self.world.limit)
        while self.tick < last and self.outcome == "running":
            until = min(last, self._moment())
            params, orders, game = self._now
            self._go(advance_game(params, orders, game, self._key, jnp.int32(until)))
        return self.tick - before

    def play_until(self, ticks: int, stops: Stops, given: Any) -> int:
        """Play so many ticks, fewer if the game ends or stops; return how many were played. No opponent is asked.

        Args:
            ticks: Most ticks.
            stops: Returns after each tick whether the game stops there; a program is compiled for each.
            given: Arrays for it.
        """
        before = self.tick
        until = jnp.int32(min(before + max(ticks, 0), self.world.limit))
        self._go(_advance_until(*self._now, self._key, until, given, stops))
        return self.tick - before

    @property
    def plan(self) -> Plan:
        """The plan that is followed, with its source."""
        return self._compiled[-1]

    @property
    def enemy_plan(self) -> Plan:
        """The enemy's plan that is followed, with its source."""
        return self._now.params.enemy

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """Shapes of the orders; programs are compiled once for each."""
        return tuple(leaf.shape for leaf in jax.tree.leaves(self._now.orders))

    @property
    def own_sizes(self) -> tuple[int, int]:
        """Steps and groups that the orders hold for the player, padding included; those of the enemy follow them."""
        both, enemy = self._now.orders.plan, self._now.params.enemy
        return both.exists.shape[0] - enemy.exists.shape[0], both.tree.shape[0] - enemy.tree.shape[0]

    def look(self, watch: Observer) -> Any:
        """Return what `watch` returns for the game now, without a decision."""
        return _look(*self._now, watch)

    def achieved(self, side: int) -> frozenset[int]:
        """Return the ids of the steps of a side's present plan that are achieved."""
        return self.step_ids(side, self.done(side))

    def achieved_at(self, side: int) -> dict[int, int]:
        """Return the ids of the same steps with the ticks at which they were achieved."""
        ticks = self._ticks(side)
        return {step: int(ticks[row]) for row, step in enumerate(self._ids(side)) if ticks[row] >= 0}

    def done(self, side: int) -> Bool[np.ndarray, " p"]:
        """`[P]` which steps of a side's present plan are achieved, up to the capacity of its plans."""
        return self._ticks(side) >= 0

    def _ticks(self, side: int) -> Int[np.ndarray, " p"]:
        """`[P]` the ticks at which steps of a side's present plan were achieved; below 0: not yet."""
        ticks, cut = np.asarray(self._now.game.progress.achieved), self.own_sizes[0]
        return ticks[cut:] if side == ENEMY else ticks[:cut]

    def step_ids(self, side: int, which: Bool[np.ndarray, " p"]) -> frozenset[int]:
        """Return the ids of some steps of a side's present plan, given as by `done`."""
        return frozenset(step for row, step in enumerate(self._ids(side)) if which[row])

    def _ids(self, side: int) -> list[int]:
        """The ids of the steps of a side's present plan, in the order of its text."""
        source = (self.plan, self.enemy_plan)[side].source
        assert source is not None, "plans that were read keep their source"
        return [step.id for step in source.steps]

    def play_watched(self, ticks: int, watch: Observer, room: int) -> tuple[Any, Int[Array, ""]]:
        """Play so many ticks, fewer if the game ends or an opponent is to be asked, and keep what is seen of each.

        Args:
            ticks: At most `room`.
            watch: As in `hive.engine.episode.advance_watched`.
            room: Rows of the result; a program is compiled for each `watch` and `room`.

        Returns:
            What `watch` returned, with a leading axis of `room` rows, and how many rows are real.
        """
        self._program, tick, moment = (watch, room), self.tick, self._moment()
        if tick >= self._kept[-1][0] + _APART:
            self._kept.append((tick, self._now, None))
        until = jnp.int32(min(tick + min(ticks, room), self.world.limit, moment))
        game, seen, count = _watched(*self._now, self._key, watch, room, until)
        self._go(game)
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
        while self.enemy_plans and self.enemy_plans[-1][0] > tick:
            self.enemy_plans.pop()
        while self._kept[-1][0] > tick:
            self._kept.pop()
        at, self._now, self._before = self._kept[-1]
        self._decided = -1
        if self._program is None:
            self.play(tick - at)
            return
        while self.tick < tick:  # the program that is compiled already
            self.play_watched(tick - self.tick, *self._program)

    def order(self, plan: PlanText, side: int = PLAYER) -> None:
        """Follow another plan from now on; a plan that was given to the side at this tick already is replaced.

        The plans that both sides are given at one tick begin together, in any order of the calls.

        Args:
            plan: The plan.
            side: PLAYER or ENEMY, whose plan it is.

        Raises:
            DslError: The plan has errors.
            UserError: The game is over.
        """
        if self.over:
            raise UserError(f"the game is over after {self.tick} ticks: {self.outcome}\n  = help: begin another game")
        tick = self.tick
        if not tick:  # nothing was played yet
            first = self.enemy_plans[0][1] if self.enemy_plans else None
            self._begin(*((plan, first) if side == PLAYER else (self.plans[0][1], plan)))
            return
        compiled = self._compile(plan, side)
        self._before = self._before or self._now
        given = self.plans if side == PLAYER else self.enemy_plans
        if given and given[-1][0] == tick:
            given.pop()
            if side == PLAYER:
                self._compiled.pop()
        given.append((tick, plan))
        if side == PLAYER:
            self._compiled.append(compiled)
        mine = self._compiled[-1] if self.plans[-1][0] == tick else None
        theirs = compiled if side == ENEMY else None
        if side == PLAYER and self.enemy_plans and self.enemy_plans[-1][0] == tick:
            theirs = self._compile(self.enemy_plans[-1][1], ENEMY)
        self._now = _Moment(*swap_sides(*self._before, player=mine, enemy=theirs))
        while self._kept[-1][0] >= tick:
            self._kept.pop()
        self._kept.append((tick, self._now, self._before))

    def describe(self) -> Description:
        """Describe the game now in words, for a commander."""
        return self.world.describe(self.state)

    def _moment(self) -> int:
        """Ask an opponent that is to be asked now; return the tick at which it is to be asked next."""
        if self._opponent is None:
            return self.world.limit
        tick, every = self.tick, self._opponent.every
        if tick and tick % every == 0 and tick != self._decided and self.outcome == "running":
            self._decided = tick
            plan = self._opponent.plan(tick, self.state, self.achieved(ENEMY))
            if plan and (not self.enemy_plans or plan.text != self.enemy_plans[-1][1].text):
                self.order(plan, ENEMY)
        return (tick // every + 1) * every

    def _go(self, game: Game) -> None:
        """Take the game after some ticks."""
        if int(game.state.tick) != self.tick:
            self._before = None
        self._now = self._now._replace(game=game)

    def _begin(self, plan: PlanText, enemy: PlanText | None) -> None:
        compiled, params = self._compile(plan, PLAYER), self.params
        theirs = params.enemy if enemy is None else self._compile(enemy, ENEMY)
        if enemy is not None or self._both:
            params = params.replace(enemy=with_room(theirs, **self._room) if self._both else theirs)
        orders = orders_of(params, with_room(compiled, **self._room))
        self._now, self._before = _Moment(params, orders, begin_game(params, orders, self._key)), None
        self.plans, self._compiled, self._kept = [(0, plan)], [compiled], [(0, self._now, None)]
        self.enemy_plans = [] if enemy is None else [(0, enemy)]

    def _compile(self, plan: PlanText, side: int) -> Plan:
        if plan.failure:
            raise dsl.DslError(plan.report.diagnostics)
        return pad_plan_units(compile_text(plan, self.world, side), self.params.count)


@jit_game(static_argnums=(6,))
def _advance_until(
    params: Params, orders: Orders, game: Game, key: Key[Array, ""], until: Int[Array, ""], given: Any, stops: Stops
) -> Game:
    return advance(params, orders, game, key, until, lambda now: stops(params, orders, now, given))


_watched = jit_game(advance_watched, static_argnums=(4, 5))


@jit_game(static_argnums=(3,))
def _look(params: Params, orders: Orders, game: Game, watch: Observer) -> Any:
    return watch(params, orders, game, None)
