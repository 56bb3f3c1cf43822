"""From a scenario to TOML text that reads back as an equal scenario: the exact record of what a run used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from msgspec import structs

from hive.ground.shapes import Box, Circle, Shape
from hive.kit.keep import toml
from hive.kit.plan_text import plan_text
from hive.worlds.battle.scenario.model import Scenario, ScenarioObjective, Side


def portable(scenario: Scenario, plan: str | None, enemy: str = "enemy.plan") -> tuple[str, dict[str, str]]:
    """Return a scenario file, and the files that belong in its folder: the enemy's plan and the scenario's own trees.

    Args:
        scenario: The scenario.
        plan: File name of the player's plan; None: no plan.
        enemy: File name of the enemy's plan.
    """
    files, foe = {f"{name}.bt": text for name, text in scenario.trees.items()}, scenario.enemy
    if foe.plan is not None:
        files[enemy] = plan_text(foe.plan)[0]
        foe = replace(foe, plan=enemy)
    return to_toml(replace(scenario, player=replace(scenario.player, plan=plan), enemy=foe)), files


def to_toml(scenario: Scenario) -> str:
    """Return the scenario as TOML with every key written out, defaults and overrides included.

    The scenario's own trees are named as files `NAME.bt` in the same folder, which hold `scenario.trees`. A plan that a
    side holds as text has no place in it: see `portable`.
    """
    head = ("name", "version", "title", "summary")
    lines = [f"{key} = {toml.value(getattr(scenario, key))}" for key in head]
    lines += [f"briefing = {_paragraphs(scenario.briefing)}", f"written_for = {toml.value(scenario.written_for)}", ""]
    lines += [
        "[map]",
        f"size = {scenario.map.size}",
        f"shapes = {toml.rows(_shape(s) for s in scenario.map.shapes)}",
        "",
    ]
    lines += ["[markers]", *toml.pairs(dict(scenario.markers)), ""]
    lines += ["[rules]", *toml.pairs(structs.asdict(scenario.rules)), ""]
    if scenario.fire is not None:
        lines += ["[fire]", *toml.pairs({k: v for k, v in structs.asdict(scenario.fire).items() if v is not None}), ""]
    for kind in scenario.types:
        lines += [f"[types.{kind.name}]", *toml.pairs({k: v for k, v in asdict(kind).items() if k != "name"}), ""]
    sides = (_side(side, scenario.trees) for side in (scenario.player, scenario.enemy))
    lines += ["[player]", *next(sides), "", "[enemy]", *next(sides)]
    return "\n".join(lines) + "\n"


def _side(side: Side, own: Mapping[str, str]) -> list[str]:
    plan = [] if side.plan is None else [f"plan = {toml.value(side.plan)}"]
    units = toml.rows(structs.asdict(group) for group in side.units)
    behaviours = toml.value(tuple(f"{name}.bt" if name in own else name for name in side.behaviours))
    return [*plan, f"behaviours = {behaviours}", f"units = {units}", _objective(side.objective)]


def _objective(objective: ScenarioObjective) -> str:
    several = len(objective.places) > 1
    keys = {
        "position": None if several else objective.at,
        "positions": objective.places if several else None,
        "survive": objective.until,
        "share": objective.share,
        "type": objective.type,
    }
    given = {key: value for key, value in keys.items() if value is not None}
    return f"objective = {toml.value(given or objective.kind)}"


def _shape(shape: Shape) -> dict[str, Any]:
    head = {"terrain": shape.terrain, "name": shape.name}
    if isinstance(shape, Box):
        return head | {"box": (shape.x0, shape.y0, shape.x1, shape.y1)}
    if isinstance(shape, Circle):
        return head | {"circle": (shape.x, shape.y), "radius": shape.radius}
    return head | {"band": shape.points, "width": shape.width}


def _paragraphs(text: str) -> str:
    return '"""\n' + "\n".join(toml.escaped(line) for line in text.split("\n")) + '"""'
