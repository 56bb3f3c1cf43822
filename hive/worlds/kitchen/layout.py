"""Kitchens as files: a map, what stands on it, and the two cooks (docs/rules/kitchen.md 1)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Annotated

from dsl.wording import listing
from hive.kit.graphs import reached
from hive.kit.keep.reading import Reader, Record, hint, names, read_text
from hive.worlds.kitchen.codes import FACINGS, Move, Place
from hive.worlds.kitchen.cookbook import Cookbook
from hive.worlds.kitchen.reading import shipped

COOKS = 2
LARGEST = 16
"""Tiles along a side of a map."""

_FIXED = {"X": Place.COUNTER, "I": Place.INGREDIENTS, "D": Place.DISHES, "S": Place.DELIVERY}
_NAMES = {Place.INGREDIENTS: "ingredient_dispenser", Place.DISHES: "dish_dispenser", Place.COUNTER: "counter"}
_FACINGS = {move.name.lower(): move for move in (Move.NORTH, Move.SOUTH, Move.EAST, Move.WEST)}


@dataclass(frozen=True)
class Cook:
    """One of the two agents; cook 0 acts first in every timestep."""

    name: str
    start: tuple[int, int]  # tile
    facing: Move
    operations: tuple[str, ...]
    delivers: bool
    knows_recipe: bool


class CookTable(Record, frozen=True):
    """A cook in the file of a layout."""

    name: str
    facing: Annotated[str, names("facing", _FACINGS)]
    operations: tuple[str, ...]
    delivers: bool
    knows_recipe: bool = True


class LayoutFile(Record, frozen=True):
    """A file of a layout."""

    map: tuple[str, ...]
    cooks: tuple[CookTable, ...]


@dataclass(frozen=True)
class Station:
    """A tile that a cook can use; counters that no cook reaches are none."""

    tile: tuple[int, int]
    place: int  # `Place`, or `Place.UTENSIL` and the number of the utensil
    name: str  # such as `pot0`


@dataclass(frozen=True)
class Layout:
    """A kitchen without its state.

    Attributes:
        source: Name of the file.
        width: Tiles from west to east.
        height: Tiles from north to south.
        floor: Tiles that a cook can stand on.
        cooks: The two cooks.
        stations: Usable tiles, row by row from the north, each row from the west.
        utensils: Types of the utensils, in the order of the cookbook, then of the map.
        dead: Number of counters that no cook reaches; they stay empty.
    """

    source: str
    width: int
    height: int
    floor: frozenset[tuple[int, int]]
    cooks: tuple[Cook, ...]
    stations: tuple[Station, ...]
    utensils: tuple[str, ...]
    dead: int

    @cached_property
    def counters(self) -> tuple[int, ...]:
        """Stations that are counters; their places in this tuple number the counters."""
        return tuple(number for number, station in enumerate(self.stations) if station.place == Place.COUNTER)

    @cached_property
    def instances(self) -> tuple[str, ...]:
        """Names of the utensils, such as `pot0`."""
        found = {station.place - Place.UTENSIL: station.name for station in self.stations}
        return tuple(found[number] for number in range(len(self.utensils)))

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Number of each utensil by its name."""
        return {name: number for number, name in enumerate(self.instances)}

    def instances_of(self, kind: str) -> tuple[str, ...]:
        """Names of the utensils of a type."""
        return tuple(name for name, each in zip(self.instances, self.utensils, strict=True) if each == kind)

    @cached_property
    def place(self) -> dict[str, int]:
        """Codes of the places that a named action may name."""
        names = {name: int(code) for code, name in _NAMES.items()}
        return names | {name: Place.UTENSIL + number for number, name in enumerate(self.instances)}

    @cached_property
    def reach(self) -> tuple[frozenset[int], ...]:
        """For each cook, the stations that it can use."""
        return tuple(
            frozenset(n for n, station in enumerate(self.stations) if self._touches(station.tile, cook.start))
            for cook in self.cooks
        )

    @property
    def shared(self) -> tuple[int, ...]:
        """Stations that are counters which both cooks can use."""
        return tuple(station for station in self.counters if all(station in reach for reach in self.reach))

    def reaches(self, cook: int, place: int) -> bool:
        """Whether a cook can use a place, for counters at least one."""
        return any(self.stations[station].place == place for station in self.reach[cook])

    def region(self, start: tuple[int, int]) -> frozenset[tuple[int, int]]:
        """Floor tiles that can be walked to."""
        return self._regions[start]

    @cached_property
    def _regions(self) -> dict[tuple[int, int], frozenset[tuple[int, int]]]:
        return {cook.start: frozenset(_flood(cook.start, self.floor)) for cook in self.cooks}

    def _touches(self, tile: tuple[int, int], start: tuple[int, int]) -> bool:
        return any(other in self.region(start) for other in _around(tile))


