"""Households in words: what agents are told is what they know (docs/rules/household.md 6)."""

from __future__ import annotations

import jax
import numpy as np

from hive.worlds.household import classes, options
from hive.worlds.household.episode import episode, transports
from hive.worlds.household.houses import generate_transport
from hive.worlds.household.options import OptionKind
from hive.worlds.household.texts import Texts, held, proposals
from tests.household import test_transport as transport
from tests.household.homes import CABINET, KITCHEN, TABLE, Game, line

CHECK = options.index(OptionKind.CHECK, CABINET)
GRAB = options.index(OptionKind.GRAB, 0)


def test_progress_has_five_parts_and_says_only_what_the_agent_knows() -> None:
    """docs/rules/household.md 6.1: Alice does not know of the plate in the closed cabinet."""
    game = Game(line({"plate_1": TABLE, "plate_2": CABINET}, (1.0, 15.0)))
    texts = Texts(game.episode)
    assert texts.goal() == "find and put 2 plates into the <dishwasher> (11)"
    assert texts.progress(game.state, 0) == (
        "In the <dishwasher> (11): nothing yet. I hold nothing. I am in the <livingroom> (1). Here I found "
        "<plate> (101) on <kitchentable> (13) and I have not checked <cabinet> (12). I have not seen Bob yet. "
        "The <kitchen> (2) is unexplored."
    )
    assert texts.progress(game.state, 1) == (
        "In the <dishwasher> (11): nothing yet. I hold nothing. I am in the <kitchen> (2). Here the "
        "<dishwasher> (11) is there. I have not seen Alice yet. The <livingroom> (1) is unexplored."
    )


def test_a_language_agent_reads_what_is_missing_where_the_goal_is_and_which_rooms_are_searched() -> None:
    """docs/rules/household.md 10.8: all as far as the agent knows; the learned costs read the text without it."""
    game = Game(line({"plate_1": TABLE, "plate_2": CABINET}, (1.0, 15.0)))
    texts = Texts(game.episode)
    missing = "Still missing there, as far as I know: 2 plates."
    assert texts.briefing(game.state, 0).startswith(
        f"In the <dishwasher> (11), in a room that I do not know yet: nothing yet. {missing} I hold nothing."
    )
    there = f"In the <dishwasher> (11) in the <kitchen> (2): nothing yet. {missing} I hold nothing."
    assert texts.briefing(game.state, 1).startswith(
        f"{there} I am in the <kitchen> (2). Here I found nothing left to do: everything is searched. I have"
    )
    game.finish(0, CHECK)
    game.finish(0, GRAB)
    assert "Here I found <plate> (102) in <cabinet> (12) and everything else is searched." in texts.briefing(
        game.state, 0
    )


def test_an_observation_names_what_is_near_and_not_the_goal() -> None:
    """docs/rules/household.md 6.2: no coordinates, no goal."""
    game = Game(line({"plate_1": TABLE, "plate_2": CABINET}, (1.0, 2.0)))
    game.finish(1, GRAB)
    assert Texts(game.episode).observation(game.state, 0) == (
        "I am in the <livingroom> (1), next to <kitchentable> (13). I hold nothing. Closed here: <cabinet> (12). "
        "Bob is here. Bob holds <plate> (101)."
    )


def test_options_are_offered_in_the_published_order() -> None:
    """docs/rules/household.md 6.1."""
    game = Game(line({"plate_1": TABLE, "plate_2": TABLE}, (2.0, 2.0)))
    game.finish(0, GRAB)
    texts = Texts(game.episode)
    offered = [texts.option(each, held(game.state, 0)) for each in proposals(game.legal[0])]
    assert offered == [
        "send a message",
        "go explore <kitchen> (2)",
        "go check <cabinet> (12)",
        "go grab <plate> (102)",
        "go put <plate> (101) into the <dishwasher> (11)",
    ]


def test_waiting_is_offered_where_nothing_but_sending_is_legal() -> None:
    """docs/rules/household.md 6.1."""
    legal = np.zeros(options.COUNT, bool)
    legal[[options.WAIT, options.SEND]] = True
    assert proposals(legal) == [options.SEND, options.WAIT]
    legal[options.index(OptionKind.EXPLORE, KITCHEN)] = True
    assert proposals(legal) == [options.SEND, options.index(OptionKind.EXPLORE, KITCHEN)]


def test_no_two_options_of_an_episode_read_alike() -> None:
    """A model names an option by its text."""
    game = episode("cwah_26")
    texts, home = Texts(game), game.apartment
    sizes = {
        OptionKind.EXPLORE: len(home.rooms),
        OptionKind.CHECK: len(home.receptacles),
        OptionKind.GRAB: len(game.things),
    }
    every = [texts.option(options.index(kind, each)) for kind, size in sizes.items() for each in range(size)]
    assert len(set(every)) == len(every) == sum(sizes.values())


def test_transport_has_its_own_words() -> None:
    """docs/rules/household.md 6.1: what is in a container that is carried is said with it."""
    game = transport.Game()
    texts = Texts(transport.household())
    assert texts.goal().startswith("find and transport 3 pens, 1 mouse,")
    game.play(OptionKind.GRAB, transport.BASKET)
    game.play(OptionKind.GRAB, transport.NUMBER["pen_1"])
    state = jax.device_get(game.state)
    offered = [texts.option(each, held(state, 0)) for each in proposals(game.options()[0][0], transport=True)]
    assert "put <pen> (101) into <wood_basket> (106)" in offered
    assert "go to <office> (2)" in offered
    assert "explore <livingroom> (1)" in offered
    game.play(OptionKind.PUT_IN)
    state = jax.device_get(game.state)
    assert "I hold <wood_basket> (106) with <pen> (101) in it." in texts.observation(state, 0)


def test_transport_offers_exploring_last() -> None:
    """docs/rules/household.md 6.1: message, targets, containers, putting in, transport, rooms, exploring."""
    legal = np.zeros(options.COUNT, bool)
    kinds = [OptionKind.SEND, OptionKind.GRAB, OptionKind.PUT_IN, OptionKind.PUT, OptionKind.GOTO, OptionKind.EXPLORE]
    legal[[options.index(kind) for kind in kinds]] = True
    assert [options.kind_of(each)[0] for each in proposals(legal, transport=True)] == kinds
    for home in (*map(episode, transports()), *map(generate_transport, range(3))):  # objects are offered by number
        carries = [thing.kind in classes.CARRIERS for thing in home.things]
        assert carries == sorted(carries), home.name
