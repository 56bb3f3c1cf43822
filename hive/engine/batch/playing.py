"""One plan with many seeds, or several plans and rules with the same seeds, each as one compiled batch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import jax
import numpy as np

from dsl import UserError
from dsl.vocabulary import SIDES
from hive.engine.batch.capacities import Capacities
from hive.engine.batch.job import Ends, Job, names_of, seeds_of
from hive.engine.batch.result import GameProgress, Result
from hive.engine.batch.sweep import Sweep
from hive.engine.ending import Ending, explain_end, steps_at_end
from hive.engine.padding import pad_plan_units
from hive.engine.recorder import Recorder
from hive.engine.types import ENEMY, PLAYER, Outcome, Params, Plan
from hive.engine.world import EngineWorld


def play(
    world: EngineWorld,
    plan: Plan,
    seeds: Sequence[int],
    *,
    name: str = "",
    swaps: Sequence[tuple[int, Plan]] = (),
    enemy_swaps: Sequence[tuple[int, Plan]] = (),
    progress: GameProgress | None = None,
    devices: Sequence[jax.Device] | None = None,
    recorder: Recorder | None = None,
    params: Params | None = None,
) -> Result:
    """Play one plan with many seeds.

    The games run as one compiled batch, or as several where one would not fit the memory. Results are deterministic:
    a game depends on its plan and seed alone, bit for bit, not on the other games or the number of devices.

    Args:
        world: What to play on, from `hive.load`.
        plan: The player's plan, from `hive.read_plan` for this same world.
        seeds: One game each, 0 to 2^32 - 1; at least one.
        name: Name of the plan, for the results.
        swaps: Tick and plan of each later plan, in the order of time. A game gets the plan at that tick, or earlier if
            its current plan is finished. `Result.achieved` is that of the last plan.
        enemy_swaps: The same for the enemy, whose plans are read with `side=ENEMY`; one at tick 0 takes the place of
            the scenario's.
        progress: Called every `hive.engine.batch.job.SEGMENT` ticks with the tick that the current batch has reached
            and the outcome of every game so far, `running` or a name of `ENDS`; later batches count as running.
        devices: Where to play; None: on all devices that JAX sees, those of other processes included.
        recorder: Records the game of the first seed while it is played, see `hive.engine.recorder.Recorder`;
            `hive.record` is simpler.
        params: The arrays of the world in larger shapes (`hive.engine.padding`), so that games of several worlds share
            their programs; None: as they are. Recorders then see padded rows too.

    Returns:
        The games in the order of the seeds, with the metrics of every tick.

    Raises:
        TypeError: `plan` is no plan; `hive.sweep` plays a list of them.
        UserError: There is no seed, a seed is not a whole number in that range, or a plan was read for another number
            of units or for the other side.
        ValueError: `swaps` are out of order.
    """
    if not isinstance(plan, Plan):
        raise TypeError("hive.play takes one plan, as from hive.read_plan; hive.sweep takes a list of plans")
    _check_sides(world, [plan, *(each for _, each in swaps)], [each for _, each in enemy_swaps])
    first, later, enemies = plan, swaps, enemy_swaps
    if params is not None:
        first = pad_plan_units(plan, params.count)
        later, enemies = (
            [(tick, pad_plan_units(each, params.count)) for tick, each in own] for own in (swaps, enemies)
        )
    job = _job(world, [first], [name], seeds, [{}], devices, later, enemies, params=params)
    result = job.collect(_play_all(job, progress, watched=True, recorder=recorder))[0]
    return replace(result, endings=_endings(world, swaps[-1][1] if swaps else plan, result))


def play_recorded(
    world: EngineWorld,
    plan: Plan,
    seed: int,
    recorder: Recorder,
    *,
    swaps: Sequence[tuple[int, Plan]] = (),
    enemy_swaps: Sequence[tuple[int, Plan]] = (),
    progress: GameProgress | None = None,
) -> None:
    """Play one game, on one device of this process, so that a recorder keeps it.

    Args:
        world: As in `play`, and so are the other arguments.
        plan: The player's plan.
        seed: Of the game.
        recorder: What keeps it, made for these plans.
        swaps: As in `play`.
        enemy_swaps: As in `play`.
        progress: As in `play`.

    Raises:
        UserError: As in `play`.
        ValueError: As in `play`.
    """
    one = jax.local_devices()[:1]
    play(world, plan, [seed], swaps=swaps, enemy_swaps=enemy_swaps, progress=progress, devices=one, recorder=recorder)


def sweep(
    world: EngineWorld,
    plans: Sequence[Plan],
    seeds: Sequence[int],
    *,
    names: Sequence[str] | None = None,
    rules: Mapping[str, Sequence[float]] | None = None,
    progress: GameProgress | None = None,
    devices: Sequence[jax.Device] | None = None,
    enemies: Sequence[Plan] | None = None,
    capacities: Capacities | None = None,
) -> Sweep:
    """Play several plans, each with every combination of rules, with the same seeds.

    Args:
        world: What to play on, from `hive.load`.
        plans: The player's plans; at least one. They may differ in their capacities, and share the distance maps of
            their targets.
        seeds: One game each for every plan and combination, 0 to 2^32 - 1; at least one.
        names: A name for each plan, for the results.
        rules: Values to try for rules of the scenario, by name.
        progress: As in `play`.
        devices: As in `play`.
        enemies: The enemy's plan in the games of each plan, from `hive.read_plan` with `side=ENEMY`; None: the
            scenario's in all games.
        capacities: Of the batches. With the same capacities, world and number of seeds, other plans compile nothing.

    Returns:
        A result for each plan and combination of rules, without metrics.

    Raises:
        UserError: There is no such rule, a value is out of its range, there is no seed, a seed is not a whole number in
            its range, or a plan was read for another number of units or for the other side.
        ValueError: There is no plan, a plan has no name or no enemy, or a plan does not fit them.
    """
    if isinstance(plans, Plan):
        raise TypeError("hive.sweep takes a list of plans, as from hive.read_plan; hive.play takes one plan")
    plans = list(plans)
    _check_sides(world, plans, enemies or ())
    if names is None:
        names = [""] * len(plans)
    if isinstance(names, str) or len(names) != len(plans):
        raise ValueError("each plan has one name")
    job = _job(
        world, plans, names, seeds, world.rule_rows(rules or {}), devices, enemies=enemies, capacities=capacities
    )
    parts = _play_all(job, progress)
    return Sweep(tuple(job.collect(parts)), sum(part.seconds[0] for part in parts))


def _check_sides(world: EngineWorld, mine: Iterable[Plan], theirs: Iterable[Plan]) -> None:
    """Check that plans of the right number of units command the units of their side.

    Raises:
        UserError: One was read for the other side.
    """
    first = world.sizes[PLAYER]
    for side, plans in ((PLAYER, mine), (ENEMY, theirs)):
        for plan in plans:
            member = np.asarray(plan.member)
            others = member[:, first:] if side == PLAYER else member[:, :first]
            if member.shape[1] == sum(world.sizes) and (others >= 0).any():
                raise UserError(
                    f"a plan of the {SIDES[side]} was read for the {SIDES[1 - side]}\n"
                    f"  = help: hive.read_plan(text, world, side={side}) reads it for the {SIDES[side]}"
                )


def _endings(world: EngineWorld, plan: Plan, result: Result) -> tuple[Ending, ...]:
    """Return why each game ended; empty for a plan without its source, whose steps have no names.

    The advice after a win is to play other seeds, so it is given only where one was played.
    """
    if plan.source is None:
        return ()
    found = [
        explain_end(world, outcome, int(ticks), alive, steps_at_end(plan.source, achieved))
        for outcome, ticks, alive, achieved in zip(
            result.outcome, result.ticks, result.survivors.tolist(), result.achieved, strict=True
        )
    ]
    several = len(found) > 1
    return tuple(replace(each, advice="") if several and each.outcome == "win" else each for each in found)


def _job(
    world: EngineWorld,
    plans: Sequence[Plan],
    names: Sequence[str],
    seeds: Sequence[int],
    rules: Sequence[Mapping[str, float]],
    devices: Sequence[jax.Device] | None,
    swaps: Sequence[tuple[int, Plan]] = (),
    enemy_swaps: Sequence[tuple[int, Plan]] = (),
    enemies: Sequence[Plan] | None = None,
    capacities: Capacities | None = None,
    params: Params | None = None,
) -> Job:
    if not plans:
        raise ValueError("a batch needs at least one plan")
    return Job(
        world,
        plans,
        names,
        seeds_of(seeds),
        rules,
        devices,
        swaps=swaps,
        enemy_swaps=enemy_swaps,
        enemies=enemies,
        capacities=capacities,
        params=params,
    )


def _play_all(
    job: Job, progress: GameProgress | None = None, *, watched: bool = False, recorder: Recorder | None = None
) -> list[Ends]:
    """Play all chunks of a job; see `play`."""
    outcomes = np.full(job.games, Outcome.RUNNING)
    parts = []
    for number, chunk in enumerate(job.chunks):

        def tell(tick: int, found: np.ndarray, chunk: np.ndarray = chunk) -> None:
            outcomes[chunk] = found
            if progress:
                progress(tick, names_of(outcomes))

        parts.append(job.play(number, tell, watched=watched, recorder=None if number else recorder))
    return parts
