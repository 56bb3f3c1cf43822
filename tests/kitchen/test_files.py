"""Cookbooks, layouts and tasks are files: what ships is the published kitchen, and errors name their place."""

from __future__ import annotations

from pathlib import Path

import pytest

from dsl import UserError
from hive.kit.errors import ScenarioError
from hive.kit.keep.reading import LARGEST
from hive.worlds.kitchen.agents.knowing import knowledge
from hive.worlds.kitchen.assembly import FAR, grid, ways
from hive.worlds.kitchen.cookbook import Cookbook, cookbook, read_cookbook
from hive.worlds.kitchen.layout import layout, read_layout
from hive.worlds.kitchen.reading import shipped
from hive.worlds.kitchen.setting import Setting, load_setting
from hive.worlds.kitchen.switches import Switches
from hive.worlds.kitchen.tasks import check_task, find_task, tasks

BOOK = shipped("cookbook.toml")
KITCHEN = shipped("kitchen.toml")


def refused(text: str, book: Cookbook | None = None) -> list[tuple[str, str]]:
    """Codes and places of the problems of a cookbook, or of a layout for a cookbook."""
    with pytest.raises(ScenarioError) as caught:
        read_layout(text, book) if book else read_cookbook(text)
    return [(problem.code, problem.place) for problem in caught.value.problems]


def test_the_shipped_cookbook_has_the_published_items() -> None:
    """docs/rules/kitchen.md 3.1, 3.2, 5.1."""
    book = cookbook()
    made = [recipe.utensil for recipe in book.recipes]
    assert len(book.ingredients) == 29
    assert len(book.items) == 107
    assert {kind: made.count(kind) for kind in book.utensil} == {
        "chopping_board": 18,
        "blender": 14,
        "pot": 28,
        "oven": 17,
    }
    assert (len(book.with_dish), len(book.without_dish)) == (25, 15)


def test_codes_and_names_of_items_agree() -> None:
    """A filled dish has the name of its food (docs/rules/kitchen.md 3.1, 3.5)."""
    book = cookbook()
    assert [book.name(book.code[name]) for name in book.items] == [*book.items]
    codes = [book.plated(recipe.product) for recipe in book.recipes]
    assert codes == [*range(book.dish_code + 1, book.codes)]
    assert [book.name(code) for code in codes] == [recipe.product for recipe in book.recipes]
    assert book.name(0) == ""


