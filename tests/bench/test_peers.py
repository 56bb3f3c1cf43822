"""Peers in the bench: rows as promised, and both sides doing the same number of steps."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

import jax
import numpy as np
import pytest

from hive.experiments.bench import peers
from hive.experiments.bench.peers import magent, overcooked, smax, trees
from hive.experiments.bench.peers.comparing import peer_row, seconds_of

KEYS = {"peer", "version", "work", "units", "unit", "ours", "theirs", "ratio", "steps", "not_comparable"}


def check(rows: list[dict[str, Any]]) -> None:
    assert rows
    for row in json.loads(json.dumps(rows)):
        assert set(row) == KEYS
        assert all(row[name] for name in ("peer", "version", "work", "unit", "not_comparable"))
        assert all(math.isfinite(row[name]) and row[name] > 0 for name in ("units", "ours", "theirs", "ratio", "steps"))
        assert row["ratio"] == pytest.approx(row["ours"] / row["theirs"])


def test_programs_of_both_sides_run_in_turn_as_often() -> None:
    called: list[str] = []
    taken = seconds_of(lambda: called.append("ours"), lambda: called.append("theirs"), quick=True)

    assert len(taken) == 2
    assert called == ["ours", "theirs"] * (len(called) // 2)


def test_a_row_holds_plain_values_and_the_version_installed() -> None:
    row = peer_row("NumPy", "numpy", "nothing", 1, "time", ours=6.0, theirs=2.0, steps=1, not_comparable="all")

    check([row])
    assert row["version"] == np.__version__
    assert row["ratio"] == 3.0


def test_peers_that_are_not_installed_are_named_and_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers, "find_spec", lambda package: None)

    assert [row["peer"] for row in peers.run(quick=True)] == ["jaxmarl, magent2, py_trees"]


def test_every_installed_peer_gives_its_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    for package, module in (("jaxmarl", smax), ("jaxmarl", overcooked), ("magent2", magent), ("py_trees", trees)):

        def one(quick: bool, package: str = package) -> Iterator[dict[str, object]]:
            yield {"package": package, "quick": quick}

        monkeypatch.setattr(module, "rows", one)
    monkeypatch.setattr(peers, "find_spec", lambda package: None if package == "magent2" else package)

    note, *rows = peers.run(quick=True)
    assert note["peer"] == "magent2" and [row["package"] for row in rows] == ["jaxmarl", "jaxmarl", "py_trees"]


@pytest.mark.long
def test_our_small_worlds_play_as_many_ticks_as_asked_and_no_unit_dies() -> None:
    state = smax.our_steps(5, 3, 4, "walls")()

    assert state.tick.tolist() == [4] * 3
    assert bool(state.alive.all())
    assert state.position.shape == (3, 10, 2)


@pytest.fixture
def lenient() -> Iterator[None]:
    """Other people's engines may promote ranks and dtypes implicitly."""
    with jax.numpy_rank_promotion("allow"), jax.numpy_dtype_promotion("standard"):
        yield


@pytest.mark.long
@pytest.mark.usefixtures("lenient")
def test_smax_does_as_many_steps_as_we_do() -> None:
    pytest.importorskip("jaxmarl")
    for observe in (True, False):
        states = smax.their_steps(5, 2, 4, observe=observe)()
        assert states.step.tolist() == smax.our_steps(5, 2, 4, "open")().tick.tolist()


@pytest.mark.long
@pytest.mark.usefixtures("lenient")
def test_overcooked_and_the_kitchen_do_as_many_steps() -> None:
    pytest.importorskip("jaxmarl")
    for moves in (True, False):
        assert overcooked.our_steps(3, 4, moves=moves)().state.clock.tolist() == [4] * 3
    assert overcooked.their_steps(3, 4)().step.tolist() == [4] * 3


@pytest.mark.slow
def test_magent_does_as_many_steps_as_we_do_and_no_unit_of_ours_dies() -> None:
    pytest.importorskip("magent2")
    state = magent.our_steps(60, 4)()

    assert magent.their_steps(60, 4)() == int(state.tick) == 4
    assert bool(state.alive.all())


def test_py_trees_decides_what_we_decide() -> None:
    pytest.importorskip("py_trees")
    answers = trees.draw_answers(64)
    ours, theirs = trees.our_ticks(answers, 2)(), trees.their_ticks(answers, 2)()

    assert len(ours) == len(theirs) == 2
    assert len(set(ours[0].tolist())) > 2
    np.testing.assert_array_equal(ours, theirs)


@pytest.mark.long
@pytest.mark.usefixtures("lenient")
@pytest.mark.parametrize(("package", "module"), [("jaxmarl", smax), ("magent2", magent)])
def test_rows_of_a_peer_are_as_promised(package: str, module: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip(package)
    monkeypatch.setattr(smax, "BATCH", 2)
    check(list(module.rows(quick=True)))


def test_rows_of_py_trees_are_as_promised() -> None:
    pytest.importorskip("py_trees")
    check(list(trees.rows(quick=True)))
