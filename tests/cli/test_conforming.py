"""`hive conform` replays cases, counts them last, and exits with 1 when one fails."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Hive
from tests.cli.damage import damage_bytes, damage_json, put
from tests.conftest import ROOT

CASES: dict[str, Any] = {
    "format": "hive-bt-conformance/1",
    "worlds": {
        "open": {
            "size": 8,
            "rows": ["........"] * 8,
            "position": [[2.5, 4.5], [5.5, 4.5]],
            "type": [0, 1],
            "team": [0, 1],
            "health": [24, 2],
            "cooldown": [0, 0],
            "target": [6, 4],
            "visible": [[1], [0]],
            "distance_at_unit": [4, 1],
        }
    },
    "cases": [
        {"id": "stand", "world": "open", "tree": "A(stand)", "expected": [[[1, 0, 0, 0]], [[1, 0, 0, 0]]]},
        {
            "id": "shoot",
            "world": "open",
            "tree": "A(attack closest)",
            "expected": [[[-1, 0, 0, 0]], [[1, 2, 0, 0]]],
        },
    ],
}


@pytest.mark.slow
def test_the_published_cases_pass(hive: Hive, shared: Path) -> None:
    """`45 passed, 0 failed` is the last line."""
    ran = hive("conform", shared / "golden" / "bt_conformance.json")
    assert ran.code == 0 and ran.out.splitlines()[-1] == "45 passed, 0 failed"


def test_cases_that_pass_are_only_counted(hive: Hive, tmp_path: Path) -> None:
    (tmp_path / "cases.json").write_text(json.dumps(CASES))
    ran = hive("conform", "cases.json")
    assert (ran.code, ran.out, ran.err) == (0, "2 passed, 0 failed\n", "")
    assert hive("conform", "cases.json", "--json").json == {
        "file": "cases.json",
        "passed": 2,
        "failed": 0,
        "failures": [],
    }


def test_a_case_that_fails_is_named_with_what_differs(hive: Hive, tmp_path: Path) -> None:
    cases = json.loads(json.dumps(CASES))
    cases["cases"][1]["expected"][1] = [[1, 2, 1, 0]]
    (tmp_path / "cases.json").write_text(json.dumps(cases))
    ran = hive("conform", "cases.json")
    assert ran.code == 1
    lines = ran.out.splitlines()
    assert lines[0] == "shoot failed" and lines[1].startswith("  unit 1 did (1, 2, 0.0, 0.0), accepted are")
    assert lines[-1] == "1 passed, 1 failed"
    found = hive("conform", "cases.json", "--json")
    assert found.code == 1 and [failure["case"] for failure in found.json["failures"]] == ["shoot"]


def test_sight_is_compared_too(hive: Hive, tmp_path: Path) -> None:
    cases = json.loads(json.dumps(CASES))
    cases["worlds"]["open"]["visible"] = [[], [0]]
    (tmp_path / "cases.json").write_text(json.dumps(cases))
    ran = hive("conform", "cases.json")
    assert ran.code == 1 and "  unit 0 should see [], sees [1]" in ran.out


def levels(level: str = "rescue_known_small", **vector: object) -> str:
    """A file of one reference vector."""
    return json.dumps({"schema": "wildfire-levels/1", "levels": [{"id": level, "reference_vectors": [vector]}]})


def test_the_reference_vectors_of_wildfire_pass(hive: Hive, shared: Path) -> None:
    """Maps and places exactly as in the vectors, and the losses of the raster scan."""
    ran = hive("conform", shared / "spec" / "wildfire_levels.json")
    assert ran.code == 0 and ran.out.splitlines()[-1] == "48 passed, 0 failed"


@pytest.mark.parametrize(
    ("vector", "fault"),
    [
        ({"spawn_nominal": [29, 33]}, "`spawn_nominal` should be [29, 33], is (29, 32)"),
        ({"land_counts": {"rock": 31}}, "`land_counts` should be {'rock': 31}, is {'rock': 30}"),
        ({"elevation_at_spawn": 0.6166}, "`elevation_at_spawn` should be 0.6166, is 0.6165"),
        ({"wind_at_spawn": [-3.13]}, "`wind_at_spawn` should be [-3.13], is [-3.13"),
        ({"clusters": []}, "`clusters` should be [], is ((21, 8),)"),
        ({"fire": [4, 4]}, "`fire` should be [4, 4], is None"),
        (
            {"no_action_trees_lost_raster": {"10": 0}},
            "`no_action_trees_lost_raster` should be {'10': 0}, is {'10': None}",
        ),
        ({"no_action_buildings_lost_raster_50": 0}, "`no_action_buildings_lost_raster_50` should be 0, is None"),
        ({"land_counts": {}}, "`land_counts` should be {}, is {}"),
        ({"targets": "none"}, "`targets` should be none, is []"),
        ({"forest": 3}, "`forest` is not a known value"),
        ({}, "there is nothing to compare"),
    ],
)
def test_a_reference_vector_that_differs_is_named(
    hive: Hive, tmp_path: Path, vector: dict[str, object], fault: str
) -> None:
    (tmp_path / "cases.json").write_text(levels(seed=9502, **vector))
    ran = hive("conform", "cases.json")
    lines = ran.out.splitlines()
    assert (ran.code, lines[0], lines[-1]) == (1, "rescue_known_small seed 9502 failed", "0 passed, 1 failed")
    assert lines[1].startswith(f"  {fault}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "the file cannot be read: No such file or directory"),
        ("{", "the file is not JSON"),
        ("[]", "the file's format is None"),
        ('{"format": "hive-bt-conformance/1"}', "`worlds` is missing"),
        ('{"format": "x"}', "help: known are `hive-bt-conformance/1`, `wildfire-levels/1` and `kitchen-scripts/1`"),
        ('{"schema": "wildfire-levels/1"}', "`levels` is missing"),
        ('{"schema": "wildfire-levels/1", "levels": []}', "the file has no reference vector"),
        (levels(seed="5"), "levels[0].reference_vectors[0].seed\n  = help: a whole number from 0 to 99999996"),
        (levels(seed=-5), "-5 is out of range"),
        (levels("rescue_knwon_small", seed=5), "did you mean `rescue_known_small`?"),
        (
            '{"format": "hive-bt-conformance/1", "worlds": {}, "cases": [{"id": "a", "tree": "A(stand)"}]}',
            "cases[0].expected",
        ),
    ],
)
def test_what_is_no_file_of_cases_is_said(hive: Hive, tmp_path: Path, text: str | None, message: str) -> None:
    if text is not None:
        (tmp_path / "cases.json").write_text(text)
    ran = hive("conform", "cases.json")
    assert (ran.code, ran.out) == (2, "") and message in ran.err


TREES = json.dumps(CASES | {"about": "two cases"})


@pytest.mark.parametrize("kind", ["trees", "levels", pytest.param("scripts", marks=pytest.mark.slow)])
def test_damaged_cases_are_refused_before_they_are_played_or_fail(hive: Hive, tmp_path: Path, kind: str) -> None:
    """Exit code 1 says that a case failed, hence that the file was read; what cannot be read is the user's input."""
    scripts = (ROOT / "hive" / "worlds" / "kitchen" / "data" / "scripts.json").read_text(encoding="utf-8")
    text = {"trees": TREES, "levels": levels(seed=9502, spawn_nominal=[29, 32]), "scripts": scripts}[kind]
    draw = random.Random(kind)
    for number in range(14 if kind == "scripts" else 30):  # a script that can be read is played
        damaged = damage_json(text, draw).encode(errors="ignore") if number % 2 else damage_bytes(text.encode(), draw)
        (tmp_path / "cases.json").write_bytes(damaged)
        ran = hive("conform", "cases.json")
        assert ran.code in (0, 1, 2), number
        assert (ran.code == 2) == ran.err.startswith("error") and "Traceback" not in ran.err, number
        assert (ran.code == 1) == (" failed\n  " in ran.out), number


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("worlds", "open", "rows", 0), ".", "row 0 has 1 letters"),
        (("worlds", "open", "rows", 0), "......?.", "row 0 holds '?'"),
        (("worlds", "open", "rows"), [], "a list of 0 is too short"),
        (("worlds", "open", "position", 0, 0), 8.0, "(8, 4.5) is outside the map of 8 by 8 cells"),
        (("worlds", "open", "target"), [6, -1], "-1 is out of range"),
        (("worlds", "open", "health"), [24], "worlds.open.health"),
        (("worlds", "open", "team", 1), 2, "2 is out of range"),
        (("worlds", "open", "visible", 0), 5, "worlds.open.visible[0]"),
        (("cases", 0, "expected", 0, 0), [1, 0], "cases[0].expected[0][0]"),
        (("cases", 0, "expected"), [None], "1 entries for 2 units"),
        (("cases", 1, "world"), "opne", "did you mean `open`?"),
        (("cases", 0, "tree"), "A(stnad)", "did you mean `stand`?"),
        (("cases", 0, "id"), None, "expected text, found null"),
        (("cases",), [], "a list of 0 is too short"),
    ],
)
def test_a_wrong_value_in_cases_of_trees_is_named(
    hive: Hive, tmp_path: Path, path: tuple[Any, ...], value: object, message: str
) -> None:
    (tmp_path / "cases.json").write_text(json.dumps(put(CASES, path, value)))
    ran = hive("conform", "cases.json")
    assert (ran.code, ran.out) == (2, "") and message in ran.err


