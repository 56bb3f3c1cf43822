"""What all units decide in a tick: units of battles from their senses, crews from their explored map."""

from __future__ import annotations

from jaxtyping import Array, UInt

from hive.engine.behaviours.decision import Decision
from hive.engine.crews.command import command
from hive.engine.types import Orders, Params, Progress, State
from hive.engine.units.decide import decide as decide_battle


def decide(params: Params, orders: Orders, progress: Progress, state: State, word: UInt[Array, ""]) -> Decision:
    """Return what all units do: `engine.units.decide` in battles, commands from the same inputs for crews."""
    if params.crews is not None:
        return command(params, orders, progress, state)
    return decide_battle(params, orders, progress, state, word)


__all__ = ["Decision", "decide"]
