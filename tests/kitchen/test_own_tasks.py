"""Tasks of one's own, annotated trajectories of a file, and several time limits: readers, scores, and errors."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from hive.kit.errors import ScenarioError
from hive.kit.reporting import Unwatched
from hive.kit.team_world import TeamRequest
from hive.worlds.kitchen.rescoring import against_annotated, annotated_table, sweep, sweep_table
from hive.worlds.kitchen.runs import KitchenRun
from hive.worlds.kitchen.setting import load_setting
from hive.worlds.kitchen.standard import read_references, standard_of
from hive.worlds.kitchen.task_files import read_tasks
from hive.worlds.kitchen.tasks import find_task, tasks_of
from hive.worlds.kitchen.teams import KitchenTeams

SETTING = load_setting()
EGG = find_task("boiled_egg")
BOB = ["pickup(egg, counter)", "put_obj_in_utensil(pot0)", "cook(pot0)", "pickup(boiled_egg, pot0)", "deliver()"]
ALICE = ["pickup(egg, ingredient_dispenser)", "place_obj_on_counter()"]
MINE = f"""\
schema = 1

[[tasks]]
order = "boiled_egg"
title = "Breakfast"
level = 7
published_time = 20
recipe = ["Boil one egg."]

[[tasks.references]]
Bob = {json.dumps(BOB)}
Alice = {json.dumps(ALICE)}

