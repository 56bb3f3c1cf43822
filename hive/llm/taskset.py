"""A taskset for the package `verifiers`: prompts of the ability tests, and replies scored by games.

A module of your own makes it known to `verifiers` by its name; see `docs/rewards.md`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from dsl import UserError
from dsl.wording import listing

try:
    import verifiers.v1 as vf
    from pydantic import Field
except ModuleNotFoundError as error:  # the extra is not installed
    raise UserError(f"`verifiers` cannot be used: {error}\n  = help: pip install 'hive-swarm[verifiers]'") from None

from hive.battle.abilities import ABILITIES
from hive.battle.study_prompts import read_prompts, study_prompts
from hive.battle.world import load
from hive.llm.gathering import Gathering
from hive.llm.prompting import conversations
from hive.llm.rewards import FLOOR, Rewards
from hive.llm.study import without_hints


class PlanConfig(vf.TaskConfig):
    """How replies are scored."""

    units: int | None = None
    """Size of the player's team in the games; None: the scenario's. Prompts describe the scenario's."""
    seeds: list[int] = Field(default_factory=lambda: [0, 1, 2, 3])
    """Seeds of the games of each plan."""
    floor: float = FLOOR
    """The reward of a text that holds no plan to play."""


class PlanData(vf.TaskData):
    """One prompt."""

    scenario: str
    """The scenario that the plan is for."""


class PlanTask(vf.Task[PlanData, vf.State, PlanConfig]):
    """A plan is asked for, and the reply's reward is the value of its plan's games."""

    @vf.reward
    async def plan(self, trace: vf.Trace) -> float:
        """Return the reward; its reason, the games and the wins are kept in `trace.info`."""
        config: Any = self.config
        gathering = _gathering(self.data.scenario, config.units, tuple(config.seeds), config.floor)
        score = await gathering.score(trace.last_reply)
        trace.info["hive"] = score.json()
        trace.record_metrics({"valid": float(score.kind == "plan"), "win_rate": score.wins / max(score.games, 1)})
        return score.value


class PlansConfig(vf.TasksetConfig):
    """Which prompts are asked."""

    task: PlanConfig = PlanConfig()
    abilities: list[str] = Field(default_factory=lambda: [ability.name for ability in ABILITIES])
    """The abilities whose prompts are asked."""
    prompts: Path | None = None
    """A folder of ABILITY.txt with one prompt a line; None: the shipped prompts."""
    full: bool = False
    """Whether every unit is listed and the map is complete; else groups of units and a shorter map."""


class Plans(vf.Taskset[PlanTask, PlansConfig]):
    """The prompts of the ability tests, one task each."""

    def load(self) -> Iterator[PlanTask]:
        """Yield the tasks, by ability.

        Raises:
            UserError: There is no such ability, or its prompts cannot be read.
        """
        config: Any = self.config
        known = {ability.name: ability for ability in ABILITIES}
        for name in config.abilities:
            prompts = read_prompts(config.prompts, name) if config.prompts else study_prompts(name)
            ability = known.get(name)
            if ability is None:
                raise UserError(f"`{name}` is no ability\n  = help: abilities are {listing(known, 'and')}")
            world = without_hints(load(ability.scenario), ability)
            for number, (system, user) in enumerate(conversations(world, prompts, full=config.full)):
                data = PlanData(
                    name=f"{name}/{number}",
                    scenario=ability.scenario,
                    system_prompt=system["content"],
                    prompt=user["content"],
                )
                yield PlanTask(data, config.task)


@cache
def _gathering(scenario: str, units: int | None, seeds: tuple[int, ...], floor: float) -> Gathering:
    return Gathering(Rewards(scenario, seeds, units=units, floor=floor))
