"""Trained policies in a study: they act for every unit or squad of the player, and write no plan.

Rules: docs/rules/sets.md 3.1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array

from dsl import UserError
from hive.engine.batch.job import names_of
from hive.experiments.commanders.playing import Account
from hive.experiments.panel.measuring import Trial
from hive.experiments.panel.members import POLICY
from hive.experiments.sets.scoring import Ends
from hive.kit.environment.env import Env
from hive.rl.algorithms import split_checkpoint
from hive.rl.evaluation import PolicyGame, play_games
from hive.rl.policies import digest
from hive.rl.registry import task
from hive.rl.runs import Checkpoint, TrainedRun, read_run
from hive.worlds.battle.drawn.sets import BattleSet
from hive.worlds.battle.environment.sets import BattleSetEnv, LoadedSet, make_set_env
from hive.worlds.battle.environment.tasks import make_squads_of_set, ordered


@dataclass(frozen=True)
class TrainedPolicy:
    """The policy of the first seed of a training run.

    Attributes:
        run: The run.
        which: The checkpoint that was asked for: `best` or `newest`; None: the best one if the run has kept one.
        kept: The checkpoint.
    """

    run: TrainedRun
    which: str | None
    kept: Checkpoint

    @property
    def name(self) -> str:
        """The name of the folder, with the checkpoint if it was named."""
        return self.run.folder.resolve().name + self._suffix

    @property
    def identity(self) -> str:
        """Digest of its numbers."""
        return digest(jax.tree.map(itemgetter(0), self.kept.params))

    def called(self, place: str) -> str:
        """Return how `--by` names it where its folder is at another place."""
        return f"{POLICY}{place}{self._suffix}"

    @property
    def _suffix(self) -> str:
        return f"@{self.which}" if self.which else ""

    def env(self, found: BattleSet, trials: Sequence[Trial]) -> BattleSetEnv:
        """Return the battles of a set as an environment that it can play, with missions if its task had them.

        Raises:
            UserError: It was trained on tasks with other actions or observations, or the maps have different sides.
        """
        loaded = LoadedSet(found, tuple(trial.world for trial in trials))
        own = task(self.run.task)
        if ordered(own):
            squads = make_squads_of_set(loaded, own)
            self.run.check(squads, found.name)
            return squads
        plain = make_set_env(loaded, mission=False)
        if self.run.config["task"]["features"] == plain.observation_size:
            self.run.check(plain, found.name)
            return plain
        told = make_set_env(loaded)
        self.run.check(told, found.name)
        return told


def read_policy(text: str) -> TrainedPolicy:
    """Return the policy that `policy:RUN`, `policy:RUN@best` or `policy:RUN@newest` names.

    Raises:
        UserError: There is no such run, or it has no such checkpoint.
    """
    place, which = split_checkpoint(text.removeprefix(POLICY))
    if not place:
        raise UserError("a policy is named with the folder of its training run\n  = help: --by policy:runs/five")
    run = read_run(Path(place))
    return TrainedPolicy(run, which, run.checkpoint(which))


def play_set_policy(
    trained: TrainedPolicy, env: BattleSetEnv, seeds: int, told: Callable[[int], None] | None = None
) -> dict[str, Ends]:
    """Play a policy in each battle of a set; all battles share a compiled program.

    Args:
        trained: The policy.
        env: What `trained.env` returned.
        seeds: Games in each battle, with the seeds 0, 1, 2, ...
        told: Called with the number of battles played so far.

    Returns:
        Its games, by battle.

    Raises:
        UserError: The run has a checkpoint of other networks.
    """
    policy, found = trained.run.policy(trained.kept, env), {}
    for number, name in enumerate(env.names):
        outcome, ticks = play_games(env.of(jnp.int32(number)), policy, range(seeds), _ends)
        found[name] = Ends(names_of(outcome), tuple(ticks.tolist()), (0,) * seeds, Account())
        if told:
            told(number + 1)
    return found


def _ends(env: Env, match: PolicyGame) -> tuple[Array, Array]:
    game: Any = match.state
    return game.game.outcome, game.game.state.tick
