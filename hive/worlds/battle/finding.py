"""Battles by any of their names: shipped scenarios, files, and battles that are drawn from a class and a seed."""

from __future__ import annotations

from pathlib import Path

from hive.worlds.battle.drawn.classes import is_drawn, read_name
from hive.worlds.battle.drawn.draw import draw_with_facts
from hive.worlds.battle.scenario import Scenario, changed, load_scenario


def find_scenario(name_or_path: str | Path, **overrides: float) -> Scenario:
    """Return a scenario, with some of its numbers changed.

    Args:
        name_or_path: A shipped name, a drawn battle such as `battle/rivers/17`, or a path that ends in `.toml`.
        **overrides: As for `load_scenario`.

    Raises:
        ScenarioError: The scenario, the class, the seed or an override is unknown, or the file has errors.
    """
    name = str(name_or_path)
    if is_drawn(name):
        return changed(draw_with_facts(*read_name(name)).scenario, **overrides)
    return load_scenario(name_or_path, **overrides)
