"""A task for Inspect AI: prompts of the ability tests, and replies scored by games.

inspect eval hive/plans --model MODEL -T abilities=coordinate -T units=20
"""

from __future__ import annotations

from pathlib import Path

from dsl import UserError

try:
    from inspect_ai import Task, task
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import ChatMessageSystem, ChatMessageUser
    from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
    from inspect_ai.solver import TaskState, generate
except ModuleNotFoundError as error:  # the extra is not installed
    raise UserError(f"`inspect_ai` cannot be used: {error}\n  = help: pip install 'hive-swarm[inspect]'") from None

from hive.experiments.study.prompted import ABILITY_NAMES, ability_tasks, gathering
from hive.players.llm.gathering import PAUSE
from hive.players.llm.rewards import REWARD_FLOOR


@task
def plans(
    abilities: str | list[str] | None = None,
    prompts: str | None = None,
    full: bool = False,
    units: int | None = None,
    seeds: int = 4,
    floor: float = REWARD_FLOOR,
    pause: float = PAUSE,
) -> Task:
    """Ask for a plan with each prompt, once.

    Args:
        abilities: Names of the abilities whose prompts are asked, as a list or separated by commas; None: all.
        prompts: A folder of ABILITY.txt with one prompt a line; None: the shipped prompts.
        full: Whether every unit is listed and the map is complete; else groups of units and a shorter map.
        units: Size of the player's team in the games; None: the scenario's. Prompts describe the scenario's.
        seeds: Number of games of each plan, with the seeds 0, 1, 2, ...
        floor: The reward of a text that holds no plan to play.
        pause: Seconds for which a batch waits for further replies; those that arrive while it plays form the next.

    Raises:
        UserError: There is no such ability, or its prompts cannot be read.
    """
    names = abilities.split(",") if isinstance(abilities, str) else abilities or ABILITY_NAMES
    samples = [
        Sample(
            id=each.name,
            input=[ChatMessageSystem(content=each.system), ChatMessageUser(content=each.prompt)],
            metadata={"scenario": each.scenario},
        )
        for each in ability_tasks(names, Path(prompts) if prompts else None, full)
    ]
    return Task(
        dataset=MemoryDataset(samples), solver=generate(), scorer=games(units, tuple(range(seeds)), floor, pause)
    )


@scorer(metrics={"*": [mean(), stderr()]})
def games(units: int | None, seeds: tuple[int, ...], floor: float, pause: float) -> Scorer:
    """Score a reply by the games of its plan; replies that arrive together share a batch.

    The values are `reward` (docs/rules/rewards.md 2), `valid` (1 where there is a plan to play) and `win_rate`.

    Args:
        units: Size of the player's team in the games; None: the scenario's.
        seeds: Seeds of the games of each plan.
        floor: The reward of a text that holds no plan to play.
        pause: Seconds for which a batch waits for further replies.
    """

    async def score(state: TaskState, target: Target) -> Score:
        found = await gathering(state.metadata["scenario"], units, seeds, floor, pause).score(state.output.completion)
        return Score(
            value={
                "reward": found.value,
                "valid": float(found.kind == "plan"),
                "win_rate": found.wins / max(found.games, 1),
            },
            explanation=found.reason or None,
            metadata=found.json(),
        )

    return score
