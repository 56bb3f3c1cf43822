"""Each commander of a study writes a plan for each battle, once, or commands each of its games.

Rules: docs/rules/sets.md 3.
"""

from __future__ import annotations

import time
from dataclasses import replace

from hive.engine.types import PLAYER
from hive.experiments.commanders.kept import Folder, Written
from hive.experiments.commanders.moments import Commander, Moment
from hive.experiments.panel.measuring import Trial
from hive.worlds.battle.seat import Seat


def write_once(commander: Commander, trial: Trial) -> Written:
    """Return the plan that a commander writes for a battle before its first tick, with what that cost."""
    if isinstance(commander, Folder):
        return commander.written(trial.name)  # as it is, also what is no plan
    seat = Seat(trial.world, PLAYER)
    seat.look(trial.world.first_state(0))
    began = time.perf_counter()
    order = commander.order(Moment(seat, last=True))
    cost = order.cost
    if not cost.seconds:
        cost = replace(cost, seconds=round(time.perf_counter() - began, 3))
    return Written(order.kind, order.plan or order.said or order.problem, cost)
