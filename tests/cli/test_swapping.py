"""`hive run --swap`: other plans while the game runs, kept with the run, and what wrong ones get."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hive.worlds.battle.recording import BattleRecording
from tests.cli.conftest import SMALL, Hive

RUN = (*SMALL, "--seeds", 2)  # the program of other tests of folders
ALL_TO = """\
BEGIN PLAN
Step 3:
prerequisites: []
objective: elimination all
units: all
- target position: ({x}, 20)
- behavior: follow_map any
END PLAN
"""


@pytest.fixture
def plans(tmp_path: Path) -> list[str]:
    files = [tmp_path / name for name in ("west.plan", "east.plan")]
    for file, x in zip(files, (5, 145), strict=True):
        file.write_text(ALL_TO.format(x=x), encoding="utf-8")
    return [str(file) for file in files]


def test_a_game_whose_plan_changes_three_times_is_kept_with_all_its_plans(
    hive: Hive, plans: list[str], tmp_path: Path
) -> None:
    west, east = plans
    swaps = ["--swap", f"30={east}", "--swap", f"10={west}", "--swap", "45=coordinate"]
    ran = hive("run", *RUN, *swaps, "--out", tmp_path / "kept", "--json")
    assert ran.code == 0
    assert ran.json["plan"] == "coordinate, then west at 10, then east at 30, then coordinate at 45"
    config = json.loads((tmp_path / "kept" / "config.json").read_text())
    again = "--swap 10=plan-10.plan --swap 30=plan-30.plan --swap 45=plan-45.plan"
    assert again in config["again"]
    assert (tmp_path / "kept" / "plan-30.plan").read_text() == Path(east).read_text()
    course = BattleRecording.load(tmp_path / "kept" / "recording.npz").course
    assert course is not None
    mine = [(step.plan, step.number) for step in course.steps if not step.side]
    assert mine == [(0, 0), (0, 1), (1, 3), (2, 3), (3, 0), (3, 1)]


def test_a_swap_changes_the_game_from_its_tick_on(hive: Hive, plans: list[str], tmp_path: Path) -> None:
    lines = []
    for name, swap in (("plain", ()), ("swapped", ("--swap", f"30={plans[0]}"))):
        ran = hive("run", *RUN, *swap, "--out", tmp_path / name)
        assert ran.code == 0
        lines.append((tmp_path / name / "metrics.jsonl").read_text().splitlines())
    kept = [BattleRecording.load(tmp_path / name / "recording.npz") for name in ("plain", "swapped")]
    assert (kept[0].position[:31] == kept[1].position[:31]).all()
    assert (kept[0].position[40] != kept[1].position[40]).any()
    assert lines[0][:30] == lines[1][:30]


def test_frames_are_kept_at_the_interval_that_was_asked_for(hive: Hive, tmp_path: Path) -> None:
    """And at the last tick of each plan."""
    assert hive("run", *RUN, "--swap", "25=coordinate", "--every", 20, "--out", tmp_path / "kept").code == 0
    assert BattleRecording.load(tmp_path / "kept" / "recording.npz").tick.tolist() == [0, 20, 25, 40, 60]


@pytest.mark.parametrize(
    ("swap", "message"),
    [
        (["--swap", "soon=coordinate"], "`soon` is not a whole number"),
        (["--swap", "0=coordinate"], "0 is out of range"),
        (["--swap", "coordinate"], "`coordinate` is not of the form TICK=PLAN"),
        (["--swap", "5=coordinate", "--swap", "5=other"], "at tick 5 there is one plan at most"),
        (["--swap", "5=no_such_plan"], "no_such_plan"),
    ],
)
def test_wrong_swaps_are_refused_with_a_reason(hive: Hive, swap: list[str], message: str) -> None:
    ran = hive("run", *SMALL, *swap)
    assert ran.code == 2
    assert message in ran.err and "Traceback" not in ran.err


def test_a_later_plan_with_errors_stops_the_run_before_it_begins(hive: Hive, tmp_path: Path) -> None:
    bad = tmp_path / "bad.plan"
    bad.write_text(ALL_TO.format(x=900), encoding="utf-8")
    ran = hive("run", *SMALL, "--swap", f"20={bad}", "--out", tmp_path / "kept")
    assert ran.code == 2
    assert "not played: 1 error in the plan bad" in ran.err
    assert not (tmp_path / "kept").exists()
