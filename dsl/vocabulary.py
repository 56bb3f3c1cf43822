"""The words of both languages, and the names that a plan may use."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

SENSES = ("toward", "away_from")
DIRECTIONS = ("north", "east", "south", "west", "center")
QUALIFIERS = ("strongest", "weakest", "closest", "farthest", "random")
INTENSITIES = ("low", "middle", "high")
TIMES = ("now", "low", "middle", "high")
SOURCES = ("them_from_me", "me_from_them")
NEGATIONS = ("a", "not_a")
OTHERS = ("foe", "friend")
WHO = ("self", "foe", "friend")
THINGS = ("target", "fire", "danger", "water", "trees", "civilian", "firefighter", "unseen")

SIDES = ("player", "enemy")
"""Sides in index order."""

UNIT_TYPES = ("spearmen", "archer", "cavalry", "balista", "dragon", "civilian")
"""Unit types in index order (docs/rules/battles.md 2.1): spelling as published, only `spearmen` is plural."""

CREW_TYPES = ("firefighter", "bulldozer", "drone", "helicopter")
"""Types of a crew that fights wildfires, in index order (docs/rules/wildfire.md 3.1)."""

BEHAVIOURS = ("attack_in_close_range", "attack_and_move", "attack_in_long_range", "follow_map", "stand")
"""Names of the published trees that a plan may use (docs/rules/trees.md 6.1)."""

CREW_BEHAVIOURS = (
    "go_to",
    "cut",
    "clear_line",
    "spray",
    "refill_and_spray",
    "contain",
    "scout",
    "ferry",
    "rescue",
    "stay_safe",
)
"""Names of the shipped trees for crews."""

BATTLE_OBJECTIVES = ("position", "elimination", "time", "arrival", "sighted", "losses", "enemy losses")
"""The objectives that a battle knows, by their words (docs/rules/plans.md 3.3, 3.4, 3.7)."""

CREW_OBJECTIVES = (
    "position",
    "cut",
    "extinguish",
    "contain",
    "rescue",
    "transport",
    "scout",
    "time",
    "arrival",
    "losses",
)
"""The objectives that a wildfire knows, by their words."""

OBJECTIVES = tuple(dict.fromkeys((*BATTLE_OBJECTIVES, *CREW_OBJECTIVES)))
"""All objectives, by their words."""

ORDERS = ("nearest", "in", "behind", "under cover", "within")
"""Words of a group that the engine carries out while a game runs; all others are resolved when a plan is read."""

SHARES: Mapping[str, tuple[int, int]] = {
    "half": (1, 2),
    "a third": (1, 3),
    "two thirds": (2, 3),
    "a quarter": (1, 4),
    "three quarters": (3, 4),
}
"""Shares of units in words, as fractions."""

UNIT_WORDS = (*dict.fromkeys(" ".join(SHARES).split()), "one", "of", "the", "rest", "nearest", "to", "in")
"""Words of a line of units, without types."""

PLACE_WORDS = ("marker", "line", "area", "via", "under", "cover", "behind", "by", "of", "the", "map")
"""Words of a line of a target, without names of places."""

COMPASS = ("north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west", "centre", "center")
"""Parts of the map, or of a feature of it, that a place may name."""

FORMER_BEHAVIOURS = {"attack_static": "attack_and_move", "ignore_enemies": "follow_map"}
"""Names used by the predecessor's plans (docs/rules/plans.md 1.3) and what they are called now."""

FORMER_UNIT_TYPES = {"soldier": "spearmen", "sniper": "archer", "swat": "cavalry"}
"""Unit types of the predecessor (docs/rules/plans.md 1.3) and what they are called now."""

OTHER_UNIT_TYPES = {
    "spearman": "spearmen",
    "archers": "archer",
    "balistas": "balista",
    "ballista": "balista",
    "ballistas": "balista",
    "dragons": "dragon",
    "civilians": "civilian",
}
"""Other spellings of unit types that plans may use (docs/rules/plans.md 1.4), and those of the format."""


OTHER_CREW_TYPES = {f"{kind}s": kind for kind in CREW_TYPES}
"""The same for crews."""


@dataclass(frozen=True)
class Form:
    """One way to write an atomic (docs/rules/trees.md 1.2).

    Attributes:
        name: First word.
        role: `A` for an action, `C` for a condition.
        slots: For each word after the name, the words allowed there.
        types: Whether TYPES may follow.
    """

    name: str
    role: Literal["A", "C"]
    slots: tuple[tuple[str, ...], ...] = ()
    types: bool = False


BATTLE_FORMS = (
    Form("move", "A", (DIRECTIONS,)),
    Form("move", "A", (SENSES, QUALIFIERS, OTHERS), types=True),
    Form("attack", "A", (QUALIFIERS,), types=True),
    Form("stand", "A"),
    Form("follow_map", "A", (SENSES,)),
    Form("follow_map", "A", (SENSES, INTENSITIES)),
    Form("success_action", "A"),
    Form("failure_action", "A"),
    Form("in_sight", "C", (OTHERS,), types=True),
    Form("in_reach", "C", (OTHERS, SOURCES, TIMES), types=True),
    Form("is_dying", "C", (WHO, INTENSITIES)),
    Form("is_armed", "C", (WHO,)),
    Form("is_flock", "C", (OTHERS, DIRECTIONS)),
    Form("is_type", "C", (NEGATIONS, UNIT_TYPES)),
    Form("is_in_forest", "C"),
)
"""Every form of every atomic for battles; of these, crews know `stand`."""

