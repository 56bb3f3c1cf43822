"""A search of the map by all flying units together."""

from __future__ import annotations

import numpy as np

from hive.engine.crews.explored import VIEW
from hive.engine.types import CrewType
from hive.worlds.wildfire.commanders.coverage import SweepRoute
from hive.worlds.wildfire.commanders.plan_writer import Order, UnitOrders, course
from hive.worlds.wildfire.commanders.terrain_facts import STRIDE, Ints
from hive.worlds.wildfire.reports import Report


class AirSearch:
    """A sweep by all drones and helicopters, which starts again from their positions when it is complete."""

    def __init__(self, every: int) -> None:
        """Begin; `every` is the number of ticks between plans."""
        self._every = every
        self._sweep: SweepRoute | None = None
        self._tick = 0

    def courses(self, report: Report, units: Ints | None = None) -> list[UnitOrders]:
        """Return where the given units fly next; None: all units.

        At the beginning, helicopters are expected to take firefighters aboard, which takes a tick.
        """
        fleet = np.flatnonzero((report.kind >= CrewType.DRONE) & report.alive)
        if not len(fleet):
            return []
        if self._sweep is not None and self._tick < report.tick:
            self._sweep.fly(report.tick - self._tick)
        if self._sweep is None or self._sweep.done:
            late = [int(report.kind[unit] == CrewType.HELICOPTER and report.tick == 0) for unit in fleet]
            strides = STRIDE[report.kind[fleet]].tolist()
            first = self._sweep is None
            self._sweep = SweepRoute(
                report.level.size, int(VIEW[CrewType.DRONE]), report.cell[fleet], strides, late, slits=first
            )
        self._tick = report.tick
        place = {int(unit): number for number, unit in enumerate(fleet)}
        units = fleet if units is None else units
        stops = [self._sweep.stops(place[int(unit)], self._every + 1) for unit in units]
        return [course(int(unit), *map(Order, way)) for unit, way in zip(units, stops, strict=True)]
