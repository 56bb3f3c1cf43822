"""Rescues for teams of language agents, of one instance or several, side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hive.kit.keep.dialogue import Line
from hive.worlds.rescue.agents.agent_env import RescueAgentEnv
from hive.worlds.rescue.agents.shown import DEFAULT, Shown
from hive.worlds.rescue.codes import STEPS, Reason
from hive.worlds.rescue.instance import Instance
from hive.worlds.rescue.recording import RescueRecording, gather
from hive.worlds.rescue.state import State

REASONS = {
    Reason.RUNNING: "running",
    Reason.SERVED: "all victims helped",
    Reason.ENDED: "mission ended by the agents",
    Reason.LIMIT: "step limit",
    Reason.BEHAVIOUR_LOOP: "behaviour loop",
    Reason.THOUGHT_LOOP: "thought loop",
}
"""Why a run ended, in words."""


class RescueEpisodes:
    """Runs of rescues; see `hive.kit.agent_env.Episodes`.

    Attributes:
        envs: One for each run.
        states: For each run its state before each step and at the end, on the host.
    """

    def __init__(
        self,
        instances: Sequence[Instance],
        limit: int = STEPS,
        waits: bool = True,
        seeds: Sequence[int] | None = None,
        player: str = "",
        shown: Shown = DEFAULT,
    ) -> None:
        """Begin all runs.

        Args:
            instances: What is played; an instance may come several times.
            limit: Most steps, 1 to `STEPS`.
            waits: Whether agents have the tool `wait`.
            seeds: Number of each run; None: 0, 1, ... for the runs of each instance.
            player: Who plays, for the titles of recordings.
            shown: What agents are shown.
        """
        names = [instance.name for instance in instances]
        if seeds is None:
            seeds = [names[:number].count(name) for number, name in enumerate(names)]
        self._player = player
        self.envs = tuple(
            RescueAgentEnv(instance, seed, limit, waits, shown) for instance, seed in zip(instances, seeds, strict=True)
        )
        self.states: tuple[list[State], ...] = tuple([env.state] for env in self.envs)
        self._deeds: tuple[list[tuple[tuple[str, bool], ...]], ...] = tuple([] for _ in self.envs)

    def step(self, playing: Sequence[int]) -> None:
        """End a step of the runs with these numbers; their agents have had their turns."""
        for number in playing:
            env = self.envs[number]
            env.close()
            self.states[number].append(env.state)
            self._deeds[number].append(tuple(env.deeds))
            env.deeds = [("", False)] * len(env.deeds)

    def results(self, env: int) -> Mapping[str, Any]:
        """Return how a run ended, and when each victim was helped."""
        run = self.envs[env]
        state, victims = run.state, run.instance.victims
        return {
            "instance": run.instance.name,
            "outcome": REASONS[Reason(int(state.reason))],
            "success": int(state.reason) == Reason.SERVED,
            "steps": run.tick,
            "limit": run.limit,
            "helped": int(run.score),
            "victims": len(victims),
            "helped_at": {
                victim.name: int(state.served_at[n]) if state.served_at[n] >= 0 else None
                for n, victim in enumerate(victims)
            },
            "refused": int(state.refused.sum()),
        }

    def recording(self, env: int, lines: Sequence[Line] = ()) -> RescueRecording:
        """Return the recording of a run so far, with what its agents said."""
        run = self.envs[env]
        title = f"{run.instance.name}: {self._player}" if self._player else ""
        outcome = REASONS[Reason(int(run.state.reason))]
        return gather(run.instance, run.limit, self.states[env], self._deeds[env], outcome, lines, title)
