"""Battles and wildfire levels under one roof: both are loaded by name, and played by the same engine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hive.engine.world import World

_LEVELS = "wildfire/"  # what the name of a level begins with


def is_level(name_or_path: str | Path) -> bool:
    """Return whether a name is meant for a wildfire level; loads nothing."""
    name = str(name_or_path)
    return name.startswith(_LEVELS) and not name.endswith(".toml")


def load(name_or_path: str | Path, **overrides: Any) -> World:
    """Load a scenario or a level.

    Args:
        name_or_path: A shipped name (`hive list`), with `wildfire/` before it for a level, or a path to a `.toml` file.
        **overrides: Of a battle `units` (the player's team; the enemy's scales alike) or a rule by name, such as
            `limit`. Of a level `seed`, which gives the map (the seeds of `hive.play` then only draw how civilians
            walk), or what else `hive.wildfire.world.load_level` takes.

    Returns:
        The world, ready to play; a level is on the map of one seed.

    Raises:
        UserError: Unknown name or override, a number out of range, or anything wrong in the file.
    """
    if is_level(name_or_path):
        from hive.wildfire.world import load_level

        return load_level(str(name_or_path), **overrides)
    from hive.battle.world import load as load_battle

    return load_battle(name_or_path, **overrides)
