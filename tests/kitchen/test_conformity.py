"""The published program's timesteps of six scripts (A to F), replayed; none solves one of the thirty tasks."""

from __future__ import annotations

import json
from copy import deepcopy
from importlib import resources
from typing import Any

import pytest

from hive.worlds.kitchen.conformity import compare
from hive.worlds.kitchen.setting import load_setting
from hive.worlds.kitchen.switches import Switches

CASES = json.loads((resources.files("hive.worlds.kitchen") / "data" / "scripts.json").read_text(encoding="utf-8"))[
    "cases"
]


def case(name: str) -> dict[str, Any]:
    return deepcopy(next(each for each in CASES if each["id"] == name))


@pytest.mark.parametrize("name", "ABCDEF")
def test_a_script_is_played_as_published(name: str) -> None:
    assert list(compare(load_setting(), case(name))) == []


@pytest.mark.parametrize("name", "CD")
def test_the_frozen_utensils_of_the_release_do_not_change_a_script(name: str) -> None:
    assert list(compare(load_setting(switches=Switches(freeze=True)), case(name))) == []


def test_each_difference_is_named() -> None:
    """A timestep too early, another action, another delivery, a missing notice and something left are all found."""
    wrong = case("F")
    wrong["scripts"][1][0][1] = 1
    wrong["delivery"], wrong["notices"], wrong["left"] = 12, [], ["egg"]

    found = list(compare(load_setting(), wrong))

    assert found == [
        "Alice should complete pickup(potato,ingredient_dispenser) at 1",
        "Alice completed pickup(potato,ingredient_dispenser) at 2",
        "the order should be delivered at 12, was delivered at None",
        "the notices should be [], are [[10, 'pot0']]",
        "['egg'] should be left in the kitchen, [] is",
    ]
