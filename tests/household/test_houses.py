"""Houses and transport episodes keep the rules of docs/rules/household.md 8.3 and 9.1; their files say the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given

from dsl import UserError
from hive.worlds.household.apartment import read_apartment
from hive.worlds.household.episode import HouseholdEpisode, PlacedObject, episode, read_episode, transports
from hive.worlds.household.generator import generate
from hive.worlds.household.houses import CONTAINERS, TRANSPORT_TASKS, generate_transport
from hive.worlds.household.writing import apartment_text, episode_files
from tests.dsl.strategies import ANY_TEXT

GENERATED = [generate_transport(seed) for seed in range(30)]
SHIPPED = [episode(name) for name in transports()]

LIVING, OFFICE, KITCHEN, BEDROOM = "livingroom", "office", "kitchen", "bedroom"
FLOORPLANS: dict[int, tuple[tuple[str, ...], ...]] = {
    2: (
        (OFFICE, BEDROOM, OFFICE, OFFICE, KITCHEN, LIVING, LIVING),
        (OFFICE, LIVING, LIVING, OFFICE, KITCHEN, LIVING, BEDROOM),
        (OFFICE, LIVING, LIVING, LIVING, KITCHEN, OFFICE, BEDROOM),
    ),
    5: (
        (LIVING, BEDROOM, OFFICE, LIVING, KITCHEN, LIVING),
        (LIVING, KITCHEN, LIVING, LIVING, OFFICE, BEDROOM),
        (LIVING, OFFICE, LIVING, LIVING, BEDROOM, KITCHEN),
    ),
}
"""Kinds of the rooms of the published test houses, by number of the floor plan and layout."""


def task_of(each: HouseholdEpisode) -> str:
    return each.task.removeprefix("transport ")


def split(each: HouseholdEpisode) -> tuple[list[PlacedObject], list[PlacedObject]]:
    """Targets and containers."""
    carriers = TRANSPORT_TASKS[task_of(each)][1]
    return [it for it in each.things if it.kind not in carriers], [it for it in each.things if it.kind in carriers]


def room_of(each: HouseholdEpisode, thing: PlacedObject) -> str:
    number = thing.room if thing.place is None else each.apartment.receptacles[thing.place].room
    return each.apartment.rooms[number].kind


def test_the_24_episodes_are_all_combinations() -> None:
    """Rule 9.1: two floor plans with three layouts, two settings of containers, two tasks."""
    assert {each.name for each in SHIPPED} == {
        f"tdw_{plan}_{layout}_{setting}_{task}"
        for plan in FLOORPLANS
        for layout in range(3)
        for setting in CONTAINERS
        for task in TRANSPORT_TASKS
    }
    for each in SHIPPED:
        _, plan, layout, setting, _ = each.name.split("_")
        kinds = tuple(room.kind for room in each.apartment.rooms)
        assert kinds == FLOORPLANS[int(plan)][int(layout)]
        assert len(split(each)[1]) == CONTAINERS[setting][0]
    scenes = {(each.name.rsplit("_", 1)[0], each.starts) for each in SHIPPED}
    assert len(scenes) == 12


@pytest.mark.parametrize("episodes", [GENERATED, SHIPPED], ids=["generated", "shipped"])
def test_ten_targets_of_the_task_lie_outside_bedrooms(episodes: list[HouseholdEpisode]) -> None:
    """Rule 9.1: every target is wanted; food lies in living rooms and kitchens, stuff in living rooms and offices."""
    for each in episodes:
        assert not each.problems() and not each.apartment.problems() and each.limit == 300
        targets, carriers = split(each)
        assert Counter(dict(each.goals)) == Counter(it.kind for it in targets) and each.wanted == 10
        other = {"food": "kitchen", "stuff": "office"}[task_of(each)]
        assert {room_of(each, it) for it in targets} <= {"livingroom", other}
        rooms = {it.room for it in carriers}
        assert (len(carriers), True) in [(count, len(rooms) <= most) for count, most in CONTAINERS.values()]
        assert each.apartment.receptacles[each.goal_place].kind == "bed"
        assert len({start.room for start in each.starts}) == 2


def test_food_and_stuff_of_a_seed_are_tasks_in_one_scene() -> None:
    """Rule 9.1: both tasks coexist in a scene, so house, setting and starts are the same."""
    food, stuff = (generate_transport(11, task=task) for task in TRANSPORT_TASKS)
    assert (food.apartment, food.starts) == (stuff.apartment, stuff.starts)
    assert len(split(food)[1]) == len(split(stuff)[1])


@pytest.mark.parametrize("make", [generate, generate_transport])
def test_files_of_generated_episodes_say_the_same(make: Callable[[int], HouseholdEpisode], tmp_path: Path) -> None:
    """An episode that is written and read again is equal, to the millimetre (2.4)."""
    for seed in range(15):
        made = make(seed)
        files = episode_files(made)
        for name, text in files.items():
            (tmp_path / name).write_text(text, encoding="utf-8")
        assert read_episode(files[f"{made.name}.toml"], made.name, tmp_path) == made


@given(name=ANY_TEXT)
def test_an_apartment_and_its_rooms_may_have_any_name(name: str) -> None:
    """Its file keeps every character."""
    home = GENERATED[0].apartment
    odd = replace(home, name=name, rooms=(replace(home.rooms[0], name=f"first {name}"), *home.rooms[1:]))
    assert read_apartment(apartment_text(odd)) == odd


def test_wrong_requests_are_refused() -> None:
    """The messages name what there is."""
    with pytest.raises(UserError, match="they are `food` and `stuff`"):
        generate_transport(0, task="toys")
    with pytest.raises(UserError, match="there is no setting of containers `many`"):
        generate_transport(0, containers="many")
    asks = replace(GENERATED[0], goals=(("bowl", 1),))
    assert any("container in transport" in message for _, message, _ in asks.problems())
