"""The page of the study: folders laid out as it says are read."""

from __future__ import annotations

import re
from pathlib import Path

from hive.worlds.battle.abilities import ABILITIES, collect
from hive.worlds.battle.study_prompts import ALONE, read_prompts
from tests.arch.sources import ROOT

PAGE = (ROOT / "docs" / "commander" / "study.md").read_text(encoding="utf-8")
PLAN = "The reply.\n\nBEGIN PLAN\nStep 0:\nprerequisites: []\nobjective: position\nEND PLAN\n"


def test_published_prompts_and_plans_are_read_from_the_folders_that_it_shows(tmp_path: Path) -> None:
    files = re.findall(r"theirs/\w+/\w+\.(?:txt|plan)", PAGE)
    for name in files:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(PLAN if path.suffix == ".plan" else "".join(f"{path.stem} {n}\n" for n in range(10)))
    plans, left = collect(tmp_path / "theirs" / "plans")
    assert [each.ability for each in plans] == list(ABILITIES) and left == []
    assert [each.plan for each in plans] == ["sonnet", "sonnet", "4o_mini", "4o", "o1_mini"]
    tasks = [*(ability.name for ability in ABILITIES), ALONE]
    assert [len(read_prompts(tmp_path / "theirs" / "prompts", task)) for task in tasks] == [10] * 6
    assert len(files) == len(tasks) + len(plans)
