"""Row `rewards`: texts of plans scored in batches, cold and warm."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

import scenarios
from hive.experiments.bench.timing import COMPILED, events, peak
from hive.players.llm.rewards import Rewards

_TARGET = re.compile(r"target position: \((\d+), (\d+)\)")


def run(units: int, texts: int, seeds: int, batches: int) -> Iterator[dict[str, Any]]:
    """Score batches of different texts: the shipped plan of `coordinate` with each target moved by some metres.

    Args:
        units: Units of both sides.
        texts: Texts of a batch.
        seeds: Games of each text.
        batches: Batches after the first, which is cold: nothing is compiled before it.

    `cold_cpu_s` and `warm_cpu_s` are seconds of all processor cores, which other programs on the machine change least.
    """
    rewards = Rewards("coordinate", range(seeds), units=units // 2)
    random = np.random.default_rng(0)
    took, worked, compiled, won = [], [], [], 0
    for _ in range(1 + batches):
        began, busy = time.perf_counter(), time.process_time()
        with events() as found:
            scores = rewards.score([_moved(random, rewards.world.params.terrain.size) for _ in range(texts)])
        took.append(time.perf_counter() - began)
        worked.append(time.process_time() - busy)
        compiled.append(found.count(COMPILED))
        won += sum(score.wins for score in scores)
    cold, *warm = took
    yield {
        "units": sum(rewards.world.sizes),
        "texts": texts,
        "seeds": seeds,
        "cold_s": round(cold, 2),
        "cold_texts_per_s": round(texts / cold, 3),
        "cold_cpu_s": round(worked[0], 2),
        "cold_compiles": compiled[0],
        "warm_s": round(float(np.median(warm)), 2),
        "warm_texts_per_s": round(texts / float(np.median(warm)), 3),
        "warm_cpu_s": round(float(np.median(worked[1:])), 2),
        "warm_compiles": max(compiled[1:]),
        "won": round(won / (texts * seeds * (1 + batches)), 3),
        **peak(),
    }


def _moved(random: np.random.Generator, side: int) -> str:
    """Return the shipped plan with its targets moved, on a raster of 3 metres so that some are shared."""
    x, y = 3 * random.integers(-2, 3, 2)

    def move(found: re.Match[str]) -> str:
        place = np.clip([int(found.group(1)) + x, int(found.group(2)) + y], 1, side - 2)
        return f"target position: ({place[0]}, {place[1]})"

    return _TARGET.sub(move, scenarios.plan("coordinate"))
