"""Policies in the league: games against plans in both seats, counted as there (docs/rules/learning.md 12.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Int, Key

import dsl
from dsl import UserError
from hive.battle.world import Battle
from hive.engine.metrics import survivors
from hive.engine.swapping import to_one_room
from hive.league.games import Game
from hive.league.seats import seated
from hive.rl.env import reset, step
from hive.rl.networks import memory_size
from hive.rl.orders import OrdersEnv, make_orders_env
from hive.rl.rivals import Rival, make_rival
from hive.rl.runs import TrainedRun
from hive.rl.tasks import task
from hive.types import ENEMY, OUTCOMES, PLAYER, Outcome


@dataclass(frozen=True)
class Entrant:
    """A policy that orders squads in the battles of a league.

    Attributes:
        world: The battle, with equal seats; see `hive.league.seats.why_no_mirror`.
        policy: The policy, or a pool of which each game draws one.
        settings: Those of `make_orders_env` with which it was trained, except the world, the side and the opponent.
    """

    world: Battle
    policy: Rival
    settings: Mapping[str, Any]

    def games(
        self,
        own: int,
        others: Sequence[tuple[int, dsl.Plan]],
        seeds: Sequence[int],
        written_for: tuple[int, int] | None = None,
    ) -> list[Game]:
        """Play against each plan in both seats with all seeds.

        Args:
            own: Index of the policy among the names of the league.
            others: Index and plan of each opponent.
            seeds: Of the games.
            written_for: Team sizes that the plans were written for; None: the scenario's.

        Returns:
            The games, seat by seat and opponent by opponent.
        """
        keys = jax.vmap(jax.random.key)(jnp.asarray(np.array(seeds, np.uint32)))
        found = []
        for side in (PLAYER, ENEMY):
            plans = to_one_room([seated(plan, self.world, 1 - side, written_for) for _, plan in others])
            for (other, _), plan in zip(others, plans, strict=True):
                env = make_orders_env(self.world, side=side, plan=plan, **self.settings)
                pair = (own, other) if side == PLAYER else (other, own)
                for seed, end, ticks, left in zip(seeds, *jax.device_get(_finish(env, self.policy, keys)), strict=True):
                    mine, theirs = (tuple(row) for row in left.tolist())
                    found.append(Game(*pair, int(seed), OUTCOMES[end], int(ticks), (mine, theirs)))
        return found


def read_entrant(run: TrainedRun, world: Battle) -> Entrant:
    """Return the first policy of a training run for the battles of a league.

    Raises:
        UserError: It gives no orders, or its squads would observe something else or have other orders there.
    """
    chosen, trainer = task(run.task), run.trainer
    if chosen.orders is None:
        raise UserError(
            f"{run.folder} was trained on {run.task}, where no orders are given\n"
            "  = help: a league takes policies of tasks whose names begin with `orders_`"
        )
    settings = {**chosen.orders, "nearest": chosen.nearest}
    env, config = make_orders_env(world, **settings), trainer.config
    for what in ("features", "actions"):
        if getattr(env, what) != getattr(trainer.env, what):
            raise UserError(
                f"{run.folder} was trained on {run.task} with {getattr(trainer.env, what)} {what}, "
                f"and in {world.name} there are {getattr(env, what)}\n"
                "  = help: give the scenario of its task with --scenario"
            )
    params = jax.tree.map(lambda rows: jnp.asarray(rows[0]), run.params())
    if trainer.algorithm == "mappo":
        network, params = trainer.module.networks_of(env, config)[0], params[0]
    else:
        network = trainer.module.network_of(env, config)
    memory = memory_size(config.width, bool(config.recurrent))
    return Entrant(world, make_rival(network, params, memory=memory), settings)


@jax.jit
def _finish(
    env: OrdersEnv, policy: Rival, keys: Key[Array, " b"]
) -> tuple[Int[Array, " b"], Int[Array, " b"], Int[Array, "b 2 k"]]:
    """Outcome, ticks and live units at the end of the games with these keys."""

    def game(key: Key[Array, ""]) -> tuple[Array, Array, Array]:
        def on(carry: tuple[Any, ...]) -> tuple[Any, ...]:
            play, view, seat = carry
            seat, actions = policy.act(seat, view, key, play.game.state.tick)
            play, turn = step(env, play, actions)
            return play, turn.view, seat

        start = (*reset(env, key), policy.sit(key, env.agents))
        play, _, _ = lax.while_loop(lambda carry: carry[0].game.outcome == Outcome.RUNNING, on, start)
        return play.game.outcome, play.game.state.tick, survivors(env.params, play.game.state)

    return jax.vmap(game)(keys)
