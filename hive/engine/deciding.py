"""What all units decide in a tick: units of battles from their senses, crews from their explored map."""

from __future__ import annotations

from jaxtyping import Array, UInt

from hive.behaviours.decision import Decision
from hive.crews.command import command
from hive.types import Orders, Params, Progress, State
from hive.units.decide import decide as decide_battle


def decide(params: Params, orders: Orders, progress: Progress, state: State, word: UInt[Array, ""]) -> Decision:
    """Evaluate every unit's tree on the same state (docs/rules/battles.md 3.1 and docs/rules/trees.md 2).

    Args:
        params: Rules and tables.
        orders: Plans and distance maps.
        progress: Which group commands each unit.
        state: The world before the tick.
        word: Random word of the tick.

    Returns:
        Actions of all units, for crews commands; dead and unassigned units stand.
    """
    if params.crews is not None:
        return command(params, orders, progress, state)
    return decide_battle(params, orders, progress, state, word)


__all__ = ["Decision", "decide"]
