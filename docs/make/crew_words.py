"""What the generated reference says of crews and wildfires: lines, words, atomics and types of a crew."""

from __future__ import annotations

from dsl.vocabulary import CREW_TYPES
from hive.crews.command import DROP_REACH, FLIGHT
from hive.crews.explored import VIEW
from hive.crews.frames import CAPACITY, FRAMES, REACH, SPEED
from hive.crews.leaves import NEARNESS
from hive.crews.lookout import RANGE

LINES = (
    ("`objective: cut [(11, 16), (13, 16)]`", "… when every listed cell was last seen without trees"),
    ("`objective: extinguish`", "… when the team has seen a fire, and no cell was last seen ignited or on fire"),
    (
        "`objective: contain (30, 30) 12`",
        "… when the same holds and nothing was seen burnt farther than 12 cells from (30, 30), between centres",
    ),
    (
        "`objective: rescue 3 (20, 20)`",
        f"… when 3 living civilians that nobody carries are within {REACH} cells of (20, 20) along x and along y, "
        "in cells where the team's map shows civilians",
    ),
    ("`objective: transport 6 (92, 11)`", "… when 6 living firefighters are as near to it, those aboard included"),
    (
        "`objective: scout (10, 10) (40, 40)`",
        "… when the team has seen every cell of the box; any two opposite corners, both included",
    ),
    ("`objective: scout fire`", "… when the team has seen a cell that burns or is burnt"),
)
"""Objectives of a wildfire, below those of a battle."""

RULES = """\
- **In a wildfire** the objectives are `position` and those from `cut` on, in a battle `position` and `elimination`.
  Places are cells: x grows to the east and y to the **south**, from 0. One tick is one decision, 2 seconds. Counts are
  at least 1, that of `transport` at most the team's size, a radius at most the map's side. Units are numbered
  firefighters first, then bulldozers, drones and helicopters. Target types have no meaning."""

THING = {
    "target": "the target cell of the unit's group",
    "fire": "a cell that is ignited or on fire",
    "danger": "a cell that is ignited, on fire, extinguishing or burnt",
    "water": "a cell to refill at",
    "trees": "a cell with trees, wet or dry",
    "civilian": f"a cell with a civilian, not within {REACH} cells of the target along x and along y",
    "firefighter": "a living firefighter on the ground, not so near to the target, and not the unit itself",
    "unseen": "a cell that nobody of the team has seen",
}
CREW = {
    "firefighter": "walks, slower among trees; cuts, sprays, carries one civilian; dies in fire",
    "bulldozer": "drives, at half its speed where it fells trees; dies in fire",
    "drone": "flies and sees far",
    "helicopter": "flies, sees farthest; carries water or firefighters",
}

KNOWN = f"""\
A crew's atomics know the team's explored map as last seen, the team's roster, and the unit's own status; nothing else.
The thing meant is the nearest: by the larger of the ways east and south, then by distance, within {RANGE} cells.
Without one the atomic fails. In a battle the atomics of crews fail, and in a wildfire all others but `stand`; `is_type`
fails for the types of the other."""

_STEERS = (
    "Firefighters and bulldozers keep off danger that the map shows and off the neighbours of fire: when the straight "
    "way of a tick is not free they turn aside by up to 120 degrees, and they stop short of a thing that is dangerous "
    "itself"
)

ATOMICS = {
    "go SENSE THING": (
        "such a thing is known; `toward`: it is not the own cell; and for those that fire kills some way is free",
        f"a move to it, or {FLIGHT} cells straight away from it, at most to the border. {_STEERS}",
    ),
    "clear toward THING": (
        "bulldozer; such a thing is known, and the next cell on the way is free of danger; on the thing itself: trees "
        "still stand there",
        "a drive straight to it that fells every tree on the way, the last cell included",
    ),
    "cut": ("firefighter; trees stand in the own cell", "one tree less in the own cell"),
    "spray THING": (
        f"there is water, and such a thing is near: for a firefighter within {REACH} cells, its own cell apart, for a "
        f"helicopter within {DROP_REACH:g}",
        "one water: a firefighter's wets the third of a circle toward the thing, a helicopter's the disc below it; "
        "what burns there goes out, the rest is wet for some time",
    ),
    "refill": (
        f"the own cell is water and there is less than {CAPACITY}; for a helicopter: with nobody aboard",
        f"{CAPACITY} waters",
    ),
    "pick_up": (
        f"firefighter that carries nobody: a civilian is nearer than {REACH} cells, and none near the target is "
        f"closer; helicopter without water and with room: a firefighter is nearer than {REACH} cells",
        f"the civilian is carried; the helicopter takes all firefighters in reach aboard, up to {CAPACITY}",
    ),
    "put_down": (
        "a civilian is carried, or firefighters are aboard",
        "the civilian, or all firefighters, stand here; a helicopter drops one water too, if it has any",
    ),
    "is_type NEGATION CREW": ("the unit is (`a`), or is not (`not_a`), of that type", None),
    "is_near THING INTENSITY": ("such a thing is known and that near", None),
    "is_on THING": ("the own cell is such a thing", None),
    "is_seen THING": ("such a thing is known within 64 cells; `target`: its cell was seen", None),
    "has_water": ("there is water left", None),
    "is_carrying": ("a civilian is carried, or firefighters are aboard", None),
}
"""Every form of every atomic for crews, as in `meanings.ATOMICS`."""

TREES = {
    "go_to": "ours: go to the target, and keep off fire",
    "cut": "ours: firefighters fell every tree of the target cell",
    "clear_line": "ours: bulldozers drive straight to the target and fell every tree on the way",
    "spray": "ours: go to the target, and spray what burns in reach",
    "refill_and_spray": "ours: fetch water where the map shows it, go to the nearest fire, else to the target, and "
    "spray; the target should lie short of a fire that is not seen yet, for who walks into one dies",
    "contain": "ours: firefighters fell the trees within 3 cells of the target, and spray what burns in reach",
    "scout": "ours: hover over what burns or is burnt; until that is seen look at what is nearest and unseen",
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
