"""Rows without a side fill a capacity, and the games of the real units stay as they are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import chex
import jax
import numpy as np
import pytest

import hive
from hive.engine.episode import Episode
from hive.engine.padding import pad_plan_units, pad_units
from hive.engine.types import NO_SIDE
from hive.worlds.battle.world import Battle
from tests.hive.skirmish import skirmish

PLAN = """\
Step 0:
prerequisites: []
objective: enemy losses 60%
units: spearmen
- target position: (24, 20) under cover
- behavior: attack_in_close_range
units: archer
- target position: behind spearmen by 4
- behavior: attack_in_long_range

Step 1:
prerequisites: []
objective: arrival 50%
units: nearest 3 of spearmen to (20, 30)
- target position: (20, 30)
- behavior: attack_in_close_range within 12

Step 2:
prerequisites: [0]
objective: elimination all
units: all
- target position: (26, 20)
- behavior: attack_in_close_range
"""
WORLDS: dict[str, Callable[[Path], Battle]] = {
    "a break-through against a survival": lambda folder: skirmish(
        folder, player="{ position = [35, 20], share = 0.9 }", enemy="{ survive = 55 }"
    ),
    "a fire": lambda folder: hive.load("burning_wood", units=30, limit=250),
}
rollout = jax.jit(hive.rollout)


def real(episode: Episode, count: int) -> Any:
    """An episode with the real units alone."""
    game = episode.game
    own = {name: getattr(game.state, name)[:count] for name in ("position", "health", "cooldown")}
    chosen = game.progress.chosen
    progress = game.progress.replace(
        group=game.progress.group[:count], chosen=None if chosen is None else chosen[:, :count]
    )
    return episode.replace(game=game.replace(state=game.state.replace(**own), progress=progress))


@pytest.mark.parametrize(
    ("world", "capacity"),
    [
        pytest.param("a break-through against a survival", 300, marks=pytest.mark.long),
        pytest.param("a fire", 64, marks=pytest.mark.long),
    ],
)
def test_padded_units_change_no_game_to_the_bit(world: str, capacity: int, tmp_path: Path) -> None:
    """Plans that count the enemy, look for cover and choose units; with 300 rows another neighbour search runs."""
    battle, key = WORLDS[world](tmp_path), jax.random.key(1)
    plan = hive.read_plan(PLAN if world != "a fire" else "burning_wood_bad", battle)
    params, count = battle.params, battle.params.count
    assert count < capacity
    alone = rollout(params, plan, key)
    padded = rollout(pad_units(params, capacity), pad_plan_units(plan, capacity), key)
    assert alone.ticks > 20 and (np.asarray(alone.game.state.health) == 0).any()
    chex.assert_trees_all_equal(real(padded, count), real(alone, count))
    assert not np.asarray(padded.game.state.alive)[count:].any()
    assert (np.asarray(padded.game.progress.group)[count:] == -1).all()


def test_padding_keeps_the_units_and_refuses_what_would_change_games(tmp_path: Path) -> None:
    battle = skirmish(tmp_path)
    units = pad_units(battle.params, 30).units
    fewer = pad_units(skirmish(tmp_path, units=7).params, 30)
    chex.assert_trees_all_equal_shapes_and_dtypes(fewer, pad_units(battle.params, 30))
    assert units.side[26:].tolist() == [NO_SIDE] * 4 and sorted(units.id.tolist()) == list(range(30))
    for capacity, why in ((25, "do not fit"), (7_000, "no longer be the same")):
        with pytest.raises(ValueError, match=why):
            pad_units(battle.params, capacity)
    with pytest.raises(ValueError, match="does not fit"):
        pad_plan_units(battle.params.enemy, 25)
    with pytest.raises(ValueError, match="crew"):
        pad_units(hive.load("wildfire/cut_trees_sparse_small").params, 50)
