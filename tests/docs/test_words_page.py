"""docs/commander/words.md: each order of its table has the answer that the page says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hive.players.words.reading import MEANT, interpret
from tests.words.readings import checked, facts

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "commander" / "words.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| `(\w+)` \| (.+) \| (plan|read back|question) \|$", PAGE, re.MULTILINE)


@pytest.mark.parametrize(("world", "order", "answer"), ROWS)
def test_an_order_of_the_page_has_its_answer(world: str, order: str, answer: str) -> None:
    """One that is read back has a draft that is valid, and one that gets a question has none."""
    reading = interpret(order, facts(world))
    assert (reading.plan is not None) == (answer == "plan"), reading.text
    assert (reading.draft is not None) == (answer == "read back"), reading.text
    assert answer != "read back" or MEANT in reading.question or "as a whole" in reading.text
    if answer != "question":
        checked(reading.decided.plan, facts(world))


def test_the_table_of_modules_has_all_of_them() -> None:
    """And nothing else."""
    folder = ROOT / "hive" / "players" / "words"
    table = PAGE[PAGE.index("| part of `hive/players/words`") :].split("\n\n")[0]
    named = set(re.findall(r"^\| `(\w+)`", table, re.MULTILINE))
    assert named == {each.stem for each in folder.glob("*.py")} - {"__init__"}
    assert len(ROWS) > 50
