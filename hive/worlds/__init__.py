"""The registry of the kinds of worlds: one row each, loading by name, and worlds from packages of their own.

A package of its own offers a world as `docs/extend.md` writes one: its module `world` has `WORLD`, which is a
`hive.kit.contract.Kind` and a `hive.kit.environment.tasks.TaskKind`, and its module `drawing` has `DRAWING`.
`register` adds it, or an entry point of the group `hive.worlds`, which names the package by the kind's name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from dsl import UserError
from dsl.wording import did_you_mean, listing, nearest, quoted
from hive.kit.contract import Kind
from hive.kit.keep.versions import split_version, versioned
from hive.kit.team_world import TeamRequest, TeamWorld

if TYPE_CHECKING:
    from hive.engine.page_view import PageView
    from hive.engine.recorder import Recorder
    from hive.engine.world import EngineWorld
    from hive.kit.environment.tasks import TaskKind

_WORLD = re.compile(r"[a-z][a-z_0-9]*/[\w/-]{1,100}")  # the name of a world of a kind, or a path without an ending
GROUP = "hive.worlds"
"""Group of the entry points of worlds in packages of their own."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """Where the parts of a kind of world are; nothing is imported before it is asked for.

    Attributes:
        host: Its `Kind`: a class without arguments, or an object.
        environments: Its `TaskKind`, a module or an object.
        drawings: What draws its recordings; `hive.worlds.kept` says what it offers.
        recording: Name of the format of its recordings, without the version.
        load: The function that loads a world for plans; empty: no plan commands it.
        page_view: What shows its running games on the live page, a `PageView`; empty: no plan commands it.
        recorder: What records a game while it is played, a `Recorder`; empty: no plan commands it.
    """

    host: str
    environments: str
    drawings: str
    recording: str
    load: str = ""
    page_view: str = ""
    recorder: str = ""


_ROWS = {  # the last one claims every name that no other one claims
    "kitchen": Row(
        host="hive.worlds.kitchen.host:Kitchens",
        environments="hive.worlds.kitchen.environment",
        drawings="hive.worlds.kitchen.view.drawing:DRAWING",
        recording="hive-kitchen-recording",
    ),
    "rescue": Row(
        host="hive.worlds.rescue.host:Rescues",
        environments="hive.worlds.rescue.environment",
        drawings="hive.worlds.rescue.view.drawing:DRAWING",
        recording="hive-rescue-recording",
    ),
    "household": Row(
        host="hive.worlds.household.host:Households",
        environments="hive.worlds.household.environment",
        drawings="hive.worlds.household.view.drawing:DRAWING",
        recording="hive-house-recording",
    ),
    "wildfire": Row(
        host="hive.worlds.wildfire.host:Levels",
        environments="hive.worlds.wildfire.environment.crews",
        drawings="hive.worlds.wildfire.view.drawing",
        recording="hive-fire-recording",
        load="hive.worlds.wildfire.world:load_level",
        page_view="hive.worlds.wildfire.view.live:FirePageView",
        recorder="hive.worlds.wildfire.recorder:FireRecorder",
    ),
    "battle": Row(
        host="hive.worlds.battle.host:Battles",
        environments="hive.worlds.battle.environment.tasks",
        drawings="hive.worlds.battle.view.drawing",
        recording="hive-recording",
        load="hive.worlds.battle.world:load",
        page_view="hive.worlds.battle.view.live:BattlePageView",
        recorder="hive.worlds.battle.recorder:GameRecorder",
    ),
}
_REGISTERED: dict[str, Row] = {}


def register(name: str, package: str) -> None:
    """Add a kind of world that a package offers, for this process.

    Args:
        name: The kind's name: its worlds are `name/...`, and the format of its recordings is `name/1`.
        package: Name of the package, which has the modules `world` and `drawing`.

    Raises:
        UserError: Another kind has this name.
    """
    row = _row_of_package(name, package)
    if rows().get(name, row) != row:
        help = f"give the world of `{package}` another name"
        raise UserError(f"there is a kind of world `{name}` already\n  = help: {help}")
    _REGISTERED[name] = row


def rows() -> Mapping[str, Row]:
    """Return the rows of all kinds by name, in the order in which they claim names."""
    return {**_REGISTERED, **_installed(), **_ROWS}


def kinds() -> dict[str, Kind]:
    """Return the hosts of all kinds of worlds, by name, in the order in which they claim names."""
    return {name: _host(row) for name, row in rows().items()}


def kind_of(name_or_path: str | Path) -> Kind:
    """Return the host of the kind that a name or path belongs to; loads no arrays."""
    return _host(rows()[row_of(name_or_path)])


def row_of(name_or_path: str | Path) -> str:
    """Return the name of that kind; of other kinds than the one that a name begins with, nothing is imported.

    Raises:
        UserError: A name has the form `kind/world`, and there is no such kind and no such file.
    """
    given, every = str(name_or_path), rows()
    likely = [name for name in every if given.startswith(f"{name}/")]
    if not likely and _WORLD.fullmatch(given) and not Path(given).exists():
        near = did_you_mean(nearest(given, [known for row in every.values() for known in _host(row).names()]))
        help = near or f"kinds are {listing(every, 'and')}; one of a package is known when the package is installed"
        raise UserError(f"there is no world {quoted(given)}\n  = help: {help}")
    return next(name for name in [*likely, *every] if _host(every[name]).claims(given))


def environments_of(kind: str) -> TaskKind:
    """Return what makes the environments of a kind of world, by the kind's name."""
    found: TaskKind = _find(rows()[kind].environments)
    return found


