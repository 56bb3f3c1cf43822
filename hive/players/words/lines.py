"""Lines of an answer: what the steps of a plan say, in words that are made from the steps themselves."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import dsl
from dsl.wording import listing, plural, unit_words
from hive.kit.facts import Ids
from hive.players.words.scene import Scene
from hive.players.words.stages import Squad, Stage

DOES = {
    "attack_in_close_range": "attack what they see",
    "attack_and_move": "fight what is in reach",
    "attack_in_long_range": "fight from a distance",
    "follow_map": "ignore the enemy",
    "hold": "hold, fighting what comes near",
    "stand": "stand and do nothing",
}
FEW = 3  # places that a line names one by one


def described(scene: Scene, stages: Sequence[Stage], own: Sequence[int], ids: Ids) -> str:
    """Return in words what some units do in some stages of a plan.

    Args:
        scene: The game.
        stages: All stages, with their final objectives.
        own: Numbers of those to describe, in order.
        ids: The units.
    """
    parts = list[str]()
    for number in own:
        stage = stages[number]
        squads = [squad for squad in stage.squads if len(np.intersect1d(squad.ids, ids))]
        waited = any(number in each.after for each in stages)
        if squads:
            parts.append(
                f"{_begins(scene, stages, stage, own)}{_groups(scene, squads)}{_ends(scene, stages, stage, waited)}"
            )
    return "; ".join(parts)


def _begins(scene: Scene, stages: Sequence[Stage], stage: Stage, own: Sequence[int]) -> str:
    """Return what a stage waits for: `then` for the end of what its own units did before."""
    waits = list[str]()
    for number in sorted(stage.after):
        before = stages[number]
        if not before.squads:
            continue
        if isinstance(before.objective, dsl.Position) and not before.units() <= stage.units():
            waits.append(f"once {_arrived(scene, before)}")
        elif not (isinstance(before.objective, dsl.Position) or (number in own and before.units() & stage.units())):
            whose = ""
            if isinstance(before.objective, dsl.Losses) and not stage.units() & before.units():
                whose = f" of {scene.who(np.array(sorted(before.units())))}"
            waits.append(f"after {reached(scene, before.objective)}{whose}")
        else:
            waits.append("then")
    waits = list(dict.fromkeys(waits))
    waits = [each for each in waits if each != "then"] or waits
    return f"{listing(phrases=waits, joint='and')}{'' if waits == ['then'] else ':'} " if waits else ""


def _arrived(scene: Scene, stage: Stage) -> str:
    """Return that the units of a stage are where it sends them."""
    cells = dict.fromkeys(squad.cell for squad in stage.squads if squad.front is None)
    names = [scene.labels.get(cell, str(cell)) for cell in cells]
    where = f"at {listing(phrases=names, joint='and')}" if 0 < len(names) <= FEW else "there"
    return f"{scene.who(np.array(sorted(stage.units())))} are {where}"


def _ends(scene: Scene, stages: Sequence[Stage], stage: Stage, waited: bool) -> str:
    """Return when a stage ends, where that is not the arrival of all, or the death of all enemies."""
    objective, until = stage.objective, [stages[number] for number in sorted(stage.until)]
    if until:
        ends = (
            _arrived(scene, e) if isinstance(e.objective, dsl.Position) else reached(scene, e.objective) for e in until
        )
        return f", until {listing(phrases=dict.fromkeys(ends), joint='and')}"
    if isinstance(objective, dsl.Elimination) and objective.units.items is None and not waited:  # the end of the battle
        return ""
    return f", until {reached(scene, objective)}"


def reached(scene: Scene, objective: dsl.Objective) -> str:
    """Return in words what meets an objective."""
    if isinstance(objective, dsl.Elimination):
        ids = np.array(objective.units.ids(len(scene.facts.foe.types)), int)
        return f"the death of {scene.opponents(ids)}"
    if isinstance(objective, dsl.Time):
        return plural(objective.ticks, "tick")
    if isinstance(objective, dsl.Losses | dsl.EnemyLosses):
        return f"{'enemy ' * isinstance(objective, dsl.EnemyLosses)}losses of {objective.percent}%"
    if isinstance(objective, dsl.Arrival):
        return f"the arrival of {objective.percent}% of them"
    return "the sight of an enemy" if isinstance(objective, dsl.Sighted) else "all of them are there"


def _groups(scene: Scene, squads: Sequence[Squad]) -> str:
    """Return who does what where; units that do the same are told together."""
    alike: dict[tuple[object, ...], list[Squad]] = {}
    for squad in squads:
        how = (squad.behaviour, squad.types, squad.leash, squad.cover, squad.front is not None and squad.gap)
        alike.setdefault(how, []).append(squad)
    return " and ".join(_group(scene, squads) for squads in alike.values())


def _group(scene: Scene, squads: Sequence[Squad]) -> str:
    one = squads[0]
    cells = list(dict.fromkeys(squad.cell for squad in squads))
    names = [scene.labels.get(cell, str(cell)) for cell in cells]
    if one.behaviour == "stand":
        where = "where they are"
    elif one.front is not None:
        where = f"{one.gap} m behind {scene.who(np.concatenate([s.front.ids for s in squads if s.front]))}"
    elif len(names) > FEW:
        where = f"at {len(names)} places from {cells[0]} to {cells[-1]}"
    else:
        where = f"to {listing(phrases=names, joint='and')}"
    against = (
        f" against {listing(phrases=[unit_words(kind, 2) for kind in one.types], joint='and')}" if one.types else ""
    )
    leash = f" within {one.leash} m" if one.leash else ""
    cover = " under cover" if one.cover else ""
    who = scene.who(np.unique(np.concatenate([squad.ids for squad in squads])))
    return f"{who} {where}{cover}: {DOES.get(one.behaviour, one.behaviour)}{against}{leash}"
