"""The rows at tiny sizes: what a line holds, and that the worlds are what they are said to be."""

from __future__ import annotations

import inspect
import json
from importlib import import_module
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from hive.experiments.bench import apart, batching, grounds, learning, rows, starting, tables, ticking
from hive.experiments.bench.worlds import make_ground, make_scene, side_of
from hive.ground.shapes import Ground
from hive.ground.sizes import CPU


@pytest.mark.parametrize("name", rows.ROWS)
def test_every_case_is_one_that_its_function_takes(name: str) -> None:
    row = rows.ROWS[name]
    module, function = row.home.split(":")
    assert row.full and row.quick
    signature = inspect.signature(getattr(import_module(f"hive.experiments.bench.{module}"), function))
    for case in (*row.full, *row.quick):
        signature.bind(**case)
        json.dumps(case)


def check_line(line: dict[str, Any]) -> None:
    """A line is JSON, says where and when, and its row has a table that shows it."""
    assert json.loads(json.dumps(line, allow_nan=False)) == line
    assert line["row"] in rows.ROWS and line["device"] and line["time"].endswith("Z")
    assert line["versions"]["jax"] == jax.__version__ and {"commit", "load", "instructions"} <= line.keys()
    assert all(value > 0 for name, value in line.items() if name.endswith(("_ms", "_per_s")) and name != "parts_ms")
    shown = [key for _, key, _ in tables.COLUMNS[line["row"]]]
    assert not set(shown) - set(line)
    assert len(tables.line(line).splitlines()[0]) == len(tables.heading(line["row"]))


def test_a_line_names_the_widest_vector_instructions(tmp_path: Path) -> None:
    (tmp_path / "amd").write_text("processor\t: 0\nflags\t\t: fpu sse4_2 avx avx2\n\nflags\t: avx512f\n")
    (tmp_path / "arm").write_text("Features\t: fp asimd\n")
    found = [rows.vector_instructions(tmp_path / name) for name in ("amd", "arm", "none")]
    assert found == ["avx2", "asimd", None]


@pytest.mark.long
def test_a_tick_of_one_scene() -> None:
    (line,) = rows.run_case("tick", {"units": 24, "parts": False, "scenes": 1})
    check_line(line)
    assert (line["layout"], line["ground"], line["of_open"]) == ("scattered", "open", 1.0)


@pytest.mark.long
def test_the_tick_and_its_parts() -> None:
    lines = list(rows.run_case("tick", {"units": 24, "parts": True, "scenes": 3}))
    assert [(line["layout"], line["ground"]) for line in lines] == list(ticking.SCENES[:3])
    for line in lines:
        check_line(line)
        assert set(line["parts_share"]) == {*ticking.PARTS, "trees"} - {"decide"}
        assert sum(line["parts_share"].values()) == pytest.approx(1, abs=1e-3)
        assert line["units_per_s"] == pytest.approx(24 / line["tick_ms"] * 1e3, rel=1e-2) and line["peak_mb"] > 10


@pytest.mark.long
def test_the_dense_tick() -> None:
    (line,) = rows.run_case("dense", {"units": 24, "layout": "contact"})
    check_line(line)
    assert line["ratio"] == pytest.approx(line["dense_ms"] / line["tick_ms"], rel=1e-2)


@pytest.mark.long
def test_small_worlds_play_on_both_grounds() -> None:
    lines = list(rows.run_case("batch", {"units": 10, "batches": [2]}))
    assert [line["ground"] for line in lines] == ["open", "walls"]
    for line in lines:
        check_line(line)
        assert line["env_steps_per_s"] == pytest.approx(2 * line["ticks"] / line["run_ms"] * 1e3, rel=1e-2)


@pytest.mark.long
def test_whole_games_are_counted() -> None:
    lines = [rows.describe("games", figures) for figures in batching.run_games([2], units=10)]
    check_line(lines[0])
    assert lines[0]["units"] == 20 and 2 <= lines[0]["ticks"] <= 2 * 1000


def test_maps_are_searched_on_every_ground() -> None:
    lines = [rows.describe("maps", figures) for figures in grounds.run(side=40)]
    assert [line["ground"] for line in lines] == list(grounds.GROUNDS)
    for line in lines:
        check_line(line)
    ways = {line["ground"]: line["longest"] for line in lines}
    assert ways["maze"] > 2 * 40 > 10 < ways["rivers"]


def test_a_maze_has_one_way_between_any_two_places() -> None:
    opened = ~grounds.make_blocked("maze", 20)
    joints = (opened[1:] & opened[:-1]).sum() + (opened[:, 1:] & opened[:, :-1]).sum()
    assert opened.sum() == 199 and joints == 198  # connected with one joint fewer than cells: a tree


@pytest.mark.long
def test_compiling_and_swapping_are_timed() -> None:
    (line,) = rows.run_case("compile", {"units": 10})
    check_line(line)
    assert line["total_s"] == pytest.approx(line["trace_s"] + line["lower_s"] + line["compile_s"], abs=0.01)
    (line,) = rows.run_case("swap", {"units": 40})
    check_line(line)
    assert line["compiles"] == 0  # a plan is data


