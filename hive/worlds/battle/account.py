"""One unit's decision at one tick, as facts and as text, taken from the engine."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import bt
import dsl
from dsl import Leaf, UserError
from dsl.vocabulary import SIDES
from hive.engine.deciding import Decision
from hive.engine.episode import Game
from hive.engine.instant import decision_at
from hive.engine.reading import read_tree
from hive.engine.types import OUTCOMES, ActionKind, Outcome, Plan
from hive.engine.units.leaves import UNIT_TYPES
from hive.engine.units.senses import NOBODY
from hive.kit.plan_text import PlanText
from hive.worlds.battle.reasons import apart, in_words, reasons, sense_slot
from hive.worlds.battle.world import Battle


@dataclass(frozen=True)
class Account:
    """What one unit decides after some ticks.

    Attributes:
        heading: The game, described in words.
        facts: Plain values, the object that `--json` prints.
        drawing: The unit's tree with the result of every leaf; empty when the unit does not run a tree.
    """

    heading: str
    facts: dict[str, Any]
    drawing: str

    def json(self) -> dict[str, Any]:
        """Return the facts."""
        return self.facts

    def __str__(self) -> str:
        """Return the account as readable text."""
        return "\n".join([self.heading, *_unit_lines(self.facts), *_decision_lines(self.facts, self.drawing)])


def give_account(world: Battle, plan: Plan, text: PlanText, seed: int, unit: int, tick: int) -> Account:
    """Play a game up to a tick and report what one unit decides.

    Args:
        world: What to play on.
        plan: The player's plan.
        text: The same plan as it was read.
        seed: The game's seed.
        unit: Id of the unit, of either side.
        tick: Ticks to play first.

    Raises:
        UserError: The game ends before that tick.
    """
    if tick > world.limit:
        latest = f"a game of {world.name} ends after {world.limit:,} ticks at the latest"
        raise UserError(f"{latest}\n  = help: give a --tick below {world.limit}")
    game, decision = decision_at(world, plan, seed, tick)
    ended = int(game.state.tick)
    if int(game.outcome) != Outcome.RUNNING:
        how = OUTCOMES[int(game.outcome)].replace("_", " ")
        ends = f"the game with seed {seed} ends after {ended} ticks ({how})"
        raise UserError(f"{ends}\n  = help: give a --tick below {ended}")
    facts: dict[str, Any] = {"scenario": world.name, "plan": text.name, "seed": seed, "tick": tick}
    facts["unit"] = _describe_unit(world, game, unit)
    group = _group_of(world, plan, int(game.progress.group[unit]))
    facts |= {"command": None, "leaves": [], "action": {"kind": "stand"}}
    drawing = ""
    if group:
        step, who = group
        facts["command"] = {
            "step": step.id,
            "units": dsl.format_units(who.units),
            "choice": _describe_choice(who.choice),
            "target": list(who.target),
            "cover": step.leader(who).cover,
            "behind": _describe_front(step, who),
            "behaviour": who.behaviour,
            "types": list(who.types),
            "leash": who.leash,
        }
    if group and facts["unit"]["alive"]:
        drawing, facts["leaves"] = _read_tree(world, game, decision, group[1], unit)
        facts["action"] = _describe_action(game, decision, unit)
    heading = f"{world.name}, plan {text.name}, seed {seed}, after {tick} ticks"
    return Account(heading, facts, drawing)


def _describe_unit(world: Battle, game: Game, unit: int) -> dict[str, Any]:
    units, state = world.params.units, game.state
    kind = int(units.type[unit])
    return {
        "id": unit,
        "side": SIDES[int(units.side[unit])],
        "type": UNIT_TYPES[kind],
        "alive": bool(state.alive[unit]),
        "position": _rounded(state.position[unit]),
        "health": round(float(state.health[unit]), 3),
        "max_health": round(float(world.params.types.max_health[kind]), 3),
        "cooldown": max(0, int(state.cooldown[unit])),
    }


def _group_of(world: Battle, plan: Plan, number: int) -> tuple[dsl.Step, dsl.Group] | None:
    """Return the step and the group with a group's number: the player's groups come first."""
    if number < 0:
        return None
    first = plan.tree.shape[0]
    source, index = (plan.source, number) if number < first else (world.params.enemy.source, number - first)
    assert source is not None, "a unit in a group has a plan, and plans that were read keep their source"
    return [(step, group) for step in source.steps for group in step.groups][index]


def _describe_choice(choice: dsl.Nearest | dsl.Inside | None) -> dict[str, Any] | None:
    match choice:
        case dsl.Nearest(count, place):
            return {"nearest": count, "to": list(place)}
        case dsl.Inside(first, last):
            return {"in": [list(first), list(last)]}
    return None


def _describe_front(step: dsl.Step, group: dsl.Group) -> dict[str, Any] | None:
    """Return the units of the group ahead and the gap in metres."""
    if not group.behind:
        return None
    return {"units": dsl.format_units(step.groups[group.behind.group].units), "gap": group.behind.gap}


def _read_tree(
    world: Battle, game: Game, decision: Decision, group: dsl.Group, unit: int
) -> tuple[str, list[dict[str, Any]]]:
    """Return a drawing of the unit's tree with its results, and its leaves with chosen units and reasons of failure."""

    def describe(leaf: Leaf) -> str:
        aimed = replace(leaf, types=group.types) if leaf.types == ("any",) and group.types else leaf
        return dsl.format_tree(aimed)

    tree = read_tree(group.behaviour, world.scenario.trees)
    ticked = decision.ticked
    column = (np.asarray(ticked.asked)[:, unit], np.asarray(decision.answers)[:, unit], ticked.winner[unit])
    entries = bt.record(tree, *column, describe)
    failed = [entry["leaf"] for entry in entries if entry["answer"] == "failure"]
    why = dict(zip(failed, reasons(world.params, game.state, decision, unit, failed), strict=True))
    found = [
        {
            **entry,
            "chose": _chosen(world, game, decision, unit, entry["leaf"]) if entry["asked"] else None,
            "why": why.get(entry["leaf"]),
        }
        for entry in entries
    ]
    return bt.explain(tree, *column, describe, {leaf: in_words(each) for leaf, each in why.items()}), found


