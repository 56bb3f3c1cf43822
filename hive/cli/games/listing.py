"""`hive list`: what is shipped, one line each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Annotated, Any

from dsl import UserError
from dsl.wording import did_you_mean, listing, nearest, quoted
from hive.cli import names
from hive.cli.command import Command, argument
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
    "drawn": "classes of drawn battles, with any SEED from 0 to 4294967295",
    "sets": "sets of drawn battles",
    "levels": "levels of wildfires",
    "orders": "orders of the kitchen",
    "tasks": "tasks for learners",
    "commanders": "commanders of wildfires",
    "crew_trees": "crew trees",
}
ALL = "all"
Sections = dict[str, list[dict[str, Any]]]


def _offer(begun: str) -> Iterable[str]:
    return [ALL, *_ORDER, *names.described()]


@dataclass(frozen=True, kw_only=True)
class List(Json):
    """Settings of `hive list`."""

    what: Annotated[
        str,
        argument(
            f"a section, the beginning of a name, or `{ALL}`; default: the scenarios, and one line for each section",
            "WHAT",
            complete=_offer,
        ),
    ] = field(kw_only=False, default="")


def _run(settings: List) -> int:
    found = _sections()
    if settings.what not in ("", ALL):
        found = _chosen(found, settings.what)
    if settings.json:
        shown = {
            title: [{key: value for key, value in entry.items() if key != "line"} for entry in entries]
            for title, entries in found.items()
        }
        print_json(shown)
        return 0
    whole = found if settings.what else {"scenarios": found["scenarios"]}
    width = max(len(entry["name"]) for entries in whole.values() for entry in entries)
    for number, (title, entries) in enumerate(whole.items()):
        print(f"{chr(10) if number else ''}{_TITLES.get(title, title)}")
        for entry in entries:
            print(f"  {entry['name']:<{width}}  {entry['line']}")
    if rest := {title: entries for title, entries in found.items() if title not in whole}:
        print(f"\nmore: `hive list SECTION`, `hive list` with the beginning of a name, or `hive list {ALL}`")
        for title, entries in rest.items():
            print(f"  {title:<{width}}  {len(entries)} {_TITLES.get(title, title)}: {entries[0]['name']} ...")
    return 0


def _sections() -> Sections:
    """Return the entries of all sections, in their order."""
    from hive.rl.registry import tasks

    found = {title: _with_ids(kind, some) for kind in kinds().values() for title, some in kind.catalogue().items()}
    found["tasks"] = [
        {"name": name, "id": each.id, "line": each.summary, "summary": each.summary} for name, each in tasks().items()
    ]
    return {title: found[title] for title in sorted(found, key=lambda title: (*_ORDER, title).index(title))}


def _chosen(found: Sections, what: str) -> Sections:
    """Return a section, or all entries whose names begin so.

    Raises:
        UserError: There is none.
    """
    if what in found:
        return {what: found[what]}
    begun = {title: [each for each in some if each["name"].startswith(what)] for title, some in found.items()}
    if not any(begun.values()):
        known = [*found, *(each["name"] for some in found.values() for each in some)]
        help = did_you_mean(nearest(what, known)) or f"sections are {listing(found, 'and')}"
        raise UserError(f"no section is called {quoted(what)}, and no name begins so\n  = help: {help}")
    return {title: some for title, some in begun.items() if some}


def _with_ids(kind: Kind, entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the entries of a section, of worlds with their name and version."""
    if not {*kind.names()} >= {each["name"] for each in entries}:
        return entries
    return [{**each, "id": id_of(each["name"])} for each in entries]


COMMAND = Command(
    settings=List,
    run=_run,
    about="""\
List what is shipped: scenarios, classes and sets of drawn battles, wildfire levels, orders of the kitchen,
rescues, households, tasks for learners, plans, commanders and behaviour trees of armies and crews. Without
WHAT it lists the scenarios, and says of each other section how many there are.

`hive run` and `hive describe` take the names of scenarios, drawn battles, levels, orders, rescues and
households as they stand here; `hive draw --set` takes those of sets; `hive train` and `hive describe` take
those of tasks; `hive kitchen`, `hive rescue` and `hive household` take those of their worlds.""",
    examples=(
        "hive list               the scenarios, and which sections there are",
        "hive list levels        the levels of wildfires",
        "hive list rescue/map_7  what has a name that begins so",
        "hive list --json        everything, for programs",
    ),
)
