"""`hive rescue optimum`: the best that the team of an instance can do, with a plan that the world has played."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from dsl.wording import columns
from hive.cli.command import Command, option
from hive.cli.options import Folder
from hive.cli.printing import print_json
from hive.cli.progress import watching
from hive.cli.rescue.instances import Instances, Weights
from hive.kit.keep.csv_text import csv_text
from hive.kit.keep.json_text import pretty

if TYPE_CHECKING:
    from hive.worlds.rescue.instance import Instance
    from hive.worlds.rescue.optimum.play import Optimum

_PROVED = {
    "steps": "Proved: no plan serves more victims, and none that serves as many takes fewer steps.",
    "weighted": "Proved: no plan serves more victims, and none that serves as many has fewer weighted steps.",
}


@dataclass(frozen=True, kw_only=True)
class FindOptimum(Instances, Weights, Folder):
    """Settings of `hive rescue optimum`."""

    objective: Annotated[
        Literal["steps", "weighted"],
        option("steps until all victims are served, or the sum of weight times step of each; default: steps"),
    ] = "steps"


def _run(settings: FindOptimum) -> int:
    """Search, let the world play each plan, and print.

    Raises:
        UserError: No instance is named, or the folder cannot be written.
    """
    from hive.kit.keep.config import config_file
    from hive.worlds.rescue.assembly import make_params
    from hive.worlds.rescue.optimum.play import optimum
    from hive.worlds.rescue.optimum.replay import replay

    instances = settings.load("optimum")
    settings.check_folder(settings.out)
    found = []
    with watching(quiet=settings.json) as watch:
        watch.stage("searching best plans", len(instances), "instance")
        for number, instance in enumerate(instances, start=1):
            params = make_params(instance)
            found.append(optimum(params, settings.objective, settings.urgent_weight))
            replay(params, found[-1])
            watch.update(number)
    objects = {"optima": [_object(instance, each) for instance, each in zip(instances, found, strict=True)]}
    if settings.json:
        print_json(objects)
    else:
        rows = [["instance", "served", "steps", "weighted", "nodes", "seconds"]]
        for instance, each in zip(instances, found, strict=True):
            served = f"{each.served} of {len(instance.victims)}"
            values = [str(each.steps), str(each.weighted), f"{each.nodes:,}", f"{each.seconds:.2f}"]
            rows.append([instance.name, served, *values])
        print(columns(rows))
        print(f"\n{_PROVED[settings.objective]} The world has played each plan.")
        if len(found) == 1:
            print(f"\n{columns(_plan(instances[0], found[0]))}")
    if settings.out:
        config = config_file(settings.line, [], instances=[instance.name for instance in instances])
        optima = {"optima.json": pretty(objects), "optima.csv": csv_text(objects["optima"])}
        settings.save_folder(settings.out, {**config, **optima})
    return 0


def _object(instance: Instance, each: Optimum) -> dict[str, Any]:
    head, *rows = _plan(instance, each)
    return {
        "instance": instance.name,
        "objective": each.objective,
        "urgent_weight": each.urgent_weight,
        "victims": len(instance.victims),
        "served": each.served,
        "value": each.value,
        "steps": each.steps,
        "weighted": each.weighted,
        "nodes": each.nodes,
        "seconds": round(each.seconds, 3),
        "plan": [dict(zip(head[1:], row[1:], strict=True)) for row in rows],
    }


def _plan(instance: Instance, each: Optimum) -> Sequence[Sequence[str]]:
    """A plan, one step a line; an agent that has no turn any more has an empty cell."""
    from hive.worlds.rescue.codes import Act

    texts = {
        Act.GIVE_WATER: "give_water()",
        Act.GIVE_FOOD: "give_food()",
        Act.GIVE_MEDICINE: "give_medicine()",
        Act.END_MISSION: "end_mission()",
        Act.NOTHING: "",
    }
    rows = [["step", *(agent.name for agent in instance.agents)]]
    for step, actions in enumerate(each.actions.tolist(), start=1):
        cells = [texts[act] if act in texts else f"navigate_to({instance.rooms[act]})" for act in actions]
        rows.append([str(step), *cells[: len(instance.agents)]])
    return rows


COMMAND = Command(
    settings=FindOptimum,
    run=_run,
    about="""\
Search the fewest steps, or the least weighted steps, in which the team of an instance can help its victims,
prove that nothing is better, and let the world play the plan.""",
    examples=(
        "hive rescue optimum map_7/agents-1    the fewest steps, proved, with a plan",
        "hive rescue optimum all --json        those of all shipped instances",
        "hive rescue optimum map_7/agents-1 --objective weighted --urgent-weight 5",
    ),
    notes="With --out a folder is written atomically: config.json, optima.json and optima.csv.",
)
