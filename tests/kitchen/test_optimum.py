"""Least times and reference trajectories: the published figures and our own, reached in the kitchen itself."""

from __future__ import annotations

from collections import deque
from itertools import product

import pytest

from dsl import UserError
from hive.worlds.kitchen.action import NamedAction
from hive.worlds.kitchen.cookbook import read_cookbook
from hive.worlds.kitchen.following import follow
from hive.worlds.kitchen.layout import layout, read_layout
from hive.worlds.kitchen.optimum.model import Model
from hive.worlds.kitchen.optimum.play import optima, optimum, time_limit
from hive.worlds.kitchen.optimum.references import references
from hive.worlds.kitchen.reading import shipped
from hive.worlds.kitchen.setting import Setting, load_setting
from hive.worlds.kitchen.switches import Switches
from hive.worlds.kitchen.tasks import find_task, tasks
from tests.docs.test_rules import table
from tests.kitchen.oracle import Oracle
from tests.kitchen.replaying import replay
from tests.tiers import tiers

SETTING = load_setting()
ONE_EACH = {
    "1, pot": "boiled_egg",
    "1, oven": "baked_bell_pepper",
    "2, pot": "boiled_corn_slices",
    "2, oven": "baked_potato_slices",
    "3": "baked_carrot_soup",
    "4": "sliced_pumpkin_and_chickpea_stew",
    "5": "mashed_broccoli_and_bean_patty",
    "6": "potato_carrot_and_onion_patty",
}
"""An order of each workflow of the thirty tasks."""
NAMED = {"boiled": 15, "baked": 16, 2: 23, 3: 35, 4: 31, 5: 45, 6: 50}
FREE = {"boiled": 14, "baked": 15, 2: 21, 3: 30, 4: 27, 5: 39, 6: 47}


def figure(order: str, play: str) -> int:
    """The least time of a task as the rules state it."""
    level = tasks()[order].level
    key = order.split("_")[0] if level == 1 else level
    return (NAMED if play == "named" else FREE)[key]


def levels(*chosen: int) -> list[str]:
    return [name for name, task in tasks().items() if task.level in chosen]


@pytest.mark.parametrize("play", ["named", "primitives"])
def test_least_times_of_the_first_three_levels_are_reached_in_the_kitchen(play: str) -> None:
    """docs/rules/kitchen.md 8.1; a plan is played by the arrays, each action as the validator allows it."""
    for found in optima(SETTING, levels(1, 2, 3), play):
        assert found.time == figure(found.order, play), found.order
        if found.order in ONE_EACH.values():
            assert replay(SETTING, found) == found.time


@pytest.mark.long
@pytest.mark.parametrize("play", ["named", "primitives"])
def test_least_times_of_levels_four_and_five_are_reached_in_the_kitchen(play: str) -> None:
    for found in optima(SETTING, levels(4, 5), play):
        assert found.time == figure(found.order, play), found.order
        if found.order in ONE_EACH.values():
            assert replay(SETTING, found) == found.time


@pytest.mark.long
@pytest.mark.parametrize("play", ["named", "primitives"])
def test_least_times_of_all_tasks_are_reached_in_the_kitchen(play: str) -> None:
    for found in optima(SETTING, tasks(), play):
        assert (found.time, replay(SETTING, found)) == (figure(found.order, play),) * 2, found.order


def test_a_plan_that_is_not_valid_or_not_in_time_is_not_reached() -> None:
    found = optimum(SETTING, "boiled_egg")
    early = tuple((max(0, timestep - 1), action) for timestep, action in found.actions[0])
    assert replay(SETTING, found) == found.time
    late = load_setting(switches=Switches(freeze=True))
    assert replay(late, found) == found.time  # one utensil freezes no other
    object.__setattr__(found, "actions", (early, found.actions[1]))
    assert replay(SETTING, found) is None


