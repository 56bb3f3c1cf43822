"""The task as given to a crew, without anything that its level keeps unknown (docs/rules/wildfire.md 8)."""

from __future__ import annotations

from hive.engine.crews.frames import FRAMES
from hive.worlds.wildfire.maps.host_places import TaskPlaces
from hive.worlds.wildfire.maps.site import Site


def known(site: Site) -> TaskPlaces:
    """Return the places given to the crew: fire, civilians and water only where the level makes them known."""
    places, revealed = site.places, site.level.known
    return TaskPlaces(
        trees=places.trees,
        lines=places.lines,
        goal=places.goal,
        fire=places.fire if revealed else None,
        water=places.water if revealed else None,
        clusters=places.clusters if revealed else (),
    )


def task_text(site: Site) -> str:
    """Return the task in words."""
    level, facts = site.level, known(site)
    last = level.size - 1
    area = f"somewhere on the map, from (0, 0) to ({last}, {last})"
    groups = f"{level.clusters} group{'s' if level.clusters > 1 else ''} of {level.civilians} civilians"
    where = f"near {_list(facts.clusters)}" if facts.clusters else area
    fire = f"near {facts.fire}" if facts.fire else area
    if level.game == "cut" and facts.lines:
        ends = _list(tuple(f"({a}, {b}) to ({c}, {d})" for a, b, c, d in facts.lines))
        text = f"Fell every tree on these lines of {level.line_length} cells, both ends included: {ends}."
    elif level.game == "cut":
        text = f"Fell every tree in these cells: {_list(facts.trees)}."
    elif level.game == "scout":
        text = (
            f"Find a fire {area}. Two drones have to hover right above cells that burn or are burnt at the same time."
        )
    elif level.game == "transport":
        text = f"Bring all {level.firefighters} firefighters to {facts.goal}: within 3 cells along x and along y."
    elif level.game == "rescue":
        text = f"Bring {groups} to {facts.goal}, within 3 cells along x and along y. They are {where}."
    elif level.game == "full":
        text = f"There are a fire and {groups} {area}. Find both, put the fire out or contain it"
        text += ", and bring the civilians away from danger."
    else:
        aim = "Put it out or contain it" if facts.fire else "Find it and contain it"
        text = f"There is a fire {fire}. {aim}, and do not walk into it."
    if level.period:
        ticks = level.period // FRAMES
        text += " The fire moves on every " + ("tick." if ticks == 1 else f"{ticks} ticks.")
    if level.open_ended:
        text += f" Refill water at {facts.water}." if facts.water else " There is no water: fell trees for a firebreak."
        text += " Every tree that burns or is felled costs 1, a building 10, a firefighter or bulldozer 20"
        text += ", a civilian 100." if level.game == "full" else "."
    return text


def _list(items: tuple[object, ...]) -> str:
    return ", ".join(str(item) for item in items)
