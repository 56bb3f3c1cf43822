"""Many games at once: one compiled batch over seeds, played in segments so that the host can show progress."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Key

from hive.assembly import World
from hive.episode import Episode, Game, advance_watched, begin, finish
from hive.metrics import Metrics, measure
from hive.plan.arrays import STACKED, make_orders, stack
from hive.types import OUTCOMES, RUNNING, SIDES, Orders, Params, Plan
from hive.units.decide import Decision
from hive.units.leaves import UNIT_TYPES

SEGMENT = 50  # ticks between two looks of the host
MOST_AT_ONCE = 1_000_000  # plans x seeds x units of one batch, about 2 GB; more than that goes in several

SCORE_IS = {"elimination": "share of enemies eliminated", "position": "metres from the objective, lower is better"}
ENDS = (*OUTCOMES[1:], "invalid_plan", "no_plan")
Progress = Callable[[int, Sequence[str]], None]


@dataclass(frozen=True)
class Result:
    """Games of one plan, arrays over games `[B]`.

    Attributes:
        scenario: Name of the scenario.
        plan: Name of the plan.
        seed: `[B]`.
        outcome: `[B]` names of `ENDS`.
        ticks: `[B]` length of each game.
        score: `[B]` share of enemies dead, or metres of the nearest live unit from the objective (lower is better,
            infinite when all are dead).
        score_is: What the score measures.
        survivors: `[B, 2, K]` live units at the end by side and type.
        achieved: `[B, P]` tick at which each step of the plan was achieved, -1 if never.
        seconds: Wall time, compilation included.
        metrics: For each game the metrics of every tick, leaves `[ticks, ...]`.
    """

    scenario: str
    plan: str
    seed: np.ndarray
    outcome: tuple[str, ...]
    ticks: np.ndarray
    score: np.ndarray
    score_is: str
    survivors: np.ndarray
    achieved: np.ndarray
    seconds: float
    metrics: tuple[Metrics, ...] = field(repr=False)

    @property
    def outcomes(self) -> dict[str, int]:
        """Number of games with each end."""
        return {end: self.outcome.count(end) for end in ENDS}

    def json(self) -> dict[str, Any]:
        """Summary and games in plain values; an infinite score is None."""
        return {
            "scenario": self.scenario,
            "plan": self.plan,
            "games": len(self.seed),
            "outcomes": self.outcomes,
            "score": {"is": self.score_is} | _spread(self.score),
            "ticks": _spread(self.ticks),
            "seconds": round(self.seconds, 3),
            "results": [
                {
                    "seed": int(self.seed[game]),
                    "outcome": self.outcome[game],
                    "ticks": int(self.ticks[game]),
                    "score": _plain(self.score[game]),
                    "survivors": {side: self._by_type(game, number) for number, side in enumerate(SIDES)},
                    "achieved": [int(tick) if tick >= 0 else None for tick in self.achieved[game]],
                }
                for game in range(len(self.seed))
            ],
        }

    def table(self) -> str:
        """One line a game and a line of totals, for a person."""
        head = _LINE.format("seed", "outcome", "ticks", "score", "player", "enemy")
        return "\n".join([head, *self.rows(), self.total()])

    def rows(self) -> list[str]:
        """The lines of the table, one a game."""
        left = self.survivors.sum(2)
        columns = zip(self.seed, self.outcome, self.ticks, self.score, left[:, 0], left[:, 1], strict=True)
        return [_LINE.format(seed, end, ticks, f"{score:.3g}", *sides) for seed, end, ticks, score, *sides in columns]

    def total(self) -> str:
        """What came of all games, in one line."""
        ends = ", ".join(f"{count} {end.replace('_', ' ')}" for end, count in self.outcomes.items() if count)
        games = f"{len(self.seed)} game{'' if len(self.seed) == 1 else 's'}"
        return f"{games}: {ends}; score ({self.score_is}): mean {np.mean(self.score):.3g}"

    def _by_type(self, game: int, side: int) -> dict[str, int]:
        return {name: int(left) for name, left in zip(UNIT_TYPES, self.survivors[game, side], strict=True) if left}


_LINE = "{:>8}  {:<13} {:>6} {:>8} {:>8} {:>8}"


def _plain(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _spread(values: np.ndarray) -> dict[str, float | None]:
    return {"mean": _plain(values.mean()), "min": _plain(values.min()), "max": _plain(values.max())}


def play(world: World, plan: Plan, seeds: Sequence[int], *, name: str = "", progress: Progress | None = None) -> Result:
    """Play one plan with many seeds, as one compiled batch, or as several where one would hold too many units.

    Args:
        world: What to play on, from `hive.load`.
        plan: The player's plan, from `hive.read_plan` for this very world.
        seeds: One game each, 0 to 2^32 - 1; at least one.
        name: Name of the plan, for the result.
        progress: Called every `SEGMENT` ticks with the tick that the batch has reached and the outcome of each game so
            far, `running` or a name of `ENDS`.

    Returns:
        The games, in the order of the seeds. A game's result does not depend on the others.

    Raises:
        ValueError: There is no seed, or one is no whole number in that range, or the plan is another world's.
    """
    if not len(seeds):
        raise ValueError("play needs at least one seed")
    batches = batches_of(1, len(seeds), world.params.count)
    return join([play_many(world, [plan], seeds[some], names=[name], progress=progress)[0] for _, some in batches])


def play_many(
    world: World,
    plans: Sequence[Plan],
    seeds: Sequence[int],
    *,
    names: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> list[Result]:
    """Play several plans with the same seeds, as one compiled batch of plans times seeds.

    The plans may differ in their capacities (`stack` pads them), and they share the distance maps of their targets.

    Args:
        world: What to play on.
        plans: Plans of the player; at least one.
        seeds: As for `play`.
        names: Names of the plans, for the results.
        progress: As for `play`; the outcomes are those of the first plan's games, then of the second's, and so on.

    Returns:
        A result for each plan, the same games as `play` gives. `seconds` is the wall time of the whole batch.

    Raises:
        ValueError: There is no plan or no seed, or one of them does not fit.
    """
    if not len(plans) or not len(seeds):
        raise ValueError("a batch needs at least one plan and one seed")
    if not all(seed == int(seed) and 0 <= seed < 2**32 for seed in seeds):
        raise ValueError("a seed is a whole number from 0 to 2^32 - 1")
    began = time.perf_counter()
    params = world.params
    if any(plan.foe.shape[-1] != params.count for plan in plans):
        raise ValueError(f"a plan was read for another number of units: read it for this world of {params.count}")
    stacked = stack(plans)
    orders = _orders(params, stacked)
    keys = _keys(jnp.asarray(np.asarray(seeds, np.uint32)))
    games = _begin(params, orders, keys)
    logs: list[tuple[Metrics, np.ndarray]] = []
    running = True
    while running:
        games, log, rows = _advance(params, orders, games, keys)
        logs.append((jax.tree.map(np.asarray, log), np.asarray(rows)))
        running = bool((games.outcome == RUNNING).any())
        if progress:
            progress(int(games.state.tick.max()), _names(games.outcome.reshape(-1)))
    ends: Any = jax.tree.map(np.asarray, _finish(params, orders, games, stacked.exists.shape[1]))
    seconds = time.perf_counter() - began
    return [
        Result(
            scenario=world.name,
            plan=names[number] if names else "",
            seed=np.asarray(seeds, np.uint32),
            outcome=_names(ends.outcome[number]),
            ticks=ends.ticks[number],
            score=ends.score[number],
            score_is=SCORE_IS[world.scenario.player.objective.kind],
            survivors=ends.survivors[number],
            achieved=ends.achieved[number][:, : int(plan.exists.sum())],
            seconds=seconds,
            metrics=tuple(_of_game(logs, (number, game)) for game in range(len(seeds))),
        )
        for number, plan in enumerate(plans)
    ]


def batches_of(plans: int, seeds: int, units: int) -> list[tuple[slice, slice]]:
    """Cut plans times seeds into batches of at most `MOST_AT_ONCE` units: (plans, seeds) of each.

    All seeds of a plan stay together where they fit. A single game may be larger, and is a batch of its own.
    """
    games = max(1, MOST_AT_ONCE // units)
    tall, wide = max(1, games // seeds), min(seeds, games)
    return [
        (slice(plan, plan + tall), slice(seed, seed + wide))
        for plan in range(0, plans, tall)
        for seed in range(0, seeds, wide)
    ]


def join(parts: Sequence[Result]) -> Result:
    """Games of one plan, played in several batches, as one result."""
    first = parts[0]
    if len(parts) == 1:
        return first
    arrays: dict[str, Any] = {
        name: np.concatenate([getattr(part, name) for part in parts])
        for name in ("seed", "ticks", "score", "survivors", "achieved")
    }
    return replace(
        first,
        outcome=tuple(end for part in parts for end in part.outcome),
        seconds=sum(part.seconds for part in parts),
        metrics=tuple(each for part in parts for each in part.metrics),
        **arrays,
    )


def unplayed(world: World, name: str, seeds: Sequence[int], end: str) -> Result:
    """The games of a plan that could not be played: `end` is `invalid_plan` or `no_plan`, and no game has a score."""
    number = len(seeds)
    return Result(
        scenario=world.name,
        plan=name,
        seed=np.asarray(seeds, np.uint32),
        outcome=(end,) * number,
        ticks=np.zeros(number, np.int32),
        score=np.full(number, np.nan),
        score_is=SCORE_IS[world.scenario.player.objective.kind],
        survivors=np.zeros((number, len(SIDES), len(UNIT_TYPES)), np.int32),
        achieved=np.zeros((number, 0), np.int32),
        seconds=0.0,
        metrics=(),
    )


def _names(codes: Array) -> tuple[str, ...]:
    return tuple(OUTCOMES[code] for code in np.asarray(codes))


def _of_game(logs: Sequence[tuple[Metrics, np.ndarray]], game: tuple[int, int]) -> Metrics:
    parts = [jax.tree.map(lambda leaf, n=rows[game]: leaf[game][:n], log) for log, rows in logs]
    return jax.tree.map(lambda *leaves: np.concatenate(leaves), *parts)


def _watch(params: Params, orders: Orders, game: Game, decision: Decision) -> Metrics:
    del decision
    return measure(params, orders, game.progress, game.state)


_SHARED: dict[str, Any] = {"distance": None, "owner": None}
_AXES = Orders(plan=STACKED, **_SHARED)  # of orders for several plans

_keys = jax.jit(jax.vmap(jax.random.key))
_orders = jax.jit(jax.vmap(make_orders, (None, STACKED), _AXES))
_begin = jax.jit(jax.vmap(jax.vmap(begin, (None, None, 0)), (None, _AXES, None)))


@partial(jax.jit, donate_argnums=2)
def _advance(params: Params, orders: Orders, games: Game, keys: Key[Array, " b"]) -> tuple[Game, Metrics, Array]:
    def one(orders: Orders, game: Game, key: Key[Array, ""]) -> tuple[Game, Metrics, Array]:
        return advance_watched(params, orders, game, key, _watch, SEGMENT)

    return jax.vmap(jax.vmap(one, (None, 0, 0)), (_AXES, 0, None))(orders, games, keys)


@partial(jax.jit, static_argnums=3)
def _finish(params: Params, orders: Orders, games: Game, steps: int) -> Episode:
    def one(orders: Orders, game: Game) -> Episode:
        return finish(params, orders, game, steps)

    return jax.vmap(jax.vmap(one, (None, 0)), (_AXES, 0))(orders, games)
