"""Numbers that stand for a place: `half at SW Bridge 2 and half at 3`, where the last place that was named has one."""

from __future__ import annotations

from collections.abc import Sequence

from dsl.wording import is_whole
from hive.kit.facts import Feature
from hive.players.words.clauses import NAMED
from hive.players.words.cursor import fits
from hive.players.words.lexicon import Item

LEADS = ("to", "'number'", "'no'")
"""What stands before a number that is a place; so does `then` before one that ends what is said: `after that 5.`"""
COUNTED = (
    "type", "class", "all", "metres", "percent", "squad", "share", "event", "own", "id", "feature", "'of'", "'x'",
)  # fmt: skip
"""What follows a number that counts something."""


def with_numbered_places(items: Sequence[Item], features: Sequence[Feature]) -> list[Item]:
    """Return an order in which a bare number after `at`, `to` and the like is the place of that number.

    The place named last tells which are meant: after `North-East Bridge 3`, 4 and `Bridge 4` are North-East Bridge 4.
    """
    numbered: dict[str, dict[object, str]] = {}  # names by their number, by what stands before it
    kinds: dict[str, str] = {}
    for each in features:
        head, _, last = each.name.rpartition(" ")
        if is_whole(last):
            numbered.setdefault(head, {})[int(last)] = each.name
            kinds[head] = each.kind
    found, head = list[Item](), ""
    for at, item in enumerate(items):
        number, before, after = item.get("number"), _at(found, -1), _at(items, at + 1)
        bare = is_whole(item.text) and not fits(after, *COUNTED)
        side = NAMED.get(str(before.get("dir")), "")
        there = [each for each in numbered if each.lower().startswith(side)]
        sides = [each for each in there if side and number in numbered[each]]
        alike = [each for each in there if kinds[each] == item.get("feature")]
        aside = bare and len(sides) == 1  # `at North-East 3`
        (head,) = sides if aside else alike if len(alike) == 1 else [head]
        ends = at + 1 == len(items) or fits(after, "$", "'and'")
        led = fits(before, *LEADS) or (ends and fits(before, "then"))
        told = any(fits(_at(items, at + ahead), "dir", "name") for ahead in (1, 2, 3))  # `Bridge 2 in the west`
        told = told or fits(_at(found, -2), "dir")
        joins = aside or (kinds.get(head) == before.get("feature") and not told)
        if bare and number in numbered.get(head, {}) and (led or joins):
            text = f"{found.pop().text} {item.text}" if joins else item.text
            item = Item(text, {"name": numbered[head][number]})
        found.append(item)
    return found


def _at(items: Sequence[Item], at: int) -> Item:
    return items[at] if -len(items) <= at < len(items) else Item("")
