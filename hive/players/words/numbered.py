"""Numbers that stand for a place: `half at SW Bridge 2 and half at 3`, where the last place that was named has one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dsl.wording import is_whole
from hive.kit.facts import Feature
from hive.players.words.clauses import NAMED
from hive.players.words.cursor import fits
from hive.players.words.lexicon import Item

LEADS = ("to", "'number'", "'no'", "then")
"""What stands before a number that is a place."""
COUNTED = (
    "type",
    "class",
    "all",
    "metres",
    "percent",
    "squad",
    "share",
    "event",
    "own",
    "id",
    "feature",
    "'of'",
    "'x'",
)
"""What follows a number that counts something."""


def with_numbered_places(items: Sequence[Item], features: Sequence[Feature]) -> list[Item]:
    """Return an order in which a bare number after `at`, `to` and the like is the place of that number.

    The place named last tells which are meant: after `North-East Bridge 3` the number 4 is the North-East Bridge 4.
    """
    numbered: dict[str, dict[int, str]] = {}  # names by their number, by what stands before it
    kinds: dict[str, str] = {}
    for each in features:
        head, _, last = each.name.rpartition(" ")
        if is_whole(last):
            numbered.setdefault(head, {})[int(last)] = each.name
            kinds[head] = each.kind
    found, head = list[Item](), ""
    for at, item in enumerate(items):
        head = _head(items, at, numbered, kinds) or head
        number, before, after = item.get("number"), found[-1] if found else Item(""), items[at + 1 : at + 2]
        bare = isinstance(number, int) and is_whole(item.text) and number in numbered.get(head, {})
        bare = bare and fits(before, *LEADS) and not (after and fits(after[0], *COUNTED))
        found.append(Item(item.text, {"name": numbered[head][int(str(number))]}) if bare else item)
    return found


def _head(
    items: Sequence[Item], at: int, numbered: Mapping[str, Mapping[int, str]], kinds: Mapping[str, str]
) -> str | None:
    """Return what stands before the numbers of the places that an item names; None if it names none of them."""
    item = items[at]
    if name := item.get("name"):
        head = str(name).rpartition(" ")[0]
        return head if head in numbered else ""
    if not item.get("feature"):
        return None
    side = NAMED.get(str(items[at - 1].get("dir")) if at else "", "")
    alike = [head for head in numbered if kinds[head] == item.get("feature") and head.lower().startswith(side)]
    return alike[0] if len(alike) == 1 else ""
