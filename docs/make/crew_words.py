"""Texts of the generated reference about crews and wildfires: lines of plans, words, atomics and unit types."""

from __future__ import annotations

from dsl.vocabulary import CREW_TYPES
from hive.engine.crews.command import DROP_REACH, FLIGHT
from hive.engine.crews.explored import VIEW
from hive.engine.crews.frames import CAPACITY, FRAMES, REACH, SPEED
from hive.engine.crews.leaves import NEARNESS
from hive.engine.crews.lookout import RANGE

LINES = (
    ("`objective: cut [(11, 16), (13, 16)]`", "… when every listed cell was last seen without trees"),
    ("`objective: extinguish`", "… when the team has seen a fire, and no cell was last seen ignited or on fire"),
    (
        "`objective: contain (30, 30) 12`",
        "… when a fire was seen, no cell was last seen ignited or on fire, and no cell whose centre is farther than 12 "
        "cells from that of (30, 30) was seen burnt",
    ),
    (
        "`objective: rescue 3 (20, 20)`",
        f"… when 3 living civilians that no unit carries are within {REACH} cells of (20, 20) along x and along y, in "
        "cells where the team last saw a civilian",
    ),
    (
        "`objective: transport 6 (92, 11)`",
        f"… when 6 living firefighters, those aboard a helicopter included, are within {REACH} cells of (92, 11) along "
        "x and along y",
    ),
    (
        "`objective: scout (10, 10) (40, 40)`",
        "… when the team has seen every cell of the box; any two opposite corners, both included",
    ),
    ("`objective: scout fire`", "… when the team has seen a cell that burns or is burnt"),
)
"""Objectives of a wildfire, listed after those of a battle."""

RULES = """\
- **In a wildfire** the objectives are `position`, `arrival`, `time`, `losses`, `cut`, `extinguish`, `contain`,
  `rescue`, `transport` and `scout`; in a battle they are `position`, `arrival`, `time`, `losses`, `elimination`,
  `sighted` and `enemy losses`. Places are cells: x grows to the east and y to the **south**, from 0.
  One tick is one decision, 2 seconds. Counts are at least 1, the count of `transport` is at most the team's size, and a
  radius is at most the map's side. Firefighters are numbered first, then bulldozers, drones and helicopters. Target
  types have no meaning."""

THING = {
    "target": "the target cell of the unit's group",
    "fire": "a cell that is ignited or on fire",
    "danger": "a cell that is ignited, on fire, extinguishing or burnt",
    "water": "a cell to refill at",
    "trees": "a cell with trees, wet or dry",
    "civilian": f"a cell with a civilian, not within {REACH} cells of the target along x and along y",
    "firefighter": f"another living firefighter on the ground, not within {REACH} cells of the target along x and "
    "along y",
    "unseen": "a cell that no unit of the team has seen",
}
CREW = {
    "firefighter": "walks, slower among trees; cuts, sprays, carries one civilian; dies in fire",
    "bulldozer": "drives, at half its speed where it fells trees; dies in fire",
    "drone": "flies and sees far",
    "helicopter": "flies, sees farthest; carries water or firefighters",
}

KNOWN = f"""\
A crew's atomics know the team's explored map as it was last seen, the team's roster and the unit's own status, and
nothing else. THING means the nearest such thing within {RANGE} cells: nearest by the larger of its distances along x
and along y, and among equals by straight distance. When there is none, the atomic fails. The atomics of crews fail in
a battle, and those of battles fail in a wildfire, except `stand`; `is_type` fails for the types of the other kind of
game."""

_STEERS = (
    "Firefighters and bulldozers avoid danger that the map shows, and the neighbours of fire: when the straight way of "
    "a tick is not free, they turn aside by up to 120 degrees, and they stop in front of a thing that is itself "
    "dangerous"
)

