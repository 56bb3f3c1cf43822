"""The registry of the kinds of worlds: one row each, and loading by name."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hive.contract import Kind, Request

if TYPE_CHECKING:
    from hive.engine.world import EngineWorld

_ROWS = {  # the kind's name, its host, and the function that loads one of its worlds; empty: the engine plays none
    "kitchen": ("hive.kitchen.host:Kitchens", ""),
    "rescue": ("hive.rescue.host:Rescues", ""),
    "household": ("hive.household.host:Households", ""),
    "wildfire": ("hive.wildfire.host:Levels", "hive.wildfire.world:load_level"),
    "battle": ("hive.battle.host:Battles", "hive.battle.world:load"),  # last: it claims every other name
}


def kinds() -> dict[str, Kind]:
    """Return the hosts of all kinds of worlds, by name, in the order in which they claim names."""
    return {name: _find(host)() for name, (host, _) in _ROWS.items()}


def kind_of(name_or_path: str | Path) -> Kind:
    """Return the host of the kind that a name or path belongs to; loads no arrays."""
    return kinds()[row_of(name_or_path)]


def row_of(name_or_path: str | Path) -> str:
    """Return the name of that kind, by which rooms above may have a row of their own for it."""
    return next(name for name, kind in kinds().items() if kind.claims(str(name_or_path)))


def load(name_or_path: str | Path, **overrides: Any) -> EngineWorld:
    """Load a scenario or a level.

    Args:
        name_or_path: A shipped name (`hive list`), with `wildfire/` before it for a level, or a path to a `.toml` file.
        **overrides: For a battle `units` (the player's team; the enemy's scales alike) or a rule by name, such as
            `limit`. For a level `seed`, which gives the map (the seeds of `hive.play` then only draw how civilians
            walk), or any other argument of `hive.wildfire.world.load_level`.

    Returns:
        The world, ready to play; a level uses the map of one seed.

    Raises:
        UserError: A name or override is unknown, a number is out of range, the file has an error, or no plan commands
            worlds of this kind.
    """
    _, loader = _ROWS[row_of(name_or_path)]
    if not loader:
        kind_of(name_or_path).load(Request(scenario=str(name_or_path)))  # raises
    world: EngineWorld = _find(loader)(name_or_path, **overrides)
    return world


def _find(place: str) -> Any:
    module, name = place.split(":")
    return getattr(import_module(module), name)
