"""Generated apartments and episodes keep the rules of docs/rules/household.md 8."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import combinations

import numpy as np
import pytest

from dsl import UserError
from hive.worlds.household.apartment import Apartment
from hive.worlds.household.episode import HouseholdEpisode
from hive.worlds.household.floorplan import CLEAR, FloorBox, cut
from hive.worlds.household.generator import CAPACITY, SHAPES, TASKS, generate


@cache
def episodes() -> list[HouseholdEpisode]:
    return [generate(seed) for seed in range(60)]


ROUNDING = 0.002
"""Metres; apartments are in whole millimetres."""


def boxes(home: Apartment) -> list[FloorBox]:
    return [
        FloorBox(x - wide / 2, y - deep / 2, x + wide / 2, y + deep / 2)
        for (x, y), (wide, deep) in ((room.centre, [side - ROUNDING for side in room.size]) for room in home.rooms)
    ]


def wanted(episode: HouseholdEpisode) -> int:
    return sum(count for _, count in episode.goals)


def test_every_generated_episode_can_be_played() -> None:
    """The same checks as those of files: connected, goals that can be met and are not met yet (2.1, 8.2)."""
    assert not [problem for each in episodes() for problem in [*each.apartment.problems(), *each.problems()]]
    assert {each.task for each in episodes()} == set(TASKS)


def test_goals_ask_for_three_to_five_things_that_lie_outside_dishwashers() -> None:
    """Rule 8.2: counts are drawn from what lies outside dishwashers, so no goal needs what lies inside one."""
    for each in episodes():
        counted = [thing for thing in each.things if each.apartment.receptacles[thing.place or 0].kind != "dishwasher"]
        there = Counter(thing.kind for thing in counted)
        assert 3 <= wanted(each) <= 5
        assert all(1 <= count <= there[kind] for kind, count in each.goals)


def test_things_lie_in_places_of_their_class_with_room_left() -> None:
    """Rule 8.2: never on the goal place, no wine in a microwave, at most `CAPACITY` in one place."""
    for each in episodes():
        assert all(thing.place != each.goal_place for thing in each.things)
        assert max(Counter(thing.place for thing in each.things).values()) <= CAPACITY
        kinds = {(thing.kind, each.apartment.receptacles[thing.place or 0].kind) for thing in each.things}
        assert ("wine", "microwave") not in kinds


def test_only_published_places_make_decoys() -> None:
    """Rule 8.2: with `published_places` kitchen cabinets, stoves and bathroom cabinets are empty."""

    def places(published: bool) -> set[str]:
        made = [generate(seed, published_places=published) for seed in range(40)]
        return {each.apartment.receptacles[thing.place or 0].kind for each in made for thing in each.things}

    decoys = {"kitchencabinet", "stove", "bathroomcabinet"}
    assert not decoys & places(True) and decoys < places(False)


@pytest.mark.parametrize("shape", SHAPES)
def test_rooms_touch_but_do_not_overlap_and_doors_are_on_their_walls(shape: str) -> None:
    """Rule 8.1: four rooms of 5.5 to 8 m in a chain or a star; a door is clear of the corners."""
    for seed in range(20):
        home = generate(seed, shape=shape).apartment
        found = boxes(home)
        assert not any(one.meets(other) for one, other in combinations(found, 2))
        assert all(5.5 - ROUNDING <= side <= 8.0 + ROUNDING for room in home.rooms for side in room.size)
        degrees = Counter(room for door in home.doors for room in door.rooms)
        assert sorted(degrees.values()) == ([1, 1, 2, 2] if shape == "chain" else [1, 1, 1, 3])
        for door in home.doors:
            for room in door.rooms:
                assert home.rooms[room].holds(door.at, slack=ROUNDING)
                west, south, east, north = (getattr(found[room], side) for side in ("west", "south", "east", "north"))
                corners = ((west, south), (west, north), (east, south), (east, north))
                assert min(np.hypot(door.at[0] - x, door.at[1] - y) for x, y in corners) >= CLEAR - ROUNDING


def test_a_cut_floor_is_tiled_by_rooms_that_form_one_loop() -> None:
    """Rule 8.3: rooms cover the rectangle; doors are a tree and one more."""
    for seed in range(20):
        plan = cut(np.random.default_rng(seed), 6 + seed % 2, 21.0, 10.0)
        assert sum(np.prod(box.size) for box in plan.boxes) == pytest.approx(210.0)
        assert not any(one.meets(other) for one, other in combinations(plan.boxes, 2))
        assert len(plan.doors) == len(plan.boxes)


def test_a_seed_gives_one_episode_and_seeds_give_different_ones() -> None:
    """Results can be repeated from the seed alone."""
    assert generate(7) == episodes()[7] != episodes()[8]


def test_unknown_tasks_and_shapes_are_refused() -> None:
    """The message names a near one."""
    with pytest.raises(UserError, match="did you mean `wash dishes`"):
        generate(0, task="wash dish")
    with pytest.raises(UserError, match="they are `chain` and `star`"):
        generate(0, shape="ring")
