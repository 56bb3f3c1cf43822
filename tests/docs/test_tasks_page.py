"""The page of tasks says what the tasks are."""

from __future__ import annotations

import pytest

import hive.rl as rl
from docs.make.tasks import PAGE, make_tasks
from hive.rl.registry import tasks


@pytest.mark.long
def test_the_page_of_tasks_does_not_drift() -> None:
    assert PAGE.read_text(encoding="utf-8") == make_tasks(), "run `python -m docs.make`"


def test_the_page_has_a_section_for_every_task() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for name, each in tasks().items():
        assert f"\n## `{name}`\n\n{each.summary[:1].upper()}{each.summary[1:]}." in text


@pytest.mark.parametrize(
    ("task", "least", "fact"),
    [
        ("rescue_generated", 25, "2 or 3 agents"),
        pytest.param("suppress_contain", 30, "1 bulldozer", marks=pytest.mark.long),  # it makes the map of its level
    ],
)
def test_a_task_is_described_as_on_its_page(task: str, least: int, fact: str) -> None:
    text, section = rl.describe(task), PAGE.read_text(encoding="utf-8").split(f"## `{task}`")[1]
    section = section.partition("\n## ")[0]
    rows = [line for line in text.splitlines() if line.strip()]
    assert len(rows) > least and fact in text
    for line in section.splitlines():
        if line.startswith("| ") and not line.startswith(("| ---", "|  |", "| Number")):
            head, told = (cell.strip() for cell in line.strip("|").split(" | "))
            assert any(row.strip().startswith(head) and row.endswith(told) for row in rows), line
