"""The kitchen as language agents meet it: plans as texts, refusals with codes, views, and games in a batch."""

from __future__ import annotations

import numpy as np
import pytest

from dsl import UserError
from hive.kit.agent_env import IDLE, Awaited, Choice
from hive.worlds.kitchen.agents.agent_env import KitchenAgentEnv, Rulebook
from hive.worlds.kitchen.agents.episodes import KitchenEpisodes
from hive.worlds.kitchen.agents.views import IN_A_DISH
from hive.worlds.kitchen.setting import load_setting
from hive.worlds.kitchen.snapshot import Snapshot, UtensilState, UtensilStatus
from hive.worlds.kitchen.switches import Switches
from hive.worlds.kitchen.tasks import Task, find_task

SETTING = load_setting()
BOOK, LAYOUT = SETTING.book, SETTING.layout
BOB, ALICE = 0, 1


def env(order: str = "boiled_egg", **changes: object) -> KitchenAgentEnv:
    """A game at a state that is set by hand; nothing is compiled."""
    empty = UtensilState(UtensilStatus.EMPTY)
    values = {
        "order": BOOK.code[order],
        "held": (0, 0),
        "counters": (0,) * len(LAYOUT.counters),
        "utensils": (empty,) * len(LAYOUT.instances),
    }
    found = KitchenAgentEnv(Rulebook(SETTING), find_task(order, BOOK), 24, 0)
    found.look(Snapshot(**{**values, **changes}), ((3, 1), (1, 2)))  # type: ignore[arg-type]
    return found


def refusal(game: KitchenAgentEnv, cook: int, text: str) -> str | None:
    (piece,) = game.read(cook, text)
    assert piece.choice is not None
    return game.check(cook, piece.choice, False)


def test_a_plan_is_read_into_own_actions_and_requests() -> None:
    pieces = env().read(BOB, "request('pickup(egg, ingredient_dispenser)'); Pickup(egg, counter); dance(); cook(pot0)")
    assert [(piece.words, piece.request) for piece in pieces] == [
        ("pickup(egg,ingredient_dispenser)", True),
        ("pickup(egg,counter)", False),
        ("dance()", False),
        ("cook(pot0)", False),
    ]
    assert pieces[2].choice is None and (pieces[2].why or "").startswith("F1: ")


@pytest.mark.parametrize(
    "text", ["x" * 1_000_000, "cook(" * 5_000, "request('request('cook(pot0)')')", "\0;\ud800", ";;;"]
)
def test_no_text_raises(text: str) -> None:
    assert all(piece.choice is None and piece.why for piece in env().read(BOB, text))


def test_a_refusal_has_the_code_of_the_validator() -> None:
    """docs/rules/kitchen.md 9.3, 10.5."""
    assert (refusal(env(), BOB, "pickup(egg, ingredient_dispenser)") or "").startswith("P4c: ")
    assert (refusal(env(), ALICE, "place_obj_on_counter()") or "").startswith("K1: ")
    assert refusal(env(), ALICE, "pickup(egg, ingredient_dispenser)") is None
    assert env().check(BOB, IDLE, False) is None
    assert env().check(BOB, Choice(10_000, (), "?"), False) == "there is no action 10000"
    with pytest.raises(ValueError, match="K1"):
        game = env()
        game.begin(ALICE, game.read(ALICE, "place_obj_on_counter()")[0].choice or IDLE, False)


POT = LAYOUT.instances.index("pot0")


def with_tool(number: int, tool: UtensilState) -> tuple[UtensilState, ...]:
    return tuple(tool if n == number else UtensilState(UtensilStatus.EMPTY) for n in range(len(LAYOUT.instances)))


def with_item(station: int, item: str) -> tuple[int, ...]:
    return tuple(BOOK.code[item] if counter == station else 0 for counter in LAYOUT.counters)


BOILING = with_tool(POT, UtensilState(UtensilStatus.WORKING, product=BOOK.code["boiled_egg"], left=2))
DONE = with_tool(POT, UtensilState(UtensilStatus.READY, product=BOOK.code["boiled_egg"]))
EGG_THERE = with_item(LAYOUT.shared[1], "egg")
SOUP = with_tool(POT, UtensilState(UtensilStatus.WORKING, product=BOOK.code["baked_carrot_soup"], left=2))
CROWDED = {"counters": (BOOK.code["egg"],) * len(LAYOUT.counters), "held": (0, BOOK.code["egg"])}


