"""One duel: a game in which both sides are asked for orders at the same ticks, and what they said and cost.

Rules: docs/arena.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import dsl
from dsl import UserError
from hive.engine.instant import state_at_start
from hive.engine.live import LiveGame
from hive.engine.metrics import survivors
from hive.engine.types import ENEMY, PLAYER, State
from hive.experiments.arena.commanders import Commander, Moment, Order, endless, holding
from hive.kit.facts import Running
from hive.kit.plan_text import PlanText
from hive.players.llm.client import ModelError
from hive.worlds.battle.seat import Seat
from hive.worlds.battle.world import Battle

ROOM = {
    "steps": 16, "groups": 32, "memberships": 8, "places": 32, "figure": 1, "sighting": 1, "leash": 1, "choice": 1
}  # fmt: skip
"""Least capacities of both sides' plans, so that the games of a battle share their programs."""


@dataclass(frozen=True)
class Terms:
    """When commanders are asked, and how much they may spend in one game.

    Attributes:
        every: Ticks between two moments; 0: only before the first tick.
        calls: Most calls of a model; None: any number.
        tokens: Most tokens sent and received; a commander that has spent them is asked no more. None: any number.
    """

    every: int = 50
    calls: int | None = None
    tokens: int | None = None


@dataclass(frozen=True)
class Said:
    """One exchange of a duel.

    Attributes:
        tick: When.
        side: PLAYER or ENEMY.
        order: What was asked and answered.
        outcome: `plan`, `same` plan, `kept` (none was given), `silent` (no answer, or none that can be used) or
            `spent` (the budget is used up, so it was not asked).
    """

    tick: int
    side: int
    order: Order
    outcome: str


@dataclass
class Account:
    """What a side has spent in a game, and how often it was silent.

    Attributes:
        moments: How often it was asked.
        plans: How often it gave a plan that differs from the one before.
        silent: How often no answer came, or none that can be used.
        spent: How often it was not asked, since its budget was used up.
        calls: Calls of a model.
        tokens: Tokens sent and received.
    """

    moments: int = 0
    plans: int = 0
    silent: int = 0
    spent: int = 0
    calls: int = 0
    tokens: int = 0


@dataclass(frozen=True)
class Duel:
    """A finished game.

    Attributes:
        outcome: Of the player: `win`, `lose` or `timeout`.
        ticks: Its length.
        alive: Live units of both sides at the end, by type.
        plans: Plans of the player with the ticks from which they were followed.
        enemy_plans: The same for the enemy.
        chat: Everything that was asked and answered, in order.
        accounts: What both sides spent.
    """

    outcome: str
    ticks: int
    alive: tuple[tuple[int, ...], tuple[int, ...]]
    plans: Sequence[tuple[int, str]] = field(repr=False)
    enemy_plans: Sequence[tuple[int, str]] = field(repr=False)
    chat: Sequence[Said] = field(repr=False)
    accounts: tuple[Account, Account]


class _Side:
    """One side of a duel while it is played."""

    def __init__(self, world: Battle, side: int, commander: Commander, terms: Terms) -> None:
        self.world, self.side, self.commander, self.terms = world, side, commander, terms
        self.seat, self.account = Seat(world, side), Account()
        self.chat: list[Said] = []
        self.text = ""  # the plan that it follows, as it was given
        self.given = False  # whether that plan is not carried out yet
        self._context = world.context(side, world.sizes)

    def ask(self, tick: int, reason: str, achieved: frozenset[int]) -> bool:
        """Ask for orders; return whether a new plan is followed from now on. The side must have looked."""
        account, terms = self.account, self.terms
        running = None
        if self.text:
            plan = dsl.parse_plan(self.text, "plan", self._context)
            running = Running(plan, frozenset(step.id for step in plan.steps) & achieved)
        if (terms.calls is not None and account.calls >= terms.calls) or (
            terms.tokens is not None and account.tokens >= terms.tokens
        ):
            account.spent += 1
            return self._note(tick, Order(None), "spent")
        account.moments += 1
        try:
            order = self.commander.order(Moment(self.seat, tick, running, reason))
        except ModelError as error:
            order = Order(None, reason, "", str(error).splitlines()[0], calls=1)
        account.calls += order.calls
        account.tokens += order.tokens
        if order.problem:
            account.silent += 1
            return self._note(tick, order, "silent")
        if order.plan is None:
            return self._note(tick, order, "kept")
        text = f"{dsl.format_plan(dsl.parse_plan(order.plan, self.commander.name, self._context))}\n"
        if text == self.text:
            return self._note(tick, order, "same")
        self.text = text
        account.plans += 1
        self._note(tick, order, "plan")
        return True

    def _note(self, tick: int, order: Order, outcome: str) -> bool:
        """Keep an exchange, and let the units hold where there was never a plan."""
        if order.asked or order.said or outcome not in ("kept",):
            self.chat.append(Said(tick, self.side, order, outcome))
        if not self.text:
            self.text = holding(self.seat)
            return True
        return False

    def plan(self) -> PlanText:
        """The plan that it follows, as it is played: that of the player never ends."""
        text = endless(self.text, self.seat) if self.side == PLAYER else self.text
        return PlanText.read(text, self._context, written_for=self.world.sizes)


def play_duel(
    world: Battle,
    commanders: tuple[Commander, Commander],
    seed: int,
    terms: Terms = Terms(),
    watch: Callable[[int], None] | None = None,
) -> Duel:
    """Play one game between two commanders, the first in the player's seat.

    Both are asked before the first tick and at each later moment, with what their side knows then, before either of
    their answers is carried out. One that gives no answer goes on with its present plan, or lets its units hold where
    it never gave one, and is counted.

    Args:
        world: The battle.
        commanders: Of the player and of the enemy.
        seed: Of the game.
        terms: When they are asked, and what they may spend.
        watch: Called with the tick at every moment.

    Raises:
        UserError: A plan of a commander that does not write its own has errors in this battle.
    """
    if terms.every < 0:
        raise UserError("ticks between two moments are a whole number from 0 on")
    sides = [_Side(world, side, who, terms) for side, who in enumerate(commanders)]
    _look(sides, state_at_start(world, seed))
    for side in sides:
        side.ask(0, "The game begins.", frozenset())
    live = LiveGame(world, sides[PLAYER].plan(), seed, ROOM, sides[ENEMY].plan(), both=True)
    every = terms.every or world.limit
    while live.play(every) and not live.over:
        _look(sides, live.state)
        for side in sides:
            side.given = side.ask(live.tick, f"{live.tick} ticks were played.", live.achieved(side.side))
        for side in sides:
            if side.given:
                live.order(side.plan(), side.side)
                side.given = False
        if watch:
            watch(live.tick)
    alive = survivors(world.params, live.state).tolist()
    return Duel(
        outcome=live.outcome,
        ticks=live.tick,
        alive=(tuple(alive[PLAYER]), tuple(alive[ENEMY])),
        plans=[(tick, plan.text) for tick, plan in live.plans],
        enemy_plans=[(tick, plan.text) for tick, plan in live.enemy_plans],
        chat=sorted((said for side in sides for said in side.chat), key=lambda said: said.tick),
        accounts=(sides[PLAYER].account, sides[ENEMY].account),
    )


def _look(sides: Sequence[_Side], state: State) -> None:
    for side in sides:
        side.seat.look(state)
