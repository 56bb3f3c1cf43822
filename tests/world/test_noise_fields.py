"""Noise on the device against the published noise of the host (docs/rules/wildfire_levels.md 1.2)."""

from __future__ import annotations

import jax
import numpy as np
import pytest

from hive.worlds.wildfire.maps.device_noise import draw_offsets, noise_fields
from hive.worlds.wildfire.maps.dotnet import DotNetRandom
from hive.worlds.wildfire.maps.host_noise import gradient_noise, octave_noise


def covering(field: np.ndarray) -> np.ndarray:
    return (field - field.min()) / (field.max() - field.min())


def test_offsets_of_many_seeds_are_drawn_as_the_published_generator_draws_them() -> None:
    seeds = [0, 1, 375, 8456, 99_999, DotNetRandom.MOST_SEED]
    found = draw_offsets([seeds, seeds[::-1]], 30)  # past the 55 lags
    for seed, row in zip(seeds, found[0], strict=True):
        draw = DotNetRandom(seed)
        assert row.ravel().tolist() == [draw.between(-100_000, 100_000) for _ in range(60)]
    assert (found[1] == found[0, ::-1]).all()


@pytest.mark.parametrize("seed", [-1, DotNetRandom.MOST_SEED + 1])
def test_seeds_that_the_published_rules_do_not_cover_are_refused(seed: int) -> None:
    with pytest.raises(ValueError, match="seeds are 0 to 100000000, not"):
        draw_offsets([5, seed], 1)


def test_fields_of_several_scales_and_octaves_are_those_of_the_host() -> None:
    layers, seeds = [(20, 4), (100, 2), (2000, 4)], np.arange(8) * 12_000_017
    offsets = draw_offsets(np.repeat(seeds[:, None], len(layers), 1), 4)
    fields = np.asarray(jax.jit(jax.vmap(lambda drawn: noise_fields(40, drawn, layers)))(offsets))
    for found, seed in zip(fields, seeds.tolist(), strict=True):
        # a map 40 cells wide is a small part of a wave of 2,000, so its last bits are worth more
        for field, (scale, octaves), near in zip(found, layers, (2e-6, 2e-6, 2e-3), strict=True):
            assert covering(field) == pytest.approx(covering(octave_noise(40, seed, scale, octaves)), abs=near)


def test_noise_is_mirrored_where_a_map_lies_across_an_axis() -> None:
    fields = np.asarray(noise_fields(50, np.array([[[-20, -31]]]), [(20, 1)]))
    u, v = (np.arange(50, dtype=np.float32) + shift for shift in (-20, -31))
    assert covering(fields[0]) == pytest.approx(covering(gradient_noise(u[:, None] / 20, v[None, :] / 20)), abs=2e-6)
