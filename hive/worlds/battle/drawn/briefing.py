"""The briefing of a drawn battle: made from the facts by which it is drawn, so that it says nothing that is not so.

It names no number of units, since `--units` changes them: ratios stay what they are. Rules: docs/rules/drawn.md 6.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from textwrap import fill
from typing import Literal

from dsl.wording import listing, number_words, unit_words
from hive.worlds.battle.drawn.armies import Army
from hive.worlds.battle.drawn.dice import Dice
from hive.worlds.battle.drawn.enemies import Commander
from hive.worlds.battle.drawn.land import Land
from hive.worlds.battle.drawn.missions import KEPT, WALKED, Mission
from hive.worlds.battle.drawn.sketch import Part, Point, Role

Intelligence = Literal["full", "partial", "poor"]

INTELLIGENCE: Mapping[Intelligence, int] = {"full": 40, "partial": 35, "poor": 25}
"""How often the commander knows how much."""

RATIOS: Mapping[int, str] = {
    25: "a quarter as many",
    33: "a third as many",
    50: "half as many",
    67: "two thirds as many",
    80: "four fifths as many",
    100: "as many",
    125: "one and a quarter times as many",
    150: "one and a half times as many",
    200: "twice as many",
    250: "two and a half times as many",
    300: "three times as many",
    400: "four times as many",
}
"""Ratios in percent and their words."""

_WIDTH = 120
_COUNTRY: Mapping[str, Sequence[str]] = {
    "open": ("open country", "a wide plain"),
    "rivers": ("a river country", "a land of rivers"),
    "islands": ("a group of islands", "islands in a shallow sea"),
    "forests": ("a wooded country", "a land of forests"),
    "towns": ("a settled country", "farmland with towns"),
    "passes": ("a rocky country", "the hills"),
    "mixed": ("a broken country", "rough country"),
}


def write(
    class_name: str, dice: Dice, land: Land, player: Army, mission: Mission, commander: Commander, known: Intelligence
) -> str:
    """Return the briefing.

    Args:
        class_name: Class of the battle.
        dice: Chooses among words of one meaning.
        land: The map.
        player: The player's army.
        mission: The mission.
        commander: The enemy's commander, with its army.
        known: How much is known of the enemy.
    """
    where = _in(land, player.posts[0].place)
    if len(player.posts) > 1 and (other := _in(land, player.posts[1].place)) != where:
        where += f" and {other}"
    first = f"You command {army_words(player)} {where} of {dice.pick(_COUNTRY[class_name])}, {land.size} m on a side."
    paragraphs = [
        " ".join([first, *_ground(class_name, land)]),
        f"Objective: {objective(land, mission)}",
        _ends(mission),
        f"Intelligence: {_intelligence(land, player, commander, known)}",
    ]
    return "\n\n".join(map(_wrapped, paragraphs)) + "\n"


def army_words(army: Army) -> str:
    """Return the types of an army, the most frequent one first if it is more than half."""
    counts = army.counts
    civilians = counts.pop("civilian", 0)
    kinds = [unit_words(kind, 2) for kind in counts]
    most = max(counts, key=lambda kind: counts[kind])
    rest = [unit_words(kind, 2) for kind in counts if kind != most]
    if counts[most] * 2 > sum(counts.values()) and rest:
        words = f"mostly {unit_words(most, 2)}, with {_and(rest)}"
    else:
        words = _and(kinds)
    return f"{words}, who have civilians with them," if civilians else words


def objective(land: Land, mission: Mission) -> str:
    """Return what the player has to do, in a sentence or two."""
    if mission.kind == "eliminate":
        return "eliminate every enemy unit."
    at, near = _and(_at(land, place) for place in mission.places), f"within {mission.radius} m of that place"
    if mission.kind == "reach":
        return f"bring one unit to {at}. It has to come {near}."
    if mission.kind == "break":
        return f"break through to {at}. At the same tick {mission.share}% of your units must be {near}."
    if mission.kind == "escort":
        return f"bring your civilians to {at}. At the same tick {mission.share}% of them must be {near}."
    if mission.kind == "hold":
        return f"keep every enemy away from {at} until tick {mission.until}, or eliminate all of them."
    share = f"with {mission.share}% of your units alive"
    return f"survive until tick {mission.until} {share}, or eliminate every enemy unit before that."


def ratio_words(player: Army, enemy: Army) -> str:
    """Return how many enemies there are, compared with the player's units that fight."""
    percent = enemy.fighters * 100 // player.fighters
    nearest = min(RATIOS, key=lambda ratio: max(ratio * 1000 // percent, percent * 1000 // ratio))
    own = "fighters" if "civilian" in player.counts else "units"
    return f"about {RATIOS[nearest]} enemies as you have {own}"


def _ends(mission: Mission) -> str:
    """Return how the battle is lost or called off."""
    last = {
        "eliminate": "let the last step be one that lasts until all enemies are eliminated",
        **dict.fromkeys(WALKED, "let the last step lead to the objective, and let it last"),
        **dict.fromkeys(KEPT, "let the last step last until that tick"),
    }
    lost = {
        "hold": f"as soon as one enemy comes within {mission.radius} m of such a place, or if all your units are dead",
        "break": "as soon as too few of your units live",
        "escort": "as soon as too few of your civilians live",
        "survive": "as soon as fewer of your units live",
    }
    how = lost.get(mission.kind, "if all your units are dead")
    return (
        f"You lose {how}. The battle is called off when time runs out or when no step of your plan is left; neither is "
        f"a win, so {last[mission.kind]}."
    )


def _ground(class_name: str, land: Land) -> list[str]:
    """Return sentences about the parts of the map."""
    parts: dict[Role, list[Part]] = {}
    for part in land.parts:
        parts.setdefault(part.role, []).append(part)
    found = []
    if class_name == "islands":
        islands = parts["island"]
        found.append(
            f"Channels cut the land into {number_words(len(islands))} islands: {_list(land, islands)}. No unit can "
            f"wade, and {_over('bridge', 'join', land, parts)} them. Water hides no unit: archers shoot across it."
        )
    elif rivers := parts.get("river"):
        runs = [f"{part.name} runs {_from_to(land, part)}" for part in rivers]
        them = "it" if len(rivers) == 1 else "them"
        found.append(f"{_capital(_and(runs))}. No unit can wade; {_over('bridge', 'cross', land, parts)} {them}.")
    if ridges := parts.get("ridge"):
        runs = [f"{part.name} runs {_from_to(land, part)}" for part in ridges]
        through = _over("pass", "lead", land, parts)
        way = f"; {through} through the rock" if "pass" in parts else "; the way round its end is open"
        them = "it" if len(ridges) == 1 else "them"
        found.append(f"{_capital(_and(runs))}: no unit can climb {them} or see over {them}{way}.")
    woods = parts.get("wood", [])
    belts, copses = [part for part in woods if part.ends], [part for part in woods if not part.ends]
    if belts:
        runs = [f"{part.name} stretches {_from_to(land, part)}" for part in belts]
        found.append(f"{_capital(_and(runs))}.")
    for town in parts.get("town", []):
        found.append(
            f"{town.name}, a town, lies {_in(land, town.middle)}: units walk its streets, houses block the view."
        )
    others = [*copses, *parts.get("farm", []), *(part for part in parts.get("lake", []) if part.name != "Sea")]
    if others:
        found.append(f"The map also has {_list(land, others)}.")
    if woods:
        found.append("Units in a wood neither see nor are seen.")
    return found


def _over(role: Role, verb: str, land: Land, parts: Mapping[Role, Sequence[Part]]) -> str:
    """Return the ways over something as the subject of a verb, such as "two bridges, A in the west and B, cross"."""
    ways = parts.get(role, [])
    if len(ways) == 1:
        return f"one {role}, {_list(land, ways)}, {verb}{'es' if verb.endswith('s') else 's'}"
    plural = "passes" if role == "pass" else f"{role}s"
    return f"{number_words(len(ways))} {plural}, {_list(land, ways)}, {verb}"


def _intelligence(land: Land, player: Army, commander: Commander, known: Intelligence) -> str:
    """Return what is said about the enemy."""
    enemy = commander.army
    many = f"there are {ratio_words(player, enemy)}: {army_words(enemy)}."
    if known == "poor":
        return (
            f"poor. {_capital(many)} Where they stand at the start is known, and nothing else: neither what they have "
            "been told to do, nor when."
        )
    hidden = [post for post in enemy.posts if post.hidden]
    if known == "partial":
        parts = dict.fromkeys(_in(land, post.place) for post in enemy.posts)
        woods = " Some of them hide in woods." if hidden else ""
        return (
            f"partial. {_capital(many)} They stand {_and(parts)}.{woods} {commander.hint} Nothing more is known of "
            "their orders."
        )
    kinds = [_and(unit_words(kind, 2) for kind in post.counts) for post in enemy.posts]
    round_ = [f"{'in a wood near' if post.hidden else 'round'} {_at(land, post.place)}" for post in enemy.posts]
    if len(set(kinds)) == 1:
        start = f"Groups of {kinds[0]} start {_and(round_)}." if len(kinds) > 1 else f"They start {round_[0]}."
    else:
        start = f"They start as follows: {'; '.join(map(' '.join, zip(kinds, round_, strict=True)))}."
    woods = " Those in a wood are seen only when they come out." if hidden else ""
    return f"good. {_capital(many)} {start}{woods} {commander.orders}"


def _at(land: Land, place: Point) -> str:
    """Return a place with the part of the map in which it lies, and a part of the map that is near."""
    near = [part for part in land.parts if part.role in ("island", "town", "farm", "bridge", "pass")]
    close = [
        part for part in near if abs(part.middle[0] - place[0]) + abs(part.middle[1] - place[1]) <= land.size // 16
    ]
    by = f" at {close[0].name}" if close else ""
    return f"{place}{by} {_in(land, place)}"


def _in(land: Land, place: Point) -> str:
    return f"in the {land.part_of(place)}"


def _from_to(land: Land, part: Part) -> str:
    start, end = map(land.part_of, part.ends)
    return f"from the {start} to the {end}" if start != end else f"through the {start}"


def _list(land: Land, parts: Sequence[Part]) -> str:
    return _and(f"{part.name} {_in(land, part.middle)}" for part in parts)


def _and(words: Iterable[str]) -> str:
    return listing((), "and", words)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _wrapped(text: str) -> str:
    """Return a paragraph in lines, none of which ends inside a pair of coordinates."""
    joined = re.sub(r"\((\d+), (\d+)\)", "(\\1,\N{NO-BREAK SPACE}\\2)", text)
    return fill(joined, _WIDTH, break_long_words=False, break_on_hyphens=False).replace("\N{NO-BREAK SPACE}", " ")
