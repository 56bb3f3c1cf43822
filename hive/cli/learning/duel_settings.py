"""The settings of `hive arena duel`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from hive.cli import names
from hive.cli.command import argument, option
from hive.cli.commanders import Moments, is_model
from hive.cli.model_options import Endpoint, NoGrammar, Temperature
from hive.cli.options import Cache, JsonOnly, Numbers, PromptVersion, ResumedFolder, Units
from hive.cli.values import games, index, world_name
from hive.kit.planned_world import Request
from hive.players.llm.client import PLAIN, REPAIRS, Settings


@dataclass(frozen=True, kw_only=True)
class DuelSettings(Units, Numbers, Moments, Endpoint, ResumedFolder, JsonOnly, Cache):
    """Settings of `hive arena duel`."""

    scenarios: Annotated[
        tuple[str, ...],
        argument(
            "battles from `hive list`, drawn ones, sets of them, or paths to .toml files",
            "SCENARIO",
            read=world_name,
            complete=names.WORLD_OR_SET,
        ),
    ] = field(kw_only=False, default=())
    by: Annotated[
        tuple[str, ...],
        option(
            "a commander, given twice or more: words, words:ORDER, plan:FILE, plan:FILE,ENEMY_FILE, one for each seat, "
            "default for the battle's own plans, hold, stand, attack, or a model as NAME@URL",
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
    temperature: Temperature = PLAIN.temperature
    grammar: NoGrammar = "off"
    repairs: Annotated[
        int, option(f"how often a model's plan with errors is sent back; default: {REPAIRS}", "N", read=index)
    ] = REPAIRS
    prompt_version: PromptVersion = None

    @property
    def models(self) -> tuple[str, ...]:
        """The models that take part."""
        return tuple(each for each in self.by if is_model(each))

    def drawn(self) -> Settings:
        """Return how replies are drawn."""
        return Settings(temperature=self.temperature, top_p=self.top_p, max_tokens=self.max_tokens)

    def request(self, scenario: str) -> Request:
        """Return what is loaded for one battle."""
        return Request(scenario=scenario, units=self.units, numbers=self.numbers)
