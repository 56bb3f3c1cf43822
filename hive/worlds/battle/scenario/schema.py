"""The only definition of the scenario file: every key with its range and default, and the table of unit types."""

from __future__ import annotations

import math
import string
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Literal, cast

from msgspec import Meta, field

from dsl.vocabulary import BEHAVIOURS, UNIT_TYPES
from dsl.wording import listing
from hive.ground.shapes import KINDS, Band, Box, Circle, Shape, TerrainName
from hive.kit.keep.reading import Line, Record, TableError, names, worded

MOST_UNITS = 1_000_000  # of both sides together
MOST_PLACES = 8  # of an objective; `hive.engine.types.PLACES`, which this module cannot import without JAX

MARKER_LETTERS = tuple(string.ascii_uppercase)


@dataclass(frozen=True)
class UnitType:
    """Attributes of one unit type. Distances are centre to centre; `<=` counts as inside.

    Rules: docs/rules/battles.md 2.1.
    """

    name: str
    speed: float  # metres a step
    max_health: float
    damage: float  # a hit, a multiple of 1/256
    reach: float  # metres
    sight: float  # metres
    cooldown: int  # steps between two attacks, excluding both
    radius: float  # metres, for pushing


# docs/rules/battles.md 2.1 for the first three, 2.2 for the others. The two marked are ours, not
# HIVE's, which published no attributes for them; their sight and radius stay within those of the published types.
DEFAULT_TYPES = (
    UnitType("spearmen", speed=1.0, max_health=24.0, damage=1.0, reach=1.0, sight=15.0, cooldown=1, radius=0.6),
    UnitType("archer", speed=2.0, max_health=2.0, damage=3.0, reach=15.0, sight=15.0, cooldown=1, radius=0.3),
    UnitType("cavalry", speed=6.0, max_health=12.0, damage=1.0, reach=1.0, sight=15.0, cooldown=1, radius=0.45),
    # ours, not HIVE's: the predecessor's turret with the range of an archer; it cannot walk
    UnitType("balista", speed=0.0, max_health=200.0, damage=10.0, reach=15.0, sight=15.0, cooldown=3, radius=0.6),
    # ours, not HIVE's: fast and strong with a long cooldown, without the successor's area damage
    UnitType("dragon", speed=4.0, max_health=48.0, damage=6.0, reach=10.0, sight=15.0, cooldown=3, radius=0.6),
    UnitType("civilian", speed=1.0, max_health=1.0, damage=0.0, reach=0.0, sight=10.0, cooldown=0, radius=0.3),
)

UnitCount = Annotated[int, Meta(ge=1, le=MOST_UNITS)]
_Coordinate = Annotated[float, Meta(ge=-8192, le=8192)]
_Length = Annotated[float, Meta(gt=0, le=8192)]
_OnMap = Annotated[float, Meta(ge=0, le=4096)]
_Place = tuple[_OnMap, _OnMap]
_Cell = tuple[Annotated[int, Meta(ge=0, le=4096)], Annotated[int, Meta(ge=0, le=4096)]]
_Share = Annotated[float, Meta(ge=0, le=1)]
_LongerShare = Annotated[float, Meta(gt=0, le=1)]

_Letter = Annotated[str, names("marker", MARKER_LETTERS, help="markers are the capital letters A to Z")]
Markers = Annotated[dict[_Letter, _Cell], worded("a table", "write A = [x, y]")]


