"""Text for the commander of a crew, human or model: task, map, crew and plan language, and what the crew knows now.

The map has the published symbols (docs/rules/wildfire.md 5.1) and shows only what the crew has seen.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dsl.vocabulary import CREW_TYPES
from hive.contract import Description
from hive.crews.explored import SYMBOLS, VIEW, Explored
from hive.crews.frames import CAPACITY, FRAMES, REACH, SPEED
from hive.types import State
from hive.wildfire.levels import Level
from hive.wildfire.reports import Report, report
from hive.wildfire.rules_text import rules_text

if TYPE_CHECKING:
    from hive.wildfire.world import Fireground

_ROLE = """\
You are the assistant of a commander. Together you work out a plan that a crew then carries out on its own in a forest
where fires burn. Advise, ask when something is unclear, and write a plan when one is wanted."""

_MAP = """\
Map
The map is a square of {size} by {size} cells. (0, 0) is its north-western corner, x grows to the east and y to the
south. A cell has 0 to 3 trees. Fire spreads to cells with trees; water keeps a cell from catching for some time.
{deadly} The crew shares one map of what its units have seen; cells
out of sight stay as they were seen last. Its symbols: - unseen; 0 to 3 trees, in quotes where wet; i ignited; f on
fire; e extinguishing; x burnt; w water; B building; C civilian."""

_DEADLY = {
    True: "Burning and burnt cells kill firefighters and bulldozers.",
    False: "Burning cells kill firefighters and bulldozers, burnt ones only bulldozers.",
}

_CREW = """\
Crew
Time counts in ticks, and the game lasts {limit} at most. Speeds are cells a tick.
{types}"""

_TYPES = {
    "firefighter": f"slower among trees; fells a tree of its cell each tick, sprays water {REACH} cells far, carries "
    f"one civilian",
    "bulldozer": "fells the trees on its way at half its speed",
    "drone": "flies and explores",
    "helicopter": f"flies; carries up to {CAPACITY} firefighters, or water that it drops",
}

_LANGUAGE = """\
Plan
Write a plan only when one is wanted, only one, in exactly this form, with units and places of your own:

BEGIN PLAN
{example}END PLAN

- A step is active once all steps in its prerequisites are achieved, until its objective is met; then it is achieved for
  good. Steps may run in parallel. A unit in several active steps obeys the last of them; a unit in none continues what
  it did last; a unit that no step has named yet stands.
- An objective is one of: position (all of the step's units near their targets); cut [(x, y), ...] (no listed cell has
  a tree); extinguish (a fire was seen, and nothing is ignited or on fire); contain (x, y) R (the same, and nothing is
  burnt farther than R cells from there); rescue N (x, y), transport N (x, y) (so many civilians, firefighters within
  {reach} cells there); scout (x, y) (x, y) (every cell of that box seen); scout fire (a fire seen). All of them look at
  what the crew has seen.
