"""What phrases mean: units, places, events and deeds, as the rules of `grammar.toml` put them together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

SHARES = {
    "half": 50, "third": 100 / 3, "two_thirds": 200 / 3, "quarter": 25, "three_quarters": 75, "most": 60,
    "some": 100 / 3, "few": 12.5, "tenth": 10, "fifth": 20, "sixth": 100 / 6, "eighth": 12.5,
}  # fmt: skip
Part = tuple[int, int | None]  # first id and excluded end


@dataclass(frozen=True)
class Amount:
    """How many: a count, or a `share` in percent; `vague` without a number."""

    value: float
    share: bool = False
    vague: bool = False


@dataclass(frozen=True)
class Who:
    """Units of a side.

    Attributes:
        base: `all`, `type`, `ids`, `they`, `rest`, `squad`, `group`, `comer`, `part` of others, `but`, `at` a place,
            `some` of those who were named last, or `union`.
        side: `own`, `foe`, or empty where it is not said.
        names: Types, and `melee` or `ranged`.
        ids: First id and excluded end of each part.
        of: Whom this is a part of, or put together from.
        amount: How many of them.
        pick: Which: `nearest`, `farthest`, `first`, `last`, `next`, `weakest`, `strongest`, or a side.
        where: The place where they stand, or from which the nearest ones count.
        number: Of a squad; of `they`, how many groups.
        each: Whether the amount is for each type, or for each place.
    """

    base: str = "all"
    side: str = ""
    names: tuple[str, ...] = ()
    ids: tuple[Part, ...] = ()
    of: tuple[Who, ...] = ()
    amount: Amount | None = None
    pick: str = ""
    where: Any = None
    number: int = 0
    each: bool = False


@dataclass(frozen=True)
class Place:
    """A place, or several.

    Attributes:
        kind: `at`, `x`, `y`, `feature`, `name`, `marker`, `goal`, `part`, `beside`, `between`, `line`, `lined`, `box`,
            `way`, `who`, `there`, `start`, `home`, `zone` or `both`.
        value: Numbers, a name, a kind of ground, a part such as `corner`, a relation such as `behind`.
        dir: A side: `n`, `ne` and so on.
        of: What it is a part of, or beside.
        metres: How far from there.
        every: Whether all such places are meant, each for units of its own.
        number: Which of several features; how many of them, with `every`.
        role: How it was said: `to`, `at`, `via`, `from`, `out`, `short`, or nothing.
        near: Of features, which relation (`nearest`, `n`) to which place.
        which: `rest` for those that were not named yet, `own` for those on our side.
    """

    kind: str
    value: Any = None
    dir: str = ""
    of: tuple[Any, ...] = ()
    metres: int | None = None
    every: bool = False
    number: int = 0
    role: str = ""
    near: tuple[Any, ...] = ()
    which: str = ""


@dataclass(frozen=True)
class Event:
    """What can be waited for: `dead`, `losses`, `seen`, `engaged`, `arrive` or `ticks`."""

    kind: str
    who: Who | None = None
    foe: Any = None
    by: Who | None = None
    amount: Amount | None = None
    place: Any = None
    ticks: int = 0


@dataclass(frozen=True)
class When:
    """A condition: `when`, `until`, `before`, or one that no plan can say."""

    kind: str
    event: Event


@dataclass(frozen=True)
class Before:
    """What is done only after the clause that says this."""

    act: Act
    kind: str = "do"


@dataclass(frozen=True)
class Act:
    """A verb of the lexicon, with what sort of attack it is; `denied` after a `not`, for everyone after `nobody`."""

    verb: str
    deed: str = ""
    denied: bool = False
    nobody: bool = False


@dataclass(frozen=True)
class Manner:
    """How units act; `metres` of a leash, or between units."""

    how: str
    metres: int | None = None


@dataclass(frozen=True)
class Squads:
    """A split into so many squads, 0 for as many as are needed, `each` of such units."""

    count: int
    each: Who | None = None


# ---- functions of the grammar; None where the words do not mean this


def counts(one: int, other: int) -> int | None:
    """Return a number of two words: `twenty five`, `two hundred`."""
    if other in (100, 1000):
        return one * other if 0 < one < 1000 else None
    tens = one >= 20 and one % 10 == 0 and 0 < other < 10
    return one + other if tens or (one and one % 100 == 0 and 0 < other < 100) else None


def shared(name: str) -> Amount:
    """Return a share by its name."""
    return Amount(SHARES[name], True, name in ("some", "few", "most"))


def ratio(whole: Any, top: int = 1) -> Amount | None:
    """Return one, or several, of so many equal parts."""
    return Amount(100 * top / whole, True) if 0 < top < whole else None


def fraction(value: tuple[int, int]) -> Amount | None:
    """Return `2/3` as a share."""
    return ratio(value[1], value[0])


def id_range(first: int, last: int | None = None) -> tuple[Part, ...] | None:
    """Return ids from one to another, both included."""
    last = first if last is None else last
    return ((first, last + 1),) if first <= last else None


def id_since(first: int) -> tuple[Part, ...]:
    """Return all ids from one on."""
    return ((first, None),)


def id_below(last: int) -> tuple[Part, ...]:
    """Return all ids up to one."""
    return ((0, last + 1),)


def joined(one: tuple[Part, ...], other: tuple[Part, ...]) -> tuple[Part, ...]:
    """Return two lists of ids as one."""
    return one + other


def they() -> Who:
    """Return those who were named last."""
    return Who("they")


def some() -> Who:
    """Return those of whom the last clause named a part."""
    return Who("some")


def rest() -> Who:
    """Return those who have no order yet."""
    return Who("rest")


def everyone() -> Who:
    """Return everyone."""
    return Who("all")


def foe() -> Who:
    """Return all enemies."""
    return Who("all", "foe")


def part(how_many: Amount, who: Who) -> Who | None:
    """Return so many of some units."""
    if who.base == "part" and who.pick and who.amount is None:
        return replace(who, amount=how_many)
    if (
        who.base in ("union", "but", "comer")
        or (who.base == "part" and not how_many.share)
        or (who.base == "all" and who.side == "foe" and not how_many)
    ):
        return None
    if who.base == "squad" and not how_many.share:
        return None
    return Who("part", who.side, of=(who,), amount=how_many)


def picked(which: Any, how_many: Amount | None, who: Who | None = None, where: Any = None) -> Who | None:
    """Return those of some units that stand nearest, come first, or are weakest."""
    nth = which if isinstance(which, int) else 0
    which = {0: which, 1: "first", -1: "last"}.get(nth, "nth")
    inner = who or Who("some")
    if not isinstance(which, str) or inner.base in ("union", "but", "they", "comer"):
        return None
    if inner.base == "part" and not inner.pick and how_many is None:
        return replace(inner, pick=which, where=where)
    if inner.base == "part" and inner.pick == which and where is not None and inner.where is None and how_many is None:
        return replace(inner, where=where)
    if inner.base == "part" or (how_many is None and which in ("first", "last", "next")):
        return None
    if which == "nth" and (how_many is None or how_many.value == 1):
        return None
    return Who("part", inner.side, of=(inner,), amount=how_many, pick=which, where=where, number=nth)


def meet(kind: Who, who: Who) -> Who | None:
    """Return those of a type among others."""
    return Who("meet", of=(kind, who)) if who.base in ("at", "squad", "group", "called") else None


def sided_part(side: str, how_many: Amount, who: Who) -> Who | None:
    """Return so many of some units, from one side."""
    return Who("part", who.side, of=(who,), amount=how_many, pick=side) if who.base in ("type", "all", "some") else None


def foes(how_many: Amount | None, who: Who | None, side: str | None = None) -> Who:
    """Return so many enemies, or those on a side."""
    found = replace(who, side="foe") if who else Who("all", "foe")
    found = Who("at", "foe", of=(found,), where=Place("part", dir=side)) if side else found
    return Who("part", "foe", of=(found,), amount=how_many) if how_many else found


def side(name: str) -> Place:
    """Return a side of the map."""
    return Place("part", dir=name)


def standing(who: Who, where: Place) -> Who | None:
    """Return those of some units that stand at a place."""
    if (
        where.role in ("to", "from", "via", "out")
        or (where.kind == "who" and where.role == "by")
        or who.base in ("they", "comer")
        or where.kind == "way"
    ):
        return None
    if who.base == "part" and not who.pick:  # so many of those there, not those there of so many
        return replace(who, of=(Who("at", who.side, of=who.of, where=where),))
    return Who("at", who.side, of=(who,), where=where)


def lost(who: Who, part_of: Who | None) -> Event | None:
    """Return the loss of so many of some units."""
    if part_of is not None and part_of.amount is None:
        return None
    return Event("losses", who, amount=part_of.amount if part_of is not None else None)


def amount_of(how_many: Amount) -> Who:
    """Return so many of everyone."""
    return Who("part", of=(everyone(),), amount=how_many)


def at_both(one: Any, other: Any) -> Place:
    """Return several places in numbers."""
    rest_ = other.of if isinstance(other, Place) else (Place("at", other),)
    return Place("both", of=(Place("at", one), *rest_))


def union(one: Who, other: Who) -> Who | None:
    """Return several units together."""
    if (
        {one.side, other.side} == {"own", "foe"}
        or "comer" in (one.base, other.base)
        or one.base == "union"
        or other.base == "they"
    ):
        return None
    if other.base == "rest" and not other.of:
        return None
    if any(each.base == "part" and each.of[0].base == "some" for each in (one, other)):
        return None
    return Who("union", one.side or other.side, of=(one, *(other.of if other.base == "union" else (other,))))


def us() -> Who:
    """Return those who are told."""
    return Who("they", number=-1)


def it() -> Place:
    """Return what was named before."""
    return Place("there", "it")


def exact(x: int, y: int) -> Place:
    """Return a place in numbers."""
    return Place("at", (x, y), role="to")


def every_each(where: Place) -> Place | None:
    """Return places of which each is for units of its own."""
    return replace(where, of=tuple(replace(each, every=True) for each in where.of)) if where.kind == "both" else None


def last_two() -> Who:
    """Return the two groups that were named last."""
    return Who("they", number=2)


def named(name: str) -> Place:
    """Return a place by its name."""
    return Place("name", name)


def all_of(kind: str) -> Place:
    """Return all features of a kind."""
    return Place("feature", kind, every=True)


def line(one: Place, other: Place) -> Place | None:
    """Return a line from one place to another."""
    exact = ("at", "x", "y", "marker", "goal")
    return Place("line", of=(one, other)) if (one.kind in exact) == (other.kind in exact) else None


def pair(one: str, other: str) -> str | None:
    """Return two sides as one: `north` and `east`."""
    both = "".join(sorted(one + other, key="nsew".index))
    return both if both in ("ne", "nw", "se", "sw") else None


def markers(one: Place, other: Place) -> Place | None:
    """Return markers one after another."""
    return Place("marker", one.value + other.value)


def places(one: Place, other: Place) -> Place | None:
    """Return two places."""
    if (
        one.kind == "both"
        or "way" in (one.kind, other.kind)
        or (one.kind == other.kind == "part" and one.dir == other.dir)
    ):
        return None
    if "part" in (one.kind, other.kind) and "at" in (one.kind, other.kind):
        return None
    if other.kind in ("beside", "there") and other.of[:1] == (it(),):
        return None
    return Place("both", of=(one, *(other.of if other.kind == "both" else (other,))))


def foe_of(who: Who) -> Who:
    """Return the same units of the other side."""
    return replace(who, side="foe")


def ticks(count: int) -> Event:
    """Return so many ticks."""
    return Event("ticks", ticks=count)