@pytest.mark.parametrize(
    ("cook", "text", "changes", "awaited"),
    [
        (BOB, "pickup(egg, counter)", {}, Awaited("egg on a counter", False)),
        (BOB, "pickup(egg, counter)", {"counters": EGG_THERE}, None),
        (BOB, "pickup(egg, counter)", {"held": (BOOK.code["apple"], 0)}, None),
        (BOB, "pickup(boiled_egg, pot0)", {"utensils": BOILING}, Awaited("boiled_egg in pot0", True)),
        (BOB, "pickup(boiled_egg, pot0)", {}, None),
        (BOB, "pickup(boiled_sweet_potato, pot0)", {"utensils": BOILING}, None),
        (BOB, "pickup(baked_carrot_soup, pot0)", {"utensils": SOUP}, None),
        (ALICE, "place_obj_on_counter()", CROWDED, Awaited("an empty counter", False)),
        (ALICE, "place_obj_on_counter()", {}, None),
        (ALICE, "cut(chopping_board0)", {}, None),
        (BOB, "dance()", {}, None),
        (BOB, "wait(3)", {}, None),
        (BOB, "wait_for(egg, counter)", {}, Awaited("egg on a counter", False)),
        (BOB, "wait_for(egg, counter)", {"counters": EGG_THERE}, None),
        (BOB, "wait_for(egg, counter)", {"counters": EGG_THERE, "held": (BOOK.dish_code, 0)}, None),
        (ALICE, "wait_for(boiled_egg, pot0)", {"utensils": BOILING}, Awaited("boiled_egg in pot0", True)),
        (ALICE, "wait_for(boiled_egg, pot0)", {"utensils": DONE}, None),
        (BOB, "wait_for(dish, dish_dispenser)", {}, None),
    ],
)  # fmt: skip
def test_what_an_action_waits_for(cook: int, text: str, changes: dict[str, object], awaited: Awaited | None) -> None:
    """docs/rules/kitchen.md 10.5: retried are pickups of what is not there yet, and places without an empty counter."""
    game = env(**changes)
    (piece,) = game.read(cook, text)
    assert game.awaited(cook, piece) == awaited
    assert piece.waits is text.startswith("wait_for") and (piece.choice is None) is (text == "dance()")


def test_a_wait_for_an_item_is_an_action_that_can_be_switched_off() -> None:
    """docs/rules/kitchen.md 4.2, 7.1: off restores the published actions, also in the prompt."""
    (piece,) = env().read(BOB, "request('Wait_For(egg, counter 2)')")
    assert (piece.words, piece.request, piece.waits) == ("wait_for(egg,counter)", True, True)
    assert piece.choice == Choice(env().rulebook.numbers["wait(1)"], (), "wait_for(egg,counter)")
    assert "- wait_for(item, counter): " in env().manual(BOB)
    assert env().read(BOB, "wait_for(egg)")[0].why == (
        "F2: `wait_for` needs 2 arguments, an object and a place; given: 1; such as `wait_for(dish, counter)`"
    )
    rulebook = Rulebook(load_setting(switches=Switches(wait_for=False)))
    off = KitchenAgentEnv(rulebook, find_task("boiled_egg", BOOK), 24, 0)
    (piece,) = off.read(BOB, "wait_for(egg, counter)")
    assert piece.choice is None and (piece.why or "").startswith("F1: there is no action called `wait_for`")
    assert "wait_for" not in off.manual(BOB) and not [each for each in off.rulebook.actions if "wait_for" in str(each)]
    assert off.rulebook.actions == env().rulebook.actions, "numbers of actions stay"


def test_a_cook_reads_all_its_actions_and_those_that_it_may_ask_for() -> None:
    """docs/rules/kitchen.md 10.4: every utensil that it reaches is named, and every action of the other one."""
    rows = env().manual(BOB).splitlines()
    assert rows[2].startswith("- put_obj_in_utensil(pot0) or put_obj_in_utensil(oven0): ")
    assert "chopping_board" not in "".join(rows[:-1])
    assert "; put_obj_in_utensil(chopping_board0) or put_obj_in_utensil(blender0); cut(chopping_board0); " in rows[-1]


def test_times_that_a_cook_reads_are_those_of_the_controller() -> None:
    """docs/rules/kitchen.md 10.2: `x=n` is the timestep after n timesteps in which an action at x is completed."""
    episodes = KitchenEpisodes(SETTING, [find_task("apple", BOOK)] * 6, [30] * 6)  # as many: no other program
    game = episodes.envs[0]
    plan = ["pickup(egg, ingredient_dispenser)", "place_obj_on_counter()", "pickup(dish, dish_dispenser)"]
    places = ["ingredient_dispenser", "counter 1", "dish_dispenser"]
    table = game.knowledge(ALICE)
    for number, (text, place) in enumerate(zip(plan, places, strict=True)):
        shown = dict(game.view(ALICE).times)["Alice"].split(", ")
        if number:
            assert f"- Alice from {places[number - 1]}: {', '.join(shown)}\n" in table + "\n"
        (piece,) = game.read(ALICE, text)
        assert piece.choice is not None
        game.begin(ALICE, piece.choice, False)
        before = game.tick
        while game.busy(ALICE):
            episodes.step([0])
        assert f"{place}={game.tick - before}" in shown, text
    assert [words for _, words in game.done(ALICE)] == [text.replace(" ", "") for text in plan]


