"""From a class and a seed to a battle.

Rules: docs/rules/drawn.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from dsl.vocabulary import BEHAVIOURS
from hive.kit.seeds import SEEDS
from hive.worlds.battle.drawn import briefing
from hive.worlds.battle.drawn.armies import Army, draw_counts, draw_player
from hive.worlds.battle.drawn.classes import CAPACITY, LIMIT, PREFIX, check_class, name_of
from hive.worlds.battle.drawn.defaults import default_plan
from hive.worlds.battle.drawn.dice import Dice
from hive.worlds.battle.drawn.enemies import Commander, Setting, command, families
from hive.worlds.battle.drawn.land import Land, NoRoomError
from hive.worlds.battle.drawn.maps import sketch_map
from hive.worlds.battle.drawn.missions import (
    KEPT,
    WALKED,
    WEIGHTS,
    Kind,
    Mission,
    civilians_for,
    draw_mission,
    draw_places,
    home,
)
from hive.worlds.battle.drawn.sketch import Frame, Sketch
from hive.worlds.battle.scenario.model import Scenario, ScenarioMap, ScenarioObjective, Side
from hive.worlds.battle.scenario.schema import DEFAULT_TYPES, ScenarioRules
from hive.worlds.battle.scenario.writer import portable

VERSION = 1
"""Version of all drawn battles; it rises when the same seed draws another battle."""

_ATTEMPTS = 60  # maps that are drawn until one has room for all (docs/rules/drawn.md 2.3)
_ODDS: Mapping[Kind, tuple[int, ...]] = {  # strength of the enemy in percent of the player's
    "eliminate": (35, 50, 65, 80, 100, 125, 160, 220),
    "reach": (50, 80, 120, 170, 230, 300),
    "hold": (60, 80, 100, 130, 170, 220),
    "break": (40, 60, 80, 110, 150, 200),
    "escort": (30, 45, 60, 80, 110, 150),
    "survive": (80, 100, 130, 170, 220, 300),
}


@dataclass(frozen=True)
class Theme:
    """What a battle is about, whatever its map.

    Attributes:
        frame: The side of the map, and where the player stands.
        kind: The kind of the mission.
        family: The family of the enemy's plan.
        known: How much the briefing says about the enemy.
    """

    frame: Frame
    kind: Kind
    family: str
    known: briefing.Intelligence


@dataclass(frozen=True)
class Drawn:
    """A drawn battle with the facts by which it was drawn.

    Attributes:
        scenario: The battle.
        land: Its map.
        mission: Its mission.
        player: The player's army.
        commander: The enemy's commander, with its army.
        known: How much the briefing says about the enemy.
        attempts: Maps that were drawn, of which the last has room for all.
    """

    scenario: Scenario
    land: Land
    mission: Mission
    player: Army
    commander: Commander
    known: briefing.Intelligence
    attempts: int

    def row(self) -> dict[str, Any]:
        """Return what a table of drawn battles says about it, in plain values."""
        player, enemy = sum(self.player.counts.values()), sum(self.commander.army.counts.values())
        return {
            "name": self.scenario.name,
            "side": self.land.size,
            "units": {"player": player, "enemy": enemy},
            "mission": self.mission.kind,
            "family": self.commander.family,
            "intelligence": self.known,
        }

    def files(self) -> dict[str, str]:
        """Return a scenario file and both sides' plans by file name; read from one folder they are this battle."""
        stem = self.scenario.name.removeprefix(PREFIX).replace("/", "-")
        text, files = portable(self.scenario, f"{stem}.plan", f"{stem}_enemy.plan")
        return {f"{stem}.toml": text, f"{stem}.plan": self.scenario.player.plan or "", **files}


@lru_cache(maxsize=8)
def draw_with_facts(class_name: str, seed: int) -> Drawn:
    """Return a drawn battle with its facts: the same on every machine and with every version of NumPy.

    Args:
        class_name: One of `hive.worlds.battle.drawn.classes.CLASSES`.
        seed: A whole number from 0 to 2^32 - 1.

    Raises:
        ScenarioError: There is no such class.
        ValueError: The seed is out of range.
    """
    theme = draw_theme(class_name, seed)
    for attempt in range(_ATTEMPTS):
        try:
            return _attempt(name_of(class_name, seed), class_name, theme, attempt)
        except NoRoomError:
            continue
    raise AssertionError(f"{name_of(class_name, seed)} has no room for a battle after {_ATTEMPTS} maps")


