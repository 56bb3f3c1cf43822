"""Row `constants`: what launches, turns of loops, sorts and copies cost on this device."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Float, Int

from hive.experiments.bench.timing import Timing, build, measure

_FEW, _MANY = 100, 1100  # turns; the difference in time is a thousand turns
_SORTS = (4_000, 64_000, 1_000_000)


def run() -> Iterator[dict[str, Any]]:
    """Time the smallest pieces of a program, in microseconds, and the bandwidth of the device's memory."""
    row = jnp.ones(1024)
    for kernels in (1, 12):
        turning = build(partial(_turning, kernels=kernels), row, jnp.int32(0))
        few, many = measure(*(partial(turning.call, row, jnp.int32(n)) for n in (_FEW, _MANY)))
        yield _line(f"turn whose number depends on data, kernels: {kernels}", _apart(few, many))
    counted = [build(partial(_counted, turns=turns), row) for turns in (_FEW, _MANY)]
    few, many = measure(*(partial(program.call, row) for program in counted))
    yield _line("turn whose number is known", _apart(few, many))
    branch = build(_branching, row)
    single = build(_single, row)
    one, two = measure(partial(single.call, row), partial(branch.call, row))
    yield _line("call of one kernel from Python", one.median * 1e6)
    yield _line("branch", (two.median - one.median) * 1e6)
    for rows in _SORTS:
        keys = jax.random.bits(jax.random.key(0), (rows,), jnp.uint32)
        program = build(jnp.sort, keys)
        (took,) = measure(partial(program.call, keys))
        yield _line(f"sort of {rows:,} words, in addition to a call", (took.median - one.median) * 1e6)
    words = 1 << (28 if jax.default_backend() != "cpu" else 24)
    large = jnp.ones(words)
    program = build(_single, large)
    (took,) = measure(partial(program.call, large))
    yield _line("copy of a gigabyte, read and written", took.median * 1e6 * 2**30 / (2 * 4 * words))


def _line(what: str, microseconds: float) -> dict[str, Any]:
    return {"what": what, "us": round(microseconds, 2)}


def _apart(few: Timing, many: Timing) -> float:
    return (many.median - few.median) / (_MANY - _FEW) * 1e6


def _turning(row: Float[Array, " n"], turns: Int[Array, ""], kernels: int) -> Float[Array, " n"]:
    def turn(number: Array, row: Array) -> Array:
        del number
        for _ in range(kernels):  # a sum over all elements cannot be fused with the next one
            row = row + lax.optimization_barrier(jnp.sum(row)) * 1e-9
        return row

    return lax.fori_loop(0, turns, turn, row)


def _counted(row: Float[Array, " n"], turns: int) -> Float[Array, " n"]:
    return lax.fori_loop(0, turns, lambda number, row: row * 1.0001 + number.astype(jnp.float32), row)


def _single(row: Float[Array, " n"]) -> Float[Array, " n"]:
    return row + 1


def _branching(row: Float[Array, " n"]) -> Float[Array, " n"]:
    return lax.cond(row[0] > 0, lambda: row + 1, lambda: row * jnp.cos(row))