@pytest.mark.long
def test_the_first_outcome_is_waited_for() -> None:
    (line,) = rows.run_case("first", {"units": 10})
    check_line(line)
    assert line["first_s"] > 0 and line["outcome"] in ("win", "lose", "timeout", "plan finished")


def test_a_command_that_says_no_outcome_is_our_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(starting, "_HIVE", "print('nothing')")
    with pytest.raises(RuntimeError, match="ended without an outcome"):
        list(starting.run_first(10))


@pytest.mark.long
def test_all_pairs_are_compared_inside_and_only_there() -> None:
    """No cached trace of either path serves the other; that their games are equal is in tests/engine/test_paths.py."""
    scene = make_scene(CPU.dense + 44)
    args = (scene.params, scene.orders, scene.game, scene.key)

    def sorts() -> bool:
        return " sort" in str(jax.make_jaxpr(ticking.tick)(*args))

    assert sorts()
    with ticking.all_pairs():
        assert not sorts()
    assert sorts()


def test_worlds_have_the_density_and_the_layout_that_they_are_said_to_have() -> None:
    assert (side_of(4_000), side_of(1_000), side_of(64_000)) == (300, 150, 1_200)
    for layout, wide, deep in (("scattered", 212, 212), ("contact", 150, 30)):
        scene = make_scene(2_000, layout)
        position, side = np.asarray(scene.game.state.position), np.asarray(scene.params.units.side)
        assert np.ptp(position, 0) == pytest.approx([wide, deep], rel=0.02)
        assert (side == 0).sum() == 1_000
    assert position[side == 0, 1].max() <= position[side == 1, 1].min()  # armies, not a mixture


@pytest.mark.parametrize(("ground", "kind", "share"), [("forest", Ground.FOREST, 0.3), ("walls", Ground.FOREST, 0.15)])
def test_grounds_have_their_share_of_woods(ground: str, kind: int, share: float) -> None:
    found = make_ground(ground, 150)
    assert (found == kind).mean() == pytest.approx(share, abs=0.03)
    assert ((found == Ground.BUILDING).any()) == (ground == "walls")


@pytest.mark.long
def test_no_unit_dies_or_stands_idle_while_small_worlds_are_timed() -> None:
    scene = make_scene(20, ground="walls", side=32)
    game = jax.jit(batching.advance)(scene.params, scene.orders, scene.game, scene.key, jnp.int32(50))
    assert bool(game.state.alive.all()) and int(game.state.tick) == 50
    assert bool((game.progress.group >= 0).all())
    moved = np.abs(np.asarray(game.state.position - scene.game.state.position)).max(1)
    assert (moved > 0.5).mean() > 0.5


@pytest.mark.slow
def test_a_case_runs_in_a_process_of_its_own_and_its_lines_come_back() -> None:
    lines = list(apart.run_apart("maps", {"side": 40}))
    assert [line["ground"] for line in lines] == list(grounds.GROUNDS)
    check_line(lines[0])


@pytest.mark.slow
def test_a_case_that_fails_says_what_its_process_said_last() -> None:
    with pytest.raises(apart.CaseError, match=r"exit code 1: TypeError: .*colour"):
        list(apart.run_apart("maps", {"colour": "red"}))


def test_the_automaton_compared_with_a_draw() -> None:
    (line,) = rows.run_case("fire", {"side": 40})
    check_line(line)
    assert line["alight"] > 0 and line["ratio"] == pytest.approx(line["update_ms"] / line["draw_ms"], rel=1e-2)


@pytest.mark.long
def test_many_small_fires_are_parts_of_one_map() -> None:
    (line,) = rows.run_case("fires", {"maps": 20, "side": 20})
    check_line(line)
    assert line["alight"] > 0 and line["updates_per_s"] == pytest.approx(20 / line["update_ms"] * 1e3, rel=1e-2)


@pytest.mark.long
def test_a_crew_at_work() -> None:
    (line,) = rows.run_case("crew", {"units": 20, "side": 100})
    check_line(line)
    assert line["published_mb"] == 182 and line["frames_per_s"] == pytest.approx(1e5 / line["tick_ms"], rel=1e-2)


@pytest.mark.long
def test_steps_of_an_environment_for_learners() -> None:
    lines = list(rows.run_case("learners", {"worlds": (2,)}))
    assert len(lines) == 2 and lines[1]["of_native"] > 0
    for line in lines:
        check_line(line)
        assert line["ours"] == pytest.approx(2 * learning.STEPS / line["run_ms"] * 1e3, rel=1e-2)


@pytest.mark.long
def test_training_twice_gives_one_policy() -> None:
    (line,) = rows.run_case("learners", {"training": (4,)})
    check_line(line)
    assert line["same"] and line["agent_steps_per_s"] == pytest.approx(5 * line["ours"], rel=1e-2)
    (again,) = rows.run_case("learners", {"training": (4,)})
    assert again["policy"] == line["policy"]
