"""The seventeen published levels, as data (docs/rules/wildfire_levels.md 3.1)."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import Literal

import msgspec

from dsl import UserError
from dsl.wording import did_you_mean, listing, nearest
from hive.engine.crews.score_rules import OPEN_ENDED

PREFIX = "wildfire/"  # prefix of the names of levels
ALL_LEVELS = f"{PREFIX}all"  # names all levels

LEVEL_RULES = ("default", "published")
"""Rules of the fire: those of docs/rules/wildfire.md 2, or the published runs (docs/rules/wildfire_levels.md 4.2)."""

_PUBLISHED_LIMITS = {"suppress": 100, "full": 200}  # ticks of a published run: 20 and 40 updates of the fire

GameName = Literal["cut", "scout", "transport", "suppress", "rescue", "full"]


ACTING = "actions"  # how agents of these worlds act, see `hive.kit.team_world.TeamWorld`
VERSION = 1  # of all levels: rises when their results change


@dataclass(frozen=True, kw_only=True)
class Level:
    """The definition of a level; a seed then gives the map and every place on it."""

    id: str
    title: str
    game: GameName
    firefighters: int = 0
    bulldozers: int = 0
    drones: int = 0
    helicopters: int = 0
    size: int  # cells a side
    offset: int  # hundredths added to the vegetation: higher values give more trees
    period: int = 0  # frames between two updates of the fire; 0: no fire
    trees: int = 0  # single cells to cut
    lines: int = 0  # lines of cells to cut
    line_length: int = 0  # cells
    clusters: int = 0  # groups of civilians
    civilians: int = 0  # civilians in each group
    water: bool = False
    known: bool  # whether the task text gives the places of fire, civilians and targets
    limit: int  # steps of 100 frames
    behaviours: tuple[str, ...]
    seeds: tuple[int, ...]
    rules: str = "default"  # one of `LEVEL_RULES`

    @property
    def name(self) -> str:
        """Name that `hive.load` takes."""
        return PREFIX + self.id

    @property
    def agents(self) -> tuple[int, int, int, int]:
        """Numbers of firefighters, bulldozers, drones and helicopters, in the published order."""
        return self.firefighters, self.bulldozers, self.drones, self.helicopters

    @property
    def cells_to_cut(self) -> int:
        """Number of labelled cells; cells that two lines share count twice."""
        return self.trees + self.lines * self.line_length

    @property
    def open_ended(self) -> bool:
        """Whether the level is a game against a fire: then the score counts losses, and 0 is the best."""
        return self.game in OPEN_ENDED

    @property
    def best(self) -> int:
        """The highest score, at which all games but `suppress` and `full` end (docs/rules/wildfire.md 7.2)."""
        scores = {
            "cut": 3 * self.cells_to_cut,
            "scout": 2,
            "transport": self.firefighters,
            "rescue": self.clusters * self.civilians,
        }
        return scores.get(self.game, 0)

    @property
    def told(self) -> Level:
        """The level as a commander may know it: without its seeds, from which the maps could be generated."""
        return replace(self, seeds=())

    def under(self, rules: str) -> Level:
        """Return the level under other rules, with their limit.

        Raises:
            UserError: There are no rules of that name.
        """
        if rules not in LEVEL_RULES:
            advice = did_you_mean(nearest(str(rules), LEVEL_RULES)) or f"the rules are {listing(LEVEL_RULES, 'and')}"
            raise UserError(f"there are no rules `{rules}` of a wildfire level\n  = help: {advice}")
        limits = _PUBLISHED_LIMITS if rules == "published" else {}
        return replace(self, rules=rules, limit=limits.get(self.game, self.limit))


@cache
def levels() -> dict[str, Level]:
    """Return the levels by name, in the published order."""
    table = tomllib.loads(resources.files(__package__).joinpath("levels.toml").read_text(encoding="utf-8"))
    return {name: msgspec.convert({"id": name, **entry}, Level) for name, entry in table.items()}


def find_level(name: str) -> Level:
    """Return the level with a name, which is an id with or without the prefix `wildfire/`.

    Raises:
        UserError: There is no level of that name.
    """
    known, name = levels(), name.removeprefix(PREFIX)
    if name not in known:
        near = did_you_mean(nearest(name, known))
        advice = near or f"the levels are {listing(known, 'and')}"
        raise UserError(f"there is no wildfire level `{name}`\n  = help: {advice}")
    return known[name]
