"""Items as small pictures: an ingredient's shape and colour, then what the utensils made of it.

The form of a product follows from the operations in its recipe, so a new recipe needs no picture of its own.
"""

from __future__ import annotations

from collections.abc import Callable

from PIL import Image

from hive.kit.view.palette import Look, Rgb, lighten, mix
from hive.kit.view.pen import Pen, canvas
from hive.worlds.kitchen.cookbook import Cookbook
from hive.worlds.kitchen.view import palette as kitchen_palette
from hive.worlds.kitchen.view.palette import edge, look

_FINE = 4  # icons are drawn this much larger and then shrunk
_Shape = Callable[["Pen", Look], None]


def draw_item(book: Cookbook, code: int, pixels: int) -> Image.Image:
    """Return the picture of an item on a transparent ground.

    Args:
        book: What exists.
        code: Code of the item, above 0.
        pixels: Side of the picture.
    """
    image, pen = canvas(pixels * _FINE, 0.94)
    name = book.name(code)
    if code >= book.dish_code:
        _plate(pen)
        pen = pen.part(0, -0.08, 0.68)
    if code != book.dish_code:
        _draw(pen, book, name)
    return image.resize((pixels, pixels), Image.Resampling.BOX)


def _plate(pen: Pen) -> None:
    pen.oval(0, 0.08, 0.98, 0.82, kitchen_palette.PLATE)
    pen.oval(0, 0.06, 0.66, 0.52, (232, 234, 238), rim=False)


def _draw(pen: Pen, book: Cookbook, name: str) -> None:
    if name not in book.recipe:
        found = look(name)
        _SHAPES[found.shape](pen, found)
        return
    recipe = book.recipe[name]
    _FORMS.get(book.utensil[recipe.utensil].operation, _box)(pen, book, name)


def _parts(book: Cookbook, name: str) -> list[Look]:
    return [look(each) for each in book.ingredients_of(name)]


def _inner(found: Look) -> Rgb:
    """Return the colour inside an ingredient, which is that of its slices and its mash."""
    return found.accent if found.shape in ("oval", "bulb", "cap", "long", "round") and _pale(found) else found.colour


def _pale(found: Look) -> bool:
    return sum(found.accent) > sum(found.colour)


def _slices(pen: Pen, book: Cookbook, name: str) -> None:
    """Three overlapping slices: the ingredient's skin around its inside."""
    found = _parts(book, name)[0]
    for x, y in ((-0.42, 0.22), (0.42, 0.26), (0, -0.26)):
        pen.oval(x, y, 0.46, 0.42, found.colour)
        inside = _inner(found) if _inner(found) != found.colour else lighten(found.colour, 0.4)
        pen.oval(x, y, 0.33, 0.3, inside, rim=False)
        pen.oval(x, y, 0.1, 0.09, mix(inside, found.colour, 0.5), rim=False)


def _mash(pen: Pen, book: Cookbook, name: str) -> None:
    """A heap with a swirl, in the colours of what was stirred."""
    colours = [_inner(each) for each in _parts(book, name)]
    pen.oval(0, 0.38, 0.96, 0.42, colours[0])
    pen.oval(0, 0.04, 0.7, 0.38, colours[-1])
    pen.oval(0, -0.3, 0.44, 0.34, lighten(colours[0], 0.2))
    pen.arc(0.06, -0.34, 0.22, 0.16, 60, 300, edge(colours[0]))


def _pot(pen: Pen, book: Cookbook, name: str) -> None:
    """A bowl with what was cooked: in water alone, else in broth."""
    inputs = book.recipe[name].inputs
    plain = len(inputs) == 1 and not name.endswith(("soup", "stew"))
    pen.half(0, 0.06, 0.98, 0.9, kitchen_palette.BOWL, lower=True)
    pen.oval(0, 0.06, 0.98, 0.36, kitchen_palette.WATER if plain else kitchen_palette.BROTH)
    for number, each in enumerate(inputs):
        x = 0.0 if len(inputs) == 1 else -0.42 + 0.84 * number / (len(inputs) - 1)
        _draw(pen.part(x, -0.16, 0.56 if len(inputs) == 1 else 0.42), book, each)
    for x in (-0.3, 0.3):
        pen.arc(x, -0.78, 0.1, 0.16, 90, 270, (150, 160, 170))


