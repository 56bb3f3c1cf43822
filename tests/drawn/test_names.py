"""Names of drawn battles, and what is changed by name."""

from __future__ import annotations

import pytest

import hive
from dsl import UserError
from hive.worlds.battle.drawn.draw import draw_with_facts


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("battle/river/17", "there is no class `river` of drawn battles"),
        ("battle/coordinate", "there is no class `coordinate` of drawn battles"),
        ("battle/rivers", "`battle/rivers` lacks a seed"),
        ("battle/rivers/-1", "`-1` is not a seed of a drawn battle"),
        ("battle/rivers/4294967296", "a seed is a whole number from 0 to 4294967295"),
        ("battle/rivers/٣", "is not a seed of a drawn battle"),
        ("battle/rivers/007", "write battle/rivers/7"),
        ("battle/rivers/1/2", "`1/2` is not a seed"),
    ],
)
def test_a_name_of_no_battle_gets_a_sentence(name: str, message: str) -> None:
    with pytest.raises(UserError) as caught:
        hive.load(name)
    assert message in str(caught.value) and f"--> {name}" in str(caught.value)


def test_rules_and_units_change_a_drawn_battle() -> None:
    written, changed = draw_with_facts("open", 3).scenario, hive.load("battle/open/3", units=60, limit=900)
    assert (changed.sizes[0], changed.limit, changed.written_for) == (
        60, 900, (written.player.count, written.enemy.count)
    )  # fmt: skip