def test_the_shipped_kitchen_is_the_published_one() -> None:
    """Who reaches what, and from which pose (docs/rules/kitchen.md 1.1, 1.2)."""
    kitchen = layout(cookbook())
    step_to, facing_at = grid(kitchen)
    cost, _ = ways(step_to, facing_at, len(kitchen.stations))
    poses: dict[str, list[tuple[int, int, int]]] = {}
    for number, station in enumerate(kitchen.stations):
        faced = [pose for pose in range(100) if cost[pose, number] == 0]
        poses.setdefault(station.name, []).extend((pose // 4 % 5, pose // 20, pose % 4) for pose in faced)
    north, south, east, west = range(4)
    assert poses == {
        "ingredient_dispenser": [(1, 1, west)],
        "chopping_board0": [(1, 2, west)],
        "dish_dispenser": [(1, 3, west)],
        "blender0": [(1, 3, south)],
        "pot0": [(3, 1, north)],
        "oven0": [(3, 3, east)],
        "delivery": [(3, 3, south)],
        "counter": [
            (1, 1, north),
            *((1, 1, east), (3, 1, west)),
            (3, 1, east),
            *((1, 2, east), (3, 2, west)),
            (3, 2, east),
            *((1, 3, east), (3, 3, west)),
        ],
    }
    assert [kitchen.stations[each].tile for each in kitchen.shared] == [(2, 1), (2, 2), (2, 3)]
    assert [cook.start for cook in kitchen.cooks] == [(3, 1), (1, 2)]
    assert cost.max() == FAR


def test_the_tasks_are_the_thirty_published_ones() -> None:
    """docs/rules/kitchen.md 6."""
    book, kitchen = cookbook(), layout(cookbook())
    levels: dict[int, set[tuple[int, int]]] = {}
    for name, task in tasks().items():
        levels.setdefault(task.level, set()).add((task.published_time, task.limit()))
        assert book.needs_dish(name) == (task.level >= 3)
        assert len(task.recipe) >= 3
        check_task(name, book, kitchen)
    assert levels == {1: {(16, 24)}, 2: {(23, 34)}, 3: {(35, 52)}, 4: {(32, 48)}, 5: {(55, 82)}, 6: {(64, 96)}}
    assert len(tasks()) == 30


def test_an_order_that_is_no_published_task_has_the_horizon() -> None:
    task = find_task("apple")
    assert (task.level, task.limit(), task.limit(10)) == (0, 119, 15)


def test_an_unknown_order_is_refused_with_a_near_match() -> None:
    with pytest.raises(UserError, match=r"no task `boiled_eg`(.|\n)*did you mean `boiled_egg`"):
        find_task("boiled_eg")


def test_a_new_recipe_is_a_line_in_a_file(tmp_path: Path) -> None:
    text = BOOK.replace('boiled_egg = ["egg"]', 'boiled_egg = ["egg"]\nomelette = ["egg", "egg", "onion_slices"]')
    file = tmp_path / "mine.toml"
    file.write_text(text.replace("without_dish = [", 'without_dish = [\n    "omelette",'), encoding="utf-8")
    book = load_setting(cookbook_file=file).book
    assert book.ingredients_of("omelette") == {"egg": 2, "onion": 1}
    assert [recipe.product for recipe in book.steps("omelette")] == ["onion_slices", "omelette"]
    assert find_task("omelette", book).title == "Omelette"


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ('["egg"]', '["eg"]', ("kitchen-unknown-item", "utensils.pot.recipes.boiled_egg")),
        ('["egg"]', '["mushroom"]', ("kitchen-same-inputs", "utensils.pot.recipes.boiled_mushroom")),
        ('["egg"]', "[]", ("kitchen-inputs", "utensils.pot.recipes.boiled_egg")),
        ('["egg"]', '["egg", "egg", "egg", "egg"]', ("kitchen-inputs", "utensils.pot.recipes.boiled_egg")),
        ('["egg"]', "3", ("kitchen-type", "utensils.pot.recipes.boiled_egg")),
        ('["egg"]', '["boiled_egg"]', ("kitchen-cycle", "utensils.pot")),
        ("timesteps = 3", "timesteps = 0", ("kitchen-range", "utensils.chopping_board.timesteps")),
        ("timesteps = 3", "time = 3", ("kitchen-unknown-key", "utensils.chopping_board.time")),
        ('letter = "C"', 'letter = "P"', ("kitchen-twice", "utensils")),
        ('letter = "C"', 'letter = "X"', ("kitchen-letter", "utensils.chopping_board.letter")),
        ('    "apple",\n', '    "aple",\n', ("kitchen-unknown-item", "orders.without_dish[10]")),
        ("[orders]\nwith_dish = [", '[orders]\nwith_dish = [\n    "tofu",', ("kitchen-dish", "orders.with_dish[0]")),
        ("schema = 1", "schema = 2", ("kitchen-schema", "schema")),
        ("schema = 1", "schema = ", ("kitchen-syntax", "")),
        ("schema = 1", f"schema = 1 #{'x' * LARGEST}", ("kitchen-long", "")),
        ('dish = "dish"', 'dish = "potato"', ("kitchen-twice", "potato")),
        ('dish = "dish"', 'dish = "counter"', ("kitchen-name", "counter")),
    ],
)
def test_a_wrong_cookbook_is_refused_at_its_place(old: str, new: str, found: tuple[str, str]) -> None:
    assert old in BOOK
    assert found in refused(BOOK.replace(old, new, 1))


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ('"XXXPX"', '"XXXPX', ("kitchen-syntax", "")),
        ('"D X O"', '"D X  "', ("kitchen-edge", "map[3], column 4")),
        ('"D X O"', '"D XXO"', ("kitchen-unreachable", "cooks[0].operations")),
        ('"XBXSX"', '"XBXXX"', ("kitchen-unreachable", "cooks[0].delivers")),
        ('"D X O"', '"D X O "', ("kitchen-map", "map[3]")),
        ('"D X O"', '"D X Q"', ("kitchen-letter", "map[3], column 4")),
        ('"D X O"', '"D1X O"', ("kitchen-start", "map")),
        ('"cook", "bake"', '"cook", "grill"', ("kitchen-operation", "cooks[0].operations")),
        ('facing = "north"', 'facing = "up"', ("kitchen-unknown-name", "cooks[0].facing")),
        ('name = "Bob"', "name = 1", ("kitchen-type", "cooks[0].name")),
        ("delivers = true", "delivers = false", ("kitchen-unreachable", "cooks")),
    ],
)
def test_a_wrong_layout_is_refused_at_its_place(old: str, new: str, found: tuple[str, str]) -> None:
    assert old in KITCHEN
    assert found in refused(KITCHEN.replace(old, new, 1), cookbook())


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="kitchen-file"):
        load_setting(cookbook_file=tmp_path / "none.toml")