def page_view_of(name_or_path: str | Path) -> type[PageView[Any]]:
    """Return what shows the running games of a world that plans command on the live page; it takes the world."""
    found: type[PageView[Any]] = _find(rows()[row_of(name_or_path)].page_view)
    return found


def recorder_of(name_or_path: str | Path) -> Callable[..., Recorder]:
    """Return what records a game of a world that plans command; it takes the world, the plan and `swaps`."""
    found: Callable[..., Recorder] = _find(rows()[row_of(name_or_path)].recorder)
    return found


def drawings_of(format: str) -> Any:
    """Return what draws the recordings of a format, such as `hive-rescue-recording/1`; None for an unknown format."""
    row = next((row for row in rows().values() if row.recording == format.rpartition("/")[0]), None)
    found = row and _find(row.drawings)
    return found if found and found.recording.format == format else None


def formats() -> list[str]:
    """Return the formats of the recordings of all kinds."""
    return [_find(row.drawings).recording.format for row in rows().values()]


def id_of(name_or_path: str | Path) -> str:
    """Return the name of a world with its version, such as `coordinate-v1`; a path, which has none, as it stands.

    Raises:
        UserError: There is no such world.
    """
    name = str(name_or_path)
    return name if name.endswith(".toml") else versioned(name, kind_of(name).version(name))


def without_version(name: str, more: Mapping[str, int] = MappingProxyType({})) -> str:
    """Return the name of a world that may be given with its version: `coordinate` for `coordinate-v1`.

    Args:
        name: A name or a path; it is returned as it stands if no world is called like the part before `-v1`.
        more: Versions of what else may be named, such as tasks for learners.

    Raises:
        UserError: This HIVE has another version of the world, or there is no such world of that kind.
    """
    bare, asked = split_version(name)
    if asked is None:
        return name
    kind = None if bare in more else kind_of(bare)
    if kind and bare not in kind.names() and not _WORLD.fullmatch(bare):
        return name
    has = kind.version(bare) if kind else more[bare]
    if asked != has:
        raise UserError(
            f"this HIVE has {versioned(bare, has)}, and {name} is asked for, whose results are others\n"
            f"  = help: name {versioned(bare, has)}, or use the HIVE that has {name}: see Errata in CHANGELOG.md"
        )
    return bare


def load(name_or_path: str | Path, **overrides: Any) -> EngineWorld:
    """Load a world that plans command: a battle or a level of wildfires; `load_team_world` loads one that agents play.

    Args:
        name_or_path: A shipped name (`hive list`), with `wildfire/` before it for a level, also with its version, as in
            `coordinate-v1`, or a path to a `.toml` file.
        **overrides: For a battle `units` (the player's team; the enemy's is scaled alike) or a rule by name, such as
            `limit`. For a level `seed`, which gives the map (the seeds of `hive.play` then only draw how civilians
            walk), or any other argument of `hive.worlds.wildfire.world.load_level`.

    Returns:
        The world, ready to play with a plan; a level uses the map of one seed.

    Raises:
        UserError: A name or override is unknown, a number is out of range, the file has an error, or only agents play
            the world.
    """
    name_or_path = without_version(str(name_or_path))
    row = rows()[row_of(name_or_path)]
    if not row.load:
        raise UserError(f"no plan commands {name_or_path}\n  = help: agents play it: load it with hive.load_team_world")
    world: EngineWorld = _find(row.load)(name_or_path, **overrides)
    return world


def load_team_world(name_or_path: str | Path, **settings: Any) -> TeamWorld:
    """Load a world that agents play: a kitchen, a rescue, a household, a level of wildfires, or one of a package.

    Args:
        name_or_path: A shipped name (`hive list`), also with its version, as in `rescue/map_7/agents-1-v1`, or a path
            to a `.toml` file.
        **settings: Settings of the world by name, such as `limit` of a rescue.

    Returns:
        The world, ready for `hive.play` with players.

    Raises:
        UserError: A name or setting is unknown, a setting is wrong, the file has an error, or no agents play the world.
    """
    name = without_version(str(name_or_path))
    return kind_of(name).team_world(TeamRequest(worlds=[name], options=settings))


def _row_of_package(name: str, package: str) -> Row:
    world = f"{package}.world:WORLD"
    return Row(host=world, environments=world, drawings=f"{package}.drawing:DRAWING", recording=name)


@cache
def _installed() -> Mapping[str, Row]:
    """Return the rows of installed packages; a name that HIVE has itself is not theirs."""
    points = entry_points(group=GROUP)
    return {point.name: _row_of_package(point.name, point.value) for point in points if point.name not in _ROWS}


def _host(row: Row) -> Kind:
    """Return the host of a kind of worlds.

    Raises:
        UserError: It cannot be loaded, or it is the `StepWorld` of a package under another name than its own.
    """
    found = _find(row.host)
    if (own := getattr(found, "name", row.recording)) != row.recording:
        raise UserError(
            f"the kind of world `{row.recording}` is named `{own}` in {row.host}\n"
            "  = help: give the `StepWorld` and its entry point, or its call of `hive.worlds.register`, the same name"
        )
    return found() if isinstance(found, type) else found


def _find(place: str) -> Any:
    """Return the object or the module at a place such as `hive.worlds.rescue.host:Rescues`."""
    module, _, name = place.partition(":")
    try:
        found: Any = import_module(module)
        return getattr(found, name) if name else found
    except (ImportError, AttributeError) as error:
        if module.split(".")[0] == "hive":
            raise
        raise UserError(
            f"the world at {place} cannot be loaded: {error}\n"
            "  = help: `docs/extend.md` says what the modules `world` and `drawing` of such a package hold"
        ) from None
