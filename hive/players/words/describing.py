"""Stages of a plan to the lines of an answer: who does what where, after what, and until when."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import dsl
from dsl.wording import listing, plural, unit_words
from hive.kit.facts import Ids
from hive.players.words.scene import Scene
from hive.players.words.writing import Squad, Stage, Writer

DOES = {
    "attack_in_close_range": "attack what they see", "attack_and_move": "fight what is in reach",
    "attack_in_long_range": "fight from a distance", "follow_map": "ignore the enemy",
    "hold": "hold, fighting what comes near", "stand": "stand and do nothing",
}  # fmt: skip


def described(writer: Writer, own: Sequence[int], ids: Ids) -> str:
    """Return in words what some units do in some stages of those that are written.

    Args:
        writer: All stages, on the scene of the order.
        own: Numbers of stages.
        ids: The units.
    """
    scene, stages = writer.scene, writer.stages
    parts = list[str]()
    for number in own:
        stage = stages[number]
        squads = [squad for squad in stage.squads if len(np.intersect1d(squad.ids, ids))]
        waits = [_over(scene, stages[n], stage) for n in sorted(stage.after) if stages[n].squads]
        waits = [each for each in dict.fromkeys(waits) if each != "then"] or waits[:1]
        begins = f"{listing(phrases=waits, joint='and')}{'' if waits == ['then'] else ':'} " if waits else ""
        ends = [_reached(scene, stages[n]) for n in sorted(stage.until)]
        last = isinstance(stage.objective, dsl.Elimination) and stage.objective.units.items is None
        ends += [] if last or isinstance(stage.objective, dsl.Position) else [_reached(scene, stage)]
        until = f", until {listing(phrases=dict.fromkeys(ends), joint='and')}" if ends else ""
        parts += [f"{begins}{_groups(scene, squads)}{until}"] if squads else []
    return "; ".join(parts)


def _over(scene: Scene, before: Stage, stage: Stage) -> str:
    """Return what a stage waits for: `then` for the end of what its own units did before."""
    if before.units() & stage.units() and isinstance(before.objective, dsl.Position):
        return "then"
    return (
        f"{'once' if isinstance(before.objective, dsl.Position | dsl.Arrival) else 'after'} {_reached(scene, before)}"
    )


def _reached(scene: Scene, stage: Stage) -> str:
    """Return in words what ends a stage."""
    objective, who = stage.objective, scene.who(np.array(sorted(stage.units())))
    if isinstance(objective, dsl.Elimination):
        ids = np.array(objective.units.ids(len(scene.facts.foe.types)), int)
        kinds = scene.foe_types(ids)
        return f"the death of {len(ids)} {'enemies' if len(kinds) != 1 else 'enemy ' + unit_words(kinds[0], len(ids))}"
    if isinstance(objective, dsl.Time):
        return plural(objective.ticks, "tick")
    if isinstance(objective, dsl.Losses | dsl.EnemyLosses):
        return f"losses of {objective.percent}% of {who if isinstance(objective, dsl.Losses) else 'the enemy'}"
    if isinstance(objective, dsl.Arrival):
        return f"{objective.percent}% of {who} are there"
    return "the sight of an enemy" if isinstance(objective, dsl.Sighted) else f"{who} are there"


def _groups(scene: Scene, squads: Sequence[Squad]) -> str:
    """Return who does what where; units that do the same are told together."""
    alike: dict[tuple[object, ...], list[Squad]] = {}
    for squad in squads:
        how = (squad.behaviour, squad.types, squad.leash, squad.cover, squad.front is not None and squad.gap)
        alike.setdefault(how, []).append(squad)
    return " and ".join(_group(scene, each) for each in alike.values())


def _group(scene: Scene, squads: Sequence[Squad]) -> str:
    one = squads[0]
    cells = list(dict.fromkeys(squad.cell for squad in squads))
    where = f"to {listing(phrases=[scene.labels.get(cell, str(cell)) for cell in cells], joint='and')}"
    if one.behaviour == "stand":
        where = "where they are"
    elif one.front is not None:
        where = f"{one.gap} m behind {scene.who(np.concatenate([s.front.ids for s in squads if s.front]))}"
    elif len(cells) > 3:
        where = f"at {len(cells)} places from {cells[0]} to {cells[-1]}"
    only = f" against {listing(phrases=[unit_words(kind, 2) for kind in one.types], joint='and')}" if one.types else ""
    who = scene.who(np.unique(np.concatenate([squad.ids for squad in squads])))
    limit = f" within {one.leash} m" if one.leash else ""
    return f"{who} {where}{' under cover' * one.cover}: {DOES.get(one.behaviour, one.behaviour)}{only}{limit}"
