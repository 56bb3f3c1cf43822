"""`hive sweep SET`: the plans in every battle of a set, and options that a set does not take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hive.engine.batch import mixed
from hive.engine.batch.mixed import Entry
from hive.engine.batch.result import Result, unplayed
from hive.worlds.battle.drawn.sets import SetBattle, make_set
from tests.cli.conftest import Hive
from tests.hive.skirmish import SMALL_PLAN


def made_up(entries: Sequence[Entry], **_: Any) -> list[Result]:
    """Games that nobody plays: all are won at tick 7."""
    return [
        replace(
            unplayed(each.world, each.name, each.seeds, "win"),
            ticks=np.full(len(each.seeds), 7),
            score=np.ones(len(each.seeds)),
        )
        for each in entries
    ]


def test_each_plan_plays_in_each_battle_and_faults_count_where_they_are(
    hive: Hive, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(mixed, "play_mixed", made_up)
    plan = tmp_path / "all.plan"
    plan.write_text(SMALL_PLAN)
    (tmp_path / "wrong.plan").write_text(SMALL_PLAN.replace("(20, 20)", "(900, 20)"))
    found = make_set("mine/two", "two battles", [SetBattle("battle/open/22", 1), SetBattle("battle/rivers/22")])
    (tmp_path / "two.toml").write_text(found.toml())
    words = ("sweep", tmp_path / "two.toml", "--seeds", 2, "--json")
    own = hive(*words).json
    assert (own["set"], own["digest"]) == (found.name, found.digest)
    assert [cell["scenario"] for cell in own["cells"]] == list(found.names)
    assert {(cell["plan"], cell["outcomes"]["win"]) for cell in own["cells"]} == {("own", 2)}
    both = hive(*words, "--plans", tmp_path).json["cells"]
    assert len(both) == 2 * len(found.names)
    ends = {(cell["plan"], end) for cell in both for end, count in cell["outcomes"].items() if count}
    assert {end for _, end in ends} == {"win", "invalid_plan"} and len(ends) == 2


def test_a_set_refuses_options_of_one_battle(hive: Hive) -> None:
    refused = hive("sweep", "battles-v1/duels", "--units", 20, "--vary", "limit=5,6")
    assert (
        refused.code == 2
        and "`--vary` and `--units` cannot be used here: battles-v1/duels is a set of battles" in refused.err
    )
