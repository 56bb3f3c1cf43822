"""Firefighters that fetch water and spray it on a fire from outside."""

from __future__ import annotations

from hive.worlds.wildfire.speaker.cutting import NOTHING, ReasonedAction
from hive.worlds.wildfire.speaker.scene import AgentFacts, PromptFacts
from hive.worlds.wildfire.speaker.sights import Cell, distance

_REACH = 3  # cells that water flies
_CLOSE, _HOP = 12, 4  # near a fire a firefighter walks a few cells at a time and looks again


def spray(scene: PromptFacts, mind: AgentFacts) -> ReasonedAction:
    """Return the next action of a firefighter where the place of water is known."""
    water = scene.task.water
    assert water is not None
    deadly = {cell for each in (mind, *scene.minds.values()) for cell in each.seen.fires}
    active = sorted(mind.seen.spreading, key=lambda cell: (distance(cell, mind.cell), cell))
    if not mind.seen.water:
        if mind.cell == water:
            return "refill water", "I stand on the water and have none."
        return _walk(mind.cell, water, deadly, "I fetch water")
    if active and 0 < distance(active[0], mind.cell) <= _REACH:
        x, y = active[0]
        return f"spray toward location {x} {y}", f"Fire burns at {active[0]}, within reach of my water."
    known = active or scene.burning(mind) or ([scene.task.fire] if scene.task.fire else [])
    if not known:
        return NOTHING, "I have water and see no fire."
    target = min(known, key=lambda cell: (distance(cell, mind.cell), cell))
    if not active and distance(target, mind.cell) <= _REACH:
        return NOTHING, "I see no fire that spreads."
    around = [
        (target[0] + x, target[1] + y)
        for x in range(-_REACH, _REACH + 1)
        for y in range(-_REACH, _REACH + 1)
        if 4 <= x * x + y * y <= _REACH**2
    ]
    size = scene.task.size or 10**4
    safe = [
        cell
        for cell in around
        if min(cell) >= 0 and max(cell) < size and all(max(abs(cell[0] - x), abs(cell[1] - y)) > 1 for x, y in deadly)
    ]
    if not safe:
        return NOTHING, f"There is no safe cell next to the fire at {target}."
    place = min(safe, key=lambda cell: (distance(cell, mind.cell), cell))
    return _walk(mind.cell, place, deadly, f"I go near the fire at {target}")


def _walk(start: Cell, end: Cell, deadly: set[Cell], why: str) -> ReasonedAction:
    """Return a move that keeps off deadly cells: a few cells at a time where fire is near, and round it."""
    length = distance(start, end)
    near = any(distance(cell, start) < _CLOSE for cell in deadly)
    if near and length > _HOP:
        share = _HOP / length
        end = round(start[0] + (end[0] - start[0]) * share), round(start[1] + (end[1] - start[1]) * share)
    if _blocked(start, end, deadly):
        across = (end[1] - start[1]), -(end[0] - start[0])
        sides = [(start[0] + sign * across[0], start[1] + sign * across[1]) for sign in (1, -1)]
        free = [side for side in sides if min(side) >= 0 and not _blocked(start, side, deadly)]
        if not free:
            return NOTHING, "Fire is in my way."
        end = free[0]
    if end == start:
        return NOTHING, "I am where I want to be."
    return f"move to location {end[0]} {end[1]}", f"{why}."


def _blocked(start: Cell, end: Cell, deadly: set[Cell]) -> bool:
    """Return whether a straight way passes within a cell of a deadly one."""
    steps = max(abs(end[0] - start[0]), abs(end[1] - start[1]), 1)
    way = [
        (round(start[0] + (end[0] - start[0]) * at / steps), round(start[1] + (end[1] - start[1]) * at / steps))
        for at in range(1, steps + 1)
    ]
    return any(max(abs(x - a), abs(y - b)) <= 1 for x, y in way for a, b in deadly)