def test_the_table_of_the_rules_is_what_is_found() -> None:
    """Times and numbers of states of docs/rules/kitchen.md 8.1, for the workflows that take a second or less."""
    rows = table("kitchen", "8.1")
    assert [*rows][1:] == [*ONE_EACH]
    for key, order in [*ONE_EACH.items()][:5]:
        found = [optimum(SETTING, order, play) for play in ("named", "primitives")]
        cells = [cell.replace(",", "") for cell in rows[key]]
        assert cells == [str(number) for each in found for number in (each.time, each.states)]


def test_a_spare_dish_makes_play_by_named_actions_faster() -> None:
    """docs/rules/kitchen.md 8.2: level 3."""
    named = optimum(SETTING, ONE_EACH["3"], spares=1)
    dishes = [action for _, action in named.actions[1] if action.item == "dish" and action.place == "dish_dispenser"]
    assert (named.time, replay(SETTING, named), len(dishes)) == (33, 33, 2)


@pytest.mark.slow
def test_spare_items_help_no_plan_of_primitives() -> None:
    """docs/rules/kitchen.md 8.2."""
    for name in [*ONE_EACH.values()][:4]:
        assert optimum(SETTING, name, "primitives", spares=1).time == figure(name, "primitives")


def test_limits_follow_from_published_or_from_least_times() -> None:
    """docs/rules/kitchen.md 6.2, 7.1."""
    least = load_setting(switches=Switches(published_limits=False))
    orders = ("boiled_egg", "baked_bell_pepper", "apple")
    assert [time_limit(SETTING, find_task(order)) for order in orders] == [24, 24, 119]
    assert [time_limit(least, find_task(order)) for order in orders] == [22, 24, 13]


@pytest.mark.slow
def test_no_plan_of_primitives_is_faster_by_brute_force() -> None:
    """The search of level 1 beside one that knows no tables: it moves names around, one joint state at a time."""
    assert brute_force("boiled_egg") == FREE["boiled"]


def brute_force(order: str) -> int:
    """Breadth-first search with the oracle of the dynamics."""
    raw = next(iter(SETTING.book.ingredients_of(order)))
    first = Oracle(SETTING.book, SETTING.layout, order, False)

    def key(game: Oracle) -> str:
        pots = [(each.contents, each.product, each.work) for each in game.pots.values()]
        return repr((game.at, game.facing, game.hand, sorted(game.counters.items()), pots))

    seen, open_ = {key(first)}, deque([first])
    while open_:
        game = open_.popleft()
        for mine in range(6):
            for other in range(6):
                after = game.copy()
                after.step([mine, other], [raw, raw])
                if after.served:
                    return after.clock - 1
                held = [*after.hand, *(item for item, _ in after.counters.values())]
                items = [*(each for each in held if each), *(e for p in after.pots.values() for e in p.contents)]
                made = [each.product for each in after.pots.values() if each.product]
                if len(items) + len(made) > 1 or "?" in made or SETTING.book.dish in items:
                    continue  # more than the order needs, which never helps
                if (name := key(after)) not in seen:
                    seen.add(name)
                    open_.append(after)
    raise AssertionError(f"nothing delivers {order}")


def test_reference_trajectories_are_those_of_the_rules() -> None:
    """Numbers and lengths of docs/rules/kitchen.md 8.3; level 6 takes longer and is below."""
    rows = table("kitchen", "8.3")
    for name in levels(1, 2, 3, 4, 5):
        row = [int(cell) for cell in rows[str(tasks()[name].level)]]
        found = references(SETTING, name).lists
        assert [number for lists in found for number in (len(lists[0]), len(lists))] == row
        assert all(len({*lists}) == len(lists) and len({*map(len, lists)}) == 1 for lists in found)


@pytest.mark.slow
def test_reference_trajectories_of_level_six_are_those_of_the_rules() -> None:
    row = [int(cell.replace(",", "")) for cell in table("kitchen", "8.3")["6"]]
    found = references(SETTING, ONE_EACH["6"]).lists
    assert [number for lists in found for number in (len(lists[0]), len(lists))] == row


