"""Traces of games are kept on disk: read back they give the same, and what they depend on changes their file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import struct

from hive.engine import traces
from hive.engine.traces import jit_game


class Pair(struct.PyTreeNode):
    """Arrays with a part that is no array."""

    left: jax.Array
    right: jax.Array
    added: bool = struct.field(pytree_node=False, default=True)


def total(times: int, pair: Pair) -> Pair:
    TRACED.append(times)
    return pair.replace(left=(pair.left + pair.right) * times, added=not pair.added)


TRACED = list[int]()
PAIR = Pair(left=jnp.arange(3.0), right=jnp.full(3, 0.1))


@pytest.fixture
def play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Calls `total` as a new process would, with an empty folder; returns the result and how many traces it made."""
    monkeypatch.setattr(traces, "_ROOMS", (__name__,))
    monkeypatch.setattr(traces, "_folder", lambda: tmp_path / "traces")

    def call(times: int = 2, pair: Pair = PAIR) -> tuple[Pair, int]:
        TRACED.clear()
        anew = FunctionType(total.__code__, total.__globals__)  # JAX remembers the traces of the same function
        return jit_game(anew, static_argnums=(0,))(times, pair), len(TRACED)

    return call


def test_a_new_process_reads_the_trace_of_the_one_before(play: Callable[..., Any]) -> None:
    first, traced = play()
    again, none = play()

    assert (traced, none) == (1, 0)
    assert not first.added and not again.added
    np.testing.assert_array_equal(first.left, (np.arange(3, dtype=np.float32) + np.float32(0.1)) * 2)
    np.testing.assert_array_equal(again.left, first.left)


def test_a_trace_belongs_to_its_arguments_and_its_sources(
    play: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    play()
    assert play(times=3)[1] == 1
    assert play(pair=Pair(left=jnp.zeros(4), right=jnp.zeros(4)))[1] == 1
    assert play(pair=PAIR.replace(added=False))[1] == 1
    assert play(pair=Pair(left=jnp.arange(3), right=jnp.arange(3)))[1] == 1
    monkeypatch.setattr(traces, "_sources", lambda: "of another commit")
    assert play()[1] == 1
    assert play()[1] == 0


@pytest.mark.parametrize(
    "damage", [lambda data: data[:-5], lambda data: b"", lambda data: data[:40] + b"?" + data[41:]]
)
def test_a_damaged_file_is_written_anew(
    play: Callable[..., Any], tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    play()
    (file,) = (tmp_path / "traces").iterdir()
    whole = file.read_bytes()
    file.write_bytes(damage(whole))

    assert play()[1] == 1
    assert play()[1] == 0


def test_the_oldest_files_are_dropped(
    play: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(traces, "_MOST", 2)
    for times in (1, 2, 3, 4):
        play(times)

    assert len([*(tmp_path / "traces").iterdir()]) == 2
    assert play(4)[1] == 0


def test_a_folder_that_cannot_be_written_keeps_nothing(
    play: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "traces").write_text("a file where the folder would be")

    assert [play()[1], play()[1]] == [1, 1]


def test_static_functions_without_a_name_are_traced_in_each_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(traces, "_folder", lambda: tmp_path)

    def apply(function: Callable[[Any], Any], number: Any) -> Any:
        return function(number)

    assert jit_game(apply, static_argnums=(0,))(lambda x: x + 1, jnp.float32(1)) == 2
    assert not [*tmp_path.iterdir()]


def test_inside_of_another_program_it_is_a_part_of_that(play: Callable[..., Any]) -> None:
    found = jax.jit(lambda pair: jit_game(total, static_argnums=(0,))(2, pair))(PAIR)

    np.testing.assert_array_equal(found.left, play()[0].left)
