"""Text for a commander, human or model: rules, map, units and plan language, and the positions of all units.

The formats are the published ones (docs/rules/scenarios.md 3), the words are ours, in `prompts`. The numbers agree
with the engine: speeds are metres a tick, and the doubled ones of the published prompt only where a `Wording` asks for
them (docs/rules/scenarios.md 3.1).
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from dsl import UserError
from dsl.wording import listing, unit_words
from hive.engine.types import Params, State
from hive.engine.units.leaves import UNIT_TYPES
from hive.kit.planned_world import MAP_PICTURES
from hive.kit.prompts import Prompt, read_prompt
from hive.kit.reporting import Description
from hive.worlds.battle.clusters import ARMIES, CELL, clusters_text
from hive.worlds.battle.map_text import map_text, markers_text
from hive.worlds.battle.mission import losing_number, mission_text
from hive.worlds.battle.scenario import Scenario, UnitType
from hive.worlds.battle.scenario.model import HOLD, Side

COMPACT = 8_000  # the compact form has fewer characters, with later prompts `LONGER` more
LONGER = {1: 0, 2: 2_000, 3: 3_000}
FINE = 8  # metres, cells of groups of units, from the third prompt on
VERSION = 1  # of the prompt that is sent where none is named
VERSIONS = (1, 2, 3)  # of the prompts that may be named; those from 2 on know plans in words
PRINTED_SPEED = 2.0  # printed speeds of the published prompt to the engine's (docs/rules/scenarios.md 3.1)


@dataclass(frozen=True)
class Wording:
    """How a battle is described.

    Attributes:
        printed_speeds: Whether speeds are doubled as in the published prompt; the engine plays as before.
        map_picture: Form of the picture that replaces the map in words, one of `MAP_PICTURES`; None: words.
        prompt: Version of the prompt, one of `VERSIONS`.

    Raises:
        UserError: There is no such form or version.
    """

    printed_speeds: bool = False
    map_picture: str | None = None
    prompt: int = VERSION

    def __post_init__(self) -> None:
        """Refuse a form or a version that does not exist."""
        if self.prompt not in VERSIONS:
            known = listing(map(str, VERSIONS), "and")
            raise UserError(f"there is no prompt {self.prompt} for battles\n  = help: its versions are {known}")
        if self.map_picture is not None and self.map_picture not in MAP_PICTURES:
            forms = ", ".join(MAP_PICTURES)
            raise UserError(f"there is no picture of a map `{self.map_picture}`\n  = help: its forms are {forms}")


TRUE = Wording()


def _prompt(wording: Wording) -> Prompt:
    return read_prompt("hive.worlds.battle", wording.prompt)


def describe(
    scenario: Scenario, params: Params, state: State, wording: Wording = TRUE, seen: np.ndarray | None = None
) -> Description:
    """Describe a game in words.

    Args:
        scenario: The battle that is played.
        params: The same as arrays.
        state: The world now; units in the order of their ids.
        wording: How the game is described.
        seen: `[N]` tick at which each unit was seen last, -1 for now; prompts from 3 on say it of groups.
    """
    units = params.units
    side, kind = np.asarray(units.side), np.asarray(units.type)
    position, health = np.asarray(state.position), np.asarray(state.health)
    share = health / np.asarray(params.types.max_health)[kind]
    short = system_text(scenario, wording, compact=True)
    later = wording.prompt > 2
    room = COMPACT + LONGER[wording.prompt] - 1 - len(short) - len("\n\n")
    return Description(
        prompt=_prompt(wording).name,
        system=system_text(scenario, wording),
        state=state_text(side, position, health),
        short_system=short,
        short_state=clusters_text(
            side, kind, UNIT_TYPES, position, share, room, FINE if later else CELL, seen if later else None
        ),
    )


def system_text(scenario: Scenario, wording: Wording = TRUE, *, compact: bool = False) -> str:
    """Return the constant part of a game: role, map, markers, units, armies, plan language, mistakes, mission.

    Args:
        scenario: The scenario that is played.
        wording: How it is described.
        compact: Whether the map is given in the compact form of `map_text`, and groups of units are to follow.
    """
    prompt, size = _prompt(wording), scenario.map.size
    markers, here = markers_text(scenario), min(30, size - 1)
    names = (*scenario.player.behaviours, *((HOLD,) if wording.prompt > 1 else ()))
    values = {
        "half": (scenario.player.count + 1) // 2,
        "x": here,
        "y": here,
        "lower": min(20, size - 1),
        "near": _near(scenario),
        "limit": scenario.rules.limit,
        "behaviours": "\n".join(f"  {name}: {_meaning(name, scenario, wording)}" for name in dict.fromkeys(names)),
    }
    sections = [
        prompt.fill("Role"),
        prompt.fill("How to answer"),
        prompt.fill("Map", size=size, shown=_shown(scenario, wording, compact)),
        *([markers] if markers else []),
        prompt.fill("Units", limit=values["limit"], types="\n".join(_unit_lines(scenario, wording))),
        prompt.fill(
            "Armies",
            allies=_slices(scenario.player),
            enemies=_slices(scenario.enemy),
            lists="" if compact else "\n" + prompt.fill("Lists of units"),
        ),
        prompt.fill_from("Plan", values),
        prompt.fill_from("Mistakes to avoid", values),
        prompt.fill("Mission", mission=_mission(scenario, wording)),
    ]
    return "\n\n".join(sections)


def _mission(scenario: Scenario, wording: Wording) -> str:
    """Return the mission in words; prompts from 3 on also say in numbers how many units have to live."""
    briefing, few = scenario.briefing.strip(), losing_number(scenario)
    if not briefing:
        return mission_text(scenario)
    return f"{briefing}\n\nYou lose when {few}." if few and wording.prompt > 2 else briefing


def _shown(scenario: Scenario, wording: Wording, compact: bool) -> str:
    """Return the map in words, or what a picture of it shows."""
    prompt = _prompt(wording)
    if wording.map_picture is not None:
        signs = [text for name, text in prompt.table("Signs").items() if name in _types_of(scenario)]
        fire = " " + prompt.fill("Fire in a picture") if scenario.fire else ""
        form = prompt.table("Forms")[wording.map_picture]
        return prompt.fill("Map as a picture", signs=", ".join(signs), fire=fire, form=f"\n{form}" if form else "")
    shapes = map_text(scenario, compact)
    bands = "\n" + prompt.fill("Bands") if " along " in shapes else ""
    return "\n".join([prompt.fill("Map in words", bands=bands), *([shapes] if shapes else [])])


def _meaning(name: str, scenario: Scenario, wording: Wording) -> str:
    """Describe in words what a behaviour does; for a tree of the scenario's own, return the tree itself."""
    if name in scenario.trees:
        return " ".join(scenario.trees[name].split())
    meaning = _prompt(wording).table("Behaviours").get(name, "see its tree.")
    own = {group.type for group in scenario.player.units}
    sights = sorted({kind.sight / 4 for kind in scenario.types if kind.name in own})
    return meaning.replace("{stray}", " or ".join(f"{sight:g}" for sight in sights))


