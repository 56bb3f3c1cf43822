"""The map of a drawn battle, by class: from an empty sketch to its parts.

Rules: docs/rules/drawn.md 2.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

from hive.worlds.battle.drawn.sketch import Point, Sketch

_TOWNS: Mapping[int, Sequence[tuple[int, int, int]]] = {  # side: blocks across, pitch and street of its towns
    80: ((3, 10, 4),),
    150: ((5, 9, 4), (3, 11, 4)),
    250: ((5, 14, 5), (3, 15, 5)),
    400: ((5, 20, 6), (3, 20, 6)),
}
_ISLANDS: Mapping[int, Sequence[tuple[int, int]]] = {  # side: islands along u and along v
    80: ((1, 2), (2, 2)),
    150: ((2, 2), (1, 3), (2, 3)),
    250: ((2, 3), (3, 2), (3, 3)),
    400: ((2, 3), (3, 3), (3, 4)),
}


def sketch_map(class_name: str, sketch: Sketch) -> None:
    """Draw the parts of a map of a class on an empty sketch."""
    _DRAWN[class_name](sketch)


def _open(sketch: Sketch) -> None:
    dice = sketch.dice
    for _ in range(dice.between(0, 2)):
        _lake(sketch)
    for _ in range(dice.between(0, 1 + sketch.size // 250)):
        _farm(sketch)
    _copses(sketch, dice.between(2, 4 + sketch.size // 200))


def _rivers(sketch: Sketch) -> None:
    dice, size = sketch.dice, sketch.size
    width = 6 + size // 40
    form = dice.weighted({"one": 4, "two": 3, "cross": 3, "fork": 3} if size > 80 else {"one": 4, "cross": 2})
    if form == "two":
        for share in (dice.between(36, 42), dice.between(58, 64)):
            _river(sketch, _across(sketch, share, size // 20), width)
    else:
        main = _across(sketch, dice.between(42, 56), size // 12)
        middle = len(main) // 2
        joint = main[middle]
        west, east = main[: middle + 1], main[middle:]
        if form == "one":
            _river(sketch, main, width)
        else:
            north = _along(sketch, joint, size + width)
            arms = [west, east, north] + [_along(sketch, joint, -width)] * (form == "cross")
            sketch.line("river", main, width)
            sketch.line("river", [*reversed(arms[3]), *north[1:]] if form == "cross" else north, width)
            for arm in arms:
                _bridges(sketch, arm, width, dice.between(1, 1 + size // 200))
    for _ in range(dice.between(0, 1)):
        _farm(sketch)
    _copses(sketch, dice.between(2, 3 + size // 150))


def _islands(sketch: Sketch) -> None:
    dice, size = sketch.dice, sketch.size
    columns, rows = dice.pick(_ISLANDS[size])
    sea, channel = 3 + size // 60, 6 + size // 30
    stray = size // (7 * max(columns, rows))

    def at(a: int, b: int) -> Point:
        """Return a place of the net of channels in half columns and half rows; those on an edge stay on it."""
        u, v = size * a // (2 * columns), size * b // (2 * rows)
        u += dice.between(-stray, stray) if 0 < a < 2 * columns else 0
        return u, v + (dice.between(-stray, stray) if 0 < b < 2 * rows else 0)

    net = {(a, b): at(a, b) for a in range(2 * columns + 1) for b in range(2 * rows + 1)}
    across, along = range(1, 2 * columns, 2), range(1, 2 * rows, 2)
    for a in across:
        for b in along:
            sketch.island(*net[a, b], size // (4 * max(columns, rows)))
    coast = [(0, 0, size, sea), (0, size - sea, size, size), (0, 0, sea, size), (size - sea, 0, size, size)]
    corners = [place for (a, b), place in net.items() if a % 2 == 0 and b % 2 == 0]
    pools = [(*place, channel * dice.between(9, 13) // 10) for place in corners]
    shores = [(a, b) for a, b in net if (a in (0, 2 * columns) and b % 2) or (b in (0, 2 * rows) and a % 2)]
    pools += [(*net[place], dice.between(sea, channel)) for place in shores]
    sketch.sea(coast, pools)
    walls: dict[tuple[Point, Point], tuple[Point, Point]] = {}  # two islands, and half of the channel between them
    for a in range(2, 2 * columns, 2):
        sketch.line("river", [net[a, b] for b in range(2 * rows + 1)], channel)
        walls |= {((a - 1, b), (a + 1, b)): (net[a, b], net[a, b + dice.pick((-1, 1))]) for b in along}
    for b in range(2, 2 * rows, 2):
        sketch.line("river", [net[a, b] for a in range(2 * columns + 1)], channel)
        walls |= {((a, b - 1), (a, b + 1)): (net[a, b], net[a + dice.pick((-1, 1)), b]) for a in across}
    group = {place: place for pair in walls for place in pair}  # islands that bridges join already
    for (one, other), wall in dice.shuffled([*walls.items()]):
        joined = group[one] == group[other]
        if not joined or dice.chance(45):
            sketch.crossing("bridge", *wall, channel, dice.between(5, 6 + size // 60))
        if not joined:
            old = group[other]
            group = {island: group[one] if mark == old else mark for island, mark in group.items()}
    _copses(sketch, dice.between(2, 3 + size // 150))


def _forests(sketch: Sketch) -> None:
    dice, size = sketch.dice, sketch.size
    shares = dice.pick(((50,), (42, 62))) if size <= 150 else dice.pick(((38, 58), (34, 50, 66), (50,)))
    for share in shares:
        width = dice.between(size // 12 + 1, size // 8)
        points = _across(sketch, share + dice.between(-3, 3), size // 20)
        gaps = {*dice.shuffled(range(1, len(points) - 2))[: dice.between(0, 2)]}
        piece: list[Point] = [points[0]]
        for number, end in enumerate(points[1:]):
            if number in gaps:
                if len(piece) > 1:
                    sketch.line("wood", piece, width)
                piece = []
            piece.append(end)
        if len(piece) > 1:
            sketch.line("wood", piece, width)
    _copses(sketch, dice.between(2, 3 + size // 130))


def _towns(sketch: Sketch) -> None:
    dice, size = sketch.dice, sketch.size
    for number, (across, pitch, street) in enumerate(_TOWNS[size]):
        if number and dice.chance(35):
            continue
        reach = across // 2 * pitch + pitch
        if spot := sketch.spot(reach + size // 30, 32, 66):
            sketch.town(*spot, across, pitch, street)
    for _ in range(dice.between(1, 1 + size // 150)):
        _farm(sketch)
    _copses(sketch, dice.between(2, 3 + size // 130))


def _passes(sketch: Sketch) -> None:
    dice, size = sketch.dice, sketch.size
    width = 8 + size // 40
    shares = dice.pick(((50,), (40, 62))) if size > 80 else (50,)
    for share in shares:
        points = _across(sketch, share + dice.between(-4, 4), size // 14)
        sketch.line("ridge", points, width)
        pieces = dice.shuffled(_inside(sketch, points))[: dice.between(1, 2 + size // 250)]
        for start, end in pieces:
            sketch.crossing("pass", start, end, width, dice.between(6, 7 + size // 40))
    _copses(sketch, dice.between(2, 4 + size // 150))


def _mixed(sketch: Sketch) -> None:
    dice, size = sketch.dice, sketch.size
    wide = 6 + size // 40
    shares = (dice.between(36, 44), dice.between(58, 66)) if size > 80 else (dice.between(42, 56),)
    for share, kind in zip(shares, dice.shuffled(["river", "ridge", "wood"]), strict=False):
        points = _across(sketch, share, size // 20)
        if kind == "river":
            _river(sketch, points, wide)
        elif kind == "ridge":
            half = dice.pick([points[: len(points) * 2 // 3 + 1], points[len(points) // 3 :]])
            sketch.line("ridge", half, wide)
        else:
            sketch.line("wood", points, dice.between(size // 14 + 1, size // 9))
    across, pitch, street = _TOWNS[size][-1]
    if spot := sketch.spot(across // 2 * pitch + pitch, 25, 80):
        sketch.town(*spot, across, pitch, street)
    if dice.chance(60):
        _lake(sketch)
    if dice.chance(50):
        _farm(sketch)
    _copses(sketch, dice.between(2, 3 + size // 130))


def _across(sketch: Sketch, share: int, stray: int) -> list[Point]:
    """Return points of a line from edge to edge, about a share of the side away from the player's edge."""
    dice, size = sketch.dice, sketch.size
    count, over = 5 + size // 120, size // 10
    heights = [size * share // 100 + dice.between(-stray, stray) for _ in range(count)]
    return [(-over + (size + 2 * over) * number // (count - 1), v) for number, v in enumerate(heights)]


def _along(sketch: Sketch, joint: Point, end: int) -> list[Point]:
    """Return points of a line from a place to a far v."""
    dice, stray = sketch.dice, sketch.size // 16
    u, v = joint
    count = 2 + sketch.size // 150
    at = [(u + dice.between(-stray, stray), v + (end - v) * number // count) for number in range(1, count + 1)]
    return [joint, *at]


def _inside(sketch: Sketch, points: Sequence[Point]) -> list[tuple[Point, Point]]:
    """Return the straight pieces of a line whose middles are well inside the map."""
    size, edge = sketch.size, sketch.size // 12
    found = []
    for (a, b), (c, d) in pairwise(points):
        if all(edge <= value // 2 <= size - edge for value in (a + c, b + d)):
            found.append(((a, b), (c, d)))
    return found


def _river(sketch: Sketch, points: Sequence[Point], width: int) -> None:
    sketch.line("river", points, width)
    _bridges(sketch, points, width, sketch.dice.between(1, 2 + sketch.size // 150))


def _bridges(sketch: Sketch, points: Sequence[Point], width: int, count: int) -> None:
    """Draw bridges over different pieces of a river."""
    for start, end in sketch.dice.shuffled(_inside(sketch, points))[:count]:
        sketch.crossing("bridge", start, end, width, sketch.dice.between(5, 6 + sketch.size // 60))


def _copses(sketch: Sketch, count: int) -> None:
    size = sketch.size
    for _ in range(count):
        radius = sketch.dice.between(size // 24 + 1, size // 12)
        if spot := sketch.spot(radius * 5 // 4):
            sketch.wood(*spot, radius)


def _lake(sketch: Sketch) -> None:
    radius = sketch.dice.between(sketch.size // 25 + 1, sketch.size // 14)
    if spot := sketch.spot(radius * 2, 25, 75):
        sketch.lake(*spot, radius)


def _farm(sketch: Sketch) -> None:
    if spot := sketch.spot(sketch.size // 15 + 6, 15, 85):
        sketch.farm(*spot)


_DRAWN: Mapping[str, Callable[[Sketch], None]] = {
    "open": _open,
    "rivers": _rivers,
    "islands": _islands,
    "forests": _forests,
    "towns": _towns,
    "passes": _passes,
    "mixed": _mixed,
}
