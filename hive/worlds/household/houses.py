"""Random houses and transport episodes, after the published recipe (docs/rules/household.md 8.3, 9.1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from hive.worlds.household import classes
from hive.worlds.household.apartment import Apartment, numbered
from hive.worlds.household.episode import RULE_SETS, HouseholdEpisode, PlacedObject
from hive.worlds.household.floorplan import cut
from hive.worlds.household.generator import check_name, doors_of, furnished, point_in, rooms_of, starts_of

TRANSPORT_PREFIX = "transport_"
"""Names of generated episodes: this and the seed."""

TARGETS = 10
CONTAINERS = {"enough": (5, 2), "rare": (2, 1)}
"""Number of containers of each setting, and the greatest number of rooms that they lie in."""

TRANSPORT_TASKS = {"food": (classes.FOOD, classes.FOOD_CARRIERS), "stuff": (classes.STUFF, classes.STUFF_CARRIERS)}
"""Classes of the targets and of the containers of each task."""

WIDTH, DEPTH = 21.0, 10.0
"""Metres of a house."""

_LIVING, _OFFICE, _KITCHEN, _BEDROOM = "livingroom", "office", "kitchen", "bedroom"

_FURNITURE = {
    _LIVING: ("table", "sofa", "chair"),
    _OFFICE: ("desk", "chair"),
    _KITCHEN: ("table", "chair"),
    _BEDROOM: ("bed",),
}

# Where targets lie: the share in each kind of room, and the furniture that they may lie on there besides the floor.
Shares = dict[str, tuple[float, tuple[str, ...]]]

_FRUIT: Shares = {_LIVING: (1.0, ("table",))}
_BREAD: Shares = {_KITCHEN: (0.6, ("table", "chair")), _LIVING: (0.4, ())}
_DESKTOP: Shares = {_OFFICE: (0.6, ("desk", "chair")), _LIVING: (0.4, ())}
_POCKET: Shares = {_LIVING: (0.75, ("sofa", "chair")), _OFFICE: (0.25, ())}
_WHERE: dict[str, Shares] = {
    **dict.fromkeys(("apple", "banana", "orange"), _FRUIT),
    **dict.fromkeys(("bread", "loaf_bread", "burger"), _BREAD),
    **dict.fromkeys(("calculator", "mouse", "pen"), _DESKTOP),
    **dict.fromkeys(("lighter", "purse", "iphone"), _POCKET),
}


def generate_transport(
    seed: int, *, task: str | None = None, containers: str | None = None, starts: int = 2
) -> HouseholdEpisode:
    """Return a random transport episode.

    Targets, containers and starts of the two tasks are drawn from one seed, so that `food` and `stuff` of a seed are
    two tasks in one scene.

    Args:
        seed: At least 0.
        task: One of `TRANSPORT_TASKS`; None: drawn.
        containers: Setting, one of `CONTAINERS`; None: drawn.
        starts: Number of agents with a start of their own, in different rooms.

    Raises:
        UserError: The task or the setting is unknown.
    """
    rng = np.random.default_rng(seed)
    place = _house(rng, f"house_{seed}")
    check_name(task, list(TRANSPORT_TASKS), "task")
    check_name(containers, list(CONTAINERS), "setting of containers")
    drawn = list(TRANSPORT_TASKS)[rng.integers(len(TRANSPORT_TASKS))], list(CONTAINERS)[rng.integers(len(CONTAINERS))]
    agents = starts_of(rng, place, starts)
    setting = containers or drawn[1]
    scene = {each: _scene(rng, place, each, setting) for each in TRANSPORT_TASKS}
    chosen = task or drawn[0]
    lying = scene[chosen]
    names = numbered(kind for kind, *_ in lying)
    things = tuple(PlacedObject(each, *where) for each, where in zip(names, lying, strict=True))
    goals = Counter(kind for kind, *_ in lying if kind in TRANSPORT_TASKS[chosen][0])
    beds = [number for number, each in enumerate(place.receptacles) if each.kind == "bed"]
    return HouseholdEpisode(
        name=f"{TRANSPORT_PREFIX}{seed}",
        apartment=place,
        task=f"transport {chosen}",
        goal_place=beds[0],
        goals=tuple(goals.items()),
        things=things,
        starts=agents,
        limit=RULE_SETS["transport"],
        rules="transport",
    )


def _house(rng: np.random.Generator, name: str) -> Apartment:
    """Return a house with one bedroom, one kitchen, and one or more offices and living rooms."""
    rooms = int(rng.integers(6, 8))
    offices = int(rng.integers(1, 4))
    drawn = [_BEDROOM, _KITCHEN, *[_OFFICE] * offices, *[_LIVING] * (rooms - 2 - offices)]
    kinds = [drawn[number] for number in rng.permutation(rooms)]
    plan = cut(rng, len(kinds), WIDTH, DEPTH)
    furniture = [(each, number) for number, kind in enumerate(kinds) for each in _FURNITURE[kind]]
    return Apartment(name, rooms_of(plan, kinds), doors_of(plan), furnished(rng, plan, furniture))


Lying = tuple[str, int | None, int, tuple[float, float]]
"""Class, receptacle or None, room, and the point on the floor."""


def _scene(rng: np.random.Generator, home: Apartment, task: str, setting: str) -> list[Lying]:
    """Draw targets and containers of a task."""
    targets, carriers = TRANSPORT_TASKS[task]
    lying = []
    for number in sorted(rng.integers(len(targets), size=TARGETS)):
        kind = targets[number]
        shares = _WHERE[kind]
        rooms = list(shares)
        chosen = rooms[rng.choice(len(rooms), p=[shares[each][0] for each in rooms])]
        room = _one(rng, [place for place, each in enumerate(home.rooms) if each.kind == chosen])
        lying.append(_lay(rng, home, kind, room, shares[chosen][1]))
    count, most = CONTAINERS[setting]
    rooms_for = [place for place, each in enumerate(home.rooms) if each.kind != _BEDROOM]
    chosen_rooms = rng.permutation(rooms_for)[:most]
    kinds = sorted(rng.integers(len(carriers), size=count))
    return lying + [_lay(rng, home, carriers[each], int(_one(rng, chosen_rooms)), ()) for each in kinds]


def _lay(rng: np.random.Generator, home: Apartment, kind: str, room: int, furniture: Sequence[str]) -> Lying:
    """Lay an object on the floor of a room, or on one of its pieces of furniture."""
    places: list[int | None] = [None]
    places += [number for number, each in enumerate(home.receptacles) if each.room == room and each.kind in furniture]
    place = places[rng.integers(len(places))]
    if place is None:
        return kind, None, room, point_in(rng, home.rooms[room], 0.42)
    return kind, place, 0, (0.0, 0.0)


def _one(rng: np.random.Generator, choices: Iterable[int]) -> int:
    listed = list(choices)
    return int(listed[rng.integers(len(listed))])
