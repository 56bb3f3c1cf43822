"""Clauses: what an order says, as who, what, where, how and when."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from hive.players.words.lexicon import Item


@dataclass(frozen=True)
class Who:
    """Some units of one's own side, or of the other one.

    Attributes:
        base: `all`, `rest`, `they`, `type`, `squad`, `ids` or `called`.
        foe: Whether they are of the other side.
        names: Types or classes of types.
        ids: First id and excluded end of each part.
        part: How many of them: a count, or a share in percent with `percent`.
        percent: Whether `part` is a share.
        each: Whether `part` is meant of each type.
        minus: Who is left out.
        where: Where they stand; with `pick` `nearest`, what they are nearest to.
        pick: `nearest`, `weakest` or `strongest`; `most` of those on a side, and `last` of those with the highest ids.
        number: Of a squad, from 1; -1 is the last. For `they`, of how many groups before. For `rest`, 1 if it
            may be that of a type, as in `half of the archers ..., the rest ...`; `everyone else` never is.
        called: What they are called, as in `a screen of 20 archers ... the screen`.
        unread: What was said of them that is not understood.
    """

    base: str = ""
    foe: bool = False
    names: tuple[str, ...] = ()
    ids: tuple[tuple[int, int | None], ...] = ()
    part: int | None = None
    percent: bool = False
    each: bool = False
    minus: tuple[Who, ...] = ()
    where: Place | None = None
    pick: str = ""
    number: int = 0
    called: str = ""
    unread: str = ""


@dataclass(frozen=True)
class Place:
    """A place as it was said.

    Attributes:
        kind: `at`, `box`, `xs`, `y`, `markers`, `goal`, `feature`, `part`, `beside`, `sides`, `way`, `units`, `start`,
            `zone`, `home` or `same`.
        value: Cell, coordinates, letters, name or kind of a feature, part of the map, relation; by kind.
        dir: Compass direction that narrows it.
        of: What it is beside, or a part of.
        metres: How far beside it; None: not said.
        number: Of a feature that has one, or of the first or last of several.
        among: Numbers of features, of which several are meant.
        every: Whether all features of the kind are meant.
        deep: Whether the inside of it is meant.
        via: Whether it is only passed.
        most: Whether that of all which lies farthest in the direction is meant.
        other: Whether those are meant that were not named yet.
        own: Whether those are meant that one's own bank has.
        barred: Whether it was said after a denial: nobody goes there, or nobody leaves it.
    """

    kind: str
    value: object = None
    dir: str = ""
    of: tuple[Place | Who, ...] = ()
    metres: int | None = None
    number: int = 0
    among: tuple[int, ...] = ()
    every: bool = False
    deep: bool = False
    via: bool = False
    most: bool = False
    other: bool = False
    own: bool = False
    barred: bool = False


@dataclass(frozen=True)
class Event:
    """What is waited for: `arrive`, `dead`, `ticks`, `sighted`, `losses` or `enemy losses`.

    Attributes:
        kind: One of these.
        amount: Ticks, or a share in percent; a number of units with `count`. 0: not said; for `arrive`: all.
        count: Whether `amount` counts units.
        some: Whether one that arrives is enough.
        who: Whose arrival or losses.
        foe: Whose death.
        place: Where they arrive.
    """

    kind: str
    amount: int = 0
    count: bool = False
    some: bool = False
    who: tuple[Who, ...] = ()
    foe: Who | None = None
    place: Place | None = None


@dataclass
class Clause:
    """One thing to be done, with what was said about it; empty fields were not said.

    `deeds` holds `shoot` or `charge` where an attack is said to be made from where units stand, or by leaving it.
    """

    who: tuple[Who, ...] = ()
    verbs: list[str] = field(default_factory=list)
    denied: list[str] = field(default_factory=list)
    foe: list[Who] = field(default_factory=list)
    own: tuple[Who, ...] = ()
    places: list[Place] = field(default_factory=list)
    manner: set[str] = field(default_factory=set)
    squads: int = 0
    when: Event | None = None
    until: Event | None = None
    link: str = "stop"
    leash: int | None = None
    items: list[Item] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    lost: dict[str, str] = field(default_factory=dict)
    deeds: set[str] = field(default_factory=set)
    got: bool = False  # whether the last verb is `get`, which attacks the other side

    def copy(self) -> Clause:
        """The same clause, whose lists and sets may be changed apart from this one."""
        return replace(
            self, verbs=[*self.verbs], denied=[*self.denied], foe=[*self.foe], places=[*self.places],
            manner={*self.manner}, items=[*self.items], unknown=[*self.unknown], lost={**self.lost},
            deeds={*self.deeds},
        )  # fmt: skip

    @property
    def text(self) -> str:
        """What was written."""
        return " ".join(item.text for item in self.items if item.get("stop") is None or item.text in "()")

    @property
    def full(self) -> bool:
        """Whether a verb has its place or its object, so that a further verb begins another clause."""
        return bool(self.places or self.foe or self.own or self.until)

    @property
    def acts(self) -> bool:
        """Whether it says something to do."""
        return bool(self.verbs or self.places or self.foe or self.own or self.until or self.squads)