[[tasks]]
order = "apple"
title = "An apple"
level = 8
"""


def own(tmp_path: Path, text: str = MINE) -> Path:
    file = tmp_path / "mine.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_a_task_of_ones_own_has_its_recipe_limit_level_and_references(tmp_path: Path) -> None:
    """docs/rules/kitchen.md 6.3."""
    mine = read_tasks(own(tmp_path), SETTING)
    egg, apple = tasks_of(["all"], SETTING.book, mine)
    assert (egg.recipe, egg.limit(), apple.limit()) == (("Boil one egg.",), 30, 119)
    assert tasks_of(["level7"], SETTING.book, mine) == [egg]
    assert tasks_of(["boiled_mushroom"], SETTING.book, mine)[0].level == 1
    assert standard_of(SETTING, egg).references == standard_of(SETTING, EGG).references


@pytest.mark.parametrize(
    ("old", "new", "place", "message"),
    [
        ('"boiled_egg"', '"boiled_eg"', "tasks[0].order", "did you mean `boiled_egg`"),
        ('"apple"', '"boiled_egg"', "tasks[1].order", "another task with the order"),
        ("level = 7", "level = -1", "tasks[0].level", "-1"),
        ("Alice =", "Alicia =", "tasks[0].references[0].Alicia", "no cook `Alicia`"),
        ("cook(pot0)", "fry(pot0)", "tasks[0].references[0].Bob[2]", "no action called `fry`"),
        ("(egg, ing", "(potato, ing", "tasks[0].references[0].Alice[0]", "a trajectory of another task"),
        ('", "deliver()', "", "tasks[0].references[0].Bob", "does not deliver `boiled_egg`"),
        ('"Boil one egg."', '""', "tasks[0].recipe[0]", "one line of text"),
    ],
)
def test_a_wrong_task_is_refused_at_its_place(tmp_path: Path, old: str, new: str, place: str, message: str) -> None:
    assert old in MINE
    with pytest.raises(ScenarioError) as refused:
        read_tasks(own(tmp_path, MINE.replace(old, new, 1)), SETTING)
    assert place in [each.place for each in refused.value.problems]
    assert message in str(refused.value)


def test_an_order_that_the_kitchen_cannot_make_is_refused(tmp_path: Path) -> None:
    """An impossible recipe: no cook delivers."""
    cooks = tuple(replace(cook, delivers=False) for cook in SETTING.layout.cooks)
    with pytest.raises(ScenarioError, match=r"`boiled_egg` cannot be made: no cook can bring"):
        read_tasks(own(tmp_path), replace(SETTING, layout=replace(SETTING.layout, cooks=cooks)))


@pytest.mark.parametrize(
    ("data", "orders", "message"),
    [
        ({"r": {"agent_0": BOB, "agent_1": ALICE}}, ["boiled_mushroom"], "`boiled_mushroom` needs no `egg`"),
        ({"r": {"agent_0": BOB, "agent_1": ALICE}}, ["boiled_egg", "apple"], "trajectories of one task, and 2 tasks"),
        ({"boiled_eg": {}, "apple": {}}, ["boiled_egg", "apple"], "did you mean `boiled_egg`"),
        ({"boiled_mushroom": {}}, ["boiled_egg", "apple"], "no trajectory of a task that is played"),
    ],
)
def test_annotated_trajectories_of_another_task_are_refused(
    tmp_path: Path, data: object, orders: list[str], message: str
) -> None:
    (tmp_path / "lists.json").write_text(json.dumps(data))
    with pytest.raises(ScenarioError) as refused:
        read_references(tmp_path / "lists.json", SETTING, orders)
    assert message in str(refused.value)


def test_a_file_of_many_tasks_scores_some_of_them(tmp_path: Path) -> None:
    """docs/rules/kitchen.md 11.7: tables of tasks that are not played are left out."""
    body = {"RAT_1": {"agent_0": BOB, "agent_1": ALICE}}
    (tmp_path / "lists.json").write_text(json.dumps({"boiled_egg": body, "boiled_mushroom": {"RAT_1": {}}}))
    assert list(read_references(tmp_path / "lists.json", SETTING, ["boiled_egg"])) == ["boiled_egg"]
    with pytest.raises(ScenarioError, match=r"boiled_mushroom\.RAT_1\.agent_0"):
        read_references(tmp_path / "lists.json", SETTING, ["boiled_egg", "boiled_mushroom"])


def test_results_warn_of_annotated_texts_that_cannot_be_read(tmp_path: Path) -> None:
    class Said(Unwatched):
        def __init__(self) -> None:
            self.lines: list[str] = []

        def say(self, line: str) -> None:
            self.lines.append(line)

    body = {"agent_0": BOB, "agent_1": [*ALICE, "pickup(eg, counter)"]}
    (tmp_path / "lists.json").write_text(json.dumps({"RAT_1": body}))
    options, said = {"references": tmp_path / "lists.json"}, Said()

    KitchenTeams(TeamRequest(worlds=["boiled_egg"], options=options)).results([], said)

    (line,) = said.lines
    assert line.startswith(f"warning: {tmp_path / 'lists.json'}, RAT_1.agent_1[2]: ")


def run(delivery: int) -> KitchenRun:
    """A run that does all that is needed, the delivery last."""
    actions = [text.replace(" ", "") for text in BOB]
    bob = [*((delivery - 5 + number, text) for number, text in enumerate(actions, 1))]
    alice = [(2, ALICE[0].replace(" ", "")), (4, ALICE[1])]
    return KitchenRun("boiled_egg", 1, 40, delivery, (tuple(bob), tuple(alice)))


def test_a_limit_is_gamma_times_the_published_time() -> None:
    """docs/rules/kitchen.md 11.6: of deliveries at 15, 20 and 30, one, two and all are in time."""
    limits = {gamma: {"boiled_egg": EGG.limit(gamma=gamma)} for gamma in (1, 1.5, 2)}
    assert [each["boiled_egg"] for each in limits.values()] == [16, 24, 32]
    rows = sweep([run(15), run(20), run(30)], {"boiled_egg": standard_of(SETTING, EGG)}, limits)
    assert [row["sr"] for row in rows] == pytest.approx([1 / 3, 2 / 3, 1])
    assert rows[0]["pc"] < rows[1]["pc"] < rows[2]["pc"] == 1
    assert all(row["sr_low"] < row["sr"] <= row["sr_high"] for row in rows)
    assert len(sweep_table(rows).splitlines()) == 4


def test_annotated_trajectories_give_scores_of_their_own(tmp_path: Path) -> None:
    """docs/rules/kitchen.md 11.7: a longer trajectory of Alice is matched in part."""
    body = {"agent_0": BOB, "agent_1": [*ALICE, ALICE[0]]}
    (tmp_path / "lists.json").write_text(json.dumps({"boiled_egg": {"RAT_1": body}}))
    lists = read_references(tmp_path / "lists.json", SETTING, ["boiled_egg", "apple"])
    ours, theirs = standard_of(SETTING, EGG), standard_of(SETTING, EGG, lists["boiled_egg"])
    first, second = against_annotated([run(15)], {"boiled_egg": ours}, {"boiled_egg": theirs})
    assert (first["tes"], second["tes"][0]) == ([1, 1], 1)
    assert second["tes"][1] == pytest.approx(1.9025 * 2 / (3 + 0.9025 * 2))
    assert len(annotated_table([first, second]).splitlines()) == 3
