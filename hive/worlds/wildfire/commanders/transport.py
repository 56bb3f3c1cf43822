"""Transport Firefighters: helicopters ferry them, and firefighters without a seat walk toward the place meanwhile."""

from __future__ import annotations

import numpy as np

from dsl.nodes import Transport
from hive.engine.types import CrewType
from hive.worlds.wildfire.commanders.plan_writer import Order, course, write_plan
from hive.worlds.wildfire.reports import Report


class Transporter:
    """Brings all firefighters to one place."""

    every = 5

    def plan(self, report: Report) -> str:
        """Return the plan; it is always the same, because the trees do the rest."""
        goal = report.known.goal
        assert goal is not None
        everybody = Transport(report.level.firefighters, goal)
        walk, fly = (
            np.flatnonzero(report.kind == kind).tolist() for kind in (CrewType.FIREFIGHTER, CrewType.HELICOPTER)
        )
        return write_plan([course(walk, Order(goal)), course(fly, Order(goal, "ferry"))], everybody)
