"""Steps and groups of a plan as far as they could be read and resolved."""

from __future__ import annotations

from dataclasses import dataclass, field

from dsl.nodes import Cell, Inside, Nearest, UnitList
from dsl.source import Span
from dsl.written import Aim, Numbers, WrittenBehaviour, WrittenTarget, WrittenUnits


@dataclass(eq=False)
class GroupDraft:
    """A group as far as it could be read; None stands for what is missing or wrong.

    Attributes:
        header: The `units:` line, or the first line if that one is missing.
        end: Offset of the end of the last line.
        seen: Kinds of the lines read so far.
        written: What the `units:` line says.
        target: What the `target position:` line says.
        behaviour: What the `behavior:` line says.
        units: The ids; from `written` at once where it is one list, else after `dsl.unit_words`.
        choice: Which of the units obey, after `dsl.unit_words`.
        points: The cells of the target's points, after `dsl.places`; one, or two for a line and an area.
        via: The cells on the way, after `dsl.places`.
        front: The group of the step that this one stays behind, after `dsl.unit_words`.
    """

    header: Span
    end: int
    seen: list[str]
    written: WrittenUnits | None = None
    target: WrittenTarget | None = None
    behaviour: WrittenBehaviour | None = None
    units: UnitList | None = None
    choice: Nearest | Inside | None = None
    points: tuple[Cell, ...] = ()
    via: tuple[Cell, ...] = ()
    front: GroupDraft | None = None

    @property
    def span(self) -> Span:
        """All lines of the group."""
        return Span(self.header.source, self.header.start, self.end)


@dataclass(eq=False)
class StepDraft:
    """A step as far as it could be read; None stands for what is missing or wrong.

    Attributes:
        header: The `Step` line.
        end: Offset of the end of the last line.
        seen: Kinds of the lines read so far, except those of the groups.
    """

    header: Span
    end: int
    number: Numbers | None
    seen: list[str] = field(default_factory=list)
    prerequisites: Numbers | None = None
    aim: Aim | None = None
    groups: list[GroupDraft] = field(default_factory=list)

    @property
    def name(self) -> str:
        """What messages call the step."""
        return f"step {self.number.values[0]}" if self.number else "this step"

    @property
    def span(self) -> Span:
        """All lines of the step."""
        return Span(self.header.source, self.header.start, self.end)
