"""Orders of the kitchen for a team of language agents: what is played, by whom, and what the games are worth."""

from __future__ import annotations

import math
from collections.abc import Generator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from msgspec import to_builtins

from dsl import UserError
from dsl.wording import plural
from hive.kit.agent_env import PlanAgentEnv
from hive.kit.reporting import Watch
from hive.kit.team_world import Cast, Round, RulePlayer, TeamGame, TeamRequest, TeamResults
from hive.kit.unplanned import AnyTeam
from hive.worlds.kitchen.agents.episodes import KitchenEpisodes
from hive.worlds.kitchen.agents.speaker import answer
from hive.worlds.kitchen.agents.speaker.planner import planner
from hive.worlds.kitchen.agents.streaming import StreamEpisodes
from hive.worlds.kitchen.optimum.play import optima, time_limit
from hive.worlds.kitchen.results import KitchenResults
from hive.worlds.kitchen.setting import load_setting
from hive.worlds.kitchen.standard import Lists, read_references, standard_of
from hive.worlds.kitchen.stream_results import StreamResults
from hive.worlds.kitchen.streams import Stream, read_stream
from hive.worlds.kitchen.switches import SWITCH_NAMES, Switches
from hive.worlds.kitchen.task_files import read_tasks
from hive.worlds.kitchen.tasks import ACTING, GAMMA, check_task, tasks, tasks_of

SPEAKER, PLANNER = "speaker", "planner"

MOST_GAMMA = 10
"""Largest gamma that may be asked for."""

_GAMMA_HELP = "\n  = help: the paper compares 1, 1.5 and 2"
_FILES = ("cookbook", "layout", "task_file", "references")
_STREAM = ("order_probability", "timesteps")