def crowd_radius(count: int, radius: float) -> int:
    """Return the crowd radius in metres of `count` live units of one radius (docs/rules/plans.md 3.4)."""
    return 1 + math.ceil(round(math.sqrt(count * radius**2), 6))


def _near(scenario: Scenario) -> str:
    """Return the crowd radius of one unit, and of half and all units of each type (docs/rules/plans.md 3.4)."""
    radius = {kind.name: kind.radius for kind in scenario.types}
    counts = Counter[str]()
    for group in scenario.player.units:
        counts[group.type] += group.count
    parts = ["2 m for one unit"]
    for kind, count in counts.items():
        for size in sorted({count // 2, count} - {0, 1}):
            parts.append(f"{crowd_radius(size, radius[kind])} m for {size} {unit_words(kind, size)}")
    return ", ".join(parts)


def _types_of(scenario: Scenario) -> set[str]:
    return {group.type for side in (scenario.player, scenario.enemy) for group in side.units}


def _unit_lines(scenario: Scenario, wording: Wording) -> list[str]:
    """Return a line for each type present, and one that says which beats which."""
    present, matches = _types_of(scenario), _prompt(wording).table("Matches")
    lines = [_unit_line(kind, wording) for kind in scenario.types if kind.name in present]
    advice = [text for pair, text in matches.items() if present.issuperset(pair.split(", "))]
    return [*lines, *([" ".join(advice)] if advice else [])]


def _unit_line(kind: UnitType, wording: Wording) -> str:
    return _prompt(wording).fill(
        "Type",
        name=kind.name,
        health=f"{kind.max_health:g}",
        sight=f"{kind.sight:g}",
        reach=f"{kind.reach:g}",
        speed=f"{kind.speed * (PRINTED_SPEED if wording.printed_speeds else 1):g}",
        damage=f"{kind.damage:g}",
        cooldown=f"{kind.cooldown:g}",
    )


def _slices(side: Side) -> str:
    parts, start = [], 0
    for kind, groups in groupby(side.units, lambda group: group.type):
        stop = start + sum(group.count for group in groups)
        parts.append(f"{kind}: [{start}:{stop}]")
        start = stop
    return ", ".join(parts)


def state_text(side: np.ndarray, position: np.ndarray, health: np.ndarray) -> str:
    """Return health and position of every unit in the published form: three lists for each army, in the order of ids.

    Rules: docs/rules/scenarios.md 3.3.

    Args:
        side: int `[N]`, 0 player and 1 enemy, units in the order of their ids.
        position: float `[N, 2]` metres; printed truncated to whole metres.
        health: float `[N]`; ∅ is printed for a dead unit.
    """
    lines = ["Health and positions of all units, in the order of their ids. ∅ is a dead unit."]
    for number, name in enumerate(ARMIES):
        mine = side == number
        alive = health[mine] > 0
        hearts = [f"{value:g}" if live else "∅" for value, live in zip(health[mine], alive, strict=True)]
        lines.append(f"{name}:")
        lines.append(f"Health: [{', '.join(hearts)}]")
        for axis, letter in enumerate("XY"):
            cells = position[mine, axis].astype(int)
            lines.append(f"{letter} positions: [{', '.join(map(str, cells))}]")
    return "\n".join(lines)
