"""What docs/learning.md shows is so: it lists the tasks."""

from __future__ import annotations

import re

from hive.rl.registry import tasks
from tests.arch.sources import ROOT

PAGE = (ROOT / "docs" / "learning.md").read_text(encoding="utf-8")


def test_it_lists_every_task() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", PAGE.partition("## Training")[0], re.MULTILINE))
    assert rows.keys() == tasks().keys()
    assert all(each.summary.startswith(rows[name]) for name, each in tasks().items())
