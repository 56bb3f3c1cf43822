"""`hive format` prints canonical text and never loses any."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

import scenarios
from tests.cli.conftest import BROKEN, BROKEN_CODES, Hive
from tests.tiers import tiers

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


LEAF = "A(stand)"
HEAD = "Step 0:\nprerequisites:[]\nobjective:position\n"
GROUP = "units:[1]\ntarget position:(1,1)\nbehavior:stand\n"
NUMBERS = ",".join(str(100_000_000 + number) for number in range(20_000))
LONG = {  # valid texts near a limit, in a layout without blanks
    "flat.bt": f"F({'::'.join([LEAF] * 9_900)})",
    "deep.bt": f"{'F(' * 60}{'::'.join([LEAF] * 1_000)}{')' * 60}",  # 120,000 characters when it is printed
    "words.bt": f"F({'::'.join(['A(attackclosestspearmenorarcherorcavalry)'] * 2_300)})",
    "groups.plan": HEAD + GROUP * 9_300,
    "numbers.plan": f"{HEAD}units:[{NUMBERS}]\ntarget position:(1,1)\nbehavior:stand",
}


@pytest.mark.parametrize("name", tiers(LONG, slow=LONG.keys() - {"groups.plan", "flat.bt"}))
def test_what_is_printed_can_be_read(hive: Hive, tmp_path: Path, name: str) -> None:
    """Limits count no blanks and no bullets, which are all that the canonical layout adds."""
    (tmp_path / name).write_text(LONG[name])
    ran = hive("format", name)
    assert ran.code == 0 and len(ran.out) > len(LONG[name])
    (tmp_path / name).write_text(ran.out)
    again = hive("format", name)
    assert (again.code, again.out) == (0, ran.out)


def test_a_text_that_is_too_long_only_by_its_blanks_is_read(hive: Hive, tmp_path: Path) -> None:
    (tmp_path / "wide.bt").write_text(f"F({LEAF}{' ' * 1_000_000}::{LEAF})")
    (tmp_path / "wide.plan").write_text(HEAD + GROUP + "\n" * 200_000 + " " * 1_000_000)
    assert hive("format", "wide.bt").out == f"F({LEAF} :: {LEAF})\n"
    assert hive("format", "wide.plan").code == 0


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
