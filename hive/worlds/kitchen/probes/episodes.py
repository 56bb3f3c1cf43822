"""Probes as games: the responder carries out what comes before, then both cooks decide once.

Rules: docs/rules/kitchen.md 12.1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from dsl import UserError
from hive.worlds.kitchen.agents import knowing
from hive.worlds.kitchen.agents.agent_env import KitchenAgentEnv, Rulebook
from hive.worlds.kitchen.agents.episodes import KitchenEpisodes
from hive.worlds.kitchen.probes.recipe import Probe
from hive.worlds.kitchen.setting import Setting
from hive.worlds.kitchen.snapshot import Snapshot
from hive.worlds.kitchen.tasks import Task

_WAIT = "wait(1)"


class ProbeAgentEnv(KitchenAgentEnv):
    """One probe; see `hive.kit.agent_env.PlanAgentEnv`.

    Attributes:
        probe: What is probed.
        asked_at: Timestep in which the cooks decide; None before it.
    """

    def __init__(self, rulebook: Rulebook, probe: Probe, limit: int, seed: int) -> None:
        """Begin a probe; `look` has to follow."""
        super().__init__(rulebook, probe.task, limit, seed)
        self.probe = probe
        self.asked_at: int | None = None
        self._left = list(probe.before)
        self._leads = ""

    @property
    def over(self) -> bool:
        """Whether the timestep in which the cooks decide is over."""
        return (self.asked_at is not None and self.tick > self.asked_at) or super().over

    def bound(self, agent: int) -> str | None:
        """Return what a cook does before the probe; None once it decides."""
        if self.asked_at is not None:
            return None
        return self._leads if agent == self.probe.responder and self._leads else _WAIT

    def knowledge(self, agent: int) -> str:
        """The recipe as the experiment tells it, for the cook that has it, and how long actions take."""
        setting = self.rulebook.setting
        known = knowing.knowledge(setting, self.order, agent, self.probe.lines)
        return "\n\n".join([known, *knowing.times(setting, self.rulebook.costs)])

    def look(
        self,
        snapshot: Snapshot,
        tiles: tuple[tuple[int, int], ...],
        busy: tuple[bool, ...] = (False, False),
        facings: tuple[int, ...] | None = None,
    ) -> None:
        """Take what is to be seen now, and let the responder go on until the probed action can begin."""
        super().look(snapshot, tiles, busy, facings)
        if self.asked_at is not None or busy[self.probe.responder]:
            return
        action = self._left[0] if self._left else self.probe.action
        self._leads = ""
        if self.rulebook.validator.code(snapshot, self.probe.responder, action) is not None:
            return
        if self._left:
            self.chosen[self.probe.responder] = self.rulebook.numbers[str(action)]
            self._leads = str(self._left.pop(0))
        else:
            self.asked_at = self.tick


class ProbeEpisodes(KitchenEpisodes):
    """Probes that step in one batch; see `hive.kit.agent_env.Episodes`."""

    def __init__(self, setting: Setting, probes: Sequence[Probe], seeds: Sequence[int]) -> None:
        """Begin all probes.

        Args:
            setting: The kitchen.
            probes: What is probed; a probe may come several times.
            seeds: Seed of each of them.
        """
        self._probes = probes
        super().__init__(setting, [each.task for each in probes], seeds=seeds)

    def results(self, env: int) -> Mapping[str, Any]:
        """Return the probe and what the cooks completed."""
        game = cast(ProbeAgentEnv, self.envs[env])
        probe, found = game.probe, super().results(env)
        return {
            "task": found["task"],
            "experiment": probe.experiment,
            "number": probe.number,
            "action": str(probe.action),
            "asked_at": game.asked_at,
            "histories": found["histories"],
        }

    def _env(self, rulebook: Rulebook, number: int, task: Task, limit: int, seed: int) -> KitchenAgentEnv:
        return ProbeAgentEnv(rulebook, self._probes[number], limit, seed)


def check_begins(episodes: ProbeEpisodes) -> None:
    """Play until cooks decide, up to which no model is asked, so that no probe fails after its answers were paid.

    Args:
        episodes: Probes at their start; they are played and of no further use.

    Raises:
        UserError: The time of a probe is over before it begins.
    """
    envs = [cast(ProbeAgentEnv, env) for env in episodes.envs]
    while waiting := [number for number, env in enumerate(envs) if env.asked_at is None and not env.over]:
        episodes.step(waiting)
    for env in envs:
        if env.asked_at is None:
            raise UserError(
                f"the probe of {env.probe.action} in {env.probe.task.order} never begins: its time is over before\n"
                "  = help: raise `published_time` of the task"
            )
