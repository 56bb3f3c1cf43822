"""What exists in a household: classes of furniture and of objects (docs/rules/household.md 1.2)."""

from __future__ import annotations

CONTAINERS = ("bathroomcabinet", "kitchencabinet", "cabinet", "fridge", "stove", "dishwasher", "microwave")
"""Furniture that is closed at the start and is opened to see what is inside."""

SURFACES = ("kitchentable", "coffeetable", "bench", "desk", "sofa", "nightstand", "counter", "chair", "table", "bed")
"""Furniture on which objects lie in the open."""

THINGS = ("plate", "fork", "cupcake", "pudding", "apple", "juice", "wine", "pancake", "poundcake", "coffeepot")
"""Objects of the housework tasks."""

FOOD = ("apple", "banana", "orange", "bread", "loaf_bread", "burger")
STUFF = ("calculator", "mouse", "pen", "lighter", "purse", "iphone")
"""Objects of the two transport tasks."""

FOOD_CARRIERS = ("bowl", "plate", "tea_tray")
STUFF_CARRIERS = ("plastic_basket", "wood_basket", "wicker_basket")
CARRIERS = (*FOOD_CARRIERS, *STUFF_CARRIERS)
"""Objects of the transport tasks that are containers; in housework a plate is none."""

OBJECTS = tuple(dict.fromkeys((*THINGS, *FOOD, *STUFF, *CARRIERS)))
"""All classes of objects."""

ROOMS = ("livingroom", "kitchen", "bedroom", "bathroom", "office")
"""Kinds of rooms, in the order in which an agent looks for a place whose room it does not know."""


def relation(kind: str) -> str:
    """Return `in` for containers and `on` for surfaces."""
    return "in" if kind in CONTAINERS else "on"
