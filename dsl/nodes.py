"""Syntax trees of both languages. Spans say where a node was read; they take no part in equality."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Literal, TypeAlias

from dsl.source import NO_SPAN, Span


@dataclass(frozen=True)
class Sequence:
    """`S(…)`: runs its children in order for as long as they succeed without acting."""

    children: tuple[Node, ...]
    span: Span = field(default=NO_SPAN, compare=False, repr=False)


@dataclass(frozen=True)
class Fallback:
    """`F(…)`: runs its children in order for as long as they fail."""

    children: tuple[Node, ...]
    span: Span = field(default=NO_SPAN, compare=False, repr=False)


@dataclass(frozen=True)
class Leaf:
    """`A(…)` or `C(…)`: one atomic.

    Attributes:
        role: `A` for an action, `C` for a condition.
        name: First word of the atomic.
        args: The words after the name, without TYPES, in the order of the grammar.
        types: `()` when left out, `("any",)` when `any` is written, else the unit types in order. The
            target types of a plan replace only a written `any` (docs/rules/trees.md 3.3).
        span: The whole leaf, with its letter and brackets.
        name_span: The name alone.
    """

    role: Literal["A", "C"]
    name: str
    args: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    span: Span = field(default=NO_SPAN, compare=False, repr=False)
    name_span: Span = field(default=NO_SPAN, compare=False, repr=False)


Node: TypeAlias = Sequence | Fallback | Leaf
Cell: TypeAlias = tuple[int, int]


@dataclass(frozen=True)
class UnitSlice:
    """`start:stop`: units from `start`, included, to `stop`, excluded; None where left out."""

    start: int | None
    stop: int | None


@dataclass(frozen=True)
class UnitList:
    """`all` (`items` is None) or a list of unit ids and slices, each with its own span."""

    items: tuple[UnitSlice | int, ...] | None
    span: Span = field(default=NO_SPAN, compare=False, repr=False)
    item_spans: tuple[Span, ...] = field(default=(), compare=False, repr=False)

    def bounds(self) -> tuple[tuple[int, int | None], ...]:
        """Return each item as first id and excluded end; the end is None where it is the team's size."""
        if self.items is None:
            return ((0, None),)
        return tuple((item, item + 1) if isinstance(item, int) else (item.start or 0, item.stop) for item in self.items)

    def ids(self, size: int) -> tuple[int, ...]:
        """Return the distinct ids in a team of `size` units, in ascending order, each in `[0, size)`."""
        found: set[int] = set()
        for start, stop in self.bounds():
            found.update(range(start, size if stop is None else min(stop, size)))
        return tuple(sorted(found))


@dataclass(frozen=True)
class Position:
    """`objective: position`: met when the live units of the step's groups stand near their targets.

    Rules: docs/rules/plans.md 3.4.
    """

    word: ClassVar[str] = "position"

    span: Span = field(default=NO_SPAN, compare=False, repr=False)


@dataclass(frozen=True)
class Elimination:
    """`objective: elimination …`: met when the listed units of the other side are dead (docs/rules/plans.md 3.3)."""

    word: ClassVar[str] = "elimination"

    units: UnitList
    span: Span = field(default=NO_SPAN, compare=False, repr=False)


@dataclass(frozen=True)
class Cut:
    """`objective: cut [(11, 16), …]`: met when each listed cell was last seen without trees."""

    word: ClassVar[str] = "cut"

    cells: tuple[Cell, ...]
    span: Span = field(default=NO_SPAN, compare=False, repr=False)


@dataclass(frozen=True)
class Extinguish:
    """`objective: extinguish`: met when a fire was seen and no cell was last seen ignited or on fire."""

    word: ClassVar[str] = "extinguish"

    span: Span = field(default=NO_SPAN, compare=False, repr=False)


@dataclass(frozen=True)
class Contain:
    """`objective: contain (30, 30) 12`: met when the fire seems out and burnt nothing seen beyond `radius`.

    The radius is in cells, from 0, and counts between centres of cells.
    """

    word: ClassVar[str] = "contain"

    centre: Cell
    radius: int
    span: Span = field(default=NO_SPAN, compare=False, repr=False)


@dataclass(frozen=True)
class Rescue:
    """`objective: rescue 3 (20, 20)`: met when `count` living civilians known to the team stand near `place`.

    Carried ones do not count. Near is within 3 cells along x and along y (docs/rules/plans.md 4); the count is at
    least 1.
    """

    word: ClassVar[str] = "rescue"

    count: int
    place: Cell
    span: Span = field(default=NO_SPAN, compare=False, repr=False)


@dataclass(frozen=True)
class Transport:
    """`objective: transport 6 (92, 11)`: met when `count` living firefighters are near `place`, near as for Rescue."""

    word: ClassVar[str] = "transport"

    count: int
    place: Cell
    span: Span = field(default=NO_SPAN, compare=False, repr=False)


