"""What a finished run leaves for the metrics, its time limit, and the figures of many (docs/rules/kitchen.md 11)."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hive.worlds.kitchen.action import KitchenWords
from hive.worlds.kitchen.metrics import BETA, known, tes
from hive.worlds.kitchen.talks import Capability, Conversation, Event, capability, judge

Done = tuple[int, str]
"""A completed action: the timestep of its interact, from 0, and its canonical text."""


@dataclass(frozen=True)
class KitchenRun:
    """One run of a task.

    Attributes:
        task: Name of the order.
        level: Level of the task.
        limit: Last timestep at which a delivery counts as a success.
        delivery: Timestep of the correct delivery, from 0; None when there was none.
        histories: Completed actions of each agent in order.
        talks: The conversations in order.
    """

    task: str
    level: int
    limit: int
    delivery: int | None
    histories: tuple[tuple[Done, ...], ...]
    talks: tuple[Conversation, ...] = ()

    @property
    def success(self) -> bool:
        """Whether the delivery came within the limit."""
        return self.delivery is not None and self.delivery <= self.limit


def cut(run: KitchenRun) -> KitchenRun:
    """Return a run as it is scored: a failed one keeps only what happened before the timestep of its limit."""
    if run.success:
        return run
    return replace(
        run,
        delivery=None,
        histories=tuple(tuple(done for done in each if done[0] < run.limit) for each in run.histories),
        talks=tuple(talk for talk in run.talks if talk.timestep < run.limit),
    )


@dataclass(frozen=True)
class Standard:
    """What the runs of one task are compared with.

    Attributes:
        references: Reference trajectories of each agent, alternatives of canonical texts.
        universes: Actions that each agent can be scored for.
        required: Fewest collaborative actions that the task needs.
        words: The words of the kitchen, for reading the plans of conversations.
        initiator: The agent whose initiative is measured; conversations opened by others are no events.
        drop_unknown: Whether actions outside the universe are left out of a history, as in the published evaluation;
            otherwise they count as redundant. Either way they are counted.
        beta: β of TES.
    """

    references: tuple[tuple[tuple[str, ...], ...], ...]
    universes: tuple[Collection[str], ...]
    required: int
    words: KitchenWords
    initiator: int = 0
    drop_unknown: bool = True
    beta: float = BETA


@dataclass(frozen=True)
class RunScore:
    """The metrics of one run, after its limit was applied.

    Attributes:
        run: The run as it was scored.
        tes: TES of each agent.
        capability: IC and RC.
        unknown: Actions of each agent outside its universe.
        events: The conversations that the agent opened whose initiative is measured.
    """

    run: KitchenRun
    tes: tuple[float, ...]
    capability: Capability
    unknown: tuple[tuple[str, ...], ...]
    events: tuple[Event, ...] = ()

    @property
    def pc(self) -> float:
        """Progress completeness: the mean of the agents' TES at the end of the run."""
        return statistics.fmean(self.tes)


def score(run: KitchenRun, standard: Standard) -> RunScore:
    """Apply the limit to a run and compute its metrics."""
    kept = cut(run)
    split = [
        known((action for _, action in history), universe)
        for history, universe in zip(kept.histories, standard.universes, strict=True)
    ]
    histories = [
        fitting if standard.drop_unknown else [action for _, action in history]
        for history, (fitting, _) in zip(kept.histories, split, strict=True)
    ]
    efficiency = tuple(
        tes(history, references, standard.beta)
        for history, references in zip(histories, standard.references, strict=True)
    )
    responder = 1 - standard.initiator
    timed = kept.histories[responder]
    if standard.drop_unknown:
        timed = tuple(done for done in timed if done[1] in standard.universes[responder])
    events = [
        judge(
            talk,
            timed,
            standard.references[responder],
            standard.universes[responder],
            standard.words,
            standard.beta,
        )
        for talk in kept.talks
        if talk.initiator == standard.initiator
    ]
    unknown = tuple(tuple(rest) for _, rest in split)
    return RunScore(kept, efficiency, capability(events, standard.required), unknown, tuple(events))


@dataclass(frozen=True)
class Figures:
    """The figures of several runs; means over runs unless stated otherwise.

    Attributes:
        runs: How many.
        success_rate: SR, the share that delivered within the limit.
        pc: Progress completeness.
        tes: TES of each agent.
        ic: Initiating capability per observed event.
        rc: Responding capability per observed event.
        ic_required: Initiating capability per required collaboration.
        rc_required: Responding capability per required collaboration.
        delivery_mean: Mean timestep of the delivery over successful runs; None without a success.
        delivery_deviation: Its population standard deviation, likewise.
        unknown: Actions outside the agents' universes, summed over runs and agents.
    """

    runs: int
    success_rate: float
    pc: float
    tes: tuple[float, ...]
    ic: float
    rc: float
    ic_required: float
    rc_required: float
    delivery_mean: float | None
    delivery_deviation: float | None
    unknown: int


def summarise(scores: Sequence[RunScore]) -> Figures:
    """Return the figures of at least one run.

    Raises:
        ValueError: There is no run.
    """
    if not scores:
        raise ValueError("no figures without a run")

    def mean(value: Callable[[RunScore], float]) -> float:
        return statistics.fmean(value(each) for each in scores)

    times = [each.run.delivery for each in scores if each.run.delivery is not None]
    agents = range(len(scores[0].tes))
    return Figures(
        runs=len(scores),
        success_rate=mean(lambda each: each.run.success),
        pc=mean(lambda each: each.pc),
        tes=tuple(statistics.fmean(each.tes[agent] for each in scores) for agent in agents),
        ic=mean(lambda each: each.capability.ic),
        rc=mean(lambda each: each.capability.rc),
        ic_required=mean(lambda each: each.capability.ic_required),
        rc_required=mean(lambda each: each.capability.rc_required),
        delivery_mean=statistics.fmean(times) if times else None,
        delivery_deviation=statistics.pstdev(times) if times else None,
        unknown=sum(len(rest) for each in scores for rest in each.unknown),
    )


def summarise_tasks(scores: Sequence[RunScore]) -> Figures:
    """Return the figures of several tasks, such as those of a level: means over the tasks, each a mean over its runs.

    Runs, deliveries and unknown actions are those of all runs.

    Raises:
        ValueError: There is no run.
    """
    tasks = [figures for level in by_level(scores).values() for figures in level.values()]
    shares = ("success_rate", "pc", "ic", "rc", "ic_required", "rc_required")
    means: dict[str, Any] = {name: statistics.fmean(getattr(each, name) for each in tasks) for name in shares}
    tes = tuple(map(statistics.fmean, zip(*(each.tes for each in tasks), strict=True)))
    return replace(summarise(scores), tes=tes, **means)


def by_level(scores: Iterable[RunScore]) -> dict[int, dict[str, Figures]]:
    """Return the figures of each task, under its level."""
    groups: dict[int, dict[str, list[RunScore]]] = {}
    for each in scores:
        groups.setdefault(each.run.level, {}).setdefault(each.run.task, []).append(each)
    return {
        level: {task: summarise(runs) for task, runs in sorted(tasks.items())}
        for level, tasks in sorted(groups.items())
    }
