"""Events of a crew: each is told once, when it happens (docs/rules/teams.md 10.2)."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from hive.engine.crews.explored import Explored
from hive.worlds.wildfire.events import CrewEvents


def state(cells: dict[tuple[int, int], Explored], alive: tuple[bool, ...] = (True, True)) -> Any:
    seen = np.zeros((4, 4), np.uint8)
    for cell, code in cells.items():
        seen[cell] = code
    return SimpleNamespace(crew=SimpleNamespace(seen=seen), alive=np.array(alive))


def test_fire_and_water_are_told_when_they_are_first_seen() -> None:
    events = CrewEvents(np.array([0, 2]))
    assert events.news(state({})) == []
    assert events.news(state({(0, 0): Explored.ON_FIRE})) == ["A fire was seen for the first time."]
    both = {(0, 0): Explored.BURNT, (1, 1): Explored.IGNITED, (3, 3): Explored.WATER}
    assert events.news(state(both)) == ["Water was seen for the first time."]
    assert events.news(state({})) == [] and events.news(state(both)) == []


def test_civilians_are_told_when_there_are_more_than_ever() -> None:
    events = CrewEvents(np.array([0]))
    one, two = {(0, 1): Explored.CIVILIAN}, {(0, 1): Explored.CIVILIAN, (2, 2): Explored.CIVILIAN}
    told = [events.news(state(cells, (True,))) for cells in (one, one, two, one, two)]
    assert [len(each) for each in told] == [1, 0, 1, 0, 0]
    assert told[0] == ["Civilians are in sight in 1 cell, in more than before."]


def test_a_lost_unit_is_told_once_by_its_type_and_number() -> None:
    events = CrewEvents(np.array([0, 1]))
    assert events.news(state({}, (True, False))) == ["The crew lost `bulldozer 1`."]
    assert events.news(state({}, (True, False))) == []
    assert events.news(state({}, (False, False))) == ["The crew lost `firefighter 0`."]