@dataclass(frozen=True)
class Scout:
    """`objective: scout …`: met when the team has seen every cell of a box, or a cell that burns or has burnt.

    `box` holds two opposite corners, both included, in any order; None stands for fire.
    """

    word: ClassVar[str] = "scout"

    box: tuple[Cell, Cell] | None
    span: Span = field(default=NO_SPAN, compare=False, repr=False)


@dataclass(frozen=True)
class Time:
    """`objective: time 100`: met so many ticks after the step became active; at least 1."""

    word: ClassVar[str] = "time"

    ticks: int
    span: Span = field(default=NO_SPAN, compare=False, repr=False)


@dataclass(frozen=True)
class Arrival:
    """`objective: arrival 80%`: met when that share of the step's live units stand near their targets, as for Position.

    `arrival any`, a `percent` of 0, asks for one unit. The percent is in `[0, 100]`; 100 means what `position` means.
    """

    word: ClassVar[str] = "arrival"

    percent: int
    span: Span = field(default=NO_SPAN, compare=False, repr=False)


@dataclass(frozen=True)
class Sighted:
    """`objective: sighted`: met when a live unit of the step sees a live unit of the other side."""

    word: ClassVar[str] = "sighted"

    span: Span = field(default=NO_SPAN, compare=False, repr=False)


@dataclass(frozen=True)
class Losses:
    """`objective: losses 30%`: met when at least that share of the step's units are dead; in `[1, 100]`."""

    word: ClassVar[str] = "losses"

    percent: int
    span: Span = field(default=NO_SPAN, compare=False, repr=False)


@dataclass(frozen=True)
class EnemyLosses:
    """`objective: enemy losses 50%`: met when at least that share of all units of the other side are dead."""

    word: ClassVar[str] = "enemy losses"

    percent: int
    span: Span = field(default=NO_SPAN, compare=False, repr=False)


Objective: TypeAlias = (
    Position
    | Elimination
    | Cut
    | Extinguish
    | Contain
    | Rescue
    | Transport
    | Scout
    | Time
    | Arrival
    | Sighted
    | Losses
    | EnemyLosses
)


@dataclass(frozen=True)
class Nearest:
    """Of a group's units, the `count` live ones nearest to `place` when its step becomes active."""

    count: int
    place: Cell


@dataclass(frozen=True)
class Inside:
    """Of a group's units, the live ones in a box when its step becomes active; opposite corners, both included."""

    first: Cell
    last: Cell


@dataclass(frozen=True)
class Behind:
    """A group that goes the way of another group of its step and stays `gap` metres behind it on that way.

    Attributes:
        group: Index of the group in front, in `Step.groups`.
        gap: Metres, at least 1.
    """

    group: int
    gap: int


@dataclass(frozen=True)
class Group:
    """Units of a step, with their target and behaviour.

    Attributes:
        units: Ids in the plan's own team.
        target: Map cell `(x, y)`.
        behaviour: Name of a tree.
        types: `()` when left out, `("any",)`, or the unit types in order.
        leash: A unit takes no step that its tree chooses, other than along its way, to a place that is more than so
            many metres from the target and farther than it is now; None: it may.
        cover: Whether the way to the target prefers forest and avoids what the other side can see.
        choice: Which of `units` obey, decided when the step becomes active; None: all.
        behind: The group that this one stays behind; its target is then that group's.
        span: The three lines of the group.
    """

    units: UnitList
    target: Cell
    behaviour: str
    types: tuple[str, ...] = ()
    leash: int | None = None
    cover: bool = False
    choice: Nearest | Inside | None = None
    behind: Behind | None = None
    span: Span = field(default=NO_SPAN, compare=False, repr=False)


@dataclass(frozen=True)
class Step:
    """One step: `groups` act once every step in `prerequisites` is achieved and until `objective` is met.

    Attributes:
        id: Number of the step, unique in the plan.
        prerequisites: Numbers of other steps.
        objective: When the step counts as achieved.
        groups: In text order. In a plan read leniently a unit may be in several: the last one wins.
        span: From the header to the last line of the step.
        id_span: The number in the header.
        prerequisite_spans: Each number in `prerequisites`.
    """

    id: int
    prerequisites: tuple[int, ...]
    objective: Objective
    groups: tuple[Group, ...]
    span: Span = field(default=NO_SPAN, compare=False, repr=False)
    id_span: Span = field(default=NO_SPAN, compare=False, repr=False)
    prerequisite_spans: tuple[Span, ...] = field(default=(), compare=False, repr=False)

    def leader(self, group: Group) -> Group:
        """Return the group whose way a group goes: itself, or the first of the row of groups that it is behind."""
        while group.behind:
            group = self.groups[group.behind.group]
        return group


@dataclass(frozen=True)
class PlanSyntax:
    """A complete plan; steps in text order, which is the order of their activation (docs/rules/plans.md 3.1)."""

    steps: tuple[Step, ...]
