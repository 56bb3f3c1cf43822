"""The actions of each type as options to choose from (docs/rules/wildfire.md 6.4, 6.5), and why one cannot be taken."""

from __future__ import annotations

from functools import cache

from dsl.vocabulary import CREW_TYPES
from dsl.wording import listing
from hive.engine.crews.frames import CAPACITY, REACH
from hive.kit.agent_env import Choice, Option
from hive.kit.prompts import Prompt, read_prompt
from hive.worlds.wildfire.primitives import ONCE, PRIMITIVE_NAMES

VERSION = 1  # of the words that agents read

PLACE, COUNT = ("x", "y"), ("n",)
_SINGLE = {"cut n trees": "cut one tree"}
_SAMPLE = {PLACE: " 12 7", COUNT: " 2", (): ""}


def words() -> Prompt:
    """Return the words that agents read."""
    return read_prompt("hive.worlds.wildfire.agents", VERSION)


@cache
def options(kind: str, single: bool) -> tuple[Option, ...]:
    """Return the actions of a type, by number.

    Args:
        kind: One of `CREW_TYPES`.
        single: Whether actions last one step; else they run until they are done.
    """
    type_ = CREW_TYPES.index(kind)
    names = [PRIMITIVE_NAMES[type_][number] for number in ONCE[type_]] if single else PRIMITIVE_NAMES[type_]
    return tuple(
        _option(number, _SINGLE.get(name, name) if single else name, single) for number, name in enumerate(names)
    )


def roles(kinds: tuple[str, ...], burnt_kills: bool = True) -> dict[str, str]:
    """Return a line about each of these types.

    Args:
        kinds: Some of `CREW_TYPES`.
        burnt_kills: Whether burnt ground kills firefighters.
    """
    lines = words().table("Types") | ({} if burnt_kills else words().table("Types where burnt ground is safe"))
    return {kind: lines[kind] for kind in dict.fromkeys(kinds)}


def refusal(kind: str, choice: Choice, single: bool, size: int) -> str | None:
    """Return why a type cannot take an action on a map of `size` cells a side, in a sentence; None if it can."""
    known = options(kind, single)
    if not 0 <= choice.number < len(known):
        return f"a {kind} has no action {choice.number}; its actions are 0 to {len(known) - 1}"
    option = known[choice.number]
    if len(choice.values) != len(option.values):
        wanted = listing(option.values, "and") if option.values else "no numbers"
        return f"`{option.name}` takes {wanted}, not {len(choice.values)} numbers"
    if option.values == COUNT and choice.values[0] < 1:
        return f"`{option.name}` needs at least 1 tree, not {choice.values[0]}"
    if option.values == PLACE and not all(0 <= value < size for value in choice.values):
        x, y = choice.values
        return f"the cell ({x}, {y}) lies outside the map; x and y are 0 to {size - 1}"
    return None


def _option(number: int, name: str, single: bool) -> Option:
    prompt = words()
    meanings = prompt.table("One step" if single else "Several steps") | prompt.table("Both")
    values = PLACE if "location" in name else COUNT if name == "cut n trees" else ()
    meaning = meanings[name].replace("{reach}", str(REACH)).replace("{capacity}", str(CAPACITY))
    return Option(number, name, values, meaning, name + _SAMPLE[values])