def test_options_of_a_cook_are_what_it_reaches() -> None:
    names = {option.name for option in env().options("assistant", False)}
    assert {"cut(chopping_board0)", "pickup(dish,dish_dispenser)", "do nothing"} <= names
    assert not [name for name in names if "pot0" in name or name == "cook(pot0)"]
    with pytest.raises(UserError, match="runs until it is done"):
        env().options("chef", True)


def test_both_cooks_see_hands_utensils_and_shared_counters() -> None:
    """docs/rules/kitchen.md 10.2."""
    shared, mine = (
        LAYOUT.counters.index(LAYOUT.shared[1]),
        next(number for number, station in enumerate(LAYOUT.counters) if LAYOUT.stations[station].tile == (4, 1)),
    )
    counters = [0] * len(LAYOUT.counters)
    counters[shared], counters[mine] = BOOK.code["onion"], BOOK.code["carrot"]
    tools = [UtensilState(UtensilStatus.EMPTY)] * 4
    at = {name: number for number, name in enumerate(LAYOUT.instances)}
    tools[at["pot0"]] = UtensilState(UtensilStatus.WORKING, product=BOOK.code["boiled_egg"], left=2)
    tools[at["oven0"]] = UtensilState(UtensilStatus.LOADED, (BOOK.code["lentil"],), notice=True)
    tools[at["blender0"]] = UtensilState(UtensilStatus.LOADED, (BOOK.code["egg"],))
    tools[at["chopping_board0"]] = UtensilState(UtensilStatus.LOADED, (BOOK.code["potato"],))
    held = (BOOK.plated("baked_carrot_soup"), BOOK.dish_code)
    game = env(held=held, counters=tuple(counters), utensils=tuple(tools))
    lines = game.observe(BOB).view.splitlines()
    assert "Bob holds: baked_carrot_soup" + IN_A_DISH in lines and "Alice holds: dish" in lines
    assert "- pot0: works on boiled_egg, ready in 2 timesteps" in lines
    assert "- oven0: holds lentil; something is missing" in lines
    assert "- blender0: holds egg; no product is made of this" in lines
    assert "- chopping_board0: holds potato; all that potato_slices needs" in lines
    assert "Shared counters: empty, onion, empty" in lines and "Your own counters hold: carrot" in lines
    assert lines[-1] == "Notice: the contents of `oven0` match no recipe, so they were thrown away"
    assert "carrot" not in game.observe(ALICE).view.replace("baked_carrot_soup", "")


def test_the_recipe_is_known_to_one_cook() -> None:
    """docs/rules/kitchen.md 10.1."""
    game = env("baked_carrot_soup")
    assert "- bake carrot_slices in oven0: baked_carrot_slices" in game.knowledge(BOB)
    assert "- fill a dish with baked_carrot_soup from pot0, and deliver it" in game.knowledge(BOB)
    assert "carrot_slices" not in game.knowledge(ALICE) and "ask Bob" in game.knowledge(ALICE).replace("Ask", "ask")


def test_games_step_in_one_batch_and_only_those_that_play() -> None:
    """docs/rules/kitchen.md 2.5: an action that was begun goes on without being begun again."""
    orders = [find_task("apple", BOOK)] * 5 + [Task(order="onion", title="Onion")]
    episodes = KitchenEpisodes(SETTING, orders, [5] * 6)
    first, last = episodes.envs[0], episodes.envs[5]
    for game, item in ((first, "apple"), (last, "onion")):
        (piece,) = game.read(ALICE, f"pickup({item}, ingredient_dispenser)")
        assert piece.choice is not None
        game.begin(ALICE, piece.choice, False)
    for playing in ([0, 5], [0, 5], [5]):
        episodes.step(playing)
    assert (first.tick, last.tick, episodes.envs[1].tick) == (2, 3, 0)
    assert last.done(ALICE) == ((2, "pickup(onion,ingredient_dispenser)"),) and first.done(ALICE) == ()
    assert first.busy(ALICE) and not last.busy(ALICE) and not last.busy(BOB)
    assert BOOK.name(last.snapshot.held[ALICE]) == "onion" and [env.seed for env in episodes.envs][:3] == [0, 1, 2]
    assert len(episodes.states[5]) == 4 and np.all([not state.served for state in episodes.states[5]])
    for _ in range(3):
        episodes.step([0])
    assert not first.over
    episodes.step([0])
    assert first.over and first.limit == 6 and episodes.results(0)["outcome"] == "timeout" and first.score == 0
