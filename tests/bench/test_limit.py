"""The C limit answers what it says it does: brute force on a small world, and the engine's own slots."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from hive.engine.units import draws
from hive.engine.units.senses import NOBODY, ask, sense
from hive.experiments.bench import limit
from hive.experiments.bench.sweeping import run, world_of
from hive.experiments.bench.worlds import make_scene
from hive.ground.sizes import CPU
from tests.conftest import missing


@pytest.fixture(scope="module")
def program() -> Iterator[Path]:
    with limit.compiled() as found:
        if found is None:
            missing("there is no C compiler")
        assert found is not None
        yield found


def world(count: int, side: float, seed: int) -> limit.SweepInput:
    random = np.random.default_rng(seed)
    reach = random.choice(np.array([1.0, 15.0], np.float32), count)
    return limit.SweepInput(
        side=side,
        sight=15.0,
        x=random.uniform(0, side, count).astype(np.float32),
        y=random.uniform(0, side, count).astype(np.float32),
        reach=reach,
        threat=reach + random.choice(np.array([3.0, 6.0], np.float32), count),
        team=random.integers(0, 2, count),
    )


@pytest.mark.parametrize(("count", "side"), [(300, 100.0), (200, 12.0), (150, 31.0), (1, 50.0), (2, 5.0)])
def test_it_finds_what_brute_force_finds(program: Path, count: int, side: float) -> None:
    """All pairs in float32, in the same order of operations, so that ids must be equal and not only close."""
    given = world(count, side, seed=count)
    swept = limit.sweep(program, given, repeats=1)
    east, north = given.x[:, None] - given.x, given.y[:, None] - given.y
    apart = east * east + north * north
    other = ~np.eye(count, dtype=bool) & (apart <= np.float32(15.0) ** 2)
    foe = other & (given.team[:, None] != given.team)
    near = np.where(foe, apart, np.inf)
    lowest = near.min(1)
    # A compiler may fuse the sum of squares, so two foes equally far to the last bit may change places.
    found = np.where(swept.nearest >= 0, near[np.arange(count), swept.nearest], np.inf)
    np.testing.assert_allclose(found, lowest, rtol=1e-6)
    assert ((swept.nearest >= 0) == foe.any(1)).all()

    clear = np.abs(apart - given.reach[:, None] ** 2) > 1e-3  # no unit just at the limit, or rounding would decide
    assert clear[foe].all() and (np.abs(apart - given.threat**2) > 1e-3)[foe].all()
    hit = foe & (apart <= given.reach[:, None] ** 2)
    number = np.arange(count, dtype=np.uint32)
    hashed = (number * np.uint32(2654435761))[None] ^ number[:, None]
    assert (swept.random == np.where(hit.any(1), np.where(hit, hashed.astype(np.int64), -1).argmax(1), -1)).all()
    assert (swept.threatened == (foe & (apart <= given.threat**2)).any(1)).all()

    weight = np.where(other & (apart < 1), 1 / np.sqrt(apart + 1e-6) - 1, 0)
    np.testing.assert_allclose(swept.push, np.stack([weight * east, weight * north], -1).sum(1), rtol=1e-3, atol=1e-3)


@pytest.mark.slow
def test_it_sweeps_the_world_that_the_engine_senses(program: Path) -> None:
    """Equal work: the engine's slot for the closest foe and the C program name the same units."""
    scene = make_scene(CPU.dense + 44)  # the shape of test_rows.py
    params, state = scene.params, scene.game.state
    tree = scene.orders.plan.tree[jnp.maximum(scene.game.progress.group, 0)]
    asked = jax.jit(ask)(params, tree, jnp.full(params.count, 63, jnp.int32))
    senses = jax.jit(sense)(params, state, asked, draws.tick_word(scene.key, state.tick))
    theirs = limit.sweep(program, world_of(scene), repeats=1)
    enemy = np.asarray(params.units.side) == 1  # whose tree moves toward the closest foe in sight
    ours = np.where(np.asarray(senses.unit) == NOBODY, -1, np.asarray(senses.unit))
    assert (ours[:, enemy] == theirs.nearest[enemy]).all(1).any() and (theirs.nearest[enemy] >= 0).any()


@pytest.mark.slow
def test_without_a_compiler_the_row_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hive.experiments.bench.sweeping._pin", lambda: "one")
    monkeypatch.setattr("shutil.which", lambda name: None)
    (line,) = run(40, "scattered")
    assert line["note"] == "no C compiler" and line["ratio"] is None and line["sweep_ms"] > 0


@pytest.mark.slow
def test_a_program_that_fails_is_our_fault(program: Path) -> None:
    with pytest.raises(RuntimeError, match="usage: limit WORLD ANSWERS REPEATS"):
        limit.sweep(program, world(3, 10.0, 0), repeats=0)
