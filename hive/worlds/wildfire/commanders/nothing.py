"""The commander that lets all units stand: the baseline result of a level."""

from __future__ import annotations

from hive.worlds.wildfire.commanders.plan_writer import NEVER, Order, course, write_plan
from hive.worlds.wildfire.reports import Report


class Nothing:
    """Do Nothing: all units stand from the first tick to the last."""

    every = 1

    def plan(self, report: Report) -> str:
        """Return the plan to stand."""
        return write_plan([course(range(len(report.kind)), Order((0, 0), "stand"))], NEVER)
