"""Probes for a team of language agents: what is asked, by whom, and what the answers are worth."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from pathlib import Path
from typing import Any

from dsl.wording import plural
from hive.kit.agent_env import PlanAgentEnv
from hive.kit.reporting import Watch
from hive.kit.team_world import Cast, Round, RulePlayer, TeamGame, TeamRequest, TeamResults
from hive.worlds.kitchen.probes.episodes import ProbeEpisodes, check_begins
from hive.worlds.kitchen.probes.names import PAIRS, SPEAKER
from hive.worlds.kitchen.probes.pairs import by_heart, read_first
from hive.worlds.kitchen.probes.recipe import Probe, probes_of
from hive.worlds.kitchen.probes.results import ProbeResults
from hive.worlds.kitchen.standard import standard_of
from hive.worlds.kitchen.teams import KitchenTeams


class KitchenProbes(KitchenTeams):
    """Probes of some orders; see `hive.kit.team_world.TeamWorld`.

    Attributes:
        probes: What is asked, each once for each seed.
    """

    noun = "probe"
    players: Mapping[str, str] = PAIRS

    def __init__(self, request: TeamRequest, experiments: Sequence[str]) -> None:
        """Load the kitchen and the orders.

        Args:
            request: See `KitchenTeams`.
            experiments: Names of `hive.worlds.kitchen.probes.names.EXPERIMENTS`.

        Raises:
            UserError: An order cannot be made or probed, or a setting is wrong.
        """
        super().__init__(request)
        self.probes: list[Probe] = [
            probe
            for experiment in experiments
            for task in self.tasks
            for probe in probes_of(self.setting, task, experiment)
        ]

    def identity(self) -> dict[str, Any]:
        """Return what decides the probes."""
        return {**super().identity(), "experiments": list(dict.fromkeys(each.experiment for each in self.probes))}

    def rule_player(self, name: str, watch: Watch) -> RulePlayer:
        """Return one of the scripted pairs."""
        speaker = by_heart(self.setting) if name == SPEAKER else read_first
        return RulePlayer(name=f"{name} pair", about=PAIRS[name], speaker=speaker)

    def rounds(
        self, cast: Cast, seeds: Sequence[int], folder: Path, watch: Watch
    ) -> Generator[Round[PlanAgentEnv], Sequence[TeamGame], None]:
        """Yield all probes at once."""
        lanes = [(probe, seed) for probe in self.probes for seed in seeds]
        watch.stage(f"compiling {plural(len(lanes), 'kitchen')}", 1, "program")
        episodes, trial = (
            ProbeEpisodes(self.setting, [probe for probe, _ in lanes], [seed for _, seed in lanes]) for _ in range(2)
        )
        check_begins(trial)
        yield Round(episodes, [f"{probe.task.order}/{probe.name}/{seed}" for probe, seed in lanes])

    def results(self, games: Sequence[TeamGame], watch: Watch) -> TeamResults:
        """Judge the probes by all reference trajectories of their tasks."""
        return ProbeResults(games, {task.order: standard_of(self.setting, task) for task in self.tasks})
