"""A firebreak where there is no water: a ring of felled cells round the fire, of which every unit has its own part."""

from __future__ import annotations

from hive.worlds.wildfire.speaker.cutting import CLEAR, NOTHING, ReasonedAction, last_stop
from hive.worlds.wildfire.speaker.scene import AgentFacts, PromptFacts
from hive.worlds.wildfire.speaker.sights import Cell, distance

HALF = 5  # cells from the fire to the sides of the ring, which is a square
_CLOSE, _STEP = 2, 6  # cells from fire within which a unit steps back, and how far


def contain(scene: PromptFacts, mind: AgentFacts) -> ReasonedAction:
    """Return the next action of a firefighter or bulldozer on a level without water."""
    fires = scene.fires(mind)
    centre = scene.task.fire or _first_told(scene) or (fires[0] if fires else None)
    if centre is None:
        return NOTHING, "Nobody has found the fire yet, so I stay where I am safe."
    verb = "drive" if mind.kind == "bulldozer" else "move"
    refused = 0 if scene.task.size else _refused(mind)
    if mind.seen.fires and distance(near := _nearest(mind.cell, mind.seen.fires), mind.cell) <= _CLOSE:
        x, y = _away(mind, scene.task.size, refused)
        return f"{verb} to location {x} {y}", f"Fire is at {near}, too close to me."
    part = _part(scene, mind, ring(centre, scene.task.size))
    if not part:
        return NOTHING, "No part of the firebreak is left for me."
    now = last_stop(mind, part)
    if mind.kind == "bulldozer":
        return _clear(mind, part, now, refused, centre, scene.task.size)
    for cell in part[now:][refused:]:
        if cell == mind.cell and mind.seen.trees:
            many = "cut one tree" if scene.single else "cut all trees in cell"
            return many, f"Trees stand in {cell}, a cell of the firebreak."
        if cell != mind.cell and cell not in mind.seen.cleared:
            x, y = _way(mind.cell, cell, centre, scene.task.size)
            return f"move to location {x} {y}", f"The firebreak round {centre} goes through {cell}."
    return NOTHING, f"My part of the firebreak round {centre} is done."


def ring(centre: Cell, size: int | None = None) -> list[Cell]:
    """Return the cells of the firebreak round a fire in their order, from the south-east corner.

    None is off the map, as far as its size is known.
    """
    x, y = centre
    steps = range(-HALF, HALF)
    cells = [(x - at, y + HALF) for at in steps] + [(x - HALF, y - at) for at in steps]
    cells += [(x + at, y - HALF) for at in steps] + [(x + HALF, y + at) for at in steps]
    return [cell for cell in cells if min(cell) >= 0 and max(cell) < (size or 10**4)]


def _part(scene: PromptFacts, mind: AgentFacts, cells: list[Cell]) -> list[Cell]:
    """Return the cells of one unit: bulldozers go all round, half of them the other way; firefighters have arcs."""
    rank, count = scene.rank(mind)
    if mind.kind == "bulldozer":
        return cells[::-1] if rank % 2 else cells
    return cells[len(cells) * rank // count : len(cells) * (rank + 1) // count]


def _clear(
    mind: AgentFacts, cells: list[Cell], now: int, refused: int, centre: Cell, size: int | None
) -> ReasonedAction:
    """Return the next side that a bulldozer clears: it drives to where the ring begins, then from corner to corner."""
    corners = [cell for at, cell in enumerate(cells) if at in (0, len(cells) - 1) or _turns(cells[at - 1 : at + 2])]
    ahead = [cell for cell in corners if cells.index(cell) >= now and mind.cell != cell][refused:]
    if not ahead:
        return NOTHING, f"The firebreak round {centre} is done."
    x, y = ahead[0]
    if ahead[0] == cells[0]:
        x, y = _way(mind.cell, ahead[0], centre, size)
        return f"drive to location {x} {y}", f"The firebreak round {centre} begins at {ahead[0]}."
    return f"{CLEAR} {x} {y}", f"I clear the firebreak round {centre} up to {ahead[0]}."


def _turns(three: list[Cell]) -> bool:
    """Whether a way of three cells bends or has a gap."""
    (a, b), (c, d), (e, f) = three
    return (c - a, d - b) != (e - c, f - d)


def _way(start: Cell, end: Cell, centre: Cell, size: int | None) -> Cell:
    """Return where to go next so that the way to a cell of the ring does not lead through the ring."""
    if not _crosses(start, end, centre):
        return end
    x, y = centre
    corners = [(x + a * HALF, y + b * HALF) for a in (-1, 1) for b in (-1, 1)]
    there = [each for each in corners if min(each) >= 0 and max(each) < (size or 10**4)]
    free = [each for each in there if each != start and not _crosses(start, each, centre)]
    return min(free, key=lambda each: (distance(start, each) + distance(each, end), each), default=end)


def _crosses(start: Cell, end: Cell, centre: Cell) -> bool:
    """Whether a straight way leads through the inside of the ring."""
    steps = max(abs(end[0] - start[0]), abs(end[1] - start[1]), 1)
    for at in range(1, steps):
        x = round(start[0] + (end[0] - start[0]) * at / steps)
        y = round(start[1] + (end[1] - start[1]) * at / steps)
        if max(abs(x - centre[0]), abs(y - centre[1])) < HALF:
            return True
    return False


def _first_told(scene: PromptFacts) -> Cell | None:
    """Return the first fire that a message named, so that all have the same ring."""
    for mail in scene.mails:
        if found := scene.told(mail):
            return found[0]
    return None


def _refused(mind: AgentFacts) -> int:
    """Return how often a unit could not do what it said last, such as go beyond an edge of the map."""
    count = 0
    for done in reversed(mind.past):
        if (done.place, done.words) != (mind.cell, NOTHING):
            break
        count += done.steps
    return count


def _nearest(cell: Cell, cells: list[Cell]) -> Cell:
    return min(cells, key=lambda each: (distance(each, cell), each))


def _away(mind: AgentFacts, size: int | None, refused: int) -> Cell:
    """Return where a unit steps back to: away from all fire that it sees, and elsewhere if it could not go there."""
    x, y = mind.cell
    sides = [(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if a or b]
    places = [(x + _STEP * a, y + _STEP * b) for a, b in sides]
    free = [each for each in places if min(each) >= 0 and max(each) < (size or 10**4)]
    free.sort(key=lambda each: (-distance(each, _nearest(each, mind.seen.fires)), each))
    return free[refused % len(free)]
