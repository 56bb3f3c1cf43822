"""`hive household write`: files that are episodes again, and what is wrong with a command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from hive.worlds.household.generator import generate
from hive.worlds.household.named import find_episode
from tests.cli.conftest import Hive


def test_written_files_are_the_episode_and_can_be_changed(hive: Hive, tmp_path: Path) -> None:
    """A changed copy is an episode of the user; an error in it has a place."""
    ran = hive("household", "write", "generated_7", "--out", tmp_path / "mine")
    assert ran.code == 0 and ran.out == "" and "generated_7.toml" in ran.err
    path = tmp_path / "mine/generated_7.toml"
    assert find_episode(str(path)).goals == generate(7).goals
    path.write_text(path.read_text("utf-8").replace("goals = {", "goals = { spoon = 1,"), "utf-8")
    ran = hive("describe", path)
    assert ran.code == 2 and "there is no class of objects called `spoon`" in ran.err and "goals.spoon" in ran.err


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("generated_7", "the following arguments are required: --out"),
        ("cwah_11 --out mine", "there is no household `cwah_11`"),
    ],
)
def test_a_wrong_command_line_is_explained(hive: Hive, words: str, why: str) -> None:
    """Nothing is written."""
    ran = hive("household", "write", *words.split())
    assert ran.code == 2 and why in ran.err and not Path("mine").exists()