def _oven(pen: Pen, book: Cookbook, name: str) -> None:
    """One input, browned with grill marks; several become a patty with specks of their colours."""
    inputs = book.recipe[name].inputs
    if len(inputs) == 1:
        _draw(pen.part(0, 0, 1.0, kitchen_palette.baked), book, inputs[0])
        for x in (-0.4, 0.0, 0.4):
            pen.stroke([(x - 0.16, 0.3), (x + 0.16, -0.3)], kitchen_palette.BROWN, 0.09)
        return
    pen.oval(0, 0.2, 0.96, 0.66, kitchen_palette.BROWN)
    pen.oval(0, 0.04, 0.96, 0.62, kitchen_palette.CRUST)
    colours = [_inner(each) for each in _parts(book, name)]
    for number, (x, y) in enumerate(((-0.5, 0), (0.1, -0.3), (0.5, 0.06), (-0.12, 0.24), (-0.2, -0.12), (0.3, 0.34))):
        pen.oval(x, y, 0.16, 0.12, colours[number % len(colours)])


def _box(pen: Pen, book: Cookbook, name: str) -> None:
    """Products of a utensil that has no form of its own: the inputs on a tray."""
    inputs = book.recipe[name].inputs
    pen.box(-0.96, -0.62, 0.96, 0.72, kitchen_palette.GLASS, 0.2)
    for number, each in enumerate(inputs):
        x = 0.0 if len(inputs) == 1 else -0.5 + number / (len(inputs) - 1)
        _draw(pen.part(x, 0.05, 0.5 if len(inputs) < 3 else 0.4), book, each)


_FORMS: dict[str, Callable[[Pen, Cookbook, str], None]] = {"cut": _slices, "stir": _mash, "cook": _pot, "bake": _oven}


def _round(pen: Pen, found: Look) -> None:
    pen.oval(0, 0.1, 0.82, 0.8, found.colour)
    pen.oval(-0.3, -0.2, 0.16, 0.2, lighten(found.colour, 0.5), rim=False)
    if found.accent == (244, 244, 238):  # the three eyes of a coconut
        for x, y in ((-0.16, 0.2), (0.16, 0.2), (0, 0.42)):
            pen.oval(x, y, 0.09, 0.09, (50, 34, 24), rim=False)
        return
    pen.stroke([(0, -0.6), (0.1, -0.96)], (96, 70, 40), 0.12)
    pen.oval(0.32, -0.78, 0.26, 0.13, found.accent)


def _bulb(pen: Pen, found: Look) -> None:
    pen.area([(-0.16, -0.5), (0, -1.0), (0.16, -0.5)], found.colour)
    pen.oval(0, 0.16, 0.8, 0.74, found.colour)
    for wide in (0.26, 0.54):
        pen.arc(0, 0.16, wide, 0.7, 100, 260, edge(found.colour))
        pen.arc(0, 0.16, wide, 0.7, 280, 440, edge(found.colour))


def _oval(pen: Pen, found: Look) -> None:
    pen.oval(0, 0, 0.96, 0.62, found.colour)
    for x, y in ((-0.4, -0.1), (0.2, 0.2), (0.5, -0.2), (-0.1, 0.34)):
        pen.oval(x, y, 0.07, 0.05, edge(found.colour), rim=False)


def _egg(pen: Pen, found: Look) -> None:
    pen.oval(0, 0.12, 0.68, 0.82, found.colour)
    pen.oval(-0.22, -0.16, 0.14, 0.22, lighten(found.colour, 0.7), rim=False)


