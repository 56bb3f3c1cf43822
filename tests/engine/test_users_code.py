"""Laws that machine code could break hold for the code that users run; all other tests run what compiles quickly."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests.conftest import ROOT
from tests.tiers import tiers

LAWS = [  # and how many tests each one is
    pytest.param("whole_game_does_not_depend and large", 1, marks=pytest.mark.long),
    pytest.param("place_in_a_batch", 3, marks=pytest.mark.long),
]
# Kitchens and rescues are the same without `rounded`, too: only a new product could make them differ. What squads
# observe would differ without `hive.ground.exact.divided`.
GAMES = [("skirmish_5v5",), ("suppress_contain", "kitchen_two_orders", "rescue/map_7/agents-1", "orders_20v20")]


@pytest.mark.parametrize(("law", "tests"), LAWS)
def test_games_are_the_same_alone_in_a_batch_and_in_any_order_of_rows(law: str, tests: int) -> None:
    """Code that adds in another order in a batch would break them. XLA's own defaults need a process of their own."""
    words = ["pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "tests/engine/test_engine_laws.py", "-k", law]
    ran = as_users(words)
    assert ran.returncode == 0 and f"{tests} passed" in ran.stdout, ran.stdout[-4000:]


@pytest.mark.parametrize("tasks", tiers(GAMES, slow=GAMES[:1]))
def test_games_in_a_batch_are_those_of_code_without_optimisations(tasks: tuple[str, ...]) -> None:
    """A product that is added to something without `hive.ground.exact.rounded` would be rounded once, not twice."""
    ran = as_users(["tests.engine.users_games", *tasks])
    assert ran.returncode == 0 and json.loads(ran.stdout) == {task: [] for task in tasks}, ran.stdout + ran.stderr


def as_users(words: list[str]) -> subprocess.CompletedProcess[str]:
    """Run a module in a process that compiles as those of users do."""
    theirs = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    theirs |= {"XLA_FLAGS": "", "NPROC": str(os.cpu_count()), "JAX_DISABLE_MOST_OPTIMIZATIONS": "False"}
    return subprocess.run(
        [sys.executable, "-m", *words], env=theirs, cwd=ROOT, capture_output=True, text=True, check=False
    )
