"""Random apartments and episodes of housework (docs/rules/household.md 8.1, 8.2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

import numpy as np

from dsl import UserError
from dsl.wording import did_you_mean, listing, nearest
from hive.worlds.household import classes
from hive.worlds.household.apartment import Apartment, ApartmentRoom, Door, Point, Receptacle, numbered
from hive.worlds.household.episode import HouseholdEpisode, PlacedObject, Start
from hive.worlds.household.floorplan import FloorPlan, chain, star
from hive.worlds.household.furniture import Furnisher

GENERATED_PREFIX = "generated_"
"""Names of generated episodes: this and the seed."""

SHAPES = {"chain": chain, "star": star}
"""How the rooms of a random apartment are joined."""

TASKS: dict[str, tuple[str, tuple[str, ...]]] = {
    "prepare afternoon tea": ("coffeetable", ("cupcake", "pudding", "apple", "juice", "wine")),
    "wash dishes": ("dishwasher", ("plate", "fork")),
    "prepare a meal": (
        "kitchentable",
        ("coffeepot", "cupcake", "pancake", "poundcake", "pudding", "apple", "juice", "wine"),
    ),
    "put groceries": ("fridge", ("cupcake", "pancake", "poundcake", "pudding", "apple", "juice", "wine")),
    "set up a dinner table": ("kitchentable", ("plate", "fork")),
}
"""Class of the goal place and classes of objects of each task."""

LEAST_WANTED, MOST_WANTED = 3, 5
CAPACITY = 5
"""Objects that a receptacle holds at the start."""

_SIDES = 5.5, 8.0  # metres of a room
_ROOMS = ("livingroom", "kitchen", "bedroom", "bathroom")
_TWICE = ("plate", "fork", "cupcake", "pudding", "apple")  # up to two of these are asked for, one of all others
_PUBLISHED_PLACES = ("fridge", "cabinet", "microwave", "dishwasher", "coffeetable", "kitchentable", "bench")
_TRIES = 1_000

# Furniture of a random apartment: class, room, least and greatest number.
_FURNITURE = (
    ("kitchencabinet", "kitchen", 4, 8),
    ("fridge", "kitchen", 1, 2),
    ("dishwasher", "kitchen", 1, 1),
    ("stove", "kitchen", 1, 1),
    ("microwave", "kitchen", 1, 1),
    ("cabinet", "bedroom", 1, 1),
    ("bathroomcabinet", "bathroom", 1, 1),
    ("kitchentable", "kitchen", 1, 1),
    ("coffeetable", "livingroom", 1, 1),
    ("coffeetable", "bedroom", 0, 1),
    ("bench", "kitchen", 0, 2),
)


def generate(
    seed: int,
    *,
    task: str | None = None,
    shape: str | None = None,
    starts: int = 2,
    published_places: bool = False,
) -> HouseholdEpisode:
    """Return a random episode of housework whose goal can be met.

    Args:
        seed: At least 0.
        task: One of `TASKS`; None: drawn.
        shape: How the rooms of the apartment are joined, one of `SHAPES`; None: drawn.
        starts: Number of agents with a start of their own, in different rooms.
        published_places: Whether objects lie only where they lie in the published episodes, so that kitchen cabinets,
            stoves and bathroom cabinets are always empty.

    Raises:
        UserError: The task or the shape is unknown, or the apartment has no place for the task.
    """
    rng = np.random.default_rng(seed)
    check_name(task, TASKS, "task")
    place = _apartment(rng, f"random_{seed}", shape)
    chosen = task or list(TASKS)[rng.integers(len(TASKS))]
    for _ in range(_TRIES):
        made = _episode(rng, f"{GENERATED_PREFIX}{seed}", place, chosen, starts, published_places)
        if made is not None:
            return made
    raise UserError(
        f"no episode of `{chosen}` fits into the apartment `{place.name}`\n"
        "  = help: name another task, or an apartment with more furniture"
    )


def check_name(name: str | None, names: Collection[str], what: str) -> None:
    """Check a name that may be left out.

    Raises:
        UserError: It is none of the names.
    """
    if name is not None and name not in names:
        help = did_you_mean(nearest(name, names)) or f"they are {listing(names, 'and')}"
        raise UserError(f"there is no {what} `{name}`\n  = help: {help}")


def _apartment(rng: np.random.Generator, name: str, shape: str | None) -> Apartment:
    check_name(shape, SHAPES, "shape of an apartment")
    plan = SHAPES[shape or list(SHAPES)[rng.integers(len(SHAPES))]](rng, len(_ROOMS), _SIDES)
    kinds = [_ROOMS[number] for number in rng.permutation(len(_ROOMS))]
    rooms = rooms_of(plan, kinds)
    furniture = [
        (kind, kinds.index(room))
        for kind, room, least, most in _FURNITURE
        for _ in range(rng.integers(least, most + 1))
    ]
    return Apartment(name, rooms, doors_of(plan), furnished(rng, plan, furniture))


def doors_of(plan: FloorPlan) -> tuple[Door, ...]:
    """Return the doors of a floor plan."""
    return tuple(Door((door.first, door.second), rounded(door.place)) for door in plan.doors)


def rooms_of(plan: FloorPlan, kinds: Sequence[str]) -> tuple[ApartmentRoom, ...]:
    """Return the rooms of a floor plan, named after their kinds."""
    named = zip(numbered(kinds), kinds, plan.boxes, strict=True)
    return tuple(ApartmentRoom(name, kind, rounded(box.centre), rounded(box.size)) for name, kind, box in named)


def rounded(point: Point) -> Point:
    """Round to millimetres, as files do."""
    return round(float(point[0]), 3), round(float(point[1]), 3)


def furnished(
    rng: np.random.Generator, plan: FloorPlan, furniture: Sequence[tuple[str, int]]
) -> tuple[Receptacle, ...]:
    """Find a place for furniture, given by class and room; what closes stands against a wall."""
    finder = Furnisher(rng, plan)
    names = numbered(kind for kind, _ in furniture)
    places = [
        finder.against_wall(room) if kind in classes.CONTAINERS else finder.inside(room) for kind, room in furniture
    ]
    named = zip(names, furniture, places, strict=True)
    return tuple(Receptacle(name, kind, room, rounded(place)) for name, (kind, room), place in named)


def starts_of(rng: np.random.Generator, home: Apartment, count: int) -> tuple[Start, ...]:
    """Return starts in different rooms, each somewhere in the middle of its room."""
    rooms = rng.permutation(len(home.rooms))[:count]
    return tuple(Start(int(room), point_in(rng, home.rooms[room])) for room in rooms)


def point_in(rng: np.random.Generator, room: ApartmentRoom, share: float = 0.25) -> tuple[float, float]:
    """Return a random point at most this share of a room's sides from its centre."""
    x, y = (room.centre[axis] + rng.uniform(-share, share) * room.size[axis] for axis in range(2))
    return rounded((x, y))


