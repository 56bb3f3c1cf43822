"""From the text of a scenario file to a checked `Scenario`.

There are two passes, and each reports every problem that it finds: the first checks keys, types and ranges by the
schema, the second what several keys must agree on.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from msgspec.structs import asdict

import scenarios
from hive.ground.shapes import MOST_CELLS, MOST_PIECES, Band, Ground, drawing_cells
from hive.kit.keep.reading import Problems, hint
from hive.worlds.battle.scenario.model import Scenario, ScenarioMap, ScenarioObjective, Side
from hive.worlds.battle.scenario.schema import DEFAULT_TYPES, MOST_UNITS, ObjectiveTable, ScenarioTable, SideTable
from hive.worlds.battle.scenario.trees import resolve_trees

MOST_START_CELLS = 50_000_000
"""Most cells of stored start boxes: their number times the largest of them, 400 MB."""


def parse_scenario(text: str, name: str, source: str = "", folder: Path | None = None) -> Scenario:
    """Return the scenario that a TOML text describes.

    Args:
        text: The file's text.
        name: Name of the scenario, unless the text has one.
        source: File name for messages; the name when left out.
        folder: Folder that plan paths in the text are relative to; None: they must be absolute.

    Raises:
        ScenarioError: The text is too long or not TOML, or has wrong keys, types, ranges or contradictions; the error
            holds all of them.
    """
    problems = Problems("scenario", source or name)
    table = problems.read(problems.parse(text), ScenarioTable)
    if table is None:
        raise problems.error()
    scenario = _build(table, name)
    trees: dict[str, str] = {}
    player, enemy = (
        _resolve(resolve_trees(side, place, folder, trees, problems), place, folder, problems)
        for place, side in (("player", scenario.player), ("enemy", scenario.enemy))
    )
    scenario = replace(scenario, player=player, enemy=enemy, trees=trees)
    _check_together(scenario, problems)
    problems.finish()
    return scenario


def check_total(scenario: Scenario, place: str, problems: Problems) -> None:
    """Report a scenario with more units than a game may hold."""
    total = scenario.player.count + scenario.enemy.count
    if total > MOST_UNITS:
        problems.add("range", f"{total} units are too many", place, f"both sides together have at most {MOST_UNITS}")


def check_markers(scenario: Scenario, problems: Problems) -> None:
    """Report markers outside the map."""
    for letter, at in scenario.markers.items():
        _check_inside(scenario, at, f"markers.{letter}", problems)


def _check_inside(scenario: Scenario, at: tuple[float, float], place: str, problems: Problems) -> None:
    size = scenario.map.size
    if not all(0 <= each < size for each in at):
        inside = f"from 0 to below {size} on both axes"
        problems.add("range", f"({at[0]:g}, {at[1]:g}) is outside the map", place, inside)


def check_objectives(scenario: Scenario, problems: Problems) -> None:
    """Report objectives that no game can meet: places outside the map, types that the side has not, too late a tick."""
    limit = scenario.rules.limit
    for place, side in (("player", scenario.player), ("enemy", scenario.enemy)):
        objective, where = side.objective, f"{place}.objective"
        for index, at in enumerate(objective.places):
            key = f"{where}.positions[{index}]" if len(objective.places) > 1 else f"{where}.position"
            _check_inside(scenario, at, key, problems)
        if not side.counted:
            has = hint(objective.type or "", tuple(dict.fromkeys(group.type for group in side.units)))
            problems.add("unknown-name", f"the side has no units of the type `{objective.type}`", f"{where}.type", has)
        if objective.until is not None and objective.until > limit:
            late = f"the tick {objective.until:,} is after the limit of {limit:,} ticks"
            problems.add("range", late, f"{where}.survive", "choose an earlier tick, or raise `rules.limit`")


def _build(table: ScenarioTable, name: str) -> Scenario:
    player, enemy = _side(table.player), _side(table.enemy)
    given = {key: {k: v for k, v in asdict(each).items() if v is not None} for key, each in table.types.items()}
    return Scenario(
        name=table.name or name,
        version=table.version,
        title=table.title,
        summary=table.summary,
        briefing=table.briefing,
        map=ScenarioMap(table.map.size, tuple(each.shape() for each in table.map.shapes)),
        markers=dict(sorted(table.markers.items())),
        rules=table.rules,
        fire=table.fire,
        types=tuple(replace(kind, **given.get(kind.name, {})) for kind in DEFAULT_TYPES),
        player=player,
        enemy=enemy,
        written_for=table.written_for or (player.count, enemy.count),
    )


def _side(table: SideTable) -> Side:
    return Side(table.plan, table.behaviours, table.units, _objective(table.objective))


def _objective(table: str | ObjectiveTable) -> ScenarioObjective:
    if isinstance(table, str):
        return ScenarioObjective(table)
    places = table.positions or (() if table.position is None else (table.position,))
    return ScenarioObjective("position" if places else "survive", places, table.survive, table.share, table.type)


def _resolve(side: Side, place: str, folder: Path | None, problems: Problems) -> Side:
    """Return the side with its plan as the name of a shipped plan or as an absolute path."""
    if side.plan is None or side.plan in scenarios.plans():
        return side
    path = (folder or Path("/")) / side.plan
    if (folder or Path(side.plan).is_absolute()) and path.is_file():
        return replace(side, plan=str(path.resolve()))
    what = f"there is no shipped plan and no file `{side.plan}`"
    problems.add("unknown-name", what, f"{place}.plan", hint(side.plan, scenarios.plans()))
    return side


def _check_together(scenario: Scenario, problems: Problems) -> None:
    size = scenario.map.size
    check_total(scenario, "player.units", problems)
    check_markers(scenario, problems)
    check_objectives(scenario, problems)
    for index, at in enumerate(scenario.fire.start if scenario.fire else ()):
        _check_inside(scenario, at, f"fire.start[{index}]", problems)
    if not _drawable(scenario, problems):
        return
    boxes = {group.box: group.cells(size) for side in (scenario.player, scenario.enemy) for group in side.units}
    areas = [(xs.stop - xs.start) * (ys.stop - ys.start) for xs, ys in boxes.values()]
    if len(boxes) * max(areas) > MOST_START_CELLS:
        much = f"{len(boxes):,} different start boxes of up to {max(areas):,} cells are too much to keep"
        few = f"number times largest is at most {MOST_START_CELLS:,}; let groups share a box, or make boxes smaller"
        problems.add("range", much, "player.units", few)
        return
    free = scenario.map.kind & (Ground.BUILDING | Ground.WATER) == 0
    startable: dict[object, bool] = {}
    for place, side in (("player", scenario.player), ("enemy", scenario.enemy)):
        for index, group in enumerate(side.units):
            if group.box not in startable:
                startable[group.box] = bool(np.any(free[boxes[group.box]]))
            if not startable[group.box]:
                where = f"{place}.units[{index}].box"
                why = "no unit can start here: every cell of the box is water or a building"
                problems.add("start-box", why, where, "move the box, or draw normal terrain over part of it")


def _drawable(scenario: Scenario, problems: Problems) -> bool:
    """Return whether the map can be drawn in about a second, and report it otherwise."""
    size, shapes = scenario.map.size, scenario.map.shapes
    pieces = sum(len(shape.points) if isinstance(shape, Band) else 1 for shape in shapes)
    if pieces > MOST_PIECES:
        message = f"{pieces:,} boxes, circles and points of bands are too many"
        problems.add(
            "range", message, "map.shapes", f"at most {MOST_PIECES:,}: draw fewer shapes, or bands of fewer points"
        )
        return False
    if (cells := drawing_cells(size, shapes)) > MOST_CELLS:
        message = f"these shapes take too long to draw: together they have {cells:,} cells"
        how = "draw fewer, smaller or thinner shapes, or large ones as boxes, of which 32 cells count as one"
        problems.add("range", message, "map.shapes", f"at most {MOST_CELLS:,}: {how}")
        return False
    return True
