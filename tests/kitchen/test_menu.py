"""The mask over all actions says what the validator says, in kitchens that random walks reach."""

from __future__ import annotations

import jax
import numpy as np
import pytest

from hive.worlds.kitchen.following import completed
from hive.worlds.kitchen.menu import encode
from hive.worlds.kitchen.setting import load_setting
from hive.worlds.kitchen.tasks import tasks
from hive.worlds.kitchen.validator import Validator
from tests.kitchen.walks import disagreements

SETTING = load_setting()
STEWS = [name for name in SETTING.book.with_dish if name not in tasks()]
RAW = [name for name in SETTING.book.ingredients if name in SETTING.book.orders]


@pytest.mark.slow
def test_mask_and_validator_agree_on_a_few_walks() -> None:
    """One order without and one with a dish, since fills depend on the order."""
    known: set[bytes] = set()
    for seed, order in enumerate(("boiled_egg", "sliced_bell_pepper_and_corn_stew")):
        count, wrong = disagreements(SETTING, order, walks=8, timesteps=40, seed=seed, known=known)
        assert count > 50
        assert wrong == []


@pytest.mark.long
def test_mask_and_validator_agree_on_a_hundred_thousand_walks() -> None:
    """All thirty tasks, the other stews and the raw test orders: 40 orders, 5 blocks of 500 walks each."""
    orders = [*tasks(), *STEWS, *RAW]
    total = 0
    for number, order in enumerate(orders):
        known: set[bytes] = set()
        for block in range(5):
            seed = 1_000 + 5 * number + block
            count, wrong = disagreements(SETTING, order, walks=500, timesteps=32, seed=seed, known=known)
            total += count
            assert wrong == []
        print(f"{order}: {len(known):,} kitchens", flush=True)
    print(f"{500 * 5 * len(orders):,} walks, {total:,} kitchens")
    assert 500 * 5 * len(orders) >= 100_000


def test_actions_are_encoded_and_named_again() -> None:
    """What the engine reports as completed has the text of the action that was begun."""
    validator = Validator(SETTING.book, SETTING.layout)
    actions = [each for each in validator.words.every_action() if str(each)[:4] != "wait"]
    codes = jax.tree.map(np.asarray, encode(validator, actions))

    assert list(completed(SETTING, codes)) == actions
