"""A kind of small worlds from an environment and a few words: its host, its tasks for learners, its teams and results.

`docs/extend.md` writes a world with it. What is said of a method of `Kind`, `TaskKind` and `TeamWorld` holds here.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from dsl import UserError
from dsl.wording import columns, did_you_mean, listing, nearest, plural
from hive.kit.agent_env import TurnAgentEnv
from hive.kit.environment.step_agent_env import StepAgentEnv, StepEpisodes, speaker
from hive.kit.environment.step_env import StepEnv, World
from hive.kit.environment.tasks import LearningTask, only
from hive.kit.planned_world import Request
from hive.kit.reporting import Description, Scene, Watch
from hive.kit.team_world import Cast, Round, RulePlayer, TeamGame, TeamRequest, TeamWorld
from hive.kit.unplanned import AnyTeam, Unplanned, Unscored

SPEAKER, RULE = "speaker", "rule"
"""Players by rules: a scripted team that talks, and agents that follow the same rule without a word."""


class StepWorld(Unplanned):
    """A kind of worlds whose agents act at the same time; a subclass has its words and makes its environments.

    Attributes:
        name: Its name in `hive.worlds`; its worlds are `name/level`.
        noun: What one world is called, such as `rescue`.
        agent: Type of its agents, such as `predator`.
        role: What such an agent is, in a sentence that is addressed to it.
        levels: Name of each world without `name/`, and a line about it.
        settings: Name of each setting, with the least and the most that it can be; whole numbers.
    """

    name: ClassVar[str]
    agent: ClassVar[str]
    role: ClassVar[str]
    levels: ClassVar[Mapping[str, str]]
    settings: ClassVar[Mapping[str, tuple[int, int]]] = {}
    acting = "steps"
    undescribed = ("numbers",)

    def make(self, level: str, **settings: int) -> StepEnv:
        """Return the environment of one of `levels`, with the settings that are given in place of its own."""
        raise NotImplementedError

    def task(self, env: StepEnv) -> str:
        """Return the rules and the aim in words, for agents."""
        raise NotImplementedError

    def sees(self, env: StepEnv, world: World, agent: int) -> tuple[str, str]:
        """Return where an agent is, such as `(2, 3)`, and what it sees, in words; leaves of `world` are on the host."""
        raise NotImplementedError

    def rule(self, seen: str, possible: Sequence[str]) -> str:
        """Return the action that a scripted agent takes.

        Args:
            seen: Where it is and what it sees, on one line: `You are at (2, 3). ...`, with the texts of `sees`.
            possible: Names of the actions that it can begin, one of which is returned.
        """
        raise NotImplementedError

    def env(self, name: str, given: Mapping[str, Any]) -> StepEnv:
        """Return the environment of a world.

        Args:
            name: Its name, with `name/` or without.
            given: Settings in place of its own.

        Raises:
            UserError: There is no such world, a setting is no whole number in its range, or the rules are of another
                form than games need; see `StepEnv.check_form`.
        """
        level = name.removeprefix(f"{self.name}/")
        if level not in self.levels:
            known = self.names()
            help = did_you_mean(nearest(f"{self.name}/{level}", known)) or f"there are {listing(known, 'and')}"
            raise UserError(f"there is no {self.noun} `{level[:80]}`\n  = help: {help}")
        for setting, value in given.items():
            least, most = self.settings[setting]
            if value not in range(least, most + 1):
                raise UserError(f"`{setting}` of a {self.noun} is a whole number from {least} to {most}, not {value}")
        env = self.make(level, **{setting: int(value) for setting, value in given.items()})
        env.check_form()
        return env

    def claims(self, name: str) -> bool:
        """Names that begin with `name/` are such worlds; files are not."""
        return name.startswith(f"{self.name}/") and not name.endswith(".toml")

    def names(self) -> list[str]:
        """All levels."""
        return [f"{self.name}/{level}" for level in self.levels]

    def catalogue(self) -> dict[str, list[dict[str, Any]]]:
        """All levels."""
        rows = [{"name": f"{self.name}/{level}", "line": about, "about": about} for level, about in self.levels.items()]
        return {f"{self.noun}s": rows}

    def describe(self, request: Request, tick: int) -> Scene:
        """Describe the game of a seed at its start, as its agents know it."""
        self.refuse_game(request, tick, "a game with every step")
        learnt, seed = self.env(request.scenario, {}), request.seed or 0
        env = StepAgentEnv(self, request.scenario, learnt, seed)
        actions = "\n".join(f"- {name}: {about}" for name, about in learnt.actions.items())
        system = f"{self.task(learnt)}\n\nActions, each of which lasts one step:\n{actions}"
        state = "\n\n".join(
            f"{seat.name}, {seat.kind}, at {env.observe(agent).place}:\n{env.observe(agent).view}"
            for agent, seat in enumerate(env.seats)
        )
        return Scene(request.scenario, seed, 0, Description(f"{self.name}/1", system, state, system, state))

    def team_world(self, request: TeamRequest) -> TeamWorld:
        """Return worlds for a team of agents."""
        return StepTeams(self, request)

    def load_world(self, task: LearningTask, seeds: Sequence[int] | None = None, **overrides: Any) -> StepEnv:
        """Return the environment with dense rewards, which is what a task is played on."""
        only(f"a {self.noun}", overrides, tuple(self.settings))
        return self.env(task.of[0], overrides)

    def make_task_env(
        self, task: LearningTask, *, sparse: bool, seeds: Sequence[int] | None, **overrides: Any
    ) -> StepEnv:
        """Make the environment of a task."""
        env: StepEnv = self.load_world(task, seeds, **overrides).replace(sparse=sparse)
        return env

    def task_facts(self, task: LearningTask) -> list[tuple[str, str]]:
        """Return the facts of a task."""
        env = self.load_world(task)
        return [
            ("World", f"a {self.noun}: {self.levels[task.of[0]]}"),
            ("Team", plural(env.team, self.agent)),
            ("Opponent", "none"),
            ("A step", "one action of each agent, at the same time"),
            ("Reward", "gain of the score in the step, + 1 when the game is won"),
            ("Sparse reward", "1 when the game is won"),
        ]


class StepTeams(AnyTeam):
    """Worlds of one kind for a team of agents; see `hive.kit.team_world.TeamWorld`."""

    acting = StepWorld.acting
    players: Mapping[str, str] = {
        SPEAKER: "a scripted team that talks, and whose agents follow a rule",
        RULE: "each agent follows the same rule, without messages",
    }

    def __init__(self, kind: StepWorld, request: TeamRequest) -> None:
        """Make the environments.

        Raises:
            UserError: There is no such world, or a setting is wrong.
        """
        self._kind, self.noun = kind, kind.noun
        self._settings = request.settings(tuple(kind.settings), kind.noun)
        self._envs = {name: kind.env(name, self._settings) for name in request.worlds}

    def identity(self) -> dict[str, Any]:
        """Return what decides the games."""
        return {"worlds": list(self._envs), "settings": self._settings}

    def rule_player(self, name: str, watch: Watch) -> RulePlayer:
        """Return the scripted team, or the agents that follow its rule."""
        if name == SPEAKER:
            return RulePlayer(name=name, about=self.players[name], speaker=speaker(self._kind.rule))

        def choose(env: StepAgentEnv, agent: int) -> Any:
            return env.choice(agent, self._kind.rule)

        return RulePlayer(name=name, about=self.players[name], choose=choose)

    def rounds(
        self, cast: Cast, seeds: Sequence[int], folder: Path, watch: Watch
    ) -> Generator[Round[TurnAgentEnv], Sequence[TeamGame], None]:
        """Yield all games at once."""
        watch.stage(f"compiling {plural(len(self._envs), self.noun)}", 1, "program")
        games = [(name, env, seed) for name, env in self._envs.items() for seed in seeds]
        envs = [StepAgentEnv(self._kind, name, env, seed) for name, env, seed in games]
        names = [f"{name.removeprefix(f'{self._kind.name}/')}/{seed}" for name, _, seed in games]
        yield Round(StepEpisodes(envs, cast.player), names)

    def results(self, games: Sequence[TeamGame], watch: Watch) -> StepResults:
        """Return how the games ended, and what they cost."""
        return StepResults(games)


class StepResults(Unscored):
    """Results of games; see `hive.kit.team_world.TeamResults`."""

    def __init__(self, games: Sequence[TeamGame]) -> None:
        """Take the finished games."""
        self._games = games

    def rows(self) -> list[dict[str, Any]]:
        """Return how each game ended, and its costs."""
        return [
            {
                "world": game.env.name,
                "player": game.player,
                "seed": game.env.seed,
                **game.facts,
                "messages": game.messages,
                "costs": game.transcript.costs(),
            }
            for game in self._games
        ]

    def json(self) -> dict[str, Any]:
        """Return the games."""
        return {"games": self.rows()}

    def table(self) -> str:
        """Return a row for each world and player."""
        rows, lines = (
            self.rows(),
            [["world", "player", "games", "won", "mean score", "mean steps", "messages", "calls"]],
        )
        for world, player in dict.fromkeys((row["world"], row["player"]) for row in rows):
            mine = [row for row in rows if (row["world"], row["player"]) == (world, player)]
            score, steps = (sum(row[name] for row in mine) / len(mine) for name in ("score", "steps"))
            sums = [sum(row["messages"] for row in mine), sum(row["costs"]["calls"] for row in mine)]
            counts = [str(len(mine)), str(sum(row["won"] for row in mine))]
            lines.append([world, player, *counts, f"{score:.2f}", f"{steps:.1f}", *map(str, sums)])
        return columns(lines, left=(0, 1))
