"""Colours of kitchens, and the shapes by which ingredients are recognised."""

from __future__ import annotations

from hive.kit.view.palette import Look, Rgb, darken, made_look, mix

FLOOR: tuple[Rgb, Rgb] = ((243, 238, 228), (236, 230, 218))
WALL: Rgb = (188, 180, 168)  # counters that no cook reaches
COUNTER: Rgb = (214, 184, 144)
SHARED: Rgb = (231, 207, 160)  # counters that both cooks reach
BENCH: Rgb = (201, 171, 132)  # below utensils, dispensers and the delivery location
METAL: Rgb = (120, 127, 136)
DARK: Rgb = (58, 63, 70)
BOARD: Rgb = (235, 205, 150)
GLASS: Rgb = (196, 222, 232)
PLATE: Rgb = (250, 250, 250)
WATER: Rgb = (150, 200, 228)
BROTH: Rgb = (206, 148, 84)
BROWN: Rgb = (120, 72, 30)
CRUST: Rgb = (173, 116, 62)
BOWL: Rgb = (88, 110, 138)
PROGRESS: Rgb = (52, 120, 200)
READY: Rgb = (47, 139, 79)
WRONG: Rgb = (190, 40, 40)
ACTS: Rgb = (250, 200, 40)  # frame of the tile that an interaction changed
LEGEND: tuple[tuple[Rgb, str], ...] = (
    (SHARED, "counter of both cooks"),
    (COUNTER, "counter of one cook"),
    (WALL, "out of reach"),
    (ACTS, "used in this timestep"),
)
"""Colours whose meaning is written below a picture."""
COOKS: tuple[Rgb, Rgb] = ((44, 96, 178), (201, 92, 30))
SKIN: Rgb = (240, 204, 170)


_GREEN: Rgb = (72, 140, 60)

LOOKS: dict[str, Look] = {
    "apple": Look("round", (205, 48, 44), _GREEN),
    "tomato": Look("round", (226, 66, 40), _GREEN),
    "onion": Look("bulb", (196, 140, 78), (240, 226, 196)),
    "coconut": Look("round", (110, 76, 50), (244, 244, 238)),
    "taro": Look("oval", (134, 108, 112), (216, 196, 216)),
    "potato": Look("oval", (200, 164, 100), (240, 222, 160)),
    "sweet_potato": Look("oval", (176, 84, 68), (240, 152, 70)),
    "egg": Look("egg", (246, 226, 200), (246, 190, 50)),
    "eggplant": Look("drop", (92, 50, 112), _GREEN),
    "zucchini": Look("long", (82, 138, 62), (214, 226, 160)),
    "carrot": Look("carrot", (238, 132, 38), _GREEN),
    "corn": Look("ear", (246, 206, 68), _GREEN),
    "green_bean": Look("pods", (96, 160, 66), (150, 200, 110)),
    "bell_pepper": Look("bell", (216, 54, 44), _GREEN),
    "pumpkin": Look("ridged", (230, 128, 34), (94, 112, 50)),
    "mushroom": Look("cap", (196, 164, 136), (240, 230, 214)),
    "tofu": Look("block", (244, 238, 220), (222, 212, 186)),
    "beef": Look("steak", (164, 48, 50), (246, 226, 216)),
    "chicken": Look("drumstick", (222, 168, 104), (248, 240, 226)),
    "spinach": Look("leaf", (52, 124, 62), (120, 182, 104)),
    "romaine_lettuce": Look("leaf", (132, 190, 84), (206, 232, 150)),
    "broccoli": Look("tree", (62, 128, 62), (170, 204, 120)),
    "cauliflower": Look("tree", (250, 246, 236), (170, 204, 120)),
    "lentil": Look("grains", (182, 112, 60), (140, 80, 42)),
    "chickpea": Look("grains", (226, 190, 118), (190, 150, 84)),
    "peanut": Look("nut", (206, 162, 98), (166, 122, 66)),
    "bean": Look("grains", (140, 52, 52), (190, 110, 100)),
    "pea": Look("grains", (128, 186, 74), (92, 150, 56)),
    "green_pea": Look("pod", (96, 164, 60), (164, 210, 100)),
}
"""Looks of the shipped ingredients."""

_SHAPES = ("round", "oval", "drop", "long", "block", "grains")


def look(name: str) -> Look:
    """Return the look of an ingredient; one that is not in `LOOKS` gets a shape and a colour made from its name."""
    if name in LOOKS:
        return LOOKS[name]
    shape, colour = made_look(name, _SHAPES)
    return Look(shape, colour, mix(colour, (255, 255, 255), 0.6))


def baked(colour: Rgb) -> Rgb:
    """Return a colour as it looks after baking."""
    return mix(colour, BROWN, 0.38)


def edge(colour: Rgb) -> Rgb:
    """Return the colour of a shape's outline."""
    return darken(colour, 0.4)


def colours() -> list[Rgb]:
    """Return the colours that a movie must keep exactly."""
    dishes = WATER, BROTH, BOWL, CRUST
    return [*FLOOR, WALL, COUNTER, SHARED, BENCH, PROGRESS, READY, *COOKS, *dishes, LOOKS["apple"].colour]
