"""What docs/views.md shows runs."""

from __future__ import annotations

import re

import jax
import pytest

from tests.arch.sources import ROOT

PAGE = (ROOT / "docs" / "views.md").read_text(encoding="utf-8")
BLOCKS = [block for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL) if not block.startswith("# not run")]


@pytest.mark.long
@pytest.mark.parametrize("number", range(3))
def test_its_python_runs(number: int) -> None:
    pytest.importorskip("jaxmarl", reason="the extra rl is not installed")
    pytest.importorskip("pettingzoo", reason="the extra rl is not installed")
    found: dict[str, object] = {}
    with jax.numpy_dtype_promotion("standard"), jax.numpy_rank_promotion("allow"):
        exec(compile(BLOCKS[number], "docs/views.md", "exec"), found)
    assert {"rewards", "seen"} & found.keys()
