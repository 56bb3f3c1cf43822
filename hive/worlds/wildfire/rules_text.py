"""The rules that a scripted commander knows and a briefing omits, for commanders that should know the same.

The text reveals nothing about a single map: its wind, slopes and hidden places stay hidden (docs/rules/wildfire.md 8).
"""

from __future__ import annotations

from hive.engine.crews.frames import FRAMES
from hive.ground.fire import DAMP, FLAMES, IGNITES, SPRAYED, STEEPNESS, WET_UPDATES
from hive.worlds.wildfire.commanders.rescue import STRAY
from hive.worlds.wildfire.commanders.spread_model import DRY, SLOPES
from hive.worlds.wildfire.commanders.terrain_facts import USUAL
from hive.worlds.wildfire.levels import Level

WALK = 3  # ticks between two steps of a civilian (docs/rules/wildfire.md 1.1)

_FIRE = f"""\
- The fire is updated every {{period}}. A cell that a neighbour ignites is ignited in one update, on fire in the next,
  extinguishing for 10 more, then burnt. When it is on fire it loses its trees and spreads to its eight neighbours.
  {{spreads}}
  The first cell waits one update more.
- It ignites a neighbour that can burn if F (1 - m / {DAMP:g}) (1 + cos a) / 2 is above {IGNITES:g}, and sets it on fire
  at once above {FLAMES:g}. Here a is the angle between the wind at the burning cell and the direction to the
  neighbour; the strength of the wind does not count. m is the neighbour's moisture, 0.4 to 0.8, and {SPRAYED:g} more
  while it is wet. F is E = exp({STEEPNESS:g} s) up a slope of s degrees, and E / (2 E - 1) down one. On flat and dry
  ground the fire spreads within about 86 degrees of the wind. {{chance}}
- Water puts out at once what burns in a cell, and keeps any other cell wet for {WET_UPDATES} updates.
- A cell that loses its last tree to the crew never burns. Cells within 2 cells of a building burn also without trees.
- Wind and slopes are not given; they show in which neighbours caught fire. Slopes of {{slopes}} degrees are
  about as common as {{shares}}; a usual 1 - m / {DAMP:g} is {DRY:g}; an unseen cell has {USUAL:g} trees
  on average."""

_NO_CHANCE = "There is no chance in it."
_CHANCE = f"""\
Chance replaces
  these limits: each unit of that number gives {{chance:g}} of probability to be ignited, and {IGNITES / FLAMES:g} of it
  to be on fire at once."""

_SPREADS = "A cell that was set on fire at once spreads one update later; others on fire have spread already."
_SPREADS_PUBLISHED = "A cell on fire has spread already; only ignited cells carry the fire on."

_PUBLISHED = """\
- An update scans the map row by row from the north-west. A cell that is set on fire at once spreads in the same update
  if the scan visits it later, else never. Cells at the border of the map can be ignited, stay so and do not
  spread. For a, the direction north-west counts as south-east, south as west, and west as south."""

_CIVILIANS = f"""\
- Civilians step to a free one of the four cells next to theirs every {WALK} ticks, at random, and flee from nothing.
  They seldom stray more than {STRAY} cells from where they started."""


def rules_text(level: Level, chance: float | None = None) -> str:
    """Return the rules of fire and civilians that matter on a level; empty where there is neither.

    Args:
        level: What is played.
        chance: See `hive.ground.fire.make_fuel`.
    """
    parts = []
    if level.period:
        ticks = level.period // FRAMES
        fire = _FIRE.format(
            period="tick" if ticks == 1 else f"{ticks} ticks",
            spreads=_SPREADS_PUBLISHED if level.rules == "published" else _SPREADS,
            chance=_NO_CHANCE if chance is None else _CHANCE.format(chance=chance),
            slopes=", ".join(f"{slope:g}" for slope in SLOPES),
            shares=", ".join(f"{share:g}" for share in SLOPES.values()),
        )
        parts += [fire, _PUBLISHED] if level.rules == "published" else [fire]
    parts += [_CIVILIANS] if level.clusters else []
    return "\n".join(["# Rules", *parts]) if parts else ""