@pytest.mark.parametrize("some", tiers([4, 1], slow=[4]))
def test_every_reference_trajectory_makes_the_stew(some: int) -> None:
    """docs/rules/kitchen.md 8.3: with a partner of some reference of its own, each list delivers."""
    bob, alice = references(SETTING, ONE_EACH["4"]).lists
    for mine in alice[::some]:
        assert any(completes([other, mine]) for other in bob)
    for mine in bob[::some]:
        assert any(completes([mine, other]) for other in alice)


@pytest.mark.parametrize(
    ("level", "times"),
    [("1", {16}), ("2", {23}), ("3", {35}), pytest.param("4", {31, 32}, marks=pytest.mark.long)],
)
def test_published_times_are_those_of_some_references_played_at_once(level: str, times: set[int]) -> None:
    """docs/rules/kitchen.md 8.3: each action begins as soon as it is valid; level 4 has a faster pair, too."""
    orders = [name for name, task in tasks().items() if str(task.level) == level]
    pairs = product(*references(SETTING, orders[0]).lists)

    found = {follow(SETTING, orders[0], pair, 60).delivery for pair in pairs}

    assert tasks()[orders[0]].published_time in times <= found


def completes(lists: list[tuple[NamedAction, ...]]) -> bool:
    found = follow(SETTING, ONE_EACH["4"], lists, 60)
    return found.delivery is not None and [len(each) for each in found.histories] == [len(each) for each in lists]


def test_a_new_recipe_has_a_least_time_and_references() -> None:
    """Any recipe file: two eggs in the pot, without a dish."""
    text = shipped("cookbook.toml")
    text = text.replace('boiled_egg = ["egg"]', 'boiled_egg = ["egg"]\nomelette = ["egg", "egg"]')
    book = read_cookbook(text.replace("without_dish = [", 'without_dish = [\n    "omelette",'))
    setting = Setting(book=book, layout=layout(book), switches=Switches())
    found = optimum(setting, "omelette")
    assert replay(setting, found) == found.time
    free = optimum(setting, "omelette", "primitives")
    assert replay(setting, free) == free.time <= found.time
    assert [len(lists[0]) for lists in references(setting, "omelette").lists] == [7, 4]


def test_orders_of_one_workflow_differ_in_names_alone() -> None:
    """docs/rules/kitchen.md 8.1: what is searched once for five tasks."""
    flows = {name: Model(SETTING.book, SETTING.layout, name).workflow for name in tasks()}
    assert len({*flows.values()}) == len(ONE_EACH)
    assert {flows[name] for name in ONE_EACH.values()} == {*flows.values()}


def test_what_cannot_be_delivered_or_searched_is_refused() -> None:
    book = SETTING.book
    with pytest.raises(UserError, match="there is no play `fast`"):
        optimum(SETTING, "apple", "fast")
    with pytest.raises(UserError, match="spares must be 0 to 3, not 9"):
        optimum(SETTING, "apple", spares=9)
    text = shipped("kitchen.toml")
    meeting = Setting(book=book, layout=read_layout(text.replace("C2X X", "C2  X"), book), switches=Switches())
    with pytest.raises(UserError, match="only where the cooks cannot meet"):
        optimum(meeting, "apple")
    before, after = text.split("map = [")[0], text.split("]\n", 1)[1]
    apart = read_layout(f"{before}map = [{WALLED}]\n{after}", book)
    split = Setting(book=book, layout=apart, switches=Switches())
    for search in (optimum, references):
        with pytest.raises(UserError, match="`apple` cannot be made: no cook can bring `apple` to a delivery location"):
            search(split, "apple")


WALLED = '"XXXXPX", "I XX1X", "C2XX X", "D XX O", "XBXXSX"'
"""Two walls of counters, so that nothing can be handed over."""