ATOMICS = {
    "go SENSE THING": (
        "such a thing is known; for `toward`, it is not in the unit's own cell; for units that fire kills, some way is "
        "free",
        f"a move to it, or {FLIGHT} cells straight away from it, at most to the border. {_STEERS}",
    ),
    "clear toward THING": (
        "the unit is a bulldozer, such a thing is known, and the next cell on the way is free of danger; when the unit "
        "is already there, trees still stand in its cell",
        "a drive straight to it that fells every tree on the way, the last cell included",
    ),
    "cut": ("the unit is a firefighter, and trees stand in its cell", "one tree in its cell is felled"),
    "spray THING": (
        f"the unit has water, and such a thing is near: within {REACH} cells of a firefighter, except in its own cell; "
        f"within {DROP_REACH:g} cells of a helicopter",
        "one unit of water is used: a firefighter wets a third of a circle toward the thing, a helicopter the disc "
        "below itself; burning cells there go out, the others stay wet for some time",
    ),
    "refill": (
        f"the unit's cell is water, and it has less than {CAPACITY} units of water; a helicopter has no passengers",
        f"the unit has {CAPACITY} units of water",
    ),
    "pick_up": (
        f"for a firefighter that carries no civilian: a civilian is nearer than {REACH} cells, and no civilian near "
        f"the target is closer; for a helicopter without water and with room: a firefighter is nearer than {REACH} "
        "cells",
        "the firefighter carries the civilian; the helicopter takes aboard all firefighters in reach, up to "
        f"{CAPACITY}",
    ),
    "put_down": (
        "the unit carries a civilian or firefighters",
        "the civilian, or all firefighters, are set down in the unit's cell; a helicopter also drops one unit of "
        "water, if it has any",
    ),
    "is_type NEGATION CREW": ("the unit is (`a`), or is not (`not_a`), of that type", None),
    "is_near THING INTENSITY": ("such a thing is known within the distance that INTENSITY stands for", None),
    "is_on THING": ("such a thing is in the unit's cell", None),
    "is_seen THING": ("such a thing is known within 64 cells; `target`: its cell was seen", None),
    "has_water": ("the unit has water left", None),
    "is_carrying": ("the unit carries a civilian or firefighters", None),
}
"""Every form of every atomic for crews, as in `meanings.ATOMICS`."""

TREES = {
    "go_to": "ours: go to the target, and avoid fire",
    "cut": "ours: firefighters fell every tree of the target cell",
    "clear_line": "ours: bulldozers drive straight to the target and fell every tree on the way",
    "spray": "ours: go to the target, and spray what burns in reach",
    "refill_and_spray": "ours: fetch water where the map shows it, go to the nearest fire, else to the target, and "
    "spray; while a fire is not seen yet, the target should be in front of it, because units that walk into fire die",
    "contain": "ours: firefighters fell the trees within 3 cells of the target, and spray what burns in reach",
    "scout": "ours: hover over cells that burn or are burnt; until one is seen, explore the nearest unseen cells",
    "ferry": "ours: helicopters fly firefighters to the target; those on the ground walk to it",
    "rescue": "ours: firefighters carry civilians to the target",
    "stay_safe": "ours: keep 8 cells away from fire, else stand",
}
"""What each tree for crews is for."""

CREW_TABLE_HEAD = ("Type", "Cells a tick", "Sees", "Killed by fire", "Carries")
_CARRIES = {
    "firefighter": f"{CAPACITY} water and one civilian",
    "helicopter": f"{CAPACITY} water or {CAPACITY} firefighters",
}


def crew_rows() -> list[list[str]]:
    """Return the rows of the table of crew types."""
    return [
        [
            f"`{name}`",
            f"{SPEED[kind] * FRAMES:g}",
            f"{VIEW[kind]} cells to each side",
            "yes" if name in CREW_TYPES[:2] else "no",
            _CARRIES.get(name, "nothing"),
        ]
        for kind, name in enumerate(CREW_TYPES)
    ]


def nearness(intensity: str) -> str:
    """Return what INTENSITY means to `is_near`."""
    cells = NEARNESS[intensity]
    return f"`is_near`: {cells} cell{'s' * (cells > 1)}"
