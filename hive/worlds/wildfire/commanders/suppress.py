"""Suppress Fire: find it, and fell the cheapest ring of trees round it that is complete before the fire arrives."""

from __future__ import annotations

import math

import numpy as np

from dsl.nodes import Cell
from hive.engine.crews.explored import Explored
from hive.engine.types import CrewType
from hive.worlds.wildfire.commanders.crew_orders import CrewOrders
from hive.worlds.wildfire.commanders.crew_schedule import Hand, schedule
from hive.worlds.wildfire.commanders.fire_watch import FireWatch, widen
from hive.worlds.wildfire.commanders.firebreak import firebreak
from hive.worlds.wildfire.commanders.plan_writer import NEVER, Order, UnitOrders, course, write_plan
from hive.worlds.wildfire.commanders.search import AirSearch
from hive.worlds.wildfire.commanders.terrain_facts import STRIDE, Ints, cell_at, distance, nearest_few
from hive.worlds.wildfire.reports import Report

_MOST = 12  # layers that may be given up
_DEPTH = 6  # layers behind those that may be used
_EFFORT = 0.3  # cost of a tick of work, in trees
_HANDS = 64  # most firefighters and bulldozers that take part
_LANDING = 4  # least cells from the fire at which helicopters set firefighters down, and updates until it arrives there


class Suppressor:
    """Encloses a fire."""

    every = 1

    def __init__(self) -> None:
        """Begin without knowledge."""
        self._watch: FireWatch | None = None
        self._search = AirSearch(self.every)

    def plan(self, report: Report) -> str:
        """Return which units fell which cells, and where the others look."""
        if self._watch is None:
            self._watch = FireWatch(report)
        else:
            self._watch.look(report)
        courses = self._fight(report, self._watch) if self._watch.found else self._seek(report)
        return write_plan(courses, NEVER)

    def _seek(self, report: Report) -> list[UnitOrders]:
        """Flying units sweep the map with firefighters aboard; without helicopters, ground units seek unseen cells."""
        courses = self._search.courses(report)
        if report.tick == 0:
            courses = [
                _boarding(each) if report.kind[each.units[0]] == CrewType.HELICOPTER else each for each in courses
            ]
        if not (report.kind == CrewType.HELICOPTER).any():
            unseen = np.argwhere(report.seen == Explored.UNSEEN)
            middle = unseen.mean(0) if len(unseen) else np.array(report.seen.shape) / 2
            ground = np.flatnonzero((report.kind < CrewType.DRONE) & report.alive)
            courses.append(course(ground.tolist(), Order(cell_at(middle))))
        return courses

    def _fight(self, report: Report, watch: FireWatch) -> list[UnitOrders]:
        hands = _hands(report, watch)
        cells = _choose(watch, hands)
        orders = CrewOrders(watch, report, cells, self.every)
        working = [course(hand.unit, *orders.of(hand, hands)) for hand in hands if report.aboard[hand.unit] < 0]
        return [*_fly(report, watch, cells), *working]


def _boarding(flight: UnitOrders) -> UnitOrders:
    """Return the same flight, preceded by taking firefighters aboard."""
    return course(flight.units, Order(flight.orders[-1].target, "ferry"))


def _hands(report: Report, watch: FireWatch) -> list[Hand]:
    """Return all units that can fell; passengers count at the place where they can be set down."""
    fire = np.argwhere(watch.deadly)
    hands = []
    units = np.flatnonzero((report.kind <= CrewType.BULLDOZER) & report.alive)
    for unit in nearest_few(units, report.cell, fire.mean(0)[None], _HANDS):
        here = report.cell[unit]
        if report.aboard[unit] >= 0:
            nearest = fire[distance(fire, here).argmin()]
            flight = float(distance(nearest, here)) / float(STRIDE[CrewType.HELICOPTER]) + 1
            hands.append(Hand(int(unit), CrewType.FIREFIGHTER, nearest, math.ceil(flight)))
        else:
            hands.append(Hand(int(unit), int(report.kind[unit]), here))
    return hands


def _choose(watch: FireWatch, hands: list[Hand]) -> Ints:
    """Return the nearest firebreak that is done in time, or the least late one, and fill the jobs of `hands`."""
    best: tuple[float, Ints, list[list[Cell]]] = (math.inf, np.zeros((0, 2), int), [[] for _ in hands])
    for first in range(1, _MOST + 1):
        if not (watch.layer[watch.fuel] == first).any():
            break
        cells = firebreak(watch, first, _DEPTH, _EFFORT)
        x, y = cells.T
        for hand in hands:
            hand.jobs = []
        late = schedule(hands, cells, watch.trees[x, y], (watch.caught() - watch.tick)[x, y], watch.deadly)
        if len(cells) and late < best[0] - 1e-6:
            best = late, cells, [hand.jobs for hand in hands]
        if len(cells) and late <= 0:
            break
    for hand, jobs in zip(hands, best[2], strict=True):
        hand.jobs = jobs
    return best[1]


def _fly(report: Report, watch: FireWatch, cells: Ints) -> list[UnitOrders]:
    """Drones hover over the front; helicopters set firefighters down near the firebreak, and hover too."""
    middle = np.argwhere(watch.sources if watch.sources.any() else watch.deadly).mean(0)
    flying = np.flatnonzero((report.kind >= CrewType.DRONE) & report.alive)
    helicopters = [unit for unit in flying if report.kind[unit] == CrewType.HELICOPTER]
    courses = []
    for unit in flying:
        order = Order(cell_at(middle))
        if unit in helicopters and report.tick == 0:
            order = Order(cell_at(middle), "ferry")
        elif unit in helicopters and report.carrying[unit]:
            order = Order(_landing(watch, cells, helicopters.index(unit), len(helicopters)), "ferry")
        courses.append(course(int(unit), order))
    return courses


def _landing(watch: FireWatch, cells: Ints, number: int, parts: int) -> Cell:
    """Return where a helicopter sets firefighters down: near its part of the firebreak, well before the fire."""
    work = cells if len(cells) else np.argwhere(watch.deadly)
    x, y = (work - work.mean(0)).T
    mine = np.array_split(work[np.argsort(np.arctan2(x, y), kind="stable")], parts)[number]
    middle = (mine if len(mine) else work).mean(0)
    fit = np.argwhere((watch.layer > _LANDING) & ~widen(watch.deadly, _LANDING))
    return cell_at(fit[distance(fit, middle).argmin()]) if len(fit) else cell_at(middle)