def test_the_scripts_of_the_kitchen_pass(hive: Hive) -> None:
    ran = hive("conform", ROOT / "hive" / "worlds" / "kitchen" / "data" / "scripts.json")
    assert (ran.code, ran.out, ran.err) == (0, "6 passed, 0 failed\n", "")


@pytest.mark.parametrize(
    ("change", "place", "fault"),
    [
        ({"order": "caviar"}, "cases[0].order", "`caviar` cannot be ordered"),
        ({"scripts": [[]]}, "cases[0].scripts", "there must be a list for each of the 2 cooks"),
        ({"scripts": [[["boil(pot0)", 3]], []]}, "cases[0].scripts[0][0]", "there is no action called `boil`"),
        (
            {"scripts": [[], [["deliver()", "soon"]]]},
            "cases[0].scripts[1][0]",
            "an entry is an action and its timestep",
        ),
        ({"scripts": [[], [["request('deliver()')", 1]]]}, "cases[0].scripts[1][0]", "a request is no action"),
        ({"left": None}, "cases[0]", "the case lacks `left`"),
    ],
)
def test_a_script_that_cannot_be_played_is_refused_with_its_place(
    hive: Hive, tmp_path: Path, change: dict[str, object], place: str, fault: str
) -> None:
    data = json.loads((ROOT / "hive" / "worlds" / "kitchen" / "data" / "scripts.json").read_text(encoding="utf-8"))
    data["cases"][0] = {key: each for key, each in {**data["cases"][0], **change}.items() if each is not None}
    (tmp_path / "cases.json").write_text(json.dumps(data))
    ran = hive("conform", "cases.json")
    assert ran.code == 2
    assert f"cases.json: {place}\n" in ran.err and fault in ran.err