def _chosen(world: Battle, game: Game, decision: Decision, unit: int, leaf: int) -> dict[str, Any] | None:
    """Return the unit that a leaf chose, or None where it chooses none or found none."""
    slot = sense_slot(world.params, int(decision.tree[unit]), leaf)
    other = int(decision.senses.unit[slot, unit]) if slot >= 0 else int(NOBODY)
    return None if other == int(NOBODY) else {"unit": other, "distance": apart(game.state, unit, other)}


def _describe_action(game: Game, decision: Decision, unit: int) -> dict[str, Any]:
    kind, action = int(decision.action.kind[unit]), decision.action
    if kind == ActionKind.MOVE:
        return {"kind": "move", "by": _rounded(action.move[unit])}
    if kind == ActionKind.ATTACK:
        other = int(action.target[unit])
        return {"kind": "attack", "unit": other, "distance": apart(game.state, unit, other)}
    return {"kind": "stand"}


def _unit_lines(facts: dict[str, Any]) -> list[str]:
    unit, command = facts["unit"], facts["command"]
    x, y = unit["position"]
    lines = [
        f"unit {unit['id']}: {unit['side']} {unit['type']} at ({x:.2f}, {y:.2f}), "
        f"health {unit['health']:g} of {unit['max_health']:g}, cooldown {unit['cooldown']}"
    ]
    if command:
        there = np.hypot(command["target"][0] - x, command["target"][1] - y)
        leash = [] if command["leash"] is None else ["within", str(command["leash"])]
        behaviour = " ".join([command["behaviour"], *command["types"], *leash])
        cover = " under cover" if command["cover"] else ""
        lines += [
            f"commanded by step {command['step']} of the {unit['side']}'s plan, units {_chosen_words(command)}:",
            f"  {behaviour}, target {tuple(command['target'])}{cover}, {there:.1f} m away",
        ]
        if behind := command["behind"]:
            lines.append(f"  behind units {behind['units']} by {behind['gap']} m")
    return lines


def _chosen_words(command: dict[str, Any]) -> str:
    match command["choice"]:
        case {"nearest": count, "to": place}:
            return f"nearest {count} of {command['units']} to {tuple(place)}"
        case {"in": (first, last)}:
            return f"{command['units']} in {tuple(first)} - {tuple(last)}"
    return str(command["units"])


def _decision_lines(facts: dict[str, Any], drawing: str) -> list[str]:
    if not facts["unit"]["alive"]:
        return ["it is dead, and the dead do nothing"]
    if not facts["command"]:
        return ["no step of its plan has commanded it so far: it stands"]
    chose = [
        f"  {entry['text']} found unit {entry['chose']['unit']}, {entry['chose']['distance']:.2f} m away"
        for entry in facts["leaves"]
        if entry["chose"]
    ]
    return ["", drawing, *chose, f"action: {_action_words(facts['action'])}"]


def _action_words(action: dict[str, Any]) -> str:
    if action["kind"] == "move":
        x, y = action["by"]
        return f"move by ({x:.2f}, {y:.2f}), {np.hypot(x, y):.2f} m"
    if action["kind"] == "attack":
        return f"attack unit {action['unit']}, {action['distance']:.2f} m away"
    return "stand"


def _rounded(vector: Any) -> list[float]:
    return [round(float(value), 3) + 0.0 for value in np.asarray(vector)]  # avoids minus zero
