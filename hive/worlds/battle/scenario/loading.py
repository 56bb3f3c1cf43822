"""Finding a scenario by name or path, and changing it: the size of the game, single rules, markers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from msgspec import structs

import scenarios
from dsl.wording import did_you_mean, listing, nearest
from hive.engine.plan.rescale import scale_bound
from hive.kit.errors import Problem, ScenarioError
from hive.kit.keep.reading import Problems, hint, keys, read_text
from hive.worlds.battle.scenario.model import Scenario, Side
from hive.worlds.battle.scenario.reader import check_markers, check_objectives, check_total, parse_scenario
from hive.worlds.battle.scenario.schema import Markers, ScenarioRules, UnitCount

_OVERRIDES = {"units": UnitCount, **keys(ScenarioRules)}


def load_scenario(name_or_path: str | Path, **overrides: float) -> Scenario:
    """Return a shipped scenario, or one from a file, with some of its numbers changed.

    Args:
        name_or_path: A name of `scenarios.names()`, or a path that ends in `.toml`.
        **overrides: `units`, the size of the player's team: both sides keep their proportions, group by group, and
            `written_for` keeps the old sizes. Or any rule by name, such as `limit`.

    Raises:
        ScenarioError: The scenario or override is unknown, or the file has errors; it holds every problem found.
    """
    return changed(_read(name_or_path), **overrides)


def changed(scenario: Scenario, **overrides: float) -> Scenario:
    """Return a scenario with some of its numbers changed; see `load_scenario`.

    Raises:
        ScenarioError: An override is unknown or out of range.
    """
    problems = Problems("scenario", f"{scenario.name} (overrides)")
    checked: dict[str, Any] = {}
    for key, value in overrides.items():
        if key not in _OVERRIDES:
            problems.add("unknown-override", f"there is no override called `{key}`", key, hint(key, tuple(_OVERRIDES)))
        elif (number := problems.read(value, _OVERRIDES[key], key)) is not None:
            checked[key] = number
    units = checked.pop("units", None)
    if units is not None:
        scenario = _resize(scenario, units, problems)
    scenario = replace(scenario, rules=structs.replace(scenario.rules, **checked))
    check_objectives(scenario, problems)
    problems.finish()
    return scenario


def with_markers(scenario: Scenario, markers: Mapping[str, tuple[int, int]]) -> Scenario:
    """Return the scenario with markers added, or moved where a letter is taken.

    Args:
        scenario: Any scenario.
        markers: Letter (A to Z) to (x, y), whole metres inside the map.

    Raises:
        ScenarioError: A name is not a capital letter, or a place is not in whole metres or not on the map.
    """
    problems = Problems("scenario", f"{scenario.name} (markers)")
    read = problems.read({letter: list(place) for letter, place in markers.items()}, Markers, "markers")
    if read is not None:
        scenario = replace(scenario, markers=dict(sorted({**scenario.markers, **read}.items())))
        check_markers(scenario, problems)
    problems.finish()
    return scenario


def _read(name_or_path: str | Path) -> Scenario:
    name = str(name_or_path)
    if name in scenarios.names():
        return parse_scenario(scenarios.read(name), name, f"{name}.toml")
    path = Path(name_or_path)
    if path.suffix != ".toml" and path.exists():
        raise ScenarioError(name, [Problem("scenario-file", "this is not a scenario file: its name must end in .toml")])
    if path.suffix != ".toml":
        near = did_you_mean(nearest(name, scenarios.names())) or "`hive list all` names all worlds;"
        known = f"{near} shipped are {listing(scenarios.names(), 'and')}; or give a path to a .toml file"
        raise ScenarioError(name, [Problem("scenario-unknown-name", f"there is no scenario `{name}`", "", known)])
    text = read_text(path, "scenario-file")
    return parse_scenario(text, path.stem, name, path.resolve().parent)


def _resize(scenario: Scenario, units: int, problems: Problems) -> Scenario:
    """Return the scenario with a player's team of `units` and the enemy's scaled by the same ratio."""
    sizes = _sizes(scenario, units)
    if 0 in (size for side in sizes for size in side):
        enough = units + 1
        while 0 in (size for side in _sizes(scenario, enough) for size in side):
            enough += 1
        message = f"with {units} units, a group of the scenario would be empty"
        problems.add("range", message, "units", f"the next number that gives every group a unit is {enough}")
        return scenario
    player, enemy = (_with_sizes(side, new) for side, new in zip((scenario.player, scenario.enemy), sizes, strict=True))
    scenario = replace(scenario, player=player, enemy=enemy)
    check_total(scenario, "units", problems)
    return scenario


def _sizes(scenario: Scenario, units: int) -> list[list[int]]:
    """Return the size of every group of both sides when the player has `units`."""
    player, enemy = scenario.player.count, scenario.enemy.count
    totals = ((scenario.player, units), (scenario.enemy, scale_bound(enemy, player, units)))
    return [[b - a for a, b in pairwise(_bounds(side, total))] for side, total in totals]


def _bounds(side: Side, total: int) -> list[int]:
    old = [sum(group.count for group in side.units[:index]) for index in range(len(side.units) + 1)]
    return [scale_bound(bound, side.count, total) for bound in old]


def _with_sizes(side: Side, sizes: list[int]) -> Side:
    return replace(side, units=tuple(structs.replace(g, count=n) for g, n in zip(side.units, sizes, strict=True)))
