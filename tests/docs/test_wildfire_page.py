"""What `docs/wildfire.md` shows is true: its plan plays, and its Python runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import hive
from hive.worlds.wildfire import play_level
from hive.worlds.wildfire.reports import Report

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "wildfire.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.long
@pytest.mark.parametrize(
    "text", [text for language, text in BLOCKS if language == "python"], ids=("commander", "agents")
)
def test_its_python_runs(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(text, "docs/wildfire.md", "exec"), {})
    assert capsys.readouterr().out


def shown_plan() -> str:
    (plan,) = (text for language, text in BLOCKS if language == "plan")
    return plan


def test_its_plan_is_one_of_its_level() -> None:
    assert hive.read_plan(shown_plan(), hive.load("wildfire/cut_trees_lines_small")).exists.any()


@pytest.mark.long
def test_its_plan_fells_both_lines() -> None:
    plan = shown_plan()

    class Shown:
        every = 5

        def plan(self, report: Report) -> str:
            return plan

    played = play_level(hive.load("wildfire/cut_trees_lines_small"), Shown())  # type: ignore[arg-type]
    assert (played.score, played.outcome) == (30, "win")
