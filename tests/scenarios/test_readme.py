"""The README of `scenarios` shows a file that loads and names every error code."""

from __future__ import annotations

import re
from pathlib import Path

from hive.worlds.battle.scenario import load_scenario

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "scenarios" / "README.md").read_text(encoding="utf-8")


def test_the_example_of_a_scenario_file_loads(tmp_path: Path) -> None:
    (example,) = re.findall(r"```toml\n(.*?)```", README, re.DOTALL)
    (tmp_path / "ford.toml").write_text(example)
    (tmp_path / "ford.plan").write_text("")
    (tmp_path / "trees").mkdir()
    (tmp_path / "trees" / "mine.bt").write_text("A(stand)")
    assert load_scenario(tmp_path / "ford.toml").written_for == (40, 60)


def test_the_table_of_codes_is_complete() -> None:
    files = [*(ROOT / "hive/worlds/battle/scenario").glob("*.py"), ROOT / "hive/kit/keep/reading.py"]
    sources = "".join(path.read_text(encoding="utf-8") for path in files)
    codes = re.findall(r'(?:\.add\(|yield|return \(?)\s*"([a-z-]+)",', sources)
    added = {f"scenario-{code}" for code in codes} - {"scenario-schema"}  # scenarios have no number of a schema
    raised = set(re.findall(r'Problem\(\s*"(scenario-[a-z-]+)"', sources))
    assert set(re.findall(r"`(scenario-[a-z-]+)`", README)) == added | raised
