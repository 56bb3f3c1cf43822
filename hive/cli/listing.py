"""`hive list`: what is shipped, one line each."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import Any

import scenarios
from hive.cli.arguments import Command, Parser, add_json
from hive.cli.printing import plural, print_json

_COMMANDERS = {  # of a level; `hive.wildfire.commanders` would load JAX for their names
    "scripted": "writes a plan every few ticks from what its crew knows",
    "nothing": "lets everybody stand: the method `Do Nothing`",
}


def _options(parser: Parser) -> None:
    add_json(parser)


def _run(args: argparse.Namespace) -> int:
    found = _collect()
    if args.json:
        print_json(found)
        return 0
    width = max(len(entry["name"]) for entries in found.values() for entry in entries)
    for number, (title, entries) in enumerate(found.items()):
        print(f"{chr(10) if number else ''}{title.replace('_', ' ')}")
        for entry in entries:
            print(f"  {entry['name']:<{width}}  {_line(title, entry)}")
    return 0


def _collect() -> dict[str, list[dict[str, Any]]]:
    import dsl
    from dsl.vocabulary import CREW_BEHAVIOURS, OBJECTIVES
    from hive.battle.scenario import load_scenario

    loaded = {name: load_scenario(name) for name in scenarios.names()}
    users = {
        side.plan: {"scenario": name, "side": word}
        for name, scenario in loaded.items()
        for word, side in (("player", scenario.player), ("enemy", scenario.enemy))
    }
    known = dsl.PlanContext(behaviours=scenarios.trees(), objectives=OBJECTIVES)
    plans = {name: dsl.parse_plan(scenarios.plan(name), f"{name}.plan", known) for name in scenarios.plans()}
    return {
        "scenarios": [
            {
                "name": name,
                "title": scenario.title,
                "summary": scenario.summary,
                "player": scenario.player.count,
                "enemy": scenario.enemy.count,
                "map": scenario.map.size,
                "plan": scenario.player.plan,
            }
            for name, scenario in loaded.items()
        ],
        "levels": _levels(),
        "plans": [
            {
                "name": name,
                **users.get(name, {"scenario": None, "side": None}),
                "steps": len(plan.steps),
                "groups": sum(len(step.groups) for step in plan.steps),
            }
            for name, plan in plans.items()
        ],
        "commanders": [{"name": name, "text": text} for name, text in _COMMANDERS.items()],
        "trees": _trees(name for name in scenarios.trees() if name not in CREW_BEHAVIOURS),
        "crew_trees": _trees(CREW_BEHAVIOURS),
    }


def _levels() -> list[dict[str, Any]]:
    from dsl.vocabulary import CREW_TYPES
    from hive.wildfire.levels import levels

    return [
        {
            "name": f"wildfire/{level.id}",
            "title": level.title,
            "crew": {kind: count for kind, count in zip(CREW_TYPES, level.agents, strict=True) if count},
            "map": level.size,
            "limit": level.limit,
            "best": level.best,
            "seeds": list(level.seeds),
        }
        for level in levels().values()
    ]


def _trees(names: Iterable[str]) -> list[dict[str, Any]]:
    return [{"name": name, "text": _on_one_line(scenarios.tree(name))} for name in names]


def _on_one_line(tree: str) -> str:
    return " ".join(tree.split()).replace("( ", "(").replace(" )", ")")


def _line(kind: str, entry: dict[str, Any]) -> str:
    if kind == "scenarios":
        return f"{entry['player']} v {entry['enemy']} on {entry['map']} m: {entry['summary']}"
    if kind == "levels":
        crew = ", ".join(plural(count, kind) for kind, count in entry["crew"].items())
        seeds = plural(len(entry["seeds"]), "published seed")
        return f"{entry['title']}: {crew} on {entry['map']} x {entry['map']} cells, {seeds}"
    if kind == "plans":
        whose = (
            f"for the {entry['side']} of {entry['scenario']}" if entry["scenario"] else "for no scenario in particular"
        )
        return f"{whose}: {plural(entry['steps'], 'step')}, {plural(entry['groups'], 'group')}"
    return str(entry["text"])


COMMAND = Command(
    name="list",
    summary="scenarios, wildfire levels, plans and trees that are shipped, one line each",
    about="""\
List the shipped scenarios, wildfire levels, plans, commanders and behaviour trees of armies and crews.
Their names work wherever a name is asked for.""",
    examples=("hive list", "hive list --json"),
    options=_options,
    run=_run,
)
