"""Clauses: what an order says, as who, what, where, how and when."""

from __future__ import annotations

from dataclasses import dataclass, field

from hive.players.words.lexicon import Item

NAMED = {
    "n": "north", "s": "south", "e": "east", "w": "west",
    "ne": "north-east", "nw": "north-west", "se": "south-east", "sw": "south-west",
}  # fmt: skip


ALL = 10**6  # as the number of `they`: of all groups that were named


def combined(one: str, other: str) -> str:
    """Return a direction of two that were said one after the other, as in `the south, to the west`."""
    both = "".join(sorted({*one, *other}, key="nsew".index))
    return both if both in ("ne", "nw", "se", "sw") else other


@dataclass(frozen=True)
class Who:
    """Some units of one's own side, or of the other one.

    Attributes:
        base: `all`, `rest`, `they` (who were named last), `squad`, or empty where types or ids say it.
        foe: Whether they are of the other side.
        names: Types or classes of types.
        ids: First id and excluded end of each part.
        count: How many of them.
        share: Which part of them, in (0, 1]; 0: not said.
        minus: Who is left out.
        where: Where they stand, or with `pick` `nearest` what they are nearest to.
        pick: `nearest`, `last` (the highest ids), `all` (of the rest: whatever their type), `there` (those who were
            sent to `where`), `alike` (of `they`: groups of a kind) or `comer` (enemies who come by themselves).
        number: Of a squad, from 1; -1 is the last. Of `they`: how many groups, or units, of those named before; 0
            means the last group, -1 the last one of one unit (`he`), and -2 the last but one (`the former`).
        vague: Whether `share` stands for words such as `some`.
        each: Whether `count` or `share` is meant of each type, or for each place.
    """

    base: str = ""
    foe: bool = False
    names: tuple[str, ...] = ()
    ids: tuple[tuple[int, int], ...] = ()
    count: int | None = None
    share: float = 0.0
    minus: tuple[Who, ...] = ()
    where: Place | None = None
    pick: str = ""
    number: int = 0
    vague: bool = False
    each: bool = False

    @property
    def part(self) -> bool:
        """Whether a number, a share or ids pick some of them out."""
        return bool(self.count or self.share or self.ids)

    @property
    def whole(self) -> bool:
        """Whether everyone is meant, or nobody in particular."""
        told = self.names or self.ids or self.count or self.share or self.minus or self.where or self.pick
        told = told or 2 < self.number < ALL
        return self.base in ("all", "they") and not told


@dataclass(frozen=True)
class Place:
    """A place as it was said.

    Attributes:
        kind: `at`, `line`, `xs`, `y`, `markers`, `goal`, `feature`, `part`, `beside`, `way`, `units`, `start`, `home`
            or `same`.
        value: Cell, coordinates, letters, name or kind of a feature, part of the map, relation; by kind.
        dir: Compass direction that narrows it.
        of: What it is beside, or a part of.
        metres: How far; None: not said.
        numbers: Of features that have one.
        count: How many of several, the nearest ones; 0: not said.
        every: Whether all of the kind are meant.
        each: Whether what is said of units is said of each of them.
        deep: Whether the inside of it is meant; beside something, whether it may be one of several on that side.
        via: Whether it is only passed.
        origin: Whether units come from there.
        minus: Places of the kind that are not meant.
    """

    kind: str
    value: object = None
    dir: str = ""
    of: tuple[Place | Who, ...] = ()
    metres: int | None = None
    numbers: tuple[int, ...] = ()
    count: int = 0
    every: bool = False
    each: bool = False
    deep: bool = False
    via: bool = False
    origin: bool = False
    minus: tuple[Place, ...] = ()


@dataclass(frozen=True)
class Event:
    """What is waited for.

    Attributes:
        kind: `arrive`, `dead`, `ticks`, `sighted`, `losses` or `enemy losses`.
        amount: Ticks, or a number of units; 0: not said.
        share: A part of them, in (0, 1]; 0: not said.
        who: Whose arrival, losses or death.
        place: Where they arrive.
    """

    kind: str
    amount: int = 0
    share: float = 0.0
    who: tuple[Who, ...] = ()
    place: Place | None = None


@dataclass
class Clause:
    """One thing to be done, with what was said about it; empty fields were not said.

    `squads` says into how many units are split; -1: several; below: several of so many units each.
    `link` says how it follows the clause before: `stop`, `and`, `then`, `while`, `otherwise`, or `before` and `later`
    for what is done earlier than it is said. `unread` holds words that have no meaning, `lost` those that have one and
    no place in the clause, `left` details that no plan can say, and `loose` words that join others, and did not here.
    `colon` says that a colon ends it.
    """

    link: str = "stop"
    who: tuple[Who, ...] = ()
    verbs: list[str] = field(default_factory=list)
    foe: list[Who] = field(default_factory=list)
    own: tuple[Who, ...] = ()
    places: list[Place] = field(default_factory=list)
    manner: set[str] = field(default_factory=set)
    squads: int = 0
    when: Event | None = None
    until: Event | None = None
    leash: int | None = None
    each: bool = False
    colon: bool = False
    items: list[Item] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    loose: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """What was written."""
        return " ".join(item.text for item in self.items if item.get("stop") is None)

    @property
    def full(self) -> bool:
        """Whether a verb has its place or its object, so that a further verb begins another clause."""
        return bool(self.places or self.foe or self.own or self.until)

    @property
    def acts(self) -> bool:
        """Whether it says something to do."""
        return bool(self.verbs or self.full or self.squads)
