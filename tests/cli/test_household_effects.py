"""`hive household effects`: what is wrong with a command line."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Hive


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("--generated 1", "an interval needs at least 2 episodes, not 1"),
        ("--detection 0", "--detection is above 0 and at most 1, not 0"),
        ("--detection nan", "--detection is above 0 and at most 1, not nan"),
        ("--rules kitchen", "invalid choice"),
    ],
)
def test_a_wrong_command_line_is_explained(hive: Hive, words: str, why: str) -> None:
    """Nothing is played."""
    ran = hive("household", "effects", *words.split())
    assert ran.code == 2 and ran.out == "" and why in ran.err
