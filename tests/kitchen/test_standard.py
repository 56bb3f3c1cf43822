"""Runs of the shipped kitchen scored against its own reference trajectories, and files of others'."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hive.kit.errors import ScenarioError
from hive.worlds.kitchen.action_text import read_action
from hive.worlds.kitchen.following import follow
from hive.worlds.kitchen.runs import KitchenRun, score
from hive.worlds.kitchen.setting import load_setting
from hive.worlds.kitchen.standard import differences, read_references, standard_of, universe
from hive.worlds.kitchen.switches import Switches
from hive.worlds.kitchen.talks import Conversation, Utterance, judge
from hive.worlds.kitchen.tasks import find_task
from hive.worlds.kitchen.validator import Validator

SETTING = load_setting()
VALIDATOR = Validator(SETTING.book, SETTING.layout)
BOB, ALICE = 0, 1


def test_a_run_that_follows_references_is_perfect() -> None:
    task = find_task("boiled_egg")
    standard = standard_of(SETTING, task)
    lists = [[read_action(text, VALIDATOR.words).action for text in cook[0]] for cook in standard.references]

    played = follow(SETTING, task.order, [[each for each in cook if each] for cook in lists], task.limit() + 1)
    found = score(
        KitchenRun(task.order, 1, task.limit(), played.delivery, tuple(tuple(each) for each in played.histories)),
        standard,
    )

    assert (played.delivery, found.run.success, found.pc) == (15, True, 1.0)
    assert found.unknown == ((), ())
    assert standard.required == 2


def test_the_release_logs_a_dish_filled_at_the_oven_as_a_put() -> None:
    """With the switch a perfect run of such a task has a TES below 1 for Bob, as in the release."""
    task = find_task("mashed_potato_and_pea_patty")
    standard = standard_of(SETTING, task)
    bob, alice = ([read_action(text, VALIDATOR.words).action for text in cook[0]] for cook in standard.references)
    tes = []
    for switches in (Switches(), Switches(oven_fill_is_put=True)):
        setting = load_setting(switches=switches)
        played = follow(setting, task.order, [[a for a in bob if a], [a for a in alice if a]], 120)
        assert played.delivery is not None
        run = KitchenRun(task.order, 5, 120, played.delivery, tuple(tuple(each) for each in played.histories))
        tes.append(score(run, standard).tes[BOB])

    assert tes[0] == 1 > tes[1]


def test_cooks_are_scored_for_what_they_can_do() -> None:
    bob, alice = (universe(VALIDATOR, cook) for cook in (BOB, ALICE))

    assert {"cook(pot0)", "bake(oven0)", "deliver()", "fill_dish_with_food(oven0)"} <= bob - alice
    assert {"cut(chopping_board0)", "stir(blender0)", "pickup(egg,ingredient_dispenser)"} <= alice - bob
    assert {"place_obj_on_counter()", "pickup(dish,counter)"} <= alice & bob
    assert not any(each.startswith(("wait", "request")) for each in alice | bob)
    assert not any(each.startswith("fill") for each in alice)
    dishes = {each for each in alice | bob if each.startswith("pickup(dish,")}
    assert dishes == {"pickup(dish,counter)", "pickup(dish,dish_dispenser)"}


def test_the_cook_at_the_dispensers_is_scored_for_any_food_from_them() -> None:
    """docs/rules/kitchen.md 11.3, 11.5: also for what they do not give, so that such a request is a wrong one."""
    standard = standard_of(SETTING, find_task("baked_carrot_soup"))
    lists = standard.references[ALICE]
    done, following = list(enumerate(lists[0][:6])), lists[0][6]
    wrong = ["pickup(carrot,dish_dispenser)", "pickup(carrot_slices,ingredient_dispenser)"]
    asked = "; ".join(f"request('{each}')" for each in (following, *wrong, "pickup(dish, ingredient_dispenser)"))
    talk = Conversation(9, (Utterance(BOB, "please", asked), Utterance(ALICE, "yes", "pickup(carrot, dish_dispenser)")))

    event = judge(talk, done, lists, standard.universes[ALICE], standard.words)

    assert (event.requested, event.responded) == ((following, *wrong), ("pickup(carrot,dish_dispenser)",))
    assert (event.initiation < 0, event.mistake, event.unknown) == (True, "irrelevant", ())
    assert not any("dispenser" in each for each in standard.universes[BOB])


def test_published_files_of_references_are_read_to_canonical_texts(tmp_path: Path) -> None:
    bob = [
        "pickup(egg, counter)",
        "put_obj_in_utensil(pot0)",
        "cook(pot0)",
        "pickup(boiled_egg, pot0)",
        "deliver_soup()",
    ]
    alice = ["pickup(egg, ingredient_dispenser)", "place_obj_on_counter()"]
    body = {"agent_0": bob, "agent_1": alice}
    (tmp_path / "egg.json").write_text(json.dumps({"reference_1": body, "reference_2": body}))

    lists = read_references(tmp_path / "egg.json", SETTING)[""]

    assert lists == standard_of(SETTING, find_task("boiled_egg")).references


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "the file is not JSON"),
        ("[" * 100_000, "the file is not JSON"),
        ('"' + "x" * 1_000_000 + '"', "at most 1,000,000 characters are read"),
        ("[]", "the file holds no reference trajectory"),
        ('{"reference_1": {"agent_0": ["deliver()"]}}', "reference_1.agent_1"),
        ('{"reference_1": {"agent_0": ["deliver()"], "agent_1": ["fly()", 3]}}', "reference_1.agent_1[1]"),
    ],
)
def test_a_file_that_holds_no_references_is_refused_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "wrong.json").write_text(text)
    with pytest.raises(ScenarioError) as refused:
        read_references(tmp_path / "wrong.json", SETTING)
    assert message in str(refused.value)


def test_a_text_that_cannot_be_read_is_kept_with_a_warning(tmp_path: Path) -> None:
    """docs/rules/kitchen.md 11.7: one slip in an annotated list does not make the file useless."""
    bob, (first, second) = standard_of(SETTING, find_task("boiled_egg")).references[BOB][0], ("fly ()", "place_obj()")
    texts = {"agent_0": bob, "agent_1": ["pickup(eg, ingredient_dispenser)", first, second]}
    (tmp_path / "slips.json").write_text(json.dumps({"reference_1": texts}))
    lines: list[str] = []

    lists = read_references(tmp_path / "slips.json", SETTING, ["boiled_egg"], lines.append)["boiled_egg"]

    assert lists == ((bob,), (("pickup(eg,ingredient_dispenser)", "fly()", "place_obj()"),))
    assert ["reference_1.agent_1[0]: no recipe knows an object called `eg`" in lines[0], len(lines)] == [True, 3]
    assert "there is no action called `fly`" in lines[1]


def test_what_is_not_among_our_references_is_explained() -> None:
    """docs/rules/kitchen.md 8.3: ours have the fewest actions of both cooks together."""
    ours = standard_of(SETTING, find_task("baked_carrot_soup")).references[1]
    first = list(ours[0])
    swapped, longer, strange = [first[1], first[0], *first[2:]], [*first, first[-1]], [*first, "stir(blender0)"]

    found = differences(ours, [*ours, swapped, longer, strange])

    assert found == {
        tuple(swapped): "no plan of the fewest actions of both cooks has this order",
        tuple(longer): "it has 8 actions, and 7 are the fewest",
        tuple(strange): "no plan of the fewest actions has `stir(blender0)`",
    }
