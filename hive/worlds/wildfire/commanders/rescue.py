"""Rescue Civilians: find them, distribute them among the firefighters, and bring them to the safe place."""

from __future__ import annotations

import numpy as np

from dsl.nodes import Cell, Rescue
from hive.engine.crews.explored import VIEW, Explored
from hive.engine.crews.frames import REACH
from hive.engine.types import CrewType
from hive.worlds.wildfire.commanders.plan_writer import Order, UnitOrders, course, write_plan
from hive.worlds.wildfire.commanders.rounds import share_out
from hive.worlds.wildfire.commanders.search import AirSearch
from hive.worlds.wildfire.commanders.terrain_facts import Floats, Ints, apart, cell_at, distance, nearest_few, slowness
from hive.worlds.wildfire.commanders.ways import next_stop, time_to
from hive.worlds.wildfire.reports import Report

_HANDLING = 2  # ticks to pick a civilian up and to put it down
STRAY = 8  # largest distance in cells that civilians are assumed to stray from their start


class CivilianGroup:
    """Civilians that started together.

    Attributes:
        start: Where they were first known to be.
        place: Centre of the cells where they were seen last.
        waiting: Number of civilians that have not been picked up.
    """

    def __init__(self, start: Cell, waiting: int) -> None:
        """Begin at a cell where they are known to be or were seen."""
        self.start: Ints = np.array(start)
        self.place = self.start
        self.waiting = waiting


class Rescuer:
    """Brings civilians to the goal on foot."""

    every = 2

    def __init__(self) -> None:
        """Begin without knowledge."""
        self._clusters: list[CivilianGroup] = []
        self._aim: dict[int, CivilianGroup] = {}
        self._carried: Ints = np.zeros(0, int)
        self._search = AirSearch(self.every)

    def plan(self, report: Report) -> str:
        """Return which units fetch which civilians, and how."""
        self._look(report)
        courses = self._courses(report)
        self._carried = report.carrying.copy()
        assert report.known.goal is not None
        return write_plan(courses, Rescue(report.level.clusters * report.level.civilians, report.known.goal))

    def _courses(self, report: Report) -> list[UnitOrders]:
        return [*self._fly(report), *self._walk(report)]

    def _look(self, report: Report) -> None:
        """Update clusters with what is seen of them."""
        if not self._clusters:
            self._clusters = [CivilianGroup(place, report.level.civilians) for place in report.known.clusters]
            self._carried = np.zeros(len(report.kind), int)
        seen = civilians(report)
        for place in seen:
            if not self._near(place) and len(self._clusters) < report.level.clusters:
                self._clusters.append(CivilianGroup(cell_at(place), report.level.civilians))
        feet = (report.kind == CrewType.FIREFIGHTER) & report.alive
        for unit in np.flatnonzero(feet & (report.carrying > self._carried)):
            self._aim.pop(int(unit), None)
            for cluster in self._near(report.cell[unit], slack=VIEW[CrewType.FIREFIGHTER])[:1]:
                cluster.waiting = max(cluster.waiting - 1, 0)
        for cluster in self._clusters:
            mine = np.array([place for place in seen if self._near(place)[:1] == [cluster]]).reshape(-1, 2)
            if len(mine):
                cluster.place = np.round(mine.mean(0)).astype(int)
                cluster.waiting = max(cluster.waiting, len(mine))
            elif (apart(report.cell[feet], cluster.place) <= 1).any():
                cluster.waiting = 0

    def _near(self, here: Ints, slack: int = 0) -> list[CivilianGroup]:
        """Clusters to which a civilian in this cell may belong, the nearest first."""
        near = [each for each in self._clusters if apart(here, each.start) <= STRAY + slack]
        return sorted(near, key=lambda each: float(distance(here, each.place)))

    def _fly(self, report: Report) -> list[UnitOrders]:
        """Drones sweep until all clusters are found, and then hover over one each."""
        drones = np.flatnonzero((report.kind == CrewType.DRONE) & report.alive)
        if len(self._clusters) < report.level.clusters:
            return self._search.courses(report, drones)
        over = [self._clusters[number % len(self._clusters)] for number in range(len(drones))]
        return [course(int(unit), Order(cell_at(cluster.place))) for unit, cluster in zip(drones, over, strict=True)]

    def _walk(self, report: Report) -> list[UnitOrders]:
        """Firefighters go to a civilian, or to the goal with one; without either, to the middle of the unseen cells."""
        goal = report.known.goal
        assert goal is not None
        slow = slowness(report.seen)
        grid = np.moveaxis(np.indices(slow.shape), 0, -1)
        home = time_to(slow, apart(grid, np.array(goal)) <= REACH)
        feet = (report.kind == CrewType.FIREFIGHTER) & report.alive & (report.aboard < 0)
        work = np.array([cluster.place for cluster in self._clusters])
        free = np.flatnonzero(feet & (report.carrying == 0))
        useful = nearest_few(free, report.cell, work, 2 * report.level.civilians * report.level.clusters)
        units = np.union1d(useful, np.flatnonzero(feet & (report.carrying > 0)))
        there = {id(cluster): time_to(slow, apart(grid, cluster.place) <= 1) for cluster in self._clusters}
        self._assign(report, units, home, there)
        seen = civilians(report)
        courses: list[UnitOrders] = []
        idle: list[int] = []
        for unit in units:
            here = report.cell[unit]
            cluster = self._aim.get(int(unit))
            if report.carrying[unit]:
                near = home[tuple(here)] == 0
                order = Order(goal, "rescue") if near else Order(next_stop(slow, home, here, self.every) or goal)
                orders = [order] if near else [order, Order(goal, "rescue")]
            elif cluster is not None:
                close = len(seen) and apart(seen, here).min() <= VIEW[CrewType.FIREFIGHTER] + 1
                stop = next_stop(slow, there[id(cluster)], here, self.every) or cell_at(cluster.place)
                orders = [Order(goal, "rescue")] if close else [Order(stop), Order(goal, "rescue")]
            else:
                orders = []
                idle.append(int(unit))
            if orders:
                courses.append(course(int(unit), *orders))
        unseen = np.argwhere(report.seen == Explored.UNSEEN)
        if len(self._clusters) < report.level.clusters and len(unseen):
            courses.append(course(idle, Order(cell_at(unseen.mean(0)))))
        return courses

    def _assign(self, report: Report, units: Ints, home: Floats, there: dict[int, Floats]) -> None:
        """Assign clusters to firefighters so that all waiting civilians are fetched and the last one is safe soon."""
        places = [cluster for cluster in self._clusters for _ in range(cluster.waiting)]
        if not places or not len(units):
            self._aim = {}
            return

        def leg(unit: int, before: int | None, place: int) -> float:
            cell, cluster = tuple(report.cell[units[unit]]), places[place]
            back = float(home[tuple(cluster.place)])
            if before is None and not report.carrying[units[unit]]:
                return float(there[id(cluster)][cell]) + back + _HANDLING
            first = float(home[cell]) if before is None else 0.0
            return first + 2 * back + _HANDLING

        rounds = share_out(len(units), len(places), leg)
        self._aim = {int(units[unit]): places[each[0]] for unit, each in enumerate(rounds) if each}


def civilians(report: Report) -> Ints:
    """`[K, 2]` cells where civilians were seen last, except those at the goal."""
    cells = np.argwhere(report.seen == Explored.CIVILIAN)
    goal = report.known.goal
    return cells if goal is None else cells[apart(cells, np.array(goal)) > REACH]
