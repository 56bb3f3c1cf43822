"""The orders that a command line names and the kitchen for them, for all actions of `hive kitchen`."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from dsl import UserError
from hive.cli import names
from hive.cli.command import argument, option

if TYPE_CHECKING:
    from hive.worlds.kitchen.setting import Setting
    from hive.worlds.kitchen.tasks import Task


def _order(text: str) -> str:
    """Return the name of an order without the prefix by which `hive run` knows it."""
    return text.removeprefix("kitchen/")


@dataclass(frozen=True, kw_only=True)
class Orders:
    """TASK, `--task-file`, `--layout` and `--cookbook`: the orders, and the kitchen in which they are made."""

    tasks: Annotated[
        tuple[str, ...],
        argument(
            "an order such as boiled_egg, level1 to level6 for the five tasks of a level, or all",
            "TASK",
            read=_order,
            complete=names.orders,
        ),
    ] = field(kw_only=False, default=())
    layout: Annotated[Path | None, option("another kitchen than the published one", "FILE")] = None
    cookbook: Annotated[Path | None, option("another cookbook than the published one", "FILE")] = None
    task_file: Annotated[
        Path | None,
        option("tasks of your own from a TOML file (docs/kitchen.md); levels and `all` then mean these alone", "FILE"),
    ] = None

    def load(self, action: str = "") -> tuple[Setting, list[Task]]:
        """Return the kitchen, and each task once; all tasks where none is named.

        Args:
            action: The action that needs one; empty: none is needed.

        Raises:
            UserError: A task is unknown, a file is wrong, or no task is named where one is needed.
        """
        from hive.worlds.kitchen.setting import load_setting
        from hive.worlds.kitchen.task_files import read_tasks
        from hive.worlds.kitchen.tasks import tasks_of

        if action and not self.tasks and not self.task_file:
            help = f"hive kitchen {action} boiled_egg; `hive kitchen tasks` lists them"
            raise UserError(f"name a task\n  = help: {help}")
        setting = load_setting(cookbook_file=self.cookbook, layout_file=self.layout)
        own = read_tasks(self.task_file, setting) if self.task_file else {}
        return setting, tasks_of(self.tasks or ["all"], setting.book, own)
