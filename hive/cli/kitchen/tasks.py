"""`hive kitchen tasks`: what each order needs, and how long cooks may take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dsl.wording import columns
from hive.cli.command import Command
from hive.cli.kitchen.orders import Orders
from hive.cli.options import Json
from hive.cli.printing import print_json

if TYPE_CHECKING:
    from hive.worlds.kitchen.setting import Setting
    from hive.worlds.kitchen.tasks import Task


@dataclass(frozen=True, kw_only=True)
class ListTasks(Orders, Json):
    """Settings of `hive kitchen tasks`."""


def _run(settings: ListTasks) -> int:
    setting, tasks = settings.load()
    if settings.json:
        print_json({"tasks": [_task_object(task, setting) for task in tasks]})
        return 0
    rows = [["level", "task", "ingredients", "utensils", "dish", "last timestep"]]
    for task in tasks:
        made = setting.book.steps(task.order)
        rows.append(
            [
                str(task.level or "-"),
                task.order,
                ", ".join(setting.book.ingredients_of(task.order)),
                ", ".join(recipe.utensil for recipe in made) or "-",
                "yes" if setting.book.needs_dish(task.order) else "no",
                str(task.limit()),
            ]
        )
    print(columns(rows))
    return 0


def _task_object(task: Task, setting: Setting) -> dict[str, Any]:
    return {
        "task": task.order,
        "title": task.title,
        "level": task.level,
        "ingredients": dict(setting.book.ingredients_of(task.order)),
        "steps": [
            {"utensil": recipe.utensil, "inputs": recipe.inputs, "product": recipe.product}
            for recipe in setting.book.steps(task.order)
        ],
        "dish": setting.book.needs_dish(task.order),
        "published_time": task.published_time or None,
        "limit": task.limit(),
        "recipe": task.recipe,
    }


COMMAND = Command(
    settings=ListTasks,
    run=_run,
    about="""\
List tasks with their levels: the ingredients and utensils of each order, whether it is served in a dish, and
the last timestep at which it may be delivered. Without TASK all shipped tasks are listed.""",
    examples=(
        "hive kitchen tasks                    all tasks",
        "hive kitchen tasks level4 --json      those of a level, with their recipes",
    ),
)
