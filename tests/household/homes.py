"""Small apartments and episodes for tests, the programs that play them, and a policy that always finishes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hive.worlds.household import dynamics, legality, options
from hive.worlds.household.apartment import read_apartment
from hive.worlds.household.assembly import make_params
from hive.worlds.household.episode import HouseholdEpisode, PlacedObject, Start
from hive.worlds.household.state import Messages, Params, State

LINE = """
schema = 1
name = "line"
rooms = [
    { name = "livingroom", centre = [5.0, 2.0], size = [10.0, 4.0] },
    { name = "kitchen", centre = [15.0, 2.0], size = [10.0, 4.0] },
]
doors = [{ rooms = ["livingroom", "kitchen"], at = [10.0, 2.0] }]
receptacles = [
    { class = "dishwasher", room = "kitchen", at = [18.0, 2.0] },
    { class = "cabinet", room = "livingroom", at = [5.0, 2.0] },
    { class = "kitchentable", room = "livingroom", at = [1.0, 2.0] },
]
"""
"""Two rooms in a row: a table at 1 m, a cabinet at 5 m, the door at 10 m, and the dishwasher at 18 m."""

DISHWASHER, CABINET, TABLE = 0, 1, 2
LIVING, KITCHEN = 0, 1


def line(
    things: Mapping[str, int], starts: tuple[float, ...] = (1.0, 1.0), goal: int = 2, goal_place: int = DISHWASHER
) -> HouseholdEpisode:
    """An episode on the line: plates by name with their furniture, and agents at points of the living room."""
    home = read_apartment(LINE)
    placed = tuple(PlacedObject(name, "plate", place) for name, place in things.items())
    at = tuple(Start(LIVING if x <= 10 else KITCHEN, (x, 2.0)) for x in starts)
    return HouseholdEpisode("line", home, "wash dishes", goal_place, (("plate", goal),), placed, at)


@cache
def programs() -> dict[str, Any]:
    """The compiled functions of the engine; all episodes share them."""
    return {name: jax.jit(getattr(dynamics, name)) for name in ("reset", "step", "done")} | {
        "legal": jax.jit(legality.legal),
        "cost": jax.jit(legality.cost),
    }


class Game:
    """One household that is played by hand."""

    def __init__(self, episode: HouseholdEpisode, agents: int = 2, seed: int = 0) -> None:
        self.episode = episode
        self.params = make_params(episode, agents)
        self.key = jax.random.key(seed)
        self.state: State = jax.device_get(programs()["reset"](self.params, self.key))

    @property
    def legal(self) -> np.ndarray:
        return np.asarray(programs()["legal"](self.params, self.state))

    @property
    def cost(self) -> np.ndarray:
        return np.asarray(programs()["cost"](self.params, self.state))

    def tick(self, *chosen: int, messages: Messages | None = None) -> State:
        """Let free agents choose, in order, and play a tick; agents without a choice wait."""
        every = np.array([*chosen, *[options.WAIT] * (4 - len(chosen))], np.int32)
        self.key, key = jax.random.split(self.key)
        told = messages or dynamics.silence()
        self.state = jax.device_get(programs()["step"](self.params, self.state, every, key, told))
        return self.state

    def finish(self, agent: int, option: int, most: int = 60) -> int:
        """Let one agent carry out an option while the others wait; return its ticks."""
        assert self.legal[agent, option], options.kind_of(option)
        for ticks in range(1, most + 1):
            chosen = [options.WAIT] * 4
            chosen[agent] = option
            self.tick(*chosen)
            if not self.state.busy[agent]:
                return ticks
        raise AssertionError(f"{options.kind_of(option)} did not end in {most} ticks")


def cheapest(params: Params, state: State, key: jax.Array) -> jax.Array:
    """Choose the cheapest legal option, `[N]`; ties are drawn. No message is sent."""
    price = legality.cost(params, state) * 64 + jax.random.randint(key, (4, options.COUNT), 0, 64)
    last = jnp.array([options.WAIT, options.SEND])
    price = jnp.where(legality.legal(params, state), price, 1 << 28).at[:, last].set(1 << 27)
    return jnp.argmin(price, axis=1)


def play(params: Params, key: jax.Array, ticks: int) -> tuple[State, tuple[State, jax.Array]]:
    """Play the cheapest options for some ticks.

    Returns:
        The last state, and after each tick the state and what each agent's choice was said to cost before it.
    """

    def tick(state: State, key: jax.Array) -> tuple[State, tuple[State, jax.Array]]:
        draw, use = jax.random.split(key)
        chosen = cheapest(params, state, draw)
        said = jnp.take_along_axis(legality.cost(params, state), chosen[:, None], axis=1)[:, 0]
        state = dynamics.step(params, state, chosen, use)
        return state, (state, said)

    return jax.lax.scan(tick, dynamics.reset(params, key), jax.random.split(key, ticks))
