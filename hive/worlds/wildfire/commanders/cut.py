"""Cut Trees: distribute the listed cells among the firefighters, and the lines among the bulldozers."""

from __future__ import annotations

import math

import numpy as np

from dsl.nodes import Cell, Cut
from hive.engine.crews.explored import Explored
from hive.engine.types import CrewType
from hive.worlds.wildfire.commanders.plan_writer import Order, UnitOrders, course, write_plan
from hive.worlds.wildfire.commanders.rounds import share_out
from hive.worlds.wildfire.commanders.terrain_facts import distance, nearest_few, trees_on
from hive.worlds.wildfire.reports import Report

_WALK, _DRIVE, _FELL = 7.0, 8.0, 4.0  # cells a tick: a firefighter in usual forest, a bulldozer, one that fells
_TREES = 3  # trees of a listed cell


class Cutter:
    """Fells every listed cell."""

    every = 5

    def plan(self, report: Report) -> str:
        """Return which unit fells which cells; cells that the team has seen bare are done."""
        left = trees_on(report.seen)
        left[report.seen == Explored.UNSEEN] = _TREES
        lines = [_cells(line) for line in report.known.lines]
        lines = [cells for cells in lines if any(left[cell] for cell in cells)]
        listed = [*report.known.trees, *(cell for line in report.known.lines for cell in _cells(line))]
        cells = [cell for cell in dict.fromkeys(listed) if left[cell]]
        return write_plan([*_drive(report, lines), *_walk(report, cells, left)], Cut(tuple(listed)))


def _cells(line: tuple[int, int, int, int]) -> list[Cell]:
    x0, y0, x1, y1 = line
    return [(x, y) for x in range(x0, x1 + 1) for y in range(y0, y1 + 1)]


def _drive(report: Report, lines: list[list[Cell]]) -> list[UnitOrders]:
    """Return each bulldozer's lines, entered at the end that is nearer to the bulldozer."""
    drivers = np.flatnonzero((report.kind == CrewType.BULLDOZER) & report.alive)
    units = nearest_few(drivers, report.cell, np.array([cells[0] for cells in lines]), len(lines))
    if not len(units) or not lines:
        return []

    def leg(unit: int, before: int | None, line: int) -> float:
        start = [report.cell[units[unit]]] if before is None else [lines[before][0], lines[before][-1]]
        ends = (lines[line][0], lines[line][-1])
        away = min(float(distance(here, end)) for here in start for end in ends)
        return math.ceil(away / _DRIVE) + 1 + math.ceil(len(lines[line]) / _FELL)

    courses = []
    for unit, turns in zip(units, share_out(len(units), len(lines), leg), strict=True):
        orders: list[Order] = []
        here = report.cell[unit]
        for line in turns:
            first, last = _ends(lines[line], here)
            orders += [
                Order(first),
                Order(first, "clear_line", Cut((first,))),
                Order(last, "clear_line", Cut(tuple(lines[line]))),
            ]
            here = np.array(last)
        courses.append(course(int(unit), *orders))
    return courses


def _ends(cells: list[Cell], here: np.ndarray) -> tuple[Cell, Cell]:
    """The nearer end of a line and the other one."""
    first, last = cells[0], cells[-1]
    return (first, last) if distance(here, first) <= distance(here, last) else (last, first)


def _walk(report: Report, cells: list[Cell], left: np.ndarray) -> list[UnitOrders]:
    """Return each firefighter's cells; with fewer cells than firefighters, several fell the same cell."""
    walkers = np.flatnonzero((report.kind == CrewType.FIREFIGHTER) & report.alive)
    units = nearest_few(walkers, report.cell, np.array(cells), _TREES * len(cells))
    if not len(units) or not cells:
        return []

    def leg(unit: int, before: int | None, place: int) -> float:
        start = report.cell[units[unit]] if before is None else cells[before]
        return math.ceil(float(distance(start, cells[place])) / _WALK) + float(left[cells[place]])

    courses = []
    for unit, turns in zip(units, share_out(len(units), len(cells), leg), strict=True):
        mine = [cells[place] for place in turns]
        mine = mine or [cells[int(distance(np.array(cells), report.cell[unit]).argmin())]]
        courses.append(course(int(unit), *(Order(cell, "cut", Cut((cell,))) for cell in mine)))
    return courses
