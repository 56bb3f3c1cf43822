"""An environment for OpenEnv: a reset gives a prompt of the ability tests, a step plays the plan of a reply.

`docs/rewards.md` has the two lines of a module that a server is started with.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from dsl import UserError

try:
    from openenv.core.env_server import Action, Environment, Observation, State, create_app
    from openenv.core.env_server.types import EnvironmentMetadata
except ModuleNotFoundError as error:  # the extra is not installed
    raise UserError(f"`openenv` cannot be used: {error}\n  = help: pip install 'hive-swarm[openenv]'") from None

from hive.experiments.study.prompted import AbilityTask, ability_tasks, gathering
from hive.players.llm.gathering import PAUSE, Gathering
from hive.players.llm.rewards import REWARD_FLOOR, Score

SESSIONS = 64  # sessions at the same time, where nothing else is said


class PlanAction(Action):
    """What the model replied."""

    text: str
    """The complete reply; the first plan in it is played."""


class PlanObservation(Observation):
    """A prompt after a reset; what came of the reply after a step, which ends the episode."""

    system: str = ""
    """The system message: role, rules, map, plan language, mission."""
    prompt: str = ""
    """The user's message: the prompt and the state of the game."""


class PlanState(State):
    """Which prompt is asked."""

    task: str = ""
    """Ability and number of the prompt, such as `coordinate/3`."""


class PlanEnvironment(Environment[PlanAction, PlanObservation, PlanState]):
    """One session. All sessions of a server share the batches in which plans are played."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, tasks: Sequence[AbilityTask], rewards: Mapping[str, Gathering]) -> None:
        """Begin without an episode.

        Args:
            tasks: The prompts that are asked.
            rewards: What scores the replies, by scenario.
        """
        super().__init__()
        self._tasks, self._rewards = tasks, rewards
        self._task: AbilityTask | None = None
        self._state = PlanState()

    def reset(
        self, seed: int | None = None, episode_id: str | None = None, task: str | None = None, **rest: Any
    ) -> PlanObservation:
        """Ask a prompt: that of the name `task`, such as `coordinate/3`, else one drawn by the seed.

        Raises:
            UserError: There is no such task, or an argument is unknown.
        """
        if rest:
            raise UserError(f"a reset takes `seed`, `episode_id` and `task`, not `{next(iter(rest))}`")
        named = [each for each in self._tasks if each.name == task]
        if task is not None and not named:
            raise UserError(f"there is no task `{task}`\n  = help: tasks are such as `{self._tasks[0].name}`")
        self._task = named[0] if named else random.Random(seed).choice(self._tasks)
        self._state = PlanState(episode_id=episode_id, task=self._task.name)
        return PlanObservation(system=self._task.system, prompt=self._task.prompt)

    async def step_async(self, action: PlanAction, timeout_s: float | None = None, **rest: Any) -> PlanObservation:
        """Play the plan of a reply. The reward is that of docs/rules/rewards.md 2; `metadata` has its reason.

        Replies of other sessions that arrive together share a batch. `timeout_s` has no effect.

        Raises:
            UserError: There was no reset before.
        """
        task = self._end()
        return _scored(task, await self._rewards[task.scenario].score(action.text))

    def step(self, action: PlanAction, timeout_s: float | None = None, **rest: Any) -> PlanObservation:
        """Play the plan of a reply in a batch of its own; see `step_async`.

        Raises:
            UserError: There was no reset before.
        """
        task = self._end()
        [score] = self._rewards[task.scenario].rewards.score([action.text])
        return _scored(task, score)

    def _end(self) -> AbilityTask:
        """Return the prompt that is answered, and end the episode."""
        if self._task is None:
            raise UserError("no prompt was asked, or it is answered already\n  = help: reset, then step once")
        task, self._task = self._task, None
        self._state.step_count += 1
        return task

    @property
    def state(self) -> PlanState:
        """Which prompt is asked."""
        return self._state

    def get_metadata(self) -> EnvironmentMetadata:
        """Return what the environment is, for pages and lists."""
        return EnvironmentMetadata(
            name="hive_plans", description="Write a plan for a battle; the reward is the mean value of its games."
        )


def _scored(task: AbilityTask, score: Score) -> PlanObservation:
    return PlanObservation(done=True, reward=score.value, metadata={"task": task.name, **score.json()})


def make_app(
    tasks: Sequence[AbilityTask] | None = None,
    *,
    units: int | None = None,
    seeds: Sequence[int] = (0, 1, 2, 3),
    floor: float = REWARD_FLOOR,
    pause: float = PAUSE,
    sessions: int = SESSIONS,
) -> Any:
    """Return the server of the environment, for `uvicorn`.

    Args:
        tasks: The prompts that are asked, see `hive.experiments.study.prompted.ability_tasks`; None: all shipped ones.
        units: Size of the player's team in the games; None: the scenario's. Prompts describe the scenario's.
        seeds: Seeds of the games of each plan.
        floor: The reward of a text that holds no plan to play.
        pause: Seconds for which a batch waits for replies of other sessions; those that arrive while it plays form the
            next.
        sessions: Most sessions at the same time.

    Returns:
        A FastAPI application.

    Raises:
        UserError: The seeds or the floor cannot be used.
    """
    asked = ability_tasks() if tasks is None else tasks
    rewards = {each.scenario: gathering(each.scenario, units, tuple(seeds), floor, pause) for each in asked}
    return create_app(
        lambda: PlanEnvironment(asked, rewards), PlanAction, PlanObservation, max_concurrent_envs=sessions
    )
