"""The results of a sweep in words and in plain values."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dsl import UserError
from hive.engine.batch.result import unplayed
from hive.engine.batch.sweep import Sweep
from hive.worlds.battle.rules import rule_rows
from hive.worlds.battle.world import load


@pytest.fixture
def sweep() -> Sweep:
    """Made up: a plan under two rules, once with no unit left, and one that could not be played."""
    world = load("markers_terrain", units=10)
    rows = rule_rows(world.scenario, {"limit": [300, 600]})
    cells = [unplayed(world, plan, range(2), "no_plan", row) for plan in ("long-name", "b") for row in rows]
    played = {"outcome": ("win", "lose"), "ticks": np.array([200, 301])}
    cells[0] = replace(cells[0], **played, score=np.array([2.5, 40.0]))
    cells[1] = replace(cells[1], **played, score=np.array([2.5, np.inf]))
    return Sweep(tuple(cells), 12.3456)


def test_rules_combine_with_the_last_one_fastest() -> None:
    scenario = load("duel").scenario
    assert rule_rows(scenario, {}) == [{}]
    assert rule_rows(scenario, {"limit": [5, 6], "jitter": [0, 1]}) == [
        {"limit": limit, "jitter": jitter} for limit in (5, 6) for jitter in (0.0, 1.0)
    ]


def test_a_limit_before_the_tick_to_survive_is_refused() -> None:
    scenario = load("battle/rivers/0").scenario
    until = scenario.player.objective.until
    assert rule_rows(scenario, {"limit": [until]}) == [{"limit": until}]
    with pytest.raises(UserError, match=f"limit of {until - 1} ticks is before the tick {until} until"):
        rule_rows(scenario, {"limit": [until, until - 1]})


def test_the_table_has_a_line_a_cell(sweep: Sweep) -> None:
    assert sweep.table().splitlines() == [
        "plan       limit    wins   95% interval  mean score  mean ticks",
        "long-name    300  1 of 2  9.5% to 90.5%        21.2       250.5",
        "long-name    600  1 of 2  9.5% to 90.5%         inf       250.5",
        "b            300  0 of 2              -           -           -",
        "b            600  0 of 2              -           -           -",
        "8 games: 2 win, 2 lose, 4 no plan; score: metres from the objective, lower is better",
    ]


def test_plain_values_hold_a_summary_of_each_cell_and_every_game(sweep: Sweep) -> None:
    found = sweep.json()
    assert list(found) == ["scenario", "games", "outcomes", "seconds", "cells"]
    assert found["games"] == 8 and found["outcomes"]["no_plan"] == 4 and found["seconds"] == 12.346
    assert [(cell["plan"], cell["rules"]) for cell in found["cells"][:2]] == [
        ("long-name", {"limit": 300}), ("long-name", {"limit": 600}),
    ]  # fmt: skip
    assert found["cells"][1]["score"]["mean"] is None and found["cells"][0]["score"]["mean"] == 21.25
    games = list(sweep.games())
    assert len(games) == 8 and games[3]["score"] is None
    assert [game["ticks"] for game in games] == [200, 301] * 2 + [None] * 4
    assert {key: games[3][key] for key in ("plan", "rules", "seed", "outcome")} == {
        "plan": "long-name", "rules": {"limit": 600}, "seed": 1, "outcome": "lose",
    }  # fmt: skip
