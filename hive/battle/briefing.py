"""Text for a commander, human or model: rules, map, units and plan language, and the positions of all units.

The formats are the published ones (docs/rules/scenarios.md 3), the words are ours. The numbers agree with the engine:
speeds are metres a tick, not the doubled ones of the published prompt (docs/rules/scenarios.md 3.1).
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from hive.battle.clusters import ARMIES, clusters_text
from hive.battle.map_text import map_text, markers_text
from hive.battle.scenario import Scenario, UnitType
from hive.battle.scenario.model import Side
from hive.contract import Description
from hive.types import State
from hive.units.leaves import UNIT_TYPES

if TYPE_CHECKING:
    from hive.battle.world import Battle

COMPACT = 8_000  # the compact form has fewer characters


def describe(world: Battle, state: State) -> Description:
    """Describe a game in words.

    Args:
        world: The battle that is played.
        state: The world now; units in the order of their ids.
    """
    units = world.params.units
    side, kind = np.asarray(units.side), np.asarray(units.type)
    position, health = np.asarray(state.position), np.asarray(state.health)
    share = health / np.asarray(world.params.types.max_health)[kind]
    short = system_text(world.scenario, compact=True)
    room = COMPACT - 1 - len(short) - len("\n\n")
    return Description(
        system=system_text(world.scenario),
        state=state_text(side, position, health),
        short_system=short,
        short_state=clusters_text(side, kind, UNIT_TYPES, position, share, room),
    )


_ROLE = """\
You are the assistant of a commander. Together you work out a plan that an army then carries out on its own. Advise,
ask when something is unclear, and write a plan when one is wanted."""

_MAP = """\
Map
The map is a square of {size} m by {size} m. (0, 0) is its south-west corner, x grows to the east and y to the north.
There are four kinds of ground:
- normal: can be crossed and seen over.
- forest: can be crossed. No unit sees into, out of or through it, so there is no fighting inside.
- water: cannot be crossed, but can be seen and shot over.
- building: can neither be crossed nor seen through.
A bridge is normal ground over water. What is not listed is normal. Later lines lie over earlier ones.
Shapes are `(x, y) with radius R` and `(x, y) - (x, y)`, the south-west and the north-east corner of a box.{bands}"""

_BANDS = """
`along (x, y), (x, y), ... with width W` is a band W wide whose middle runs from point to point."""

_BEHAVIOURS = {
    "attack_in_close_range": "attack an enemy in reach; else step to the closest one in sight; else go to the target.",
    "attack_in_long_range": "step back from the closest enemy if one could hit within three ticks; else attack an "
    "enemy in reach; else go to the target.",
    "attack_and_move": "attack an enemy in reach; else go to the target; near it, step to the closest enemy in sight.",
    "follow_map": "go to the target and ignore all enemies.",
    "stand": "stay and do nothing, not even attack.",
    "guard_in_close_range": "in a forest, go to the target; else attack the closest enemy in reach; else step to the "
    "closest enemy in sight.",
    "guard_in_long_range": "in a forest, go to the target; else step back from the closest enemy if one could hit "
    "within three ticks; else attack the closest enemy in reach.",
}

_LANGUAGE = """\
Plan
Write a plan only when one is wanted, only one, in exactly this form, with units and places of your own:

BEGIN PLAN
Step 0:
prerequisites: []
objective: position
units: [0:{half}]
- target position: ({x}, {y})
- behavior: attack_in_close_range any
units: [{half}:]
- target position: ({x}, {lower})
- behavior: attack_in_long_range spearmen

Step 1:
prerequisites: [0]
objective: elimination all
units: all
- target position: ({x}, {y})
- behavior: attack_and_move
END PLAN

- A step is active once all steps in its prerequisites are achieved, until its objective is met; then it is achieved for
  good. Steps may run in parallel. A unit in several active steps obeys the last of them; a unit in none continues what
  it did last; a unit that no step has named yet stands.
- `objective: position` is met when all live units of the step stand near their targets: within 2 m where a single unit
  is sent, up to 15 m where 500 are. `objective: elimination` is met when the listed enemies are dead: `all`, or a list
  such as [0:50].
- A list of units is `all`, or ids and slices in brackets: [0, 1, 10:20] holds 0, 1 and 10 to 19; [:20] begins with unit
  0, [20:] ends with the last. Ids count each army from 0. A unit may stand in one group of a step only.
- Target positions are whole numbers on the map. Way-finding goes round water and buildings.
- A behavior may be followed by the enemy types it cares about, separated by blanks; none or `any` means all of them.
- Behaviors, each tick:{behaviours}
- No comments and no marker letters inside the plan.

