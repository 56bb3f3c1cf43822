"""Firefighters that go to a goal, and bring civilians there."""

from __future__ import annotations

from hive.worlds.wildfire.speaker.cutting import NOTHING, ReasonedAction
from hive.worlds.wildfire.speaker.flying import at_goal
from hive.worlds.wildfire.speaker.scene import AgentFacts, PromptFacts
from hive.worlds.wildfire.speaker.sights import Cell, distance

_REACH = 3  # cells within which a firefighter picks up a civilian


def gather(scene: PromptFacts, mind: AgentFacts) -> ReasonedAction:
    """Return the next action of a firefighter that has to get to a goal."""
    goal = scene.task.goal
    assert goal is not None
    if at_goal(mind.cell, goal):
        return NOTHING, "I am at the goal."
    if "helicopter" in scene.roster.values():
        return NOTHING, "I wait for the helicopter, which is faster than I am."
    return _go(goal), "I walk to the goal."


def rescue(scene: PromptFacts, mind: AgentFacts) -> ReasonedAction:
    """Return the next action of a firefighter that brings civilians to a goal."""
    goal = scene.task.goal
    assert goal is not None
    if mind.seen.carries:
        if mind.cell == goal:
            return "drop off civilian", "I am at the safe place with a civilian."
        return _go(goal), "I carry a civilian to the safe place."
    lost = [cell for cell in scene.civilians(mind) if not at_goal(cell, goal)]
    rank, _ = scene.rank(mind)
    near = sorted(cell for cell in mind.seen.civilians if not at_goal(cell, goal))
    if near:
        place = near[rank % len(near)]
        closest = min(near, key=lambda cell: (distance(cell, mind.cell), cell))
        if distance(closest, mind.cell) < _REACH:
            return "pick up civilian", f"A civilian is at {closest}, close to me."
        return _go(place), f"A civilian is at {place}."
    places = [place for place in scene.task.groups or tuple(lost) if place != mind.cell]
    if not places:
        return NOTHING, "I do not know where civilians are."
    place = places[rank % len(places)]
    return _go(place), f"Civilians should be near {place}."


def _go(place: Cell) -> str:
    return f"move to location {place[0]} {place[1]}"
