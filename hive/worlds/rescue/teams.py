"""Rescues for a team of language agents: what is played, by whom, and what the runs are worth."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from pathlib import Path
from typing import Any

import jax

from dsl import UserError
from dsl.wording import plural
from hive.kit.agent_env import TurnAgentEnv
from hive.kit.keep.runfolder import folder_name
from hive.kit.reporting import Watch
from hive.kit.team_world import Cast, Round, RulePlayer, TeamGame, TeamRequest
from hive.kit.unplanned import AnyTeam
from hive.worlds.rescue.agents.agent_env import RescueAgentEnv
from hive.worlds.rescue.agents.episodes import RescueEpisodes
from hive.worlds.rescue.agents.policies import best_plan, heuristic
from hive.worlds.rescue.agents.shown import SETTINGS, read_shown
from hive.worlds.rescue.agents.speaker import answer
from hive.worlds.rescue.codes import ACTING, LITERAL, STEPS, VARIANTS
from hive.worlds.rescue.files import instance_texts
from hive.worlds.rescue.optimum.play import Optimum, optimum
from hive.worlds.rescue.results import RescueResults
from hive.worlds.rescue.shipped import load_instances

SPEAKER, HEURISTIC, OPTIMAL = "speaker", "heuristic", "optimal"


class RescueTeams(AnyTeam):
    """Rescues; see `hive.kit.team_world.TeamWorld`.

    Attributes:
        instances: What is played.
        limit: Most steps.
    """

    noun, acting = "rescue", ACTING
    players: Mapping[str, str] = {
        SPEAKER: "a scripted team that talks",
        HEURISTIC: "each agent follows the heuristic of the study, without messages",
        **{
            f"{HEURISTIC}:{name}": f"each agent follows the variant `{name}` of the heuristic"
            for name in VARIANTS
            if name != LITERAL
        },
        OPTIMAL: "the team follows a plan of the fewest steps, which is proved",
    }

    def __init__(self, request: TeamRequest) -> None:
        """Load the instances.

        Args:
            request: Instances, with or without `rescue/`, or `all` that are shipped. Settings are `limit`, the most
                steps, and those of `hive.worlds.rescue.agents.shown.Shown`.

        Raises:
            UserError: There is no such instance, two have one name, or a setting is out of range.
        """
        given = request.settings(("limit", *SETTINGS), self.noun)
        self.limit, self._shown = given.get("limit", STEPS), read_shown(given)
        if not isinstance(self.limit, int) or not 1 <= self.limit <= STEPS:
            raise UserError(
                f"the setting `limit` is a whole number of steps from 1 to {STEPS}, not {str(self.limit)[:80]}\n"
                f"  = help: write limit={STEPS}, the default"
            )
        self.instances = load_instances(request.worlds)
        self._waits = not request.published
        self._optima: dict[str, Optimum] = {}

    def identity(self) -> dict[str, Any]:
        """Return what decides the runs."""
        texts = [[instance.name, instance_texts(instance)] for instance in self.instances]
        return {"instances": texts, "limit": self.limit, **self._shown.json()}

    def rule_player(self, name: str, watch: Watch) -> RulePlayer:
        """Return the scripted team, a variant of the heuristic, or the team that follows the optima."""
        about = self.players[name]
        if name == OPTIMAL:
            return RulePlayer(name=f"{name} team", about=about, choose=best_plan(self.optima(watch)))
        if name == SPEAKER:
            return RulePlayer(name=name, about=about, speaker=answer)
        return RulePlayer(name=f"{name} team", about=about, choose=heuristic(name.partition(":")[2] or LITERAL))

    def rounds(
        self, cast: Cast, seeds: Sequence[int], folder: Path, watch: Watch
    ) -> Generator[Round[TurnAgentEnv], Sequence[TeamGame], None]:
        """Yield all runs at once."""
        lanes = [(instance, seed) for instance in self.instances for seed in seeds]
        watch.stage(f"compiling {plural(len(lanes), self.noun)}", 1, "program")
        instances, numbers = zip(*lanes, strict=True)
        episodes = RescueEpisodes(instances, self.limit, self._waits, numbers, cast.player, self._shown)
        several = len(seeds) > 1
        folders = [f"{folder_name(instance.name)}{f'/{seed}' if several else ''}" for instance, seed in lanes]
        yield Round(episodes, folders)

    def results(self, games: Sequence[TeamGame], watch: Watch) -> RescueResults:
        """Compare the runs with the optima."""
        return RescueResults(games, self.optima(watch))

    def optima(self, watch: Watch) -> Mapping[str, Optimum]:
        """Return the optimum of each instance, by its name; it is searched once."""
        if not self._optima:
            watch.stage("searching the optimum", len(self.instances), self.noun)
            for number, instance in enumerate(self.instances, 1):
                env = RescueAgentEnv(instance, 0, self.limit)
                self._optima[instance.name] = optimum(jax.device_get(env.params))
                watch.update(number)
        return self._optima