def _episode(
    rng: np.random.Generator, name: str, home: Apartment, task: str, starts: int, published: bool
) -> HouseholdEpisode | None:
    """Return one draw, or None when too little is wanted or the goal is met at the start."""
    goal_class, kinds = TASKS[task]
    goals_there = [number for number, each in enumerate(home.receptacles) if each.kind == goal_class]
    if not goals_there:
        return None
    goal_place = goals_there[0]
    free = {number: CAPACITY for number, _ in enumerate(home.receptacles) if number != goal_place}
    lying: list[tuple[str, int]] = []
    for kind, template in _template(rng, kinds).items():
        for _ in range(rng.integers(template, _most(kind) + 2)):
            places = [number for number in free if free[number] and _may_lie(home.receptacles[number], kind, published)]
            if places:
                where = places[rng.integers(len(places))]
                free[where] -= 1
                lying.append((kind, where))
    goals = _goals(rng, home, lying)
    if sum(goals.values()) < LEAST_WANTED:
        return None
    names = numbered(kind for kind, _ in lying)
    things = tuple(PlacedObject(each, kind, where) for each, (kind, where) in zip(names, lying, strict=True))
    made = HouseholdEpisode(name, home, task, goal_place, tuple(goals.items()), things, starts_of(rng, home, starts))
    return None if made.problems() else made


def _template(rng: np.random.Generator, kinds: Sequence[str]) -> dict[str, int]:
    """Draw which classes a goal names, and the least number of instances of each."""
    chosen = rng.permutation(len(kinds))[: rng.integers(1, min(len(kinds), MOST_WANTED) + 1)]
    return {kinds[number]: int(rng.integers(1, _most(kinds[number]) + 1)) for number in sorted(chosen)}


def _goals(rng: np.random.Generator, home: Apartment, lying: Sequence[tuple[str, int]]) -> dict[str, int]:
    """Draw how many of each class are wanted; instances in a dishwasher are not counted on."""
    reachable = Counter(kind for kind, where in lying if home.receptacles[where].kind != "dishwasher")
    goals: dict[str, int] = {}
    for kind, count in reachable.items():
        wanted = min(max(1, int(rng.integers(count - 2, count + 1))), MOST_WANTED - sum(goals.values()))
        if wanted:
            goals[kind] = wanted
    return goals


def _may_lie(place: Receptacle, kind: str, published: bool) -> bool:
    if kind == "wine" and place.kind == "microwave":
        return False
    return place.kind in _PUBLISHED_PLACES or (place.closes and not published)


def _most(kind: str) -> int:
    return 2 if kind in _TWICE else 1
