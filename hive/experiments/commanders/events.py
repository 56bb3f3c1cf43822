"""What happens in a game that is a reason to ask for new orders: objectives of the plan language, and achieved steps.

Rules: docs/arena.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool

import dsl
from dsl import UserError
from dsl.wording import listing
from hive.engine.episode import Game
from hive.engine.instant import orders_of
from hive.engine.live import LiveGame
from hive.engine.padding import pad_plan_units, pad_state
from hive.engine.plan.progress import objectives_met
from hive.engine.reading import compile_checked
from hive.engine.types import ENEMY, PLAYER, Orders, Params

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


def words(event: str) -> str:
    """Return in words when an event happens, a result of `read_event`, to the commander who is to hear of it."""
    if event == STEP:
        return "a step of your plan is achieved"
    objective = _objective(event)
    if isinstance(objective, dsl.Sighted):
        return "your units see an enemy for the first time"
    whose = "the enemy's units" if isinstance(objective, dsl.EnemyLosses) else "your units"
    return f"{objective.percent}% of {whose} are dead"


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


class _Known(NamedTuple):
    """What is no news: arrays for `_is_news`; a part is None where no event asks for it."""

    orders: Orders | None  # objectives of both sides, as steps
    met: Bool[np.ndarray, " p"] | None  # which of them were met
    done: tuple[Bool[np.ndarray, " _"], Bool[np.ndarray, " _"]] | None  # steps of both sides' plans that were achieved


class EventWatch:
    """Finds the events of both sides of one game: an objective is one event a game, and each achieved step is one."""

    def __init__(self, live: LiveGame, events: Sequence[str], steps: Mapping[int, frozenset[int]]) -> None:
        """Begin with a game before its first tick; an objective that is met then is no event.

        Args:
            live: The game.
            events: Results of `read_event`.
            steps: The numbers of the steps that the commander of a side wrote, for each side that has one; those that
                make its plan endless, and those of places on the way, are no events.
        """
        self._steps = dict(steps)
        self._live, self._objectives = live, [_objective(each) for each in events if each != STEP]
        orders = met = done = None
        if self._objectives:
            middle = live.params.terrain.size // 2
            group = dsl.Group(dsl.UnitList(None), (middle, middle), "hold", ("any",))
            plan = dsl.PlanSyntax(tuple(dsl.Step(at, (), each, (group,)) for at, each in enumerate(self._objectives)))
            mine, theirs = (
                pad_plan_units(compile_checked(plan, live.world, side), live.params.count) for side in (PLAYER, ENEMY)
            )
            orders = orders_of(live.params.replace(enemy=theirs), mine)
            met = self._met(orders)
        if STEP in events:
            done = np.zeros_like(live.done(PLAYER)), np.zeros_like(live.done(ENEMY))
        self._known = _Known(orders, met, done)

    def play(self, ticks: int) -> int:
        """Play so many ticks of the game, fewer if it ends or when there is news; return how many were played."""
        return self._live.play_until(ticks, _is_news, self._known)

    def news(self) -> tuple[list[str], list[str]]:
        """Return a sentence for each event of the player and of the enemy since the last call."""
        found: tuple[list[str], list[str]] = ([], [])
        orders, met, done = self._known
        if orders is not None and met is not None:
            now = met | self._met(orders)
            for side, new in enumerate((now & ~met).reshape(2, -1)):
                found[side].extend(_sentence(self._objectives[at]) for at in np.flatnonzero(new))
            met = now
        if done is not None:
            both = self._live.done(PLAYER), self._live.done(ENEMY)
            for side, (before, now) in enumerate(zip(done, both, strict=True)):
                if new := sorted(self._live.step_ids(side, now & ~before) & self._steps.get(side, frozenset())):
                    steps, are = ("Step", "is") if len(new) == 1 else ("Steps", "are")
                    numbers = listing(phrases=map(str, new), joint="and")
                    found[side].append(f"{steps} {numbers} of your plan {are} achieved now.")
            done = both
        self._known = _Known(orders, met, done)
        return found

    def follow(self, side: int, steps: frozenset[int]) -> None:
        """Take in that a side follows another plan, of which its commander wrote `steps`.

        Steps that are achieved already are no news.
        """
        self._steps[side] = steps
        if self._known.done is not None:
            mine, theirs = self._known.done
            now = self._live.done(side)
            self._known = self._known._replace(done=(now, theirs) if side == PLAYER else (mine, now))

    def _met(self, orders: Orders) -> Bool[np.ndarray, " p"]:
        """`[P]` which objectives are met now, those of the player first; a side has as many rows as the other."""
        params = self._live.params.replace(enemy=None)  # whose shape differs between battles
        return np.asarray(_met(params, orders, pad_state(self._live.state, params.count)))


def _is_news(params: Params, orders: Orders, game: Game, known: _Known) -> Bool[Array, ""]:
    """Whether an objective is met that was not, or a step achieved; see `hive.engine.live.Stops`."""
    news = jnp.bool_(False)
    if known.orders is not None and known.met is not None:
        news |= (objectives_met(params, known.orders, game.state) & ~known.met).any()
    if known.done is not None:
        news |= ((game.progress.achieved >= 0) & ~jnp.concatenate(known.done)).any()
    return news


def _sentence(objective: Objective) -> str:
    if isinstance(objective, dsl.Sighted):
        return "Your units see an enemy for the first time."
    whose = "the enemy's units" if isinstance(objective, dsl.EnemyLosses) else "your units"
    return f"At least {objective.percent}% of {whose} are dead."


_met = jax.jit(objectives_met)
