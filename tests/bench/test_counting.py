"""Row `gpu`: loops are counted by number, and what a GPU does in a tick may not grow unseen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax import lax

from hive.experiments.bench.apart import run_apart
from hive.experiments.bench.gpu.turns import Counts, number_of, numbered
from hive.experiments.bench.gpu.wheels import missing
from hive.ground.flat import over_worlds

MOST: list[tuple[Mapping[str, Any], dict[str, float]]] = [  # one tick: kernels and round trips, as they were measured
    ({"kind": "tick", "units": 1_000, "scenes": {"scattered": None}}, {"kernels": 125, "trips": 7}),
    ({"kind": "batch", "units": 10, "worlds": 64, "scenes": {"open": None}}, {"kernels": 71, "trips": 3.2}),
]


def collatz(start: Any) -> Any:
    """Steps down to 1, found by a loop with a branch in it."""

    def step(state: tuple[Any, Any]) -> tuple[Any, Any]:
        value, steps = state
        return lax.cond(
            steps < 2, lambda: value // 2, lambda: jnp.where(value % 2, 3 * value + 1, value // 2)
        ), steps + 1

    return lax.while_loop(lambda state: state[0] > 1, step, (start, jnp.int32(0)))[1]


def flat(shared: Any, own: Any) -> Any:
    return own + lax.fori_loop(0, own.max(), lambda _, total: total + 1, shared.max())


def counted(function: Any, *args: Any) -> tuple[Counts, list[str]]:
    counts = Counts()
    with numbered(counts) as sites:
        program = jax.jit(lambda *args: function(*args)).lower(*args).compile()
    jax.block_until_ready(program(*args))
    jax.effects_barrier()
    return counts, [site.split()[0] for site in sites]


def test_turns_and_branches_are_counted() -> None:
    counts, kinds = counted(collatz, jnp.int32(16))
    assert kinds == ["while", "cond"]
    assert (counts.turns(0), counts.share(1, 1), counts.share(1, 0)) == (4, 0.5, 0.5)


def test_a_batch_turns_as_often_as_its_longest_world() -> None:
    counts, _ = counted(jax.vmap(collatz), jnp.array([2, 16, 4]))
    assert counts.turns(0) == 4


def test_loops_of_merged_worlds_are_counted() -> None:
    """The sweeps merge the worlds of a batch themselves."""
    counts, kinds = counted(
        jax.vmap(over_worlds(flat), (None, 0)), jnp.zeros(2, jnp.int32), jnp.array([[3, 5], [1, 7]])
    )
    assert set(kinds) == {"fori"} and counts.turns(len(kinds) - 1) == 7


def test_a_program_has_the_same_numbers_with_and_without_counters() -> None:
    with numbered() as sites:
        text = jax.jit(lambda x: jax.vmap(collatz)(x)).lower(jnp.arange(3)).compile().as_text()
    _, kinds = counted(jax.vmap(collatz), jnp.arange(3))
    assert [site.split()[0] for site in sites] == kinds
    origins = [part.split('"')[1] for part in text.split("op_name=")[1:]]
    assert 0 in {number_of(origin) for origin in origins}
    assert number_of("jit(f)/loop0/while/body/jit(searchsorted)/while") is None  # a loop of JAX's own within ours


@pytest.mark.slow
@pytest.mark.skipif(bool(missing()), reason="JAX's plugin for CUDA is not installed")
@pytest.mark.parametrize(("case", "most"), MOST, ids=lambda value: value.get("kind"))
def test_a_tick_on_a_gpu_has_no_more_kernels_and_round_trips(case: Mapping[str, Any], most: dict[str, float]) -> None:
    (line,) = run_apart("gpu", case)
    assert {name: line[name] for name in most} == {name: min(line[name], limit) for name, limit in most.items()}
    assert 0 < line["floor_ms"] < line["model_ms"]
