"""A taskset for the package `verifiers`: prompts of the ability tests, and replies scored by games.

`verifiers` finds a taskset by the name of a module; `docs/rewards.md` has the two lines of such a module.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dsl import UserError

try:
    import verifiers.v1 as vf
    from openai import AsyncOpenAI
    from pydantic import Field
except ModuleNotFoundError as error:  # the extra is not installed
    raise UserError(f"`verifiers` cannot be used: {error}\n  = help: pip install 'hive-swarm[verifiers]'") from None

from hive.experiments.study.prompted import ABILITY_NAMES, ability_tasks, gathering
from hive.players.llm.gathering import PAUSE
from hive.players.llm.rewards import REWARD_FLOOR


class PlanConfig(vf.TaskConfig):
    """How replies are scored."""

    units: int | None = None
    """Size of the player's team in the games; None: the scenario's. Prompts describe the scenario's."""
    seeds: list[int] = Field(default_factory=lambda: [0, 1, 2, 3])
    """Seeds of the games of each plan."""
    floor: float = REWARD_FLOOR
    """The reward of a text that holds no plan to play."""
    pause: float = PAUSE
    """Seconds for which a batch waits for further replies; those that arrive while it plays form the next."""


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
        shared = gathering(self.data.scenario, config.units, tuple(config.seeds), config.floor, config.pause)
        score = await shared.score(trace.last_reply)
        trace.info["hive"] = score.json()
        trace.record_metrics({"valid": float(score.kind == "plan"), "win_rate": score.wins / max(score.games, 1)})
        return score.value


class PlansConfig(vf.TasksetConfig):
    """Which prompts are asked."""

    task: PlanConfig = PlanConfig()
    abilities: list[str] = Field(default_factory=lambda: [*ABILITY_NAMES])
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
        for each in ability_tasks(config.abilities, config.prompts, config.full):
            data = PlanData(name=each.name, scenario=each.scenario, system_prompt=each.system, prompt=each.prompt)
            yield PlanTask(data, config.task)


class Chat(vf.Harness[vf.HarnessConfig]):
    """Asks once and keeps the reply: no program is started and no tool is offered."""

    APPENDS_SYSTEM_PROMPT = True
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def launch(
        self,
        ctx: vf.ModelContext,
        trace: vf.Trace,
        runtime: vf.Runtime,
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],
        data: vf.TaskData,
    ) -> vf.ProgramResult:
        """Send the task's prompt to the model; see `verifiers.v1.Harness.launch`."""
        system, prompt = self.resolve_text_prompt(data)
        messages: Any = [{"role": "system", "content": system}] if system else []
        messages.append({"role": "user", "content": prompt})
        async with AsyncOpenAI(base_url=endpoint, api_key=secret, max_retries=0) as client:
            await client.chat.completions.create(model=ctx.model, messages=messages)
        return vf.ProgramResult(exit_code=0, stdout="", stderr="")
