"""A person's game against the plain commander: the enemy's orders follow from the game, and can be repeated."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

from dsl import UserError
from hive.engine.course import PlanTable
from hive.engine.live import LiveGame
from hive.engine.types import ENEMY
from hive.experiments.arena.rival import Rival, rival_of
from hive.experiments.commanders.known import Words
from hive.kit.plan_text import PlanText
from hive.worlds.battle.world import load
from tests.web.page_server import ENEMY as THEIRS
from tests.web.page_server import MEADOW, PLAN


@pytest.fixture
def world(tmp_path: Path) -> Any:
    (tmp_path / "meadow.toml").write_text(MEADOW, encoding="utf-8")
    (tmp_path / "hold.plan").write_text(PLAN, encoding="utf-8")
    (tmp_path / "enemy.plan").write_text(THEIRS, encoding="utf-8")
    return load(tmp_path / "meadow.toml")


def same(one: Any, other: Any) -> None:
    for a, b in zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True):
        np.testing.assert_array_equal(np.asarray(a), np.asarray(b))


@pytest.mark.slow
def test_a_game_against_a_commander_goes_back_and_is_the_game_of_its_plans(world: Any) -> None:
    """It is asked again after a way back, and what it saw later is forgotten; no order of it depends on the pace."""
    plan = PlanText.read(PLAN, world.context())
    game = LiveGame(world, plan, 1, both=True, opponent=Rival(world, Words(), 10))
    assert game.play(36) == 36
    after, orders = game.state, list(game.enemy_plans)
    assert [tick for tick, _ in orders][:2] == [0, 10]
    game.back(0)
    assert [tick for tick, _ in game.enemy_plans] == [0]
    for ticks in (7, 12, 17):
        game.play(ticks)
    same(game.state, after)
    assert [text.text for _, text in game.enemy_plans] == [text.text for _, text in orders]

    again = LiveGame(world, plan, 1, enemy=orders[0][1], both=True)
    for tick, text in orders[1:]:
        again.play(tick - again.tick)
        again.order(text, ENEMY)
    again.play(36 - again.tick)
    same(again.state, after)

    table = PlanTable.of(world, game.plan, game.own_sizes, game.enemy_plan, hidden=True)
    assert {step.side for step in table.steps} == {0}, "the page does not show the enemy's plan"
    assert (table.numbers[game.own_sizes[1] :] == -1).all()


@pytest.mark.parametrize("who", ["stand", "words:", "plan:x"])
def test_only_the_plain_commander_plays_against_a_person(who: str) -> None:
    with pytest.raises(UserError, match="cannot command the enemy"):
        rival_of(who)
