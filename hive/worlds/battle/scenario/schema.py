"""The only definition of the scenario file: every key with its range and default, and the table of unit types."""

from __future__ import annotations

import string
from typing import Any, ClassVar

import scenarios
from dsl.vocabulary import BEHAVIOURS, UNIT_TYPES
from hive.ground.shapes import KINDS
from hive.worlds.battle.scenario.kinds import BAD, Array, Items, Number, OneOf, Problems, Table, Text, describe, join
from hive.worlds.battle.scenario.model import UnitType

MOST_UNITS = 1_000_000  # of both sides together

MARKER_LETTERS = tuple(string.ascii_uppercase)

OUTLINES = ("box", "circle", "band")  # a shape has exactly one of these

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


class Outline(Table):
    """A shape of the map: a table with exactly one outline, and the width or radius that goes with it."""

    def read(self, value: Any, place: str, problems: Problems) -> Any:
        """Return the dict of a shape; keys that it does not have are None."""
        read = super().read(value, place, problems)
        if read is BAD:
            return BAD
        given = [key for key in OUTLINES if key in value]
        if len(given) != 1:
            found = " and ".join(given) or "none"
            return problems.add("shape", place, f"a shape has exactly one of box, circle and band, found {found}")
        for outline, extra in (("circle", "radius"), ("band", "width")):
            if outline in given and extra not in value:
                problems.add("missing", join(place, extra), f"a {outline} needs a {extra}")
            if outline not in given and extra in value:
                problems.add("shape", join(place, extra), f"a {given[0]} has no {extra}")
        if isinstance(read["box"], tuple) and not (read["box"][0] < read["box"][2] and read["box"][1] < read["box"][3]):
            what = "write a box as [west, south, east, north], in metres"
            problems.add("shape", join(place, "box"), "a box needs its south-west corner first", what)
        return read


class Goal:
    """An objective: the word `elimination`, or a table with a position. It is read into (kind, position or None)."""

    default = "elimination"
    _table = Table({"position": Items((Number(0, 4096), Number(0, 4096)))})

    def read(self, value: Any, place: str, problems: Problems) -> Any:
        """Return the kind and the position, which may be None."""
        if value == "elimination":
            return ("elimination", None)
        if not isinstance(value, dict):
            how = 'write "elimination" or { position = [x, y] }'
            return problems.add("type", place, f"expected an objective, found {describe(value)}", how)
        return ("position", self._table.read(value, place, problems)["position"])


class Markers:
    """Marked places: a table of whole positions under single capital letters. It is read into a dict, A first."""

    default: ClassVar[Any] = {}
    _place = Items((Number(0, 4096, whole=True),) * 2)

    def read(self, value: Any, place: str, problems: Problems) -> Any:
        """Return the positions by letter."""
        if not isinstance(value, dict):
            return problems.add("type", place, f"expected a table, found {describe(value)}", "write A = [x, y]")
        for name in (name for name in value if name not in MARKER_LETTERS):
            what = "markers are the capital letters A to Z"
            problems.add("unknown-name", join(place, name), f"there is no marker called `{name}`", what)
        letters = sorted(name for name in value if name in MARKER_LETTERS)
        return {letter: self._place.read(value[letter], join(place, letter), problems) for letter in letters}


_COORDINATE = Number(-8192, 8192)
_POINT = Items((_COORDINATE, _COORDINATE))

SHAPE = Outline(
    {
        "terrain": OneOf("terrain", lambda: tuple(KINDS)),
        "name": Text(default=""),
        "box": Items((_COORDINATE,) * 4, default=None),
        "circle": Items((_COORDINATE,) * 2, default=None),
        "radius": Number(0, 8192, above=True, default=None),
        "band": Array(_POINT, least=2, default=None),
        "width": Number(0, 8192, above=True, default=None),
    }
)

MAP = Table({"size": Number(8, 4096, whole=True), "shapes": Array(SHAPE, default=[])})

MARKERS = Markers()

RULES = Table(
    {
        "movement_randomness": Number(0, 1000, default=5.0),
        "jitter": Number(0, 1, default=0.02),
        "firmness": Number(0, 1, default=0.02),
        "goal_radius": Number(0, 4096, default=3.0),
        "limit": Number(1, 1_000_000, whole=True, default=1000),
    },
    default={},
)

FIRE = Table(
    {
        "start": Array(Items((Number(0, 4096, whole=True),) * 2), least=1),
        "wind": Items((Number(-1000, 1000),) * 2),
        "period": Number(1, 1_000_000, whole=True, default=1),
        "harm": Number(0, 10_000, default=4.0),
        "chance": Number(0, 100, above=True, default=None),
    },
    default=None,
)

TYPE = Table(
    {  # None: as in DEFAULT_TYPES
        "speed": Number(0, 25, default=None),  # a step is read at 30 points: a faster unit could pass a thin wall
        "max_health": Number(0, 10_000, above=True, default=None),
        "damage": Number(0, 100, parts=256, default=None),  # summed in fixed point
        "reach": Number(0, 15, default=None),
        "sight": Number(0, 15, default=None),  # at most `SIGHT_CELL` of hive.engine.units.senses
        "cooldown": Number(0, 1000, whole=True, default=None),
        "radius": Number(0, 2.5, default=None),  # two of them at most `PUSH_CELL` of hive.engine.units.push
    },
    default={},
)

UNITS = Table(
    {
        "type": OneOf("unit type", lambda: UNIT_TYPES),
        "count": Number(1, MOST_UNITS, whole=True),
        "box": Items((Number(0, 1), Number(0, 1), Number(0, 1, above=True), Number(0, 1, above=True))),
    }
)

SIDE = Table(
    {
        "plan": Text(default=None, line=True),  # a name in scenarios/plans, or a path relative to the scenario file
        # a name in scenarios/trees, or a path to the user's own tree, relative to the scenario file
        "behaviours": Array(OneOf("behaviour", scenarios.trees, path=".bt"), least=1, default=list(BEHAVIOURS)),
        "units": Array(UNITS, least=1),
        "objective": Goal(),
    }
)

SCENARIO = Table(
    {
        "name": Text(default=None, line=True),  # the name of the file
        "version": Number(1, 1_000_000, whole=True),
        "title": Text(line=True),
        "summary": Text(line=True),
        "briefing": Text(default=""),
        "map": MAP,
        "markers": MARKERS,
        "rules": RULES,
        "fire": FIRE,
        "types": Table({name: TYPE for name in UNIT_TYPES}, default={}),
        "player": SIDE,
        "enemy": SIDE,
        "written_for": Items((Number(1, MOST_UNITS, whole=True),) * 2, default=None),  # the sizes of the teams
    }
)
