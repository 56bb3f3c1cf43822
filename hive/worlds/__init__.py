"""The registry of the kinds of worlds: one row each, and loading by name."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hive.kit.contract import Kind, TeamRequest

if TYPE_CHECKING:
    from hive.kit.environment.tasks import TaskKind

# The kind's name, its host, its environments for learners, and the function that loads a world for plans (empty: no
# plan commands it). The last row claims every other name.
_ROWS = {
    "kitchen": ("hive.worlds.kitchen.host:Kitchens", "hive.worlds.kitchen.environment", ""),
    "rescue": ("hive.worlds.rescue.host:Rescues", "hive.worlds.rescue.environment", ""),
    "household": ("hive.worlds.household.host:Households", "hive.worlds.household.environment", ""),
    "wildfire": (
        "hive.worlds.wildfire.host:Levels",
        "hive.worlds.wildfire.environment.crews",
        "hive.worlds.wildfire.world:load_level",
    ),
    "battle": (
        "hive.worlds.battle.host:Battles",
        "hive.worlds.battle.environment.tasks",
        "hive.worlds.battle.world:load",
    ),
}


def kinds() -> dict[str, Kind]:
    """Return the hosts of all kinds of worlds, by name, in the order in which they claim names."""
    return {name: _find(host)() for name, (host, _, _) in _ROWS.items()}


def kind_of(name_or_path: str | Path) -> Kind:
    """Return the host of the kind that a name or path belongs to; loads no arrays."""
    return kinds()[row_of(name_or_path)]


def row_of(name_or_path: str | Path) -> str:
    """Return the name of that kind, by which rooms above may have a row of their own for it."""
    return next(name for name, kind in kinds().items() if kind.claims(str(name_or_path)))


def environments_of(kind: str) -> TaskKind:
    """Return what makes the environments of a kind of world, by the kind's name."""
    module: Any = import_module(_ROWS[kind][1])
    found: TaskKind = module
    return found


def load(name_or_path: str | Path, **overrides: Any) -> Any:
    """Load a world.

    Args:
        name_or_path: A shipped name (`hive list`), with `wildfire/` before it for a level, or a path to a `.toml` file.
        **overrides: For a battle `units` (the player's team; the enemy's scales alike) or a rule by name, such as
            `limit`. For a level `seed`, which gives the map (the seeds of `hive.play` then only draw how civilians
            walk), or any other argument of `hive.worlds.wildfire.world.load_level`. For a world that agents play its
            settings, such as `limit` of a rescue.

    Returns:
        An `EngineWorld`, ready to play with a plan; a level uses the map of one seed. For a world that agents play a
        `hive.kit.contract.TeamWorld`.

    Raises:
        UserError: A name or override is unknown, a number is out of range, or the file has an error.
    """
    _, _, loader = _ROWS[row_of(name_or_path)]
    if not loader:
        return kind_of(name_or_path).team_world(TeamRequest(worlds=[str(name_or_path)], options=overrides))
    return _find(loader)(name_or_path, **overrides)


def _find(place: str) -> Any:
    module, name = place.split(":")
    return getattr(import_module(module), name)
