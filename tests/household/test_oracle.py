"""Random play in the ten episodes agrees with an independent interpreter in everything that happens and is known."""

from __future__ import annotations

import random

import numpy as np
import pytest

from hive.worlds.household import options
from hive.worlds.household.codes import FLOOR, HELD, OptionStatus
from hive.worlds.household.dynamics import silence
from hive.worlds.household.episode import SWITCHES, episode, switched
from hive.worlds.household.options import ExtraKind, OptionKind
from hive.worlds.household.state import Messages, State
from tests.household.homes import Game
from tests.household.oracle import Household, Message, Place

KINDS: dict[str, OptionKind | ExtraKind] = {kind.name: kind for kind in (*OptionKind, *ExtraKind)}
CODES = {"on": 0, "floor": FLOOR, "held": HELD}


def code(place: Place | None) -> int:
    """The number of a place in the arrays."""
    return -1 if place is None else CODES[place[0]] + place[1]


def sets(flags: np.ndarray) -> set[int]:
    return set(np.flatnonzero(flags).tolist())


def chosen_kind(state: State, agent: int) -> OptionKind | ExtraKind:
    """The kind of the option that an agent has, or had last."""
    return options.kind_of(int(state.option[agent]))[0]


def draw(luck: random.Random, agents: int) -> Messages:
    """Messages that tell about half of everything."""
    parts = {name: np.zeros_like(getattr(silence(), name)) for name in ("objects", "containers", "rooms")}
    for flags in parts.values():
        flags[:agents] = [[luck.random() < 0.5 for _ in row] for row in flags[:agents]]
    return silence().replace(**parts)


def check(state: State, home: Household) -> None:
    """Compare all that happens and all that agents know."""
    assert (int(state.clock), bool(state.finished)) == (home.clock, home.finished)
    assert state.place[: len(home.places)].tolist() == [*map(code, home.places)]
    assert sets(state.open[: len(home.home.receptacles)]) == home.open
    for number, agent in enumerate(home.agents):
        assert (int(state.room[number]), tuple(state.at[number].tolist())) == (agent.room, agent.at)
        assert state.hands[number].tolist() == [-1 if each is None else each for each in agent.hands]
        assert bool(state.busy[number]) == (agent.option is not None)
        assert state.facing is None or not home.episode.turning or state.facing[number] == agent.facing
        if home.clock:
            assert (OptionStatus(state.result[number]).name, int(state.elapsed[number])) == (
                agent.result,
                agent.elapsed,
            )
        know = state.beliefs
        for thing in range(len(home.places)):
            place, clock = agent.seen.get(thing, (None, -1))
            assert (int(know.place[number, thing]), int(know.seen_at[number, thing])) == (code(place), clock)
        assert sets(know.checked[number]) == agent.checked
        assert (sets(know.visited[number]), sets(know.known_room[number])) == (agent.visited, agent.known)
        assert bool(know.goal_known[number]) == agent.goal_known
        for mate, (room, clock) in agent.mates.items():
            assert (know.mate_room[number, mate], know.mate_seen_at[number, mate]) == (room, clock)


def play(name: str, agents: int, seed: int, ticks: int, **switches: bool) -> Household:
    """Play random legal options and compare every tick."""
    luck, game = random.Random(seed), Game(switched(episode(name), switches), agents, seed)
    home = Household(game.episode, agents)
    check(game.state, home)
    for _ in range(ticks):
        legal = [sorted(home.legal(number)) for number in range(agents)]
        found = [sorted((kind.name, x) for kind, x in map(options.kind_of, sets(row))) for row in game.legal[:agents]]
        assert found == legal
        useful = [[each for each in offered if each[0] != "WAIT"] or offered for offered in legal]
        chosen = [luck.choice(useful[number] if luck.random() < 0.9 else legal[number]) for number in range(agents)]
        messages = draw(luck, agents)
        before = game.state.hands
        game.tick(*(options.index(KINDS[kind], each) for kind, each in chosen), messages=messages)
        got = {number for number in range(agents) if (game.state.hands[number] != before[number]).any()}
        told = [
            Message(*(sets(getattr(messages, part)[number]) for part in ("objects", "containers", "rooms")))
            for number in range(agents)
        ]
        openers = {number for number in range(agents) if chosen_kind(game.state, number) != OptionKind.GRAB}
        home.tick(chosen, told, got | openers)
        check(game.state, home)
    return home


@pytest.mark.parametrize(("name", "agents"), [("cwah_16", 2), pytest.param("cwah_26", 4, marks=pytest.mark.slow)])
def test_random_play_agrees_with_the_interpreter(name: str, agents: int) -> None:
    """docs/rules/household.md 3.1 to 3.4, 4.1, 4.2, 5.1 to 5.3."""
    assert play(name, agents, seed=7, ticks=120).finished


@pytest.mark.parametrize(
    ("name", "agents", "switches"),
    [
        pytest.param("cwah_16", 2, {"closing": True}, marks=pytest.mark.slow),
        pytest.param("cwah_26", 3, {"turning": True}, marks=pytest.mark.slow),
        ("cwah_30", 2, dict.fromkeys(SWITCHES, True)),
    ],
)
def test_random_play_with_switches_agrees_with_the_interpreter(
    name: str, agents: int, switches: dict[str, bool]
) -> None:
    """docs/rules/household.md 4.4: containers that are closed again, and agents that see only what they face."""
    assert play(name, agents, seed=7, ticks=150, **switches).clock > 100


@pytest.mark.long
@pytest.mark.parametrize("seed", range(20))
def test_more_random_play_agrees_with_the_interpreter(seed: int) -> None:
    """docs/rules/household.md 3.1 to 3.4, 4.1, 4.2, 5.1 to 5.3, in all ten episodes."""
    names = [f"cwah_{number}" for number in (0, 5, 10, 16, 20, 26, 30, 32, 40, 49)]
    assert play(names[seed % 10], 1 + seed % 4, seed, ticks=250).clock > 10
