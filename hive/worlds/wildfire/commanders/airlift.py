"""Rescue Civilians with helicopters: they carry firefighters to the civilians, and both to the goal."""

from __future__ import annotations

import numpy as np

from hive.engine.crews.frames import REACH
from hive.engine.types import CrewType
from hive.worlds.wildfire.commanders.plan_writer import Order, UnitOrders, course
from hive.worlds.wildfire.commanders.rescue import CivilianGroup, Rescuer, civilians
from hive.worlds.wildfire.commanders.terrain_facts import STRIDE, Ints, apart, cell_at, distance
from hive.worlds.wildfire.reports import Report

_STROLL = 20  # longest distance in cells that is walked rather than flown
_PATIENCE = 8  # ticks that a helicopter waits for firefighters that still look for civilians


class Airlift(Rescuer):
    """Helicopters search with firefighters aboard, set them down at a cluster, and fly them home with the civilians."""

    def __init__(self) -> None:
        """Begin without knowledge."""
        super().__init__()
        self._landed: dict[int, int] = {}

    def _courses(self, report: Report) -> list[UnitOrders]:
        helicopters = np.flatnonzero(report.kind == CrewType.HELICOPTER)
        bound = self._bind(report, helicopters)
        courses = [*self._fly(report)]
        for unit in helicopters:
            courses += self._pilot(report, int(unit), bound.get(int(unit)), helicopters)
        return [*courses, *self._march(report, helicopters)]

    def _bind(self, report: Report, helicopters: Ints) -> dict[int, CivilianGroup]:
        """Assign to each cluster that still waits the helicopter that can be there first."""
        bound: dict[int, CivilianGroup] = {}
        waiting = [cluster for cluster in self._clusters if cluster.waiting]
        options = [
            (float(distance(report.cell[unit], cluster.place)), int(unit), number)
            for unit in helicopters
            for number, cluster in enumerate(waiting)
            if not self._laden(report, int(unit))
        ]
        for _, unit, number in sorted(options):
            if unit not in bound and waiting[number] not in bound.values():
                bound[unit] = waiting[number]
        return bound

    def _laden(self, report: Report, unit: int) -> bool:
        """Whether a firefighter aboard carries a civilian."""
        return bool(((report.aboard == unit) & (report.carrying > 0)).any())

    def _pilot(self, report: Report, unit: int, cluster: CivilianGroup | None, helicopters: Ints) -> list[UnitOrders]:
        goal = report.known.goal
        assert goal is not None
        here = report.cell[unit]
        if self._laden(report, unit):
            return [course(unit, Order(goal, "ferry"))]
        loaded = report.carrying[unit] > 0
        if report.tick == 0:
            away = max(((0, 0), (report.level.size - 1,) * 2), key=lambda corner: float(distance(here, corner)))
            return [course(unit, Order(away, "ferry"))]
        if loaded and cluster is None:
            if len(self._clusters) < report.level.clusters:
                return self._search.courses(report, np.array([unit]))
            cluster = min(self._clusters, key=lambda each: float(distance(here, each.place)))
        if loaded and cluster is not None:
            self._landed[unit] = report.tick + int(distance(here, cluster.place) / STRIDE[CrewType.HELICOPTER]) + 1
            return [course(unit, Order(cell_at(cluster.place), "ferry"))]
        feet = (report.kind == CrewType.FIREFIGHTER) & report.alive & (report.aboard < 0)
        gaps = np.stack([distance(report.cell, report.cell[each]) for each in helicopters])
        mine = feet & (helicopters[gaps.argmin(0)] == unit) & (distance(report.cell, here) <= _STROLL)
        holding = mine & (report.carrying > 0) & (apart(report.cell, np.array(goal)) > REACH)
        seeking = mine & (report.carrying == 0)
        seeking &= cluster is not None and distance(report.cell, cluster.place) <= _STROLL
        late = report.tick - self._landed.get(unit, report.tick) > _PATIENCE
        if holding.any() and (late or not seeking.any()) and (distance(report.cell[holding], here) < REACH).all():
            return [course(unit, Order(goal, "ferry"))]
        if holding.any() or seeking.any():
            return [course(unit, Order(cell_at(here)))]
        if cluster is not None and feet.any():
            return [course(unit, Order(cell_at(cluster.place), "ferry"))]
        if len(self._clusters) < report.level.clusters:
            return self._search.courses(report, np.array([unit]))
        return []

    def _march(self, report: Report, helicopters: Ints) -> list[UnitOrders]:
        """Firefighters on the ground take civilians to the helicopter, or to the goal if that is near."""
        goal = report.known.goal
        assert goal is not None
        courses = []
        seen = civilians(report)
        for unit in np.flatnonzero((report.kind == CrewType.FIREFIGHTER) & report.alive & (report.aboard < 0)):
            here = report.cell[unit]
            lift = report.cell[min(helicopters, key=lambda each: float(distance(here, report.cell[each])))]
            flown = distance(here, lift) <= _STROLL < distance(here, np.array(goal))
            if report.carrying[unit] and flown:
                courses.append(course(int(unit), Order(cell_at(lift))))
            elif report.carrying[unit] or (len(seen) and apart(seen, here).min() <= _STROLL):
                courses.append(course(int(unit), Order(goal, "rescue")))
        return courses
