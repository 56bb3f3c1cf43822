"""Scout Fire: sweep the map, then bring two drones over burning cells."""

from __future__ import annotations

import numpy as np

from dsl.nodes import Cell
from hive.engine.crews.explored import Explored
from hive.engine.types import CrewType
from hive.worlds.wildfire.commanders.plan_writer import NEVER, Order, course, write_plan
from hive.worlds.wildfire.commanders.search import AirSearch
from hive.worlds.wildfire.commanders.terrain_facts import cell_at, distance
from hive.worlds.wildfire.reports import Report


class FireScout:
    """Finds the fire and hovers over it."""

    every = 2

    def __init__(self) -> None:
        """Begin without knowledge."""
        self._search = AirSearch(self.every)

    def plan(self, report: Report) -> str:
        """Return the course of each drone: its part of the sweep, then the fire once it is seen."""
        drones = np.flatnonzero((report.kind == CrewType.DRONE) & report.alive)
        burning = np.argwhere((report.seen >= Explored.ON_FIRE) & (report.seen <= Explored.BURNT))
        if not len(burning):
            burning = np.argwhere(report.seen == Explored.IGNITED)
        if len(burning):
            return write_plan(
                [course(int(unit), Order(_nearest(burning, report.cell[unit]))) for unit in drones], NEVER
            )
        return write_plan(self._search.courses(report), NEVER)


def _nearest(cells: np.ndarray, here: np.ndarray) -> Cell:
    return cell_at(cells[distance(cells, here).argmin()])
