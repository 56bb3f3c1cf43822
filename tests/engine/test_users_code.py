"""Laws that machine code could break hold for the code that users run; all other tests run what compiles quickly."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.conftest import ROOT

LAWS = [  # and how many tests each one is
    pytest.param("whole_game_does_not_depend and large", 1, marks=pytest.mark.slow),
    pytest.param("place_in_a_batch", 3, marks=pytest.mark.long),
]


@pytest.mark.parametrize(("law", "tests"), LAWS)
def test_games_are_the_same_alone_in_a_batch_and_in_any_order_of_rows(law: str, tests: int) -> None:
    """Code that adds in another order in a batch would break them. XLA's own defaults need a process of their own."""
    theirs = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    theirs |= {"XLA_FLAGS": "", "NPROC": str(os.cpu_count())}
    words = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "tests/engine/test_engine_laws.py", "-k", law]
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", *words], env=theirs, cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0 and f"{tests} passed" in ran.stdout, ran.stdout[-4000:]
