"""Policies in the league: games against plans in both seats, scored by its rules (docs/rules/learning.md 12.3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Int, Key

import dsl
from dsl import UserError
from hive.engine.metrics import survivors
from hive.engine.swapping import to_one_room
from hive.engine.types import ENEMY, OUTCOMES, PLAYER
from hive.experiments.league.games import LeagueGame
from hive.experiments.league.seats import seated
from hive.kit.environment.env import Env, EnvState, LearnerView
from hive.kit.environment.rivals import Rival, RivalSeat, make_rival
from hive.rl.evaluation import PolicyGame, play_games
from hive.rl.policies import Policy
from hive.rl.registry import task
from hive.rl.runs import TrainedRun
from hive.worlds.battle.environment.orders import OrdersEnv, make_orders_env
from hive.worlds.battle.environment.tasks import ordered, orders_options
from hive.worlds.battle.world import Battle


@dataclass(frozen=True)
class Entrant:
    """A policy that orders squads in the battles of a league.

    Attributes:
        world: The battle, with equal seats; see `hive.experiments.league.seats.why_no_mirror`.
        policy: The policy, as a pool of one.
        settings: Those of `make_orders_env` with which it was trained, except the world, the side and the opponent.
    """

    world: Battle
    policy: Rival
    settings: Mapping[str, Any]

    def games(
        self,
        own: int,
        others: Sequence[tuple[int, dsl.PlanSyntax]],
        seeds: Sequence[int],
        written_for: tuple[int, int] | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> list[LeagueGame]:
        """Play against each plan in both seats with all seeds; one program serves all plans in a seat.

        Args:
            own: Index of the policy among the names of the league.
            others: Index and plan of each opponent.
            seeds: Of the games.
            written_for: Team sizes that the plans were written for; None: the scenario's.
            progress: Called with the number of games that have ended.

        Returns:
            The games, seat by seat and opponent by opponent.
        """
        found: list[LeagueGame] = []
        for side in (PLAYER, ENEMY):
            plans = to_one_room([seated(plan, self.world, 1 - side, written_for) for _, plan in others])
            for (other, _), plan in zip(others, plans, strict=True):
                env = make_orders_env(self.world, side=side, plan=plan, **self.settings).replace(facing=None)
                found += self._play(env, (own, other) if side == PLAYER else (other, own), seeds)
                if progress:
                    progress(len(found))
        return found

    def games_against(self, own: int, other: int, opponent: Entrant, seeds: Sequence[int]) -> list[LeagueGame]:
        """Play against another policy in both seats with all seeds; one program serves policies of one network.

        Args:
            own: Index of this policy among the names of the league.
            other: Index of the opponent.
            opponent: The other policy, in the same world.
            seeds: Of the games.

        Raises:
            UserError: See `check_meets`.
        """
        self.check_meets(opponent)
        pairs = ((own, other), self, opponent), ((other, own), opponent, self)
        return [
            game
            for pair, player, enemy in pairs
            for game in player._play(make_orders_env(self.world, rival=enemy.policy, **self.settings), pair, seeds)
        ]

    def check_meets(self, opponent: Entrant) -> None:
        """Refuse an opponent that cannot play against this policy.

        Raises:
            UserError: The policies were trained with different settings of `make_orders_env`.
        """
        if self.settings != opponent.settings:
            raise UserError(
                "two policies can only play each other if they were trained with the same orders and ticks of a step\n"
                "  = help: train them on the same task"
            )

    def _play(self, env: OrdersEnv, pair: tuple[int, int], seeds: Sequence[int]) -> list[LeagueGame]:
        ends = play_games(env, _policy_of(self.policy), seeds, _end)
        return [
            LeagueGame(*pair, int(seed), OUTCOMES[end], int(ticks), (tuple(mine), tuple(theirs)))
            for seed, end, ticks, (mine, theirs) in zip(seeds, *(leaf.tolist() for leaf in ends), strict=True)
        ]


def read_entrant(run: TrainedRun, world: Battle) -> Entrant:
    """Return the first policy of a training run for the battles of a league: its best checkpoint, else its newest.

    Raises:
        UserError: It gives no orders, or its squads would observe something else or have other orders there.
    """
    chosen, own = task(run.task), run.config["task"]
    if not ordered(chosen):
        raise UserError(
            f"{run.folder} was trained on {run.task}, where no orders are given\n"
            "  = help: a league takes policies of tasks whose names begin with `orders_`"
        )
    settings = orders_options(chosen)
    env = make_orders_env(world, **settings)
    for found, what in ((env.observation_size, "features"), (env.num_actions, "actions")):
        if found != own[what]:
            raise UserError(
                f"{run.folder} was trained on {run.task} with {own[what]} {what}, "
                f"and in {world.name} there are {found}\n"
                "  = help: give the scenario of its task with --scenario"
            )
    kept = run.checkpoint()
    params = jax.tree.map(lambda rows: jnp.asarray(rows[0]), kept.params)
    return Entrant(world, make_rival(run.network(kept, env), params), settings)


def _policy_of(rival: Rival) -> Policy:
    """Return the first policy of a pool as a player."""
    return Policy(rival, _begin, _choose)


def _begin(rival: Rival, env: Env) -> RivalSeat:
    return RivalSeat(which=jnp.int32(0), memory=rival.network.initial_memory(agents=env.num_agents))


def _choose(
    rival: Rival, env: Env, seat: RivalSeat, state: EnvState, view: LearnerView, key: Key[Array, ""]
) -> tuple[RivalSeat, Int[Array, " n"]]:
    return rival.act(seat, view, key, state.game.state.tick)


def _end(env: Any, match: PolicyGame) -> tuple[Int[Array, ""], Int[Array, ""], Int[Array, "2 k"]]:
    """Outcome, ticks and live units at the end of a game."""
    game = match.state.game
    return game.outcome, game.state.tick, survivors(env.params, game.state)
