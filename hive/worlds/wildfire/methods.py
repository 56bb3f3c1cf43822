"""The commanders of levels, by name; imports nothing, so that lists and messages start without JAX."""

from __future__ import annotations

from hive.worlds.wildfire.score_files import DO_NOTHING

COMMANDERS = {
    "scripted": "writes a plan every few ticks from what its crew knows",
    "nothing": f"lets every unit stand: the method `{DO_NOTHING}`",
}

METHODS = {"nothing": DO_NOTHING}
"""Names of commanders in results, where they differ."""
