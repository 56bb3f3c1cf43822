"""The seeded generator and the noise against known values and plain versions.

Rules: docs/rules/wildfire_levels.md 1.2, 1.3.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hive.worlds.wildfire.maps.dotnet import DotNetRandom
from hive.worlds.wildfire.maps.host_noise import PERMUTATION, gradient_noise, octave_noise


@pytest.mark.parametrize(
    ("seed", "raw"),
    [
        (0, [1559595546, 1755192844, 1649316166, 1198642031, 442452829]),
        (375, [1365232859, 1823872799, 1908080277, 1286901396, 1102057611]),
    ],
)
def test_raw_draws_are_the_published_ones(seed: int, raw: list[int]) -> None:
    draw = DotNetRandom(seed)
    assert [draw.raw() for _ in raw] == raw


@given(st.integers(0, DotNetRandom.MOST_SEED), st.integers(-1000, 1000), st.integers(1, 1000))
def test_draws_stay_in_their_range_and_use_one_number_each(seed: int, start: int, width: int) -> None:
    draw, raw = DotNetRandom(seed), DotNetRandom(seed)
    for _ in range(120):  # past the 55 lags, twice
        assert draw.between(start, start + width) == start + raw.raw() * width // (2**31 - 1)


@pytest.mark.parametrize("seed", [-1, DotNetRandom.MOST_SEED + 1])
def test_seeds_that_the_published_rules_do_not_cover_are_refused(seed: int) -> None:
    with pytest.raises(ValueError, match="is not 0 to"):
        DotNetRandom(seed)


def test_the_permutation_holds_every_byte() -> None:
    assert sorted(PERMUTATION) == list(range(256))


@pytest.mark.parametrize(
    ("u", "v", "value"),
    [
        (0.5, 0.5, 0.296696),
        (1.25, 7.75, 0.262409),
        (100.3, 200.6, 0.566091),
        (-3.2, 4.7, 0.416558),
        (17, 300, 0.465273),
    ],
)
def test_noise_has_the_published_values(u: float, v: float, value: float) -> None:
    assert float(gradient_noise(u, v)) == pytest.approx(value, abs=2e-6)


def improved_noise(x: float, y: float, z: float = 0.0) -> float:
    """Perlin's noise in three dimensions, written as it is told: corner by corner."""
    table = PERMUTATION * 2
    cell = [math.floor(part) & 255 for part in (x, y, z)]
    inside = [part - math.floor(part) for part in (x, y, z)]
    fade = [t**3 * (t * (t * 6 - 15) + 10) for t in inside]
    total = 0.0
    for corner in ((a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)):
        bits = table[table[table[cell[0] + corner[0]] + cell[1] + corner[1]] + cell[2] + corner[2]] & 15
        east, north, up = (t - c for t, c in zip(inside, corner, strict=True))
        first = east if bits < 8 else north
        second = north if bits < 4 else east if bits in (12, 14) else up
        slope = (-first if bits & 1 else first) + (-second if bits & 2 else second)
        weights = (f if c else 1 - f for f, c in zip(fade, corner, strict=True))
        total += slope * math.prod(weights)
    return (total + 0.69) / 1.483


@given(st.floats(-600, 600, width=32), st.floats(-600, 600, width=32))
def test_noise_is_the_plane_of_the_improved_noise_mirrored_at_the_axes(u: float, v: float) -> None:
    assert float(gradient_noise(u, v)) == pytest.approx(improved_noise(abs(u), abs(v)), abs=2e-6)


def test_octaves_are_summed_at_offsets_drawn_in_turn_the_first_index_first() -> None:
    draw, expected = DotNetRandom(99), np.zeros((7, 7))
    for octave in range(3):
        shift = [draw.between(-100_000, 100_000) for _ in range(2)]
        for p in range(7):
            for q in range(7):
                u, v = ((cell + by) / 50 * 2**octave for cell, by in zip((p, q), shift, strict=True))
                expected[p, q] += 0.5**octave * (2 * improved_noise(abs(u), abs(v)) - 1)
    found = octave_noise(7, 99, 50, 3)
    assert found.dtype == np.float32
    assert np.abs(found - expected).max() < 5e-3  # thousands of lattice points away a float32 keeps so much
    assert np.ptp(expected) > 0.1
