"""`hive kitchen optimum`: the least time of each order, proved, with a plan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from dsl.wording import columns
from hive.cli.command import Command, option
from hive.cli.kitchen.orders import Orders
from hive.cli.options import Json
from hive.cli.printing import print_json
from hive.cli.progress import watching
from hive.cli.values import index

if TYPE_CHECKING:
    from hive.worlds.kitchen.optimum.play import Optimum
    from hive.worlds.kitchen.setting import Setting


@dataclass(frozen=True, kw_only=True)
class FindOptimum(Orders, Json):
    """Settings of `hive kitchen optimum`."""

    free: Annotated[bool, option("both cooks do any primitive at any time")] = False
    spares: Annotated[
        int,
        option("allow N more of each ingredient and of dishes than needed, 0 to 3; default: 0", "N", read=index),
    ] = 0


def _run(settings: FindOptimum) -> int:
    from hive.worlds.kitchen.optimum.play import optima

    setting, tasks = settings.load("optimum")
    play = "primitives" if settings.free else "named"
    with watching(quiet=True) as watch:
        found = list(optima(setting, [task.order for task in tasks], play, settings.spares, watch))
    if settings.json:
        print_json({"optima": [_optimum_object(each) for each in found]})
        return 0
    rows = [["task", "least time", "published", "states", "seconds"]]
    for task, each in zip(tasks, found, strict=True):
        published = str(task.published_time or "-")
        rows.append([each.order, str(each.time), published, f"{each.states:,}", f"{each.seconds:.2f}"])
    print(columns(rows))
    if len(found) == 1:
        print(f"\n{_plan(found[0], setting)}")
    return 0


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


COMMAND = Command(
    settings=FindOptimum,
    run=_run,
    about="""\
Prove the earliest timestep, counted from 0, at which an order can be delivered, and print a plan for it.""",
    examples=(
        "hive kitchen optimum boiled_egg                a plan of the least time",
        "hive kitchen optimum level1 level2 --free      primitives instead of named actions",
    ),
)
