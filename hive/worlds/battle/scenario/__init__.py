"""Scenario files: read, checked, changed by name, and written back.

See `model` for the contents of a scenario, `schema` for every key with its range and default.
"""

from __future__ import annotations

from hive.worlds.battle.scenario.loading import changed, load_scenario, with_markers
from hive.worlds.battle.scenario.model import Scenario, ScenarioMap, ScenarioObjective, Side
from hive.worlds.battle.scenario.reader import parse_scenario
from hive.worlds.battle.scenario.schema import ScenarioBlaze, ScenarioRules, UnitGroup, UnitType
from hive.worlds.battle.scenario.writer import portable, to_toml

__all__ = [
    "Scenario",
    "ScenarioBlaze",
    "ScenarioMap",
    "ScenarioObjective",
    "ScenarioRules",
    "Side",
    "UnitGroup",
    "UnitType",
    "changed",
    "load_scenario",
    "parse_scenario",
    "portable",
    "to_toml",
    "with_markers",
]