def draw_theme(class_name: str, seed: int) -> Theme:
    """Return what a battle is about.

    Args:
        class_name: As in `draw_with_facts`.
        seed: As in `draw_with_facts`.

    Raises:
        ScenarioError: There is no such class.
        ValueError: The seed is out of range.
    """
    check_class(class_name, class_name)
    if not 0 <= seed < SEEDS:
        raise ValueError(f"a seed is a whole number from 0 to {SEEDS - 1}, not {seed}")
    dice = Dice(f"{name_of(class_name, seed)}/theme")
    size, kind = dice.pick(tuple(CAPACITY)), dice.weighted(WEIGHTS)
    family, known = dice.weighted(families(kind)), dice.weighted(briefing.INTELLIGENCE)
    return Theme(Frame(size, dice.chance(50), dice.chance(50), dice.chance(50)), kind, family, known)


def _attempt(name: str, class_name: str, theme: Theme, attempt: int) -> Drawn:
    """Return the battle on one of its maps.

    Raises:
        NoRoomError: The map has no room for it.
    """
    frame, kind, family, size = theme.frame, theme.kind, theme.family, theme.frame.size
    map_dice, dice = Dice(f"{name}/map/{attempt}"), Dice(f"{name}/armies/{attempt}")
    sketch = Sketch(map_dice, frame)
    sketch_map(class_name, sketch)
    land = Land(frame, sketch.parts, sketch.shapes())
    if int(land.way.sum()) * 20 < int(land.free.sum()) * 19:
        raise NoRoomError
    total = CAPACITY[size] * dice.between(60, 100) // 100
    civilians = civilians_for(kind, total)
    side = "enemy" if family == "hold" else "player" if kind in KEPT else ""
    ours, theirs = draw_counts(dice, total - civilians, dice.pick(_ODDS[kind]), civilians, side)
    places = draw_places(dice, land, kind)
    player = draw_player(dice, land, home(kind, land), ours)
    mission = draw_mission(dice, kind, places, ours, LIMIT[size])
    commander = command(family, Setting(Dice(f"{name}/enemy/{attempt}"), land, mission, player, theirs, LIMIT[size]))
    words = Dice(f"{name}/words")
    scenario = Scenario(
        name=name,
        version=VERSION,
        title=f"{class_name.capitalize()} {name.rpartition('/')[2]}",
        summary=_summary(player, mission, commander),
        briefing=briefing.write(class_name, words, land, player, mission, commander, theme.known),
        map=ScenarioMap(size, land.shapes),
        rules=ScenarioRules(goal_radius=float(mission.radius), limit=LIMIT[size]),
        types=DEFAULT_TYPES,
        player=Side(
            default_plan(player, commander.army, mission, LIMIT[size]),
            BEHAVIOURS,
            player.groups(size),
            _objective(mission),
        ),
        enemy=Side(commander.plan, BEHAVIOURS, commander.army.groups(size), _enemys_objective(mission)),
        written_for=(sum(player.counts.values()), sum(commander.army.counts.values())),
    )
    return Drawn(scenario, land, mission, player, commander, theme.known, attempt + 1)


def _objective(mission: Mission) -> ScenarioObjective:
    """Return the player's objective."""
    share = mission.share / 100 or None
    if mission.kind in KEPT:
        return ScenarioObjective("survive", until=mission.until, share=share)
    if mission.kind in WALKED:
        who = "civilian" if mission.kind == "escort" else None
        return ScenarioObjective("position", _places(mission), share=share, type=who)
    return ScenarioObjective("elimination")


def _enemys_objective(mission: Mission) -> ScenarioObjective:
    """Return the enemy's objective: one of its units at a place that the player holds, or the death of all."""
    return (
        ScenarioObjective("position", _places(mission)) if mission.kind == "hold" else ScenarioObjective("elimination")
    )


def _places(mission: Mission) -> tuple[tuple[float, float], ...]:
    return tuple((float(x), float(y)) for x, y in mission.places)


def _summary(player: Army, mission: Mission, commander: Commander) -> str:
    """Return the battle in one line."""
    at = " and ".join(map(str, mission.places))
    goals = {
        "eliminate": "eliminate all enemies",
        "reach": f"reach {at}",
        "hold": f"hold {at} until tick {mission.until}",
        "break": f"break through to {at}",
        "escort": f"bring civilians to {at}",
        "survive": f"survive until tick {mission.until}",
    }
    many = briefing.ratio_words(player, commander.army)
    return f"{goals[mission.kind]} with {briefing.army_words(player)}; {many}"
