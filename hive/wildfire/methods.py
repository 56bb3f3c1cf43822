"""What can command a level, by name; loads nothing, so that lists and messages start without JAX."""

from __future__ import annotations

from hive.wildfire.score_files import NOTHING

COMMANDERS = {
    "scripted": "writes a plan every few ticks from what its crew knows",
    "nothing": f"lets every unit stand: the method `{NOTHING}`",
}

METHODS = {"nothing": NOTHING}
"""What results call a commander, where that is not its name."""
