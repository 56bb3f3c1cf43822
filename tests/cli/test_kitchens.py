"""Runs of kitchens and `hive kitchen study`, `plot`: results, pictures, and what is wrong with a command line."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import pytest
from PIL import Image

from hive.worlds.kitchen.recording import KitchenRecording
from hive.worlds.kitchen.switches import Switches
from tests.cli.conftest import Hive


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("boiled_eg", "there is no task `boiled_eg` in the kitchen\n  = help: did you mean `boiled_egg`?"),
        ("level7", "there is no level `level7` in the kitchen\n  = help: did you mean `level"),
        ("boiled_egg --set layout=missing.toml", "missing.toml"),
        ("boiled_egg --set layout=3", "the setting `layout` is a file, not 3"),
        ("boiled_egg --set fast=1", "a kitchen has no setting `fast`"),
        ("boiled_egg --set gamma=1,11", "gamma is above 0 and at most 10, not 11\n  = help: the paper compares"),
        ("boiled_egg --set gamma=nan", "gamma is above 0 and at most 10, not nan"),
        ("all --set task_file=missing.toml", "missing.toml"),
        ("boiled_egg --set references=missing.json", "missing.json"),
        ("boiled_egg --replies 0", "--replies"),
        ("boiled_egg --tools text", "is a kitchen order\n  = help: it is for rescues"),
    ],
)
def test_a_wrong_command_line_is_explained(hive: Hive, words: str, why: str) -> None:
    ran = hive("run", *f"kitchen/{words}".split())
    assert ran.code == 2 and ran.out == "" and why in ran.err


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("--experiment D", "there is no experiment `D`; the experiments are `A`, `B` and `C`"),
        ("boiled_eg", "did you mean `boiled_egg`"),
        ("--pair model", "the pair `model` needs a model\n  = help: add --model NAME"),
        ("--pair reader --model x", "`reader` asks no model\n  = help: leave them out, or ask the model alone"),
        ("--pair reader --pair model --model x", "`reader` cannot play beside a model"),
        ("--repeats 0", "--repeats"),
    ],
)
def test_a_wrong_study_is_explained(hive: Hive, words: str, why: str) -> None:
    ran = hive("kitchen", "study", *words.split())
    assert ran.code == 2 and ran.out == "" and why in ran.err


@pytest.mark.long
def test_a_recording_repeats_the_games_of_the_speaker_pair(hive: Hive, tmp_path: Path) -> None:
    first = hive("run", "kitchen/boiled_egg", "--json", "--out", str(tmp_path / "a"))
    assert first.code == 0, first.err
    result = json.loads(first.out)
    assert result["figures"]["tasks"]["boiled_egg"]["success_rate"] == 1 and "levels" not in result["figures"]
    (game,) = result["games"]
    assert (game["delivery"], game["pc"], game["events"], game["refused"]) == (15, 1, 1, 0)
    assert not (tmp_path / "a.progress").exists()
    names = {path.name for path in (tmp_path / "a/boiled_egg/0").iterdir()}
    assert names == {"result.json", "steps.jsonl", "transcript.md", "journal.jsonl", "recording.npz", "picture.png"}

    exchanges = str(tmp_path / "a/exchanges.jsonl")
    again = hive("run", "kitchen/boiled_egg", "--json", "--replay", exchanges, "--out", str(tmp_path / "b"))
    assert again.code == 0, again.err
    assert json.loads(again.out)["games"][0]["histories"] == game["histories"]

    page = hive("replay", str(tmp_path / "a/boiled_egg/0"))
    assert page.code == 0 and (tmp_path / "a/boiled_egg/0/replay.html").exists()


@pytest.mark.slow
def test_the_table_has_a_line_for_each_task_and_one_for_all(hive: Hive, tmp_path: Path) -> None:
    ran = hive("run", "kitchen/level1", "--player", "planner", "--set", "gamma=0.5,1.5", "--out", str(tmp_path / "a"))
    assert ran.code == 0, ran.err
    table = (tmp_path / "a/table.txt").read_text("utf-8")
    assert table in ran.out
    rows = [line.split() for line in table.split("\n\n")[0].splitlines()]  # the table of costs follows
    assert [row[0] for row in rows[2:4]] == ["baked_sweet_potato", "boiled_egg"] and rows[-1][0] == "all"
    assert rows[-2][:6] == ["level1", "1", "5", "1.00", "15.4", "24"]
    assert [row[3:6] for row in rows[2:4]] == [["1.00", "16", "24"], ["1.00", "15", "24"]]
    result = json.loads((tmp_path / "a/result.json").read_text("utf-8"))
    tasks, levels = result["figures"]["tasks"], result["figures"]["levels"]
    assert list(levels) == ["1"] and levels["1"]["runs"] == 5
    assert levels["1"]["pc"] == pytest.approx(sum(each["pc"] for each in tasks.values()) / 5)
    assert [(row["gamma"], row["sr"]) for row in result["gamma"]] == [(0.5, 0), (1.5, 1)], (
        "the same games, twice scored"
    )
    drawn = hive("kitchen", "plot", str(tmp_path / "a"), "--out", str(tmp_path / "pictures"))
    assert drawn.code == 0, drawn.err
    for name in ("levels.png", "gamma.png"):
        with Image.open(tmp_path / "pictures" / name) as picture:
            assert picture.size[0] > 500


@pytest.mark.slow
def test_a_switch_changes_the_limit_and_stands_in_the_files(hive: Hive, tmp_path: Path) -> None:
    """docs/rules/kitchen.md 7.1: without published limits, 1.5 times the least time of 15, rounded down."""
    words = ("--player", "planner", "--set", "published_limits=0", "--json", "--out", str(tmp_path / "a"))
    ran = hive("run", "kitchen/boiled_egg", *words, "--corrections", "3")
    (game,) = ran.json["games"]
    assert (game["delivery"], game["limit"]) == (15, 22)
    config = json.loads((tmp_path / "a/config.json").read_text("utf-8"))
    assert config["switches"] == asdict(Switches(published_limits=False))
    assert config["rules"]["planner"]["corrections"] == 3
    assert KitchenRecording.load(tmp_path / "a/boiled_egg/0/recording.npz").limit == 22
