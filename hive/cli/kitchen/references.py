"""`hive kitchen references`: every sequence of actions of a cook in plans of the fewest actions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from dsl import UserError
from dsl.wording import columns, plural
from hive.cli.command import Command, option
from hive.cli.kitchen.orders import Orders
from hive.cli.options import Json
from hive.cli.printing import print_json, tell
from hive.cli.progress import watching

if TYPE_CHECKING:
    from hive.worlds.kitchen.optimum.references import References

_SHOWN = 20
"""Lists of a cook that are printed; `--json` has all."""


@dataclass(frozen=True, kw_only=True)
class ListReferences(Orders, Json):
    """Settings of `hive kitchen references`."""

    annotated: Annotated[
        Path | None,
        option("compare the lists of one task with those of a JSON file in the published form", "FILE"),
    ] = None


def _run(settings: ListReferences) -> int:
    from hive.worlds.kitchen.optimum.references import references
    from hive.worlds.kitchen.standard import differences, read_references

    setting, tasks = settings.load("references")
    if settings.annotated and len(tasks) > 1:
        raise UserError("--annotated belongs to one task: name one")
    annotated = read_references(settings.annotated, setting, warn=tell)[""] if settings.annotated else ()
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
    if settings.json:
        print_json({"references": [_references_object(each, names) for each in found]} | compared)
        return 0
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
    return 0


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


COMMAND = Command(
    settings=ListReferences,
    run=_run,
    about="""\
List, for each cook, every sequence of actions in plans of the fewest actions: the reference trajectories
against which games are scored.""",
    examples=(
        "hive kitchen references baked_carrot_soup",
        "hive kitchen references boiled_egg --annotated lists.json    compare with the lists of a file",
    ),
)