class ShapeTable(Record, frozen=True, kw_only=True):
    """A shape of the map: exactly one outline, and the width or radius that goes with it."""

    terrain: Annotated[str, names("terrain", KINDS)]
    name: str = ""
    box: tuple[_Coordinate, _Coordinate, _Coordinate, _Coordinate] | None = None
    circle: tuple[_Coordinate, _Coordinate] | None = None
    radius: _Length | None = None
    band: Annotated[tuple[tuple[_Coordinate, _Coordinate], ...], Meta(min_length=2)] | None = None
    width: _Length | None = None

    def __post_init__(self) -> None:
        """Refuse a shape without exactly one outline, or with what does not go with it."""
        if faults := tuple(self._faults()):
            raise TableError(*faults)

    def _faults(self) -> Iterator[tuple[str, str, str, str]]:
        given = [key for key in ("box", "circle", "band") if getattr(self, key) is not None]
        if len(given) != 1:
            found = " and ".join(given) or "none"
            yield "shape", f"a shape has exactly one of box, circle and band, found {found}", "", ""
            return
        for outline, extra in (("circle", "radius"), ("band", "width")):
            there = getattr(self, extra) is not None
            if outline in given and not there:
                yield "missing", f"a {outline} needs a {extra}", extra, ""
            if outline not in given and there:
                yield "shape", f"a {given[0]} has no {extra}", extra, ""
        if self.box and not (self.box[0] < self.box[2] and self.box[1] < self.box[3]):
            what = "write a box as [west, south, east, north], in metres"
            yield "shape", "a box needs its south-west corner first", "box", what

    def shape(self) -> Shape:
        """Return the shape."""
        terrain = cast("TerrainName", self.terrain)
        if self.box:
            return Box(*self.box, terrain=terrain, name=self.name)
        if self.circle:
            return Circle(*self.circle, radius=self.radius or 0.0, terrain=terrain, name=self.name)
        return Band(self.band or (), width=self.width or 0.0, terrain=terrain, name=self.name)


class MapTable(Record, frozen=True):
    """The map."""

    size: Annotated[int, Meta(ge=8, le=4096)]
    shapes: tuple[ShapeTable, ...] = ()


class ScenarioRules(Record, frozen=True):
    """Settings of the engine that a scenario may choose. Changing one never recompiles."""

    movement_randomness: Annotated[float, Meta(ge=0, le=1000)] = 5.0  # noise on the distance map (rules/trees.md 5.3)
    jitter: Annotated[float, Meta(ge=0, le=1)] = 0.02  # metres, standard deviation per axis and step (battles.md 3.5)
    firmness: Annotated[float, Meta(ge=0, le=1)] = 0.02  # strength of the push (docs/rules/battles.md 3.7)
    goal_radius: Annotated[float, Meta(ge=0, le=4096)] = 3.0  # metres round a position objective (battles.md 4.3)
    limit: Annotated[int, Meta(ge=1, le=1_000_000)] = 1000  # steps until timeout


class ScenarioBlaze(Record, frozen=True, kw_only=True):
    """Fire in the forest, by the automaton of `hive.ground.fire` on level ground."""

    start: Annotated[tuple[_Cell, ...], Meta(min_length=1)]  # cells that are lit at tick 0
    wind: tuple[Annotated[float, Meta(ge=-1000, le=1000)], Annotated[float, Meta(ge=-1000, le=1000)]]
    """Direction that it blows to; its strength has no effect."""
    period: Annotated[int, Meta(ge=1, le=1_000_000)] = 1  # ticks between two updates
    harm: Annotated[float, Meta(ge=0, le=10_000)] = 4.0  # health that a unit loses a tick in a burning cell
    chance: Annotated[float, Meta(gt=0, le=100)] | None = None  # per unit of ratio; None: docs/rules/wildfire.md 2.3


class TypeTable(Record, frozen=True, kw_only=True):
    """Attributes of a unit type that differ from `DEFAULT_TYPES`."""

    speed: Annotated[float, Meta(ge=0, le=25)] | None = None  # a step is read at 30 points: none skips a thin wall
    max_health: Annotated[float, Meta(gt=0, le=10_000)] | None = None
    damage: Annotated[float, Meta(ge=0, le=100, multiple_of=1 / 256)] | None = None  # summed in fixed point
    reach: Annotated[float, Meta(ge=0, le=15)] | None = None
    sight: Annotated[float, Meta(ge=0, le=15)] | None = None  # at most `SIGHT_CELL` of hive.engine.units.senses
    cooldown: Annotated[int, Meta(ge=0, le=1000)] | None = None
    radius: Annotated[float, Meta(ge=0, le=2.5)] | None = (
        None  # two of them at most `PUSH_CELL` of hive.engine.units.push
    )


