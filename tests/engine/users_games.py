"""Which parts of a game differ between the code that users run and code without XLA's optimisations.

A process of its own for `test_users_code.py`: `python -m tests.engine.users_games TASK ...`.
"""

from __future__ import annotations

import json
import sys
from functools import partial
from typing import Any

import jax
import numpy as np

import hive.rl as rl
from hive.engine.traces import _jit
from hive.rl.checking import _play

STEPS = 25


def differing(task: str) -> list[str]:
    """Return the parts that differ between a game in a batch, optimised, and the same game alone, as it is written."""
    env = rl.make(task, seeds=[0] if rl.tasks().get(task) and rl.tasks()[task].mapped else None)
    keys = jax.random.split(jax.random.key(0), 2)
    play = partial(_play, ticks=STEPS, tried=False)
    batch = _run(jax.jit(jax.vmap(play, (None, 0))), env, keys)
    jax.config.update("jax_disable_most_optimizations", True)
    alone = _run(_jit(play), env, keys[-1])
    jax.config.update("jax_disable_most_optimizations", False)
    return [
        jax.tree_util.keystr(path)
        for (path, one), (_, many) in zip(alone, batch, strict=True)
        if not np.array_equal(one, many[-1])
    ]


def _run(play: Any, *args: Any) -> list[tuple[Any, Any]]:
    jax.clear_caches()
    *found, _ = play(*args)
    return jax.tree_util.tree_flatten_with_path(jax.device_get(found))[0]


if __name__ == "__main__":
    print(json.dumps({task: differing(task) for task in sys.argv[1:]}))
