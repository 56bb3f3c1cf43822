"""`hive format` prints canonical text and never loses any."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

import scenarios
from tests.cli.conftest import BROKEN, BROKEN_CODES, Hive

LOOSE = """\
Step 0:
  prerequisites: [ ]
objective:position
units:[ 0:10,12 ]
- target position:(25,40)
- behavior: stand
"""
TIGHT = """\
BEGIN PLAN
Step 0:
prerequisites: []
objective: position
units: [0:10, 12]
- target position: (25, 40)
- behavior: stand
END PLAN
"""


@pytest.mark.parametrize("kind", ["plan", "bt"])
def test_shipped_files_are_canonical(hive: Hive, tmp_path: Path, kind: str) -> None:
    names, read = (scenarios.plans(), scenarios.plan) if kind == "plan" else (scenarios.trees(), scenarios.tree)
    for name in names:
        (tmp_path / f"x.{kind}").write_text(read(name))
        assert hive("format", f"x.{kind}").out == read(name)


def test_a_plan_gets_its_layout_on_standard_output(hive: Hive, tmp_path: Path) -> None:
    (tmp_path / "loose.plan").write_text(LOOSE)
    ran = hive("format", "loose.plan")
    assert (ran.code, ran.out, ran.err) == (0, TIGHT, "")
    assert (tmp_path / "loose.plan").read_text() == LOOSE


def test_write_replaces_the_file_once(hive: Hive, tmp_path: Path) -> None:
    path = tmp_path / "loose.plan"
    path.write_text(LOOSE)
    ran = hive("format", path, "--write")
    assert (ran.code, ran.out) == (0, "") and path.read_text() == TIGHT
    assert "is already in canonical layout" in hive("format", path, "--write").err
    assert list(tmp_path.iterdir()) == [path]


def test_write_goes_through_a_link(hive: Hive, tmp_path: Path) -> None:
    (tmp_path / "real.plan").write_text(LOOSE)
    (tmp_path / "link.plan").symlink_to("real.plan")
    assert hive("format", "link.plan", "--write").code == 0
    assert (tmp_path / "link.plan").is_symlink() and (tmp_path / "real.plan").read_text() == TIGHT


@pytest.mark.parametrize("write", [(), ("--write",)])
def test_a_file_with_errors_is_refused_with_all_of_them(hive: Hive, broken: Path, write: tuple[str, ...]) -> None:
    ran = hive("format", "broken.plan", *write)
    assert (ran.code, ran.out) == (2, "")
    found = {code for code in BROKEN_CODES if f"error[{code}]" in ran.err}
    assert found == {"plan-unknown-prerequisite", "plan-behaviour", "plan-unit-type"}  # the others need sizes
    assert broken.read_text() == BROKEN


@pytest.mark.parametrize("text", [f"Here it is:\n{TIGHT}", f"{TIGHT}Good luck.", f"{TIGHT}{TIGHT}", f"Well,\n{LOOSE}"])
def test_prose_is_dropped_from_the_output_only(hive: Hive, tmp_path: Path, text: str) -> None:
    path = tmp_path / "reply.plan"
    path.write_text(text)
    ran = hive("format", path)
    assert (ran.code, ran.out) == (0, TIGHT)
    assert "the text outside the plan is left out" in ran.err
    refused = hive("format", path, "--write")
    assert refused.code == 2 and "would be lost" in refused.err and path.read_text() == text


def test_standard_input_is_printed_and_cannot_be_written(hive: Hive, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("F(A(stand)|>A(attack random))"))
    assert hive("format", "-").out == "F(A(stand) :: A(attack random))\n"
    assert hive("format", "-", "--write").code == 2


def test_json_holds_the_new_text_or_the_findings(hive: Hive, tmp_path: Path) -> None:
    (tmp_path / "loose.plan").write_text(LOOSE)
    (tmp_path / "broken.plan").write_text(BROKEN)
    ran = hive("format", "loose.plan", "--json")
    assert (ran.code, ran.json) == (0, {"file": "loose.plan", "changed": True, "text": TIGHT})
    ran = hive("format", "broken.plan", "--json")
    sized = {"plan-unit-range", "plan-coordinate"}  # not known here
    assert ran.code == 2 and {found["code"] for found in ran.json["diagnostics"]} == BROKEN_CODES - sized
