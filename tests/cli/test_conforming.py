"""`hive conform` replays cases, counts them last, and exits with 1 when one fails."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Hive

CASES: dict[str, Any] = {
    "format": "hive-bt-conformance/1",
    "worlds": {
        "open": {
            "size": 8,
            "rows": ["........"] * 8,
            "position": [[2.5, 4.5], [5.5, 4.5]],
            "type": [0, 1],
            "team": [0, 1],
            "health": [24, 2],
            "cooldown": [0, 0],
            "target": [6, 4],
            "visible": [[1], [0]],
            "distance_at_unit": [4, 1],
        }
    },
    "cases": [
        {"id": "stand", "world": "open", "tree": "A(stand)", "expected": [[[1, 0, 0, 0]], [[1, 0, 0, 0]]]},
        {
            "id": "shoot",
            "world": "open",
            "tree": "A(attack closest)",
            "expected": [[[-1, 0, 0, 0]], [[1, 2, 0, 0]]],
        },
    ],
}


def test_the_published_cases_pass(hive: Hive, shared: Path) -> None:
    """Issue text: `45 passed, 0 failed` is the last line."""
    ran = hive("conform", shared / "golden" / "bt_conformance.json")
    assert ran.code == 0 and ran.out.splitlines()[-1] == "45 passed, 0 failed"


def test_cases_that_pass_are_only_counted(hive: Hive, tmp_path: Path) -> None:
    (tmp_path / "cases.json").write_text(json.dumps(CASES))
    ran = hive("conform", "cases.json")
    assert (ran.code, ran.out, ran.err) == (0, "2 passed, 0 failed\n", "")
    assert hive("conform", "cases.json", "--json").json == {
        "file": "cases.json",
        "passed": 2,
        "failed": 0,
        "failures": [],
    }


def test_a_case_that_fails_is_named_with_what_differs(hive: Hive, tmp_path: Path) -> None:
    cases = json.loads(json.dumps(CASES))
    cases["cases"][1]["expected"][1] = [[1, 2, 1, 0]]
    (tmp_path / "cases.json").write_text(json.dumps(cases))
    ran = hive("conform", "cases.json")
    assert ran.code == 1
    lines = ran.out.splitlines()
    assert lines[0] == "shoot failed" and lines[1].startswith("  unit 1 did (1, 2, 0.0, 0.0), accepted are")
    assert lines[-1] == "1 passed, 1 failed"
    found = hive("conform", "cases.json", "--json")
    assert found.code == 1 and [failure["case"] for failure in found.json["failures"]] == ["shoot"]


def test_sight_is_compared_too(hive: Hive, tmp_path: Path) -> None:
    cases = json.loads(json.dumps(CASES))
    cases["worlds"]["open"]["visible"] = [[], [0]]
    (tmp_path / "cases.json").write_text(json.dumps(cases))
    ran = hive("conform", "cases.json")
    assert ran.code == 1 and "  unit 0 should see [], sees [1]" in ran.out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "the file cannot be read: No such file or directory"),
        ("{", "the file is not JSON"),
        ("[]", "the file's format is None"),
        ('{"format": "hive-bt-conformance/1"}', "the file has no table of worlds and list of cases"),
        (
            '{"format": "hive-bt-conformance/1", "worlds": {}, "cases": [{"id": "a", "tree": "A(stand)"}]}',
            "case a lacks expected, world",
        ),
    ],
)
def test_what_is_no_file_of_cases_is_said(hive: Hive, tmp_path: Path, text: str | None, message: str) -> None:
    if text is not None:
        (tmp_path / "cases.json").write_text(text)
    ran = hive("conform", "cases.json")
    assert (ran.code, ran.out) == (2, "") and message in ran.err
