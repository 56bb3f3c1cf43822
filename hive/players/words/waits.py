"""What stages wait for, and when they end."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

import dsl
from hive.kit.facts import Ids
from hive.players.words import fights
from hive.players.words.clauses import Clause, Event, Who
from hive.players.words.lines import reached
from hive.players.words.scene import Dead, Unclear
from hive.players.words.stages import Squad
from hive.players.words.steps import Steps

UNHEARD = "I do not understand when"
WHEN = "Say `then`, `after 50 ticks`, `once the enemy archers are dead`."


def wait(tactics: Steps, event: Event, ids: Ids, after: set[int]) -> set[int]:
    """Return the stages that a clause waits for; what it waits for may be a stage that is added here."""
    scene = tactics.scene
    if event.kind == "arrive":
        who = scene.units(event.who, named=False) if event.who and event.who[0].base != "they" else ids
        if event.place is not None and not tactics.last_of(who):
            cell = scene.spot(event.place, scene.middle(who))[0]
            tactics.add(tactics.squads(who, cell, Clause(), "go"), after)
            scene.notes.append(f"{scene.who(who)} are sent to {scene.labels.get(cell, cell)} to be waited for there")
        ready = tactics.last_of(who)
        if event.who and event.place is None and not ready:  # `if spearmen come near`: nobody was sent anywhere
            raise Unclear(f"{UNHEARD}: {scene.who(who)} were sent nowhere before. {WHEN}")
        if event.some or 0 < event.amount < 100:
            share = 0 if event.some else percent_of(event, len(who))
            if "arrival" in scene.facts.context.objectives:
                for number in ready:
                    tactics.stages[number].objective, tactics.stages[number].ends = dsl.Arrival(share), True
            else:
                tactics.scene.notes.append("a part that arrives cannot be waited for here: all of them are waited for")
        return after | ready
    objective = objective_of(tactics, event, ids)
    if objective is None:
        return after
    if event.kind == "dead" and event.who and event.foe and not tactics.last_of(who := scene.units(event.who)):
        fights.attack(tactics, Clause(event.who, ["attack"], foe=[event.foe]), who, set())
        against = scene.opponents(scene.foes(event.foe, scene.middle(who)))
        scene.notes.append(f"{scene.who(who)} are sent against {against}, whose death is waited for")
        return after | {len(tactics.stages) - 1}
    apart = event.kind == "losses" and event.who and event.who[0].base not in ("all", "they")
    watched = scene.units(event.who, named=False) if apart else ids
    if event.kind == "losses" and len(np.setxor1d(watched, ids)):
        held = present(tactics, watched) or tactics.here(watched, Clause(), "stay")
        if others := present(tactics, np.setdiff1d(ids, watched)):
            tactics.add(others, set(), dsl.Elimination(dsl.UnitList(None)))
        return after | {tactics.add(held, tactics.last_of(watched), objective)}
    same = {n for n, stage in enumerate(tactics.stages) if stage.objective == objective and event.kind == "dead"}
    if same:
        return after | same
    fighting = all(q.behaviour.startswith("attack_in") for n in after for q in tactics.stages[n].squads)
    if after and (fighting or not isinstance(objective, dsl.Elimination)) and not isinstance(objective, dsl.Time):
        for number in after:  # they go on with what they did until then
            tactics.stages[number].objective, tactics.stages[number].ends = objective, True
        return after
    return {tactics.add(present(tactics, ids) or tactics.here(ids, Clause(), "stay"), after, objective)}


def present(tactics: Steps, ids: Ids) -> list[Squad]:
    """Return what units are told now by the plan that is followed."""
    if tactics.running is None or tactics.last_of(ids):
        return []
    told: dict[int, tuple[dsl.Step, int]] = {}
    for step in tactics.running.plan.steps:
        if step.id not in tactics.running.achieved and tactics.running.achieved.issuperset(step.prerequisites):
            for number, group in enumerate(step.groups):
                told |= {unit: (step, number) for unit in group.units.ids(len(tactics.scene.facts.own.types))}
    parts: dict[tuple[dsl.Step, int], list[int]] = {}
    for unit in ids.tolist():
        if unit in told:
            parts.setdefault(told[unit], []).append(unit)
    found: dict[tuple[dsl.Step, int], Squad] = {}
    for (step, number), units in parts.items():
        group = step.groups[number]
        cover = group.cover or (group.behind is not None and step.leader(group).cover)
        found[step, number] = Squad(np.array(units), group.target, group.behaviour, group.types, group.leash, cover)
    for (step, number), squad in found.items():
        if behind := step.groups[number].behind:
            squad.front, squad.gap = found.get((step, behind.group)), behind.gap
    return list(found.values())


def percent_of(event: Event, whole: int) -> int:
    """Return the amount of an event in percent."""
    return min(100, math.ceil(100 * event.amount / max(1, whole))) if event.count else event.amount


def objective_of(tactics: Steps, event: Event, ids: Ids) -> dsl.Objective | None:
    """Return what a step must reach for an event; None, and a note, where plans of this world cannot say it."""
    scene = tactics.scene
    army, known = scene.facts.foe, scene.facts.context.objectives
    if event.kind == "dead":
        try:
            foes = scene.foes(event.foe or scene.enemies or Who("all", foe=True), scene.middle(ids))
        except Dead as dead:
            scene.notes.append(f"{str(dead).partition('.')[0]} already, so that this is not waited for")
            foes = scene.enemies_named(event.foe or scene.enemies or Who("all", foe=True))
        return dsl.Elimination(tactics.listed(foes, len(army.types)))
    if event.kind in ("losses", "enemy losses"):
        who = scene.units(event.who, named=False) if event.who and event.kind == "losses" else ids
        whole = len(who) if event.kind == "losses" else int(army.alive.sum())
        share = percent_of(event, whole) or (100 if event.kind == "losses" and event.who else 0)
        if not share:
            raise Unclear("After how many losses? Say `after losses of 30%`, `once 10 enemies are dead`.")
        objective: dsl.Objective = dsl.Losses(share) if event.kind == "losses" else dsl.EnemyLosses(share)
    elif event.kind == "ticks":
        objective = dsl.Time(max(1, event.amount))
    else:
        if event.kind == "sighted" and event.foe is not None and (event.foe.ids or event.amount > 1):
            raise Unclear("Plans wait for the sight of any enemy, not of so many, and not of one by its number.")
        objective = dsl.Sighted()
    if objective.word not in known:
        tactics.scene.notes.append(
            f"plans of this world cannot wait for {reached(scene, objective)}, so that is left out"
        )
        return None
    return objective


def until(tactics: Steps, clause: Clause, ids: Ids, first: int) -> None:
    """Let the last stage of a clause end with what was said."""
    event = clause.until
    last = [len(tactics.stages) - 1] if len(tactics.stages) > first else sorted(tactics.last_of(ids))
    if event is None or event.kind == "arrive" or not last:
        return
    objective = objective_of(tactics, event, ids)
    if objective is None:
        return
    stage = tactics.stages[last[-1]]
    others = [squad for squad in stage.squads if not len(np.intersect1d(squad.ids, ids))]
    if others and len(tactics.stages) <= first:  # those whom they follow go on
        tactics.add([replace(squad) for squad in others], {last[-1]})
    if isinstance(objective, dsl.Time) and clause.places and "stay" not in clause.verbs[:1]:
        tactics.add([replace(squad) for squad in stage.squads], {len(tactics.stages) - 1}, objective)
    else:
        stage.objective, stage.ends = objective, True
