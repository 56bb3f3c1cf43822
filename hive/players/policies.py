"""Policies as players: those of a training run, and random actions, on any world that learners can play."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dsl import UserError
from dsl.wording import columns
from hive.kit.environment.env import Env
from hive.kit.environment.tasks import LearningTask
from hive.kit.intervals import wilson
from hive.kit.keep.csv_text import csv_text
from hive.kit.keep.json_text import pretty
from hive.kit.keep.runfolder import RECORDING, Content, folder_name
from hive.kit.reporting import Watch
from hive.players.running import Film
from hive.rl.algorithms import split_checkpoint
from hive.rl.evaluation import PlayerGames, play_policy, record
from hive.rl.policies import POLICIES, Policy, digest
from hive.rl.registry import load_world, make, task
from hive.rl.runs import read_run
from hive.worlds import kinds
from hive.worlds.kept import movies, pictures


@dataclass(frozen=True, kw_only=True)
class PolicyPlayer:
    """One policy and the environment in which it plays.

    Attributes:
        name: For tables and folders.
        policy: What chooses the actions.
        env: The environment.
        source: What the environment was made of.
        identity: What decides its actions, in plain values.
        checkpoint: Which parameters of its training run it has, in plain values; None without training.
    """

    name: str
    policy: Policy
    env: Env
    source: Any
    identity: Any
    checkpoint: Mapping[str, Any] | None = None

    @property
    def plays(self) -> str:
        """The kind of the policy, such as `random`."""
        return self.name.partition(":")[0]


@dataclass(frozen=True, kw_only=True)
class PolicyRun:
    """Games of some policies on one world with the same seeds.

    Attributes:
        world: Name of the world.
        players: Who played.
        games: Their games.
    """

    world: str
    players: Sequence[PolicyPlayer]
    games: Sequence[PlayerGames]

    def json(self) -> dict[str, Any]:
        """Return all games in plain values."""
        return {"world": self.world, "players": [each.json() for each in self.games]}

    def table(self) -> str:
        """Return the share of games won by each player as a readable table."""
        return games_table(self.games, task(self.world))

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each game."""
        return [{"player": each["name"], **game} for each in self.json()["players"] for game in each["results"]]

    def files(self, film: Film | None, watch: Watch) -> dict[str, Content]:
        """Return the files of the run folder by name, without `config.json`: results, and the first game of each.

        Args:
            film: Makes movies of these games; None: none are made.
            watch: Receives the progress of the recordings.
        """
        files: dict[str, Content] = {
            "result.json": pretty(self.json()),
            "table.txt": self.table() + "\n",
            "games.csv": csv_text(self.rows()),
        }
        for player, played in zip(self.players, self.games, strict=True):
            if not player.env.recordable:
                continue
            number, inside = int(played.seed[0]), folder_name(player.name)
            watch.stage(f"recording the game of seed {number}", 1, "game")
            title = f"{self.world}: {player.name}, game {number}"
            recording = record(player.env, player.source, player.policy, number, title)
            own: dict[str, Content] = {RECORDING: recording.save, **pictures(recording)}
            own |= {name: film(save, recording, inside) for name, save in movies(recording).items()} if film else {}
            files |= {f"{inside}/{number}/{name}": content for name, content in own.items()}
        return files


def policy_players(
    world: str, names: Sequence[str], changes: Mapping[str, Any], seeds: Sequence[int]
) -> list[PolicyPlayer]:
    """Return policies by their names.

    Args:
        world: What they play, as `hive.rl.make` takes it.
        names: `random`, `stand` or `policy:FOLDER`, a folder that `hive train` wrote; each once. `policy:FOLDER@best`
            and `policy:FOLDER@newest` name the checkpoint; without, it is the best one if the run has kept one.
        changes: Overrides of the world, such as `units`.
        seeds: Of the games; those of the maps, where a task has maps.

    Raises:
        UserError: There is no such folder or world, or a policy cannot play it.
    """
    chosen = task(world)
    maps = [*seeds] if chosen.mapped else None
    found = []
    for name in dict.fromkeys(names):
        kind, _, folder = name.partition(":")
        checkpoint, played = None, changes
        if kind in POLICIES:
            if folder:
                raise UserError(f"`{kind}` is a player without a folder, and `{name}` names one")
            policy, env, identity = POLICIES[kind], make(world, seeds=maps, **changes), kind
        else:
            if not folder:
                raise UserError(
                    "a policy is named with the folder of its training run\n  = help: --player policy:runs/five"
                )
            place, which = split_checkpoint(folder)
            run = read_run(Path(place))
            env, played = run.make_env(world, maps, **changes), run.changed(world, changes)
            kept = run.checkpoint(which)
            policy = run.policy(kept, env)
            identity = digest(policy.params)
            checkpoint = {"player": name, **kept.json(run.lanes)[0], "policies": len(run.lanes)}
        source = load_world(chosen, maps, **played)
        found.append(PolicyPlayer(
            name=name, policy=policy, env=env, source=source, identity=identity, checkpoint=checkpoint
        ))  # fmt: skip
    return found


def play_policies(world: str, players: Sequence[PolicyPlayer], seeds: Sequence[int], watch: Watch) -> PolicyRun:
    """Let policies play, one game for each seed; a game depends on its seed alone."""
    watch.stage("playing", len(players), "player")
    games = []
    for number, player in enumerate(players, 1):
        games.append(play_policy(player.env, player.policy, seeds, player.name))
        watch.update(number)
    return PolicyRun(world=world, players=players, games=games)


def games_table(games: Sequence[PlayerGames], played: LearningTask) -> str:
    """Return the share of games won by each player, with its 95% interval, as a readable table.

    Args:
        games: Those of each player.
        played: What they played.
    """
    rows = [["player", "won", "95% interval", "mean score", f"mean {kinds()[played.kind].beat}s"]]
    for each in games:
        low, high = wilson(float(each.won.mean()), len(each.won))
        rows.append(
            [
                each.name,
                f"{each.won.mean():.1%}",
                f"{low:.1%} to {high:.1%}",
                f"{each.score.mean():.2f}",
                f"{each.ticks.mean():.0f}",
            ]
        )
    return columns(rows, left=(0,))
