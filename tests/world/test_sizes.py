"""Sizes: chosen by platform, read from text, checked, and part of what a program is cached by."""

from __future__ import annotations

from dataclasses import replace

import jax
import jax.numpy as jnp
import pytest

from dsl import UserError
from hive.ground import sizes
from hive.ground.sizes import CPU, GPU, Sizes, current, read_sizes, use, use_always

USUAL = CPU if jax.default_backend() == "cpu" else GPU


def test_the_sizes_are_those_of_the_default_device() -> None:
    assert current() == USUAL
    with jax.default_device("gpu"):
        assert current() == GPU
    with jax.default_device(jax.devices("cpu")[0]):
        assert current() == CPU


def test_chosen_sizes_win_over_the_platform_and_the_innermost_choice_over_others() -> None:
    small = replace(CPU, block=2)
    try:
        use_always(small)
        assert current() == small
        with use(GPU):
            assert current() == GPU
        assert current() == small
    finally:
        use_always(None)
    assert current() == USUAL


def test_a_program_is_made_once_for_each_choice() -> None:
    """No cached trace serves another choice."""
    traced: list[Sizes] = []

    @jax.jit
    def program(x: jax.Array) -> jax.Array:
        traced.append(current())
        return x + 1

    for choice in (CPU, GPU, CPU, GPU):
        with use(choice):
            program(jnp.zeros(3))
    assert traced == [CPU, GPU]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("gpu", GPU),
        ("cpu", CPU),
        ("block=4096,chunk=64", replace(CPU, block=4096, chunk=64)),
        ("gpu, levels=4, flat=false", replace(GPU, levels=4, flat=False)),
        ("dense=0,frames=25", replace(CPU, dense=0, frames=25)),
    ],
)
def test_sizes_are_read_from_text(text: str, expected: Sizes) -> None:
    assert read_sizes(text) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("block=100", "size `block` is 100\n  = help: it must be a power of two, at least 1"),
        ("levels=1", "size `levels` is 1\n  = help: it must be a power of two, at least 2"),
        ("dense=3", "size `dense` is 3\n  = help: it must be 0 or a power of two"),
        ("frames=3", "size `frames` is 3\n  = help: it must be `1`, `2`, `5`, `10`, `25` or `50`"),
        ("chunk=many", "size `chunk` is `many`\n  = help: it must be a whole number, as in `chunk=64`"),
        ("chunk=-2", "it must be a whole number"),
        ("flat=2", "it must be true or false"),
        ("blok=64", "there is no size `blok=64`\n  = help: did you mean `block`?"),
        ("tpu9", "there is no size `tpu9`"),
    ],
)
def test_what_is_no_size_is_refused_with_a_hint(text: str, message: str) -> None:
    with pytest.raises(UserError) as refused:
        read_sizes(text)
    assert message in str(refused.value)


def test_every_size_has_its_line_in_the_docstring() -> None:
    lines = [line.strip() for line in (sizes.Sizes.__doc__ or "").splitlines()]
    for name in Sizes.__dataclass_fields__:
        assert any(line.startswith(f"{name}: ") for line in lines), name
