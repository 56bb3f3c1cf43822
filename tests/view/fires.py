"""A made-up fire on twelve cells a side, for the tests of wildfire pictures, movies and replays."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from hive.engine.crews.explored import Explored
from hive.ground.layers import Layer
from hive.worlds.wildfire.maps.host_land import Land
from hive.worlds.wildfire.maps.host_places import TaskPlaces
from hive.worlds.wildfire.recording import FireRecording

SIZE, FRAMES = 12, 6
HOUSE, LAKE, FIRST = (8, 2), (11, 0), (2, 9)  # cells
PLANS = ((0, "BEGIN PLAN\nfirst <b>\nEND PLAN\n"), (3, "BEGIN PLAN\nsecond\nEND PLAN\n"))


def grounds() -> np.ndarray:
    """Return `[T, S, S]`: one tree everywhere but on rock in the east; a fire that runs east along y = 9."""
    stack = np.full((FRAMES, SIZE, SIZE), Explored.DRY + 1, np.uint8)
    stack[:, 9:] = Explored.DRY
    stack[:, 11, 0] = Explored.WATER
    for t in range(FRAMES):
        for x in range(2, 3 + t):
            stack[t, x, 9] = Explored.ON_FIRE if x == 2 + t else Explored.EXTINGUISHING
    stack[4:, 2, 9] = Explored.BURNT
    stack[3:, 0, 0] = Explored.WET + 1
    return stack


def wildfire(**changes: Any) -> FireRecording:
    """Return a game of a firefighter, a second one that is lifted, a bulldozer that dies, a drone and a helicopter."""
    time = np.arange(FRAMES)
    position = np.zeros((FRAMES, 5, 2), np.float32)
    position[:, 0] = np.stack([1.5 + time, np.full(FRAMES, 4.5)], -1)
    position[:, 1:] = [[6.5, 6.5], [4.5, 9.5], [1.5, 1.5], [6.5, 6.5]]
    alive = np.ones((FRAMES, 5), bool)
    alive[3:, 2] = False
    aboard = np.full((FRAMES, 5), -1)
    aboard[2:, 1] = 4
    civilian = np.tile([[10, 5], [10, 7], [10, 9], [10, 11]], (FRAMES, 1, 1))
    living = np.ones((FRAMES, 4), bool)
    living[2:, 1] = False
    bearer = np.full((FRAMES, 4), -1)
    bearer[1:, 2] = 0
    civilian[1:, 2] = position[1:, 0].astype(int)
    code = np.full((FRAMES, 5), -1)
    code[1:, 0] = 3
    place = np.full((FRAMES, 5, 2), -1)
    place[1:, 0] = [7, 8]
    tree = np.full((FRAMES, 5), -1)
    tree[1:, 0] = 1
    target = np.full((FRAMES, 5, 2), -1)
    target[1:, 0] = [6, 3]
    ground = grounds()
    seen = ground.copy()
    seen[:, HOUSE[0], HOUSE[1]], seen[:, 10, 5] = Explored.BUILDING, Explored.CIVILIAN
    seen[:, :, 10:] = Explored.UNSEEN
    seen[:2, 6:] = Explored.UNSEEN
    land = np.full((SIZE, SIZE), Land.LIGHT, np.uint8)
    land[9:], land[:, 11] = Land.ROCK, Land.BRUSH
    building = np.zeros((SIZE, SIZE), bool)
    building[HOUSE] = True
    burnt = np.arange(FRAMES) + 1
    nothing = np.zeros(FRAMES, int)
    losses = np.stack([burnt, nothing, (~living).sum(1), nothing, (~alive).sum(1)], -1)
    whole = FireRecording(
        title="made up", game="full", best=0, outcome="timeout",
        known=TaskPlaces(
            trees=((0, 5),), lines=((3, 0, 5, 0),), goal=(10, 11), fire=FIRST, water=LAKE, clusters=((10, 5),)
        ),
        land=land, building=building, kind=np.array([0, 0, 1, 2, 3]), tick=time, position=position, alive=alive,
        water=np.tile(np.arange(5), (FRAMES, 1)), aboard=aboard, code=code, place=place,
        behaviours=("go_to", "spray"), tree=tree, target=target, civilian=civilian, living=living, bearer=bearer,
        ground=Layer.of(ground), seen=Layer.of(seen), score=-(losses @ np.array([1, 10, 100, 20, 20])), losses=losses,
        plans=PLANS,
    )  # fmt: skip
    return replace(whole, **changes)
