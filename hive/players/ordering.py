"""`hive.order`: an order in plain English becomes a plan, from Python, without a model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dsl import UserError
from hive.engine.world import ReadableWorld

if TYPE_CHECKING:
    from hive.engine.types import Plan, State
    from hive.engine.world import EngineWorld


@dataclass(frozen=True)
class OrderReading:
    """How an order was read.

    Attributes:
        plan: The plan as arrays, for `hive.play` and `hive.swap`.
        text: The plan as text, for armies of the world's sizes.
        lines: For each phrase, how it was understood, and what was left out.
    """

    plan: Plan
    text: str
    lines: tuple[str, ...]


def order(world: EngineWorld, words: str, state: State | None = None) -> OrderReading:
    """Read an order in plain English by rules and write a plan (docs/commander/words.md).

    No question can be asked here, so an order that needs one is carried out as far as it was understood, and its
    last line says what was not.

    Args:
        world: A battle, of `hive.load`.
        words: The order.
        state: The game now, so that units that are dead get no orders; None: before the first tick of seed 0.

    Raises:
        UserError: Rules read no orders in this world, or nothing of the order can be carried out; the message is the
            question that a person would be asked.
    """
    from hive.engine.instant import state_at_start
    from hive.engine.reading import read_plan
    from hive.players.words.reading import interpret

    if not isinstance(world, ReadableWorld):
        raise UserError(
            f"plain words command battles only, and {getattr(world, 'name', repr(world))} is none\n"
            "  = help: write a plan, or let a model do it with `hive ask`"
        )
    reading = interpret(words, world.facts(state_at_start(world, 0) if state is None else state)).decided
    if reading.plan is None:
        raise UserError(reading.text)
    return OrderReading(read_plan(reading.plan, world, written_for=world.sizes), reading.plan, reading.lines)
