"""What an agent sees, read from a paragraph of `hive.worlds.wildfire.agents.paragraphs`."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field

from dsl.wording import is_whole

Cell = tuple[int, int]

_CELL = re.compile(r"\((\d+), (\d+)\)")
_TREES = re.compile(r"my cell has (\w+) trees?")
_SORT = re.compile(r"I see [\d,]+ (?:cells? )?(?:of )?([a-z ]+?)s?: ")
_CARRIES = re.compile(r"I carry (\w+) (?:civilian|firefighter)s?")
_WATER = re.compile(r"have (\d+) of \d+ water")
_MATE = re.compile(r"(\w+), a (\w+), at \((\d+), (\d+)\)")
_AIM = re.compile(r"\((\d+), (\d+)\) has (\w+) trees?")
_BURNING, _BURNT = ("ignited", "on fire", "extinguishing"), "burnt out"


@dataclass(frozen=True)
class Seen:
    """What an agent sees.

    Attributes:
        trees: Trees of its own cell; None: unknown.
        cells: Coordinates by what is there, such as `on fire` or `civilian`, the nearest first.
        mates: Type and cell of each team mate nearby, by name.
        carries: Civilians or firefighters that it carries.
        water: Loads of water.
        cleared: Cells of its task that it sees without trees.
        aboard: Whether it is inside a helicopter.
    """

    trees: int | None = None
    cells: dict[str, list[Cell]] = field(default_factory=dict)
    mates: dict[str, tuple[str, Cell]] = field(default_factory=dict)
    carries: int = 0
    water: int = 0
    cleared: frozenset[Cell] = frozenset()
    aboard: bool = False

    @property
    def civilians(self) -> list[Cell]:
        """Civilians that nobody carries."""
        return self.cells.get("civilian", [])

    @property
    def spreading(self) -> list[Cell]:
        """Cells from which fire spreads now or soon."""
        return [cell for sort in _BURNING[:2] for cell in self.cells.get(sort, [])]

    @property
    def fires(self) -> list[Cell]:
        """Cells that burn or are burnt; those that count as a found fire come first."""
        sorts = (*_BURNING[1:], _BURNT, _BURNING[0])
        return [cell for sort in sorts for cell in self.cells.get(sort, [])]


def read_paragraph(text: str) -> Seen:
    """Return what a paragraph says; nothing of what it does not say."""
    cells: dict[str, list[Cell]] = {}
    for sentence in text.split(". "):
        if sort := _SORT.match(sentence):
            cells[sort[1]] = cells_in(sentence)
    trees, carries, water = _TREES.search(text), _CARRIES.search(text), _WATER.search(text)
    near = text.partition("Near me: ")[2].partition(". ")[0]
    return Seen(
        trees=_number(trees[1]) if trees else None,
        cells=cells,
        mates={name: (kind, (int(x), int(y))) for name, kind, x, y in _MATE.findall(near)},
        carries=_number(carries[1]) if carries else 0,
        water=int(water[1]) if water else 0,
        cleared=frozenset((int(x), int(y)) for x, y, trees in _AIM.findall(text) if trees == "no"),
        aboard="I am inside the helicopter" in text,
    )


def cells_in(text: str) -> list[Cell]:
    """Return all coordinates in a text."""
    return [(int(x), int(y)) for x, y in _CELL.findall(text)]


def distance(one: Cell, other: Cell) -> float:
    """Return the distance of two cells."""
    return math.hypot(one[0] - other[0], one[1] - other[1])


def _number(word: str) -> int:
    return int(word) if is_whole(word) else {"no": 0, "a": 1}.get(word, 0)
