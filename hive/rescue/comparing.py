"""The heuristic and its variants next to the optimum: on chosen instances, and on many generated ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hive.batch.value import wilson
from hive.contract import Watch
from hive.rescue.assembly import batch_params
from hive.rescue.codes import Reason
from hive.rescue.generator import STANDARD, Recipe, generate
from hive.rescue.heuristic import VARIANTS, play_many, variant
from hive.rescue.instance import Instance
from hive.rescue.optimum.play import URGENT, best, optimum, problem_of
from hive.rescue.scores import Score, score_states
from hive.rescue.state import Params

CHUNK = 500
"""Generated instances that are played in one batch."""


def compare(instances: Sequence[Instance], urgent_weight: int = URGENT) -> Iterator[list[Score]]:
    """Let each variant of the heuristic play some instances.

    Args:
        instances: What is played.
        urgent_weight: Weight of an urgent victim in the second objective.

    Yields:
        For each instance the score of each variant, with both optima.
    """
    params = batch_params(instances)
    played = play_many(params, _variants()).state
    scores = [
        score_states(name, instances, params, jax.tree.map(lambda each, row=row: each[row], played))
        for row, name in enumerate(VARIANTS)
    ]
    host = jax.device_get(params)
    for number, instance in enumerate(instances):
        mine = jax.tree.map(lambda each, number=number: each[number], host)
        least = optimum(mine, "steps")
        weighted = optimum(mine, "weighted", urgent_weight)
        known = {"urgent_weight": urgent_weight}
        if least.served == len(instance.victims):
            known |= {"least": least.value, "least_weighted": weighted.value}
        yield [replace(each[number], **known) for each in scores]


@dataclass(frozen=True, kw_only=True)
class Misses:
    """What a variant of the heuristic did on generated instances.

    Attributes:
        team: The variant.
        served: `[N]` victims that it served.
        victims: `[N]` victims of each instance.
        steps: `[N]` steps of its runs.
        least: `[N]` steps of the optimum.
        reasons: How often runs ended for each reason.
    """

    team: str
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
        """Steps above the optimum, of the instances that were solved."""
        return np.asarray((self.steps - self.least)[self.solved])

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
            "reasons": self.reasons,
        }


def compare_generated(seed: int, count: int, watch: Watch, recipe: Recipe = STANDARD) -> list[Misses]:
    """Let each variant of the heuristic play generated instances, and search the optimum of each.

    Args:
        seed: Seed of the instances.
        count: How many.
        watch: Receives the progress.
        recipe: What is drawn.
    """
    watch.stage(f"playing and searching {count:,} instances", count, "instance")
    hows = _variants()
    least: list[int] = []
    played: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    victims: list[int] = []
    drawn = generate(seed, count, recipe)
    while some := list(islice(drawn, CHUNK)):
        params = batch_params(some + some[:1] * (CHUNK - len(some)))  # always as many, for one program
        state = play_many(params, hows).state
        served, steps, reasons = jax.device_get(((state.served_at >= 0).sum(axis=-1), state.step, state.reason))
        played.append((served[:, : len(some)], steps[:, : len(some)], reasons[:, : len(some)]))
        victims += [len(instance.victims) for instance in some]
        for each in _rows(params, len(some)):
            least.append(best(problem_of(each)).value)
            watch.update(len(least))
    served, steps, reasons = (np.concatenate(each, axis=1) for each in zip(*played, strict=True))
    return [
        Misses(
            team=name,
            served=served[row],
            victims=np.asarray(victims),
            steps=steps[row],
            least=np.asarray(least),
            reasons=_counted(reasons[row]),
        )
        for row, name in enumerate(VARIANTS)
    ]


def _rows(params: Params, count: int) -> Iterator[Params]:
    host = jax.device_get(params)
    for row in range(count):
        yield jax.tree.map(lambda each, row=row: each[row], host)


def _counted(reasons: np.ndarray) -> dict[str, int]:
    return {
        Reason(code).name.lower().replace("_", " "): number
        for code, number in sorted(Counter(reasons.tolist()).items())
    }


def _variants() -> Any:
    """Return all variants with a leading axis."""
    return jax.tree.map(lambda *each: jnp.stack(each), *map(variant, VARIANTS))