Avoid: steps that wait for each other in a circle; a last step that ends before the mission does (a plan without an
active step ends the game without a win); `archers` instead of `archer`; ids without brackets; elimination steps whose
targets are far from the enemy."""


def system_text(scenario: Scenario, compact: bool = False) -> str:
    """Return the constant part of a game: role, map, markers, units, composition, plan language, mission.

    Args:
        scenario: The scenario that is played.
        compact: Whether the map is given in the compact form of `map_text`.
    """
    size = scenario.map.size
    behaviours = "".join(f"\n  {name}: {_meaning(name, scenario)}" for name in scenario.player.behaviours)
    language = _LANGUAGE.format(
        half=(scenario.player.count + 1) // 2,
        x=min(30, size - 1),
        y=min(30, size - 1),
        lower=min(20, size - 1),
        behaviours=behaviours,
    )
    shapes, markers = map_text(scenario, compact), markers_text(scenario)
    bands = _BANDS if " along " in shapes else ""
    parts = [
        "\n".join([_MAP.format(size=size, bands=bands), *([shapes] if shapes else [])]),
        *([markers] if markers else []),
        _units_text(scenario),
        composition_text(scenario),
        language,
        "Mission\n" + scenario.briefing.strip(),
    ]
    return "\n\n".join([_ROLE, *parts])


def _meaning(name: str, scenario: Scenario) -> str:
    """Describe in words what a behaviour does; for a tree of the scenario's own, return the tree itself."""
    if name in scenario.trees:
        return " ".join(scenario.trees[name].split())
    return _BEHAVIOURS.get(name, "see its tree.")


def _units_text(scenario: Scenario) -> str:
    present = {group.type for side in (scenario.player, scenario.enemy) for group in side.units}
    lines = [_unit_line(kind) for kind in scenario.types if kind.name in present]
    advice = [text for pair, text in _MATCHES if pair <= present]
    return "\n".join([_UNITS.format(limit=scenario.rules.limit), *lines, *([" ".join(advice)] if advice else [])])


_UNITS = """\
Units
Time counts in ticks, and the battle lasts {limit} at most. Ranges are metres, a speed is metres a tick. After an attack
a unit cannot attack for as many ticks as its cooldown: with 1 it attacks every second tick."""


def _unit_line(kind: UnitType) -> str:
    return (
        f"{kind.name}: Health={kind.max_health:g}; Sight range={kind.sight:g}; Attack range={kind.reach:g}; "
        f"Moving speed={kind.speed:g}; Attack damage={kind.damage:g}; Attack cooldown={kind.cooldown:g}"
    )


_MATCHES = (
    ({"archer", "spearmen"}, "Archers beat spearmen: they hit from afar and get away."),
    ({"cavalry", "archer"}, "Cavalry beats archers: it reaches them before they get away."),
    ({"spearmen", "cavalry"}, "Spearmen beat cavalry: they last longer in close combat."),
)


def composition_text(scenario: Scenario) -> str:
    """Return the unit types of both armies as slices of ids: `spearmen: [0:500]`."""
    return "\n".join(["Armies", "Allies: " + _slices(scenario.player), "Enemies: " + _slices(scenario.enemy)])


def _slices(side: Side) -> str:
    parts, start = [], 0
    for kind, groups in groupby(side.units, lambda group: group.type):
        stop = start + sum(group.count for group in groups)
        parts.append(f"{kind}: [{start}:{stop}]")
        start = stop
    return ", ".join(parts)


def state_text(side: np.ndarray, position: np.ndarray, health: np.ndarray) -> str:
    """Return health and position of every unit in the published form: three lists for each army, in the order of ids.

    Rules: docs/rules/scenarios.md 3.3.

    Args:
        side: int `[N]`, 0 player and 1 enemy, units in the order of their ids.
        position: float `[N, 2]` metres; printed truncated to whole metres.
        health: float `[N]`; ∅ is printed for a dead unit.
    """
    lines = ["Health and positions of all units, in the order of their ids. ∅ is a dead unit."]
    for number, name in enumerate(ARMIES):
        mine = side == number
        alive = health[mine] > 0
        hearts = [f"{value:g}" if live else "∅" for value, live in zip(health[mine], alive, strict=True)]
        lines.append(f"{name}:")
        lines.append(f"Health: [{', '.join(hearts)}]")
        for axis, letter in enumerate("XY"):
            cells = position[mine, axis].astype(int)
            lines.append(f"{letter} positions: [{', '.join(map(str, cells))}]")
    return "\n".join(lines)
