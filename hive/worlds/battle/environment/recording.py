"""A game of a battle that learners played, as a recording."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

from hive.engine.objective import score
from hive.engine.types import OUTCOMES, Action, ActionKind
from hive.worlds.battle.course import Course
from hive.worlds.battle.recording import BattleRecording
from hive.worlds.battle.world import Battle

_scores = jax.jit(jax.vmap(score, (None, 0)))


def gather(
    world: Battle, state: Any, decided: Action, ticks: int, outcome: int, goal: Any, title: str
) -> BattleRecording:
    """Return a battle's states, one more than ticks, and what its units did in each tick as a recording.

    Rows behind the units of the world, which only fill the capacity of a set of battles, are left out. Its
    course has the score and the outcome, and no step, since no plan commands the units of a policy.
    """
    params, units = world.params, world.params.count
    frames, kinds = slice(0, ticks + 1), np.asarray(params.units.type)
    real = {name: getattr(state, name)[:, :units] for name in ("position", "health", "cooldown")}
    state, decided = state.replace(**real), jax.tree.map(lambda rows: rows[:ticks, :units], decided)
    scores = np.asarray(_scores(params, state))[frames]
    state = jax.tree.map(lambda rows: np.asarray(rows)[frames], state)
    nothing = np.full((ticks + 1, len(kinds)), -1, np.int16)
    attack = np.where(np.asarray(decided.kind) == ActionKind.ATTACK, np.asarray(decided.target), -1)
    attack = np.where(state.health[:ticks] > 0, attack, -1)
    x, y = (float(number) for number in np.asarray(goal))
    return BattleRecording(
        title=title,
        kind=world.kind,
        side=np.asarray(params.units.side),
        type=kinds,
        tick=state.tick.astype(int),
        position=state.position,
        health=state.health,
        max_health=np.asarray(params.types.max_health)[kinds],
        attack=np.concatenate([np.full((1, len(kinds)), -1), attack]).astype(np.int32),
        targets=[(x, y, "")],
        radius=np.asarray(params.types.radius),
        course=Course(
            steps=(),
            groups=(),
            leaves=(),
            active=np.zeros((ticks + 1, 0), bool),
            group=nothing,
            leaf=nothing,
            score=scores,
            score_is=world.score_is,
            outcome=OUTCOMES[outcome],
        ),
    )
