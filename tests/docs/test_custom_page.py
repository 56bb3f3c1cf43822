"""What docs/custom.md shows is so: its Python runs, and its environment keeps the contract."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.arch.sources import ROOT

PAGE = (ROOT / "docs" / "custom.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_its_python_runs(capsys: pytest.CaptureFixture[str]) -> None:
    blocks = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert len(blocks) == 4
    names: dict[str, Any] = {}
    exec(compile("\n".join(blocks), "docs/custom.md", "exec"), names)
    env, lines = names["env"], capsys.readouterr().out.splitlines()
    assert lines[0] == f"{env.observation_size} numbers instead of {env.observation_size - 1}"
    assert lines[1] == "[]", "the environment of the page keeps the contract"
    assert names["played"].seed.tolist() == [0, 1, 2, 3]