CREW_FORMS = (
    Form("go", "A", (SENSES, THINGS)),
    Form("clear", "A", (("toward",), THINGS)),
    Form("cut", "A"),
    Form("spray", "A", (THINGS,)),
    Form("refill", "A"),
    Form("pick_up", "A"),
    Form("put_down", "A"),
    Form("is_type", "C", (NEGATIONS, CREW_TYPES)),
    Form("is_near", "C", (THINGS, INTENSITIES)),
    Form("is_on", "C", (THINGS,)),
    Form("is_seen", "C", (THINGS,)),
    Form("has_water", "C"),
    Form("is_carrying", "C"),
)
"""Every form of every atomic for crews in a wildfire."""

FORMS = (*BATTLE_FORMS, *CREW_FORMS)
"""Every form of every atomic; `move`, `follow_map` and `is_type` have two."""

ROLES = {form.name: form.role for form in FORMS}
"""Role of each atomic, in the published order."""

WORDS = frozenset((*ROLES, *(word for form in FORMS for slot in form.slots for word in slot), *UNIT_TYPES, "any", "or"))
"""Every lower-case word of the behaviour-tree language."""


_PLACE_NAME = re.compile(r"(?![\d+%-])[^\s,;:|()\[\]{}#*`_>]+( [^\s,;:|()\[\]{}#*`_]+)*")
_PLACE_WORDS = {"via", "under", "line", "area", "behind", "marker"}


def is_place_name(name: str) -> bool:
    """Return whether a plan can write a name of a place: words with one blank between them, without signs.

    What a plan reads as something else is no name: a letter of a marker, the map, and all that begins with a part of
    the compass and `of`.
    """
    words = name.split(" ")
    other = re.fullmatch("[A-Z]", name) or name.lower().removeprefix("the ") == "map"
    part = words[0] in COMPASS and words[1:2] in ([], ["of"])
    signs = not name.isprintable() or any(not word.strip("-") for word in words)
    return bool(_PLACE_NAME.fullmatch(name)) and not (other or part or signs or _PLACE_WORDS & {*words})


@dataclass(frozen=True)
class Feature:
    """A named feature of a map.

    Attributes:
        name: Its name, words with one blank between them.
        place: The cell in it that a unit can enter and that is nearest to its middle; None: no unit can enter it.
        box: Its least and greatest x and y as two corners, both included, cut off at the edges of the map.
    """

    name: str
    place: tuple[int, int] | None
    box: tuple[tuple[int, int], tuple[int, int]]


def count_kinds(blocks: tuple[tuple[str, int], ...]) -> dict[str, int]:
    """Return the number of units of each type that has any, for blocks as a context has them."""
    sizes: dict[str, int] = {}
    start = 0
    for kind, end in blocks:
        sizes[kind] = sizes.get(kind, 0) + end - start
        start = end
    return {kind: size for kind, size in sizes.items() if size}


@dataclass(frozen=True)
class PlanContext:
    """What a plan is checked against; a size of None leaves out the checks that need it.

    Attributes:
        behaviours: Names of trees that a group may use.
        unit_types: Names that may stand as target types, besides `any`.
        team_size: Units of the side that the plan commands.
        foe_size: Units of the other side.
        map_size: Metres along each side of the square map.
        objectives: The objectives that a step may have, by their words.
        most: The largest count that an objective may name, by the objective's word.
        team_blocks: For each block of units of one type, in the order of ids, the type and the end of its ids, which
            is not included; empty where they are not known. They say which units a type names.
        foe_blocks: The same for the other side.
        markers: Letter and place of each marker that a target may name; None: they are not known.
        features: The named features of the map; None: they are not known.
        north_up: Whether y grows to the north; else to the south.
        orders: Those of `ORDERS` that a group may use.
    """

    behaviours: tuple[str, ...] = BEHAVIOURS
    unit_types: tuple[str, ...] = UNIT_TYPES
    team_size: int | None = None
    foe_size: int | None = None
    map_size: int | None = None
    objectives: tuple[str, ...] = BATTLE_OBJECTIVES
    most: Mapping[str, int] = field(default_factory=dict, hash=False)
    team_blocks: tuple[tuple[str, int], ...] = ()
    foe_blocks: tuple[tuple[str, int], ...] = ()
    markers: tuple[tuple[str, tuple[int, int]], ...] | None = None
    features: tuple[Feature, ...] | None = None
    north_up: bool = True
    orders: tuple[str, ...] = ORDERS

    @property
    def team_types(self) -> tuple[str, ...]:
        """Types that units of the team may be named by."""
        return tuple(dict.fromkeys((*self.unit_types, *(kind for kind, _ in self.team_blocks))))

    @property
    def foe_types(self) -> tuple[str, ...]:
        """Types that units of the other side may be named by."""
        return tuple(dict.fromkeys((*self.unit_types, *(kind for kind, _ in self.foe_blocks))))
