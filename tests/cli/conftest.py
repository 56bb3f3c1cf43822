"""One way to run a command in the process of the test."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from contextlib import redirect_stderr
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from hive.cli import main

SMALL = ("coordinate", "--units", "20", "--set", "limit=60")  # the arguments of a game that is over at once

BROKEN = """\
BEGIN PLAN
Step 0:
prerequisites: [3]
objective: elimination all
units: [0:1200]
- target position: (25, 400)
- behavior: attack_in_close_rnge knights
END PLAN
"""
BROKEN_CODES = {
    "plan-unknown-prerequisite", "plan-unit-range", "plan-coordinate", "plan-behaviour", "plan-unit-type",
}  # fmt: skip


@dataclass(frozen=True)
class Ran:
    """What came of a command."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one object on standard output."""
        return json.loads(self.out)


Hive = Callable[..., Ran]


def run_in(folder: Path, *words: object) -> str:
    """Run `hive` with some words in a folder, once for several tests; it must succeed. Returns what it told."""
    told = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stderr(told):
        patch.chdir(folder)
        assert main([str(word) for word in words]) == 0, told.getvalue()
    return told.getvalue()


@pytest.fixture
def hive(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hive:
    """Run `hive` with some words, in an empty folder; `hive("run", "coordinate")`."""
    monkeypatch.chdir(tmp_path)

    def run(*words: object) -> Ran:
        capsys.readouterr()
        code = main([str(word) for word in words])
        return Ran(code, *capsys.readouterr())

    return run


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """A plan with five errors, each found by another check."""
    path = tmp_path / "broken.plan"
    path.write_text(BROKEN)
    return path
