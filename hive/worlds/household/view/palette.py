"""Colours of floor plans, and the shapes by which objects are recognised."""

from __future__ import annotations

from hive.kit.view.palette import Look, Rgb, made_look

FLOORS: dict[str, Rgb] = {
    "livingroom": (240, 232, 216),
    "kitchen": (231, 238, 230),
    "bedroom": (233, 229, 241),
    "bathroom": (222, 236, 242),
    "office": (240, 228, 224),
}
FLOOR: Rgb = (236, 234, 230)
WALL: Rgb = (104, 99, 94)
CLOSED: Rgb = (176, 140, 98)
OPEN: Rgb = (250, 240, 214)
SURFACE: Rgb = (214, 196, 168)
GOAL: Rgb = (28, 134, 74)
EDGE: Rgb = (98, 74, 48)
AGENTS: tuple[Rgb, ...] = ((44, 96, 178), (201, 92, 30), (126, 60, 150), (30, 128, 128))
LEGEND: tuple[tuple[Rgb, str], ...] = (
    (CLOSED, "closed container"),
    (OPEN, "open container"),
    (SURFACE, "surface"),
    (GOAL, "goal place"),
)
"""Colours whose meaning is written below a picture."""


LOOKS: dict[str, Look] = {
    "plate": Look("plate", (250, 250, 250), (120, 132, 150)),
    "fork": Look("fork", (120, 128, 140), (70, 76, 86)),
    "cupcake": Look("cupcake", (236, 130, 168), (160, 106, 62)),
    "pudding": Look("pudding", (240, 198, 92), (134, 80, 32)),
    "apple": Look("round", (208, 46, 44), (72, 140, 60)),
    "juice": Look("carton", (244, 148, 40), (255, 246, 214)),
    "wine": Look("bottle", (112, 26, 58), (220, 200, 160)),
    "pancake": Look("stack", (224, 170, 92), (246, 226, 130)),
    "poundcake": Look("loaf", (206, 148, 84), (140, 84, 40)),
    "coffeepot": Look("pot", (70, 76, 84), (150, 158, 168)),
    "banana": Look("loaf", (250, 218, 70), (150, 110, 30)),
    "orange": Look("round", (246, 150, 30), (72, 140, 60)),
    "bread": Look("loaf", (226, 178, 112), (150, 96, 44)),
    "loaf_bread": Look("loaf", (186, 120, 62), (110, 64, 28)),
    "burger": Look("stack", (190, 116, 56), (120, 176, 70)),
    "calculator": Look("carton", (86, 92, 104), (170, 196, 170)),
    "mouse": Look("round", (120, 126, 136), (60, 64, 72)),
    "pen": Look("bottle", (40, 80, 170), (230, 232, 240)),
    "lighter": Look("bottle", (214, 60, 50), (250, 206, 80)),
    "purse": Look("pot", (170, 60, 110), (240, 200, 90)),
    "iphone": Look("carton", (30, 32, 38), (110, 160, 220)),
    "bowl": Look("plate", (222, 232, 244), (70, 110, 170)),
    "tea_tray": Look("plate", (206, 176, 130), (120, 84, 40)),
    "plastic_basket": Look("pudding", (120, 190, 220), (50, 110, 150)),
    "wood_basket": Look("pudding", (196, 150, 96), (110, 70, 34)),
    "wicker_basket": Look("pudding", (224, 196, 130), (140, 110, 50)),
}
"""Looks of the objects of housework and of transport."""

_COMMON = ("fork", "cupcake", "pudding", "apple", "juice", "wine", "pancake", "poundcake", "coffeepot")

_SHAPES = ("round", "loaf", "carton", "bottle", "stack", "pudding")


def look(kind: str) -> Look:
    """Return the look of a class of objects; one that is not in `LOOKS` gets shape and colour made from its name."""
    if kind in LOOKS:
        return LOOKS[kind]
    return Look(*made_look(kind, _SHAPES), (250, 246, 236))


def colours() -> list[Rgb]:
    """Return the colours that a movie must keep exactly."""
    return [*FLOORS.values(), WALL, CLOSED, OPEN, SURFACE, GOAL, *AGENTS, *(LOOKS[kind].colour for kind in _COMMON)]
