"""`hive kitchen` lists tasks, proves least times and lists reference trajectories; `--json` says the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hive.cli import main


def run(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["kitchen", *words]) == 0
    return capsys.readouterr().out


def test_an_optimum_is_a_row_and_a_plan(capsys: pytest.CaptureFixture[str]) -> None:
    lines = run(capsys, "optimum", "boiled_egg").splitlines()
    assert lines[1].split()[:4] == ["boiled_egg", "15", "16", "34"]
    assert [line.split()[0] for line in lines[4:]] == ["0", "3", "5", "7", "9", "12", "13"]
    assert lines[-1].split() == ["13", "deliver()"]


def test_json_has_the_plan_and_free_play_its_moves(capsys: pytest.CaptureFixture[str]) -> None:
    named = json.loads(run(capsys, "optimum", "boiled_egg", "--json"))["optima"][0]
    free = json.loads(run(capsys, "optimum", "boiled_egg", "--free", "--json"))["optima"][0]
    assert (named["time"], named["actions"][0][-1]) == (15, {"timestep": 13, "action": "deliver()"})
    assert (free["time"], len(free["moves"])) == (14, 15)


def test_a_level_is_its_five_tasks(capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(run(capsys, "tasks", "level4", "apple", "--json"))["tasks"]
    assert [task["level"] for task in found] == [4] * 5 + [0]
    assert len(run(capsys, "tasks").splitlines()) == 31


def test_references_are_printed_and_counted(capsys: pytest.CaptureFixture[str]) -> None:
    text = run(capsys, "references", "mashed_broccoli_and_bean_patty")
    found = json.loads(run(capsys, "references", "mashed_broccoli_and_bean_patty", "--json"))["references"][0]
    assert text.splitlines()[1].split()[1:] == ["13", "5", "14", "56"]
    assert (len(found["Bob"]), len(found["Alice"])) == (5, 56)
    assert "and 36 more lists; --json has all" in text


def test_annotated_references_are_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One list of Alice's has a needless action, so it is not among those of the fewest actions."""
    bob = ["pickup(egg,counter)", "put_obj_in_utensil(pot0)", "cook(pot0)", "pickup(boiled_egg,pot0)", "deliver()"]
    alice = ["pickup(egg, ingredient_dispenser)", "place_obj_on_counter()"]
    found = {"RAT_1": {"agent_0": bob, "agent_1": alice}, "RAT_2": {"agent_0": bob, "agent_1": [*alice, alice[0]]}}
    (tmp_path / "egg.json").write_text(json.dumps(found))

    lines = run(capsys, "references", "boiled_egg", "--annotated", str(tmp_path / "egg.json")).splitlines()

    assert "1 annotated list of Bob, 1 among these" in lines
    assert "2 annotated lists of Alice, 1 among these" in lines
    assert lines[-1].endswith("it has 3 actions, and 2 are the fewest")


def test_a_slip_in_an_annotated_list_is_a_warning(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = {"RAT_1": {"agent_0": ["deliver()"], "agent_1": ["pickup(eg, ingredient_dispenser)"]}}
    (tmp_path / "egg.json").write_text(json.dumps(found))

    assert main(["kitchen", "references", "boiled_egg", "--annotated", str(tmp_path / "egg.json")]) == 0

    printed = capsys.readouterr()
    assert "RAT_1.agent_1[0]: no recipe knows an object called `eg`; the text is kept" in printed.err
    assert "no plan of the fewest actions has `pickup(eg,ingredient_dispenser)`" in printed.out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("optimum",), "name a task"),
        (("optimum", "boiled_eg"), "did you mean `boiled_egg`"),
        (("references", "all", "--free"), "--free belongs to `hive kitchen optimum`, not to `hive kitchen references`"),
        (("optimum", "apple", "--spares", "9"), "spares must be 0 to 3, not 9"),
        (("optimum", "apple", "--layout", "none.toml"), "the file cannot be read"),
        (("cook",), "there is no command `kitchen cook`"),
        (("references", "level1", "--annotated", "x.json"), "--annotated belongs to one task"),
        (("references", "apple", "--annotated", "none.json"), "the file cannot be read: no such file or directory"),
        (("tasks", "--games", "3"), "not to `hive kitchen tasks`"),
    ],
)
def test_bad_input_is_one_message(words: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["kitchen", *words]) == 2
    assert message in capsys.readouterr().err
