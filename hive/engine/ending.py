"""Why a game ended, and what to try next: two sentences for every outcome (docs/rules/battles.md 4.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

import dsl
from dsl.wording import places_text, plural, unit_words
from hive.engine.types import ENEMY, PLAYER, GoalKind
from hive.engine.world import EngineWorld


@dataclass(frozen=True)
class StepAtEnd:
    """One step of the player's plan when the game ended.

    Attributes:
        number: As written in the plan.
        objective: As written in the plan, such as `elimination all`.
        achieved: Whether it was achieved.
        active: Whether it was active.
    """

    number: int
    objective: str
    achieved: bool
    active: bool


@dataclass(frozen=True)
class Ending:
    """The end of a game in words.

    Attributes:
        outcome: `win`, `lose`, `plan_finished` or `timeout`.
        why: Why the game ended so, a sentence without a full stop.
        advice: What to try next, a sentence without a full stop; empty for a game of several that are won.
    """

    outcome: str
    why: str
    advice: str

    def __str__(self) -> str:
        """Return everything in one line."""
        return "; ".join(filter(None, (f"{self.outcome.replace('_', ' ')}: {self.why}", self.advice)))


def steps_at_end(plan: dsl.PlanSyntax, achieved: Sequence[int] | np.ndarray) -> list[StepAtEnd]:
    """Describe the steps of a plan.

    Args:
        plan: The plan.
        achieved: `[P]` tick at which each step was achieved, in the order of the text; -1: never. More values are
            padding.
    """
    done = {step.id for step, tick in zip(plan.steps, achieved, strict=False) if tick >= 0}
    return [
        StepAtEnd(
            number=step.id,
            objective=dsl.format_objective(step.objective),
            achieved=step.id in done,
            active=step.id not in done and set(step.prerequisites) <= done,
        )
        for step in plan.steps
    ]


def explain_end(
    world: EngineWorld, outcome: str, tick: int, alive: Sequence[Sequence[int]], steps: Sequence[StepAtEnd]
) -> Ending:
    """Say why a game ended and what to try next.

    Args:
        world: What was played.
        outcome: `win`, `lose`, `plan_finished` or `timeout`.
        tick: Ticks played.
        alive: Live units of the player and of the enemy, by type.
        steps: The steps of the player's plan that was followed last.

    Raises:
        ValueError: There is no such outcome, or a game of a crew cannot end so.
    """
    tell = _CREW if world.params.crews is not None else _BATTLE
    if outcome not in tell:
        raise ValueError(f"no game ends as {outcome!r}")
    facts = _Facts(world, tick, (sum(alive[PLAYER]), sum(alive[ENEMY])), alive, steps)
    why, advice = tell[outcome](facts)
    return Ending(outcome, why, advice)


@dataclass(frozen=True)
class _Facts:
    world: EngineWorld
    tick: int
    alive: tuple[int, int]
    by_type: Sequence[Sequence[int]]
    steps: Sequence[StepAtEnd]

    @property
    def active(self) -> list[StepAtEnd]:
        return [step for step in self.steps if step.active]

    def is_for(self, side: int, kind: GoalKind) -> bool:
        """Whether the objective of a side is of a kind."""
        return bool(np.asarray(self.world.params.goals.kind)[side] == kind)

    def place(self, side: int) -> str:
        return places_text(np.asarray(self.world.params.goals.place)[side].tolist())

    def until(self, side: int) -> int:
        return int(np.asarray(self.world.params.goals.until)[side])

    def needed(self, side: int) -> int:
        return int(np.asarray(self.world.params.goals.needed)[side])

    def fit(self, side: int) -> int:
        """Live units that the objective of a side counts."""
        kind = int(np.asarray(self.world.params.goals.type)[side])
        return self.alive[side] if kind < 0 else self.by_type[side][kind]

    def units(self, side: int) -> str:
        """What the objective of a side counts, as in `your units` or `enemy archers`."""
        kind = int(np.asarray(self.world.params.goals.type)[side])
        what = "units" if kind < 0 else unit_words(self.world.unit_types[kind], 2)
        return f"{('your', 'enemy')[side]} {what}"

    def left(self, side: int) -> str:
        alive, total = self.alive[side], self.world.sizes[side]
        whose = (f"your {total:,} units", f"{total:,} enemy units")[side]
        return f"{alive:,} of {whose} {'is' if alive == 1 else 'are'} alive"

    def missing(self) -> str:
        """What the player's objective still needed."""
        if self.is_for(PLAYER, GoalKind.ELIMINATION):
            return self.left(ENEMY)
        if self.is_for(PLAYER, GoalKind.SURVIVAL):
            return f"the objective is to hold out until tick {self.until(PLAYER):,}"
        needed = self.needed(PLAYER)
        if needed == 1:
            return f"none of {self.units(PLAYER)} is at the objective {self.place(PLAYER)}"
        return f"fewer than {needed:,} of {self.units(PLAYER)} are at the objective {self.place(PLAYER)}"

    def limit(self) -> str:
        """How far the plan was at the limit."""
        names = [f"step {step.number} ({step.objective})" for step in self.active]
        how = "no step of the plan was active" if not names else f"{names[0]} was active"
        if len(names) > 1:
            how = f"{plural(len(names), 'step')} were active, such as {names[0]}"
        return f"the limit of {plural(self.world.limit, 'tick')} was reached while {how}"


