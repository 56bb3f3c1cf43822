"""Games with a stream of orders: the cooks deliver one order after another until the time is over.

Rules: docs/rules/kitchen.md 5.3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import jax
import jax.numpy as jnp

from hive.kit.keep.dialogue import Line
from hive.worlds.kitchen.action import NamedAction
from hive.worlds.kitchen.agents.agent_env import REWARD, KitchenAgentEnv, Rulebook
from hive.worlds.kitchen.agents.episodes import KitchenEpisodes
from hive.worlds.kitchen.agents.views import words
from hive.worlds.kitchen.dynamics import take_order
from hive.worlds.kitchen.recording import KitchenRecording
from hive.worlds.kitchen.setting import Setting
from hive.worlds.kitchen.streams import Stream
from hive.worlds.kitchen.tasks import Task


class StreamAgentEnv(KitchenAgentEnv):
    """One game; see `hive.kit.agent_env.PlanAgentEnv`.

    Attributes:
        order: What is ordered now.
        first: What was ordered first.
        deliveries: Timestep, from 0, and order of each correct delivery.
    """

    def __init__(self, rulebook: Rulebook, task: Task, stream: Stream, seed: int) -> None:
        """Begin a game; `look` has to follow."""
        super().__init__(rulebook, task, stream.timesteps - 1, seed)
        self.first, self.deliveries = task, list[tuple[int, str]]()
        self._stream = stream
        self._want(task)

    @property
    def score(self) -> float:
        """`REWARD` for each correct delivery."""
        return REWARD * len(self.deliveries)

    @property
    def over(self) -> bool:
        """Whether the time is over."""
        return self.tick >= self.limit

    def advance(self, completed: Sequence[NamedAction | None], served: bool) -> None:
        """Take what was completed in a timestep; after a delivery the next order comes."""
        tick = self.tick
        super().advance(completed, served=False)
        if served:
            self.deliveries.append((tick, self.order.order))
            self._want(self._stream.following(self.seed, len(self.deliveries)))

    def _want(self, order: Task) -> None:
        self.order = order
        self.task = " ".join(words().fill("Stream", order=order.order, last=self.limit - 1).split())


class StreamEpisodes(KitchenEpisodes):
    """Such games that step in one batch; see `hive.kit.agent_env.Episodes`."""

    def __init__(self, setting: Setting, tasks: Sequence[Task], stream: Stream, seeds: Sequence[int]) -> None:
        """Begin all games.

        Args:
            setting: The kitchen.
            tasks: What is ordered first in each game.
            stream: What follows.
            seeds: Seed of each game, from which its orders follow.

        Raises:
            UserError: An order cannot be made in this kitchen.
        """
        self._stream = stream
        super().__init__(setting, tasks, [stream.timesteps - 1] * len(tasks), seeds)

    def step(self, playing: Sequence[int]) -> None:
        """Play one timestep; where an order was delivered, the next one is to be seen at once."""
        super().step(playing)
        games = [cast(StreamAgentEnv, env) for env in self.envs]
        orders = [self._setting.book.code[game.order.order] for game in games]
        self._state = _take_orders(self._state, jnp.array(orders, jnp.int32))
        for game, order in zip(games, orders, strict=True):
            game.snapshot = replace(game.snapshot, order=order)

    def results(self, env: int) -> Mapping[str, Any]:
        """Return the deliveries, and what the cooks completed."""
        game, found = cast(StreamAgentEnv, self.envs[env]), super().results(env)
        return {
            "task": game.first.order,
            "outcome": "time over" if game.over else "running",
            "deliveries": [list(each) for each in game.deliveries],
            "timesteps": game.tick,
            "histories": found["histories"],
        }

    def recording(self, env: int, lines: Sequence[Line] = ()) -> KitchenRecording:
        """Return the recording of a game so far, with its orders and what its cooks said."""
        game = cast(StreamAgentEnv, self.envs[env])
        orders = (*(order for _, order in game.deliveries), game.order.order)
        return replace(super().recording(env, lines), order=game.first.order, orders=orders)

    def _env(self, rulebook: Rulebook, number: int, task: Task, limit: int, seed: int) -> KitchenAgentEnv:
        return StreamAgentEnv(rulebook, task, self._stream, seed)


_take_orders = jax.jit(jax.vmap(take_order))
