"""What a commander by rules knows of a battle: the same as the briefing says in words, as numbers and names."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hive.engine.types import ENEMY, PLAYER, Params, State
from hive.engine.units.leaves import UNIT_TYPES
from hive.ground.features import drawn_cells
from hive.ground.shapes import KINDS, Ground, rasterise
from hive.kit.facts import Army, Cell, Facts, Feature, UnitFacts
from hive.kit.prompts import read_prompt
from hive.worlds.battle.briefing import VERSION
from hive.worlds.battle.scenario import Scenario


def battle_facts(scenario: Scenario, params: Params, state: State, features: tuple[Feature, ...]) -> Facts:
    """Return what is known of a battle.

    Args:
        scenario: The battle that is played.
        params: The same as arrays.
        state: The world now; units in the order of their ids.
        features: The result of `map_features`.
    """
    side, kind = np.asarray(params.units.side), np.asarray(params.units.type)
    share = np.asarray(state.health) / np.asarray(params.types.max_health)[kind]
    position = np.asarray(state.position)
    own, foe = (_army(side == number, kind, position, share) for number in (PLAYER, ENEMY))
    present = {*own.types, *foe.types}
    matches = read_prompt("hive.worlds.battle", VERSION).table("Matches")  # keys such as `archer, spearmen`
    pairs = tuple((one, other) for one, other in (key.split(", ") for key in matches))
    sizes = scenario.player.count, scenario.enemy.count
    return Facts(
        context=scenario.context(PLAYER, sizes),
        ground=scenario.map.kind,
        features=features,
        own=own,
        foe=foe,
        goal=_place(scenario.player.objective.at),
        guarded=_place(scenario.enemy.objective.at),
        types={each.name: UnitFacts(each.reach, each.speed) for each in scenario.types if each.name in present},
        beats=tuple(pair for pair in pairs if present.issuperset(pair)),
        sight=max(each.sight for each in scenario.types if each.name in present),
    )


def _army(mine: np.ndarray, kind: np.ndarray, position: np.ndarray, share: np.ndarray) -> Army:
    return Army(tuple(UNIT_TYPES[index] for index in kind[mine]), position[mine], share[mine])


def map_features(scenario: Scenario) -> Iterator[Feature]:
    """Yield every name of the map with the cells on which its ground is seen."""
    ground, size = scenario.map.kind, scenario.map.size
    enter = ground & (Ground.BUILDING | Ground.WATER) == 0
    water = rasterise(size, [shape for shape in scenario.map.shapes if shape.terrain == "water"])
    for name, terrain in dict.fromkeys((shape.name, shape.terrain) for shape in scenario.map.shapes if shape.name):
        shapes = [shape for shape in scenario.map.shapes if (shape.name, shape.terrain) == (name, terrain)]
        cells = drawn_cells(size, shapes) & (ground == KINDS[terrain])
        if cells.any():
            bridge = terrain == "normal" and bool((water[cells] != 0).any())
            yield Feature(name, "bridge" if bridge else terrain, cells, _middle(cells, enter))


def _middle(cells: np.ndarray, enter: np.ndarray) -> Cell:
    """Return the cell of a feature that can be entered and is nearest its middle, else one beside it."""
    inside = np.argwhere(cells)
    open_cells = np.argwhere(cells & enter) if (cells & enter).any() else np.argwhere(enter)
    x, y = open_cells[np.argmin(((open_cells - inside.mean(0)) ** 2).sum(1))]
    return int(x), int(y)


def _place(at: tuple[float, float] | None) -> Cell | None:
    return None if at is None else (int(at[0]), int(at[1]))