def read_layout(text: str, book: Cookbook, source: str = "kitchen") -> Layout:
    """Read a layout from TOML.

    Args:
        text: Content of the file.
        book: What the letters of utensils stand for.
        source: Name of the file, for messages.

    Raises:
        ScenarioError: Something in it cannot be used, or a cook cannot reach what only that cook may use.
    """
    reader = Reader("kitchen", source, text)
    file = reader.table(LayoutFile)
    rows, cooks = file.map, file.cooks
    _check_operations(reader, cooks, book)
    if len(cooks) != COOKS:
        reader.add("cooks", f"there are {COOKS} cooks in a kitchen, here {len(cooks)}", "cooks")
    _check_map(reader, rows, book)
    reader.finish()
    tiles = {(x, y): letter for y, row in enumerate(rows) for x, letter in enumerate(row)}
    starts = {letter: tile for tile, letter in tiles.items() if letter in "12"}
    placed = tuple(
        Cook(each.name, starts[str(number)], _FACINGS[each.facing], each.operations, each.delivers, each.knows_recipe)
        for number, each in enumerate(cooks, start=1)
    )
    floor = frozenset(tile for tile, letter in tiles.items() if letter in " 12")
    stations, utensils = _stations(tiles, book, floor, placed)
    used = {station.tile for station in stations}
    dead = sum(letter == "X" and tile not in used for tile, letter in tiles.items())
    layout = Layout(source, len(rows[0]), len(rows), floor, placed, stations, utensils, dead)
    _check_reach(reader, layout, book)
    reader.finish()
    return layout


@cache
def layout(book: Cookbook, path: Path | None = None) -> Layout:
    """Return the shipped layout, or that of a file.

    Raises:
        ScenarioError: The file cannot be used.
    """
    if path is None:
        return read_layout(shipped("kitchen.toml"), book)
    return read_layout(read_text(path, "kitchen-file"), book, str(path))


def _check_operations(reader: Reader, cooks: tuple[CookTable, ...], book: Cookbook) -> None:
    known = [utensil.operation for utensil in book.utensils]
    for number, cook in enumerate(cooks):
        for each in cook.operations:
            if each not in known:
                message = f"no utensil has the operation `{each}`"
                reader.add("operation", message, f"cooks[{number}].operations", hint(each, known))


def _check_map(reader: Reader, rows: tuple[str, ...], book: Cookbook) -> None:
    if not 3 <= len(rows) <= LARGEST or not 3 <= len(rows[0]) <= LARGEST:
        reader.add("size", f"a map has 3 to {LARGEST} rows of 3 to {LARGEST} tiles", "map")
        return
    letters = {*_FIXED, *" 12", *(utensil.letter for utensil in book.utensils)}
    for y, row in enumerate(rows):
        if len(row) != len(rows[0]):
            reader.add("map", f"this row has {len(row)} tiles, the first one {len(rows[0])}", f"map[{y}]")
        for x, letter in enumerate(row):
            edge = y in (0, len(rows) - 1) or x in (0, len(rows[0]) - 1)
            if letter not in letters:
                help = f"the letters are {listing(sorted(letters - {' '}), 'and')}, and a blank for floor"
                reader.add("letter", f"`{letter}` stands for nothing", f"map[{y}], column {x}", help)
            elif edge and letter in " 12":
                reader.add("edge", "the floor must not touch the edge of the map", f"map[{y}], column {x}")
    for number in "12":
        count = sum(row.count(number) for row in rows)
        if count != 1:
            message = f"`{number}`, where a cook starts, must stand once on the map, not {count} times"
            reader.add("start", message, "map")


def _stations(
    tiles: dict[tuple[int, int], str], book: Cookbook, floor: frozenset[tuple[int, int]], cooks: tuple[Cook, ...]
) -> tuple[tuple[Station, ...], tuple[str, ...]]:
    walked = {tile for cook in cooks for tile in _flood(cook.start, floor)}
    usable = [tile for tile in tiles if any(other in walked for other in _around(tile)) and tile not in floor]
    named: dict[tuple[int, int], tuple[str, str]] = {}
    for utensil in book.utensils:
        for number, tile in enumerate(each for each in usable if tiles[each] == utensil.letter):
            named[tile] = utensil.name, f"{utensil.name}{number}"
    numbers = {tile: number for number, tile in enumerate(named)}
    stations = []
    for tile in usable:
        if tile in named:
            stations.append(Station(tile, Place.UTENSIL + numbers[tile], named[tile][1]))
        else:
            place = _FIXED[tiles[tile]]
            stations.append(Station(tile, place, _NAMES.get(place, "delivery")))
    return tuple(stations), tuple(kind for kind, _ in named.values())


def _check_reach(reader: Reader, layout: Layout, book: Cookbook) -> None:
    operation = {utensil.operation: utensil.name for utensil in book.utensils}
    for number, cook in enumerate(layout.cooks):
        mine = {layout.stations[station].place for station in layout.reach[number]}
        kinds = {layout.utensils[place - Place.UTENSIL] for place in mine if place >= Place.UTENSIL}
        for each in cook.operations:
            if operation[each] not in kinds:
                message = f"{cook.name} may {each} but reaches no {operation[each]}"
                reader.add("unreachable", message, f"cooks[{number}].operations")
        if cook.delivers and Place.DELIVERY not in mine:
            message = f"{cook.name} delivers but does not reach a delivery location"
            reader.add("unreachable", message, f"cooks[{number}].delivers")
    if not any(cook.delivers for cook in layout.cooks):
        reader.add("unreachable", "one of the cooks must deliver", "cooks")


def _around(tile: tuple[int, int]) -> Iterator[tuple[int, int]]:
    return ((tile[0] + x, tile[1] + y) for x, y in FACINGS)


def _flood(start: tuple[int, int], floor: frozenset[tuple[int, int]]) -> set[tuple[int, int]]:
    return reached([start], lambda tile: floor.intersection(_around(tile)))
