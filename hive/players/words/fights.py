"""Who attacks, keeps off or goes back from which enemies: clauses to stages of a plan."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

import dsl
from dsl.wording import listing
from hive.ground.places import Vector
from hive.kit.facts import Ids
from hive.players.words import spreading
from hive.players.words.clauses import Clause, Who
from hive.players.words.scene import COMPASS, NAMED, Unclear
from hive.players.words.steps import Steps


def match(tactics: Steps, clause: Clause, ids: Ids, after: set[int]) -> str:
    """Send each type against the type that it beats; those whose enemy stands farther wait for the others."""
    scene = tactics.scene
    kinds, theirs = np.array(scene.facts.own.types), np.array(scene.facts.foe.types)
    alive = scene.facts.foe.alive
    pairs = [
        (mine, their)
        for mine, their in scene.facts.beats
        if (kinds[ids] == mine).any() and (alive & (theirs == their)).any()
    ]
    if not pairs:
        raise Unclear("No type of your army beats a type of the enemy here.")
    far = {their: scene.foe_middle(np.nonzero(alive & (theirs == their))[0]) for _, their in pairs}
    here, first = scene.middle(ids), set[int]()
    pairs.sort(key=lambda pair: math.dist(here, far[pair[1]]))
    for mine, their in pairs:  # the way to those who stand farther leads past the others
        part, foes = ids[kinds[ids] == mine], np.nonzero(alive & (theirs == their))[0]
        squads = tactics.squads(part, scene.terrain.near(far[their]), clause, "fight", types=(their,))
        later = math.dist(here, far[their]) > 1.2 * math.dist(here, far[pairs[0][1]])
        waits = after | first if later else after
        share = 1 - (scene.facts.sight + 12) / math.dist(here, far[their])
        if later and share > 0:  # a long way strings units out: they gather out of sight
            x, y = (a + share * (b - a) for a, b in zip(here, far[their], strict=True))
            waits = {tactics.add(tactics.squads(part, scene.terrain.near((x, y)), clause, "go"), waits)}
        number = tactics.add(squads, waits, dsl.Elimination(tactics.listed(foes, len(theirs))))
        first |= set() if later else {number}
    rest = [kind for kind in dict.fromkeys(kinds[ids]) if kind not in {mine for mine, _ in pairs}]
    left = f"; {listing(phrases=rest, joint='and')} beat no type here and get no order" if rest else ""
    return f"attack by what they beat{left}"


def retreat(tactics: Steps, clause: Clause, ids: Ids, after: set[int]) -> str:
    """Units go back without fighting, to a place or away from the enemy."""
    metres = next((place.metres for place in clause.places if place.kind == "way" and place.metres), 40)
    places = [place for place in clause.places if place.kind != "way"]
    stops = tactics.stops(places, ids) or [(tactics.scene.away(tactics.scene.middle(ids), metres), "")]
    for cell, _ in stops:
        after = {
            tactics.add(tactics.squads(ids, cell, replace(clause, manner=clause.manner | {"peace"}), "peace"), after)
        }
    return ""


def avoid(tactics: Steps, clause: Clause, ids: Ids, after: set[int]) -> str:
    """Units keep away from enemies: they attack the other types, or go away."""
    scene = tactics.scene
    theirs = dict.fromkeys(np.array(scene.facts.foe.types)[scene.facts.foe.alive].tolist())
    shunned = scene.types([name for each in clause.foe for name in each.names], scene.facts.foe) if all(
        each.names for each in clause.foe
    ) else list(theirs)  # fmt: skip
    left = tuple(kind for kind in theirs if kind not in shunned)
    if not left:
        return retreat(tactics, replace(clause, foe=[]), ids, after)
    shun = replace(clause, manner=clause.manner - {"peace"}, foe=[Who("type", foe=True, names=left)], verbs=["attack"])
    attack(tactics, shun, ids, after)
    return f"keep off {listing(shunned, 'and')}"


def targets(tactics: Steps, meant: Sequence[Who], ids: Ids) -> tuple[Ids, tuple[str, ...]]:
    """Return the ids of the enemies that are meant, and the types that were named."""
    scene = tactics.scene
    foes = np.unique(np.concatenate([scene.foes(each, scene.middle(ids)) for each in meant]))
    names = (kind for each in meant if each.names for kind in scene.types(each.names, scene.facts.foe))
    return foes, tuple(dict.fromkeys(names))


def attack(tactics: Steps, clause: Clause, ids: Ids, after: set[int]) -> str:
    """Units go where the enemies stand that are meant, group after group, until these are dead."""
    scene = tactics.scene
    meant = clause.foe or [Who("all", foe=True)]
    by = tactics.stops(clause.places, ids) if clause.places else []
    for cell, _ in by:
        after = {tactics.add(tactics.squads(ids, cell, clause, "go"), after)}
    foes, names = targets(tactics, meant, ids)
    scene.enemies = meant[0] if meant[0].base != "rest" else scene.enemies
    some = any(each.part is not None or each.ids or each.number for each in meant)
    words = f"against {scene.chosen(meant, foes)}" if some else ""
    placed = [squad for number in tactics.last_of(ids) for squad in tactics.stages[number].squads]
    joined = clause.link != "then" and not clause.who and tactics.placed
    if "shoot" in clause.deeds and (by or joined):  # from there, and not on the way to them
        squads = [
            new
            for squad in placed
            if len(mine := np.intersect1d(squad.ids, ids))
            for new in tactics.squads(mine, squad.cell, clause, "hold", types=names)
        ]
        tactics.add(squads, after, dsl.Elimination(tactics.listed(foes, len(scene.facts.foe.types))))
        return words
    army = len(scene.facts.foe.types)
    groups, here, ordered = scene.clusters(foes), scene.middle(ids), list[Ids]()
    groups = [group for group in groups if len(group) * 12 >= len(foes)][:4] or groups[:1]
    while groups:
        group = min(groups, key=lambda each: math.dist(here, scene.foe_middle(each)))
        groups = [each for each in groups if each is not group]
        ordered.append(group)
        here = scene.foe_middle(group)
    for number, group in enumerate(ordered):
        objective = dsl.Elimination(tactics.listed(foes if number == len(ordered) - 1 else group, army))
        cell = scene.terrain.near(scene.foe_middle(group))
        after = {tactics.add(tactics.squads(ids, cell, clause, "fight", types=names), after, objective)}
    return words


def flank(tactics: Steps, clause: Clause, ids: Ids, after: set[int]) -> str:
    """Units go round the enemy on one side, or on both in two halves, and attack from there."""
    scene = tactics.scene
    words = pairwise(clause.items)
    which = any(one.get("dir") and other.get("foe", "squad") for one, other in words)  # `hit the northern group`
    meant = [each if which else replace(each, where=None) for each in clause.foe] or [Who("all", foe=True)]
    foes, names = targets(tactics, meant, ids)
    (fx, fy), (hx, hy) = scene.foe_middle(foes), scene.middle(ids)
    long = math.hypot(fx - hx, fy - hy) or 1.0
    ux, uy = (fx - hx) / long, (fy - hy) / long
    sides: dict[str, Vector] = {"left": (-uy, ux), "right": (uy, -ux)}
    said = [place.dir for place in clause.places if place.kind == "part" and place.dir]
    said += [each.where.dir for each in clause.foe if each.where is not None and each.where.dir and not which]
    one = any(re.search(r"\b(the|its|their|enemy's) (flank|side)$", item.word) for item in clause.items)
    if said:
        sides = {NAMED[said[0]]: COMPASS[said[0]]}
    elif one:  # `round the flank`: that on which they stand
        x, y = scene.middle(ids)
        mine = (x - scene.size / 2) * sides["left"][0] + (y - scene.size / 2) * sides["left"][1] > 0
        sides = {name: way for name, way in sides.items() if (name == "left") == mine}
    off = scene.facts.foe.position[foes] - (fx, fy)
    wide = max(20.0, float(np.abs(off @ np.array(next(iter(sides.values())))).max()) + 18)
    by = tactics.stops([place for place in clause.places if place.kind != "part"], ids)
    objective = dsl.Elimination(tactics.listed(foes, len(scene.facts.foe.types)))
    for (x, y), part in zip(sides.values(), spreading.equal_parts(tactics, ids, len(sides)), strict=True):
        before = after
        for cell, _ in [*by, (scene.terrain.near((fx + x * wide, fy + y * wide)), "")]:
            before = {tactics.add(tactics.squads(part, cell, clause, "go"), before)} if len(part) else before
        if len(part):
            tactics.add(
                tactics.squads(part, scene.terrain.near((fx, fy)), clause, "fight", types=names), before, objective
            )
    where = f"the {next(iter(sides))}" if len(sides) == 1 else "both sides, in two halves"
    return f"go round on {where}"