def _drop(pen: Pen, found: Look) -> None:
    pen.oval(0, 0.34, 0.6, 0.6, found.colour)
    pen.oval(0, -0.16, 0.4, 0.6, found.colour)
    pen.oval(0, 0.32, 0.52, 0.54, found.colour, rim=False)
    pen.oval(-0.24, 0.2, 0.1, 0.24, lighten(found.colour, 0.4), rim=False)
    pen.area([(-0.44, -0.5), (0, -0.78), (0.44, -0.5), (0.16, -0.44), (0, -0.24), (-0.16, -0.44)], found.accent)
    pen.stroke([(0, -0.72), (0.08, -1.0)], found.accent, 0.16)


def _long(pen: Pen, found: Look) -> None:
    pen.box(-0.96, -0.32, 0.96, 0.32, found.colour, 0.32)
    for y in (-0.12, 0.1):
        pen.stroke([(-0.7, y), (0.74, y)], lighten(found.colour, 0.35), 0.06)
    pen.box(0.76, -0.16, 1.0, 0.16, found.accent, 0.08)


def _carrot(pen: Pen, found: Look) -> None:
    for x in (-0.3, 0, 0.3):
        pen.stroke([(0, -0.4), (x, -0.96)], found.accent, 0.16)
    pen.area([(-0.44, -0.46), (0.44, -0.46), (0.3, 0.1), (0.06, 0.98), (-0.06, 0.98), (-0.3, 0.1)], found.colour)
    for y, x in ((-0.14, -0.3), (0.16, 0.0), (0.44, -0.12)):
        pen.stroke([(x, y), (x + 0.26, y)], edge(found.colour), 0.06)


def _ear(pen: Pen, found: Look) -> None:
    pen.oval(0, -0.1, 0.42, 0.86, found.colour)
    for y in (-0.66, -0.4, -0.14, 0.12, 0.38):
        pen.stroke([(-0.34, y), (0.34, y)], edge(found.colour), 0.05)
    pen.stroke([(0, -0.9), (0, 0.6)], edge(found.colour), 0.05)
    pen.area([(0, 0.98), (-0.7, -0.1), (-0.2, 0.3)], found.accent)
    pen.area([(0, 0.98), (0.7, -0.1), (0.2, 0.3)], found.accent)


def _pods(pen: Pen, found: Look) -> None:
    for y in (-0.5, 0, 0.5):
        pen.box(-0.92, y - 0.19, 0.92, y + 0.19, found.colour, 0.18)
        pen.stroke([(-0.7, y), (0.7, y)], found.accent, 0.07)


def _pod(pen: Pen, found: Look) -> None:
    pen.oval(0, 0, 0.98, 0.5, found.colour)
    for x in (-0.52, 0, 0.52):
        pen.oval(x, 0, 0.24, 0.24, found.accent)


def _bell(pen: Pen, found: Look) -> None:
    for x in (-0.36, 0.36, 0):
        pen.oval(x, 0.16, 0.46, 0.72, found.colour)
    pen.oval(-0.3, -0.06, 0.1, 0.26, lighten(found.colour, 0.5), rim=False)
    pen.oval(0, -0.5, 0.34, 0.14, found.accent)
    pen.stroke([(0, -0.5), (0.08, -0.94)], found.accent, 0.18)


def _ridged(pen: Pen, found: Look) -> None:
    pen.oval(0, 0.16, 0.96, 0.74, found.colour)
    for wide in (0.66, 0.28):
        pen.oval(0, 0.16, wide, 0.74, found.colour)
    pen.box(-0.12, -0.92, 0.14, -0.5, found.accent, 0.06)


def _cap(pen: Pen, found: Look) -> None:
    pen.box(-0.26, 0.0, 0.26, 0.92, found.accent, 0.16)
    pen.half(0, 0.16, 0.92, 1.0, found.colour)
    for x, y in ((-0.4, -0.2), (0.1, -0.52), (0.46, -0.14)):
        pen.oval(x, y, 0.13, 0.1, found.accent, rim=False)


