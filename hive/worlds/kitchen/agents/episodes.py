"""Games of the kitchen for teams of language agents, of one order or several, that step in one batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int

from hive.kit.environment.env import unstack
from hive.kit.keep.dialogue import Line
from hive.worlds.kitchen.agents.agent_env import KitchenAgentEnv, Rulebook
from hive.worlds.kitchen.codes import ActionKind
from hive.worlds.kitchen.controller import drive, remaining
from hive.worlds.kitchen.dynamics import idle, reset, step
from hive.worlds.kitchen.following import completed
from hive.worlds.kitchen.menu import encode
from hive.worlds.kitchen.recording import KitchenRecording, gather
from hive.worlds.kitchen.runs import KitchenRun
from hive.worlds.kitchen.setting import Setting
from hive.worlds.kitchen.snapshot import take_snapshot
from hive.worlds.kitchen.state import Actions, Params, State
from hive.worlds.kitchen.talks import Conversation
from hive.worlds.kitchen.tasks import Task, check_task


class KitchenEpisodes:
    """Games of a kitchen; see `hive.kit.agent_env.Episodes`.

    Attributes:
        envs: One for each game.
        states: For each game its state before each timestep and at the end, on the host.
    """

    def __init__(
        self,
        setting: Setting,
        tasks: Sequence[Task],
        limits: Sequence[int] | None = None,
        seeds: Sequence[int] | None = None,
    ) -> None:
        """Begin all games.

        Args:
            setting: The kitchen.
            tasks: What is ordered in each game; a task may come several times.
            limits: Last timestep at which a delivery counts, for each game; None: those of the tasks.
            seeds: Seed of each game; None: 0, 1, ... for the games of each task.

        Raises:
            UserError: An order cannot be made in this kitchen.
        """
        for task in tasks:
            check_task(task.order, setting.book, setting.layout)
        limits = [task.limit() for task in tasks] if limits is None else limits
        self._setting = setting
        rulebook = Rulebook(setting)
        if seeds is None:
            seeds = [[each.order for each in tasks[:number]].count(task.order) for number, task in enumerate(tasks)]
        self.envs = tuple(
            self._env(rulebook, number, task, limit, seed)
            for number, (task, limit, seed) in enumerate(zip(tasks, limits, seeds, strict=True))
        )
        table = encode(rulebook.validator, rulebook.actions)
        wait: dict[str, Any] = {"kind": ActionKind.WAIT, "item": 0, "place": 0, "left": 1}  # number 0, doing nothing
        self._table: Actions = jax.tree.map(
            lambda first, rest: np.array([first, *np.asarray(rest)]), Actions(**wait), table
        )
        orders = jnp.array([setting.book.code[task.order] for task in tasks], jnp.int32)
        self._state, self._doing = _first(setting.arrays, orders)
        self.states: tuple[list[State], ...] = tuple([] for _ in tasks)
        self._begun: tuple[list[Actions], ...] = tuple([] for _ in tasks)
        for number, state in enumerate(unstack(jax.device_get(self._state))):
            self._look(number, state)

    def step(self, playing: Sequence[int]) -> None:
        """Play one timestep of the games with these numbers; a cook without an action stays."""
        on = np.zeros(len(self.envs), bool)
        on[list(playing)] = True
        new, rows = np.zeros((2, len(self.envs), 2), np.int32)
        for number, env in enumerate(self.envs):
            for cook, action in env.chosen.items():
                new[number, cook], rows[number, cook] = 1, action
        actions = jax.tree.map(lambda column: column[rows], self._table)
        self._state, self._doing, begun = _step(
            self._setting.arrays, self._state, self._doing, actions, new.astype(bool), on
        )
        states, doing, starts = map(unstack, jax.device_get((self._state, self._doing, begun)))
        for number in np.flatnonzero(on).tolist():
            env = self.envs[number]
            self._begun[number].append(starts[number])
            env.advance(completed(self._setting, states[number].completed), bool(states[number].served))
            self._look(number, states[number], tuple((doing[number].kind != ActionKind.NOTHING).tolist()))

    def results(self, env: int) -> Mapping[str, Any]:
        """Return how a game ended, the timestep of its delivery, and what the cooks completed."""
        game = self.envs[env]
        outcome = "delivered" if game.delivery is not None else "timeout" if game.over else "running"
        return {
            "task": game.order.order,
            "outcome": outcome,
            "delivery": game.delivery,
            "limit": game.limit - 1,
            "timesteps": game.tick,
            "histories": {seat.name: [list(each) for each in game.done(n)] for n, seat in enumerate(game.seats)},
        }

    def recording(self, env: int, lines: Sequence[Line] = ()) -> KitchenRecording:
        """Return the recording of a game so far, with what its cooks said."""
        game = self.envs[env]
        states, begun = self.states[env], self._begun[env]
        done = [state.completed for state in states[1:]]
        return gather(self._setting, game.order, states, begun, done, lines, limit=game.limit - 1)

    def _env(self, rulebook: Rulebook, number: int, task: Task, limit: int, seed: int) -> KitchenAgentEnv:
        """Return the game with a number as its cooks know it."""
        return KitchenAgentEnv(rulebook, task, limit, seed)

    def _look(self, number: int, state: State, busy: tuple[bool, ...] = (False, False)) -> None:
        width = self._setting.layout.width
        tiles = tuple((tile % width, tile // width) for tile in np.asarray(state.tile).tolist())
        facings = tuple(np.asarray(state.facing).tolist())
        self.states[number].append(state)
        self.envs[number].look(take_snapshot(self._setting.book, state), tiles, busy, facings)


def run_of(game: KitchenAgentEnv, talks: Sequence[Conversation] = ()) -> KitchenRun:
    """Return a game for the metrics, with the conversations of its cooks."""
    return KitchenRun(
        task=game.order.order,
        level=game.order.level,
        limit=game.limit - 1,
        delivery=game.delivery,
        histories=tuple(tuple(game.done(cook)) for cook in range(len(game.seats))),
        talks=tuple(talks),
    )


@jax.jit
@partial(jax.vmap, in_axes=(None, 0))
def _first(params: Params, order: Int[Array, ""]) -> tuple[State, Actions]:
    return reset(params, order), idle(params)


@jax.jit
@partial(jax.vmap, in_axes=(None, 0, 0, 0, 0, 0))
def _step(
    params: Params,
    state: State,
    doing: Actions,
    actions: Actions,
    new: Bool[Array, " c"],
    playing: Bool[Array, ""],
) -> tuple[State, Actions, Actions]:
    """Play one timestep of the games that are `playing`, where cooks with `new` begin one of `actions`.

    Returns:
        State and actions that go on after it, and actions that were going on in it.
    """
    begun: Actions = jax.tree.map(lambda fresh, old: jnp.where(new, fresh, old), actions, doing)
    after = step(params, state, drive(params, state, begun))
    still = remaining(begun, after.completed)
    kept: tuple[State, Actions] = jax.tree.map(
        lambda now, old: jnp.where(playing, now, old), (after, still), (state, doing)
    )
    return *kept, begun
