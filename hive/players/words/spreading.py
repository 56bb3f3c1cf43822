"""Units in parts: over places, along a line, as squads."""

from __future__ import annotations

import math

import numpy as np

from dsl.wording import listing, plural
from hive.ground.places import Vector
from hive.kit.facts import Cell, Ids
from hive.players.words.clauses import Clause
from hive.players.words.scene import COMPASS, GAP, Spot, Unclear
from hive.players.words.stages import MOST_SQUADS, SPACING
from hive.players.words.steps import Steps


def equal_parts(tactics: Steps, ids: Ids, count: int) -> list[Ids]:
    """Return units in so many parts with an equal share of each type, lowest ids first."""
    kinds = np.array(tactics.scene.facts.own.types)[ids]
    split = [np.array_split(ids[kinds == kind], count) for kind in dict.fromkeys(kinds)]
    return [np.sort(np.concatenate([each[number] for each in split])) for number in range(count)]


def share_out(tactics: Steps, clause: Clause, ids: Ids, after: set[int]) -> str:
    """Share units out over all features of a kind, each with units of every type, at the end that is ours."""
    scene, spots = tactics.scene, list[Spot]()
    tactics.shared = ids
    for place in clause.places:
        here = scene.middle(ids)
        if place.kind == "feature":
            found = scene.features(place, here)
            spots += [
                (inner(tactics, each.place) if each.kind == "bridge" else each.place, each.name) for each in found
            ]
        elif place.kind != "same":
            spots += scene.all_spots(place, here)
    if not spots:
        raise Unclear(f"Over which places are they to be shared out? {scene.places()}")
    parts = equal_parts(tactics, ids, len(spots))
    squads = [
        squad
        for (cell, _), part in zip(spots, parts, strict=True)
        if len(part)
        for squad in tactics.squads(part, cell, clause, "hold", behind=GAP)
    ]
    tactics.add(squads, after)
    return f"share out over {listing(phrases=dict.fromkeys(name for _, name in spots), joint='and')}"


def inner(tactics: Steps, centre: Cell) -> Cell:
    """Return the cell just off a bridge on the side of what is guarded, or of our army."""
    scene, own = tactics.scene, tactics.scene.facts.own
    home = scene.facts.guarded or tuple(own.position[own.alive].mean(0))
    x, y = np.indices(scene.terrain.enter.shape)
    far = np.hypot(x - centre[0], y - centre[1])
    straight = np.array(home, float) - centre
    straight /= np.linalg.norm(straight) or 1.0
    ring = (far >= 6) & (far <= 10) & scene.terrain.enter
    return scene.terrain.near((centre[0] + 9 * straight[0], centre[1] + 9 * straight[1]), ring)


def spread(tactics: Steps, clause: Clause, verbs: set[str], ids: Ids, after: set[int]) -> str:
    """Spread units over a row, an area or between two places, or only name squads; nothing for other clauses."""
    scene = tactics.scene
    side = scene.heard[-1] if scene.heard and not clause.who and "width" in clause.text else None
    if side and side.kind == "part" and side.dir and side.value == "edge":  # `at the south edge, over the full width`
        clause.places = [side]
    count, line = max(0, clause.squads), line_of(tactics, clause, verbs, ids)
    if line is None:
        return split(tactics, clause, verbs, ids, count)
    (ax, ay), (bx, by), cells = line
    if not cells:
        count = count or max(2, round(math.dist((ax, ay), (bx, by)) / SPACING))
        kinds = np.array(scene.facts.own.types)[ids]
        count = max(1, min(count, MOST_SQUADS, *((kinds == kind).sum() for kind in set(kinds))))
        shares = [(number + 0.5) / count for number in range(count)]
        cells = [scene.terrain.near((ax + (bx - ax) * share, ay + (by - ay) * share)) for share in shares]
    if count and not verbs & {"spread"}:
        scene.squads = dict(enumerate(equal_parts(tactics, ids, count), 1))
    back = scene.back(((ax + bx) / 2, (ay + by) / 2), (bx - ax, by - ay))
    squads = [
        squad
        for cell, part in zip(cells, equal_parts(tactics, ids, len(cells)), strict=True)
        if len(part)
        for squad in tactics.squads(part, cell, clause, "hold", behind=GAP, back=back)
    ]
    tactics.add(squads, after)
    return "spread"


def split(tactics: Steps, clause: Clause, verbs: set[str], ids: Ids, count: int) -> str:
    """Split units into squads that are named by their numbers; nothing if they are to go somewhere."""
    scene = tactics.scene
    if clause.places or clause.foe or not (verbs & {"split", "spread"} or clause.squads):
        return ""
    if clause.squads == 0 and "split" not in verbs:
        raise Unclear("Over which place are they to spread? Say `spread over the middle row`.")
    if clause.squads < 0 or not (count or "split" in verbs):
        return "form squads, as many as are needed"
    count = count or 2
    if count > len(ids):
        raise Unclear(f"{plural(len(ids), 'unit')} cannot be split into {count} squads.")
    kinds = np.array(scene.facts.own.types)[ids]
    there = list(dict.fromkeys(kinds))
    by_type = count == len(there) and "type" in clause.text.lower()
    parts = [ids[kinds == kind] for kind in there] if by_type else equal_parts(tactics, ids, count)
    scene.squads = dict(enumerate(parts, 1))
    return f"are split into {count} squads"