def _block(pen: Pen, found: Look) -> None:
    pen.area([(-0.86, -0.2), (-0.3, -0.66), (0.9, -0.66), (0.36, -0.2)], lighten(found.colour, 0.5))
    pen.area([(0.36, -0.2), (0.9, -0.66), (0.9, 0.3), (0.36, 0.78)], found.accent)
    pen.box(-0.86, -0.2, 0.36, 0.78, found.colour, 0.02)


def _steak(pen: Pen, found: Look) -> None:
    pen.oval(0, 0, 0.96, 0.72, found.accent)
    pen.oval(0.02, 0.02, 0.8, 0.56, found.colour)
    pen.stroke([(-0.5, -0.14), (-0.1, 0.06), (0.42, -0.2)], found.accent, 0.09)
    pen.stroke([(-0.3, 0.3), (0.2, 0.24)], found.accent, 0.07)


def _drumstick(pen: Pen, found: Look) -> None:
    pen.stroke([(0.1, 0.1), (0.78, 0.78)], found.accent, 0.26)
    pen.oval(0.68, 0.88, 0.16, 0.14, found.accent)
    pen.oval(0.9, 0.68, 0.14, 0.16, found.accent)
    pen.oval(-0.22, -0.22, 0.72, 0.66, found.colour)
    pen.oval(-0.44, -0.46, 0.16, 0.14, lighten(found.colour, 0.45), rim=False)


def _leaf(pen: Pen, found: Look) -> None:
    for x, y, wide, high in ((-0.42, 0, 0.46, 0.66), (0.42, 0, 0.46, 0.66), (0, -0.2, 0.5, 0.76)):
        pen.oval(x, y, wide, high, found.colour)
    for low, x, y in ((0.94, 0.0, -0.7), (0.4, -0.5, -0.2), (0.4, 0.5, -0.2)):
        pen.stroke([(0, low), (x, y)], found.accent, 0.1)


def _tree(pen: Pen, found: Look) -> None:
    pen.area([(-0.22, 0), (0.22, 0), (0.3, 0.94), (-0.3, 0.94)], found.accent)
    for x, y in ((-0.52, -0.1), (0.52, -0.1), (-0.26, -0.48), (0.28, -0.5), (0, -0.12)):
        pen.oval(x, y, 0.42, 0.4, found.colour)


def _grains(pen: Pen, found: Look) -> None:
    for x, y in ((-0.56, 0.42), (0.02, 0.5), (0.58, 0.4), (-0.3, -0.06), (0.3, -0.08), (0, -0.54)):
        pen.oval(x, y, 0.32, 0.29, found.colour)
        pen.oval(x, y, 0.08, 0.07, found.accent, rim=False)


def _nut(pen: Pen, found: Look) -> None:
    pen.oval(0, -0.44, 0.46, 0.48, found.colour)
    pen.oval(0, 0.42, 0.54, 0.54, found.colour)
    pen.oval(0, 0, 0.34, 0.36, found.colour, rim=False)
    for x, y in ((-0.16, -0.5), (0.16, -0.4), (-0.2, 0.4), (0.16, 0.5), (0, 0.1)):
        pen.oval(x, y, 0.07, 0.06, found.accent, rim=False)


_SHAPES: dict[str, _Shape] = {
    "round": _round, "bulb": _bulb, "oval": _oval, "egg": _egg, "drop": _drop, "long": _long, "carrot": _carrot,
    "ear": _ear, "pods": _pods, "pod": _pod, "bell": _bell, "ridged": _ridged, "cap": _cap, "block": _block,
    "steak": _steak, "drumstick": _drumstick, "leaf": _leaf, "tree": _tree, "grains": _grains, "nut": _nut,
}  # fmt: skip