class UnitGroup(Record, frozen=True):
    """`count` units of one type that start in one box; ids of a side follow the order of its groups."""

    type: Annotated[str, names("unit type", UNIT_TYPES)]
    count: UnitCount
    box: tuple[_Share, _Share, _LongerShare, _LongerShare]  # x, y, width, height in fractions of the map

    def cells(self, size: int) -> tuple[slice, slice]:
        """Return the cells of the start box on a map of side `size`, as slices of an `[x, y]` raster.

        Rules: docs/rules/battles.md 2.4.

        Both ends count, so a box of width 0.1 on a map of 150 is 16 cells wide, clipped to the map.
        """
        x, y, width, height = self.box
        return _cells(x, width, size), _cells(y, height, size)


class ObjectiveTable(Record, frozen=True, kw_only=True):
    """An objective other than elimination: exactly one of a place, several places and a tick; and who counts."""

    position: _Place | None = None
    positions: Annotated[tuple[_Place, ...], Meta(min_length=1, max_length=MOST_PLACES)] | None = None
    survive: Annotated[int, Meta(ge=1, le=1_000_000)] | None = None  # tick
    share: _LongerShare | None = None  # of the units of the start that count; None: one unit
    type: Annotated[str, names("unit type", UNIT_TYPES)] | None = None  # of the units that count; None: all types

    def __post_init__(self) -> None:
        """Refuse an objective that names not exactly one of its three kinds."""
        if faults := tuple(self._faults()):
            raise TableError(*faults)

    def _faults(self) -> Iterator[tuple[str, str, str, str]]:
        kinds = ("position", "positions", "survive")
        given = [key for key in kinds if getattr(self, key) is not None]
        if len(given) != 1:
            found = " and ".join(given) or "none"
            message = f"an objective has exactly one of {listing(phrases=kinds, joint='and')}, found {found}"
            yield "objective", message, "", 'or write "elimination" in place of the table'


class SideTable(Record, frozen=True, kw_only=True):
    """One team."""

    plan: Line | None = None  # a name in scenarios/plans, or a path relative to the scenario file
    # a name in scenarios/trees, or a path to the user's own tree, relative to the scenario file; see `resolve_trees`
    behaviours: Annotated[
        tuple[Annotated[str, worded("text", "write the name of a behaviour, or the path of a .bt file")], ...],
        Meta(min_length=1),
    ] = tuple(BEHAVIOURS)
    units: Annotated[tuple[UnitGroup, ...], Meta(min_length=1)]
    objective: Annotated[
        Literal["elimination"] | ObjectiveTable,
        worded("an objective", 'write "elimination", { position = [x, y] } or { survive = tick }'),
    ] = "elimination"


class ScenarioTable(Record, frozen=True, kw_only=True):
    """A complete file."""

    name: Line | None = None  # None: the name of the file
    version: Annotated[int, Meta(ge=1, le=1_000_000)]
    title: Line
    summary: Line
    briefing: str = ""
    map: MapTable
    markers: Markers = field(default_factory=dict)
    rules: ScenarioRules = ScenarioRules()
    fire: ScenarioBlaze | None = None
    types: dict[Annotated[str, names("unit type", UNIT_TYPES)], TypeTable] = field(default_factory=dict)
    player: SideTable
    enemy: SideTable
    written_for: tuple[UnitCount, UnitCount] | None = None  # sizes of player's and enemy's team; None: those given


def _cells(start: float, length: float, size: int) -> slice:
    near = 1e-9  # 0.07 of 100 is 7 cells, though the product of the floats is a little more
    first = min(math.floor(start * size + near), size - 1)
    last = min(first + math.ceil(length * size - near), size - 1)
    return slice(first, last + 1)
