"""What docs/rewards.md shows is so: its numbers and its module are those of code and tests."""

from __future__ import annotations

import re

from hive.experiments.bench.rows import ROWS
from hive.players.llm import rewards
from tests.arch.sources import ROOT

PAGE = (ROOT / "docs" / "rewards.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def test_its_module_for_verifiers_is_the_tested_one() -> None:
    tested = (ROOT / "tests" / "study" / "test_verifiers.py").read_text(encoding="utf-8")
    lines = next(block for block in BLOCKS if "hive.experiments.study.taskset" in block).splitlines()[1:]
    assert "\\n".join([*lines, ""]).replace('"', "'") in tested


def test_its_numbers_are_those_of_the_code() -> None:
    rules = (ROOT / "docs" / "rules" / "rewards.md").read_text(encoding="utf-8")
    for text in (PAGE, rules):
        assert f"{rewards.MOST_CHARACTERS:,} characters" in text and f"−{-rewards.REWARD_FLOOR:g}" in text
    most = rewards.CAPACITIES
    for words in (f"{most.plans} plans", f"{most.steps} steps", f"{most.groups} groups", f"{most.places} distinct"):
        assert words in re.sub(r"\s+", " ", rules)
    assert f"{rewards.CELLS} listed cells" in re.sub(r"\s+", " ", rules) and most.memberships == 16
    assert {case["texts"] for case in ROWS["rewards"].full} == {16}
