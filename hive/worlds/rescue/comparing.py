"""The heuristic and its variants next to the optimum, on chosen instances and on many generated ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, TypeVar

import jax
import numpy as np

from hive.kit.environment.env import stack
from hive.kit.intervals import wilson
from hive.kit.reporting import Watch
from hive.worlds.rescue.assembly import batch_params
from hive.worlds.rescue.codes import URGENT, VARIANTS, Reason
from hive.worlds.rescue.generator import generate
from hive.worlds.rescue.heuristic import Variant, play_many, variant
from hive.worlds.rescue.instance import Instance
from hive.worlds.rescue.optimum.play import OPTIMUM_OBJECTIVES, best, optimum, problem_of
from hive.worlds.rescue.optimum.replay import replay
from hive.worlds.rescue.scores import RescueScore, score_states

Tree = TypeVar("Tree")

CHUNK = 500
"""Generated instances that are played in one batch."""


def compare(instances: Sequence[Instance], urgent_weight: int = URGENT) -> Iterator[list[RescueScore]]:
    """Let each variant of the heuristic play some instances, and the team that follows a best plan.

    Args:
        instances: What is played.
        urgent_weight: Weight of an urgent victim in the second objective.

    Yields:
        For each instance the score of each variant and of the best plan of each objective.
    """
    params = batch_params(instances)
    params, played = jax.device_get((params, play_many(params, _variants()).state))
    scores = {name: score_states(name, instances, params, _at(played, row)) for row, name in enumerate(VARIANTS)}
    for number, instance in enumerate(instances):
        mine = _at(params, number)
        found = [optimum(mine, objective, urgent_weight) for objective in OPTIMUM_OBJECTIVES]
        best_plans = [
            score_states(f"best {each.objective}", [instance], _lead(mine), _lead(replay(mine, each)))[0]
            for each in found
        ]
        least: tuple[int | None, ...] = (None, None)
        if found[0].served == len(instance.victims):
            least = tuple(each.value for each in found)
        yield [
            replace(each, least=least[0], least_weighted=least[1], urgent_weight=urgent_weight)
            for each in [*(each[number] for each in scores.values()), *best_plans]
        ]


@dataclass(frozen=True, kw_only=True)
class Misses:
    """What a variant of the heuristic did on generated instances.

    Attributes:
        team: The variant.
        names: `[N]` names of the instances.
        served: `[N]` victims that it served.
        victims: `[N]` victims of each instance.
        steps: `[N]` steps of its runs.
        least: `[N]` steps of the optimum.
        reasons: How often runs ended for each reason.
    """

    team: str
    names: Sequence[str]
    served: np.ndarray
    victims: np.ndarray
    steps: np.ndarray
    least: np.ndarray
    reasons: dict[str, int]

    @property
    def solved(self) -> np.ndarray:
        """`[N]` whether all victims were served."""
        return np.asarray(self.served == self.victims)

    @property
    def extra(self) -> np.ndarray:
        """`[solved]` steps above the optimum, of the instances that were solved."""
        return np.asarray((self.steps - self.least)[self.solved])

    @property
    def worst(self) -> dict[str, Any] | None:
        """The solved instance with most steps above the optimum; None if none was solved."""
        extra = np.where(self.solved, self.steps - self.least, -1)
        at = int(extra.argmax())
        return {"instance": self.names[at], "extra": int(extra[at])} if extra[at] >= 0 else None

    def json(self) -> dict[str, Any]:
        """Return the figures in plain values; the interval is Wilson's, of 95%."""
        share = float(self.solved.mean())
        extra = Counter(self.extra.tolist())
        return {
            "team": self.team,
            "instances": len(self.solved),
            "solved": int(self.solved.sum()),
            "share": share,
            "interval": list(wilson(share, len(self.solved))),
            "victims": int(self.victims.sum()),
            "served": int(self.served.sum()),
            "mean_ratio": float((self.steps / self.least)[self.solved].mean()) if self.solved.any() else None,
            "mean_extra": float(self.extra.mean()) if self.solved.any() else None,
            "extra": {str(steps): extra[steps] for steps in sorted(extra)},
            "worst": self.worst,
            "reasons": self.reasons,
        }


def compare_generated(seed: int, count: int, watch: Watch) -> list[Misses]:
    """Let each variant of the heuristic play generated instances, and search the optimum of each.

    Args:
        seed: Seed of the instances.
        count: How many.
        watch: Receives the progress.
    """
    watch.stage(f"playing and searching {count:,} instances", count, "instance")
    hows = _variants()
    least: list[int] = []
    played: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    victims: list[int] = []
    names: list[str] = []
    drawn = generate(seed, count)
    while some := list(islice(drawn, CHUNK)):
        params = batch_params(some + some[:1] * (CHUNK - len(some)))  # always as many, for one program
        state = play_many(params, hows).state
        served, steps, reasons = jax.device_get(((state.served_at >= 0).sum(axis=-1), state.step, state.reason))
        played.append((served[:, : len(some)], steps[:, : len(some)], reasons[:, : len(some)]))
        names += [instance.name for instance in some]
        victims += [len(instance.victims) for instance in some]
        host = jax.device_get(params)
        for row in range(len(some)):
            least.append(int(best(problem_of(_at(host, row))).value[0]))
            watch.update(len(least))
    served, steps, reasons = (np.concatenate(each, axis=1) for each in zip(*played, strict=True))
    return [
        Misses(
            team=name,
            names=names,
            served=served[row],
            victims=np.asarray(victims),
            steps=steps[row],
            least=np.asarray(least),
            reasons=_counted(reasons[row]),
        )
        for row, name in enumerate(VARIANTS)
    ]


def _at(tree: Tree, row: int) -> Tree:
    """Return one row of every array."""
    return jax.tree.map(lambda each: each[row], tree)


def _lead(tree: Tree) -> Tree:
    """Return the same with a leading axis of one."""
    return jax.tree.map(lambda each: each[None], tree)


def _counted(reasons: np.ndarray) -> dict[str, int]:
    return {Reason(code).words: number for code, number in sorted(Counter(reasons.tolist()).items())}


def _variants() -> Variant:
    """Return all variants with a leading axis."""
    return stack([*map(variant, VARIANTS)])
