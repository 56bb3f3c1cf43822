"""Searching by drones, and carrying firefighters by helicopter."""

from __future__ import annotations

import math

from hive.worlds.wildfire.speaker.cutting import NOTHING, ReasonedAction, last_stop
from hive.worlds.wildfire.speaker.scene import AgentFacts, PromptFacts
from hive.worlds.wildfire.speaker.sights import Cell, distance

_SIGHT, _HOP = 15, 20  # cells that a drone sees to each side, and flies in a step
_REACH, _SEATS = 3, 5  # cells within which a helicopter lifts, and how many it lifts
_ROUND = 3  # cells along x and y that count as the goal


def search(scene: PromptFacts, mind: AgentFacts) -> ReasonedAction:
    """Return where a drone flies next to find a fire, and to stay above it."""
    fires = scene.fires(mind)
    if fires:
        x, y = min(fires, key=lambda cell: (distance(cell, mind.cell), cell))
        if mind.cell in fires:
            return NOTHING, f"I hover above the fire at {mind.cell}."
        return f"fly to location {x} {y}", f"There is fire at {(x, y)}."
    return sweep(scene, mind)


def sweep(scene: PromptFacts, mind: AgentFacts) -> ReasonedAction:
    """Return the next stop of a drone on its part of a way that shows the complete map."""
    rank, count = scene.rank(mind)
    way = sweep_of(scene.task.size or 1)
    part = way[len(way) * rank // count : len(way) * (rank + 1) // count]
    if not part:
        return NOTHING, "There is no part of the map for me."
    if distance(part[-1], mind.cell) < distance(part[0], mind.cell) and not mind.past:
        part.reverse()
    now = last_stop(mind, part)
    if mind.cell == part[now]:
        now = (now + 1) % len(part)
    x, y = part[now]
    return f"fly to location {x} {y}", f"I search my part of the map, and {part[now]} comes next."


def at_goal(cell: Cell, goal: Cell) -> bool:
    """Return whether a cell counts as a goal."""
    return max(abs(cell[0] - goal[0]), abs(cell[1] - goal[1])) <= _ROUND


def ferry(scene: PromptFacts, mind: AgentFacts) -> ReasonedAction:
    """Return the next action of a helicopter that brings all firefighters to a goal."""
    goal = scene.task.goal
    assert goal is not None
    crew = {name for name, kind in scene.roster.items() if kind == "firefighter"}
    known = {name: cell for name, cell in scene.where(mind).items() if name in crew}
    waiting = {name: cell for name, cell in known.items() if not at_goal(cell, goal)}
    close = sum(distance(cell, mind.cell) < _REACH for cell in waiting.values())  # passengers included
    if mind.seen.carries and mind.cell == goal:
        return "drop off firefighters", "I am at the goal with firefighters aboard."
    if mind.seen.carries < min(close, _SEATS):
        return "pick up firefighters", "Firefighters wait next to me, and I have room."
    if mind.seen.carries:
        return f"fly to location {goal[0]} {goal[1]}", "I carry firefighters to the goal."
    if waiting:
        name, (x, y) = min(waiting.items(), key=lambda each: (distance(each[1], mind.cell), each[0]))
        return f"fly to location {x} {y}", f"{name} waits at {(x, y)}."
    if len(known) < len(crew) and mind.past:
        x, y = mind.past[0].place
        if (x, y) != mind.cell:
            return f"fly to location {x} {y}", f"Somebody is still where we began, at {(x, y)}."
    return NOTHING, "All firefighters are at the goal."


def sweep_of(size: int) -> list[Cell]:
    """Return stops on a winding way from which the complete map can be seen."""
    lanes = max(1, math.ceil(size / (2 * _SIGHT + 1)))
    middles = [min(size - 1, int((lane + 0.5) * size / lanes)) for lane in range(lanes)]
    edge = min(_SIGHT, (size - 1) // 2)
    hops = max(1, math.ceil((size - 1 - 2 * edge) / _HOP))
    along = [edge + (size - 1 - 2 * edge) * hop // hops for hop in range(hops + 1)]
    return [(x, y) for lane, x in enumerate(middles) for y in (along[::-1] if lane % 2 else along)]
