"""Random apartments and episodes of housework (docs/rules/household.md 7)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import count

import numpy as np

from hive.household.floorplan import Plan, chain, star
from hive.household.furniture import Furnisher

SIDES = (5.5, 8.0)
ROOMS = ("livingroom", "kitchen", "bedroom", "bathroom")
TOPOLOGIES = ("chain", "star")

MOST = {"plate": 2, "fork": 2, "cupcake": 2, "pudding": 2, "apple": 2}
"""Greatest number of a class in a goal; 1 where it is not listed."""

LARGEST_GOAL, LEAST_GOAL = 5, 3
ROOM_LEFT = 5
"""Things of the goal's classes that one place holds at the start."""

NOT_IN = {"wine": {"microwave"}}
PLACES = ("fridge", "cabinet", "microwave", "dishwasher", "coffeetable", "kitchentable", "bench")
"""Places of things with the published quirk."""

# What a random apartment holds: class, room, least and greatest number, and whether it stands against a wall.
_FURNITURE = (
    ("kitchencabinet", "kitchen", 4, 8, True),
    ("fridge", "kitchen", 1, 2, True),
    ("dishwasher", "kitchen", 1, 1, True),
    ("stove", "kitchen", 1, 1, True),
    ("microwave", "kitchen", 1, 1, True),
    ("cabinet", "bedroom", 1, 1, True),
    ("bathroomcabinet", "bathroom", 1, 1, True),
    ("kitchentable", "kitchen", 1, 1, False),
    ("coffeetable", "livingroom", 1, 1, False),
    ("coffeetable", "bedroom", 0, 1, False),
    ("bench", "kitchen", 0, 2, False),
)