def line_of(tactics: Steps, clause: Clause, verbs: set[str], ids: Ids) -> tuple[Vector, Vector, list[Cell]] | None:
    """Return the ends of the line that a clause spreads units over, and the cells where these are said."""
    scene, here, last = tactics.scene, tactics.scene.middle(ids), tactics.scene.size - 1.0
    wide, no_cells = "spread" in verbs, list[Cell]()
    places = [place if place.kind != "same" or not scene.heard else scene.heard[-1] for place in clause.places]
    for place in places:
        if place.kind == "span" and isinstance(place.value, tuple):
            along = next((each for each in places if each is not place), None)
            y = float(scene.spot(along, here)[0][1]) if along is not None else here[1]
            return (float(place.value[0]), y), (float(place.value[-1]), y), no_cells
        if place.kind == "xs":
            cells = [cell for cell, _ in scene.all_spots(place, here)]
            return (0.0, float(cells[0][1])), (last, float(cells[0][1])), cells
        if place.kind == "box" and isinstance(place.value, tuple):
            (ax, ay), (bx, by), _ = place.value
            return (float(ax), float(ay)), (float(bx), float(by)), no_cells
    points = [scene.spot(place, here)[0] for place in places if place.kind in ("at", "markers", "feature")]
    if len(points) == 2 == len(places) and wide:
        return (float(points[0][0]), float(points[0][1])), (float(points[1][0]), float(points[1][1])), no_cells
    if wide and len(places) == 1 and places[0].kind == "at":  # a line at a place, across the way to the enemy
        (px, py), (ux, uy) = points[0], scene.back(points[0])
        wing = 2 * SPACING
        ends = [tuple(min(max(each, 0), last) for each in (px + k * uy * wing, py + k * ux * wing)) for k in (-1, 1)]
        return (ends[0][0], ends[0][1]), (ends[1][0], ends[1][1]), no_cells
    ring = any(place.value == "ring" for place in places)
    around = next((place for place in places if place.kind in ("feature", "beside", "at", "units")), None)
    if ring and around is not None:
        anchor = around.of[0] if around.kind == "beside" else around
        (x, y), (half_x, half_y) = scene.extent(anchor, here)
        tactics.rings += 1
        far = max(half_x, half_y) + GAP * tactics.rings
        turns = [number * math.pi / 4 for number in range(8)]
        cells = [scene.terrain.near((x + far * math.cos(turn), y + far * math.sin(turn))) for turn in turns]
        return (x - far, y), (x + far, y), cells
    level_said = next((place.value for place in places if place.kind == "y"), None)
    if isinstance(level_said, int) and (wide or any(place.value in ("row", "half") for place in places)):
        west, east = (any(place.dir == side for place in places) for side in "we")  # `the left half of the line`
        x0, x1 = last / 2 if east and not west else 0.0, last / 2 if west and not east else last
        return (x0, float(level_said)), (x1, float(level_said)), no_cells
    part = next((place for place in places if place.kind == "part"), None)
    if part is None and len(places) == 1 and places[0].kind == "feature" and wide:
        (x, y), (half_x, half_y) = scene.extent(places[0], here)
        dx, dy = (half_x, 0.0) if half_x >= half_y else (0.0, half_y)
        return (x - dx, y - dy), (x + dx, y + dy), no_cells
    row = part is not None and part.value == "row" and len(ids) > 1
    if part is None or not (row or wide or clause.squads):
        return None
    if part.of:  # along a side of something, just outside it
        (x, y), (half_x, half_y) = scene.extent(part.of[0], here)
        dx, dy = COMPASS.get(part.dir, (0.0, 0.0))
        if dx:
            return (x + dx * (half_x + 4), y - half_y), (x + dx * (half_x + 4), y + half_y), no_cells
        return (x - half_x, y + dy * (half_y + 4)), (x + half_x, y + dy * (half_y + 4)), no_cells
    sides = {place.dir for place in places if place.kind == "part"}
    spot = scene.spot(part, here)[0]
    if part.value == "column" or (part.dir in ("e", "w") and part.value in ("edge", "row") and len(sides) == 1):
        return (float(spot[0]), 0.0), (float(spot[0]), last), no_cells
    level = {"n": 0.8, "s": 0.2}.get(part.dir[:1], 0.5) * last
    if part.value == "edge" and part.dir in ("n", "s"):
        level = float(spot[1])
    elif not (row or part.value in ("edge", "centre") or part.dir in ("n", "s")):
        level = here[1]
    return (0.0, level), (last, level), no_cells
