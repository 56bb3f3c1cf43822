"""Tasks of one's own, from a file of the form of the shipped one (docs/rules/kitchen.md 6.3)."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from dsl import UserError
from dsl.wording import did_you_mean, listing, nearest, quoted
from hive.kit.keep.reading import Reader, read_text
from hive.worlds.kitchen.setting import Setting
from hive.worlds.kitchen.standard import trajectories
from hive.worlds.kitchen.tasks import Task, TasksFile, check_task


def read_tasks(path: Path, setting: Setting) -> dict[str, Task]:
    """Return the tasks of a file by their orders.

    Args:
        path: A TOML file.
        setting: The kitchen, where each order has to be possible.

    Raises:
        ScenarioError: The file cannot be used; all problems are listed with their places.
    """
    reader = Reader("kitchen", str(path), read_text(path, "kitchen-file"))
    found: dict[str, Task] = {}
    cooks, orders = [cook.name for cook in setting.layout.cooks], setting.book.orders
    for number, task in enumerate(reader.table(TasksFile).tasks):
        place = f"tasks[{number}]"
        if task.order not in orders:
            help = did_you_mean(nearest(task.order, orders)) or "add it to the `orders` of a cookbook (--cookbook)"
            reader.add("order", f"{quoted(task.order)} cannot be ordered here", f"{place}.order", help)
            continue
        if task.order in found:
            reader.add("twice", f"there is another task with the order `{task.order}`", f"{place}.order")
        try:
            check_task(task.order, setting.book, setting.layout)
        except UserError as error:
            why, _, rest = str(error).partition("\n")
            reader.add("impossible", why, f"{place}.order", rest.rpartition("help: ")[2])
            continue
        for row, each in enumerate(task.references):
            for name in each.keys() - set(cooks):
                near = did_you_mean(nearest(name, cooks)) or f"the cooks are {listing(cooks, 'and')}"
                reader.add("cook", f"there is no cook {quoted(name)}", f"{place}.references[{row}].{name}", near)
        if task.references:
            rows = [(f"{place}.references[{row}]", each) for row, each in enumerate(task.references)]
            trajectories(setting, task.order, rows, cooks, partial(reader.add, "references"))
        found[task.order] = task
    reader.finish()
    return found
