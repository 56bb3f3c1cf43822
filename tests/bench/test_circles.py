"""The workload 'circles': our sweep against all pairs in NumPy, JAX-MD against ours, and what is said of both."""

from __future__ import annotations

from collections.abc import Iterator

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from hive.experiments.bench import circling, rows
from hive.experiments.bench.circles import RADIUS, REPULSE, check, our_program, scatter_agents, width_of
from hive.ground.sizes import CPU
from tests.bench.test_rows import check_line

FEW = CPU.dense + 144  # more than are compared all at once

ONE = jnp.int32(1)


def by_hand(position: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Neighbours of each agent, and how far the mean of their forces moves it, in double precision."""
    apart = position[:, None].astype(np.float64) - position[None]
    distance = np.sqrt((apart**2).sum(-1))
    near = (distance > 0) & (distance < RADIUS)
    strength = np.where(near, REPULSE * np.sin(2 * np.pi * distance / RADIUS), 0) / np.where(near, distance, 1)
    return near.sum(1), (strength[..., None] * apart).sum(1) / np.maximum(near.sum(1), 1)[:, None]


@pytest.fixture
def lenient() -> Iterator[None]:
    """JAX-MD promotes ranks and dtypes implicitly."""
    with jax.numpy_rank_promotion("allow"), jax.numpy_dtype_promotion("standard"):
        yield


@pytest.mark.parametrize("agents", [90, FEW])
def test_our_sweep_finds_the_neighbours_and_forces_that_all_pairs_give(agents: int) -> None:
    start = scatter_agents(agents, 2)
    neighbours, force = by_hand(start)
    played = our_program(agents)(jnp.asarray(start), ONE)

    np.testing.assert_array_equal(played.neighbours, neighbours)
    np.testing.assert_allclose(played.after, np.clip(start + force, 0, width_of(agents, 2)), atol=5e-6)
    assert check(played).neighbours > agents and not any(check(played)[1:])


def test_the_order_of_agents_and_the_path_have_no_effect() -> None:
    start = scatter_agents(FEW, 2)
    order = np.random.default_rng(3).permutation(FEW)
    program = our_program(FEW)
    played = program(jnp.asarray(start), jnp.int32(3))
    mixed = program(jnp.asarray(start[order]), jnp.int32(3))
    paired = circling._all_pairs(our_program(FEW))(jnp.asarray(start), jnp.int32(3))

    np.testing.assert_array_equal(mixed.after, np.asarray(played.after)[order])
    np.testing.assert_array_equal(paired.after, played.after)
    assert (np.asarray(played.before) != start).any() and (played.after != played.before).any()


@pytest.mark.parametrize("dimensions", [2, 3])
def test_a_square_gives_as_many_neighbours_as_the_published_cube(dimensions: int) -> None:
    reached = {2: np.pi * RADIUS**2, 3: 4 / 3 * np.pi * RADIUS**3}[dimensions]
    assert 4_000 / width_of(4_000, dimensions) ** dimensions * reached == pytest.approx(33.51, abs=0.01)
    start = scatter_agents(4_000, dimensions)
    assert start.shape == (4_000, dimensions) and start.min() >= 0 and start.max() <= width_of(4_000, dimensions)


def test_lost_and_invented_neighbours_are_counted() -> None:
    played = our_program(90)(jnp.asarray(scatter_agents(90, 2)), ONE)
    honest = check(played)
    fewer = check(played._replace(neighbours=jnp.maximum(played.neighbours - 2, 0)))
    more = check(played._replace(neighbours=played.neighbours + 1))

    assert (fewer.lost, fewer.invented) == (2 * 90, 0) and fewer.share == 180 / honest.neighbours
    assert (more.lost, more.invented) == (0, 90)


def test_without_jax_md_the_row_says_so_and_measures_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(circling, "find_spec", lambda package: None)
    monkeypatch.setattr(circling, "_LONG", 2)
    note, *lines = (rows.describe("circles", figures) for figures in circling.run(60))

    assert "pip install jax-md" in note["note"]
    assert [line["peer"] for line in lines] == [circling.OURS, circling.PAIRS, circling.FLAME, circling.FLAME]
    for line in lines:
        mine = line["peer"] != circling.FLAME
        blank = {"published_ms"} if mine else {"step_ms", "step_cpu_ms"}
        assert {name for name in line if name.endswith("_ms") and line[name] is None} == blank
        check_line(line | dict.fromkeys(blank, 1.0))
        if mine:
            assert line["lost"] == line["invented"] == line["apart_m"] == 0 and line["neighbours"] > 10
        else:
            assert line["on"] in circling.PUBLISHED


@pytest.mark.slow
@pytest.mark.usefixtures("lenient")
@pytest.mark.parametrize("margin", [0.0, 0.4])
def test_jax_md_finds_the_same_neighbours_and_forces(margin: float) -> None:
    pytest.importorskip("jax_md")
    from hive.experiments.bench.peers.jaxmd import their_program

    start = scatter_agents(FEW, 2)
    ours, theirs = (program(jnp.asarray(start), ONE) for program in (our_program(FEW), their_program(start, margin)))

    np.testing.assert_array_equal(theirs.neighbours, ours.neighbours)
    np.testing.assert_allclose(theirs.after, ours.after, atol=5e-6)
    assert not theirs.overflow and not any(check(theirs)[1:])


@pytest.mark.slow
@pytest.mark.usefixtures("lenient")
def test_jax_md_in_a_box_finds_what_all_pairs_give() -> None:
    pytest.importorskip("jax_md")
    from hive.experiments.bench.peers.jaxmd import their_program

    start = scatter_agents(FEW, 3)
    neighbours, force = by_hand(start)
    played = their_program(start, 0.0)(jnp.asarray(start), ONE)

    np.testing.assert_array_equal(played.neighbours, neighbours)
    np.testing.assert_allclose(played.after, np.clip(start + force, 0, width_of(FEW, 3)), atol=5e-6)


@pytest.mark.slow
@pytest.mark.usefixtures("lenient")
def test_neighbours_that_a_full_buffer_loses_are_reported() -> None:
    """Ours has no buffer to fill: from the same crowd it loses nothing."""
    pytest.importorskip("jax_md")
    from hive.experiments.bench.peers.jaxmd import their_program

    start = scatter_agents(FEW, 2)
    crowd = jnp.asarray(start * np.float32(0.3))
    ours, theirs = (program(crowd, ONE) for program in (our_program(FEW), their_program(start, 0.0)))

    assert bool(theirs.overflow) and check(theirs).lost > 0
    assert not any(check(ours)[1:])
