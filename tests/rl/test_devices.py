"""Several devices share the environments of a training run, and learn what one device learns."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

TRAIN = """
import json, sys
import jax
from hive.engine.batch.devices import first_devices, mesh_of
from hive.rl.checkpoints import Checkpoints
from hive.rl.settings import Config
from hive.rl.training import Lane, Trainer
from tests.rl.toys import recall

config = Config(
    total_timesteps=16 * 8 * 4, num_envs=16, num_steps=8, width=16, learning_rate=1e-2, num_minibatches=2
)
found = {}
for name, mesh in (("one", None), ("two", mesh_of(jax.devices()))):
    trainer = Trainer(recall(), "ippo", config, (Lane(0), Lane(1)), 2, mesh)
    advance, runner, rows = trainer.compile(), trainer.begin(), []
    with Checkpoints(__import__("pathlib").Path(sys.argv[1]) / name) as kept:
        for done in (0, 2):
            runner, metrics = advance(runner, done)
            rows += trainer.rows(done, metrics)
            kept.save(done + 2, runner)
            runner = kept.restore(trainer.form())
    spread = {
        part: len({(shard.device.id, str(shard.index)) for shard in leaf.addressable_shards})
        for part, leaf in (("view", runner.view.observation), ("params", jax.tree.leaves(runner.params)[0]))
    }
    parts = runner.view.observation.addressable_shards[0].data.shape
    found[name] = {"rows": rows, "spread": spread, "parts": parts, "devices": len(jax.devices())}
print(json.dumps(found))
"""


@pytest.mark.long
def test_two_devices_share_the_environments(tmp_path: Path) -> None:
    """The first rollout plays the same games; sums in another order may then differ in their last digits."""
    flags = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count=2".strip()
    ran = subprocess.run(
        [sys.executable, "-c", TRAIN, str(tmp_path)],
        env=os.environ | {"PYTHONPATH": str(ROOT), "XLA_FLAGS": flags, "JAX_PLATFORMS": "cpu"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    found = json.loads(ran.stdout.splitlines()[-1])
    one, two = found["one"], found["two"]
    assert two["devices"] == 2 and two["spread"]["view"] == 2 and two["parts"][1] == 8 and one["parts"][1] == 16
    for old, new in zip(one["rows"], two["rows"], strict=True):
        assert old["games"] == new["games"]
        if old["update"] == 1:
            assert old["won"] == new["won"] and old["reward"] == pytest.approx(new["reward"], rel=1e-5)
        assert old["loss"] == pytest.approx(new["loss"], rel=1e-3, abs=1e-4)
