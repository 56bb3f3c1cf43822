"""Wildfire levels for a team of language agents: what is played, and what the episodes are worth."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from dsl import UserError
from dsl.wording import columns, plural
from hive.kit.agent_env import AgentEnv, Observation
from hive.kit.keep.record import digest_of
from hive.kit.planned_world import CommandedWorld, Request
from hive.kit.reporting import Watch
from hive.kit.team_world import Cast, Round, RulePlayer, TeamGame, TeamRequest
from hive.kit.unplanned import AnyTeam
from hive.worlds.wildfire.agents.episodes import MOST_EPISODES, open_episodes
from hive.worlds.wildfire.agents.judging import SCORES, judge, judging, shows
from hive.worlds.wildfire.commanded import CommandedLevel
from hive.worlds.wildfire.levels import ACTING, ALL_LEVELS, Level, find_level
from hive.worlds.wildfire.result import LevelGameResult, LevelResult, methods_table
from hive.worlds.wildfire.speaker import answer
from hive.worlds.wildfire.world import SETTINGS, Fireground, load_level

SPEAKER = "speaker"
_OWN_MAPS = "own_maps"
_PLANS = "plans"  # the way of playing of a commander that writes plans


class LevelTeams(AnyTeam, CommandedWorld):
    """Levels for crews of agents; see `hive.kit.team_world.TeamWorld`.

    Attributes:
        levels: What is played, as published.
        settings: Changed numbers of all levels, their `rules`, and `own_maps`: whether each agent has an explored map
            of its own.
    """

    noun, acting = "episode", ACTING
    players: Mapping[str, str] = {SPEAKER: "a scripted speaker that reads the prompts and follows rules"}

    def __init__(self, request: TeamRequest) -> None:
        """Load the levels.

        Args:
            request: Levels with `wildfire/`; settings are the numbers that `load_level` takes, `rules` and `own_maps`.

        Raises:
            UserError: There is no such level, or a setting is wrong.
        """
        if ALL_LEVELS in request.worlds:
            raise UserError(
                f"a team plays one level at a time, and {ALL_LEVELS} means all levels\n  = help: name one level"
            )
        self.settings = request.settings((*SETTINGS, _OWN_MAPS), "wildfire level")
        for switch in ("burnt_kills", _OWN_MAPS):
            if switch in self.settings:
                if self.settings[switch] not in (0, 1):
                    raise UserError(f"`{switch}` is 0 or 1, not {self.settings[switch]}")
                self.settings[switch] = bool(self.settings[switch])
        if not self.settings.get(_OWN_MAPS, True):
            del self.settings[_OWN_MAPS]  # the default changes nothing
        self._numbers = {name: value for name, value in self.settings.items() if name != _OWN_MAPS}
        self._numbers["shared"] = not self.settings.get(_OWN_MAPS)
        self.levels: list[Level] = [find_level(name) for name in request.worlds]
        self._began = time.monotonic()
        self._changed = {  # made before anything is played, since a setting may be wrong
            level.name: load_level(level.name, level.seeds[0], **self._numbers).site.level for level in self.levels
        }

    @property
    def seeds(self) -> Sequence[int]:
        """The published seeds of the first level."""
        return self.levels[0].seeds

    def identity(self) -> dict[str, Any]:
        """Return what decides the episodes."""
        values = digest_of([asdict(level) for level in self._changed.values()])
        return {
            "levels": [level.name for level in self.levels],
            "settings": dict(self.settings),
            "instances": values,
        }

    def check(self, cast: Cast) -> None:
        """Refuse the commander that writes plans where each agent has its own map.

        Raises:
            UserError: It is such a commander.
        """
        if cast.framework == _PLANS and self.settings.get(_OWN_MAPS):
            raise UserError(
                f"`{cast.player}` reads the map that its team shares, and `{_OWN_MAPS}` gives each agent its own\n"
                f"  = help: leave out `{_OWN_MAPS}`, or let a team play"
            )

    def rule_player(self, name: str, watch: Watch) -> RulePlayer:
        """Return the scripted speaker."""
        return RulePlayer(name="scripted speaker", about=self.players[name], speaker=answer)

    judged: Sequence[str] = SCORES

    def shows(self, seen: Observation) -> tuple[bool, ...] | None:
        """Return whether fire and whether civilians are in view; see `hive.kit.team_world.PicturedWorld`."""
        return shows(seen)

    def judging(self, seen: Observation, text: str) -> tuple[str, str]:
        """Return what a judge of a description of what an agent sees is sent."""
        return judging(seen, text)

    def judge(self, system: str, texts: Sequence[str]) -> str:
        """Judge by rules: given coordinates against the true cells."""
        return judge(system, texts)

    def rounds(
        self, cast: Cast, seeds: Sequence[int], folder: Path, watch: Watch
    ) -> Generator[Round[AgentEnv], Sequence[TeamGame], None]:
        """Yield one level after the other, whose seeds are played side by side.

        Raises:
            UserError: There are too many seeds.
        """
        _check_seeds(seeds)
        for level in self.levels:
            watch.stage(f"beginning {plural(len(seeds), self.noun)} of {level.name}", 1, "step")
            episodes = open_episodes(level.name, seeds, self._numbers, keep=True)
            yield Round(episodes, [f"{level.id}/{seed}" for seed in seeds])

    def requests(self, seeds: Sequence[int]) -> list[Request]:
        """Return every level with every seed, for a commander.

        Raises:
            UserError: There are too many seeds.
        """
        _check_seeds(seeds)
        numbers = tuple(
            (name, float(value)) for name, value in self._numbers.items() if name not in ("rules", "shared")
        )
        rules = self.settings.get("rules")
        return [
            Request(scenario=level.name, numbers=numbers, fire_rules=rules, seed=seed, keep=True)
            for level in self.levels
            for seed in seeds
        ]

    def commanded(self, world: Fireground) -> CommandedLevel:
        """Return a commander's game of a level."""
        return CommandedLevel(world)

    def results(self, games: Sequence[TeamGame], watch: Watch) -> TeamLevelResults:
        """Return the scores, next to the published ones."""
        seconds = time.monotonic() - self._began
        methods = {game.player: game.method or game.player for game in games}
        taken = Counter(methods.values())
        found = []
        for name, player in dict.fromkeys((game.env.name, game.player) for game in games):
            mine = tuple(game for game in games if (game.env.name, game.player) == (name, player))
            changes = {key: value for key, value in self.settings.items() if key != "rules"}
            found.append(
                LevelResult(
                    name=name,
                    level=self._changed[name],
                    method=methods[player] if taken[methods[player]] == 1 else f"{methods[player]} ({player})",
                    changes=changes,
                    games=tuple(map(level_game, mine)),
                    seconds=seconds,
                )
            )
        return TeamLevelResults(games, found)


