"""The page of rescues: its table is what the teams do."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import jax

from hive.players.teams.frameworks.turns import silent
from hive.worlds.rescue.agents.policies import heuristic
from hive.worlds.rescue.optimum.play import optimum
from hive.worlds.rescue.shipped import names
from tests.arch.sources import ROOT
from tests.rescue.episodes import played

PAGE = (ROOT / "docs" / "rescue.md").read_text(encoding="utf-8")


def test_the_table_has_the_steps_of_the_heuristic_the_optimum_and_the_scripted_team() -> None:
    rows = dict(re.findall(r"^\| `(map_\S+)` \| (.+) \|$", PAGE, re.MULTILINE))
    assert list(rows) == list(names())
    rule, _ = played(names(), framework=lambda _: silent("heuristic", "", heuristic()))
    spoken, _ = played(names())
    for number, name in enumerate(names()):
        best = optimum(jax.device_get(rule.envs[number].params)).steps
        one, other = rule.results(number), spoken.results(number)

        def cell(run: Mapping[str, Any], best: int = best) -> str:
            if run["success"]:
                return f"{run['steps']} ({run['steps'] / best:.2f})"
            return f"{run['helped']} of {run['victims']} served"

        victims, fewest, literal, *_, speaker = rows[name].split(" | ")
        assert [victims, fewest, literal, speaker] == [str(one["victims"]), str(best), cell(one), cell(other)]
