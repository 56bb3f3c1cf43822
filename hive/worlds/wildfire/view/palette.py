"""Colours and marks of wildfire pictures: plain data that pictures, movies and web pages share."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hive.engine.crews.explored import Explored
from hive.kit.view import palette
from hive.kit.view.palette import Rgb
from hive.worlds.wildfire.maps import host_land as maps

CREW_NAMES = ("firefighter", "bulldozer", "drone", "helicopter")
CREW_SHAPES = ("circle", "square", "triangle", "diamond")
CREWS: tuple[Rgb, ...] = ((36, 88, 214), (112, 48, 156), (0, 128, 138), (206, 22, 118))

TREES: tuple[Rgb, ...] = ((205, 220, 171), (158, 190, 128), (108, 152, 92))  # one, two, three trees
ROCK: Rgb = (206, 202, 196)
BRUSH: Rgb = (232, 222, 192)
CLEARED: Rgb = (243, 231, 205)
LAKE: Rgb = (62, 140, 216)
DAMP: Rgb = (92, 158, 222)  # mixed into sprayed cells
UNKNOWN: Rgb = (223, 222, 219)
BURNING: tuple[Rgb, ...] = ((255, 202, 40), (232, 52, 18), (176, 84, 58), (74, 66, 64))  # i, f, e, x

HOUSE: Rgb = (94, 84, 98)
CIVILIANS: dict[str, Rgb] = {"civilian": (255, 255, 255), "safe": (92, 214, 120), "dead": palette.INK}
TASK: Rgb = (150, 78, 0)
DONE: Rgb = (24, 120, 66)
FIRE_SIGN: Rgb = (190, 24, 10)

LOSS_COLOURS: tuple[Rgb, ...] = ((124, 160, 100), HOUSE, (232, 120, 20), CREWS[0], CREWS[1])
FOG = 0.5  # share of `UNKNOWN` in cells that no unit has seen, where the true map is shown
_DAMPNESS = 0.5


def ground_colours() -> NDArray[np.uint8]:
    """Return `[16, 6, 3]` the colour of each code of a map on each code of the land it was generated with."""
    table = np.zeros((16, 6, 3), np.uint8)
    table[:] = BRUSH
    table[:, maps.Land.ROCK] = ROCK
    for wooded in (maps.Land.DENSE, maps.Land.LIGHT, maps.Land.MEDIUM):
        table[:, wooded] = CLEARED
    for trees, colour in enumerate(TREES, 1):
        table[Explored.DRY + trees] = colour
    dry = table[Explored.DRY : Explored.DRY + 4].astype(float)
    table[Explored.WET : Explored.WET + 4] = np.round(dry + (np.array(DAMP) - dry) * _DAMPNESS)
    table[Explored.UNSEEN] = UNKNOWN
    for code, colour in zip(
        (Explored.IGNITED, Explored.ON_FIRE, Explored.EXTINGUISHING, Explored.BURNT), BURNING, strict=True
    ):
        table[code] = colour
    table[Explored.WATER] = LAKE
    table[Explored.BUILDING] = table[Explored.CIVILIAN] = BRUSH  # the marks over them say what they are
    return table


def colours() -> list[Rgb]:
    """Return every colour that may fill an area in a picture of a level, without repeats."""
    page = [palette.PAGE, palette.INK, palette.FAINT_INK, palette.RULE, (255, 255, 255)]
    ground = [*TREES, ROCK, BRUSH, CLEARED, LAKE, UNKNOWN, *BURNING]
    return list(dict.fromkeys([*page, *ground, *CREWS, HOUSE, TASK, DONE, CIVILIANS["safe"]]))
