"""Texts of the generated reference about each word, atomic and unit type; the tests check that none is missing."""

from __future__ import annotations

from docs.make import crew_words
from dsl.vocabulary import (
    CREW_TYPES,
    DIRECTIONS,
    FORMS,
    INTENSITIES,
    NEGATIONS,
    OTHERS,
    QUALIFIERS,
    SENSES,
    SOURCES,
    THINGS,
    TIMES,
    UNIT_TYPES,
    WHO,
    Form,
)
from hive.engine.leaves import LEAVES

SLOTS = {
    SENSES: "SENSE",
    DIRECTIONS: "DIRECTION",
    QUALIFIERS: "QUALIFIER",
    INTENSITIES: "INTENSITY",
    TIMES: "TIME",
    SOURCES: "SOURCE",
    NEGATIONS: "NEGATION",
    OTHERS: "OTHER",
    WHO: "WHO",
    UNIT_TYPES: "UNIT",
    THINGS: "THING",
    CREW_TYPES: "CREW",
}
"""Name of each kind of argument, by the words it allows; an argument with a single word has no name."""


def signature(form: Form) -> str:
    """Return a form as the reference writes it, such as `attack QUALIFIER [TYPES]`."""
    return " ".join(
        [form.name, *(SLOTS.get(slot, slot[0]) for slot in form.slots), *(["[TYPES]"] if form.types else [])]
    )


SIGNATURES = {signature(form): form for form in FORMS}

_CLEAR = "the step touches neither building nor water (at 30 samples, the unit's own place included)"

ATOMICS = {  # signature: when it succeeds; what the unit then does, or None for a condition
    "move DIRECTION": (
        f"{_CLEAR}; always for `center`",
        "one full step in that direction; `center` steps toward the middle of the map along the axis on which it is "
        "farther away",
    ),
    "move SENSE QUALIFIER OTHER [TYPES]": (
        f"such a unit is visible, and {_CLEAR}",
        "a straight step toward that unit or away from it; its length is the unit's speed, or the distance when that "
        "is shorter",
    ),
    "attack QUALIFIER [TYPES]": (
        "the unit's weapon is ready, and such a foe is visible within its attack range",
        "an attack on that foe",
    ),
    "stand": ("always", "nothing"),
    "follow_map SENSE": (
        "`toward`: nearly always, also on the target; `away_from`: always",
        "the best of 33 short steps: staying, or one of eight directions at a quarter, half, three quarters or all of "
        "the speed. The best step ends nearest to the group's target (farthest for `away_from`), measured along the "
        "way round water and buildings, with the scenario's movement randomness added to each distance",
    ),
    "follow_map SENSE INTENSITY": (
        "`toward`: the way to the target is longer than that share of the sight range; `away_from`: it is shorter",
        "as above",
    ),
    "success_action": ("always", "one full step north"),
    "failure_action": ("never", "nothing"),
    "in_sight OTHER [TYPES]": ("such a unit is visible", None),
    "in_reach OTHER SOURCE TIME [TYPES]": (
        "such a unit is visible and near enough: within attack range plus TIME steps; `me_from_them` uses the other "
        "unit's range and speed, `them_from_me` the unit's own",
        None,
    ),
    "is_dying WHO INTENSITY": (
        "the unit's health, or that of at least one such visible unit, is at most that share of full health",
        None,
    ),
    "is_armed WHO": (
        "`self`: the unit's weapon is ready; else at least one such unit is visible, and the weapons of all of them "
        "are ready",
        None,
    ),
    "is_flock OTHER DIRECTION": (
        "the mean place of such visible units lies in that direction; `center`: they stand in all four quarters round "
        "the unit",
        None,
    ),
    "is_type NEGATION UNIT": ("the unit is (`a`), or is not (`not_a`), of that type", None),
    "is_in_forest": ("the cell of the unit is forest", None),
    **crew_words.ATOMICS,
}
"""Every form of every atomic."""


def _share(name: str, *words: str) -> str:
    return f"{LEAVES[name].encode(words, ()).value:.0%}"


def reach_steps(time: str) -> int:
    """Return how many steps `in_reach` adds to the attack range for a TIME."""
    sense = LEAVES["in_reach"].encode(("foe", "me_from_them", time), ()).sense
    assert sense, "`in_reach` asks the senses"
    return int(sense.steps)


def _time(time: str) -> str:
    steps = reach_steps(time)
    return f"attack range plus {steps} step{'s' * (steps > 1)}" if steps else "attack range"


WORDS = {
    "SENSE": {"toward": "nearer", "away_from": "farther away"},
    "DIRECTION": {
        "north": "y grows",
        "east": "x grows",
        "south": "y shrinks",
        "west": "x shrinks",
        "center": "to the middle of the map; in `is_flock`: on all sides",
    },
    "QUALIFIER": {
        "closest": "least distance",
        "farthest": "greatest distance",
        "weakest": "least health in points, ties at random",
        "strongest": "most health in points, ties at random",
        "random": "any of them, with equal chances",
    },
    "INTENSITY": {
        word: f"`is_dying`: {_share('is_dying', 'self', word)} of full health; "
        f"`follow_map`: {_share('follow_map', 'toward', word)} of the sight range; "
        f"{crew_words.nearness(word)}"
        for word in INTENSITIES
    },
    "TIME": {word: _time(word) for word in TIMES},
    "SOURCE": {
        "me_from_them": "whether they could hit me",
        "them_from_me": "whether I could hit them",
    },
    "NEGATION": {"a": "is of the type", "not_a": "is not of the type"},
    "OTHER": {"foe": "units of the other side", "friend": "other units of the same side"},
    "WHO": {"self": "the unit itself", "foe": "as OTHER", "friend": "as OTHER"},
    "THING": crew_words.THING,
    "CREW": crew_words.CREW,
}
"""Every word that an argument may be, except unit types."""

TYPE_ORIGINS = {
    "spearmen": "published",
    "archer": "published",
    "cavalry": "published",
    "balista": "ours: the name is published, the numbers are not",
    "dragon": "ours: the name is published, the numbers are not",
    "civilian": "the name is published, the numbers are its successor's",
}
"""The source of each unit type's attributes."""

TREE_ORIGINS = {
    "attack_in_close_range": "published",
    "attack_and_move": "published",
    "attack_in_long_range": "published",
    "follow_map": "published",
    "stand": "published",
    "guard_in_close_range": "published, for the enemy's guards: out of the forest, close range",
    "guard_in_long_range": "published, for the enemy's guards: out of the forest, long range",
    "hold": "ours: attack in reach, and never step",
    **crew_words.TREES,
}
"""The source of each shipped tree; a tree that is missing here is ours."""

COLUMNS = {  # attribute of a unit type: its heading, and what it means
    "speed": ("Speed", "metres a step"),
    "max_health": ("Health", "points at the start"),
    "damage": ("Damage", "points a hit"),
    "reach": ("Attack range", "metres, from centre to centre"),
    "sight": ("Sight", "metres; no unit sees into or out of a forest, or through a building"),
    "cooldown": ("Cooldown", "steps between two attacks, excluding both"),
    "radius": ("Radius", "metres; for pushing, and for the room that a crowd takes"),
}
"""Attributes of unit types in the order of the reference."""
