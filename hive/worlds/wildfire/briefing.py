"""Text for the commander of a crew, human or model: task, map, crew and plan language, and what the crew knows now.

The words are those of a file of `prompts`; the second knows plans in words. The map has the published symbols
(docs/rules/wildfire.md 5.1) and shows only what the crew has seen.
"""

from __future__ import annotations

from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from dsl.vocabulary import CREW_TYPES
from hive.engine.crews.explored import SYMBOLS, VIEW, Explored
from hive.engine.crews.frames import CAPACITY, FRAMES, REACH, SPEED
from hive.engine.types import State
from hive.kit.prompts import Prompt, read_prompt
from hive.kit.reporting import Description
from hive.worlds.wildfire.levels import Level
from hive.worlds.wildfire.reports import DescribedLevel, Report, report
from hive.worlds.wildfire.rules_text import rules_text

VERSIONS = (1, 2)  # of the prompts that may be named


def _prompt(world: DescribedLevel) -> Prompt:
    return read_prompt("hive.worlds.wildfire", world.prompt)


def describe_level(world: DescribedLevel, state: State, rules: bool = False) -> Description:
    """Describe a level in words, as far as its crew knows it.

    Args:
        world: The level.
        state: The world now.
        rules: Whether to add `hive.worlds.wildfire.rules_text`.
    """
    facts = report(world, state)
    system = level_text(world, rules)
    return Description(
        prompt=_prompt(world).name,
        system=system,
        state="\n\n".join([_units_text(facts), seen_text(facts.seen)]),
        short_system=system,
        short_state="\n\n".join([_units_text(facts, compact=True), seen_text(facts.seen, compact=True)]),
    )


def level_text(world: DescribedLevel, rules: bool = False) -> str:
    """Return the constant part of a game: role, map, rules if requested, crew, plan language, mistakes, task."""
    prompt, level = _prompt(world), world.site.level
    deadly, meanings = prompt.table("Deadly"), prompt.table("Behaviours")
    values = {
        "count": sum(level.agents),
        "there": level.size // 3,
        "middle": level.size // 2,
        "reach": REACH,
        "kind": next(name for name, count in zip(CREW_TYPES, level.agents, strict=True) if count),
        "behaviours": "\n".join(f"  {name}: {meanings[name]}" for name in world.behaviours),
    }
    sections = [
        prompt.fill("Role"),
        prompt.fill("How to answer"),
        prompt.fill("Map", size=level.size, deadly=deadly["all" if world.burnt_kills else "burning"]),
        *([text] if rules and (text := rules_text(level, world.chance)) else []),
        prompt.fill("Crew", limit=level.limit, types="\n".join(_type_lines(level, prompt))),
        prompt.fill_from("Plan", values),
        prompt.fill("Mistakes to avoid"),
        prompt.fill("Task", task=world.briefing),
    ]
    return "\n\n".join(sections)


def seen_text(seen: NDArray[np.integer], compact: bool = False) -> str:
    """Return the part of the explored map that holds all seen cells, one line for each row from north to south.

    Args:
        seen: `[X, Y]` codes of `hive.engine.crews.explored`.
        compact: One character for each cell, so that wet cells look like dry ones; else the published form, in which a
            comma follows each cell and wet cells are in quotes.
    """
    cells = np.argwhere(seen != Explored.UNSEEN)
    if not len(cells):
        return "The crew has not seen any cell of the map yet."
    (west, north), (east, south) = cells.min(0).tolist(), cells.max(0).tolist()
    rows = seen[west : east + 1, north : south + 1].T.tolist()
    symbols = [symbol.strip("'") if compact else f"{symbol}," for symbol in SYMBOLS]
    head = f"What was seen of the map: x from {west} to {east}, y from {north} to {south}; all else is unseen."
    return "\n".join([head, *("".join(symbols[code] for code in row) for row in rows)])


def _type_lines(level: Level, prompt: Prompt) -> list[str]:
    lines, start, skills = [], 0, prompt.table("Skills")
    for kind, (name, count) in enumerate(zip(CREW_TYPES, level.agents, strict=True)):
        if count:
            lines.append(
                prompt.fill(
                    "Type",
                    name=name,
                    start=start,
                    stop=start + count,
                    speed=f"{SPEED[kind] * FRAMES:g}",
                    sight=VIEW[kind],
                    skill=skills[name].format(reach=REACH, capacity=CAPACITY),
                )
            )
        start += count
    return lines


def _units_text(facts: Report, compact: bool = False) -> str:
    """Return one line for each unit; in the compact form, one for consecutive units that are alike."""
    words = [_unit_words(facts, unit) for unit in range(len(facts.kind))]
    lines = [f"After {facts.tick} ticks:"]
    if not compact:
        return "\n".join([*lines, *(f"unit {unit}: {text}" for unit, text in enumerate(words))])
    for text, members in groupby(range(len(words)), lambda unit: words[unit]):
        first, *others = members
        lines.append(f"units [{first}:{others[-1] + 1}]: {text}" if others else f"unit {first}: {text}")
    return "\n".join(lines)


def _unit_words(facts: Report, unit: int) -> str:
    name = CREW_TYPES[facts.kind[unit]]
    if not facts.alive[unit]:
        return f"{name}, dead"
    x, y = facts.cell[unit].tolist()
    words = [f"{name} at ({x}, {y})"]
    if facts.aboard[unit] >= 0:
        words.append(f"aboard {facts.aboard[unit]}")
    if facts.water[unit]:
        words.append(f"water {facts.water[unit]}")
    if facts.carrying[unit]:
        words.append(f"carries {facts.carrying[unit]}")
    return ", ".join(words)
