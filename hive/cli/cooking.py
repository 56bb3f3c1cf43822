"""`hive kitchen`: the tasks of the kitchen, their least times with a plan, and their reference trajectories."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dsl import UserError
from dsl.wording import plural
from hive.cli.arguments import Command, Parser, add_json
from hive.cli.printing import print_json
from hive.cli.progress import watching

if TYPE_CHECKING:
    from hive.kitchen.optimum.play import Optimum
    from hive.kitchen.optimum.references import References
    from hive.kitchen.setting import Setting
    from hive.kitchen.tasks import Task

_SHOWN = 20
"""Lists of a cook that are printed; `--json` has all."""


def _options(parser: Parser) -> None:
    parser.add_argument(
        "what",
        metavar="WHAT",
        choices=("tasks", "optimum", "references"),
        help="tasks: list them; optimum: find the least time; references: list the reference trajectories",
    )
    parser.add_argument(
        "tasks", nargs="*", metavar="TASK", help="orders, level1 to level6, or all (the default for tasks)"
    )
    parser.add_argument("--free", action="store_true", help="optimum: both cooks do any primitive at any time")
    parser.add_argument(
        "--spares",
        type=int,
        default=0,
        metavar="N",
        help="optimum: allow N more of each ingredient and of dishes than needed; default: 0",
    )
    parser.add_argument("--cookbook", type=Path, metavar="FILE", help="a cookbook; default: the published one")
    parser.add_argument("--layout", type=Path, metavar="FILE", help="a layout; default: the published one")
    add_json(parser)


def _run(args: argparse.Namespace) -> int:
    from hive.kitchen.setting import load_setting

    if args.what != "optimum" and (args.free or args.spares):
        raise UserError("--free and --spares belong to `hive kitchen optimum`")
    setting = load_setting(cookbook_file=args.cookbook, layout_file=args.layout)
    chosen = _chosen(args.tasks or (["all"] if args.what == "tasks" else []), setting)
    if not chosen:
        raise UserError(f"name a task\n  = help: hive kitchen {args.what} boiled_egg; `hive kitchen tasks` lists them")
    {"tasks": _tasks, "optimum": _optimum, "references": _references}[args.what](args, setting, chosen)
    return 0


def _chosen(words: Sequence[str], setting: Setting) -> list[Task]:
    """Return the tasks that words name, each once."""
    from hive.kitchen.tasks import LEVELS, find_task, tasks

    here = [task for name, task in tasks().items() if name in setting.book.orders]
    found: dict[str, Task] = {}
    for word in words:
        level = next((level for level in LEVELS if word == f"level{level}"), None)
        if word == "all" or level:
            some = [task for task in here if level in (None, task.level)]
        else:
            some = [find_task(word, setting.book)]
        found |= {task.order: task for task in some}
    return [*found.values()]


def _tasks(args: argparse.Namespace, setting: Setting, chosen: Sequence[Task]) -> None:
    if args.json:
        print_json({"tasks": [_task_object(task, setting) for task in chosen]})
        return
    rows = [["level", "task", "ingredients", "utensils", "dish", "last timestep"]]
    for task in chosen:
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
    print(_align(rows))


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


def _optimum(args: argparse.Namespace, setting: Setting, chosen: Sequence[Task]) -> None:
    from hive.kitchen.optimum.play import optima

    play = "primitives" if args.free else "named"
    with watching(quiet=True) as watch:
        found = list(optima(setting, [task.order for task in chosen], play, args.spares, watch))
    if args.json:
        print_json({"optima": [_optimum_object(each) for each in found]})
        return
    rows = [["task", "least time", "published", "states", "seconds"]]
    for task, each in zip(chosen, found, strict=True):
        published = str(task.published_time or "-")
        rows.append([each.order, str(each.time), published, f"{each.states:,}", f"{each.seconds:.2f}"])
    print(_align(rows))
    if len(found) == 1:
        print(f"\n{_plan(found[0], setting)}")


def _optimum_object(found: Optimum) -> dict[str, Any]:
    return {
        "task": found.order,
        "play": found.play,
        "spares": found.spares,
        "time": found.time,
        "states": found.states,
        "seconds": round(found.seconds, 3),
        "actions": [[{"timestep": at, "action": str(action)} for at, action in plan] for plan in found.actions],
        "moves": [[{"move": move.name.lower(), "item": item} for move, item in both] for both in found.moves],
    }


def _plan(found: Optimum, setting: Setting) -> str:
    """A plan that takes the least time, one timestep a line."""
    names = [cook.name for cook in setting.layout.cooks]
    if found.moves:
        rows = [["timestep", *names]]
        for timestep, both in enumerate(found.moves):
            rows.append([str(timestep), *(f"{move.name.lower()} {item}".strip() for move, item in both)])
        return _align(rows)
    rows = [["begins at", *names]]
    plans = [dict(plan) for plan in found.actions]
    for timestep in sorted({at for plan in plans for at in plan}):
        rows.append([str(timestep), *(str(plan.get(timestep, "")) for plan in plans)])
    return _align(rows)


def _references(args: argparse.Namespace, setting: Setting, chosen: Sequence[Task]) -> None:
    from hive.kitchen.optimum.references import references

    found = []
    with watching(quiet=True) as watch:
        watch.stage("listing reference trajectories", len(chosen), "task")
        for number, task in enumerate(chosen, start=1):
            found.append(references(setting, task.order))
            watch.update(number)
    names = [cook.name for cook in setting.layout.cooks]
    if args.json:
        print_json({"references": [_references_object(each, names) for each in found]})
        return
    rows = [["task", *(f"{what} of {name}" for name in names for what in ("actions", "lists"))]]
    for each in found:
        rows.append([each.order, *(str(number) for lists in each.lists for number in (len(lists[0]), len(lists)))])
    print(_align(rows))
    if len(found) == 1:
        for name, lists in zip(names, found[0].lists, strict=True):
            print(f"\n{name}:\n{_lists(lists)}")


def _references_object(found: References, names: Iterable[str]) -> dict[str, Any]:
    lists = ([[str(action) for action in each] for each in mine] for mine in found.lists)
    return {"task": found.order, **dict(zip(names, lists, strict=True))}


def _lists(lists: Sequence[Sequence[object]]) -> str:
    lines = [f"{number:>5}  {'; '.join(map(str, each))}" for number, each in enumerate(lists[:_SHOWN], start=1)]
    more = len(lists) - _SHOWN
    return "\n".join([*lines, *([f"       ... and {plural(more, 'more list')}; --json has all"] if more > 0 else [])])


def _align(rows: Sequence[Sequence[str]]) -> str:
    wide = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, wide, strict=True)).rstrip() for row in rows
    )


COMMAND = Command(
    name="kitchen",
    summary="list the tasks of the kitchen, their least times and reference trajectories",
    about="""\
Two cooks, Bob and Alice, make one order in a kitchen where only Bob knows the recipe. `optimum` proves the
earliest timestep, counted from 0, at which an order can be delivered, and prints a plan that does so;
`references` lists every list of actions of each cook in plans of the fewest actions.""",
    examples=(
        "hive kitchen tasks level4",
        "hive kitchen optimum boiled_egg",
        "hive kitchen optimum level1 level2 level3 --free",
        "hive kitchen optimum baked_carrot_soup --spares 1",
        "hive kitchen references sliced_pumpkin_and_chickpea_stew --json",
    ),
    options=_options,
    run=_run,
    notes="docs/rules/kitchen.md states the rules; section 8 says what is searched.",
)
