"""The settings of `hive arena duel`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, ClassVar

from hive.cli import names
from hive.cli.command import argument, option
from hive.cli.model_options import Endpoint, NoGrammar, Temperature, split_model
from hive.cli.options import Cache, JsonOnly, Numbers, ResumedFolder
from hive.cli.values import count, games, index, world_name
from hive.kit.contract import Request
from hive.players.llm.client import PLAIN, REPAIRS


@dataclass(frozen=True, kw_only=True)
class Budget:
    """When commanders are asked, and what they may spend in a game."""

    title: ClassVar[str] = "moments and budgets"
    every: Annotated[
        int, option("ask both commanders every N ticks; 0: once, before the first tick; default: 50", "N", read=index)
    ] = 50
    calls: Annotated[
        int | None, option("most calls of a model in one game; then its last plan goes on", "N", read=count)
    ] = None
    tokens: Annotated[int | None, option("most tokens sent and received in one game, likewise", "N", read=count)] = None


@dataclass(frozen=True, kw_only=True)
class DuelSettings(Numbers, Budget, Endpoint, ResumedFolder, JsonOnly, Cache):
    """Settings of `hive arena duel`."""

    scenarios: Annotated[
        tuple[str, ...],
        argument(
            "battles from `hive list`, drawn ones, sets of them, or paths to .toml files",
            "SCENARIO",
            read=world_name,
            complete=names.WORLD,
        ),
    ] = field(kw_only=False, default=())
    by: Annotated[
        tuple[str, ...],
        option(
            "a commander, given twice or more: words, words:ORDER, plan:FILE, plan:FILE,ENEMY_FILE, one for each seat, "
            "default for the battle's own plans, hold, or a model as NAME@URL",
            "WHO",
        ),
    ] = ()
    seeds: Annotated[
        int,
        option(
            "games of each pair in each seat of a battle (2K in all), with the seeds 0 to K - 1; default: 1",
            "K",
            read=games,
        ),
    ] = 1
    units: Annotated[
        int | None,
        option("size of the player's team; the enemy's team is scaled by the same ratio", "N", read=count),
    ] = None
    temperature: Temperature = PLAIN.temperature
    grammar: NoGrammar = "off"
    repairs: Annotated[
        int, option(f"how often a model's plan with errors is sent back; default: {REPAIRS}", "N", read=index)
    ] = REPAIRS

    @property
    def models(self) -> tuple[str, ...]:
        """The models that take part."""
        return tuple(each for each in self.by if is_model(each))

    def request(self, scenario: str) -> Request:
        """Return what is loaded for one battle."""
        return Request(scenario=scenario, units=self.units, numbers=self.numbers)


def plan_files(rest: str) -> tuple[str, str | None]:
    """Return the plans behind `plan:`: the player's file, and the enemy's where `FILE,ENEMY_FILE` names another."""
    mine, comma, theirs = rest.partition(",")
    return mine, theirs if comma else None


def is_model(who: str) -> bool:
    """Return whether a commander is a model, `NAME@URL`."""
    return split_model(who)[1] is not None
