"""Orders of the kitchen for a team of language agents: what is played, by whom, and what the games are worth."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from dsl import UserError
from dsl.wording import plural
from hive.kit.contract import Cast, Round, RulePlayer, TeamGame, TeamRequest, Watch
from hive.kit.unplanned import AnyTeam
from hive.worlds.kitchen.agents.episodes import KitchenEpisodes
from hive.worlds.kitchen.agents.speaker import answer
from hive.worlds.kitchen.agents.speaker.planner import planner
from hive.worlds.kitchen.optimum.play import optima, time_limit
from hive.worlds.kitchen.results import KitchenResults
from hive.worlds.kitchen.setting import load_setting
from hive.worlds.kitchen.standard import standard_of
from hive.worlds.kitchen.switches import SWITCH_NAMES, Switches
from hive.worlds.kitchen.tasks import check_task, tasks_of

SPEAKER, PLANNER = "speaker", "planner"


class KitchenTeams(AnyTeam):
    """Orders for two cooks; see `hive.kit.contract.TeamWorld`.

    Attributes:
        setting: The kitchen.
        tasks: What is ordered.
    """

    noun, acting = "kitchen", "plans"
    players: Mapping[str, str] = {
        SPEAKER: "a scripted pair: one cook has the recipe and asks, the other does what it is asked",
        PLANNER: "both cooks follow the fastest plan of named actions, without a word",
    }

    def __init__(self, request: TeamRequest) -> None:
        """Load the kitchen and the orders.

        Args:
            request: Orders as `tasks_of` takes them. Settings are `cookbook` and `layout`, paths, and the names of
                switches.

        Raises:
            UserError: An order cannot be made, or a setting is wrong.
        """
        given = request.settings(("cookbook", "layout", *SWITCH_NAMES), "kitchen")
        files = {f"{name}_file": Path(given.pop(name)) for name in ("cookbook", "layout") if name in given}
        wrong = next((name for name, value in given.items() if value not in (0, 1)), None)
        if wrong is not None:
            raise UserError(f"the switch `{wrong}` is 0 or 1, not {given[wrong]}")
        switches = Switches(**{name: bool(value) for name, value in given.items()})
        if request.published:  # published cooks do not wait for items
            switches = replace(switches, wait_for=False)
        self.setting = load_setting(**files, switches=switches)
        self.tasks = tasks_of(request.worlds, self.setting.book)
        for task in self.tasks:
            check_task(task.order, self.setting.book, self.setting.layout)

    def identity(self) -> dict[str, Any]:
        """Return what decides the games."""
        return {
            "tasks": [task.order for task in self.tasks],
            "kitchen": [self.setting.book.source, self.setting.layout.source],
            "switches": asdict(self.setting.switches),
        }

    def rule_player(self, name: str, watch: Watch) -> RulePlayer:
        """Return the scripted pair, or the pair that follows the fastest plans."""
        if name == PLANNER:
            best = optima(self.setting, [task.order for task in self.tasks], watch=watch)
            return RulePlayer(name="planner pair", about=self.players[name], speaker=planner(self.setting, best))
        return RulePlayer(name="speaker pair", about=self.players[name], speaker=answer)

    def rounds(
        self, cast: Cast, seeds: Sequence[int], folder: Path, watch: Watch
    ) -> Generator[Round, Sequence[TeamGame], None]:
        """Yield all games at once."""
        lanes = [(task, seed) for task in self.tasks for seed in seeds]
        limits = {task.order: time_limit(self.setting, task.order, watch) for task in self.tasks}
        watch.stage(f"compiling {plural(len(lanes), 'kitchen')}", 1, "program")
        episodes = KitchenEpisodes(
            self.setting, [task for task, _ in lanes], [limits[task.order] for task, _ in lanes], [n for _, n in lanes]
        )
        yield Round(episodes, [f"{task.order}/{seed}" for task, seed in lanes])

    def results(self, games: Sequence[TeamGame], watch: Watch) -> KitchenResults:
        """Score the games against all reference trajectories of their tasks."""
        return KitchenResults(games, {task.order: standard_of(self.setting, task) for task in self.tasks})
