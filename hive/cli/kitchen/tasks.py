"""`hive kitchen`: lists of tasks, their least times with a plan, and their reference trajectories."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dsl import UserError
from dsl.wording import columns, listing, plural
from hive.cli.arguments import Parser
from hive.cli.printing import print_json
from hive.cli.progress import watching

if TYPE_CHECKING:
    from hive.worlds.kitchen.optimum.play import Optimum
    from hive.worlds.kitchen.optimum.references import References
    from hive.worlds.kitchen.setting import Setting
    from hive.worlds.kitchen.tasks import Task

_SHOWN = 20
"""Lists of a cook that are printed; `--json` has all."""


ACTIONS = ("tasks", "optimum", "references")
"""What `hive kitchen` does besides playing."""

_ALLOWED: dict[str, tuple[str, ...]] = {"tasks": (), "optimum": ("--free", "--spares"), "references": ("--annotated",)}
_ALWAYS = ("--cookbook", "--layout", "--json")


def add_options(parser: Parser) -> None:
    """Add the options of a search."""
    parser.add_argument("--free", action="store_true", help="optimum: both cooks do any primitive at any time")
    parser.add_argument(
        "--spares",
        type=int,
        default=0,
        metavar="N",
        help="optimum: allow N more of each ingredient and of dishes than needed, 0 to 3; default: 0",
    )

    parser.add_argument(
        "--annotated",
        type=Path,
        metavar="FILE",
        help="references: compare the lists of one task with those of a JSON file in the published form",
    )


def run(args: argparse.Namespace) -> int:
    """List tasks, search their least times, or list their reference trajectories.

    Raises:
        UserError: An option belongs to another action, a task or a file is wrong, or an order cannot be made.
    """
    from hive.worlds.kitchen.setting import load_setting

    allowed = (*_ALLOWED[args.action], *_ALWAYS)
    for word in args.words:
        option = word.split("=")[0]
        if option.startswith("--") and option not in allowed:
            raise UserError(
                f"{option} cannot be used with `hive kitchen {args.action}`\n"
                f"  = help: its options are {listing(allowed, 'and')}"
            )
    setting = load_setting(cookbook_file=args.cookbook, layout_file=args.layout)
    {"tasks": _tasks, "optimum": _optimum, "references": _references}[args.action](args, setting, chosen(args, setting))
    return 0


def check_play(args: argparse.Namespace) -> None:
    """Refuse the options of a search for `play`.

    Raises:
        UserError: There is one.
    """
    if args.free or args.spares:
        raise UserError("--free and --spares belong to `hive kitchen optimum`")
    if args.annotated:
        raise UserError("--annotated belongs to `hive kitchen references`")


def chosen(args: argparse.Namespace, setting: Setting) -> list[Task]:
    """Return the tasks that the command line names, each once; `hive kitchen tasks` alone means all.

    Raises:
        UserError: None is named, or one is unknown.
    """
    from hive.worlds.kitchen.tasks import tasks_of

    if args.action == "tasks":
        return tasks_of(args.tasks or ["all"], setting.book)
    check_named(args)
    return tasks_of(args.tasks, setting.book)


def check_named(args: argparse.Namespace) -> None:
    """Check that the command line names a task.

    Raises:
        UserError: None is named.
    """
    if not args.tasks:
        help = f"hive kitchen {args.action} boiled_egg; `hive kitchen tasks` lists them"
        raise UserError(f"name a task\n  = help: {help}")


def _tasks(args: argparse.Namespace, setting: Setting, tasks: Sequence[Task]) -> None:
    if args.json:
        print_json({"tasks": [_task_object(task, setting) for task in tasks]})
        return
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


def _optimum(args: argparse.Namespace, setting: Setting, tasks: Sequence[Task]) -> None:
    from hive.worlds.kitchen.optimum.play import optima

    play = "primitives" if args.free else "named"
    with watching(quiet=True) as watch:
        found = list(optima(setting, [task.order for task in tasks], play, args.spares, watch))
    if args.json:
        print_json({"optima": [_optimum_object(each) for each in found]})
        return
    rows = [["task", "least time", "published", "states", "seconds"]]
    for task, each in zip(tasks, found, strict=True):
        published = str(task.published_time or "-")
        rows.append([each.order, str(each.time), published, f"{each.states:,}", f"{each.seconds:.2f}"])
    print(columns(rows))
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
        return columns(rows)
    rows = [["begins at", *names]]
    plans = [dict(plan) for plan in found.actions]
    for timestep in sorted({at for plan in plans for at in plan}):
        rows.append([str(timestep), *(str(plan.get(timestep, "")) for plan in plans)])
    return columns(rows)


def _references(args: argparse.Namespace, setting: Setting, tasks: Sequence[Task]) -> None:
    from hive.worlds.kitchen.optimum.references import references
    from hive.worlds.kitchen.standard import differences, read_references

    if args.annotated and len(tasks) > 1:
        raise UserError("--annotated belongs to one task: name one")
    annotated = read_references(args.annotated, setting) if args.annotated else ()
    found = []
    with watching(quiet=True) as watch:
        watch.stage("listing reference trajectories", len(tasks), "task")
        for number, task in enumerate(tasks, start=1):
            found.append(references(setting, task.order))
            watch.update(number)
    names = [cook.name for cook in setting.layout.cooks]
    texts = [[[str(action) for action in each] for each in lists] for lists in found[0].lists]
    other = {
        n: (len(theirs), differences(ours, theirs)) for n, ours, theirs in zip(names, texts, annotated, strict=False)
    }
    compared = {"annotated": {name: _compared_object(*each) for name, each in other.items()}} if annotated else {}
    if args.json:
        print_json({"references": [_references_object(each, names) for each in found]} | compared)
        return
    rows = [["task", *(f"{what} of {name}" for name in names for what in ("actions", "lists"))]]
    for each in found:
        rows.append([each.order, *(str(number) for lists in each.lists for number in (len(lists[0]), len(lists)))])
    print(columns(rows))
    if len(found) == 1:
        for name, lists in zip(names, found[0].lists, strict=True):
            print(f"\n{name}:\n{_lists(lists)}")
    for name, (count, missing) in other.items():
        print(f"\n{plural(count, 'annotated list')} of {name}, {count - len(missing)} among these")
        for actions, why in missing.items():
            print(f"  {'; '.join(actions)}: {why}")


def _compared_object(count: int, missing: Mapping[tuple[str, ...], str]) -> dict[str, Any]:
    others = [{"actions": actions, "why": why} for actions, why in missing.items()]
    return {"lists": count, "among": count - len(missing), "others": others}


def _references_object(found: References, names: Iterable[str]) -> dict[str, Any]:
    lists = ([[str(action) for action in each] for each in mine] for mine in found.lists)
    return {"task": found.order, **dict(zip(names, lists, strict=True))}


def _lists(lists: Sequence[Sequence[object]]) -> str:
    lines = [f"{number:>5}  {'; '.join(map(str, each))}" for number, each in enumerate(lists[:_SHOWN], start=1)]
    more = len(lists) - _SHOWN
    return "\n".join([*lines, *([f"       ... and {plural(more, 'more list')}; --json has all"] if more > 0 else [])])
