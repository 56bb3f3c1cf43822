"""What happens in a game that is a reason to ask for new orders: objectives of the plan language, and achieved steps.

Rules: docs/arena.md.
"""

from __future__ import annotations

from collections.abc import Sequence

import jax
import numpy as np
from jaxtyping import Bool

import dsl
from dsl import UserError
from hive.engine.instant import orders_of
from hive.engine.live import LiveGame
from hive.engine.plan.progress import objectives_met
from hive.engine.reading import compile_checked
from hive.engine.types import ENEMY, PLAYER, State
from hive.worlds.battle.world import Battle

STEP = "step"
"""The event that a step of the side's own plan is achieved."""

_CONTEXT = dsl.PlanContext(("hold",), ("any",))
_PLAN = """\
BEGIN PLAN
Step 0:
prerequisites: []
objective: {}
units: all
- target position: (0, 0)
- behavior: hold any
END PLAN
"""

Objective = dsl.Sighted | dsl.Losses | dsl.EnemyLosses


def read_event(text: str) -> str:
    """Return an event as it is written in rules: `sighted`, `losses P%`, `enemy losses P%` or `step`.

    Raises:
        UserError: It is another word.
    """
    if text.strip() == STEP:
        return STEP
    return dsl.format_objective(_objective(text))


def _objective(text: str) -> Objective:
    try:
        found = dsl.parse_plan(_PLAN.format(" ".join(text.split())), "--at", _CONTEXT).steps[0].objective
    except dsl.DslError:
        found = None
    if not isinstance(found, Objective):
        raise UserError(
            f"`{text}` is no event\n"
            f"  = help: events are `sighted`, `losses P%`, `enemy losses P%` with P from 1 to 100, and `{STEP}`"
        )
    return found


class EventWatch:
    """Finds the events of both sides of one game: an objective is one event a game, and each achieved step is one."""

    def __init__(self, world: Battle, events: Sequence[str], start: State) -> None:
        """Begin a game; what is true at its start is no event.

        Args:
            world: The battle.
            events: Results of `read_event`.
            start: The game before its first tick.
        """
        self._steps = STEP in events
        self._objectives = [_objective(each) for each in events if each != STEP]
        self._achieved = [frozenset[int](), frozenset[int]()]
        self._true = np.zeros((2, len(self._objectives)), bool)
        if self._objectives:
            middle = world.scenario.map.size // 2
            group = dsl.Group(dsl.UnitList(None), (middle, middle), "hold", ("any",))
            plan = dsl.PlanSyntax(tuple(dsl.Step(at, (), each, (group,)) for at, each in enumerate(self._objectives)))
            mine, theirs = (compile_checked(plan, world, side) for side in (PLAYER, ENEMY))
            self._params = world.params.replace(enemy=theirs)
            self._orders = orders_of(self._params, mine)
            self._first = (0, mine.exists.shape[0])  # row of each side's first objective
            self._true = self._now(start)

    def news(self, live: LiveGame) -> tuple[list[str], list[str]]:
        """Return a sentence for each event of the player and of the enemy since the last call; call it once a tick."""
        found: tuple[list[str], list[str]] = ([], [])
        if self._objectives:
            now = self._true | self._now(live.state)
            for side, at in np.argwhere(now & ~self._true):
                found[side].append(_sentence(self._objectives[at]))
            self._true = now
        for side in (PLAYER, ENEMY) if self._steps else ():
            done = live.achieved(side)
            if new := sorted(done - self._achieved[side]):
                found[side].append(f"Steps of your plan that are achieved now: {', '.join(map(str, new))}.")
            self._achieved[side] = done
        return found

    def follow(self, live: LiveGame, side: int) -> None:
        """Take in that a side follows another plan; steps that are achieved already are no news."""
        self._achieved[side] = live.achieved(side)

    def _now(self, state: State) -> Bool[np.ndarray, "2 E"]:
        """`[2, E]` which objectives are met now, for each side."""
        met = np.asarray(_met(self._params, self._orders, state))
        return np.stack([met[first : first + len(self._objectives)] for first in self._first])


def _sentence(objective: Objective) -> str:
    if isinstance(objective, dsl.Sighted):
        return "Your units see an enemy for the first time."
    whose = "the enemy's units" if isinstance(objective, dsl.EnemyLosses) else "your units"
    return f"At least {objective.percent}% of {whose} are dead."


_met = jax.jit(objectives_met)