class KitchenTeams(AnyTeam):
    """Orders for two cooks; see `hive.kit.team_world.TeamWorld`.

    Attributes:
        setting: The kitchen.
        tasks: What is ordered.
        own: Tasks of a file, by their orders.
        gammas: Each gamma with which games are scored, in order; games last as long as the largest allows.
        annotated: Reference trajectories of a file against which games are scored too, by their orders.
        stream: The orders that follow the first one of a game; None: a game has one order.
    """

    noun, acting = "kitchen", ACTING
    players: Mapping[str, str] = {
        SPEAKER: "a scripted pair: one cook has the recipe and asks, the other does what it is asked",
        PLANNER: "both cooks follow the fastest plan of named actions, without a word",
    }

    def __init__(self, request: TeamRequest) -> None:
        """Load the kitchen and the orders.

        Args:
            request: Orders as `tasks_of` takes them; none: those of the file of tasks. Settings are `cookbook`,
                `layout`, `task_file` and `references`, paths; `gamma`, a number, or several as in `1,1.5`; the names of
                switches; and of a stream of orders `order_probability` and `timesteps` (`hive.worlds.kitchen.streams`).

        Raises:
            UserError: An order cannot be made, or a setting is wrong.
        """
        given = request.settings((*_FILES, "gamma", *_STREAM, *SWITCH_NAMES), "kitchen")
        follows, timesteps = (given.pop(name, None) for name in _STREAM)
        _check_stream(follows, timesteps, given)
        files = {name: _path(name, given.pop(name)) for name in _FILES if name in given}
        self.gammas = tuple(sorted(set(map(_gamma, str(given.pop("gamma", GAMMA)).split(",")))))
        wrong = next((name for name, value in given.items() if value not in (0, 1)), None)
        if wrong is not None:
            raise UserError(f"the switch `{wrong}` is 0 or 1, not {given[wrong]}")
        switches = Switches(**{name: bool(value) for name, value in given.items()})
        if request.published:  # published cooks do not wait for items
            switches = replace(switches, wait_for=False)
        self.setting = load_setting(
            cookbook_file=files.get("cookbook"), layout_file=files.get("layout"), switches=switches
        )
        self.own = read_tasks(files["task_file"], self.setting) if "task_file" in files else {}
        self.tasks = tasks_of(request.worlds or ["all"], self.setting.book, self.own)
        for task in self.tasks:
            check_task(task.order, self.setting.book, self.setting.layout)
        self.stream: Stream | None = None
        if follows is not None:
            self.stream = read_stream(follows, timesteps, self.setting.book, self.setting.layout, self.own)
        self.annotated: dict[str, Lists] = {}
        self.warnings: list[str] = []
        if "references" in files:
            orders = [task.order for task in self.tasks]
            self.annotated = read_references(files["references"], self.setting, orders, self.warnings.append)

    def identity(self) -> dict[str, Any]:
        """Return what decides the games."""
        return {
            "tasks": [task.order for task in self.tasks],
            "kitchen": [self.setting.book.source, self.setting.layout.source],
            "switches": asdict(self.setting.switches),
            **({"gamma": self.gammas} if self.gammas != (GAMMA,) else {}),
            **({"own": [to_builtins(task) for task in self.tasks]} if self.own else {}),
            **({"annotated": self.annotated} if self.annotated else {}),
            **({"stream": to_builtins(self.stream)} if self.stream else {}),
        }

    def rule_player(self, name: str, watch: Watch) -> RulePlayer:
        """Return the scripted pair, or the pair that follows the fastest plans.

        Raises:
            UserError: That pair is to play a stream of orders.
        """
        if name == PLANNER:
            if self.stream:
                raise UserError(
                    "the player `planner` follows the fastest plan of one order, and a stream has many\n"
                    f"  = help: let `{SPEAKER}` play, or a model"
                )
            best = optima(self.setting, [task.order for task in self.tasks], watch=watch)
            return RulePlayer(name="planner pair", about=self.players[name], speaker=planner(self.setting, best))
        return RulePlayer(name="speaker pair", about=self.players[name], speaker=answer)

    def rounds(
        self, cast: Cast, seeds: Sequence[int], folder: Path, watch: Watch
    ) -> Generator[Round[PlanAgentEnv], Sequence[TeamGame], None]:
        """Yield all games at once."""
        lanes = [(task, seed) for task in self.tasks for seed in seeds]
        firsts, numbers = [task for task, _ in lanes], [seed for _, seed in lanes]
        limits = {} if self.stream else self.limits(self.gammas[-1], watch)
        watch.stage(f"compiling {plural(len(lanes), 'kitchen')}", 1, "program")
        if self.stream:
            episodes: KitchenEpisodes = StreamEpisodes(self.setting, firsts, self.stream, numbers)
        else:
            episodes = KitchenEpisodes(self.setting, firsts, [limits[task.order] for task in firsts], numbers)
        yield Round(episodes, [f"{task.order}/{seed}" for task, seed in lanes])

    def results(self, games: Sequence[TeamGame], watch: Watch) -> TeamResults:
        """Score the games against the reference trajectories of their tasks, with each gamma if there are several.

        Games with a stream of orders are scored by their deliveries.
        """
        if self.stream:
            return StreamResults(games)
        for line in self.warnings:
            watch.say(line)
        standards = {task.order: standard_of(self.setting, task) for task in self.tasks}
        annotated = {
            task.order: standard_of(self.setting, task, self.annotated[task.order])
            for task in self.tasks
            if task.order in self.annotated
        }
        several = self.gammas if len(self.gammas) > 1 else ()
        limits = {each: self.limits(each, watch) for each in several}
        return KitchenResults(games, standards, limits, annotated, self._whole_levels())

    def _whole_levels(self) -> set[int]:
        """Return the levels of which all tasks are played."""
        known = [task for task in (self.own or tasks()).values() if task.order in self.setting.book.orders]
        return {task.level for task in known} - {0} - {task.level for task in known if task not in self.tasks}

    def limits(self, gamma: float, watch: Watch) -> dict[str, int]:
        """Return the last timestep at which a delivery counts, for each order."""
        return {task.order: time_limit(self.setting, task, watch, gamma) for task in self.tasks}


def _path(name: str, value: object) -> Path:
    if not isinstance(value, str | Path):
        raise UserError(f"the setting `{name}` is a file, not {value}\n  = help: write {name}=FILE")
    return Path(value)


def _check_stream(follows: object, timesteps: object, given: Mapping[str, Any]) -> None:
    """Refuse settings that contradict each other.

    Raises:
        UserError: A stream has a setting of games with one order, or these have one of a stream.
    """
    if follows is None and timesteps is not None:
        raise UserError(
            "the setting `timesteps` is for streams of orders; a game with one order has the limit of its task\n"
            "  = help: set `order_probability` too, or `gamma` instead"
        )
    wrong = next((name for name in ("gamma", "references") if name in given), None)
    if follows is not None and wrong:
        raise UserError(
            f"the setting `{wrong}` is for games with one order, and `order_probability` makes a stream of them\n"
            "  = help: leave one of the two out; `timesteps` says how long a stream lasts"
        )


def _gamma(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value <= MOST_GAMMA:
        raise UserError(f"gamma is above 0 and at most {MOST_GAMMA}, not {text[:80]}{_GAMMA_HELP}")
    return value
