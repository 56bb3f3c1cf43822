"""What the lines of a plan say, as read: units, a target and a behaviour in words. `dsl.resolving` resolves them.

Rules: docs/rules/plans.md 1.6 to 1.9.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from dsl.nodes import Objective, UnitList
from dsl.source import Span


@dataclass(frozen=True)
class Numbers:
    """Whole numbers, the span of each, and the span of all of them with their brackets."""

    values: tuple[int, ...]
    spans: tuple[Span, ...]
    span: Span


@dataclass(frozen=True)
class SpannedWords:
    """Words and the span of each."""

    words: tuple[str, ...]
    spans: tuple[Span, ...]


@dataclass(frozen=True)
class Share:
    """`half of` or `20 of`: `top / bottom` of some units, or exactly `top` of them where `bottom` is 0."""

    top: int
    bottom: int
    span: Span


@dataclass(frozen=True)
class Term:
    """Some units of the team, such as `half of archer`.

    Attributes:
        shares: From the outermost to the innermost.
        units: The ids of which they are shares; None where a type is named.
        kind: The type, or None.
        rest: Whether units that another group of the step names are left out.
        span: The whole term.
    """

    shares: tuple[Share, ...]
    units: UnitList | None
    kind: SpannedWords | None
    rest: bool
    span: Span


@dataclass(frozen=True)
class WrittenUnits:
    """The content of a `units:` line.

    Attributes:
        terms: What it names; empty where a choice is made of the whole team.
        choice: `nearest` or `in`; None: all of them obey.
        count: How many are the nearest; none otherwise.
        cells: x and y in turn of the cells of the choice.
        span: The whole content.
    """

    terms: tuple[Term, ...]
    choice: Literal["nearest", "in"] | None
    count: Numbers
    cells: Numbers
    span: Span

    @property
    def lists(self) -> Iterator[UnitList]:
        """The lists of ids in it."""
        return (term.units for term in self.terms if term.units)

    @property
    def plain(self) -> UnitList | None:
        """The list of ids that is all of it, as the first edition writes it; None: there is more to it."""
        if self.choice or len(self.terms) != 1:
            return None
        (term,) = self.terms
        return None if term.shares or term.rest else term.units


@dataclass(frozen=True)
class Point:
    """One place: a cell, the letter of a marker, or words.

    Attributes:
        cell: x and y, or None.
        marker: The letter, or None.
        words: The words, with one blank between them; empty for the other forms.
        span: The whole point.
    """

    cell: Numbers | None
    marker: str | None
    words: str
    span: Span


@dataclass(frozen=True)
class WrittenTarget:
    """The content of a `target position:` line.

    Attributes:
        form: One point, a line or an area over which the group spreads, or behind another group.
        points: The point, or the two ends of a line, or two opposite corners.
        via: Points on the way there.
        cover: Whether it is `under cover`.
        front: The units of the other group.
        gap: Metres to the other group; none otherwise.
        span: The whole content.
    """

    form: Literal["point", "line", "area", "behind"]
    points: tuple[Point, ...]
    via: tuple[Point, ...]
    cover: bool
    front: tuple[Term, ...]
    gap: Numbers
    span: Span


@dataclass(frozen=True)
class WrittenBehaviour:
    """The content of a `behavior:` line: a name with target types, and the metres of `within`, or none."""

    names: SpannedWords
    leash: Numbers


@dataclass(frozen=True)
class Aim:
    """An objective, with the spans of its numbers.

    Attributes:
        objective: The node.
        coordinates: x and y in turn of every cell that it names.
        amount: Its radius or count, or none.
        foes: The types of the other side that an elimination names; its list is then made of them by
            `dsl.unit_words`, and is `all` before.
    """

    objective: Objective
    coordinates: Numbers
    amount: Numbers
    foes: SpannedWords | None = None


Value: TypeAlias = Numbers | Aim | WrittenUnits | WrittenTarget | WrittenBehaviour
"""What a line says: a step its number, prerequisites the numbers of steps."""
