"""The prompts of the study: ten a task, varied along the published slots, and other sets that run as they are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dsl import UserError
from hive.worlds.battle.abilities import ABILITIES
from hive.worlds.battle.study_prompts import ALONE, read_prompts, study_prompts

TASKS = (*(ability.name for ability in ABILITIES), ALONE)

SLOTS = {  # docs/rules/scenarios.md 2.4: several words of each slot occur, so that single words can be compared
    "coordinate": (
        ("Make", "Draw up", "Prepare", "Write", "Divide", "Spread"),
        ("army", "troops", "units"),
        ("squads", "battalions", "groups"),
        ("middle row", "central row"),
        ("archers", "long range units"),
        ("west", "left"),
    ),
    "exploit_weakness": (("army", "troops", "units"), ("squads", "battalions", "groups"), ("losses", "effect", "die")),
    "follow_markers": (("Make", "Draw up", "Lead", "Take"), ("spearmen", "army", "troops", "units"), ("A, B", "each")),
    "exploit_terrain": (("spearmen", "army", "troops", "units"), ("forest", "trees"), ("east", "right"),
                        ("west", "left")),
    "strategize_points": (("army", "troops", "units"), ("archers", "long range"), ("spearmen", "close range"),
                          ("hold", "guard", "defend", "protect")),
    ALONE: (("strategy", "approach"), ("mission", "scenario", "situation"), ("analy", "tudy", "xamine")),
}  # fmt: skip


@pytest.mark.parametrize("task", TASKS)
def test_a_task_has_ten_prompts_that_fill_its_slots(task: str) -> None:
    prompts = study_prompts(task)
    assert len(prompts) == len(set(prompts)) == 10
    for slot in SLOTS[task]:
        counts = {word: sum(word in prompt for prompt in prompts) for word in slot}
        assert all(0 < count < 10 for count in counts.values()), counts


def test_exploit_terrain_names_the_corner_that_leads_to_the_objective() -> None:
    """docs/rules/scenarios.md 2.4: the trees reach the objective in the south-west."""
    for prompt in study_prompts("exploit_terrain"):
        assert "south-east" not in prompt
        assert re.search("south-west|corner in the south-west|bottom left corner|left bottom corner", prompt)


@pytest.mark.parametrize("task", TASKS)
def test_the_published_prompts_run_as_they_are(task: str, shared: Path) -> None:
    """All spelling errors included; ours share no sentence with them."""
    folder = shared / "spec" / "prompts"
    name = "hive_alone" if task == ALONE else task
    published = read_prompts(folder, task)
    assert "\n".join(published) == re.sub(r" *\n", "\n", (folder / f"{name}.txt").read_text(encoding="utf-8")).strip()
    assert len(published) == 10
    ours, theirs = (
        {part.strip() for prompt in prompts for part in re.split(r"[.:]", prompt)} - {""}
        for prompts in (study_prompts(task), published)
    )
    assert not ours & theirs


def test_a_folder_of_prompts_is_read_with_the_names_that_plans_have(tmp_path: Path) -> None:
    (tmp_path / "markers.txt").write_text("\n  Go to A. \n\nGo to {B}.\n", encoding="utf-8")
    assert read_prompts(tmp_path, "follow_markers") == ["Go to A.", "Go to {B}."]


@pytest.mark.parametrize(
    ("task", "files", "message"),
    [
        ("coordinat", {}, "there is no task `coordinat` in the study\n  = help: did you mean `coordinate`?"),
        ("coordinate", {}, "holds no prompts for coordinate\n  = help: a file `coordinate.txt` has one prompt a line"),
        ("coordinate", {"coordinate.txt": b" \n"}, "holds no prompt: write one a line"),
        ("coordinate", {"coordinate.txt": b"\xff"}, "coordinate.txt: it is not UTF-8 text"),
        (
            ALONE,
            {"alone.txt": b"a", "hive_alone.txt": b"b"},
            "more than one file of prompts for alone: alone.txt",
        ),
    ],
)
def test_a_folder_without_usable_prompts_says_what_to_do(
    task: str, files: dict[str, bytes], message: str, tmp_path: Path
) -> None:
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    with pytest.raises(UserError) as caught:
        read_prompts(tmp_path, task)
    assert message in str(caught.value)


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"there is no folder .*nowhere"):
        read_prompts(tmp_path / "nowhere", "coordinate")
