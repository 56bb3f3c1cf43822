"""Policies as players: which world they play and are recorded in."""

from __future__ import annotations

from pathlib import Path

import jax
import numpy as np
import pytest

from hive.cli.learning.settings import Train
from hive.cli.learning.training import trainer_of
from hive.players.policies import policy_players
from hive.rl.runs import Checkpoint, TrainedRun, identity
from tests.rl.toys import ERRAND


def test_a_policy_is_recorded_in_the_world_that_it_plays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Changes of the task with which a policy was trained hold for the recording as well; nothing is trained here."""
    (tmp_path / "errand.toml").write_text(ERRAND)
    task = str(tmp_path / "errand.toml")
    trainer = trainer_of(Train(task=task, units=4, settings=(("width", 8),)), task)
    config = identity(trainer, task, False, {"units": 4}, {"games": 0})
    params = jax.tree.map(lambda leaf: np.zeros(leaf.shape, leaf.dtype), trainer.form().params)
    monkeypatch.setattr("hive.players.policies.read_run", lambda folder: TrainedRun(folder, config))
    monkeypatch.setattr(TrainedRun, "checkpoint", lambda run, which: Checkpoint("newest", params, (0,), 1))

    for changes, units in (({}, 4), ({"units": 2}, 2)):
        (player,) = policy_players(task, ["policy:run"], changes, [0])
        assert player.env.num_agents == units and player.source.sizes[0] == units
    (random,) = policy_players(task, ["random"], {}, [0])
    assert random.env.num_agents == random.source.sizes[0] == 2, "a player without a run plays the task as it is"
