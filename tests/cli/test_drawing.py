"""`hive draw` prints tables and writes scenario files; `test_versions.py` plays a drawn battle to its end."""

from __future__ import annotations

from pathlib import Path

from hive.worlds.battle.drawn.classes import CLASSES
from hive.worlds.battle.drawn.draw import draw_with_facts
from hive.worlds.battle.scenario import load_scenario
from tests.cli.conftest import Hive


def test_a_table_has_a_row_for_each_battle(hive: Hive) -> None:
    ran = hive("draw", "rivers", "open", "rivers", "--seeds", "3:5")
    rows = [line.split()[0] for line in ran.out.splitlines()]
    assert rows == ["battle", "battle/rivers/3", "battle/rivers/4", "battle/open/3", "battle/open/4"]
    (row,) = hive("draw", "islands", "--seeds", "7:8", "--json").json["battles"]
    scenario = draw_with_facts("islands", 7).scenario
    assert (row["name"], row["side"]) == (scenario.name, scenario.map.size)
    assert row["units"] == {"player": scenario.player.count, "enemy": scenario.enemy.count}


def test_files_are_the_battles(hive: Hive, tmp_path: Path) -> None:
    out = tmp_path / "battles"
    assert hive("draw", *CLASSES, "--seeds", "0:2", "--out", out).code == 0
    assert len([*out.glob("*.toml")]) == 2 * len(CLASSES) and len([*out.glob("*.plan")]) == 4 * len(CLASSES)
    read = load_scenario(out / "passes-1.toml")
    drawn = draw_with_facts("passes", 1).scenario
    assert (read.name, read.map, read.briefing) == (drawn.name, drawn.map, drawn.briefing)
    assert hive("check", out / "passes-1.plan", "--scenario", out / "passes-1.toml").code == 0
    assert hive("draw", "open", "--out", out).code == 2, "it exists"


def test_what_is_no_class_or_no_range_gets_a_sentence(hive: Hive) -> None:
    assert "did you mean `rivers`?" in hive("draw", "rivrs").err
    assert "is not of the form A:B" in hive("draw", "open", "--seeds", "4").err
    assert "holds 0 seeds" in hive("draw", "open", "--seeds", "4:4").err


def test_a_set_is_written_drawn_and_checked(hive: Hive, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    assert hive("draw", "rivers", "--seeds", "0:2", "--save-set", file).code == 0
    ran = hive("draw", "--set", file)
    assert [line.split()[0] for line in ran.out.splitlines()] == ["battle", "battle/rivers/0", "battle/rivers/1"]
    assert "mine has the digest that it should have" in ran.err
    assert hive("draw", "rivers", "--save-set", file).err.startswith(f"error: {file} exists")
    assert "leave out --set" in hive("draw", "rivers", "--set", file).err
    assert "must end in .toml" in hive("draw", "rivers", "--save-set", tmp_path / "mine").err
    assert "name classes" in hive("draw").err
