"""`hive check` prints every diagnostic, says what it left out, and exits with 2 on errors alone."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

import scenarios
from tests.cli.conftest import BROKEN_CODES, Hive

KEYS = ["code", "severity", "message", "line", "column", "end_line", "end_column", "hint"]


def test_all_errors_are_printed_with_their_places(hive: Hive, broken: Path) -> None:
    ran = hive("check", "broken.plan", "--scenario", "coordinate")
    assert (ran.code, ran.err) == (2, "")
    assert all(f"error[{code}]: " in ran.out for code in BROKEN_CODES)
    assert "  --> broken.plan:5:9\n  5 | units: [0:1200]\n    |         ^^^^^^" in ran.out
    assert ran.out.endswith("broken.plan: 5 errors\n  checked for 1000 units against 1000 in coordinate\n")


def test_without_sizes_it_says_what_it_left_out(hive: Hive, broken: Path) -> None:
    """With neither a scenario nor sizes, ids and coordinates cannot be judged (docs/rules/plans.md 2.4)."""
    ran = hive("check", "broken.plan")
    assert ran.code == 2
    assert "plan-unit-range" not in ran.out and "plan-coordinate" not in ran.out
    assert ran.out.count("  not checked: ") == 3
    sized = hive("check", "broken.plan", "--team", 2000, "--foes", 5, "--map", 500)
    assert "not checked" not in sized.out and sized.out.count("error[") == 3


def test_json_is_one_object_with_the_documented_keys(hive: Hive, broken: Path) -> None:
    ran = hive("check", "broken.plan", "--scenario", "coordinate", "--json")
    assert (ran.code, ran.err) == (2, "")
    assert list(ran.json) == ["file", "ok", "diagnostics"]
    assert (ran.json["file"], ran.json["ok"]) == ("broken.plan", False)
    assert [list(found) for found in ran.json["diagnostics"]] == [KEYS] * 5
    assert {found["code"] for found in ran.json["diagnostics"]} == BROKEN_CODES
    found = ran.json["diagnostics"][1]
    assert [found[key] for key in KEYS if key not in ("message", "hint")] == ["plan-unit-range", "error", 5, 9, 5, 15]


def test_several_files_are_as_many_reports(hive: Hive, broken: Path) -> None:
    (broken.parent / "good.bt").write_text("A(stand)")
    ran = hive("check", "good.bt", "broken.plan", "--json")
    assert ran.code == 2
    assert [json.loads(line)["ok"] for line in ran.out.splitlines()] == [True, False]
    assert hive("check", "good.bt", "broken.plan").out.startswith("good.bt: ok, a behaviour tree\n\nerror[")


@pytest.mark.parametrize("name", scenarios.plans())
def test_shipped_plans_are_accepted(hive: Hive, tmp_path: Path, name: str) -> None:
    (tmp_path / "shipped.plan").write_text(scenarios.plan(name))
    ran = hive("check", "shipped.plan")
    assert ran.code == 0
    assert ran.out.startswith("shipped.plan: ok, a plan of ")


def test_the_enemys_plan_is_checked_against_the_enemy(hive: Hive, tmp_path: Path) -> None:
    """Its side may use other behaviours than the player."""
    (tmp_path / "e.plan").write_text(scenarios.plan("coordinate_enemy").replace("attack_in_close_range", "stand"))
    assert hive("check", "e.plan", "--scenario", "coordinate").code == 0
    assert (
        "there is no behaviour called `stand`"
        in hive("check", "e.plan", "--scenario", "coordinate", "--side", "enemy").out
    )


def test_with_units_it_judges_as_run_does(hive: Hive, tmp_path: Path) -> None:
    """A plan counts on the sizes of the scenario's file; `hive run --units` rescales it (docs/rules/plans.md 5)."""
    (tmp_path / "p.plan").write_text(scenarios.plan("coordinate"))
    ran = hive("check", "p.plan", "--scenario", "coordinate", "--units", 50)
    assert ran.code == 0
    assert "checked for 1000 units against 1000 in coordinate; `hive run` rescales the plan to 50 units" in ran.out


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("F(A(attack random) :: A(stand))", "a behaviour tree"),
        ("\n  A ( stand )", "a behaviour tree"),
        (scenarios.plan("coordinate"), "a plan of 2 steps and 20 groups"),
        ("Surely, here it is!\n" + scenarios.plan("coordinate") + "Good luck.", "a plan of 2 steps and 20 groups"),
    ],
)
def test_the_content_decides_what_standard_input_is(
    hive: Hive, monkeypatch: pytest.MonkeyPatch, text: str, what: str
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(text))
    ran = hive("check", "-")
    assert ran.out.startswith(f"<stdin>: ok, {what}")


def test_the_ending_of_a_file_decides(hive: Hive, tmp_path: Path) -> None:
    (tmp_path / "tree.plan").write_text("A(stand)")
    assert "plan-" in hive("check", "tree.plan").out


def test_published_plans_are_accepted(hive: Hive, shared: Path) -> None:
    """The example needs `--lenient` and teams of 60 and 15 (docs/rules/plans.md 2.3)."""
    plans = sorted((shared / "spec" / "plans").glob("*.plan"))
    assert len(plans) == 6
    for path in plans:
        assert (hive("check", path).code == 0) == (path.stem != "example"), path
    example = shared / "spec" / "plans" / "example.plan"
    ran = hive("check", example, "--team", 60, "--foes", 15, "--lenient")
    assert ran.code == 0 and "warning[plan-unit-overlap]" in ran.out
    assert "plan-unit-range" in hive("check", example, "--team", 20, "--foes", 15, "--lenient").out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["missing.plan"], "error: cannot read missing.plan: no such file or directory\n  = help: look at the name"),
        (["."], "error: cannot read .: it is a folder\n  = help: name a file in it\n"),
        (["latin.plan"], "error: cannot read latin.plan: it is not UTF-8 text\n  = help: save it as text in UTF-8"),
        (["latin.plan", "--scenario", "cordinate"], "did you mean `coordinate`?"),
        (
            ["mine.toml"],
            "mine.toml is a scenario or a set of battles, and `hive check` takes plans and trees\n  = help",
        ),
        (["latin.plan", "--units", "5"], "--units, --side, --marker and --written-for go with --scenario"),
        (["latin.plan", "--scenario", "coordinate", "--team", "5"], "--scenario gives the teams and the map"),
    ],
)
def test_what_cannot_be_checked_is_one_message(hive: Hive, tmp_path: Path, words: list[str], message: str) -> None:
    (tmp_path / "latin.plan").write_bytes(b"Step 0: \xe9")
    ran = hive("check", *words)
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err


def test_a_file_that_cannot_be_read_hides_no_other(hive: Hive, tmp_path: Path) -> None:
    (tmp_path / "good.bt").write_text("A(stand)")
    ran = hive("check", "missing.plan", "good.bt")
    assert ran.code == 2 and "good.bt: ok" in ran.out and "cannot read missing.plan" in ran.out
    ran = hive("check", "missing.plan", "--json")
    assert ran.code == 2 and [found["code"] for found in ran.json["diagnostics"]] == ["file-unreadable"]
