"""The catalogue of what is shipped for battles: one entry for each scenario, plan and tree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import dsl
import scenarios
from dsl.vocabulary import OBJECTIVES, SIDES
from dsl.wording import plural
from hive.worlds.battle.drawn.sets import BattleSet
from hive.worlds.battle.scenario import Scenario

_BAD = "_bad"  # ends the name of a plan that is shipped because it loses where the plan without it wins
_SECOND = {"exploit_terrain": "markers_terrain"}  # plans for another ability than the one that their scenario names


def scenario_entry(name: str, scenario: Scenario) -> dict[str, Any]:
    """Return the catalogue entry of a scenario."""
    player, enemy, size = scenario.player.count, scenario.enemy.count, scenario.map.size
    return {
        "name": name,
        "line": f"{player} v {enemy} on {size} m: {scenario.summary}",
        "title": scenario.title,
        "summary": scenario.summary,
        "player": player,
        "enemy": enemy,
        "map": size,
        "plan": scenario.player.plan,
    }


def set_entry(found: BattleSet) -> dict[str, Any]:
    """Return the catalogue entry of a set of drawn battles."""
    count = plural(len(found.battles), "battle") if found.battles else "private battles"
    return {
        "name": found.name,
        "line": f"{count}: {found.summary}",
        "summary": found.summary,
        "battles": len(found.battles),
        "digest": found.digest,
    }


def plan_entries(loaded: Mapping[str, Scenario]) -> list[dict[str, Any]]:
    """Return the catalogue entries of shipped plans; `loaded` are the scenarios that may name them."""
    users = {
        side.plan: {"scenario": name, "side": word}
        for name, scenario in loaded.items()
        for word, side in zip(SIDES, (scenario.player, scenario.enemy), strict=True)
    }
    users |= {name: {"scenario": scenario, "side": SIDES[0]} for name, scenario in _SECOND.items()}
    known = dsl.PlanContext(behaviours=scenarios.trees(), objectives=OBJECTIVES)
    entries = []
    for name in scenarios.plans():
        plan = dsl.parse_plan(scenarios.plan(name), f"{name}.plan", known)
        user = users[name.removesuffix(_BAD)]
        whose = f"{'a bad plan ' if name.endswith(_BAD) else ''}for the {user['side']} of {user['scenario']}"
        steps, groups = len(plan.steps), sum(len(step.groups) for step in plan.steps)
        counts = f"{plural(steps, 'step')}, {plural(groups, 'group')}"
        entries.append({"name": name, "line": f"{whose}: {counts}", **user, "steps": steps, "groups": groups})
    return entries
