"""A recording of housework made by hand, without a simulation: two agents in an apartment of the test episodes."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from hive.kit.keep.dialogue import Line, LineKind
from hive.worlds.household.codes import HELD
from hive.worlds.household.episode import episode
from hive.worlds.household.recording import HouseRecording

FRAMES = 6


@cache
def chores(**changes: Any) -> HouseRecording:
    """Alice takes the first thing at frame 3 and puts it at frame 5; container 0 is open from frame 2 on."""
    task = episode("cwah_30")
    home = task.apartment
    at = np.zeros((FRAMES, 2, 2), int)
    for agent, start in enumerate(task.starts):
        centre = home.rooms[start.room].centre
        for t in range(FRAMES):
            at[t, agent] = [round(1000 * (a + (b - a) * t / FRAMES)) for a, b in zip(start.at, centre, strict=True)]
    place = np.tile([each.place for each in task.things], (FRAMES, 1))
    hands = np.full((FRAMES, 2, 2), -1)
    place[3:5, 0], hands[3:5, 0, 0] = HELD, 0
    place[5, 0] = task.goal_place
    is_open = np.tile([not each.closes for each in home.receptacles], (FRAMES, 1))
    is_open[2:, 0] = True
    doing = np.array([[-1, -1], [0, 1], [0, 1], [2, 1], [3, 1], [3, 1]])
    found = dict(
        title="cwah_30: groceries",
        episode=task,
        agents=("Alice", "Bob"),
        tick=np.arange(FRAMES),
        room=np.tile([start.room for start in task.starts], (FRAMES, 1)),
        at=at,
        hands=hands,
        place=place,
        open=is_open,
        finished=np.zeros(FRAMES, bool),
        doing=doing,
        deeds=("go check <kitchencabinet> (11)", "go explore <bedroom> (3)", "go grab <cupcake> (101)", "go put"),
        lines=(
            Line(1, 1, LineKind.SAY, "I found <juice> (102) on <bench> (30)."),
            Line(3, 0, LineKind.LESSON, "Report finds."),
            Line(4, 0, LineKind.PROBLEM, "its choice names no proposal"),
        ),
    )
    return HouseRecording(**{**found, **changes})
