"""`hive list`: everything that is shipped, one line each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hive.cli.command import Command
from hive.cli.options import Json
from hive.cli.printing import print_json
from hive.kit.contract import Kind
from hive.worlds import id_of, kinds

# Of sections; others come last.
_ORDER = (
    "scenarios",
    "drawn",
    "sets",
    "levels",
    "orders",
    "rescues",
    "households",
    "tasks",
    "plans",
    "commanders",
    "trees",
    "crew_trees",
)
_TITLES = {
    "drawn": "drawn battles, with any SEED from 0 to 4294967295",
    "sets": "sets of drawn battles",
    "orders": "orders of the kitchen",
    "tasks": "tasks for learners",
    "crew_trees": "crew trees",
}


@dataclass(frozen=True, kw_only=True)
class List(Json):
    """Settings of `hive list`."""


def _run(settings: List) -> int:
    from hive.rl.registry import tasks

    found = {title: _with_ids(kind, some) for kind in kinds().values() for title, some in kind.catalogue().items()}
    found["tasks"] = [
        {"name": name, "id": each.id, "line": each.summary, "summary": each.summary} for name, each in tasks().items()
    ]
    found = {title: found[title] for title in sorted(found, key=lambda title: (*_ORDER, title).index(title))}
    if settings.json:
        shown = {
            title: [{key: value for key, value in entry.items() if key != "line"} for entry in entries]
            for title, entries in found.items()
        }
        print_json(shown)
        return 0
    width = max(len(entry["name"]) for entries in found.values() for entry in entries)
    for number, (title, entries) in enumerate(found.items()):
        print(f"{chr(10) if number else ''}{_TITLES.get(title, title)}")
        for entry in entries:
            print(f"  {entry['name']:<{width}}  {entry['line']}")
    return 0


def _with_ids(kind: Kind, entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the entries of a section, of worlds with their name and version."""
    if not {*kind.names()} >= {each["name"] for each in entries}:
        return entries
    return [{**each, "id": id_of(each["name"])} for each in entries]


COMMAND = Command(
    settings=List,
    run=_run,
    about="""\
List the shipped scenarios, classes and sets of drawn battles, wildfire levels, orders of the kitchen,
rescues, households, tasks for learners, plans, commanders and behaviour trees of armies and crews.
`hive run` and `hive describe` take the names of scenarios, drawn battles, levels, orders, rescues and
households as they stand here; `hive draw --set` takes those of sets; `hive train` and `hive describe` take
those of tasks; `hive kitchen`, `hive rescue` and `hive household` take those of their worlds.""",
    examples=("hive list", "hive list --json"),
)
