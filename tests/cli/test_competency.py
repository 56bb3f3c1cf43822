"""`hive competency`: what is printed and what is kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image

from hive.experiments.plots import competency_tables
from tests.cli.conftest import Hive

NAMES = ["config.json", "competency.json", "behaviours.csv", "levels.csv", "levels.png", "behaviours.png"]
# A name that matplotlib would leave out of a legend, or read as mathematics and stumble over.
NAME = r"_mine $\x$"
RUNS = [
    {"level": "scout_fire_small", "method": NAME, "scores": [2, 1]},
    {"level": "suppress_contain", "method": NAME, "scores": [-300, -400, -500]},
    {"level": "suppress_contain", "method": "Do Nothing", "mean": -600},
]


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    path = tmp_path / "runs.jsonl"
    path.write_text("\n".join(map(json.dumps, RUNS)))
    return path


def test_without_files_it_prints_the_published_scores(hive: Hive) -> None:
    ran = hive("competency")
    assert (ran.code, ran.err) == (0, "")
    assert "TD Task Designation          0.454 15 of 15  0.279 15 of 15" in ran.out
    assert "suppress_contain                 0   -736.67 0.079   -751.33 0.053" in ran.out
    assert "OP Objective Prioritization  0.038  1 of  1  0.051  1 of  1" in ran.out
    assert hive("competency", "--published").out == ran.out


def test_json_says_how_many_levels_stand_behind_a_score(hive: Hive, runs: Path) -> None:
    mine, nothing, *published = hive("competency", "runs.jsonl", "--published", "--json").json["methods"]
    assert [mine["method"], nothing["method"], len(published)] == [NAME, "Do Nothing", 5]
    assert mine["behaviours"]["OS"] == {"score": 0.75, "levels": 1, "of": 7}
    assert mine["behaviours"]["RC"] == {"score": None, "levels": 0, "of": 5}
    assert mine["levels"]["suppress_contain"]["deviation"] == 100.0
    assert not mine["published"] and all(method["published"] for method in published)
    assert published[0]["levels"]["suppress_contain"]["normalised"] == pytest.approx(0.0791, abs=1e-4), (
        "published losses keep the published Do Nothing"
    )


def test_the_table_tells_published_methods_from_those_of_the_files(hive: Hive, runs: Path) -> None:
    lines = hive("competency", "runs.jsonl", "--published").out.splitlines()
    assert "Do Nothing  CAMON (published)" in lines[0] and "Do Nothing (published)" in lines[0]
    (sharing,) = (line for line in lines if line.startswith("OS"))
    assert sharing.split()[3:11] == ["0.750", "1", "of", "7", "-", "0", "of", "7"]


def test_a_folder_is_written_atomically(
    hive: Hive, runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = hive("competency", "runs.jsonl", "--out", "kept", "--json")
    kept = tmp_path / "kept"
    assert ran.code == 0 and ran.err == f"wrote kept: {', '.join(NAMES)}\n"
    assert {path.name for path in kept.iterdir()} == set(NAMES)
    assert json.loads((kept / "competency.json").read_text()) == ran.json
    for name in ("levels.png", "behaviours.png"):
        with Image.open(kept / name) as picture:
            assert picture.width > 600
    assert "exists already" in hive("competency", "--out", "kept").err

    def fail(*_: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(competency_tables, "save_levels", fail)
    ran = hive("competency", "--out", "other")
    assert ran.code == 2 and sorted(path.name for path in tmp_path.iterdir()) == ["kept", "runs.jsonl"]


def test_runs_under_different_rules_are_not_compared(hive: Hive, tmp_path: Path) -> None:
    """Their scores say nothing about each other. Runs that name no rules go with any."""
    for number, rules in enumerate(({"rules": "default"}, {"rules": "published"}, {})):
        run = {"level": "scout_fire_small", "method": f"m{number}", "mean": 1, **rules}
        (tmp_path / f"{number}.json").write_text(json.dumps(run))
    ran = hive("competency", "0.json", "2.json", "1.json")
    assert (ran.code, ran.out) == (2, "")
    assert "different rules of the fire: `default` (0.json:1) and `published` (1.json:1)" in ran.err
    assert hive("competency", "1.json", "2.json").err == ""
    ran = hive("competency", "0.json", "2.json", "--published")
    assert ran.code == 0 and ran.err.startswith("note: the published methods played under other rules")
    (tmp_path / "0.json").write_text('{"level": "scout_fire_small", "method": "m", "mean": 1, "rules": 3}')
    assert "rules are `default` and `published`" in hive("competency", "0.json").err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nowhere.json"], "error: cannot read nowhere.json: no such file or directory"),
        (["wrong.json"], "this is not JSON: Expecting value\n --> wrong.json:1:1"),
        (["runs.jsonl", "runs.jsonl"], "occurs twice on `scout_fire_small`\n --> runs.jsonl:1\n"),
        (["runs.jsonl", "--publishd"], "did you mean `--published`?"),
    ],
)
def test_bad_input_is_one_message(hive: Hive, runs: Path, words: list[str], message: str) -> None:
    (runs.parent / "wrong.json").write_text("level: scout")
    ran = hive("competency", *words)
    assert (ran.code, ran.out) == (2, "") and message in ran.err
