"""Felling trees: every unit has its own part of the cells or lines, and goes through it in a fixed order."""

from __future__ import annotations

from collections.abc import Sequence

from dsl.wording import is_whole
from hive.worlds.wildfire.speaker.scene import AgentFacts, PromptFacts
from hive.worlds.wildfire.speaker.sights import Cell, distance

ReasonedAction = tuple[str, str]
"""An action line, and the reason for it."""

NOTHING = "do nothing"
CLEAR = "drive to location, cutting"


def cut(scene: PromptFacts, mind: AgentFacts) -> ReasonedAction:
    """Return the next action of a unit on a level where trees are felled."""
    if mind.kind == "firefighter":
        return _fell(scene, mind)
    if mind.kind == "bulldozer" and scene.task.lines:
        return _clear(scene, mind)
    return NOTHING, "I have nothing to fell."


def part_of(cells: Sequence[Cell], rank: int, count: int) -> list[Cell]:
    """Return one of `count` parts of some cells, in which neighbours follow each other."""
    rest, way = list(cells), []
    here = min(rest, key=lambda cell: (sum(cell), cell)) if rest else (0, 0)
    while rest:
        here = min(rest, key=lambda cell: (distance(cell, here), cell))
        rest.remove(here)
        way.append(here)
    return way[len(way) * rank // count : len(way) * (rank + 1) // count]


def last_stop(mind: AgentFacts, stops: Sequence[Cell]) -> int:
    """Return the index of the stop that a unit last went to or worked at, 0 if there is none."""
    for done in reversed(mind.past):
        for cell in (*_named(done.words), done.place):
            if cell in stops:
                return list(stops).index(cell)
    return 0


def _named(words: str) -> list[Cell]:
    """Return the cell in an action line such as `move to location 12 7`."""
    numbers = [int(word) for word in words.replace(",", " ").split() if is_whole(word)]
    return [(numbers[-2], numbers[-1])] if len(numbers) >= 2 else []


def _fell(scene: PromptFacts, mind: AgentFacts) -> ReasonedAction:
    cells = list(scene.task.cells)
    rank, count = scene.rank(mind)
    if scene.task.lines and "bulldozer" in scene.roster.values():
        cells.reverse()
    part = part_of(cells, rank, count)
    now = last_stop(mind, part)
    for cell in part[now:]:
        if cell in mind.seen.cleared:
            continue
        if mind.cell != cell:
            return f"move to location {cell[0]} {cell[1]}", f"The cells from {cell} on are my part."
        if mind.seen.trees:
            return "cut one tree" if scene.single else "cut all trees in cell", f"Trees stand in {cell}, and I am here."
    return NOTHING, "I have cleared my part of the cells."


def _clear(scene: PromptFacts, mind: AgentFacts) -> ReasonedAction:
    rank, count = scene.rank(mind)
    lines = scene.task.lines
    stops = [end for line in lines[len(lines) * rank // count : len(lines) * (rank + 1) // count] for end in line]
    if not stops:
        return NOTHING, "There is no line for me."
    now = last_stop(mind, stops)
    if mind.cell == stops[now]:
        now += 1
    if now == len(stops):
        return NOTHING, "I have cleared my lines."
    x, y = stops[now]
    if now % 2:
        return f"{CLEAR} {x} {y}", f"I am at one end of a line and clear it up to {stops[now]}."
    return f"drive to location {x} {y}", f"A line begins at {stops[now]}."
