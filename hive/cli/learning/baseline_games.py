"""The games of a table of baselines: those of policies, by which settings are chosen too, and those of others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from hive.cli.learning.baseline_runs import WantedRun
from hive.cli.learning.baseline_settings import Baselines
from hive.cli.learning.evaluating import FIRST
from hive.cli.learning.learners import test_maps
from hive.cli.learning.references import references

if TYPE_CHECKING:
    from hive.kit.environment.env import Env
    from hive.rl.evaluation import PlayerGames
    from hive.rl.policies import Policy
    from hive.rl.runs import Checkpoint, TrainedRun
    from hive.rl.training import Lane, MetricsRow

_CHOOSING = 2_000_000  # seed of the first game by which settings are chosen


@dataclass(frozen=True)
class Games:
    """Games of several policies, which differ in their seed of training."""

    won: np.ndarray  # [seeds] share of each
    score: np.ndarray  # [seeds] mean of each
    ticks: np.ndarray  # [seeds] mean length of each

    def json(self) -> dict[str, Any]:
        """Return the games of each policy and the statistics of all, in plain values."""
        from hive.rl.baselines import bootstrap, interquartile_mean

        return {
            "won": self.won.tolist(),
            "score": self.score.tolist(),
            "ticks": self.ticks.tolist(),
            "iqm": interquartile_mean(self.won),
            "interval": list(bootstrap(self.won[:, None])),
        }


@dataclass(frozen=True)
class Candidate:
    """Settings that were tried, and the games by which those of a table are chosen."""

    settings: Mapping[str, float]
    drawn: Games
    greedy: Games

    @property
    def rank(self) -> tuple[float, float, float]:
        """The higher the better: games won, drawn and greedy ones alike, then mean score, then shorter games."""
        from hive.rl.baselines import interquartile_mean

        both = self.drawn, self.greedy
        won = sum(interquartile_mean(each.won) for each in both)
        score, ticks = (sum(float(getattr(each, name).mean()) for each in both) for name in ("score", "ticks"))
        return won, score, -ticks

    def json(self) -> dict[str, Any]:
        """Return the settings and their games in plain values."""
        return {"settings": dict(self.settings), "drawn": self.drawn.json(), "greedy": self.greedy.json()}


@dataclass(frozen=True)
class Cell:
    """One algorithm on one task."""

    task: str
    name: str
    run: TrainedRun
    kept: Checkpoint
    chosen: Mapping[str, float]  # settings, of those that vary within the run
    settings: Mapping[str, float]  # these, and those by which runs of the table differ
    candidates: tuple[Candidate, ...]  # empty where none vary
    stopped: tuple[Mapping[str, Any], ...]  # settings that were stopped early, and after how many steps
    drawn: Games
    greedy: Games

    @property
    def seeds(self) -> list[int]:
        """Seeds of training of the policies with the chosen settings."""
        return [lane.seed for lane in self.run.lanes if lane.changes == self.chosen]

    @cached_property
    def policies(self) -> list[dict[str, Any]]:
        """The policies with the chosen settings, in plain values, with digests of their numbers."""
        every = zip(self.kept.json(self.run.lanes), self.run.lanes, strict=True)
        return [each for each, lane in every if lane.changes == self.chosen]

    @cached_property
    def rows(self) -> list[MetricsRow]:
        """Metrics of the policies with the chosen settings."""
        from hive.rl.runs import read_metrics

        return [row for row in read_metrics(self.run.folder, self.run.updates) if row["settings"] == self.chosen]

    @property
    def steps(self) -> int:
        """Environment steps that each policy was trained for."""
        return self.run.updates * self.run.settings.batch_size

    @property
    def seconds(self) -> float | None:
        """Of one policy, in which the others of the run trained beside it; None if the run does not say it."""
        speed = self.run.config.get("steps_per_second")
        return sum(self.run.reached) * self.run.settings.batch_size / speed if speed else None

    def json(self) -> dict[str, Any]:
        """Return the cell in plain values, as `results.json` has it."""
        return {
            "algorithm": self.run.config["algorithm"],
            "recurrent": bool(self.run.settings.recurrent),
            "run": str(self.run.folder),
            "seeds": self.seeds,
            "checkpoint": self.kept.which,
            "policies": self.policies,
            "settings": dict(self.settings),
            "candidates": [each.json() for each in self.candidates],
            **({"stopped": list(self.stopped)} if self.stopped else {}),
            "steps": self.steps,
            "seconds": self.seconds,
            "drawn": self.drawn.json(),
            "greedy": self.greedy.json(),
        }


def play_cell(name: str, runs: Sequence[tuple[WantedRun, TrainedRun]], settings: Baselines) -> Cell:
    """Choose among the settings of runs of one algorithm on one task by held-out games, and play the test games."""
    choices: dict[tuple[tuple[str, float], ...], tuple[TrainedRun, Checkpoint, _Play, list[Lane]]] = {}
    stopped: dict[tuple[tuple[str, float], ...], dict[str, Any]] = {}
    for wanted, run in runs:
        kept = run.checkpoint(settings.checkpoint)
        play = _player(run, kept, settings.episodes)
        for lane, updates in zip(run.lanes, run.reached, strict=True):
            values = (*wanted.shape.items(), *lane.changes.items())
            if updates < run.updates:
                stopped[values] = {"settings": dict(values), "steps": updates * run.settings.batch_size}
                continue
            choices.setdefault(values, (run, kept, play, []))[-1].append(lane)
    candidates: tuple[Candidate, ...] = ()
    best = next(iter(choices))
    if len(choices) > 1:
        candidates = tuple(
            Candidate(dict(values), *(play(lanes, _CHOOSING, greedy) for greedy in (False, True)))
            for values, (*_, play, lanes) in choices.items()
        )
        best = tuple(max(candidates, key=attrgetter("rank")).settings.items())
    run, kept, play, lanes = choices[best]
    drawn, greedy = (play(lanes, FIRST, greedy) for greedy in (False, True))
    early = tuple(stopped.values())
    return Cell(run.task, name, run, kept, lanes[0].changes, dict(best), candidates, early, drawn, greedy)


_Play = Callable[[Sequence["Lane"], int, bool], Games]


def _player(run: TrainedRun, kept: Checkpoint, episodes: int) -> _Play:
    """Return what plays games of some policies of a run from a seed on, greedy or drawn."""
    import jax
    import jax.numpy as jnp

    from hive.rl.evaluation import play_policy, seeds_of
    from hive.rl.policies import drawn_or_greedy
    from hive.rl.registry import task

    @cache
    def games_from(first: int) -> tuple[Env, list[int], Policy]:
        env = run.make_env(seeds=test_maps(task(run.task), first, episodes))
        return env, seeds_of(env, first, episodes), drawn_or_greedy(run.network(kept, env))

    def play(lanes: Sequence[Lane], first: int, greedy: bool) -> Games:
        (env, seeds, policy), found = games_from(first), []
        for lane in lanes:
            own = jax.tree.map(itemgetter(run.lanes.index(lane)), kept.params)
            found.append(play_policy(env, policy.replace(params=(own, jnp.array(greedy))), seeds, lane.label))
        return Games(*(np.array([getattr(each, name).mean() for each in found]) for name in ("won", "score", "ticks")))

    return play


@dataclass(frozen=True)
class Beside:
    """Games of players without training on one task.

    Attributes:
        games: Of each.
        players: Who they are, as `hive.kit.keep.record.games_folder` takes it.
        world: Name and version of the task.
        facts: Of its environment with the maps of the games.
    """

    games: list[PlayerGames]
    players: list[dict[str, Any]]
    world: str
    facts: dict[str, Any]


def play_references(name: str, episodes: int) -> Beside:
    """Play the test games of a task without learning: at random, standing, and with the task's `references`."""
    from hive.rl.evaluation import play_policy, seeds_of
    from hive.rl.policies import POLICIES
    from hive.rl.registry import load_world, make, task
    from hive.rl.runs import facts

    own = task(name)
    maps = test_maps(own, FIRST, episodes)
    env = make(name, seeds=maps)
    beside = references(own, env, load_world(own, maps))
    seeds = seeds_of(env, FIRST, episodes)
    played = [play_policy(env, policy, seeds, word) for word, policy in POLICIES.items()]
    played += beside.play(seeds)
    players = [{**beside.player(each.name), "name": f"{each.name} on {name}"} for each in played]
    return Beside(played, players, own.id, facts(env))


def worlds_and_players(
    cells: Sequence[Cell], beside: Mapping[str, Beside]
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return what was played, and by whom, as `hive.kit.keep.record.games_folder` takes it."""
    players = [
        {"name": f"{cell.name} on {cell.task}, seed {each['seed']}", "plays": "policy", "identity": each["digest"]}
        for cell in cells
        for each in cell.policies
    ]
    players += [player for each in beside.values() for player in each.players]
    return {each.world: each.facts for each in beside.values()}, players


def count_games(cells: Sequence[Cell], beside: Mapping[str, Beside]) -> int:
    """Return the number of games of a table."""
    ways = [games for cell in cells for games in (cell.drawn, cell.greedy)]
    ways += [games for cell in cells for each in cell.candidates for games in (each.drawn, each.greedy)]
    one = len(next(iter(beside.values())).games[0].seed)
    return one * (sum(len(each.won) for each in ways) + sum(len(each.games) for each in beside.values()))
