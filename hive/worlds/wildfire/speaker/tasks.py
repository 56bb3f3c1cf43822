"""What a crew has to do, read from the task in words (`hive.worlds.wildfire.task_text`)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hive.worlds.wildfire.speaker.sights import Cell, cells_in

_LAST = re.compile(r"from \(0, 0\) to \((\d+), (\d+)\)")
_CIVILIANS = re.compile(r"(\d+) groups? of (\d+) civilians")
_GOAL = re.compile(r"to \((\d+), (\d+)\)[:,] within 3 cells")
_FIRE = re.compile(r"There is a fire near \((\d+), (\d+)\)")
_WATER = re.compile(r"Refill water at \((\d+), (\d+)\)")
_NEAR = re.compile(r"They are near ([^.]*)\.")


@dataclass(frozen=True)
class TaskFacts:
    """A task.

    Attributes:
        game: `cut`, `scout`, `transport`, `rescue`, or `fire` where a fire is fought.
        cells: Cells to clear.
        lines: Ends of lines to clear; their cells are among `cells`.
        goal: Where to bring firefighters or civilians.
        groups: Where civilians are.
        civilians: How many of them there are.
        fire: Where a fire is.
        water: Where to refill water.
        size: Cells a side of the map; None: the text does not say.
    """

    game: str
    cells: tuple[Cell, ...] = ()
    lines: tuple[tuple[Cell, Cell], ...] = ()
    goal: Cell | None = None
    groups: tuple[Cell, ...] = ()
    civilians: int = 0
    fire: Cell | None = None
    water: Cell | None = None
    size: int | None = None


def read_task(text: str) -> TaskFacts:
    """Return the task that a text sets."""
    last, people = _LAST.search(text), _CIVILIANS.search(text)
    size = int(last[1]) + 1 if last else None
    if text.startswith("Fell every tree on these lines"):
        ends = cells_in(text.partition(": ")[2])
        lines = tuple(zip(ends[::2], ends[1::2], strict=False))
        return TaskFacts("cut", tuple(dict.fromkeys(cell for line in lines for cell in _along(*line))), lines)
    if text.startswith("Fell every tree"):
        return TaskFacts("cut", tuple(cells_in(text)))
    if text.startswith("Find a fire"):
        return TaskFacts("scout", size=size)
    place = _place(_GOAL, text)
    if place and people:
        near = _NEAR.search(text)
        return TaskFacts(
            "rescue",
            goal=place,
            groups=tuple(cells_in(near[1])) if near else (),
            size=size,
            civilians=int(people[1]) * int(people[2]),
        )
    if place:
        return TaskFacts("transport", goal=place)
    fire, water = (_place(pattern, text) for pattern in (_FIRE, _WATER))
    return TaskFacts("fire", fire=fire, water=water, size=size)


def _place(pattern: re.Pattern[str], text: str) -> Cell | None:
    found = pattern.search(text)
    return (int(found[1]), int(found[2])) if found else None


def _along(one: Cell, other: Cell) -> list[Cell]:
    """Return the cells of a line along x or y, both ends included."""
    xs, ys = sorted((one[0], other[0])), sorted((one[1], other[1]))
    return [(x, y) for x in range(xs[0], xs[1] + 1) for y in range(ys[0], ys[1] + 1)]
