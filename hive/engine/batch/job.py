"""Many games at once: plans x rules x seeds, in compiled batches, by segments so that the host can show progress."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

import jax
import numpy as np

from hive.engine.batch.capacities import Capacities, places_of
from hive.engine.batch.devices import gather, memories, mesh_of, put_own, put_shared
from hive.engine.batch.lanes import Lanes, change, end, go_on, go_on_watched, make_pairs, make_table, start
from hive.engine.batch.result import Result
from hive.engine.episode import Episode, Game
from hive.engine.metrics import Metrics
from hive.engine.plan.arrays import check_units, stack
from hive.engine.recorder import Recorder
from hive.engine.swapping import Turn, in_turn, to_one_room
from hive.engine.types import OUTCOMES, Outcome, Params, Plan, Rules
from hive.engine.world import EngineWorld
from hive.kit.seeds import check_seeds

SEGMENT = 50  # ticks between two progress reports to the host
MOST_AT_ONCE = 1_000_000  # units of one batch in one memory, about 2 GB; more than that goes in several
_LARGE = 512  # cells a side, beyond which no distance map is made that no plan needs
_MOST_CELLS = 500_000_000  # of the distance maps of one batch, also about 2 GB


@dataclass(frozen=True)
class Ends:
    """How games ended, arrays over games `[B]`, as `hive.engine.batch.result.Result` but with codes of outcomes.

    Attributes:
        outcome: `[B]` index into `OUTCOMES`.
        ticks: `[B]`.
        score: `[B]`.
        survivors: `[B, 2, K]`.
        achieved: `[B, P]`, P the steps of the longest plan of the job.
        way: `[B, 2, 2]`.
        seconds: `[B]` wall time of the batch that the game was in.
        metrics: The metrics of each game; empty where they were not asked for.
    """

    outcome: np.ndarray
    ticks: np.ndarray
    score: np.ndarray
    survivors: np.ndarray
    achieved: np.ndarray
    way: np.ndarray
    seconds: np.ndarray
    metrics: tuple[Metrics, ...] = field(default=(), repr=False)

    def arrays(self) -> dict[str, np.ndarray]:
        """All arrays except the metrics, by name; the shapes are those of the attributes."""
        return {each.name: getattr(self, each.name) for each in fields(self) if each.name != "metrics"}


@dataclass(frozen=True)
class Job:
    """Games of plans x rules x seeds, plan-major, split into chunks of equal size that are played one after another.

    Attributes:
        world: What to play on.
        plans: The player's plans.
        names: A name for each plan.
        seeds: `[S]` uint32.
        rules: Rules to change, one mapping for each row; `({},)` changes none.
        devices: Where to play; None: on all devices that JAX sees.
        chunk: Most games of a chunk; None: as many as the memory holds. Chunks are made equally large, and a game's
            result does not depend on its chunk.
        swaps: Tick and plan of each later plan that all games are given, only for a job of one plan; see `play`.
        enemy_swaps: The same for the enemy.
        enemies: The enemy's plan in the games of each plan; None: the scenario's in all games.
        capacities: Of each chunk, which then holds whole plans; None: those that the plans need. With them, `chunk`
            is not read.
        params: The arrays of the world in larger shapes, for which all plans were padded (`hive.engine.padding`); None:
            those of the world. Recorders then see padded rows too.
    """

    world: EngineWorld
    plans: Sequence[Plan]
    names: Sequence[str]
    seeds: np.ndarray
    rules: Sequence[Mapping[str, float]] = ({},)
    devices: Sequence[jax.Device] | None = None
    chunk: int | None = None
    swaps: Sequence[tuple[int, Plan]] = ()
    enemy_swaps: Sequence[tuple[int, Plan]] = ()
    enemies: Sequence[Plan] | None = None
    capacities: Capacities | None = None
    params: Params | None = None

    def __post_init__(self) -> None:
        """Check the plans.

        Raises:
            UserError: A plan was read for another number of units.
            ValueError: `enemies` has not one plan for each of `plans`.
        """
        count = self._own.count
        later = (plan for _, plan in (*self.swaps, *self.enemy_swaps))
        all_plans = (*self.plans, *later, *(self.enemies or ()))
        for plan in all_plans:
            check_units(plan, count)
        if self.enemies is not None and len(self.enemies) != len(self.plans):
            raise ValueError(f"there are {len(self.plans)} plans and {len(self.enemies)} plans of the enemy")

    @cached_property
    def games(self) -> int:
        """Number of games."""
        return math.prod(self._shape)

    @cached_property
    def _rows(self) -> int:
        """The plans of one chunk with capacities: as many as the memory holds; 0 without any."""
        if self.capacities is None:
            return 0
        most = MOST_AT_ONCE * memories(self._mesh) // (self._own.count * math.prod(self._shape[1:]))
        return max(1, min(self.capacities.plans, most))

    @cached_property
    def chunks(self) -> list[np.ndarray]:
        """Numbers `[B]` of the B games of each chunk."""
        if self.capacities is not None:
            row = math.prod(self._shape[1:])
            cut = replace(self.capacities, plans=self._rows).batches(self.plans, self.enemies)
            return [np.arange(plans.start * row, plans.stop * row) for plans in cut]
        places = np.unique(np.concatenate([np.asarray(plan.place) for plan in self.plans]), axis=0)
        cells = len(places) * self._own.terrain.size**2
        most = self.chunk or max(1, MOST_AT_ONCE // self._own.count) * memories(self._mesh)
        number = max(-(-self.games // most), min(-(-cells // _MOST_CELLS), len(self.plans)))
        size = -(-self.games // number)
        return [np.arange(first, min(first + size, self.games)) for first in range(0, self.games, size)]

    def play(
        self,
        number: int,
        tell: Callable[[int, np.ndarray], None] | None = None,
        *,
        watched: bool = False,
        recorder: Recorder | None = None,
    ) -> Ends:
        """Play one chunk.

        Args:
            number: Index of the chunk, from 0.
            tell: Called every `SEGMENT` ticks with the tick reached and the games' outcomes so far `[B]`, as codes.
            watched: Whether to keep the metrics of every tick.
            recorder: Records the first game of the chunk.

        Returns:
            The outcomes of its games.
        """
        began = time.perf_counter()
        params, orders, lanes, steps = self._deal(number)
        games = start(self._mesh, params, orders, lanes)
        reached, logs = 0, []
        watch = recorder.watch if recorder else None
        for turn, (plan, enemy, last, begins) in enumerate(self._turns):
            if turn:
                orders = self._orders([plan], [enemy] if enemy else [])
                games = change(self._mesh, params, orders, lanes, games, np.array(begins))
            running, new = True, 0  # the first row of a segment is the last of the one before
            while running:
                reached = min(reached + SEGMENT, last)
                if watched:
                    until = np.int32(last)
                    games, *log, shown = go_on_watched(self._mesh, params, orders, lanes, games, SEGMENT, until, watch)
                    logs.append(gather(log))
                    if recorder:
                        rows = slice(new, logs[-1][1][0] + 1)
                        recorder.take(turn, jax.tree.map(lambda leaf, rows=rows: leaf[0, rows], gather(shown)))
                        new = 1
                else:
                    games = go_on(self._mesh, params, orders, lanes, games, np.int32(reached))
                outcome, tick = gather((games.outcome, games.state.tick))
                running = bool(((outcome == Outcome.RUNNING) & (tick < last)).any())
                if tell:
                    tell(reached, outcome[: self.chunks[number].size])
        metrics = tuple(_of_game(logs, game) for game in range(self.chunks[number].size)) if logs else ()
        if metrics and all(len(each.tick) for each in metrics):
            ends = _last(games, metrics, steps)
        else:  # nothing was measured of a game that was over before its first tick
            ends = gather(end(self._mesh, params, orders, lanes, games, steps))
        return self._cut_to(number, ends, metrics, time.perf_counter() - began)

    def collect(self, parts: Sequence[Ends]) -> list[Result]:
        """Return the results of all chunks, one for each plan and row of rules."""
        merged = {name: np.concatenate([part.arrays()[name] for part in parts]) for name in parts[0].arrays()}
        metrics = [each for part in parts for each in part.metrics]
        count = len(self.seeds)
        cells = [(plan, row) for plan in range(len(self.plans)) for row in range(len(self.rules))]
        results = []
        for cell, (plan, row) in enumerate(cells):
            own = slice(cell * count, (cell + 1) * count)
            results.append(
                Result(
                    scenario=self.world.name,
                    plan=self.names[plan],
                    seed=self.seeds,
                    outcome=names_of(merged["outcome"][own]),
                    ticks=merged["ticks"][own],
                    score=merged["score"][own],
                    score_is=self.world.score_is,
                    survivors=merged["survivors"][own],
                    way=merged["way"][own],
                    achieved=merged["achieved"][own, : int(np.asarray(self._at_last[plan].exists).sum())],
                    seconds=sum(dict.fromkeys(merged["seconds"][own].tolist())),
                    metrics=tuple(metrics[own]),
                    types=self.world.unit_types,
                    rules=self.rules[row],
                )
            )
        return results

    def _deal(self, number: int) -> tuple[Any, Any, Lanes, int]:
        """Return the arrays of a chunk, on its devices, and the capacity of its plans; all chunks have one shape."""
        which = self.chunks[number]
        plan, rules, seed = np.unravel_index(which, self._shape)
        used, row = np.unique(plan, return_inverse=True)
        rest = math.prod(self._shape[1:])
        most = self._rows or max(1 + np.ptp(chunk // rest) for chunk in self.chunks)
        plans, enemies = self._padded, self._padded_enemies
        if self.swaps or self.enemy_swaps:
            first = self._turns[0]
            plans, enemies = [first.player], [first.enemy] if first.enemy else []
        rows = np.pad(used, (0, most - used.size), mode="edge")
        size = self._rows * rest or self.chunks[0].size
        fill = (0, -(-size // self._mesh.size) * self._mesh.size - which.size)
        columns: dict[str, Any] = {
            "seed": np.pad(self.seeds[seed], fill),
            "plan": np.pad(row.astype(np.int32), fill),
            "rules": np.pad(rules.astype(np.int32), fill),
            "real": np.pad(np.ones(which.size, bool), fill),
        }
        lanes = Lanes(**columns)
        orders = self._orders([plans[at] for at in rows], [enemies[at] for at in rows] if enemies else [])
        return self._params, orders, put_own(self._mesh, lanes), plans[0].exists.shape[0]

    def _orders(self, plans: Sequence[Plan], enemies: Sequence[Plan]) -> Any:
        """Return the orders of rows of plans, against the enemy's plans of the same rows or the scenario's."""
        stacked = stack(plans, self._places)
        if not enemies:
            return put_shared(self._mesh, make_table(self._own, stacked))
        params = self._own.replace(enemy=None)  # whose shape differs between battles
        return put_shared(self._mesh, make_pairs(params, stacked, stack(enemies, self._places)))

    @cached_property
    def _padded(self) -> list[Plan]:
        """The plans with common capacities, so that chunks of small ones share the program of the others."""
        return self._pad(self.plans)

    @cached_property
    def _padded_enemies(self) -> list[Plan]:
        return self._pad(self.enemies or ())

    def _pad(self, plans: Sequence[Plan]) -> list[Plan]:
        if self.capacities is not None:
            return self.capacities.pad(plans)
        least = {"places": 1} if self._own.terrain.size > _LARGE else {}
        return to_one_room(plans, **least) if plans else []

    @cached_property
    def _places(self) -> int:
        """The most distinct targets of the plans of one side of one chunk."""
        if self.capacities is not None:
            return self.capacities.places
        row = math.prod(self._shape[1:])
        sides = [[places_of(plan) for plan in side] for side in (self.plans, self.enemies or ())]
        spans = [slice(chunk[0] // row, chunk[-1] // row + 1) for chunk in self.chunks]
        return max(len(set().union(*known[span])) for known in sides for span in spans)

    def _cut_to(self, number: int, ends: Any, metrics: tuple[Metrics, ...], seconds: float) -> Ends:
        size = self.chunks[number].size
        most = max(int(np.asarray(plan.exists).sum()) for plan in self._at_last)
        achieved = ends.achieved[:size, :most]
        return Ends(
            outcome=ends.outcome[:size],
            ticks=ends.ticks[:size],
            score=ends.score[:size],
            survivors=ends.survivors[:size],
            way=ends.way[:size],
            achieved=np.pad(achieved, ((0, 0), (0, most - achieved.shape[1])), constant_values=-1),
            seconds=np.full(size, seconds),
            metrics=metrics,
        )

    @cached_property
    def _params(self) -> Any:
        params = self._own
        base = {name: np.asarray(getattr(params.rules, name)) for name in Rules.__dataclass_fields__}
        table: dict[str, Any] = {
            name: np.array([row.get(name, one) for row in self.rules], one.dtype) for name, one in base.items()
        }
        enemy = self._turns[0].enemy if self.enemy_swaps else None
        return put_shared(self._mesh, params.replace(rules=Rules(**table), enemy=enemy or params.enemy))

    @cached_property
    def _mesh(self) -> Any:
        return mesh_of(self.devices)

    @cached_property
    def _turns(self) -> list[Turn]:
        return in_turn(self.plans[0], self.swaps, self._own.enemy, self.enemy_swaps)

    @property
    def _own(self) -> Params:
        return self.world.params if self.params is None else self.params

    @property
    def _at_last(self) -> Sequence[Plan]:
        return [self.swaps[-1][1]] if self.swaps else self.plans

    @property
    def _shape(self) -> tuple[int, int, int]:
        return len(self.plans), len(self.rules), len(self.seeds)


def seeds_of(seeds: Sequence[int]) -> np.ndarray:
    """Return seeds as an array `[S]` of uint32.

    Raises:
        UserError: There is no seed, or one is not a whole number from 0 to 2^32 - 1.
    """
    check_seeds(seeds)
    return np.asarray(seeds, np.uint32)


def names_of(codes: np.ndarray) -> tuple[str, ...]:
    """Return the names of outcomes from their codes `[B]`."""
    return tuple(OUTCOMES[code] for code in codes)


def _last(games: Game, metrics: Sequence[Metrics], steps: int) -> Any:
    """Return what `end` does, from the last metrics of each game: one program less to compile."""
    outcome, ticks, way, achieved = gather((games.outcome, games.state.tick, games.way, games.progress.achieved))
    last: Any = {name: np.array([getattr(each, name)[-1] for each in metrics]) for name in ("score", "alive")}
    ends: Any = {"outcome": outcome, "ticks": ticks, "way": way, "achieved": achieved[:, :steps], "game": None}
    return Episode(score=last["score"], survivors=last["alive"], **ends)


def _of_game(logs: Sequence[tuple[Metrics, np.ndarray]], game: int) -> Metrics:
    parts = [jax.tree.map(lambda leaf, n=rows[game]: leaf[game][:n], log) for log, rows in logs]
    return jax.tree.map(lambda *leaves: np.concatenate(leaves), *parts)