def _win(facts: _Facts) -> tuple[str, str]:
    left = facts.left(PLAYER)
    if facts.is_for(PLAYER, GoalKind.ELIMINATION):
        why = f"all {facts.world.sizes[ENEMY]:,} enemy units are dead, and {left}"
    elif facts.is_for(PLAYER, GoalKind.POSITION):
        needed = facts.needed(PLAYER)
        some = f"{'one' if needed == 1 else f'{needed:,}'} of {facts.units(PLAYER)}"
        why = f"{some} reached the objective {facts.place(PLAYER)}, and {left}"
    elif facts.alive[ENEMY]:
        why = f"you held out until tick {facts.until(PLAYER):,}, and {left}"
    else:
        why = f"you held out, since all {facts.world.sizes[ENEMY]:,} enemy units are dead, and {left}"
    return why, "play other seeds to see whether the plan wins again"


def _lose(facts: _Facts) -> tuple[str, str]:
    if not facts.alive[PLAYER]:
        return (
            f"all {facts.world.sizes[PLAYER]:,} of your units are dead, and {facts.left(ENEMY)}",
            "keep groups together, and let each unit type attack the types that it beats",
        )
    needed, fit = facts.needed(PLAYER), facts.fit(PLAYER)
    if fit < needed:
        return (
            f"the objective needs {needed:,} of {facts.units(PLAYER)}, and {fit or 'none'} of them "
            f"{'is' if fit == 1 else 'are'} alive",
            "keep those units out of reach, and let others meet the enemy first",
        )
    if facts.is_for(ENEMY, GoalKind.SURVIVAL):
        return (
            f"the enemy held out until tick {facts.until(ENEMY):,}, and {facts.left(ENEMY)}",
            "attack sooner, and with more of your units at once",
        )
    place, needed = facts.place(ENEMY), facts.needed(ENEMY)
    if needed > 1 or facts.units(ENEMY) != "enemy units":
        some = f"{'one' if needed == 1 else f'{needed:,}'} of the {facts.units(ENEMY)}"
        return f"{some} reached the objective {place}", f"send a group to {place} to hold it"
    return f"an enemy unit reached its objective {place}", f"send a group to {place} to hold it"


def _plan_finished(facts: _Facts) -> tuple[str, str]:
    last = max((step.number for step in facts.steps), default=0)
    if facts.is_for(PLAYER, GoalKind.ELIMINATION):
        step = "`objective: elimination all`"
    elif facts.is_for(PLAYER, GoalKind.SURVIVAL):
        step = f"`objective: time {facts.until(PLAYER)}`"
    else:
        step = f"`objective: position` and the target position {facts.place(PLAYER)}"
    done = all(step.achieved for step in facts.steps)
    how = "every step of the plan is achieved" if done else "no step of the plan is active any more"
    return f"{how}, but {facts.missing()}", f"add a step after step {last} with {step}"


def _timeout(facts: _Facts) -> tuple[str, str]:
    why = f"{facts.limit()}; {facts.missing()}"
    stuck = next((step for step in facts.active if step.objective.startswith(("position", "arrival"))), None)
    if stuck:
        return why, f"give step {stuck.number} targets that all of its units reach, or another objective"
    if facts.active:
        return why, f"send the units of step {facts.active[0].number} to where the enemy stands, or raise `limit`"
    return why, "add a step that sends all units to the objective, or raise `limit`"


def _crew_win(facts: _Facts) -> tuple[str, str]:
    return f"the task was completed at tick {facts.tick:,}", "play other seeds to see whether the plan works again"


def _crew_timeout(facts: _Facts) -> tuple[str, str]:
    why = f"{facts.limit()}, and the task was not complete"
    if not facts.alive[PLAYER]:
        return f"{why}; all units are lost", "keep units away from cells that burn"
    if not facts.active:
        return why, "give another plan as soon as a plan is achieved, so that the units keep working"
    return why, "give another plan while the game runs, as soon as the units have explored more of the map"


_BATTLE = {"win": _win, "lose": _lose, "plan_finished": _plan_finished, "timeout": _timeout}
_CREW = {"win": _crew_win, "timeout": _crew_timeout}
