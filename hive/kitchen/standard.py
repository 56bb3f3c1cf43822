"""What the games of a task are scored against, made from the kitchen itself (docs/rules/kitchen.md 8.3, 9)."""

from __future__ import annotations

from hive.kitchen.codes import Place
from hive.kitchen.optimum.references import references
from hive.kitchen.runs import Standard
from hive.kitchen.setting import Setting
from hive.kitchen.talks import universe
from hive.kitchen.tasks import Task
from hive.kitchen.validator import Validator


def standard_of(setting: Setting, task: Task) -> Standard:
    """Return the standard of a task, with all reference trajectories that the kitchen has.

    Args:
        setting: The kitchen; its switches say whether unknown actions are dropped.
        task: The order.

    Raises:
        UserError: The order cannot be made here.
    """
    validator, layout = Validator(setting.book, setting.layout), setting.layout
    cooks = range(len(layout.cooks))
    return Standard(
        references=tuple(
            tuple(tuple(map(str, actions)) for actions in lists) for lists in references(setting, task.order).lists
        ),
        universes=tuple(
            universe(
                validator.words,
                [name for name in layout.instances if validator.reaches(cook, name)],
                layout.reaches(cook, Place.INGREDIENTS),
                layout.cooks[cook].delivers,
            )
            for cook in cooks
        ),
        required=task.collaborative_actions,
        words=validator.words,
        initiator=next((cook for cook in cooks if layout.cooks[cook].knows_recipe), 0),
        drop_unknown=setting.switches.drop_unknown,
    )