class TeamLevelResults:
    """Results of teams on levels; see `hive.kit.team_world.TeamResults`."""

    def __init__(self, games: Sequence[TeamGame], results: Sequence[LevelResult]) -> None:
        """Take the games, and the result of each level and player."""
        self._games, self._results = games, results
        self._best = {result.name: result.level.best for result in results}

    def rows(self) -> list[dict[str, Any]]:
        """Return score and costs of each episode."""
        return [
            {
                "level": game.env.name,
                "player": game.player,
                "seed": game.env.seed,
                "score": int(game.env.score),
                "max": self._best[game.env.name],
                **game.facts,
                "messages": game.messages,
                **game.transcript.costs(),
            }
            for game in self._games
        ]

    def json(self) -> dict[str, Any]:
        """Return the scores of each level and player, and the episodes."""
        return {"scores": [result.json() for result in self._results], "games": self.rows()}

    def table(self) -> str:
        """Return the scores of each level: of one player game by game, of several side by side."""
        parts = []
        for name in self._best:
            mine = [result for result in self._results if result.name == name]
            parts += [mine[0].table()] if len(mine) == 1 else _side_by_side(mine)
        return "\n\n".join(parts)

    def scores(self) -> list[dict[str, Any]]:
        """Return the scores of each level and player, for `hive competency`."""
        players = dict.fromkeys((game.env.name, game.player) for game in self._games)
        return [{**result.json(), "player": player} for (_, player), result in zip(players, self._results, strict=True)]


def _side_by_side(results: Sequence[LevelResult]) -> list[str]:
    """Return a heading, the scores by seed, and the means next to the published ones."""
    level = results[0].level
    seeds = [["seed", *(result.method for result in results)]]
    for each in zip(*(result.games for result in results), strict=True):
        seeds.append([str(each[0].seed), *(f"{game.score:,}" for game in each)])
    head = f"{results[0].name}: best score {level.best:,}, at most {level.limit:,} steps"
    return [head, columns(seeds, left=()), methods_table(results)]


def _check_seeds(seeds: Sequence[int]) -> None:
    if len(seeds) > MOST_EPISODES:
        raise UserError(f"at most {MOST_EPISODES} episodes are played side by side, not {len(seeds)}")


def level_game(game: TeamGame) -> LevelGameResult:
    """Return an episode as a game of its level."""
    episode = game.transcript
    return LevelGameResult(
        seed=game.env.seed,
        score=int(game.env.score),
        outcome=game.facts["outcome"],
        ticks=game.env.tick,
        losses=game.facts["losses"],
        scores=(int(episode.start), *(int(step.score) for step in episode.steps)),
        plans=(),
    )