- A list of units is `all`, or ids and slices in brackets: [0, 1, 4:8] holds 0, 1 and 4 to 7.
- Behaviors, each tick:
{behaviours}
- No comments inside the plan."""

_BEHAVIOURS = {
    "go_to": "go to the target and avoid fire.",
    "cut": "firefighters fell every tree of the target cell.",
    "clear_line": "bulldozers drive straight to the target and fell every tree on the way.",
    "spray": "go to the target, and spray what burns in reach.",
    "refill_and_spray": "fetch water, go to the nearest fire, else to the target, and spray.",
    "contain": "firefighters fell the trees within 3 cells of the target, and spray what burns in reach.",
    "scout": "hover over burning or burnt cells; until some are seen, explore unseen cells.",
    "ferry": "helicopters fly firefighters to the target; those on the ground walk there.",
    "rescue": "firefighters carry civilians to the target.",
    "stay_safe": "keep 8 cells away from fire, else stand.",
    "stand": "stay and do nothing.",
}


def describe_level(world: Fireground, state: State, rules: bool = False) -> Description:
    """Describe a level in words, as far as its crew knows it.

    Args:
        world: The level.
        state: The world now.
        rules: Whether to add `hive.wildfire.rules_text`.
    """
    facts = report(world, state)
    system = level_text(world, rules)
    return Description(
        system=system,
        state="\n\n".join([_units_text(facts), seen_text(facts.seen)]),
        short_system=system,
        short_state="\n\n".join([_units_text(facts, compact=True), seen_text(facts.seen, compact=True)]),
    )


def level_text(world: Fireground, rules: bool = False) -> str:
    """Return the constant part of a game: role, map, rules if requested, crew, plan language, task."""
    level = world.site.level
    language = _LANGUAGE.format(
        example=_example(level),
        reach=REACH,
        behaviours="\n".join(f"  {name}: {_BEHAVIOURS[name]}" for name in world.behaviours),
    )
    crew = _CREW.format(limit=level.limit, types="\n".join(_type_lines(level)))
    ground = _MAP.format(size=level.size, deadly=_DEADLY[world.burnt_kills])
    extra = [text] if rules and (text := rules_text(level, world.chance)) else []
    return "\n\n".join([_ROLE, ground, *extra, crew, language, f"Task\n{world.briefing}"])


def seen_text(seen: NDArray[np.integer], compact: bool = False) -> str:
    """Return the part of the explored map that holds all seen cells, one line for each row from north to south.

    Args:
        seen: `[X, Y]` codes of `hive.crews.explored`.
        compact: One character for each cell, so that wet cells look like dry ones; else the published form, in which a
            comma follows each cell and wet cells are in quotes.
    """
    cells = np.argwhere(seen != Explored.UNSEEN)
    if not len(cells):
        return "The crew has not seen any cell of the map yet."
    (west, north), (east, south) = cells.min(0).tolist(), cells.max(0).tolist()
    rows = seen[west : east + 1, north : south + 1].T.tolist()
    symbols = [symbol.strip("'") if compact else f"{symbol}," for symbol in SYMBOLS]
    head = f"What was seen of the map: x from {west} to {east}, y from {north} to {south}; all else is unseen."
    return "\n".join([head, *("".join(symbols[code] for code in row) for row in rows)])


def _type_lines(level: Level) -> list[str]:
    lines, start = [], 0
    for kind, (name, count) in enumerate(zip(CREW_TYPES, level.agents, strict=True)):
        if count:
            numbers = f"Speed={SPEED[kind] * FRAMES:g}; Sight={VIEW[kind]} cells to each side"
            lines.append(f"{name}: [{start}:{start + count}]; {numbers}; {_TYPES[name]}.")
        start += count
    return lines


def _example(level: Level) -> str:
    """Return a plan for this crew that shows the form of plans only."""
    there, middle = level.size // 3, level.size // 2
    return (
        f"Step 0:\nprerequisites: []\nobjective: position\nunits: [0:{sum(level.agents)}]\n"
        f"- target position: ({there}, {middle})\n- behavior: go_to\n\n"
        f"Step 1:\nprerequisites: [0]\nobjective: scout fire\nunits: all\n"
        f"- target position: ({middle}, {middle})\n- behavior: scout\n"
    )


def _units_text(facts: Report, compact: bool = False) -> str:
    """Return one line for each unit; in the compact form, one for consecutive units that are alike."""
    words = [_unit_words(facts, unit) for unit in range(len(facts.kind))]
    lines = [f"After {facts.tick} ticks:"]
    if not compact:
        return "\n".join([*lines, *(f"unit {unit}: {text}" for unit, text in enumerate(words))])
    for text, members in groupby(range(len(words)), lambda unit: words[unit]):
        first, *others = members
        lines.append(f"units [{first}:{others[-1] + 1}]: {text}" if others else f"unit {first}: {text}")
    return "\n".join(lines)


def _unit_words(facts: Report, unit: int) -> str:
    name = CREW_TYPES[facts.kind[unit]]
    if not facts.alive[unit]:
        return f"{name}, dead"
    x, y = facts.cell[unit].tolist()
    words = [f"{name} at ({x}, {y})"]
    if facts.aboard[unit] >= 0:
        words.append(f"aboard {facts.aboard[unit]}")
    if facts.water[unit]:
        words.append(f"water {facts.water[unit]}")
    if facts.carrying[unit]:
        words.append(f"carries {facts.carrying[unit]}")
    return ", ".join(words)
