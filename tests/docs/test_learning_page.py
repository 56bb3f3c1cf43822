"""What docs/learning.md shows is so: its Python runs, and it lists the tasks."""

from __future__ import annotations

import re

import pytest

from hive.rl.registry import tasks
from tests.arch.sources import ROOT

PAGE = (ROOT / "docs" / "learning.md").read_text(encoding="utf-8")


def test_it_lists_every_task() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", PAGE.partition("## Training")[0], re.MULTILINE))
    assert rows.keys() == tasks().keys()
    assert all(each.summary.startswith(rows[name]) for name, each in tasks().items())


@pytest.mark.slow
def test_its_python_runs() -> None:
    blocks = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    shown = [block for block in blocks if not block.startswith("# not run")]
    assert len(shown) == 2 and len(blocks) == 4
    exec(compile("\n".join(shown), "docs/learning.md", "exec"), {})
