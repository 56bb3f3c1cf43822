"""What docs/custom.md shows runs: its environment keeps the contract, and commands play the policy that it keeps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jax
import pytest

from hive.players.policies import policy_players
from hive.rl.policies import digest
from tests.arch.sources import ROOT
from tests.docs.test_site import blocks_of


@pytest.mark.long
def test_its_programs_run_and_keep_a_policy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    with jax.numpy_dtype_promotion("strict"), jax.numpy_rank_promotion("raise"):
        for block in blocks_of(ROOT / "docs" / "custom.md"):
            exec(compile(block, "docs/custom.md", "exec"), names)
    printed = capsys.readouterr().out
    assert " numbers instead of " in printed and "\n[]\n" in printed
    (player,) = policy_players("skirmish_5v5", ["policy:runs/careful"], {}, [0])
    assert player.checkpoint and player.checkpoint["update"] == names["config"].num_updates
    assert digest(player.policy.params) == digest(jax.tree.map(lambda leaf: leaf[0], names["runner"].params))
