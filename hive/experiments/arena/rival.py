"""A commander of the enemy in a live game, against a person or a model in the player's seat."""

from __future__ import annotations

import dsl
from dsl import UserError
from hive.engine.types import ENEMY, State
from hive.experiments.commanders.known import Words, staying
from hive.experiments.commanders.moments import Commander, Moment
from hive.kit.facts import Running
from hive.kit.plan_text import PlanText
from hive.worlds.battle.scenario.model import HOLD
from hive.worlds.battle.seat import Memory, Seat
from hive.worlds.battle.world import Battle


class Rival:
    """A `hive.engine.live.Opponent`: a commander that answers by what the enemy knows, every few ticks."""

    def __init__(self, world: Battle, commander: Commander, every: int) -> None:
        """Command a new game.

        Args:
            world: The battle.
            commander: Who commands; it has to answer alike each time, as the plain commander does.
            every: Ticks between two moments.
        """
        self.every = every
        self._seat, self._commander = Seat(world, ENEMY), commander
        self._context, self._sizes = world.context(ENEMY, world.sizes), world.sizes
        self._past: dict[int, tuple[Memory, str]] = {}  # what it knew and ordered, by tick

    def plan(self, tick: int, state: State, achieved: frozenset[int]) -> PlanText:
        """Return its plan; see `hive.engine.live.Opponent`."""
        self._past = {at: each for at, each in self._past.items() if at < tick}
        memory, text = self._past[max(self._past)] if self._past else (None, "")
        self._seat.back(memory)
        now = self._seat.look(state)
        running = Running(dsl.parse_plan(text, "plan", self._context), achieved) if text else None
        reason = f"{tick} ticks were played." if tick else "The game begins."
        order = self._commander.order(Moment(self._seat, tick=tick, running=running, reason=reason))
        text = order.plan or text or staying(self._seat, HOLD)
        self._past[tick] = (now, text)
        return PlanText.read(text, self._context, written_for=self._sizes)


def rival_of(who: str) -> Words:
    """Return the commander that a person may play against: `words` or `words:ORDER`.

    Raises:
        UserError: It is another one.
    """
    kind, colon, order = who.partition(":")
    if kind != "words" or (colon and not order):
        raise UserError(
            f"`{who}` cannot command the enemy of a live game\n"
            "  = help: the plain commander can, as `words` or `words:ORDER`; `hive arena duel` has other commanders"
        )
    return Words(order, who)