def test_an_order_that_no_utensil_of_the_kitchen_makes_is_refused() -> None:
    text = KITCHEN.replace('"D X O"', '"D X X"').replace('["cook", "bake"]', '["cook"]')
    with pytest.raises(UserError, match="no cook of this kitchen can use the oven"):
        check_task("baked_sweet_potato", cookbook(), read_layout(text, cookbook()))


@pytest.mark.parametrize(
    ("change", "order", "reason"),
    [
        (("I X1X", "I XX1X"), "boiled_egg", "no cook can bring `egg` to the pot that `boiled_egg` needs"),
        (('"I X1X"', '"X X1X"'), "boiled_egg", "no cook reaches the ingredient dispenser"),
        (('"D X O"', '"X X O"'), "baked_carrot_soup", "no cook reaches the dish dispenser"),
        (("I X1X", "I XX1X"), "apple", "no cook can bring `apple` to a delivery location"),
    ],
)
def test_an_order_that_the_cooks_cannot_hand_over_is_refused(change: tuple[str, str], order: str, reason: str) -> None:
    """A wall of two counters side by side leaves no counter that both cooks reach."""
    assert change[0] in KITCHEN
    text = KITCHEN.replace(*change)
    if change[1] == "I XX1X":
        for row in ("XXXPX", "C2X X", "D X O", "XBXSX"):
            text = text.replace(f'"{row}"', f'"{row[:3]}X{row[3:]}"')
    with pytest.raises(UserError, match=f"`{order}` cannot be made: {reason}"):
        check_task(order, cookbook(), read_layout(text, cookbook()))


def test_a_product_that_leaves_in_a_dish_cannot_go_into_a_utensil() -> None:
    """docs/rules/kitchen.md 3.5: a filled dish goes into no utensil, so nothing can be made of its food."""
    text = BOOK.replace("with_dish = [", 'with_dish = [\n    "potato_slices",', 1)
    book = read_cookbook(text)
    with pytest.raises(UserError, match="`potato_slices` leaves the chopping_board in a dish only"):
        check_task("boiled_potato_slices", book, read_layout(KITCHEN, book))


def test_the_name_of_a_utensil_may_end_with_a_digit() -> None:
    """docs/rules/kitchen.md 3.2: its instances are numbered behind it, as `pot20`."""
    book = read_cookbook(BOOK.replace("[utensils.pot", "[utensils.pot2"))
    kitchen = read_layout(KITCHEN, book)
    setting = Setting(book=book, layout=kitchen, switches=Switches())

    check_task("boiled_egg", book, kitchen)

    assert kitchen.instances_of("pot2") == ("pot20",)
    assert "cook egg in pot20" in knowledge(setting, find_task("boiled_egg", book), 0)
