"""A made-up battle with plans, for the tests of replays: two lines walk towards each other and thin out."""

from __future__ import annotations

import numpy as np

from hive.engine.course import CourseGroup, CourseStep
from hive.ground.shapes import Ground
from hive.worlds.battle.course import Course
from hive.worlds.battle.recording import BattleRecording


def battle(units: int = 40, frames: int = 30, seed: int = 0, title: str = "made up") -> BattleRecording:
    """Return a recording of `units` units, half on each side, whose second step becomes active half-way."""
    rng = np.random.default_rng(seed)
    side = np.repeat([0, 1], [units // 2, units - units // 2])
    start = np.stack([rng.uniform(5, 95, units), np.where(side == 0, 20.0, 80.0)], -1)
    steps = np.where(side == 0, 0.75, -0.75)[:, None] * np.array([0.0, 1.0]) + rng.normal(0, 0.1, (frames, units, 2))
    steps[0] = 0
    position = np.clip(start + np.cumsum(steps, 0), 0, 100)
    falls = rng.integers(frames // 2, 3 * frames, units)
    time = np.arange(frames)[:, None]
    health = np.where(time < falls, 24 - 20 * (time / frames), 0)
    fighting = (time >= frames // 2) & (health > 0)
    attack = np.where(fighting, (np.arange(units) + units // 2) % units, -1)
    kind = np.zeros((100, 100), np.uint8)
    kind[:, 90:] = Ground.FOREST
    kind[40:60, 45:50] = Ground.WATER
    late = time >= frames // 2
    mine = side == 0
    course = Course(
        steps=(
            CourseStep(0, 3, (), "position", frames // 2),
            CourseStep(0, 7, (3,), "elimination all", -1),
            CourseStep(1, 0, (), "position", -1),
        ),
        groups=(
            CourseGroup(0, "all", (50, 40), "follow_map"),
            CourseGroup(1, "all", (50, 80), "attack_and_move any"),
            CourseGroup(2, "all", (50, 20), "follow_map any"),
        ),
        leaves=(("attack_and_move", "A(attack random any)"), ("follow_map", "A(follow_map toward)")),
        active=np.hstack([~late, late, np.ones_like(late)]),
        group=np.where(mine, late, 2),
        leaf=np.where((health > 0) & (time > 0), np.where(fighting, 0, 1), -1),
        score=1 - (health[:, ~mine] > 0).mean(1),
        score_is="share of enemies eliminated",
        outcome="timeout",
    )
    return BattleRecording(
        title=title, kind=kind, side=side, type=np.arange(units) % 3, tick=np.arange(frames),
        position=position, health=health, max_health=np.full(units, 24.0), attack=attack,
        targets=[(50.0, 40.0, ""), (50.0, 80.0, "")], markers={"A": (10.0, 60.0)}, course=course,
    )  # fmt: skip
