"""Arithmetic and draws that games depend on to the bit, against NumPy."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hive.engine.units import draws
from hive.ground.exact import whole
from hive.ground.hashing import kept

FLOATS = np.array([0.0, -0.0, 0.5, -2.5, np.inf, -np.inf, 1e-40], np.float32)


@given(st.lists(st.floats(-(2**22), 2**22, width=32) | st.integers(-100, 100).map(lambda n: n + 0.5), min_size=1))
def test_whole_is_the_nearest_whole_number_and_of_two_the_even_one(numbers: list[float]) -> None:
    """docs/rules/battles.md 3.7 sums pushes in whole steps."""
    steps = np.zeros(64, np.float32)
    steps[: len(numbers[:64])] = numbers[:64]
    np.testing.assert_array_equal(jax.jit(whole)(jnp.asarray(steps)), np.rint(steps).astype(np.int32))


@pytest.mark.parametrize("words", [FLOATS, FLOATS.view(np.uint32), FLOATS.view(np.int32)], ids=["f32", "u32", "s32"])
def test_kept_words_are_the_same_to_the_bit(words: Any) -> None:
    same = np.asarray(jax.jit(kept)(jnp.asarray(words)))
    assert same.dtype == words.dtype
    assert same.tobytes() == words.tobytes()


def test_a_jitter_is_the_sum_of_the_bytes_of_two_words_of_its_axis() -> None:
    """docs/rules/battles.md 3.5: nearly normal, of mean 0 and variance 1."""
    word, unit = jnp.uint32(123), jnp.arange(20_000, dtype=jnp.int32)
    drawn = np.asarray(draws.normal_pair(word, unit, draws.Stream.JITTER))
    words = [np.asarray(draws.unit_words(word, unit, draws.Stream.JITTER, number)) for number in range(4)]
    total = np.stack(words, 1).astype("<u4").view(np.uint8).reshape(-1, 2, 8).sum(2, dtype=np.int64)
    deviation = np.sqrt(np.float64(8 * (256**2 - 1) / 12))
    np.testing.assert_allclose(drawn, (total - 8 * 127.5) / deviation, rtol=1e-6)
    assert np.abs(drawn.mean(0)).max() < 0.03
    assert np.abs(drawn.std(0) - 1).max() < 0.03
