"""An order in words: the task, what each cook knows and can do, and the kitchen at the start."""

from __future__ import annotations

from hive.kit.contract import Description, Scene
from hive.worlds.kitchen.agents.stage import KitchenStage
from hive.worlds.kitchen.agents.troupe import KitchenTroupe
from hive.worlds.kitchen.agents.views import VERSION, view_text
from hive.worlds.kitchen.setting import load_setting
from hive.worlds.kitchen.tasks import find_task


def describe(order: str) -> Scene:
    """Describe the start of a game in the shipped kitchen.

    Args:
        order: What is ordered, such as `boiled_egg`.

    Raises:
        UserError: There is no such order.
    """
    stage = KitchenTroupe(load_setting(), [find_task(order)]).stages[0]
    state = view_text(stage.view(0))  # both cooks see the same: their own counters are empty
    words = Description(f"kitchen/{VERSION}", _constant(stage, True), state, _constant(stage, False), state)
    return Scene(stage.name, stage.seed, stage.tick, words)


def _constant(stage: KitchenStage, actions: bool) -> str:
    """Return the task and what each cook knows, with the actions of each or without."""
    parts = [stage.task]
    for cook, seat in enumerate(stage.seats):
        parts += [f"# {seat.name}\n{stage.roles[seat.kind]}\n{stage.knowledge(cook)}"]
        parts += [f"Actions of {seat.name}:\n{stage.manual(cook)}"] if actions else []
    return "\n\n".join([*parts, "# The kitchen"])
