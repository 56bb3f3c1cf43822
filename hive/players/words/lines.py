"""Lines of an answer: what the steps of a plan say, in words that are made from the steps themselves."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import dsl
from dsl.wording import listing, plural, unit_words
from hive.players.words.places import World
from hive.players.words.planner import Squad, Stage

DOES = {
    "attack_in_close_range": "attack what they see",
    "attack_and_move": "fight what is in reach",
    "attack_in_long_range": "fight from a distance",
    "follow_map": "ignore the enemy",
    "hold": "hold, fighting what comes near",
    "stand": "stand and do nothing",
}
FEW = 3  # places that a line names one by one


def described(world: World, stages: Sequence[Stage], own: Sequence[int]) -> str:
    """Return in words what some stages of a plan say, with their final objectives.

    Args:
        world: The game.
        stages: All stages.
        own: Numbers of those to describe, in order.
    """
    parts = list[str]()
    for number in own:
        stage = stages[number]
        if not stage.squads:
            continue
        begins = _begins(world, stages, stage, own)
        waited = any(number in each.after for each in stages)
        objective = stage.objective
        battle = isinstance(objective, dsl.Elimination) and objective.units.items is None and not waited
        parts.append(
            f"{begins}{_groups(world, stage.squads)}{'' if battle else f', until {reached(world, objective)}'}"
        )
    return "; ".join(parts)


def _begins(world: World, stages: Sequence[Stage], stage: Stage, own: Sequence[int]) -> str:
    """Return what a stage waits for: `then` for the end of what its own units did before."""
    waits = list[str]()
    for number in sorted(stage.after):
        before = stages[number]
        if not before.squads:
            continue
        if isinstance(before.objective, dsl.Position) and not before.units() <= stage.units():
            names = [world.labels.get(squad.cell, str(squad.cell)) for squad in before.squads if squad.front is None]
            names = list(dict.fromkeys(names))
            where = f"at {listing(phrases=names, joint='and')}" if 0 < len(names) <= FEW else "there"
            waits.append(f"once {world.who(np.array(sorted(before.units())))} are {where}")
        elif isinstance(before.objective, dsl.Position) or (number in own and before.units() & stage.units()):
            waits.append("then")
        else:
            whose = ""
            if isinstance(before.objective, dsl.Losses) and before.units() != stage.units():
                whose = f" of {world.who(np.array(sorted(before.units())))}"
            waits.append(f"after {reached(world, before.objective)}{whose}")
    waits = list(dict.fromkeys(waits))
    waits = [each for each in waits if each != "then"] or waits
    return f"{listing(phrases=waits, joint='and')}{'' if waits == ['then'] else ':'} " if waits else ""


def reached(world: World, objective: dsl.Objective) -> str:
    """Return in words what meets an objective."""
    if isinstance(objective, dsl.Elimination):
        return f"the death of {world.opponents(np.array(objective.units.ids(len(world.facts.foe.types)), int))}"
    if isinstance(objective, dsl.Time):
        return plural(objective.ticks, "tick")
    if isinstance(objective, dsl.Losses | dsl.EnemyLosses):
        return f"{'enemy ' * isinstance(objective, dsl.EnemyLosses)}losses of {objective.percent}%"
    if isinstance(objective, dsl.Arrival):
        return f"the arrival of {f'{objective.percent}% of them' if objective.percent else 'one of them'}"
    return "the sight of an enemy" if isinstance(objective, dsl.Sighted) else "all of them are there"


def _groups(world: World, squads: Sequence[Squad]) -> str:
    """Return who does what where; units that do the same are told together."""
    alike: dict[tuple[object, ...], list[Squad]] = {}
    for squad in squads:
        how = (squad.behaviour, squad.types, squad.leash, squad.cover, squad.front is not None and squad.gap)
        alike.setdefault(how, []).append(squad)
    return " and ".join(_group(world, squads) for squads in alike.values())


def _group(world: World, squads: Sequence[Squad]) -> str:
    one, cells = squads[0], list(dict.fromkeys(squad.cell for squad in squads))
    names = [world.labels.get(cell, str(cell)) for cell in cells]
    names = [name if str(cell) in name else f"{name} {cell}" for name, cell in zip(names, cells, strict=True)]
    if one.front is not None:
        where = f"{one.gap} m behind {world.who(np.concatenate([s.front.ids for s in squads if s.front]))}"
    elif len(names) > FEW and (
        len(names) > 9 or all(name == str(cell) for name, cell in zip(names, cells, strict=True))
    ):
        where = f"at {len(names)} places from {cells[0]} to {cells[-1]}"
    else:
        where = f"to {listing(phrases=names, joint='and')}"
    against = (
        f" against {listing(phrases=[unit_words(kind, 2) for kind in one.types], joint='and')}" if one.types else ""
    )
    leash = f" within {one.leash} m" if one.leash else ""
    cover = " under cover" if one.cover and one.front is None else ""
    who = world.who(np.unique(np.concatenate([squad.ids for squad in squads])))
    return f"{who} {where}{cover}: {DOES.get(one.behaviour, one.behaviour)}{against}{leash}"
